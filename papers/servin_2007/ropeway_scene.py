"""The scene of figure 9, written like an entry of the catalogue."""

import math

from cable_sim import Anchor, Body, Box, Cable, Eye, Joint, Scene


def ropeway(
    start: float = -5.0, spin: float = 2.0, track_stiffness: float = 1e7, twist_stiffness: float = 10.0
) -> Scene:
    """A carriage on two carrying ropes, a box below it, and over that box a rope with a small box at either end.

    Servin and Lacoursiere 2007, section 5.3 and figure 9: four cables, six bodies of 1 to 100 kg, c_s from 1e3 to
    1e7 N/m, lengths from 1 to 30 m, c_t = 10 on the lowest cable, g = 10. The rest is chosen here. The carriage slides
    on an ellipse with the ends of the carrying ropes as foci, let go at ``start``. One small box spins; the twist of
    the rope makes the other one turn the opposite way.

    ``start`` x of the carriage [m], ``spin`` of the left small box [rad/s], ``track_stiffness`` of each carrying rope
    [N/m], ``twist_stiffness`` c_t [N m/rad].
    """
    post, wide, large, small = Box(1.0, 2.0, 1.0), Box(1.2, 1.6, 0.1), Box(1.8, 0.9, 0.6), Box(0.8, 0.8, 0.6)
    z = _height(start)
    hung = z - 0.05 - 1.0
    fall, pull = hung - 0.6 - 2.0, _pull(start, 122.0 * GRAVITY)
    return Scene(
        name="ropeway",
        bodies=(
            Body("west", 100.0, shape=post, position=(-SPAN / 2.0 - 0.5, 0.0, 0.0)),
            Body("east", 100.0, shape=post, position=(SPAN / 2.0 + 0.5, 0.0, 0.0)),
            Body("carriage", 100.0, shape=wide, position=(start, 0.0, z)),
            Body("large", 20.0, shape=large, position=(start, 0.0, hung - 0.3)),
            Body("left", 1.0, shape=small, position=(start - 0.9, 0.0, fall - 0.3), angular_velocity=(0.0, 0.0, spin)),
            Body("right", 1.0, shape=small, position=(start + 0.9, 0.0, fall - 0.3)),
        ),
        joints=(Joint("west_lock", "fixed", "west"), Joint("east_lock", "fixed", "east")),
        cables=(
            _track("south_track", -0.7, track_stiffness, pull),
            _track("north_track", 0.7, track_stiffness, pull),
            Cable(
                "hanger", (Anchor("carriage", (0.0, 0.0, -0.05)), Anchor("large", (0.0, 0.0, 0.3))), stiffness=1e5,
                pretension=22.0 * GRAVITY,
            ),
            Cable(
                "pulley",
                (
                    Anchor("left", (0.0, 0.0, 0.3)), Eye("large", (-0.9, 0.0, -0.3)),
                    Eye("large", (0.9, 0.0, -0.3)), Anchor("right", (0.0, 0.0, 0.3)),
                ),
                stiffness=1e3, pretension=GRAVITY, twist_stiffness=twist_stiffness,
            ),
        ),
        gravity=(0.0, 0.0, -GRAVITY),
    )  # fmt: skip


GRAVITY = 10.0
"""As the paper has it [m/s^2]."""
SPAN, TRACK = 29.6, 30.0
"""Distance of the carrying ropes' ends, and their length [m]."""


def _height(x: float) -> float:
    """Height of the carriage on the ellipse that the tight ropes leave to it [m]."""
    major, focus = 0.5 * TRACK, 0.5 * SPAN
    return -math.sqrt((major**2 - focus**2) * (1.0 - (x / major) ** 2))


def _pull(x: float, weight: float) -> float:
    """Tension with which two ropes carry the weight across the carriage's way [N]."""
    z = _height(x)
    west, east = math.hypot(x + 0.5 * SPAN, z), math.hypot(x - 0.5 * SPAN, z)
    along = -(x + 0.5 * SPAN) / west - (x - 0.5 * SPAN) / east
    up = -z / west - z / east
    return 0.5 * weight * up / (along**2 + up**2)


def _track(name: str, y: float, stiffness: float, pull: float) -> Cable:
    """A carrying rope, taut from the start."""
    nodes = (Anchor("west", (0.5, y, 0.0)), Eye("carriage", (0.0, y, 0.0)), Anchor("east", (-0.5, y, 0.0)))
    return Cable(name, nodes, stiffness=stiffness, pretension=pull)
