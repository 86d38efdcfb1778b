"""Radius of a hook over the coordinates of the axes that move it, and those axes themselves.

Between the hook's base and the place below which it hangs, a trolley or a telescope slides along x,
and a jib luffs about the axis across, up positive:

    r = c + x,        or        r = c + (l + e) cos q

with the way x of the trolley, the luffing angle q and the telescope's way e.
"""

import math
from typing import NamedTuple

import numpy as np

from cable_sim.cranes.families.kit.reeving import hauled_part, touched_parts
from cable_sim.cranes.families.kit.words.carriers import carriers
from cable_sim.cranes.families.kit.words.spec import KitFile
from cable_sim.cranes.parts.devices import Quantity
from cable_sim.cranes.parts.load_axes import LoadAxes, LuffingCourse

ALONG = 1e-9
"""Largest deviation of an axis from a direction that it is taken for [-]."""


class Reach(NamedTuple):
    """Radius of a hook from the base's axis.

    Parameters
    ----------
    offset: c [m].
    slides: names of joints that move it along x, on the jib if it luffs.
    luffing: name of the joint; empty without one.
    length: of the jib from that joint to the place, the slides at zero [m].
    lead: angle of the place over the jib's x axis, the slides at zero [rad].
    """

    offset: float
    slides: tuple[str, ...] = ()
    luffing: str = ""
    length: float = 0.0
    lead: float = 0.0

    def radius(self, coordinates: dict[str, float]) -> float:
        """Return the radius [m] at coordinates of the joints [rad or m]."""
        out = sum(coordinates[name] for name in self.slides)
        if not self.luffing:
            return self.offset + out
        angle = coordinates[self.luffing] + self.lead
        return self.offset + (self.length + out) * math.cos(angle)


def reach_of(file: KitFile, hook: str) -> Reach | None:
    """Return the radius of a hook; None if it follows no such law."""
    made = file.hooks[hook]
    part, _, place = made.below.rpartition(".")
    at = np.asarray(file.parts[part].places[place], float)
    slides: list[str] = []
    luffing = ""
    length = lead = 0.0
    for name in carriers(file.parts, part):
        if name == made.base:
            return Reach(float(at[0]), tuple(slides), luffing, length, lead)
        joint = file.parts[name].joint
        axis = np.asarray(joint.axis if joint else (0.0, 0.0, 0.0), float)
        if joint and joint.kind == "prismatic" and _is_along(axis, (1.0, 0.0, 0.0)):
            slides.insert(0, joint.name)
        elif joint and joint.kind == "hinge" and _is_along(axis, (0.0, -1.0, 0.0)) and not luffing:
            luffing = joint.name
            length = float(np.hypot(at[0], at[2]))
            lead = math.atan2(at[2], at[0])
            at = np.zeros(3)
        elif joint:
            return None
        if luffing and joint and joint.kind == "prismatic":
            return None  # a trolley that carries a jib
        at = at + file.parts[name].at
    return None


def _is_along(axis: np.ndarray, direction: tuple[float, float, float]) -> bool:
    """Return True if an axis has a direction."""
    return bool(np.dot(axis, direction) > (1.0 - ALONG) * np.linalg.norm(axis))


def radius_quantities(file: KitFile, hook: str, reading: dict[str, str]) -> tuple[Quantity, ...]:
    """Return the quantity ``radius`` of a hook, from the ``reading`` of each joint by its name.

    Empty where the radius follows no law, or depends on joints that nothing reads.
    """
    reach = reach_of(file, hook)
    if reach is None or any(name not in reading for name in (*reach.slides, reach.luffing) if name):
        return ()
    slides = tuple(reading[name] for name in reach.slides)
    if not reach.luffing:
        return (Quantity("radius", "sum", slides, offset=reach.offset),) if slides else ()
    angle = Quantity("boom.angle", "sum", (reading[reach.luffing],), offset=reach.lead)
    weights = (reach.length, *(1.0 for _ in slides))
    inputs = ("boom.angle", *slides)
    return angle, Quantity("radius", "reach", inputs, weights, reach.offset)


def rope_of_joint(file: KitFile, joint: str) -> str:
    """Return the axis on the rope that holds a joint; empty if there is none."""
    part = file.part_on[joint]
    lifting = {rope for hook in file.hooks.values() for rope in hook.ropes}
    for name, axis in file.axes.items():
        if axis.on in file.ropes and axis.on not in lifting:
            ends = touched_parts(file, axis.on) & set(file.parts)
            if any(part in carriers(file.parts, end) for end in ends):
                return name
    return ""


def load_axes_of_kit(file: KitFile) -> LoadAxes:
    """Return the axes that move the first hook over the ground."""
    axis_on = file.axis_on
    hook = next(iter(file.hooks), "")
    reach = reach_of(file, hook) if hook else None
    if reach is None:
        return LoadAxes()
    base = file.hooks[hook].base
    joint = file.parts[base].joint
    if not _stands_over_origin(file, base):
        return LoadAxes()
    turns = joint is not None and joint.kind == "hinge"
    across = axis_on.get(joint.name, "") if joint else ""
    if not reach.luffing:
        hauled = {hauled_part(file, on): name for on, name in axis_on.items()}
        outward = next((axis_on[name] for name in reach.slides if name in axis_on), "")
        if joint and not outward and not turns and _is_along(np.array(joint.axis), (1.0, 0.0, 0.0)):
            return LoadAxes(across)  # the base is the trolley itself
        return LoadAxes(outward or hauled.get(base, ""), across, turns)
    outward = axis_on.get(reach.luffing, "")
    if not outward:
        return LoadAxes("", across, turns)
    start = file.rig.start.at
    out = sum(start.get(axis_on.get(name, name), 0.0) for name in reach.slides)
    drum, falls = _lead(file, hook, file.part_on[reach.luffing])
    course = LuffingCourse(reach.length + out, reach.offset, drum, falls, reach.lead)
    return LoadAxes(outward, across, turns, course)


def _stands_over_origin(file: KitFile, base: str) -> bool:
    """Return True if a hinge's axis is the world's z axis, or if the base does not turn."""
    joint = file.parts[base].joint
    if joint is None or joint.kind != "hinge":
        return True
    chain = [*carriers(file.parts, base)]
    x, y, _ = np.sum([file.parts[name].at for name in chain], axis=0)
    fixed = not any(file.parts[name].joint or file.parts[name].motion for name in chain[1:])
    return fixed and math.hypot(x, y) < ALONG and _is_along(np.asarray(joint.axis), (0.0, 0.0, 1.0))


def _lead(file: KitFile, hook: str, jib: str) -> tuple[tuple[float, float] | None, int]:
    """Return the place from which the rope leads to the jib: its radius, and its height over the
    jib's joint [m]; None for a rope that comes along the jib. And the falls of the hook."""
    base = file.hooks[hook].base
    lead = None
    for entry in file.ropes[file.hooks[hook].ropes[0]].path:
        if not isinstance(entry, str):
            return lead, entry.falls
        name, _, place = entry.rpartition(".")
        if name not in file.parts or jib in carriers(file.parts, name):
            lead = None
            continue
        at = np.asarray(file.parts[name].places[place], float)
        for part in carriers(file.parts, name):
            at = at if part == base else at + file.parts[part].at
        lead = (float(at[0]), float(at[2] - file.parts[jib].at[2]))
    return lead, 1
