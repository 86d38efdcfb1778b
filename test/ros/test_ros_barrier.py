"""What lets time pass in lockstep, and what does not: commands, pauses, resets, time-outs,
parameters."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy")

from cable_sim.msg import SimStats
from diagnostic_msgs.msg import DiagnosticStatus
from std_srvs.srv import SetBool, Trigger

from cable_sim.ros import interface
from cable_sim.ros.basis.messages import nanoseconds, set_time
from cable_sim.ros.command.command_barrier import FARTHEST, Barrier
from cable_sim.ros.physics.physics_thread import LATECOMER_BEATS

PARAMETERS = {
    "crane_config": "rtg_41t",
    "lockstep": "command",
    "lockstep_timeout": 0.0,
    "real_time_factor": 0.0,
    "diagnostics_period": 0.1,
    "joystick": "true",
}
TICK = 10_000_000


ANSWER_FOR_EVER = """
import rclpy
from sensor_msgs.msg import JointState
from cable_sim.ros.interface import FEEDBACK, JOINT_COMMANDS
rclpy.init()
node = rclpy.create_node("controller")
out = node.create_publisher(JOINT_COMMANDS.type, JOINT_COMMANDS.topic, JOINT_COMMANDS.qos)
def answer(state):
    command = JointState(name=["trolley"], velocity=[0.1])
    command.header.stamp = state.header.stamp
    out.publish(command)
node.create_subscription(FEEDBACK.type, FEEDBACK.topic, answer, FEEDBACK.qos)
rclpy.spin(node)
"""


@pytest.fixture(autouse=True)
def _fresh_start(node, probe):
    """Every test begins at a state that nobody has answered."""
    probe.change(lockstep="command", lockstep_timeout=0.0)
    assert probe.call(Trigger, "/cable_sim/reset").success
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    yield
    assert node.alive(), node.said()


def now(probe):
    """ROS time [ns], as a clock says it that came after whatever was done before."""
    return nanoseconds(probe.fresh(interface.CLOCK, 2).clock)


def send(probe, stamp, endpoint=interface.JOINT_COMMANDS, **fields):
    """Publish a command with a stamp [ns]."""
    publisher, message = probe.publisher(endpoint), endpoint.type(**fields)
    set_time(message.header.stamp, stamp)
    publisher.publish(message)


def until_time(probe, wanted):
    """Wait until ROS time is that, and see that it stays there for some beats of the clock."""
    clocks = probe.messages["/clock"]
    probe.until(lambda: nanoseconds(clocks[-1].clock) >= wanted, f"{wanted} ns")
    assert now(probe) == wanted


def until_stats(probe, status, *words):
    """The statistics with that status and these words."""
    got = probe.messages.get("sim_stats") or probe.listen(interface.SIM_STATS)
    return probe.until(
        lambda: (
            got
            and got[-1].status == status
            and all(word in got[-1].status_text for word in words)
            and got[-1]
        ),
        f"sim_stats {status} {words}",
    )


@pytest.mark.parametrize(
    "endpoint, fields",
    [
        (interface.JOINT_COMMANDS, {"name": ["trolley"], "velocity": [0.1]}),
        (interface.JOINT_COMMANDS, {"name": ["trolley"], "velocity": [float("nan")]}),
        (interface.JOINT_COMMANDS, {}),
        (interface.axis_command("hoist"), {"value": 0.1, "enable": True}),
        (interface.CMD_VEL, {}),
    ],
    ids=["joints", "nan", "empty", "axis", "cmd_vel"],
)
def test_each_kind_of_command_that_is_stamped_lets_one_tick_pass(node, probe, endpoint, fields):
    begin = now(probe)
    for count in (1, 2):
        send(probe, begin + (count - 1) * TICK, endpoint, **fields)
        until_time(probe, begin + count * TICK)


def test_a_state_is_told_again_until_it_is_answered(node, probe):
    """A controller's first answer may be lost, because the node has not heard of its publisher
    yet."""
    heard = probe.messages.get("feedback") or probe.listen(interface.FEEDBACK)
    begin = now(probe)
    for count in (0, 1):
        stamp = begin + count * TICK
        again = [m for m in heard if nanoseconds(m.header.stamp) == stamp]
        enough = len(again) + LATECOMER_BEATS + 5  # more often than latecomers are thought of
        probe.until(
            lambda: sum(nanoseconds(m.header.stamp) == stamp for m in heard) >= enough,  # noqa: B023
            f"{stamp} ns again",
        )
        send(probe, stamp)
        until_time(probe, stamp + TICK)
    assert all(m == heard[-1] for m in heard if m.header.stamp == heard[-1].header.stamp)


def test_a_stamp_ahead_lets_time_pass_until_the_tick_after_it(node, probe):
    begin = now(probe)
    send(probe, begin + 4 * TICK)
    until_time(probe, begin + 5 * TICK)


@pytest.mark.parametrize("stamp", [0, -TICK, FARTHEST + 10 * TICK], ids=["none", "old", "wall"])
def test_a_command_not_stamped_for_now_is_obeyed_without_a_tick(node, probe, stamp):
    begin = now(probe)
    send(probe, begin + stamp if stamp else 0, name=["trolley"], velocity=[99.0])
    got = probe.listen(interface.SIM_STATS)
    probe.until(lambda: got and got[-1].clamped_commands == 1, "that it was taken")
    assert now(probe) == begin
    until_stats(probe, SimStats.RUNNING, "waiting for a command", f"{begin * 1e-9:.3f} s")


def counted(probe, kind):
    """How many messages of a kind the diagnostics count."""
    message = probe.fresh(interface.DIAGNOSTICS)
    found = {
        pair.key: pair.value
        for s in message.status
        if s.name.endswith(": commands")
        for pair in s.values
    }
    return int(found[kind])


@pytest.mark.parametrize(
    "endpoint, fields, kind",
    [
        (
            interface.JOINT_COMMANDS,
            {"name": ["trolley", "nonsense"], "velocity": [1.0, 1.0]},
            "rejected",
        ),
        (interface.JOINT_COMMANDS, {"name": ["trolley", "trim"], "effort": [1.0, 1.0]}, "rejected"),
        (interface.WIND_COMMAND, {}, "taken"),
        (interface.EXTERNAL_WRENCH, {}, "taken"),
        (interface.JOY, {"axes": [0.0] * 5, "buttons": [1]}, "taken"),
    ],
    ids=["unreadable", "refused by the machine", "wind", "wrench", "pad"],
)
def test_what_is_refused_or_is_no_command_lets_no_time_pass(node, probe, endpoint, fields, kind):
    begin = now(probe)
    send(probe, begin, endpoint, **fields)
    probe.until(lambda: counted(probe, kind), f"that it is {kind}")
    assert now(probe) == begin
    send(probe, begin)
    until_time(probe, begin + TICK)


def test_a_pause_holds_the_answer_back(node, probe):
    begin = now(probe)
    assert probe.call(SetBool, "/cable_sim/pause", data=True).success
    send(probe, begin)
    assert now(probe) == begin
    assert probe.call(Trigger, "/cable_sim/step").success  # by hand, asking nobody
    until_time(probe, begin + TICK)
    send(probe, begin + TICK)
    assert now(probe) == begin + TICK
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    until_time(probe, begin + 2 * TICK)


def test_a_reset_forgets_answers(node, probe):
    begin = now(probe)
    assert probe.call(SetBool, "/cable_sim/pause", data=True).success
    send(probe, begin + 50 * TICK)
    assert now(probe) == begin
    assert probe.call(Trigger, "/cable_sim/reset").success
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    until_time(probe, begin + TICK)  # which is the reset's


def test_lockstep_times_out_only_after_a_first_command(node, probe):
    probe.change(lockstep_timeout=0.2)
    until_stats(probe, SimStats.RUNNING, "waiting")
    (
        now(probe),
        now(probe),
        now(probe),
    )  # the clock of a standing time comes at 10 Hz: longer than the time-out
    begin = now(probe)
    assert until_stats(probe, SimStats.RUNNING, "waiting")
    send(probe, begin)
    told = until_stats(probe, SimStats.PAUSED, "within 0.2 s", f"{(begin + TICK) * 1e-9:.3f} s")
    assert nanoseconds(told.header.stamp) == begin + TICK
    got = probe.listen(interface.DIAGNOSTICS)
    (run,) = probe.until(
        lambda: [
            s
            for m in got
            for s in m.status
            if s.name.endswith(": run") and s.level == DiagnosticStatus.WARN
        ],
        "a warning",
    )[:1]
    assert "within" in run.message
    counted = {
        pair.key: pair.value
        for s in got[-1].status
        if s.name.endswith(": commands")
        for pair in s.values
    }
    assert counted["lockstep timeouts"] == "1"
    send(probe, begin + TICK)  # too late: somebody has to say that it goes on
    assert now(probe) == begin + TICK
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    until_time(probe, begin + 2 * TICK)


def test_service_lockstep_ticks_by_steps_and_off_runs_freely(node, probe):
    probe.change(lockstep="service")
    answer = probe.call(SetBool, "/cable_sim/pause", data=False)
    assert not answer.success and "~/step" in answer.message
    begin = now(probe)
    send(probe, begin)
    assert now(probe) == begin
    assert probe.call(Trigger, "/cable_sim/step").success
    until_time(probe, begin + TICK)
    probe.change(lockstep="off")
    assert now(probe) == begin + TICK
    assert probe.call(SetBool, "/cable_sim/pause", data=False).success
    probe.until(lambda: now(probe) > begin + 10 * TICK, "that time runs")


def test_the_barrier_alone():
    """Its rule and its deadline, against what they are said to be."""
    time = [0.0]
    barrier = Barrier(SimpleNamespace(lockstep="command", lockstep_timeout=2.0), lambda: time[0])
    assert not barrier.is_open(0) and barrier.deadline == float("inf")
    for stamp, present, opens in [
        (0, 0, True),
        (9, 10, False),
        (10, 10, True),
        (FARTHEST + 11, 10, False),
    ]:
        barrier.forget()
        notice = barrier.answer(stamp, present)
        assert barrier.is_open(present) is opens and bool(notice) is (stamp > FARTHEST), (
            stamp,
            present,
        )
    assert barrier.answer(FARTHEST + 11, 10) == ""  # said once
    time[0] = 7.0
    barrier.answer(10, 10)
    barrier.begin()
    assert barrier.deadline == 9.0
    barrier.set(SimpleNamespace(lockstep="off", lockstep_timeout=2.0))
    assert barrier.is_open(10**18)


def answered_for(probe, ticks):
    """Let a controller answer for some ticks, then kill it wherever it is."""
    clocks, begin = probe.messages["/clock"], now(probe)
    controller = subprocess.Popen([sys.executable, "-c", ANSWER_FOR_EVER])
    try:
        probe.until(lambda: nanoseconds(clocks[-1].clock) >= begin + ticks * TICK, "answers")
    finally:
        controller.kill()
        controller.wait()
    return begin


def test_a_killed_controller_leaves_time_at_a_tick(node, probe):
    """Others can step from there, and another controller can go on."""
    probe.change(lockstep_timeout=0.5)
    for _ in range(2):
        begin = answered_for(probe, 20)
        told = until_stats(probe, SimStats.PAUSED, "within 0.5 s")
        stood = nanoseconds(told.header.stamp)
        assert stood >= begin + 20 * TICK and (stood - begin) % TICK == 0
        assert now(probe) == stood
        assert probe.call(Trigger, "/cable_sim/step").success
        until_time(probe, stood + TICK)
        assert probe.call(SetBool, "/cable_sim/pause", data=False).success
