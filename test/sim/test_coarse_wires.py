"""Hybrid wires at coarse steps: what they store, what they tell, and ends that go under the
ground."""

import math

import numpy as np
import pytest

from cable_sim import Anchor, Body, Cable, Eye, Scene, Simulator, Sphere
from cable_sim.kernels.status import CATCH_MISSED, END_INSIDE, SWUNG_ROUND
from cable_sim.spec import Drive, Drum, Ground, Hybrid, Loose, Winch

FRAME = 1.0 / 60.0
EA = 1e7


def whip(damping_time: float) -> Scene:
    """A wire that lies level in the air, held at one end: it falls into the swing, and its loose
    end whips."""
    wire = Cable(
        "wire",
        (Anchor("world"), Loose((8.0, 0.0, 0.0))),
        ea=EA,
        damping_time=damping_time,
        hybrid=Hybrid(density=1.0, most=8, damping=0.0),
    )
    return Scene(cables=(wire,))


def over_the_edge(depth: float, drop: float = 0.5) -> Scene:
    """A load that falls past the ground of its wire, to hang at that depth under it, or to lie on
    the way."""
    load = Body("load", mass=1000.0, shape=Sphere(0.2), position=(3.0, 0.0, drop))
    wire = Cable(
        "wire",
        (Anchor("world", (0.0, 0.0, 1.0)), Anchor("load")),
        ea=EA,
        length=math.hypot(3.0, 1.0) + depth,
        hybrid=Hybrid(density=1.0, most=12, ground=Ground(friction=0.5)),
    )
    return Scene(bodies=(load,), cables=(wire,))


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
@pytest.mark.parametrize("damping_time", [0.0, 0.05])
def test_a_wire_that_whips_stores_no_more_than_it_had(damping_time: float, stepper: str) -> None:
    """Of 314 J at play: by their gaps alone its pieces would store thousands."""
    simulator, total = Simulator(whip(damping_time), dt=FRAME, stepper=stepper), []
    for _ in range(180):
        simulator.step()
        total.append(simulator.observe().energy.total)
    assert max(total) < 0.01 * 314.0


def test_a_wire_at_rest_stores_what_its_tension_strains() -> None:
    """T^2 L / 2 EA of a load of 100 kg on masses, damped much and little."""
    for damping_time in (0.005, 0.05):
        load = Body("load", mass=100.0, shape=Sphere(0.1), position=(0.0, 0.0, -4.0))
        wire = Cable(
            "wire",
            (Anchor("world"), Anchor("load")),
            ea=EA,
            length=4.0,
            damping_time=damping_time,
            hybrid=Hybrid(density=1.0, most=1, least=1),
        )
        simulator = Simulator(Scene(bodies=(load,), cables=(wire,)), dt=2e-3)
        simulator.step(4000)
        seen = simulator.observe()
        tension = np.asarray(seen.cable("wire").span_tension)
        assert 980.0 < tension.max() < 1030.0
        assert seen.energy.elastic == pytest.approx(
            (101.9 * 9.81) ** 2 * 4.0 / (2.0 * EA), rel=0.02
        )


def test_a_wire_holds_what_hangs_under_its_ground() -> None:
    """The path gets as long as the wire and what a jerk leaves, not metres more; the status tells
    why."""
    simulator, status, longest = Simulator(over_the_edge(2.0), dt=FRAME), 0, 0.0
    length = simulator.scene.cables[0].length
    for _ in range(240):
        status |= simulator.step().status
        points = simulator.observe().cable("wire").curve
        longest = max(longest, float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()))
    assert longest < 1.1 * length
    assert status & END_INSIDE


def test_an_end_on_a_floor_is_not_under_it() -> None:
    """A body that sinks half a centimetre into the ground is nothing to tell, and masses stay on
    it."""
    load = Body(
        "load",
        mass=1000.0,
        shape=Sphere(0.2),
        position=(3.0, 0.0, 0.1),
        motion="prescribed",
        velocity=(0.0, 0.0, -0.1),
    )
    wire = Cable(
        "wire",
        (Anchor("world", (0.0, 0.0, 1.0)), Anchor("load")),
        ea=EA,
        length=3.5,
        hybrid=Hybrid(density=1.0, most=12, ground=Ground(friction=0.5)),
    )
    simulator = Simulator(Scene(bodies=(load,), cables=(wire,)), dt=FRAME)
    assert simulator.step(63).status == 0
    assert -0.0051 < simulator.observe().cable("wire").curve[:, 2].min() < -0.0049


def test_a_wire_that_whirls_faster_than_the_step_follows_is_told() -> None:
    """Below and above half a radian a step."""
    for turn, told in ((0.4, 0), (0.6, SWUNG_ROUND)):
        speed, dt = 30.0, 5e-3
        length = speed * dt / turn
        load = Body(
            "load",
            10.0,
            shape=Sphere(0.05),
            position=(length, 0.0, 0.0),
            velocity=(0.0, speed, 0.0),
        )
        wire = Cable(
            "wire",
            (Anchor("world"), Anchor("load")),
            ea=EA,
            length=length,
            hybrid=Hybrid(density=0.1, most=0),
        )
        simulator = Simulator(Scene(bodies=(load,), cables=(wire,)), dt=dt)
        assert simulator.step(20).status == told, turn


def test_what_bounces_on_a_wire_keeps_the_sum_of_what_is_read() -> None:
    """Motion and strain are read at the same time: their sum stays, with twelve steps a period, to
    rounding."""
    load = Body(
        "load", 10.0, shape=Sphere(0.05), position=(1.0, 0.0, 0.0), velocity=(0.3, 0.0, 0.0)
    )
    wire = Cable(
        "wire",
        (Anchor("world"), Anchor("load")),
        length=1.0,
        ea=10.0 * 0.24 / 0.01**2,
        damping_time=0.0,
        hybrid=Hybrid(density=1e-9, most=0, damping=0.0),
    )
    simulator = Simulator(Scene(bodies=(load,), cables=(wire,), gravity=(0.0, 0.0, 0.0)), dt=0.01)
    totals = []
    for _ in range(5):
        simulator.step()
        totals.append(simulator.observe().energy.total)
    assert totals == pytest.approx([totals[0]] * 5, rel=1e-6)
    assert totals[0] == pytest.approx(0.5 * 10.0 * 0.3**2, rel=0.07)


@pytest.mark.parametrize("mass", [5.0, 50.0])
def test_masses_that_are_drawn_over_an_eye_do_not_turn_about_it(mass: float) -> None:
    """Rope runs over it by two millimetres a step; the masses on it go before they get there."""
    load = Body("load", mass, shape=Sphere(0.15), position=(0.0, 0.0, -8.0))
    nodes = (Drum("world", (-4.0, 0.0, 0.0)), Eye("world"), Anchor("load", (0.0, 0.0, 0.15)))
    wire = Cable(
        "wire",
        nodes,
        ea=1e6,
        pretension=9.81 * mass,
        hybrid=Hybrid(density=1.0, most=20),
        winch=Winch("winch", 500.0),
    )
    hoist = Drive("hoist", "winch", target=-2.0)
    simulator = Simulator(Scene(bodies=(load,), cables=(wire,), drives=(hoist,)))
    # the load is jerked off at 2 m/s, and comes back into its rope
    assert simulator.step(2000).status & ~CATCH_MISSED == 0
    assert len(simulator.observe().cable("wire").mass_position) > 5
