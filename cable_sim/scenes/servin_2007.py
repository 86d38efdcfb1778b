"""Scenes of Servin and Lacoursiere, "Massless cable for real-time simulation" (2007)."""

from cable_sim.scenes.catalogue import WEIGHTLESS, scene
from cable_sim.spec import Anchor, Body, Box, Cable, Scene


@scene
def two_boxes(
    stiffness: float = 1e3, speed: float = 0.1, mass: float = 1000.0, pulls_only: bool = False,
    twist_stiffness: float | None = None, spin: float = 0.0, twist: float = 0.0,
) -> Scene:  # fmt: skip
    """Two boxes that drift apart, or turn against one another, on a cable without gravity.

    Section 5.1 and figures 4 to 8: cubes of 1000 kg and 2 m, a cable of 4 m between the facing sides. Stretch:
    constants c_s of 10, 1e3 and 1e6 N/m; a sine of period ``2 pi sqrt(m / (2 c_s))`` (44.43, 4.443, 0.1405 s) and
    amplitude ``speed sqrt(m / (2 c_s))``, because the paper's cable pushes, too. With ``pulls_only`` half a sine is
    left; then the cable is slack and the boxes approach each other with ``speed``. Twist: constants c_t of 10, 1e3
    and 1e6 N m/rad; with the cubes' moment of inertia ``I = m a^2 / 6`` a sine of period ``2 pi sqrt(I / (2 c_t))``
    (36.28, 3.628, 0.1147 s).

    ``stiffness`` c_s [N/m], ``speed`` with which they part [m/s], ``mass`` of each [kg], ``twist_stiffness`` c_t
    [N m/rad], ``spin`` with which they turn against one another [rad/s], ``twist`` at the start [rad].
    """
    cube, parting, turning = Box(2.0, 2.0, 2.0), 0.5 * speed, 0.5 * spin
    return Scene(
        name="two_boxes",
        bodies=(
            Body("left", mass, shape=cube, position=(-3.0, 0.0, 0.0), velocity=(-parting, 0.0, 0.0),
                 angular_velocity=(-turning, 0.0, 0.0)),
            Body("right", mass, shape=cube, position=(3.0, 0.0, 0.0), velocity=(parting, 0.0, 0.0),
                 angular_velocity=(turning, 0.0, 0.0)),
        ),
        cables=(
            Cable("cable", (Anchor("left", (1.0, 0.0, 0.0)), Anchor("right", (-1.0, 0.0, 0.0))), stiffness=stiffness,
                  length=4.0, twist_stiffness=twist_stiffness, twist=twist, pulls_only=pulls_only),
        ),
        gravity=WEIGHTLESS,
    )  # fmt: skip
