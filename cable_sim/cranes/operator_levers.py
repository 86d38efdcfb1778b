"""Axes that an operator's levers move: those of the usual names, or what the family names so."""

from typing import NamedTuple

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.cranes.family_spec import ask_family, hoist_of

USUAL = {
    "sideways": {"slewing": 1, "gantry": 1, "x": -1},
    "outward": {"trolley": 1, "luffing": -1, "y": 1},
    "up": {"hoist": 1, "z": 1},
}
"""Names of the axes that each lever moves, and their senses; see :class:`OperatorLever`.

A lever moves the first of these that the crane has. Seen outward along the trolley's travel,
slewing anticlockwise and a gantry's travel along +y are both to the left; a hand's x is to the
right. A jib that luffs up takes the load inward.
"""


class OperatorLever(NamedTuple):
    """Axis that a lever moves: to the left, outward or up in its ``sense``, 1 or -1, of the
    trade."""

    axis: Axis
    sense: int

    @property
    def sense_of_coordinate(self) -> int:
        """Sense in which the axis' coordinate grows to the left, outward or up."""
        return self.sense * trade_sense(self.axis)


def find_levers(crane: Crane) -> dict[str, OperatorLever]:
    """Return the crane's levers, of ``sideways``, ``outward`` and ``up`` those that move an axis.

    Where the crane has no axis of a usual name, its lever moves the one of the family's load axes,
    or its hoist.
    """
    found = {}
    axes = {axis.name: axis for axis in crane.axes}
    for lever, senses in USUAL.items():
        name = next((name for name in senses if name in axes), "")
        if name:
            found[lever] = OperatorLever(axes[name], senses[name])
        elif own := _named_by_family(crane, lever):
            found[lever] = own
    return found


def trade_sense(axis: Axis) -> int:
    """Return -1 for an axis whose speed operators count against its coordinate, as a hoist's; else
    1."""
    return 1 if axis.trade_factor > 0.0 else -1


def _named_by_family(crane: Crane, lever: str) -> OperatorLever | None:
    """Return what the crane's family names for a lever; None if it names no axis of the crane."""
    moving = ask_family(crane).load_axes(crane)
    name = {"sideways": moving.across, "outward": moving.outward, "up": hoist_of(crane)}[lever]
    axis = next((axis for axis in crane.axes if axis.name == name), None)
    if axis is None:
        return None
    sense = -1 if lever == "up" else 1
    if lever == "outward" and not moving.course.straight:
        _, slope, _, _ = moving.course.at(0.5 * (axis.lower + axis.upper))
        sense = -1 if slope < 0.0 else 1
    return OperatorLever(axis, sense * trade_sense(axis))
