"""Checks of the names in a crane's file: parts, places, joints, ropes, hooks, axes."""

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

from cable_sim.cranes.container.limiters import OF_SPREADERS
from cable_sim.cranes.container.spreader import CARGO, CONTAINER_BODY
from cable_sim.cranes.families.kit.reeving import friction_wheels, hauled_part, touched_parts
from cable_sim.cranes.families.kit.words.carriers import body_of, carried, carriers, root_of
from cable_sim.cranes.families.kit.words.parts import TRADES, Part
from cable_sim.cranes.families.kit.words.spec import Hook, KitFile
from cable_sim.errors import suggestion
from cable_sim.spec.quantities import WORLD, Misplaced, Misplacements

Path = tuple[str | int, ...]
Found = Iterator[Misplaced]


def check_references(file: KitFile) -> None:
    """Refuse names that are unknown or used twice, with all of them at once.

    Raises Misplacements.
    """
    found = [*_tree(file)]
    if not found:  # what follows goes down the tree
        found = [
            *_beams(file),
            *_names(file),
            *_ropes(file),
            *_lines(file),
            *_hooks(file),
            *_pictures(file),
            *_axes(file),
            *_held(file),
            *_start(file),
            *_devices(file),
        ]
    if found:
        raise Misplacements(found)


def _unknown(path: Path, what: str, name: str, known: Mapping[str, object] | list[str]) -> Found:
    """Yield an error if a name is not known; it lists the known ones."""
    if name not in known:
        listed = ", ".join(known) or "none"
        yield _error(path, f"there is no {what} {name!r}{suggestion(name, known)}; known: {listed}")


def _error(path: Path, problem: str) -> Misplaced:
    """Return an error about the value at a path."""
    return Misplaced(path, problem)


def _tree(file: KitFile) -> Found:
    """Yield parts that stand on nothing known, and cycles."""
    for name, part in file.parts.items():
        known = [WORLD, *file.parts, *file.hooks]
        yield from _unknown(("parts", name, "on"), "part or hook", part.on, known)
    if any(part.on not in (WORLD, *file.parts, *file.hooks) for part in file.parts.values()):
        return
    for name in file.parts:
        chain = [*carriers(file.parts, name)]
        if file.parts[chain[-1]].on == name:
            told = " on ".join(map(repr, (*chain, name)))
            yield _error(("parts", name, "on"), f"{told}: a cycle; the tree has to end at 'world'")


def _beams(file: KitFile) -> Found:
    """Yield beams that carry nothing, fixed parts, or parts at several places."""
    for name, part in file.parts.items():
        if not part.is_mast:
            continue
        on = carried(file.parts, name)
        if not on:
            yield _error(("parts", name, "beam"), f"no part stands on {name!r}; put one on its end")
        for other in on:
            if file.parts[other].joint is None:
                told = f"is fixed on the beam {name!r}; give it a joint, or put it on what has one"
                yield _error(("parts", other, "on"), told)
            if file.parts[other].at != file.parts[on[0]].at:
                place = file.parts[on[0]].at
                told = f"must be {place}, where {on[0]!r} stands on the end of {name!r}, too"
                yield _error(("parts", other, "at"), told)


def _names(file: KitFile) -> Found:
    """Yield names that two things have."""
    taken = {WORLD: "the world"} | dict.fromkeys(("load", CONTAINER_BODY, CARGO), "the load")
    for section in ("parts", "hooks", "ropes", "lines"):
        for name in getattr(file, section):
            if name in taken:
                yield _error((section, name), f"{name!r} is {taken[name]}, too; rename one")
            taken[name] = f"one of {section}"
    joints: dict[str, str] = {}
    for name, part in file.parts.items():
        if part.joint and part.joint.name in joints:
            told = f"the joint of {joints[part.joint.name]!r} is {part.joint.name!r}, too"
            yield _error(("parts", name, "joint", "name"), told)
        if part.joint:
            joints[part.joint.name] = name
    wheels: dict[str, str] = joints
    for name, part in file.parts.items():
        for wheel in (key for key, made in part.wheels.items() if made.friction):
            if wheel in wheels:
                told = f"{wheel!r} is a joint or wheel of {wheels[wheel]!r}, too; rename one"
                yield _error(("parts", name, "wheels", wheel), told)
            wheels[wheel] = name


def _place(file: KitFile, path: Path, reference: str) -> Found:
    """Yield what is wrong with ``part.place``."""
    name, dot, place = reference.rpartition(".")
    if not dot:
        yield _error(path, f"{reference!r} is no place; such are part.place, as 'jib.tip'")
        return
    owners: dict[str, Part | Hook] = {**file.parts, **file.hooks}
    yield from _unknown(path, "part or hook", name, owners)
    if name in owners:
        yield from _unknown(path, f"place on {name!r}:", place, owners[name].places)


def _ropes(file: KitFile) -> Found:
    """Yield wrong places of ropes, and winches that nothing drives."""
    driven = file.axis_on.keys()
    for name, rope in file.ropes.items():
        for i, entry in enumerate(rope.path):
            path: Path = ("ropes", name, "path", i)
            if isinstance(entry, str):
                yield from _place(file, path, entry)
                continue
            for end in ("upper", "lower"):
                yield from _place(file, (*path, end), getattr(entry, end))
        if len(rope.path) == 1 and isinstance(rope.path[0], str):
            yield _error(("ropes", name, "path"), "a rope has two ends; give it another place")
        yield from _tightness(file, name)
        shared = [
            other for other, made in file.ropes.items() if rope.winch and made.winch == rope.winch
        ]
        if rope.winch_mass and not driven & {name, *shared}:
            told = f"no axis is on {name!r}, so nothing would turn its winch; add one to axes"
            yield _error(("ropes", name, "winch_mass"), told)


def _lines(file: KitFile) -> Found:
    """Yield wrong places of lines."""
    for name, line in file.lines.items():
        path: Path = ("lines", name, "tie")
        wrong = [*_place(file, path, line.tie)]
        yield from wrong
        part = line.tie.rpartition(".")[0]
        if not wrong and part in file.parts and body_of(file.parts, part) == WORLD:
            yield _error(path, f"{part!r} does not move; tie a line to what does")


def _pictures(file: KitFile) -> Found:
    """Yield wrong places that shapes point at: unknown ones, and those that never move away."""
    for name, part in file.parts.items():
        for i, drawn in enumerate(part.picture):
            if drawn.towards is None:
                continue
            path: Path = ("parts", name, "picture", i, "towards")
            wrong = [*_place(file, path, drawn.towards)]
            yield from wrong
            other = drawn.towards.rpartition(".")[0]
            ends = [body_of(file.parts, p) if p in file.parts else p for p in (name, other)]
            if not wrong and (WORLD in ends or ends[0] == ends[1]):
                told = f"{name!r} and {other!r} are not two parts that move; use bars"
                yield _error(path, told)


def _tightness(file: KitFile, name: str) -> Found:
    """Yield what is wrong with the length or pretension of a rope that is tied at both ends."""
    rope = file.ropes[name]
    places = {f"{part}.{wheel}" for wheel, part in friction_wheels(file).items()}
    over = [entry if entry in places else "" for entry in rope.path]
    for field, other in (("model", rope.model), ("when_slack", rope.when_slack)):
        if any(over) and other not in ("massless", None):
            told = (
                f"must be massless, not {other}, over a wheel with friction, such as {max(over)!r}"
            )
            yield _error(("ropes", name, field), told)
    if any(over) and rope.pretension is None:
        told = "is missing: the tension [N] of a rope over a wheel with friction, before the wheel"
        yield _error(("ropes", name), f"pretension: {told}")
    if any(a and b for a, b in pairwise(over)) or over[0] or over[-1]:
        told = "must have a place without friction before and after each wheel with friction"
        yield _error(("ropes", name, "path"), told)


def _hooks(file: KitFile) -> Found:
    """Yield wrong names of hooks."""
    bodies = [name for name, part in file.parts.items() if part.moves]
    for name, hook in file.hooks.items():
        wrong = [*_place(file, ("hooks", name, "below"), hook.below)]
        yield from wrong
        carrier = hook.below.rpartition(".")[0]
        if not wrong and (root_of(file.parts, carrier) in file.hooks):
            told = f"{carrier!r} is, or hangs on, a hook; a hook hangs below what none carries"
            yield _error(("hooks", name, "below"), told)
        elif not wrong and body_of(file.parts, carrier) == WORLD:
            told = f"{carrier!r} does not move; a hook hangs below one of {', '.join(bodies)}"
            yield _error(("hooks", name, "below"), told)
        yield from _unknown(("hooks", name, "base"), "moving part", hook.base, bodies)
        if hook.ball and not hook.ball.axle and _falls(file, hook) > 1:
            told = "must be above 0 with more than one fall, or the ball would turn over"
            yield _error(("hooks", name, "ball"), f"axle: {told}")
        for word in ("spreader", "magnet"):
            if getattr(hook, word) and hook is not next(iter(file.hooks.values())):
                yield _error(("hooks", name, word), "is that of the first hook; put it first")
        for i, rope in enumerate(hook.ropes):
            path: Path = ("hooks", name, "ropes", i)
            yield from _unknown(path, "rope", rope, file.ropes)
            if rope in file.ropes and name not in touched_parts(file, rope):
                yield _error(path, f"the path of {rope!r} does not touch {name!r}")


def _falls(file: KitFile, hook: Hook) -> int:
    """Return the number of falls that a hook's ropes name."""
    paths = [file.ropes[rope].path for rope in hook.ropes if rope in file.ropes]
    return sum(entry.falls for path in paths for entry in path if not isinstance(entry, str))


def _axes(file: KitFile) -> Found:
    """Yield axes on nothing, two on one thing, and wrong limits and units."""
    joints = {part.joint.name: part.joint for part in file.parts.values() if part.joint}
    wound = [name for name, rope in file.ropes.items() if rope.winch_mass]
    wound += friction_wheels(file)
    taken: dict[str, str] = {}
    for name, axis in file.axes.items():
        path: Path = ("axes", name)
        known = [*joints, *wound]
        yield from _unknown((*path, "on"), "joint, rope with a winch or wheel", axis.on, known)
        if axis.on in taken:
            yield _error((*path, "on"), f"the axis {taken[axis.on]!r} is on {axis.on!r} already")
        taken[axis.on] = name
        rough = joints[axis.on].dry_friction if axis.on in joints else 0.0
        if rough >= axis.effort:
            told = f"must be above the joint's dry_friction, {rough:g}, or nothing moves"
            yield _error((*path, "effort"), f"{told}; not {axis.effort:g}")
        hung = {rope for hook in file.hooks.values() for rope in hook.ropes}
        if axis.v_empty and axis.on not in joints:
            yield _error((*path, "v_empty"), "is for a joint; a hoist has a rated_power")
        if axis.rated_power and axis.on not in hung:
            yield _error((*path, "rated_power"), "is for the rope of a hook; leave it out")
        if axis.on in joints and axis.limits:
            yield _error((*path, "limits"), "the joint has them; give them there")
        if axis.on in wound and not axis.limits:
            yield _error(path, "limits: are missing; the drive of a rope or wheel needs them [m]")
        unit = joints[axis.on].unit if axis.on in joints else "m"
        if axis.trade and TRADES[axis.trade][0] != unit:
            fit = ", ".join(trade for trade, (kind, _) in TRADES.items() if kind == unit)
            yield _error((*path, "trade"), f"must be one of {fit}, not {axis.trade!r}")


def _held(file: KitFile) -> Found:
    """Yield joints that neither an axis, nor a spring, nor a rope holds."""
    driven = file.axis_on
    for name, part in file.parts.items():
        if part.joint is None or part.joint.name in driven or part.joint.stiffness:
            continue
        carried = {other for other in file.parts if name in carriers(file.parts, other)}
        if not any(touched_parts(file, rope) & carried for rope in file.ropes):
            told = f"nothing holds {part.joint.name!r}: no axis, no stiffness and no rope"
            yield _error(("parts", name, "joint"), told)


def _start(file: KitFile) -> Found:
    """Yield coordinates of the start that nothing has, or that are out of its range."""
    ranges = start_ranges(file)
    hoists = [name for name in hoist_axes(file).values() if name]
    starts = {key: 0.0 for key in ranges if key not in hoists} | file.rig.start.at
    for key, value in starts.items():
        path: Path = ("rig", "start", "at", key)
        yield from _unknown(path, "coordinate", key, ranges)
        low, high = ranges.get(key, (-math.inf, math.inf))
        if not low - 1e-9 <= value <= high + 1e-9:
            yield _error(path, f"must be within {low:g} ... {high:g}, not {value:g}")
    if file.rig.start.state == "on_ground" and not file.load_is_loose:
        hoists = hoists[1:]  # the depth of the first follows from the load
    for name in hoists:
        if name not in file.rig.start.at:
            yield _error(("rig", "start"), f"at.{name}: is missing; it is the depth of a hook [m]")
    if file.rig.load is not None and not file.hooks:
        yield _error(("rig", "load"), "there is no hook for it; add one to hooks")
    yield from _rig(file)


def _rig(file: KitFile) -> Found:
    """Yield what a hook, or a spreader, does not have."""
    rig = file.rig
    if file.spreader:
        if rig.slings:
            yield _error(("rig", "slings"), "are for a hook; a spreader has twistlocks")
        return
    if rig.slings and file.magnet:
        yield _error(("rig", "slings"), "are for a hook; a magnet holds the load; leave them out")
    elif file.hooks and rig.load and not rig.slings and not file.takes_loads:
        yield _error(("rig",), "slings: go with a load; give both or neither")
    elif file.load_is_loose and not rig.stands:
        told = "must be 'on_ground', not 'hanging': magnet and grab are open at the start"
        yield _error(("rig", "start", "state"), told)
    if rig.load is None and rig.tag_line:
        yield _error(("rig",), "tag_line: is tied to a load; give one, too")
    if rig.twistlocks:
        yield _error(("rig", "twistlocks"), "are those of a spreader; leave them out")
    if rig.load and any(rig.load.offset):
        yield _error(("rig", "load", "offset"), "is for a spreader; leave it out")


def hoist_axes(file: KitFile) -> dict[str, str]:
    """Return the axis on the rope of each hook; empty without one."""
    axis_on = file.axis_on
    return {
        hook: next((axis_on[rope] for rope in made.ropes if rope in axis_on), "")
        for hook, made in file.hooks.items()
    }


def start_ranges(file: KitFile) -> dict[str, tuple[float, float]]:
    """Return the range of each key of ``rig.start.at`` in its unit."""
    axis_on = file.axis_on
    ranges = {}
    for part in file.parts.values():
        if part.joint is not None:
            low, high = part.joint.range
            key = axis_on.get(part.joint.name, part.joint.name)
            if part.joint.kind == "hinge":
                ranges[f"{key}_deg"] = (math.degrees(low), math.degrees(high))
            else:
                ranges[key] = (low, high)
    for name in hoist_axes(file).values():
        if name:
            ranges[name] = file.axes[name].limits or (-math.inf, math.inf)
    for name, axis in file.axes.items():
        if hauled_part(file, axis.on):
            ranges[name] = axis.limits or (-math.inf, math.inf)
    return ranges


def _devices(file: KitFile) -> Found:
    """Yield wrong names of chart, limiters and cab."""
    bodies = [name for name, part in file.parts.items() if part.moves]
    if file.chart and not file.hooks:
        yield _error(("chart",), "there is no hook for it; add one to hooks")
    if file.cab:
        yield from _unknown(("cab", "part"), "moving part", file.cab.part, bodies)
    turning = [name for name, p in file.parts.items() if p.joint and p.joint.wheels]
    for name in turning:
        joint = file.parts[name].joint
        if len(turning) > 1 or (joint and joint.name not in file.axis_on):
            told = "one part may have wheels that turn, whose joint has an axis"
            yield _error(("parts", name, "joint", "wheels"), told)
    limiters = file.limiters
    for word in OF_SPREADERS if limiters and not file.spreader else ():
        if getattr(limiters, word):
            yield _error(("limiters", word), "is for a spreader; leave it out")
    for i, zone in enumerate(limiters.zones if limiters else ()):
        yield from _unknown(("limiters", "zones", i, "axis"), "axis", zone.axis, file.axes)
    for i, limiter in enumerate(limiters.others if limiters else ()):
        for k, block in enumerate(limiter.blocks):
            path: Path = ("limiters", "others", i, "blocks", k, "axis")
            yield from _unknown(path, "axis", block.axis, file.axes)
