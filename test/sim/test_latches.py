"""Joints that lock and unlock while the scene runs, and slides that are turned."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Body, Box, Drive, Joint, Scene, Simulator
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.records.arrays import arrays_by_name, arrays_of

CUBE = Box(1.0, 1.0, 1.0)
DT = 1e-3


def stacked(apart: float = 0.0, turned: float = 0.0, **options) -> Scene:
    """A box below a spreader that slides along z; the twistlocks join them where they touch."""
    quaternion = (math.cos(turned / 2), 0.0, 0.0, math.sin(turned / 2))
    bodies = [
        Body("spreader", 500.0, shape=CUBE, position=(0, 0, 5.0)),
        Body("box", 1000.0, shape=CUBE, position=(0, 0, 4.0 - apart), orientation=quaternion),
    ]
    joints = [
        Joint("mast", "prismatic", "spreader", point=(0, 0, 5.0)),
        Joint("twistlocks", "fixed", "box", "spreader", point=(0, 0, 4.5), **options),
    ]
    drives = [Drive("hoist", "mast")]
    return Scene(bodies=bodies, joints=joints, drives=drives)


def height(simulator: Simulator, body: str) -> float:
    return float(simulator.observe().body(body).position[2])


def test_unlocked_box_falls_freely() -> None:
    """Locked it stands; let go, v = -g t to rounding from then on, and the joint gives no force."""
    simulator = Simulator(stacked())
    simulator.step(100)
    assert height(simulator, "box") == pytest.approx(4.0, abs=1e-9)
    assert simulator.observe().joint("twistlocks").force[2] == pytest.approx(9810.0, rel=1e-9)
    simulator.unlock("twistlocks")
    simulator.step(100)
    seen = simulator.observe()
    assert seen.body("box").velocity[2] == pytest.approx(-9.81 * 0.1, rel=1e-9)
    np.testing.assert_array_equal(seen.joint("twistlocks").force, 0.0)


def test_latching_a_moving_box_conserves_momentum() -> None:
    """Two free bodies, one moving, latched: the common velocity of an inelastic impact, and they go
    on together.

    In the step of the impact the relative velocity goes evenly to zero.
    """
    bodies = [
        Body("a", 3.0, shape=CUBE),
        Body("b", 1.0, shape=CUBE, position=(1, 0, 0), velocity=(0.4, 0, 0)),
    ]
    joint = Joint("lock", "fixed", "b", "a", point=(0.5, 0, 0), open=True)
    simulator = Simulator(Scene(bodies=bodies, joints=[joint], gravity=(0, 0, 0)))
    simulator.step(500)
    simulator.lock("lock")
    simulator.step(2000)
    seen = simulator.observe()
    np.testing.assert_allclose(seen.body_velocity[:, 0], 0.1, rtol=1e-9)
    apart = 1.0 + 0.4 * (0.5 + 0.5 * DT)
    assert seen.body_position[1, 0] - seen.body_position[0, 0] == pytest.approx(apart, abs=1e-9)


def test_locks_where_it_stands_within_reach_only() -> None:
    """0.03 m and 0.02 rad off: refused by a smaller reach or angle, with both; then held as it
    is."""
    simulator = Simulator(stacked(apart=0.03, turned=0.02, open=True, seat=(0, 0, 0.5)))
    simulator.push("box", (0, 0, 9810.0))
    with pytest.raises(CommandError, match=naming("lock 'twistlocks' bodies 0.03 m reach 0.02")):
        simulator.lock("twistlocks", reach=0.02)
    simulator.step(50)
    assert height(simulator, "box") == pytest.approx(3.97, abs=1e-9)
    simulator.lock("twistlocks", reach=0.031)
    simulator.push("box")
    simulator.step(200)
    assert height(simulator, "box") == pytest.approx(3.97, abs=1e-6)


def test_angle_is_that_to_the_pose_of_the_scene() -> None:
    """Turned by 0.3 rad after it was let go, the box fits no better than that."""
    simulator = Simulator(stacked())
    simulator.unlock("twistlocks")
    simulator.push("box", (0, 0, 9810.0))
    simulator._state.bodies.velocity[2, 5] = 0.6
    simulator.step(500)
    with pytest.raises(CommandError, match=r"are 0\.3 rad .* angle allows 0\.29 rad"):
        simulator.lock("twistlocks", angle=0.29)
    simulator.lock("twistlocks", angle=0.31)
    with pytest.raises(CommandError, match=naming("'twistlocks' locked")):
        simulator.lock("twistlocks")


@pytest.mark.parametrize("kind", ["hinge", "prismatic"])
def test_coordinate_goes_on_where_a_joint_is_latched(kind: str) -> None:
    """The child moves on while the joint is open; latched, the coordinate reads what it read, and
    is free again."""
    body = Body("child", 2.0, shape=CUBE, velocity=(0, 0, 0.5), angular_velocity=(0, 0, 0.5))
    joint = Joint("j", kind, "child", position=0.2, open=True)
    simulator = Simulator(Scene(bodies=[body], joints=[joint], gravity=(0, 0, 0)))
    simulator.step(1000)
    before = simulator.observe().joint("j").position
    assert before == pytest.approx(0.7, abs=1e-9)
    simulator.lock("j")
    simulator.step(1000)
    assert simulator.observe().joint("j").position == pytest.approx(1.2, abs=1e-6)
    moved = simulator.observe().body("child")
    held = moved.velocity[2] if kind == "hinge" else moved.angular_velocity[2]
    assert held == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("solver", ["envelope", "sparse"])
def test_snapshot_restores_what_is_locked(solver: str) -> None:
    simulator = Simulator(stacked(), solver=solver)
    simulator.step(10)
    snapshot = simulator.save()
    simulator.unlock("twistlocks")
    simulator.step(200)
    fallen = height(simulator, "box")
    simulator.restore(snapshot)
    simulator.step(200)
    assert height(simulator, "box") == pytest.approx(4.0, abs=1e-9)
    simulator.restore(snapshot)
    simulator.unlock("twistlocks")
    simulator.step(200)
    assert height(simulator, "box") == fallen < 3.9


def test_an_open_joint_leaves_nothing_in_the_workspace() -> None:
    """Scratch filled with nonsense before every step changes nothing, nor what the open joint
    reads."""
    ends = []
    for spoiled in (False, True):
        simulator = Simulator(stacked(open=True))
        for _ in range(20):
            for field, array in arrays_by_name(simulator._work).items():
                if spoiled and field != "bodies.inverse_inertia":
                    array[...] = np.nan if array.dtype == np.float64 else 1
            simulator.step()
            seen = simulator.observe()
        np.testing.assert_array_equal(seen.joint("twistlocks").force, 0.0)
        ends.append([array.tobytes() for array in arrays_of(simulator.save().state)])
    assert ends[0] == ends[1]


def test_turned_wheels_go_along_the_new_axis() -> None:
    """A portal goes 2 m along y, stops, is turned and goes 3 m along x; the coordinate counts all
    of its way.

    Half of the step in which a speed comes is lost, and half of that in which it goes gained.
    """
    joint = Joint("gantry", "prismatic", "portal", axis=(0, 1, 0), position=1.0)
    scene = Scene(
        bodies=[Body("portal", 1e5, shape=CUBE)],
        joints=[joint],
        drives=[Drive("travel", "gantry", target=2.0)],
    )
    simulator = Simulator(scene)
    simulator.step(1000)
    with pytest.raises(CommandError, match=naming("turn_axis 'gantry' 2 m/s stop first")):
        simulator.turn_axis("gantry", (1, 0, 0))
    simulator.command("travel", 0.0)
    simulator.step(10)
    simulator.turn_axis("gantry", (1, 0, 0))
    simulator.command("travel", 3.0)
    simulator.step(1000)
    seen = simulator.observe()
    along = 3.0 * (1.0 - 0.5 * DT)
    np.testing.assert_allclose(seen.body("portal").position, (along, 2.0, 0.0), atol=1e-9)
    assert seen.joint("gantry").position == pytest.approx(1.0 + 2.0 + along, abs=1e-9)


def test_what_can_not_be_switched_is_refused() -> None:
    simulator = Simulator(stacked())
    with pytest.raises(CommandError, match=naming("unlock 'mast' drive 'hoist'")):
        simulator.unlock("mast")
    with pytest.raises(CommandError, match=naming("prismatic joint world")):
        simulator.turn_axis("twistlocks", (1, 0, 0))
    with pytest.raises(CommandError, match=naming("turn_axis 'mast' direction")):
        simulator.turn_axis("mast", (0, 0, 0))
    with pytest.raises(SpecError, match=naming("'lock' mast twistlocks")):
        simulator.lock("lock")
    simulator.unlock("twistlocks")
    with pytest.raises(CommandError, match=naming("unlock 'twistlocks' open")):
        simulator.unlock("twistlocks")
    with pytest.raises(CommandError, match=naming("reach -1")):
        simulator.lock("twistlocks", reach=-1)


def test_joints_that_start_open_are_checked() -> None:
    with pytest.raises(SpecError, match=naming("open drive")):
        dataclasses.replace(stacked(), joints=[Joint("mast", "prismatic", "spreader", open=True)])
    with pytest.raises(SpecError, match=naming("seat fixed ball joint open")):
        Joint("j", "fixed", "a", seat=(0, 0, 0))
