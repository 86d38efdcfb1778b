"""One thing at a time, each with a closed form that tests compare with."""

import math

from cable_sim.errors import SpecError
from cable_sim.scenes.catalogue import WEIGHTLESS, scene
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Drive,
    Drum,
    Eye,
    Joint,
    Layers,
    Scene,
    Sheave,
    Sphere,
    Surface,
    Winch,
)
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.scene import GRAVITY


@scene
def pendulum(
    length: float = 5.0, mass: float = 100.0, angle: float = 0.2, ea: float | None = None
) -> Scene:
    """A ball on a cable, let go at an angle.

    The cable holds the ball at its centre, so the ball does not turn and the period is that of a
    mathematical pendulum: ``4 sqrt(l / g) K(sin(angle / 2))``, about
    ``2 pi sqrt(l / g) (1 + angle^2 / 16)``.

    ``length`` [m], ``mass`` [kg], ``angle`` from the vertical [rad], ``ea`` [N], inextensible when
    left out.
    """
    position = (length * math.sin(angle), 0.0, -length * math.cos(angle))
    return Scene(
        name="pendulum",
        bodies=(Body("ball", mass, shape=Sphere(0.25), position=position),),
        cables=(Cable("cable", (Anchor("world"), Anchor("ball")), ea=ea, length=length),),
    )


@scene
def atwood(left: float = 60.0, right: float = 40.0, efficiency: float = 1.0) -> Scene:
    """Two weights over a wheel: Atwood's machine, from rest.

    Without loss the heavier side falls with ``g (m1 - m2) / (m1 + m2)`` under the tension
    ``2 g m1 m2 / (m1 + m2)``; with efficiency e, ``g (e m1 - m2) / (e m1 + m2)``, or not at all
    when e m1 < m2.

    ``left``, ``right`` [kg], ``efficiency`` of the wheel [-].
    """
    return Scene(
        name="atwood",
        bodies=(
            Body("left", left, shape=Box(0.3, 0.3, 0.5), position=(-0.3, 0.0, -5.25)),
            Body("right", right, shape=Box(0.3, 0.3, 0.5), position=(0.3, 0.0, -5.25)),
        ),
        cables=(
            Cable(
                "cable",
                (
                    Anchor("left", (0.0, 0.0, 0.25)),
                    Sheave("world", (-0.3, 0.0, 0.0), efficiency, radius=0.04, half_turn=True),
                    Eye("world", (0.3, 0.0, 0.0)),
                    Anchor("right", (0.0, 0.0, 0.25)),
                ),
            ),
        ),
    )


@scene
def tackle(
    n_falls: int = 4, efficiency: float = 0.917, mass: float = 1000.0, speed: float = 0.5
) -> Scene:
    """A block and tackle that hoists a guided weight, the lead line leaving over the upper block.

    With n falls the rope runs over n wheels. Hoisting, the weight is ``E (1 - E^n) / (1 - E)``
    times the lead line's tension (Pipeline Rules of Thumb Handbook: 3.25 for n = 4 and E = 0.917).

    ``n_falls`` 1 to 16, ``efficiency`` of each wheel, ``mass`` [kg], rope ``speed`` taken in [m/s].
    """
    if not 1 <= n_falls <= 16:
        raise SpecError(f"tackle: n_falls must be 1 ... 16, not {n_falls}")
    ea = 1.0e7
    pitch = 0.4
    height = 10.0
    centre = 0.5 * pitch * (n_falls + 1)
    return Scene(
        name="tackle",
        bodies=(
            Body("block", mass, shape=Box(pitch * n_falls, 0.4, 0.6), position=(centre, 0.0, 0.0)),
        ),
        joints=(Joint("guide", "prismatic", "block", point=(centre, 0.0, 0.0)),),
        cables=(
            Cable(
                "rope",
                tuple(_tackle_path(n_falls, efficiency, pitch, height, centre)),
                ea=ea,
                pretension=mass * GRAVITY / n_falls,
                damping_ratio=0.2,
                winch=Winch("winch", 500.0),
            ),
        ),
        drives=(Drive("haul", "winch", target=-speed, max_acceleration=1.0),),
    )


def _tackle_path(
    n: int, efficiency: float, pitch: float, height: float, centre: float
) -> list[Node]:
    """Return the nodes from the drum to the dead end.

    Part 0 is the lead line, parts 1...n are the falls, all upright.
    """
    nodes: list[Node] = [Drum("world", (0.0, 0.0, 0.0))]
    for wheel in range(n):
        upper = wheel % 2 == 0
        body, x0, z = ("world", 0.0, height) if upper else ("block", centre, 0.3)
        first = (wheel * pitch - x0, 0.0, z)
        second = ((wheel + 1) * pitch - x0, 0.0, z)
        nodes += [Sheave(body, first, efficiency, radius=0.04, half_turn=True), Eye(body, second)]
    x = n * pitch
    return [
        *nodes,
        Anchor("world", (x, 0.0, height))
        if n % 2 == 0
        else Anchor("block", (x - centre, 0.0, 0.3)),
    ]


@scene
def drum_with_layers(mass: float = 1000.0, speed: float = 1.0, wound: float = 80.0) -> Scene:
    """A winch that lowers a load while its drum gives off layer after layer.

    The drum has 0.3 m, the rope 12 mm: from layer j it leaves at R_j = 0.156, 0.1664, 0.1768,
    0.1872 m, 20 turns each. The speed of the drum does not change, that of the load is ``speed R_j
    / R_1``; the shaft holds ``mass g R_j``.

    ``mass`` [kg], ``speed`` of the drum at the rope of its first layer [m/s], rope ``wound`` on it
    at the start [m].
    """
    drum = Layers(diameter=0.3, turns=20, layers=4, wound=wound)
    return Scene(
        name="drum_with_layers",
        bodies=(Body("load", mass, shape=Box(0.8, 0.8, 0.8), position=(0.0, 0.0, -5.0)),),
        cables=(
            Cable(
                "rope",
                (Drum("world", radius=0.15), Anchor("load", (0.0, 0.0, 0.4))),
                ea=5.0e6,
                pretension=mass * GRAVITY,
                damping_ratio=0.1,
                diameter=0.012,
                winch=Winch("winch", 500.0, drum=drum),
            ),
        ),
        drives=(Drive("hoist", "winch", target=speed, max_acceleration=0.5),),
    )


@scene
def bouncing_load(
    mass: float = 1000.0, stiffness: float = 4.0e4, length: float = 10.0, damping_ratio: float = 0.0
) -> Scene:
    """A load let go on a straight but unloaded cable.

    It swings between nothing and twice the static stretch ``m g / k`` with the period ``2 pi sqrt(m
    / k)``; the largest tension is ``2 m g``.

    ``mass`` [kg], ``stiffness`` k [N/m], ``length`` [m], ``damping_ratio`` [-].
    """
    return Scene(
        name="bouncing_load",
        bodies=(Body("load", mass, shape=Box(0.5, 0.5, 0.5), position=(0.0, 0.0, -length - 0.25)),),
        cables=(
            Cable(
                "cable",
                (Anchor("world"), Anchor("load", (0.0, 0.0, 0.25))),
                stiffness=stiffness,
                length=length,
                damping_ratio=damping_ratio,
            ),
        ),
    )


@scene
def sliding_box(
    angle: float = 0.0, speed: float = 2.0, friction: float = 0.3, mass: float = 100.0
) -> Scene:
    """A flat box pushed down an incline.

    It decelerates with ``g (mu cos(angle) - sin(angle))``: on the level it stops after ``v^2 / (2
    mu g)``; where ``tan(angle) > mu`` it speeds up. It starts sunk in by its weight, so it does not
    bounce.

    ``angle`` of the incline [rad], ``speed`` down it [m/s], ``friction`` mu [-], ``mass`` [kg].
    """
    sin = math.sin(angle)
    cos = math.cos(angle)
    ground = Surface(normal=(sin, 0.0, cos), friction=friction)
    height = 0.1 - mass * GRAVITY * cos / (4.0 * ground.stiffness)
    return Scene(
        name="sliding_box",
        bodies=(
            Body(
                "box",
                mass,
                shape=Box(1.0, 1.0, 0.2),
                position=(height * sin, 0.0, height * cos),
                orientation=(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0),
                velocity=(speed * cos, 0.0, -speed * sin),
                collides=True,
            ),
        ),
        surfaces=(ground,),
    )


@scene
def spinning_body(rate: float = 5.0, tumble: float = 0.01) -> Scene:
    """A book that spins freely about its middle axis and tumbles.

    Euler's equations for moments A < B < C conserve ``2 T = A p^2 + B q^2 + C r^2`` and
    ``H^2 = A^2 p^2 + B^2 q^2 + C^2 r^2``; the spin about the middle axis is unstable (Goldstein,
    Classical Mechanics, section 5.6).

    ``rate`` about the middle axis [rad/s], ``tumble`` about the other two [rad/s].
    """
    book = Box(0.3, 0.2, 0.04)
    return Scene(
        name="spinning_body",
        bodies=(Body("book", 2.0, shape=book, angular_velocity=(tumble, rate, tumble)),),
        gravity=WEIGHTLESS,
    )
