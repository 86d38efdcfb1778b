"""Trajectories in this process: what is refused, what is commanded, and how they end."""

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from builtin_interfaces.msg import Duration, Time
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.ros.command.command_sources import Sender
from cable_sim.ros.command.trajectories import Code, Outcome, TrajectoryError, TrajectoryFollower
from cable_sim.ros.command.trajectory_messages import FIELDS, read_goal, read_trajectory

JOINTS = ["slewing", "trolley", "hoist"]
ME = Sender("test", b"")
SECOND = 1_000_000_000


@pytest.fixture(scope="module")
def shared():
    """One machine, which every test resets."""
    return Machine(load_crane("tower_12t"))


@pytest.fixture
def machine(shared):
    shared.reset()
    return shared


def message(joints, *points, stamp=0):
    """A trajectory through (time [s], positions, velocities, accelerations) or less."""
    made = JointTrajectory(joint_names=joints)
    made.header.stamp = Time(sec=stamp // SECOND, nanosec=stamp % SECOND)
    for time, *values in points:
        point = JointTrajectoryPoint(
            time_from_start=Duration(sec=int(time), nanosec=round(time % 1 * SECOND))
        )
        for field, numbers in zip(FIELDS, values, strict=False):
            setattr(point, field, [float(number) for number in numbers])
        made.points.append(point)
    return made


def read(machine, *given, stamp=0, **others):
    """The same, read for the machine's crane."""
    return read_trajectory(message(*given, stamp=stamp), machine.crane, ME)._replace(**others)


def places(machine, joints=JOINTS):
    """Present coordinates."""
    return np.array([machine.axis_state(machine.seen, name).position for name in joints])


def outcome(machine, trajectory, meanwhile=lambda follower: None):
    """Follow a trajectory to its end."""
    follower = TrajectoryFollower(lambda stamp: 1e-9 * stamp)
    follower.begin(trajectory, machine)
    for _ in range(10000):
        meanwhile(follower)
        follower.follow(machine)
        if trajectory.outcome.done():
            return trajectory.outcome.result()
        machine.tick()
    pytest.fail("the trajectory did not end")


def trip(machine, time=20.0, way=(0.2, 6.0, -5.0)):
    """A quintic from rest to rest of all three motions."""
    there = places(machine) + way
    still = np.zeros(3)
    return read(machine, JOINTS, (time, there, still, still)), there


def test_slewing_trolley_and_hoist_track_a_quintic_together(machine):
    given, there = trip(machine)
    errors = []
    given = given._replace(told=lambda _, desired, actual: errors.append(actual[0] - desired[0]))
    assert outcome(machine, given) == Outcome(Code.SUCCESSFUL, "")
    assert machine.time == pytest.approx(20.0, abs=0.011)
    assert places(machine) == pytest.approx(there, abs=2e-3)
    assert len(errors) > 300 and np.abs(errors).max() < 5e-3


def test_the_commanded_speed_is_that_of_a_hand_computed_spline(machine):
    """Cubic from rest: x = 3 d r^2 - 2 d r^3, r = t / T; the lag ahead, and the error drawn in."""
    start = places(machine, ["trolley"])[0]
    given = read(machine, ["trolley"], (10.0, [start + 3.0], [0.0]))
    commands, seen = [], []

    def note(follower):
        commands.append(machine.orders["trolley"].value)
        seen.append(places(machine, ["trolley"])[0] - start)

    outcome(machine, given, note)
    lag = machine.crane.lag("trolley")
    for i in range(990):
        r, h = i / 1000.0, 0.001
        way = 3.0 * (3 * r**2 - 2 * r**3)
        mean = (3.0 * (3 * (r + h) ** 2 - 2 * (r + h) ** 3) - way) / 0.01
        ahead = mean + lag * 3.0 * (6 - 12 * (r + 0.5 * h)) / 100.0
        assert commands[i + 1] == pytest.approx(ahead + (way - seen[i]) / (4 * 0.25), abs=1e-9)
    assert lag < 0.25 and lag * 3.0 * 6 / 100.0 > 0.03


def test_a_trajectory_begins_at_the_present_state(machine):
    """Points that are past are left out; the spline goes on from where the trolley is."""
    start = places(machine, ["trolley"])[0]
    machine.tick(200)
    points = (1.0, [start + 50.0 - 48.0]), (12.0, [start + 2.0])
    given = read(machine, ["trolley"], *points, stamp=SECOND // 1000)
    seen = []
    given = given._replace(told=lambda time, desired, _: seen.append((time, desired[0, 0])))
    outcome(machine, given)
    assert seen[0] == pytest.approx((1.999, start), abs=1e-3)


def test_a_stamp_ahead_stretches_the_first_segment(machine):
    start = places(machine, ["trolley"])[0]
    given = read(machine, ["trolley"], (5.0, [start + 2.0], [0.0]), stamp=3 * SECOND)
    assert outcome(machine, given).code == Code.SUCCESSFUL
    assert machine.time == pytest.approx(8.0, abs=0.011)


NAN = float("nan")
WRONG = {
    "no joints": ([], [], Code.INVALID_JOINTS, "slewing trolley hoist"),
    "unknown joint": (["boom"], [(5.0, [1.0])], Code.INVALID_JOINTS, "'boom'"),
    "duplicate": (["trolley"] * 2, [(5.0, [30.0, 30.0])], Code.INVALID_JOINTS, "duplicate"),
    "no points": (["trolley"], [], Code.INVALID_GOAL, "points"),
    "descending": (["trolley"], [(5.0, [30.0]), (4.0, [31.0])], Code.INVALID_GOAL, "ascend"),
    "length": (["trolley"], [(5.0, [30.0, 3.0])], Code.INVALID_GOAL, "2 positions 1 joints"),
    "not finite": (["trolley"], [(5.0, [NAN])], Code.INVALID_GOAL, "nan"),
    "beyond": (["trolley"], [(99.0, [200.0])], Code.INVALID_GOAL, "200 m outside 2.8 69.5"),
    "moving end": (["trolley"], [(9.0, [25.0], [0.5])], Code.INVALID_GOAL, "0"),
    "mixed": (["trolley"], [(5.0, [21.0]), (9.0, [22.0], [0.0])], Code.INVALID_GOAL, "all points"),
    "no speed": (["trolley"], [(9.0, [], [0.0])], Code.INVALID_GOAL, "0 positions"),
    "too fast": (["trolley"], [(2.0, [30.0])], Code.INVALID_GOAL, "5 m/s 2 s 1.333"),
    "at once": (["trolley"], [(0.0, [20.0])], Code.INVALID_GOAL, "ahead"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_can_not_be_followed_is_refused_with_code_and_cause(machine, wrong):
    joints, points, code, words = WRONG[wrong]
    with pytest.raises(TrajectoryError) as error:
        outcome(machine, read(machine, joints, *points))
    assert error.value.code == code and naming(words).search(str(error.value))


def test_a_trajectory_of_the_past_has_an_old_stamp(machine):
    machine.tick(500)
    given = read(machine, ["trolley"], (1.0, [20.0]), stamp=2 * SECOND)
    with pytest.raises(TrajectoryError, match="2.000 s past") as error:
        outcome(machine, given)
    assert error.value.code == Code.OLD_HEADER_TIMESTAMP


def test_a_joint_off_its_path_ends_the_trajectory_and_brakes(machine):
    """The trolley can't reach the line's speed at once."""
    start = places(machine, ["trolley"])[0]
    path = np.array([[0.05], [np.inf]])
    given = read(machine, ["trolley"], (5.0, [start + 5.0]), path=path)
    found = outcome(machine, given)
    assert found.code == Code.PATH_TOLERANCE_VIOLATED
    assert naming("position joint 'trolley'").search(found.sentence) and naming("0.05").search(
        found.sentence
    )
    assert machine.orders["trolley"].brake


def test_a_joint_short_of_its_goal_is_told_after_the_time(machine):
    machine.faults.inject(fault("drive_trip", "trolley"))
    given = read(machine, ["trolley"], (2.0, [22.0]), goal_time=1.0)
    found = outcome(machine, given)
    assert found.code == Code.GOAL_TOLERANCE_VIOLATED and machine.time == pytest.approx(3.01)
    assert naming("0.01 1 s after last point").search(found.sentence)


def fault(kind, target):
    """A fault from now on."""
    from cable_sim.machine.faults import Fault

    return Fault(kind, target)


ENDS = {
    "emergency stop": (lambda machine: machine.emergency_stop(True), "emergency stop engaged"),
    "dead man": (lambda machine: machine.enable(False), "dead-man control released"),
    "a command": (lambda machine: machine.command("hoist", 0.1), "another command hoist"),
    "a brake": (lambda machine: machine.command("hoist", 0.0, brake=True), "hoist"),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_stop_or_another_command_ends_a_trajectory(machine, how):
    act, words = ENDS[how]
    given, _ = trip(machine)

    def late(_):
        if machine.time == pytest.approx(3.0):
            act(machine)

    found = outcome(machine, given, late)
    assert found.code == Code.PATH_TOLERANCE_VIOLATED and naming(words).search(found.sentence)
    assert machine.time == pytest.approx(3.0)
    if how == "a command":
        brakes = {name: order.brake for name, order in machine.orders.items()}
        assert brakes == {"slewing": True, "trolley": True, "hoist": False}


def test_no_trajectory_begins_while_the_crane_is_stopped(machine):
    machine.emergency_stop(True)
    with pytest.raises(TrajectoryError, match=naming("emergency stop engaged")):
        outcome(machine, trip(machine)[0])
    machine.emergency_stop(False)
    machine.command("trolley", 0.0)
    with pytest.raises(TrajectoryError, match=naming("hoist slewing command zero")):
        outcome(machine, trip(machine)[0])
    machine.reset_latches()
    assert outcome(machine, trip(machine)[0]).code == Code.SUCCESSFUL


def test_a_cancelled_trajectory_brakes_the_axes(machine):
    given, _ = trip(machine)
    given = given._replace(cancelled=lambda: "cancelled" if machine.time > 5.0 else "")
    found = outcome(machine, given)
    assert found.sentence.endswith("cancelled") and machine.time == pytest.approx(5.01)
    machine.tick(500)
    for name in JOINTS:
        assert machine.orders[name].brake
        assert abs(machine.axis_state(machine.seen, name).velocity) < 1e-3


def test_a_new_trajectory_takes_over_and_a_wrong_one_does_not(machine):
    first, _ = trip(machine)
    start = places(machine, ["trolley"])[0]
    second = read(machine, ["trolley"], (6.0, [start + 1.0], [0.0]))
    wrong = read(machine, ["trolley"], (0.5, [start + 9.0], [0.0]))

    def late(follower):
        if machine.time == pytest.approx(3.0) and not first.outcome.done():
            with pytest.raises(TrajectoryError):
                follower.begin(wrong, machine)
            assert not first.outcome.done()
            follower.begin(second, machine)
            brakes = {name: order.brake for name, order in machine.orders.items()}
            assert brakes == {"slewing": True, "trolley": False, "hoist": True}

    found = outcome(machine, first, late)
    assert found.code == Code.INVALID_GOAL and "another" in found.sentence


def test_a_sender_that_is_not_obeyed_is_told_so(machine):
    follower = TrajectoryFollower(lambda stamp: 1e-9 * stamp)
    follower.obeys = lambda axis, sender: axis != "trolley" or sender != ME
    given, _ = trip(machine)
    follower.begin(given, machine)
    follower.follow(machine)
    assert naming("command_source command trolley").search(given.outcome.result(5.0).sentence)


class Goal:
    """A goal of the action as far as it is read, where control_msgs is not installed, too."""

    def __init__(self, trajectory, path=(), goal=(), seconds=0):
        self.trajectory, self.path_tolerance, self.goal_tolerance = trajectory, path, goal
        self.goal_time_tolerance = Duration(sec=seconds)
        self.multi_dof_trajectory = JointTrajectory()


class Tolerance:
    def __init__(self, name, position=0.0, velocity=0.0, acceleration=0.0):
        self.name, self.position, self.velocity = name, position, velocity
        self.acceleration = acceleration


def test_tolerances_of_a_goal_replace_the_usual_ones(machine):
    made = message(["trolley", "hoist"], (5.0, [21.0, 50.0]))
    path, goal = [Tolerance("hoist", 0.2, 0.1)], [Tolerance("trolley", -1.0), Tolerance("hoist")]
    read = read_goal(Goal(made, path, goal, 2), machine.crane, ME)
    np.testing.assert_array_equal(read.path, [[np.inf, 0.2], [np.inf, 0.1]])
    np.testing.assert_array_equal(read.goal, [[np.inf, 0.01], [np.inf, np.inf]])
    assert read.goal_time == 2.0


@pytest.mark.parametrize(
    ("tolerance", "code", "words"),
    [
        (Tolerance("boom", 1.0), Code.INVALID_JOINTS, "'boom'"),
        (Tolerance("trolley", -0.5), Code.INVALID_GOAL, "-0.5"),
        (Tolerance("trolley", NAN), Code.INVALID_GOAL, "nan"),
        (Tolerance("trolley", acceleration=1.0), Code.INVALID_GOAL, "accelerations"),
    ],
)
def test_a_wrong_tolerance_is_refused(machine, tolerance, code, words):
    made = message(["trolley"], (5.0, [21.0]))
    with pytest.raises(TrajectoryError) as error:
        read_goal(Goal(made, [tolerance]), machine.crane, ME)
    assert error.value.code == code and words in str(error.value)
