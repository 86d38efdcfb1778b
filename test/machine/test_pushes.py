"""Forces from outside: what they do to a body that falls, how long, in whose axes, and which are
refused."""

import math

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import quat2mat

from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError
from cable_sim.machine.external_wrenches import Push
from cable_sim.machine.machine import Machine
from cable_sim.model.basis.bodies import inertia_of

MASS = 4000.0


@pytest.fixture
def falling() -> Machine:
    """The tower's load, high up, let go: nothing but pushes and its weight act on it."""
    machine = Machine(load_crane("tower_12t", {"rig.start.state": "hanging"}), command_timeout=0.5)
    machine.let_go()
    machine.tick()
    return machine


def motion(machine: Machine) -> tuple:
    """Velocity, angular velocity and attitude of the load."""
    body = machine.observe().body("load")
    return np.array(body.velocity), np.array(body.angular_velocity), quat2mat(body.orientation)


def test_a_force_adds_momentum_until_it_is_not_renewed(falling: Machine) -> None:
    before = motion(falling)[0]
    falling.pushes.give(Push("load", (8000.0, -4000.0, 0.0), (0.0, 0.0, 0.0)), falling.time)
    for _ in range(100):
        falling.tick()
    gained = motion(falling)[0] - before
    # 0.51 s: at 0.5 s it is not yet too old, and ticks are 10 ms; the air takes less than 0.3 per
    # cent
    assert gained[:2] * MASS == pytest.approx([8000.0 * 0.51, -4000.0 * 0.51], rel=3e-3)
    assert gained[2] == pytest.approx(-9.80665 * 1.0, rel=1e-2)
    assert falling.pushes.acting == {}


def test_a_new_push_takes_the_place_of_the_one_before(falling: Machine) -> None:
    for force in (4000.0, -4000.0):
        before = motion(falling)[0]
        falling.pushes.give(Push("load", (force, 0.0, 0.0), (0.0, 0.0, 0.0)), falling.time)
        for _ in range(10):
            falling.tick()
        assert (motion(falling)[0] - before)[0] * MASS == pytest.approx(force * 0.1, rel=1e-3)


def test_the_bodys_own_axes_turn_with_it(falling: Machine) -> None:
    """Turned by 90 degrees, what pushes along the body's x pushes along the world's y."""
    inertia = inertia_of(next(b for b in falling.crane.scene.bodies if b.name == "load"))[2, 2]
    falling.pushes.give(Push("load", (0.0, 0.0, 0.0), (0.0, 0.0, 20e3)), falling.time)
    for _ in range(20):
        falling.tick()
    assert motion(falling)[1][2] == pytest.approx(20e3 * 0.2 / inertia, rel=1e-3)
    falling.pushes.give(Push("load", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), falling.time)
    for _ in range(80):
        turned, before = motion(falling)[2], motion(falling)[0]
        falling.pushes.give(
            Push("load", (4000.0, 0.0, 0.0), (0.0, 0.0, 0.0), own=True), falling.time
        )
        falling.tick()
        gained = motion(falling)[0] - before
        assert gained[:2] == pytest.approx(turned[:2, 0] * 1.0 * falling.tick_time, abs=1e-4)
    assert turned[0, 0] < 0.5  # it has turned meanwhile


def test_a_snapshot_has_the_push_and_a_reset_has_none(falling: Machine) -> None:
    falling.pushes.give(Push("load", (8000.0, 0.0, 0.0), (0.0, 0.0, 100.0), own=True), falling.time)
    falling.tick()
    saved = falling.save()
    after = [falling.tick().body_position.tobytes() for _ in range(80)]
    falling.restore(saved)
    assert [falling.tick().body_position.tobytes() for _ in range(80)] == after
    falling.restore(saved)
    falling.reset()
    assert falling.pushes.acting == {}


@pytest.mark.parametrize(
    "push, words",
    [
        (Push("nobody", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), "'nobody'"),
        (Push("load", (math.nan, 0.0, 0.0), (0.0, 0.0, 0.0)), "force nan N"),
        (Push("load", (0.0, 0.0, math.inf), (0.0, 0.0, 0.0)), "force inf N"),
        (Push("load", (1e6, 0.0, 0.0), (0.0, 0.0, 0.0)), "1e+06 N outside 0 400000"),
        (Push("load", (0.0, 0.0, 0.0), (0.0, 1e9, 0.0)), "torque 1e+09 N m"),
    ],
    ids=["body", "nan", "inf", "force", "torque"],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    falling: Machine, push: Push, words: str
) -> None:
    with pytest.raises(CommandError, match=naming(words)):
        falling.pushes.give(push, falling.time)
    assert falling.pushes.acting == {}
