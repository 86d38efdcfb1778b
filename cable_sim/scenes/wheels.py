"""Machines that live by the friction between a rope and a wheel."""

import math
from typing import Any

from cable_sim.errors import SpecError
from cable_sim.scenes.catalogue import scene
from cable_sim.scenes.hitches import wound_path
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Drive,
    Hybrid,
    Joint,
    Obstacle,
    Scene,
    Wheel,
)
from cable_sim.spec.scene import GRAVITY

LEFT = (0.0, -1.0, 0.0)
"""Axis of a wheel that the rope turns from the right over it to the left, or under it to the
right."""


@scene
def heavy_atwood(
    left: float = 60.0, right: float = 40.0, inertia: float = 20.0, friction: float = 0.5
) -> Scene:
    """Atwood's machine with a heavy wheel, from rest.

    While the rope sticks the left weight falls with ``g (m1 - m2) / (m1 + m2 + I / r^2)``. It slips
    where the tensions would differ by more than ``exp(pi friction)`` to one.

    ``left``, ``right`` [kg], ``inertia`` of the wheel of 0.5 m [kg m^2], ``friction`` [-].
    """
    radius = 0.5
    weights = tuple(
        Body(name, mass, shape=Box(0.3, 0.3, 0.5), position=(x, 0.0, -5.25))
        for name, mass, x in (("left", left, -radius), ("right", right, radius))
    )
    wheel = Wheel("wheel", "world", (0.0, 0.0, 0.0), radius, friction=friction, inertia=inertia)
    ends = [Anchor(body.name, (0.0, 0.0, 0.25)) for body in weights]
    rope = Cable("rope", (ends[0], wheel, ends[1]), ea=2e7, damping_time=0.01)
    return Scene(name="heavy_atwood", bodies=weights, cables=(rope,))


def _guided(
    name: str, mass: float, size: Box, position: tuple[float, float, float]
) -> tuple[Body, Joint]:
    """Return a body that upright rails guide, and the joint of these."""
    body = Body(name, mass, shape=size, position=position)
    return body, Joint(f"{name}_rails", "prismatic", name, point=position, axis=(0.0, 0.0, 1.0))


@scene
def traction_elevator(car: float = 1600.0, speed: float = 1.6, friction: float = 0.25) -> Scene:
    """A car and its counterweight over a driven sheave, with a compensation rope below them.

    The rope runs over the sheave and a free deflector; the compensation rope runs under a wheel on
    a tensioner of 200 kg. At a constant speed the motor holds ``g (car - 1300 kg)``, and the
    friction has room while the tensions are within ``exp(friction wrap)`` to one.

    ``car`` with its load [kg], ``speed`` up [m/s], ``friction`` of rope and groove [-].
    """
    parts = (
        _guided("car", car, Box(1.5, 1.6, 2.4), (-0.35, 0.0, -30.0)),
        _guided("weight", 1300.0, Box(0.3, 1.2, 3.0), (1.45, 0.0, -8.0)),
        _guided("tensioner", 200.0, Box(0.4, 0.2, 0.2), (0.55, 0.0, -45.0)),
    )
    sheave = Wheel(
        "sheave",
        "world",
        (0.0, 0.0, 0.0),
        0.35,
        friction=friction,
        inertia=60.0,
        tension_behind=(1300.0 + 100.0) * GRAVITY,
    )
    deflector = Wheel("deflector", "world", (1.2, 0.0, -1.0), 0.25, friction=0.2, inertia=3.0)
    under = Wheel("under", "tensioner", (0.0, 0.0, 0.0), 0.9, LEFT, friction=0.2, inertia=20.0)
    hoist = (Anchor("car", (0.0, 0.0, 1.2)), sheave, deflector, Anchor("weight", (0.0, 0.0, 1.5)))
    below = (Anchor("car", (0.0, 0.0, -1.2)), under, Anchor("weight", (0.0, 0.0, -1.5)))
    rope: dict[str, Any] = {"ea": 2e7, "damping_time": 0.02, "diameter": 0.013}
    return Scene(
        name="traction_elevator",
        bodies=tuple(body for body, _ in parts),
        joints=tuple(joint for _, joint in parts),
        cables=(
            Cable("hoist_rope", hoist, pretension=(car + 100.0) * GRAVITY, **rope),
            Cable("compensation_rope", below, pretension=100.0 * GRAVITY, **rope),
        ),
        drives=(Drive("motor", "sheave", target=speed, max_speed=4.0, max_acceleration=0.8),),
    )


@scene
def friction_hoist(
    payload: float = 10000.0, acceleration: float = 0.6, friction: float = 0.25
) -> Scene:
    """A Koepe hoist: two skips of 12 t on one rope over a driven wheel of 4 m.

    The full skip is lifted. The rope slips where ``(m1 + payload) (g + a) / (m1 (g - a))`` would be
    above ``exp(pi friction)``, which is 2.19: from 0.88 m/s^2 on with 10 t.

    ``payload`` [kg], ``acceleration`` of the motor [m/s^2], ``friction`` of rope and lining [-].
    """
    empty = 12000.0
    skips = (
        _guided("full", empty + payload, Box(1.8, 2.0, 6.0), (-2.0, 0.0, -60.0)),
        _guided("empty", empty, Box(1.8, 2.0, 6.0), (2.0, 0.0, -20.0)),
    )
    wheel = Wheel(
        "koepe_wheel",
        "world",
        (0.0, 0.0, 0.0),
        2.0,
        friction=friction,
        inertia=20000.0,
        tension_behind=empty * GRAVITY,
    )
    ends = [Anchor(name, (0.0, 0.0, 3.0)) for name in ("full", "empty")]
    rope = Cable(
        "rope",
        (ends[0], wheel, ends[1]),
        ea=2e8,
        damping_time=0.02,
        diameter=0.05,
        pretension=(empty + payload) * GRAVITY,
    )
    motor = Drive(
        "motor", "koepe_wheel", target=10.0, max_speed=12.0, max_acceleration=acceleration
    )
    return Scene(
        name="friction_hoist",
        bodies=tuple(body for body, _ in skips),
        joints=tuple(joint for _, joint in skips),
        cables=(rope,),
        drives=(motor,),
    )


@scene
def haul_rope(speed: float = 5.0, tension: float = 40000.0) -> Scene:
    """The haul rope of a chairlift: endless, over a drive up the hill and a return wheel below.

    The return wheel is on a carriage that a weight pulls back with twice the ``tension``, over a
    wheel of its own. The rope begins on the return wheel, where it never slips.

    ``speed`` of the rope [m/s], ``tension`` of each side [N].
    """
    if tension <= 0.0:
        raise SpecError(f"haul_rope: tension must be above 0 N, not {tension:g}")
    mass = 2.0 * tension / GRAVITY
    lower = (0.0, 0.0, 3.0)
    upper = (200.0, 0.0, 63.0)
    slope = (200.0**2 + 60.0**2) ** 0.5
    along = (200.0 / slope, 0.0, 60.0 / slope)
    across = (-along[2], 0.0, along[0])
    carriage = Body("carriage", 1500.0, shape=Box(2.0, 1.0, 0.6), position=lower)
    weight = Body("weight", mass, shape=Box(1.5, 1.5, 2.0), position=(-10.3, 0.0, -4.0))
    back = Wheel("back", "world", (-10.0, 0.0, 0.0), 0.3, LEFT, friction=0.3, inertia=5.0)
    haul = (
        Wheel("return", "carriage", (0.0, 0.0, 0.0), 2.0, across, friction=0.3, inertia=800.0),
        Wheel("drive", "world", upper, 2.0, across, friction=0.3, inertia=1500.0),
    )
    return Scene(
        name="haul_rope",
        bodies=(carriage, weight),
        joints=(Joint("rails", "prismatic", "carriage", point=lower, axis=along),),
        cables=(
            Cable(
                "haul_rope",
                haul,
                closed=True,
                ea=3e7,
                damping_time=0.02,
                pretension=tension,
                diameter=0.04,
            ),
            Cable(
                "tension_rope",
                (Anchor("carriage", (-1.0, 0.0, 0.0)), back, Anchor("weight", (0.0, 0.0, 1.0))),
                ea=3e7,
                damping_time=0.02,
                pretension=2.0 * tension,
                diameter=0.04,
            ),
        ),
        drives=(Drive("motor", "drive", target=speed, max_speed=6.0, max_acceleration=0.3),),
    )


@scene
def capstan_winch(load: float = 450.0, tail: float = 6.0, turns: int = 3) -> Scene:
    """A capstan that lifts a load with the pull of a small weight at the tail of the rope.

    The rope has ``turns`` full turns and a half on the drum of 0.3 m with a friction of 0.2: it
    holds ``exp(0.2 (2 turns + 1) pi)`` times the pull of the tail, 81 times with three turns.

    ``load`` and ``tail`` [kg].
    """
    drum = Wheel(
        "drum",
        "world",
        (0.0, 0.0, 0.0),
        0.15,
        friction=0.2,
        inertia=1.0,
        turns=turns,
        tension_behind=tail * GRAVITY,
    )
    bodies = (
        Body("load", load, shape=Box(0.6, 0.6, 0.6), position=(-0.15, 0.0, -6.0)),
        Body("tail", tail, shape=Box(0.1, 0.1, 0.2), position=(0.15, 0.0, -1.5)),
    )
    ends = Anchor("load", (0.0, 0.0, 0.3)), Anchor("tail", (0.0, 0.0, 0.1))
    rope = Cable(
        "rope",
        (ends[0], drum, ends[1]),
        ea=5e5,
        damping_time=0.02,
        pretension=load * GRAVITY,
        diameter=0.02,
    )
    return Scene(
        name="capstan_winch",
        bodies=bodies,
        cables=(rope,),
        drives=(Drive("motor", "drum", target=0.3, max_acceleration=0.5),),
    )


@scene
def traction_wire(
    left: float = 100.0, right: float = 80.0, friction: float = 0.3, rate: float = 0.5
) -> Scene:
    """A driven sheave moves a hybrid wire by friction: an obstacle on a body that turns.

    The wire goes along with the rim while the tensions differ by less than ``exp(pi friction)`` to
    one, and slips beyond that. It has masses where it hangs slack.

    Weights ``left`` and ``right`` [kg], ``friction`` of wire and sheave [-], ``rate`` of the motor
    [rad/s], which lifts the left one.
    """
    radius = 0.3
    diameter = 0.02
    arc = wound_path([(90.0, -90.0, 0.0, 0.0, 0.0)], radius, diameter, 0.0)
    ends = [(point[0], 0.0, -2.0) for point in (arc[0], arc[-1])]
    places = [ends[0], *arc, ends[1]]
    length = sum(map(math.dist, places, places[1:]))
    upright = math.sqrt(0.5)
    rim = Cylinder(radius, 0.1)
    sheave = Body("sheave", 50.0, shape=rim, orientation=(upright, upright, 0.0, 0.0))
    weights = tuple(
        Body(name, mass, shape=Box(0.2, 0.2, 0.3), position=end)
        for name, mass, end in (("left", left, ends[0]), ("right", right, ends[1]))
    )
    return Scene(
        name="traction_wire",
        bodies=(sheave, *weights),
        joints=(Joint("axle", "hinge", "sheave", axis=(0.0, 1.0, 0.0)),),
        obstacles=(Obstacle("rim", rim, body="sheave", friction=friction, stops_bodies=False),),
        cables=(
            Cable(
                "wire",
                (Anchor("left"), Anchor("right")),
                ea=5e6,
                length=length,
                diameter=diameter,
                damping_time=0.05,
                touches=("rim",),
                contacts=60,
                hybrid=Hybrid(density=0.5, most=4, path=tuple(arc), wound=True),
            ),
        ),
        drives=(Drive("motor", "axle", target=rate, max_acceleration=1.0),),
    )
