"""Chains of parts that carry one another, down to the world or a hook."""

from collections.abc import Iterator, Mapping

from cable_sim.cranes.families.kit.words.parts import Part


def carriers(parts: Mapping[str, Part], name: str) -> Iterator[str]:
    """Yield a part and the parts that carry it, down to the world or a hook; of a cycle once
    round."""
    seen: set[str] = set()
    while name in parts and name not in seen:
        yield name
        seen.add(name)
        name = parts[name].on


def root_of(parts: Mapping[str, Part], name: str) -> str:
    """Return what carries a part in the end: the world or a hook."""
    return parts[[*carriers(parts, name)][-1]].on if name in parts else name


def carried(parts: Mapping[str, Part], name: str) -> list[str]:
    """Return the parts that stand on another one."""
    return [other for other, part in parts.items() if part.on == name]


def body_of(parts: Mapping[str, Part], name: str) -> str:
    """Return the body on which a part is: the nearest that moves, or a beam's last node, or the
    world or a hook."""
    for part in carriers(parts, name):
        beam = parts[part].beam
        if beam and parts[part].is_mast:
            return f"{part}_{beam.elements}"
        if parts[part].moves:
            return part
    return root_of(parts, name)
