"""Hard end stops of hinges and sliders: nothing goes past them, whatever it weighs and however hard
it is pushed."""

import math

import pytest

from cable_sim import Body, Box, Drive, Joint, Scene, Simulator
from cable_sim.kernels.status import LOST_PIVOT, TURNED_FAR
from cable_sim.sim.sentences import explain
from cable_sim.spec import Anchor, Cable, Drum, Winch

UPPER, LOWER = math.radians(30.0), -0.1
BAR = Body("bar", 100.0, shape=Box(4.0, 0.2, 0.2), position=(2.0, 0.0, 0.0))
STEPS = [1e-3, 5e-3, 1 / 60]
STEPPERS = ["spook", "regularised"]


def stopped(kind: str, body: Body = BAR, **fields) -> Scene:
    """A bar on a level hinge, or on a rail that goes up, between two hard stops."""
    axis = (0, -1, 0) if kind == "hinge" else (0, 0, 1)
    return Scene(
        bodies=[body],
        joints=[Joint("j", kind, child="bar", axis=axis, upper=UPPER, lower=LOWER)],
        **fields,
    )


def overrun(simulator: Simulator) -> float:
    """How far the joint stands beyond its range."""
    position = simulator.observe().joint("j").position
    return max(position - UPPER, LOWER - position)


def push(simulator: Simulator, kind: str, effort: float) -> None:
    """Push towards the upper stop [N m or N]."""
    simulator.push(
        "bar", *((0, 0, 0), (0, -effort, 0)) if kind == "hinge" else ((0, 0, effort), (0, 0, 0))
    )


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("kind", ["hinge", "prismatic"])
def test_a_hard_stop_is_hard(kind: str, dt: float, stepper: str) -> None:
    """Below 1e-4 rad or m at 1e8 N m or N, at either end, and it lets go without a kick.

    From one end to the other within a step is told, as the turn of any joint.
    """
    simulator = Simulator(stopped(kind), dt=dt, stepper=stepper)
    for effort in (0.0, 1e4, 1e6, 1e8, -1e8, 1e8):
        push(simulator, kind, effort)
        for _ in range(40):
            assert simulator.step(5).status in (0, TURNED_FAR)
            assert overrun(simulator) < 1e-4
    assert simulator.observe().energy.elastic == 0.0
    push(simulator, kind, 0.0)
    simulator.step()
    assert abs(simulator.observe().joint("j").velocity) < 30.0 * dt  # it falls, no more


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("mass", [1e-2, 1.0, 1e6])
def test_a_stop_is_as_hard_for_a_bolt_as_for_a_boom(mass: float, dt: float) -> None:
    """A push that free would turn it by up to 17 rad in a step: in proportion to what is
    stopped."""
    body = Body("bar", mass, shape=Box(0.2, 0.2, 0.2), position=(0.1, 0.0, 0.0))
    simulator = Simulator(stopped("hinge", body), dt=dt)
    for effort in (1e3, -1e3, 1e3):
        push(simulator, "hinge", effort * mass)
        for _ in range(20):
            assert simulator.step().status in (0, TURNED_FAR) and overrun(simulator) < 1e-6


@pytest.mark.parametrize("ratio", [1e-3, 1e3])
def test_a_stop_between_bodies_of_other_masses(ratio: float) -> None:
    """Child and parent both move; the stop acts between them."""
    base = Body("base", 100.0 * ratio, shape=Box(4.0, 0.2, 0.2), position=(-2.0, 0.0, 0.0))
    joint = Joint(
        "j", "hinge", child="bar", parent="base", axis=(0, -1, 0), upper=UPPER, lower=LOWER
    )
    simulator = Simulator(Scene(bodies=[BAR, base], joints=[joint], gravity=(0, 0, 0)), dt=1 / 60)
    simulator.push("bar", (0, 0, 0), (0, -1e4, 0))
    simulator.push("base", (0, 0, 0), (0, 1e4, 0))
    for _ in range(60):
        assert simulator.step().status in (0, TURNED_FAR) and overrun(simulator) < 1e-4


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("dt", STEPS)
def test_a_winch_pulls_a_jib_against_its_stop(dt: float, stepper: str) -> None:
    """With a stretched rope and no limit but that: the stop holds while the tension grows to half a
    meganewton."""
    rope = Cable(
        "r",
        [Drum("world", (-1, 0, 4)), Anchor("bar", (2, 0, 0))],
        ea=1e6,
        damping_ratio=0.05,
        winch=Winch("w", 10.0),
    )
    drive = Drive("d", on="w", target=-0.5, max_acceleration=0.5)
    simulator = Simulator(stopped("hinge", cables=[rope], drives=[drive]), dt=dt, stepper=stepper)
    most = 0.0
    for _ in range(100):
        assert simulator.step(round(0.1 / dt)).status == 0
        assert overrun(simulator) < 1e-4
        most = max(most, simulator.observe().cable("r").tension)
    assert most > 3e5


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("kind", ["hinge", "prismatic"])
@pytest.mark.parametrize(
    "fields", [{"mode": "position", "target": LOWER}, {"target": 0.0}, {"brake_effort": 1e9}]
)
def test_a_stop_may_repeat_what_a_drive_says(fields: dict, kind: str, stepper: str) -> None:
    """The bar is let down on its stop, and then held there by an ideal drive as well, or a brake:
    all is well."""
    scene = stopped(kind, drives=[Drive("d", on="j", max_effort=1e9, **fields)])
    simulator = Simulator(scene, dt=1e-3, stepper=stepper)
    simulator.command("d", LOWER, "position")
    simulator.step(3000)
    simulator.command(
        "d", fields.get("target", 0.0), fields.get("mode", "speed"), brake="brake_effort" in fields
    )
    for _ in range(100):
        assert simulator.step(10).status == 0
        assert abs(overrun(simulator)) < 1e-4
    assert abs(simulator.observe().joint("j").velocity) < 1e-6


def test_an_ideal_drive_beyond_a_stop_is_told_of() -> None:
    """Nothing limits its effort, so that it goes on: two rigid constraints contradict each
    other."""
    simulator = Simulator(stopped("hinge", drives=[Drive("d", on="j", target=0.5)]))
    flags = 0
    while overrun(simulator) < 2e-3:
        flags |= simulator.step().status
    assert flags & LOST_PIVOT and "contradict" in explain(flags)
    assert simulator.time == pytest.approx(UPPER / 0.5, abs=0.01)
