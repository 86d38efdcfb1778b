"""Checks of a reeving: errors if it can't be threaded, warnings about unusual proportions."""

import math
import warnings
from collections.abc import Sequence

from cable_sim.cranes.rigging.reeving import fall_spans
from cable_sim.cranes.rigging.tackle import Path, thread_path
from cable_sim.errors import CableSimWarning
from cable_sim.spec.nodes import Node
from cable_sim.spec.quantities import Misplaced, Vector
from cable_sim.spec.rope_catalogue import thinnest_rope
from cable_sim.spec.ropes import Rope

LEAST_BENDING = 18.0
"""Least usual pitch diameter of a sheave over that of the rope [-]; heavy duty takes 25."""


def check_path(path: Path, n_falls: int, bodies: Sequence[str]) -> None:
    """Refuse a path along which no rope can be threaded; the error leads to the node and says what
    to change."""
    last = len(path) - 1
    for i, node in enumerate(path):
        if node.body not in bodies:
            raise _node_error(
                i, f"there is no body {node.body!r}; the rope can run over {', '.join(bodies)}"
            )
        if i == 0 and node.kind != "drum":
            raise _node_error(
                i, f"is of kind {node.kind}; the first node is the drum, from which the rope comes"
            )
        if i == last and node.kind != "anchor":
            raise _node_error(
                i,
                f"is of kind {node.kind}; the last node of the path is no anchor, which the dead "
                "end needs",
            )
        if 0 < i < last and node.kind in ("drum", "anchor"):
            raise _node_error(
                i,
                f"is of kind {node.kind}; between the ends the rope runs over sheave, wheel or eye",
            )
        before = path[i - 1] if i else None
        if before and (before.body, before.position) == (node.body, node.position):
            place = ", ".join(f"{x:g}" for x in node.position)
            raise _node_error(
                i,
                f"is at the point ({place}) of {node.body!r} where the node before it is; move or "
                "remove one",
            )
    _check_falls(path, n_falls)


def _check_falls(path: Path, n_falls: int) -> None:
    """Refuse a path whose number of falls is another than that of the file."""
    found = len(fall_spans(thread_path(path)))
    if found != n_falls:
        dead_end = path[-1].body
        parity = (
            f"with its dead end on {dead_end!r} the number is "
            f"{'odd' if dead_end == 'hook_block' else 'even'}"
        )
        wanted = "on 'hook_block'" if n_falls % 2 else "on 'trolley' or beside it"
        hint = f"; {parity}, for {n_falls} anchor it {wanted}" if (n_falls - found) % 2 else ""
        text = f"reeving.n_falls is {n_falls}, but the path has {found} falls{hint}"
        raise Misplaced(("reeving", "n_falls"), text)


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
            _warn(
                f"{field}: falls {ends.index(fall) + 1} and {i + 1} run through one another; "
                "move one"
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
    _warn(
        f"{field}: breaks at {1e-3 * strength:.1f} kN, which is {strength / pull:.2f} times "
        "the pull of "
        f"{1e-3 * pull:.1f} kN at rated load; {reeving}.design_factor asks for {factor:g}: take "
        f"{instead}, or more falls"
    )


def warn_of_bending(rope: Rope, diameters: dict[str, float]) -> None:
    """Warn of wheels that bend the rope too much; ``diameters`` [m] by the name of their field."""
    for field, diameter in diameters.items():
        if diameter < LEAST_BENDING * rope.diameter:
            _warn(
                f"{field}: {diameter:g} m is {diameter / rope.diameter:.1f} rope diameters, which "
                "wears the rope; "
                f"{LEAST_BENDING:g} or more are usual: {LEAST_BENDING * rope.diameter:.3g} m"
            )


def fleet_angle(width: float, distance: float) -> float:
    """Largest angle between the rope and a drum's grooves [rad], for a length of drum ``width`` [m]
    that the rope winds over and a first wheel ``distance`` [m] away from its middle."""
    return math.atan2(0.5 * width, distance)


def warn_of_fleet_angle(width: float, distance: float, most: float) -> None:
    """Warn of a fleet angle above ``most`` [rad]."""
    angle = fleet_angle(width, distance)
    if angle > most:
        _warn(
            f"drum.width: {width:g} m of drum for a rope whose first sheave is {distance:.3g} m "
            "away make a fleet "
            f"angle of {math.degrees(angle):.2f} deg, above {math.degrees(most):.3g}; "
            f"{2.0 * distance * math.tan(most):.3g} m or less would do, or a sheave further away"
        )


def _node_error(number: int, problem: str) -> Misplaced:
    """An error about a node of the path."""
    return Misplaced(("reeving", "path", number), f"reeving.path, node {number + 1}: {problem}")


def _warn(text: str) -> None:
    """Warn on behalf of the builder of the crane."""
    warnings.warn(text, CableSimWarning, stacklevel=4)
