"""The tree of a crane's parts in words, for people."""

from collections.abc import Iterator

from cable_sim.cranes.families.kit.reeving import friction_wheels
from cable_sim.cranes.families.kit.words.parts import PartJoint
from cable_sim.cranes.families.kit.words.spec import KitFile
from cable_sim.spec.quantities import WORLD

BRANCH = "├── "
LAST = "└── "
TRUNK = "│   "
SPACE = "    "


def outline(file: KitFile) -> str:
    """Return the tree of parts with their joints and axes, the ropes and the hooks on them."""
    lines = [WORLD, *_branches(file, WORLD, "")]
    for name, rope in file.ropes.items():
        way = " - ".join(
            entry if isinstance(entry, str) else f"{entry.falls} x ({entry.upper} - {entry.lower})"
            for entry in rope.path
        )
        wheels = (_axis_on(file, wheel) for wheel in friction_wheels(file) if wheel in way)
        lines.append(f"{name}: {way}{_axis_on(file, name)}{''.join(wheels)}")
    return "\n".join(lines)


def _branches(file: KitFile, carrier: str, indent: str) -> Iterator[str]:
    """Yield the lines of all that stands or hangs on a part."""
    names = [name for name, part in file.parts.items() if part.on == carrier]
    hung = [name for name, hook in file.hooks.items() if hook.below.rpartition(".")[0] == carrier]
    for name in (*names, *hung):
        last = name == (*names, *hung)[-1]
        yield (
            indent
            + (LAST if last else BRANCH)
            + (_part(file, name) if name in names else _hook(file, name))
        )
        yield from _branches(file, name, indent + (SPACE if last else TRUNK))


def _part(file: KitFile, name: str) -> str:
    """Return a part in words."""
    part = file.parts[name]
    if part.joint is None:
        kinds = {
            "moves by itself": part.motion,
            "bends": part.beam,
            "free": part.free,
            "loose": part.loose,
        }
        told = next((word for word, is_it in kinds.items() if is_it), "fixed")
        return f"{name}: {told}"
    return f"{name}: {_joint(part.joint)}, {part.mass:g} kg{_axis_on(file, part.joint.name)}"


def _joint(joint: PartJoint) -> str:
    """Return a joint in words."""
    limits = joint.limits_deg or joint.limits
    unit = "deg" if joint.kind == "hinge" else "m"
    way = f" {limits[0]:g} ... {limits[1]:g} {unit}" if limits else ""
    return f"{joint.kind} {joint.name!r}{way}"


def _hook(file: KitFile, name: str) -> str:
    """Return a hook in words."""
    hook = file.hooks[name]
    first = name == next(iter(file.hooks))
    load = f", load of {file.rig.load.mass:g} kg" if first and file.rig.load else ""
    return f"{name}: on {', '.join(hook.ropes)}, {hook.mass:g} kg{load}"


def _axis_on(file: KitFile, thing: str) -> str:
    """Return the axis that moves a joint or a rope, in words."""
    name = file.axis_on.get(thing)
    return f" <- {name}" if name else ""
