"""Warnings about unusual proportions of a reeving."""

import math
from collections.abc import Sequence

from cable_sim.cranes.rigging.reeving import fall_spans
from cable_sim.errors import warn
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.cables.rope_catalogue import thinnest_rope
from cable_sim.spec.cables.ropes import Rope
from cable_sim.spec.quantities import Vector

LEAST_BENDING = 18.0
"""Least usual pitch diameter of a sheave over that of the rope [-]; heavy duty takes 25."""


def falls_of(
    nodes: Sequence[Node], upper: str = "trolley", lower: str = "hook_block"
) -> list[tuple[Vector, Vector]]:
    """Ends of the falls on the ``upper`` body and on the ``lower`` one, in their frames [m]."""
    pairs = ((nodes[i], nodes[i + 1]) for i in fall_spans(nodes, upper, lower))
    return [
        (a.position, b.position) if a.body == upper else (b.position, a.position) for a, b in pairs
    ]


def warn_of_falls(
    nodes: Sequence[Node],
    upper: str = "trolley",
    lower: str = "hook_block",
    field: str = "reeving.path",
) -> None:
    """Warn of two falls in the same place, which would run through one another."""
    ends = falls_of(nodes, upper, lower)
    for i, fall in enumerate(ends):
        if fall in ends[:i]:
            warn(
                f"{field}: falls {ends.index(fall) + 1} and {i + 1} run through one another; "
                "move one",
                3,
            )


def warn_of_rope(
    rope: Rope, pull: float, factor: float, field: str = "hoist_rope", reeving: str = "reeving"
) -> None:
    """Warn of a hoist rope that is weaker than ``factor`` times its ``pull`` at rated load [N].

    ``field`` is the rope's in the file, ``reeving`` the one of the factor's section.
    """
    strength = rope.minimum_breaking_force
    if strength >= factor * pull:
        return
    thicker = thinnest_rope(rope.construction, factor * pull)
    instead = f"a rope such as {thicker!r}" if thicker else "a thicker rope"
    warn(
        f"{field}: breaks at {1e-3 * strength:.1f} kN, which is {strength / pull:.2f} times "
        "the pull of "
        f"{1e-3 * pull:.1f} kN at rated load; {reeving}.design_factor asks for {factor:g}: take "
        f"{instead}, or more falls",
        3,
    )


def warn_of_bending(rope: Rope, diameters: dict[str, float]) -> None:
    """Warn of wheels that bend the rope too much; ``diameters`` [m] by the name of their field."""
    for field, diameter in diameters.items():
        if diameter < LEAST_BENDING * rope.diameter:
            warn(
                f"{field}: {diameter:g} m is {diameter / rope.diameter:.1f} rope diameters, which "
                "wears the rope; "
                f"{LEAST_BENDING:g} or more are usual: {LEAST_BENDING * rope.diameter:.3g} m",
                3,
            )


def fleet_angle(width: float, distance: float) -> float:
    """Largest angle between the rope and a drum's grooves [rad], for a length of drum ``width`` [m]
    that the rope winds over and a first wheel ``distance`` [m] away from its middle."""
    return math.atan2(0.5 * width, distance)


def warn_of_fleet_angle(width: float, distance: float, most: float) -> None:
    """Warn of a fleet angle above ``most`` [rad]."""
    angle = fleet_angle(width, distance)
    if angle > most:
        warn(
            f"drum.width: {width:g} m of drum for a rope whose first sheave is {distance:.3g} m "
            "away make a fleet "
            f"angle of {math.degrees(angle):.2f} deg, above {math.degrees(most):.3g}; "
            f"{2.0 * distance * math.tan(most):.3g} m or less would do, or a sheave further away",
            3,
        )
