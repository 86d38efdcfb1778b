"""Scenes of Servin and Lacoursiere, "Massless cable for real-time simulation" (2007)."""

import math

from cable_sim.scenes.catalogue import WEIGHTLESS, scene
from cable_sim.spec import Anchor, Body, Box, Cable, Cylinder, Drive, Eye, Joint, Scene, Surface
from cable_sim.spec.quantities import Vector

PAPER_GRAVITY = 10.0
"""Gravity in the paper [m/s^2]."""
SPAN = 29.6
TRACK = 30.0
"""Distance of the carrying ropes' ends, and their length [m]."""


@scene
def two_boxes(
    stiffness: float = 1e3,
    speed: float = 0.1,
    mass: float = 1000.0,
    pulls_only: bool = False,
    twist_stiffness: float | None = None,
    spin: float = 0.0,
    twist: float = 0.0,
) -> Scene:
    """Two boxes that drift apart, or turn against one another, on a cable without gravity.

    Section 5.1 and figures 4 to 8: cubes of 1000 kg and 2 m, a cable of 4 m between the facing
    sides. Stretch: constants c_s of 10, 1e3 and 1e6 N/m; a sine of period
    ``2 pi sqrt(m / (2 c_s))`` (44.43, 4.443, 0.1405 s) and amplitude ``speed sqrt(m / (2 c_s))``,
    because the paper's cable pushes, too. With ``pulls_only`` half a sine is left; then the cable
    is slack and the boxes approach each other with ``speed``. Twist: constants c_t of 10, 1e3 and
    1e6 N m/rad; with the cubes' moment of inertia ``I = m a^2 / 6`` a sine of period
    ``2 pi sqrt(I / (2 c_t))`` (36.28, 3.628, 0.1147 s).

    ``stiffness`` c_s [N/m], ``speed`` with which they part [m/s], ``mass`` of each [kg],
    ``twist_stiffness`` c_t [N m/rad], ``spin`` with which they turn against one another [rad/s],
    ``twist`` at the start [rad].
    """
    cube = Box(2.0, 2.0, 2.0)
    return Scene(
        name="two_boxes",
        bodies=tuple(
            Body(
                name,
                mass,
                shape=cube,
                position=(3.0 * side, 0.0, 0.0),
                velocity=(0.5 * side * speed, 0.0, 0.0),
                angular_velocity=(0.5 * side * spin, 0.0, 0.0),
            )
            for name, side in (("left", -1.0), ("right", 1.0))
        ),
        cables=(
            Cable(
                "cable",
                (Anchor("left", (1.0, 0.0, 0.0)), Anchor("right", (-1.0, 0.0, 0.0))),
                stiffness=stiffness,
                length=4.0,
                twist_stiffness=twist_stiffness,
                twist=twist,
                pulls_only=pulls_only,
            ),
        ),
        gravity=WEIGHTLESS,
    )


@scene
def ropeway(
    start: float = -5.0,
    spin: float = 2.0,
    track_stiffness: float = 1e7,
    twist_stiffness: float = 10.0,
) -> Scene:
    """A carriage on two carrying ropes, a box below it, and over that box a rope with a small box
    at either end.

    Servin and Lacoursiere 2007, section 5.3 and figure 9: four cables, six bodies of 1 to 100 kg,
    c_s from 1e3 to 1e7 N/m, lengths from 1 to 30 m, c_t = 10 on the lowest cable, g = 10. The rest
    is chosen here. The carriage slides on an ellipse with the ends of the carrying ropes as foci,
    let go at ``start``. One small box spins; the twist of the rope makes the other one turn the
    opposite way.

    ``start`` x of the carriage [m], ``spin`` of the left small box [rad/s], ``track_stiffness`` of
    each carrying rope [N/m], ``twist_stiffness`` c_t [N m/rad].
    """
    post = Box(1.0, 2.0, 1.0)
    z = _carriage_height(start)
    hung = z - 0.05 - 1.0
    fall = hung - 0.6 - 2.0
    pull = _track_pull(start, 122.0 * PAPER_GRAVITY)
    return Scene(
        name="ropeway",
        bodies=(
            Body("west", 100.0, shape=post, position=(-SPAN / 2.0 - 0.5, 0.0, 0.0)),
            Body("east", 100.0, shape=post, position=(SPAN / 2.0 + 0.5, 0.0, 0.0)),
            Body("carriage", 100.0, shape=Box(1.2, 1.6, 0.1), position=(start, 0.0, z)),
            Body("large", 20.0, shape=Box(1.8, 0.9, 0.6), position=(start, 0.0, hung - 0.3)),
            _small_box("left", (start - 0.9, 0.0, fall - 0.3), spin),
            _small_box("right", (start + 0.9, 0.0, fall - 0.3)),
        ),
        joints=(Joint("west_lock", "fixed", "west"), Joint("east_lock", "fixed", "east")),
        cables=(
            _track("south_track", -0.7, track_stiffness, pull),
            _track("north_track", 0.7, track_stiffness, pull),
            Cable(
                "hanger",
                (Anchor("carriage", (0.0, 0.0, -0.05)), Anchor("large", (0.0, 0.0, 0.3))),
                stiffness=1e5,
                pretension=22.0 * PAPER_GRAVITY,
            ),
            _pulley(twist_stiffness),
        ),
        gravity=(0.0, 0.0, -PAPER_GRAVITY),
    )


def _small_box(name: str, position: Vector, spin: float = 0.0) -> Body:
    """Return a box that hangs on the lowest rope, with its spin about the vertical [rad/s]."""
    shape = Box(0.8, 0.8, 0.6)
    return Body(name, 1.0, shape=shape, position=position, angular_velocity=(0.0, 0.0, spin))


def _pulley(twist_stiffness: float) -> Cable:
    """Return the lowest rope, from one small box over the large one to the other."""
    nodes = (
        Anchor("left", (0.0, 0.0, 0.3)),
        Eye("large", (-0.9, 0.0, -0.3)),
        Eye("large", (0.9, 0.0, -0.3)),
        Anchor("right", (0.0, 0.0, 0.3)),
    )
    return Cable(
        "pulley", nodes, stiffness=1e3, pretension=PAPER_GRAVITY, twist_stiffness=twist_stiffness
    )


def _carriage_height(x: float) -> float:
    """Return the height of the carriage [m] on the ellipse that the taut ropes allow."""
    major = 0.5 * TRACK
    focus = 0.5 * SPAN
    return -math.sqrt((major**2 - focus**2) * (1.0 - (x / major) ** 2))


def _track_pull(x: float, weight: float) -> float:
    """Return the tension [N] with which two ropes carry the weight across the carriage's way."""
    z = _carriage_height(x)
    west = math.hypot(x + 0.5 * SPAN, z)
    east = math.hypot(x - 0.5 * SPAN, z)
    along = -(x + 0.5 * SPAN) / west - (x - 0.5 * SPAN) / east
    up = -z / west - z / east
    return 0.5 * weight * up / (along**2 + up**2)


def _track(name: str, y: float, stiffness: float, pull: float) -> Cable:
    """Return a carrying rope, taut from the start."""
    nodes = (
        Anchor("west", (0.5, y, 0.0)),
        Eye("carriage", (0.0, y, 0.0)),
        Anchor("east", (-0.5, y, 0.0)),
    )
    return Cable(name, nodes, stiffness=stiffness, pretension=pull)


@scene
def fishing_rod(
    speed: float = 5.0,
    climb: float = 3.0,
    line: float = 0.5,
    friction: float = 0.05,
    gravity: float = 10.0,
) -> Scene:
    """A box on a line at the tip of a light rod: tossed away, reeled in over the ground, lifted.

    Servin and Lacoursiere 2007, section 5.3 and figure 10: a rod of 0.02 kg with one end on a ball
    joint 12 m up, a box of 1 kg, and a line that consists of its velocity driver alone, xi = 10
    m/s/N and w = 0 m/s at first. The path grows at the rate w + xi T. The paper tells neither the
    length of the rod nor what the ground is like; here 2 m, and smooth.

    ``speed`` away and ``climb`` up of the box at the start [m/s], ``line`` out at the start [m],
    ``friction`` of the ground [-], ``gravity`` [m/s^2].
    """
    height = 12.0
    length = 2.0
    side = 0.3
    tip = height - length
    ends = (Anchor("rod", (0.0, 0.0, -0.5 * length)), Anchor("box", (0.0, 0.0, 0.5 * side)))
    return Scene(
        name="fishing_rod",
        bodies=(
            Body(
                "rod",
                0.02,
                shape=Cylinder(0.02, length),
                position=(0.0, 0.0, height - 0.5 * length),
            ),
            Body(
                "box",
                1.0,
                shape=Box(side, side, side),
                position=(0.0, 0.0, tip - line - 0.5 * side),
                velocity=(speed, 0.0, climb),
                collides=True,
            ),
        ),
        joints=(Joint("nail", "ball", "rod", point=(0.0, 0.0, height)),),
        cables=(Cable("line", ends, driven=True),),
        drives=(Drive("reel", "line", target=0.0, slip=10.0),),
        surfaces=(Surface("ground", friction=friction),),
        gravity=(0.0, 0.0, -gravity),
    )
