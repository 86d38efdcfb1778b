"""Slides on bent beams against influence lines, Fryba's moving force, and conservation."""

from functools import cache

import numpy as np
import pytest
from messages import naming
from scipy.integrate import solve_ivp
from slow_cases import slow_but

from cable_sim import Beam, Body, Box, Drive, Joint, Scene, Simulator, equilibrium
from cable_sim.errors import CommandError, ModelError, SpecError

G = 9.81
LONG, EI, MU, EA = 24.0, 3e8, 1200.0, 2e11
SLOWEST = (np.pi / LONG) ** 2 * np.sqrt(EI / MU)
"""First angular frequency of the girder on two supports [rad/s]."""


def girder(elements: int, damping_ratio: float = 0.0) -> Beam:
    """A girder along x, without damping unless told."""
    return Beam(
        "girder",
        (0, 0, 0),
        (LONG, 0, 0),
        ei_y=EI,
        ea=EA,
        density=MU,
        elements=elements,
        damping_ratio=damping_ratio,
    )


def rails(one: Beam, at: float, **changes) -> Joint:
    """The slide of a trolley along a girder."""
    usual = {"point": (at, 0, 0), "axis": (1, 0, 0), "position": at, "rail": one.rail}
    return Joint("rails", "prismatic", "trolley", one.bodies[0].name, **(usual | changes))


def crossing(
    at: float, mass: float, elements: int = 8, speed: float | None = 0.0, **changes
) -> Scene:
    """A trolley on a girder on two supports, one of which slides; None lets it roll freely."""
    gravity = changes.pop("gravity", G)
    one = girder(elements, **changes)
    cart = Body("cart", 1.0, inertia=(1.0, 1.0, 1.0), position=one.end)
    box = Box(1.0, 1.0, 0.5)
    going = (speed or 0.0, 0.0, 0.0)
    trolley = Body("trolley", mass, shape=box, position=(at, 0, 0), velocity=going)
    ends = one.at(0.0)[0], one.at(1.0)[0]
    joints = [
        Joint("left", "hinge", ends[0], point=one.start, axis=(0, 1, 0)),
        Joint("right", "hinge", ends[1], "cart", point=one.end, axis=(0, 1, 0)),
        Joint("slide", "prismatic", "cart", point=one.end, axis=(1, 0, 0)),
        rails(one, at),
    ]
    drives = [] if speed is None else [Drive("run", on="rails", target=speed)]
    return Scene(
        bodies=[*one.bodies, cart, trolley],
        joints=[*one.joints, *joints],
        drives=drives,
        gravity=(0, 0, -gravity),
    )


@cache
def height(at: float, mass: float) -> float:
    """Height of a trolley at rest on the girder [m]."""
    seen = equilibrium(crossing(at, mass)).observation
    return float(seen.body("trolley").position[2])


@pytest.mark.parametrize("tenth", slow_but([0, 3, 5, 9], range(10)))
def test_trolley_sinks_by_the_influence_line(tenth: int) -> None:
    """P x^2 (L - x)^2 / (3 EI L), beside a trolley of 10 g, at places between the nodes."""
    at = (tenth + 1) / 11.0 * LONG
    sag = 2000.0 * G * (at * (LONG - at)) ** 2 / (3.0 * EI * LONG)
    assert height(at, 0.01) - height(at, 2000.0) == pytest.approx(sag, rel=5e-3)


def moving_force(x: float, time: float, speed: float, force: float) -> float:
    """Sag of an undamped girder at x under a force that has come in at time 0 [m].

    Fryba's series: 2 P L^3 / (pi^4 EI) sum sin(j pi x / L) (sin j w t - a / j sin j^2 w_1 t) /
    (j^2 (j^2 - a^2)), with w = pi v / L and a = w / w_1.
    """
    j = np.arange(1, 60)
    pass_rate = np.pi * speed / LONG
    a = pass_rate / SLOWEST
    parts = np.sin(j * pass_rate * time) - a / j * np.sin(j**2 * SLOWEST * time)
    shape = np.sin(j * np.pi * x / LONG) / (j**2 * (j**2 - a**2))
    return float(2.0 * force * LONG**3 / (np.pi**4 * EI) * (shape @ parts))


@pytest.mark.parametrize("a", [0.1, 0.3, 0.5])
def test_girder_swings_under_a_moving_force_as_fryba_says(a: float) -> None:
    """A force on a trolley of 2 kg: the middle of the girder, and the trolley itself."""
    speed, force = a * SLOWEST * LONG / np.pi, 20e3
    simulator = Simulator(crossing(0.0, 2.0, elements=10, speed=speed, gravity=0.0))
    simulator.push("trolley", (0, 0, -force))
    found, right = [], []
    for _ in range(int(LONG / speed / 4e-3)):
        simulator.step(4)
        seen = simulator.observe()
        found.append([-seen.body(name).position[2] for name in ("girder_5", "trolley")])
        there = (0.5 * LONG, speed * seen.time)
        right.append([moving_force(x, seen.time, speed, force) for x in there])
    error = np.abs(np.subtract(found, right)).max(axis=0)
    assert (error < 0.005 * np.max(right)).all()
    assert seen.report.status == 0


def test_trolley_that_rolls_in_the_sag_keeps_its_energy() -> None:
    """To and fro across three nodes on a girder that swings; the error is of second order."""
    errors = []
    for dt in (2e-3, 4e-3):
        simulator = Simulator(crossing(6.0, 5000.0, elements=4, speed=None), dt=dt)
        start = simulator.observe().energy.total
        worst, far = 0.0, 0.0
        for _ in range(round(20.0 / dt / 5.0)):
            simulator.step(5)
            seen = simulator.observe()
            worst = max(worst, abs(seen.energy.total - start))
            far = max(far, seen.joint("rails").position)
        errors.append(worst)
        assert far > 17.0
    assert errors[0] < 5e-5 * 5000.0 * G
    assert errors[1] / errors[0] == pytest.approx(4.0, rel=0.05)


def test_nothing_jolts_where_a_trolley_passes_a_node() -> None:
    """Its force on a girder that has come to rest under it, by weight; and the rate that it reads.

    A chain of straight cells would kick it up at each node by v F h / EI.
    """
    simulator = Simulator(crossing(1.0, 5000.0, elements=4, speed=4.0, damping_ratio=0.3))
    simulator.step(2000)
    forces = []
    while (seen := simulator.observe().joint("rails")).position < 21.0:
        forces.append(seen.force[2])
        assert seen.velocity == pytest.approx(4.0, abs=1e-4)
        simulator.step(1)
    assert np.abs(np.diff(forces)).max() < 2e-4 * 5000.0 * G


def moving_mass(times: np.ndarray, speed: float, mass: float, force: float) -> np.ndarray:
    """Sag under a force on a mass that has come in at time 0 [m], by Galerkin's method.

    In modes phi_j = sin(j pi x / L) the mass feels w_tt + 2 v w_xt + v^2 w_xx at x = v t.
    """
    j = np.arange(1, 16)
    waves = j * np.pi / LONG
    own = np.full(j.size, 0.5 * MU * LONG)
    stiff = 0.5 * EI * LONG * waves**4

    def rate(time: float, state: np.ndarray) -> np.ndarray:
        q, dq = np.split(state, 2)
        phi, slope = np.sin(waves * speed * time), waves * np.cos(waves * speed * time)
        carried = 2.0 * speed * (slope @ dq) - speed**2 * (waves**2 * phi @ q)
        pull = phi * (force - mass * carried) - stiff * q
        return np.concatenate((dq, np.linalg.solve(np.diag(own) + mass * np.outer(phi, phi), pull)))

    found = solve_ivp(rate, (0.0, times[-1]), np.zeros(2 * j.size), t_eval=times, rtol=1e-8)
    return np.array(
        [np.sin(waves * speed * t) @ q for t, q in zip(times, found.y[: j.size].T, strict=True)]
    )


@pytest.mark.parametrize("a", [0.1, 0.3])
def test_heavy_trolley_feels_the_curve_and_the_turn_of_its_rail(a: float) -> None:
    """Of a third of the girder's mass: without v^2 w_xx and 2 v w_xt it would be 3 and 7 % off."""
    speed, mass, force = a * SLOWEST * LONG / np.pi, 0.3 * MU * LONG, 20e3
    simulator = Simulator(crossing(0.0, mass, elements=10, speed=speed, gravity=0.0), dt=5e-4)
    simulator.push("trolley", (0, 0, -force))
    times, found = [], []
    for _ in range(int(LONG / speed / 5e-3)):
        simulator.step(10)
        seen = simulator.observe()
        times.append(seen.time)
        found.append(-seen.body("trolley").position[2])
    right = moving_mass(np.array(times), speed, mass, force)
    assert np.abs(found - right).max() < 0.01 * right.max()


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"kind": "hinge"}, "rail hinge"),
        ({"open": True}, "rail open prismatic"),
        ({"rail": [("girder_0", (0, 0, 0))]}, "rail girder_0"),
        ({"child": "girder_3"}, "rail girder_3"),
        ({"parent": "cart"}, "parent cart girder_0"),
    ],
)
def test_impossible_rails_are_refused_by_name(changes, said: str) -> None:
    one = girder(8)
    usual = {"name": "rails", "kind": "prismatic", "child": "trolley", "parent": "girder_0"}
    with pytest.raises(SpecError, match=naming(f"rails {said}")):
        Joint(**(usual | {"rail": one.rail} | changes))


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"axis": (1.0, 0.1, 0.0)}, "rails rail girder_8 2.39"),
        ({"axis": (-1.0, 0.0, 0.0)}, "rails rail increase"),
    ],
)
def test_rail_that_is_not_along_the_axis_is_refused(changes, said: str) -> None:
    one = girder(8)
    trolley = Body("trolley", 10.0, shape=Box(1.0, 1.0, 0.5))
    scene = Scene(bodies=[*one.bodies, trolley], joints=[*one.joints, rails(one, 2.0, **changes)])
    with pytest.raises(ModelError, match=naming(said)):
        Simulator(scene)


def test_rail_on_an_unknown_body_is_refused() -> None:
    one = girder(2)
    trolley = Body("trolley", 10.0, shape=Box(1.0, 1.0, 0.5))
    bodies = [*one.bodies[:2], trolley]
    with pytest.raises(SpecError, match=naming("rails rail girder_2")):
        Scene(bodies=bodies, joints=[rails(one, 2.0)])


def test_slide_on_a_rail_is_not_unlocked() -> None:
    with pytest.raises(CommandError, match=naming("unlock rails")):
        Simulator(crossing(3.0, 10.0)).unlock("rails")
