"""Time as the node makes it: paused, stepped, reset, fast; and how the node starts and ends."""

import signal
import time

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy")

from cable_sim.msg import AxisCommand, SimStats
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import SetBool, Trigger

from cable_sim.ros import interface

PARAMETERS = {
    "start_paused": "true",
    "command_timeout": 60.0,
    "diagnostics_period": 0.1,
    "lockstep": "off",  # for YAML that is false
    # as launch files give it to all alike: who makes the clock must not wait for it
    "use_sim_time": "true",
}
TICK = 10_000_000


def nanoseconds(stamp):
    """A stamp as one number."""
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def clock(probe):
    """The present simulated time [ns]."""
    return nanoseconds(probe.fresh(interface.CLOCK).clock)


def paused_at(probe):
    """The simulated time [ns] of a pause: what is told twice, for what comes first may have been on
    its way before."""
    told = [clock(probe), clock(probe)]
    while told[-1] != told[-2]:
        told.append(clock(probe))
    return told[-1]


def pause(probe, paused):
    """Pause or go on."""
    answer = probe.call(SetBool, "/cable_sim/pause", data=paused)
    assert answer.success, answer.message


def change(probe, name, value):
    """Set a number of the node's parameters."""
    made = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
    parameter = ParameterMessage(name=name, value=made)
    answer = probe.call(SetParameters, "/cable_sim/set_parameters", parameters=[parameter])
    assert answer.results[0].successful, answer.results[0].reason


def test_a_paused_start_repeats_the_clock_ten_times_a_second(node, probe):
    seen = len(probe.messages["/clock"])
    probe.until(lambda: len(probe.messages["/clock"]) >= seen + 10, "ten more")
    assert 0.05e9 < np.median(np.diff(probe.sent_at["/clock"][seen:])) < 0.5e9
    assert {nanoseconds(m.clock) for m in probe.messages["/clock"]} == {0}
    assert probe.fresh(interface.SIM_STATS).status == SimStats.PAUSED


def test_who_comes_while_time_stands_still_sees_the_state(node, probe):
    for endpoint in (
        interface.TF,
        interface.JOINT_STATES,
        interface.CABLE_MARKERS,
        interface.CABLE_STATES,
    ):
        got = probe.listen(endpoint)
        probe.until(lambda got=got: got, f"{endpoint.topic} while paused")


def test_a_step_advances_one_tick_and_answers_when_it_is_done(node, probe):
    before = paused_at(probe)
    states = probe.listen(interface.JOINT_STATES)
    for count in (1, 2, 3):
        answer = probe.call(Trigger, "/cable_sim/step")
        assert answer.success and f"{(before + count * TICK) * 1e-9:.3f} s" in answer.message
    wanted = before + 3 * TICK
    probe.until(
        lambda: states and nanoseconds(states[-1].header.stamp) == wanted,
        "the state of the third tick",
    )
    probe.until(lambda: nanoseconds(probe.messages["/clock"][-1].clock) == wanted, "its clock")


def test_in_a_pause_the_diagnostics_know_which_pace_is_asked_for(node, probe):
    change(probe, "real_time_factor", 0.7)
    reports = probe.listen(interface.DIAGNOSTICS)

    def asked():
        found = [s for s in reports[-1].status if s.name == "cable_sim: run"] if reports else []
        return found and {pair.key: pair.value for pair in found[0].values}["asked for"] == "0.7"

    probe.until(asked, "0.7 without a tick")
    change(probe, "real_time_factor", 1.0)


def test_in_slow_motion_it_tells_as_often_as_ever(node, probe):
    """A tick takes ten seconds; clock and statistics come ten times in one."""
    change(probe, "real_time_factor", 0.001)
    pause(probe, False)
    begin = clock(probe)
    assert probe.fresh(interface.SIM_STATS, 10, deadline=60.0).status == SimStats.RUNNING
    probe.fresh(interface.CLOCK, 10, deadline=60.0)
    assert clock(probe) <= begin + TICK
    pause(probe, True)
    change(probe, "real_time_factor", 1.0)


def test_a_rate_of_zero_stays_silent_in_a_pause_and_after_steps(node, probe):
    silent = {
        "joint_state_rate": interface.JOINT_STATES,
        "marker_rate": interface.CABLE_MARKERS,
        "tf_rate": interface.TF,
        "cable_state_rate": interface.CABLE_STATES,
        "sensor_rates.hook_imu": interface.HOOK_IMU,
    }
    defaults = {
        "joint_state_rate": 100.0,
        "marker_rate": 20.0,
        "tf_rate": 50.0,
        "cable_state_rate": 100.0,
        "sensor_rates.hook_imu": 100.0,
    }
    heard = {endpoint.topic: probe.listen(endpoint) for endpoint in silent.values()}
    probe.until(lambda: all(heard.values()), "all of them")
    for name in silent:
        change(probe, name, 0.0)
    probe.fresh(
        interface.CLOCK, 8
    )  # those for late comers, as which this one was taken, are through
    seen = {topic: len(got) for topic, got in heard.items()}
    assert (
        probe.call(Trigger, "/cable_sim/step").success
        and probe.call(Trigger, "/cable_sim/reset").success
    )
    probe.fresh(interface.CLOCK, 8)
    assert {topic: len(got) for topic, got in heard.items()} == seen
    for name, value in defaults.items():
        change(probe, name, value)
    assert probe.call(Trigger, "/cable_sim/step").success
    probe.until(
        lambda: all(len(got) > seen[topic] for topic, got in heard.items()), "all of them again"
    )


def test_a_step_is_refused_while_time_runs(node, probe):
    pause(probe, False)
    answer = probe.call(Trigger, "/cable_sim/step")
    assert not answer.success and "pause" in answer.message
    pause(probe, True)


def test_the_clock_never_goes_back_nor_stands_while_it_runs(node, probe):
    pause(probe, False)
    seen = len(probe.messages["/clock"])
    probe.until(lambda: len(probe.messages["/clock"]) > seen + 60, "sixty ticks")
    pause(probe, True)
    stamps = [nanoseconds(m.clock) for m in probe.messages["/clock"]]
    assert all(b >= a for a, b in zip(stamps, stamps[1:], strict=False))
    running = [
        b - a
        for a, b in zip(stamps[seen + 5 : seen + 55], stamps[seen + 6 : seen + 56], strict=True)
    ]
    assert all(step > 0 and step % TICK == 0 for step in running)
    assert (
        np.median(running) == TICK
    )  # a probe that was kept from reading for long loses some: the clock does not wait


def test_a_reset_puts_the_crane_back_and_lets_the_clock_go_on(node, probe, crane):
    states = probe.listen(interface.JOINT_STATES)
    endpoint = interface.axis_command("trolley")
    out = probe.publisher(endpoint)
    pause(probe, False)
    start = crane.details.rig.start.at["trolley"]
    probe.until(
        lambda: states and states[-1].position[1] > start + 0.02,
        "moved",
        every=lambda: out.publish(AxisCommand(value=0.5, enable=True)),
    )
    pause(probe, True)
    before = paused_at(probe)
    answer = probe.call(Trigger, "/cable_sim/reset")
    assert answer.success
    probe.until(
        lambda: nanoseconds(states[-1].header.stamp) == before + TICK, "the state after the reset"
    )
    assert states[-1].position[1] == pytest.approx(start)
    probe.until(
        lambda: nanoseconds(probe.messages["/clock"][-1].clock) == before + TICK, "its clock"
    )
    probe.until(lambda: probe.fresh(interface.SIM_STATS).ticks == 0, "counters at zero")


@pytest.mark.parametrize("factor, least, most", [(0.0, 1.3, 1e6), (2.0, 1.5, 2.5), (0.5, 0.3, 0.7)])
def test_time_runs_as_fast_as_asked_for(node, probe, factor, least, most):
    change(probe, "real_time_factor", factor)
    pause(probe, False)
    probe.fresh(interface.SIM_STATS, 2)
    probe.until(
        lambda: least < probe.fresh(interface.SIM_STATS).real_time_factor < most,
        f"{least} ... {most}",
    )
    pause(probe, True)


def test_a_slow_machine_warns_and_runs_slowly_without_a_backlog(node, probe):
    """A hundredfold real time is out of reach; once it is no longer asked for, what was missed is
    not caught up."""
    change(probe, "real_time_factor", 100.0)
    assert probe.call(Trigger, "/cable_sim/reset").success
    pause(probe, False)
    got, reports = probe.listen(interface.SIM_STATS), probe.listen(interface.DIAGNOSTICS)
    late = probe.until(
        lambda: got and got[-1].status == SimStats.LATE and got[-1], "that it is late"
    )
    assert naming("100x").search(late.status_text) and late.missed_ticks > 0
    told = probe.until(
        lambda: [
            s
            for r in reports
            for s in r.status
            if s.name == "cable_sim: run" and naming("100x").search(s.message)
        ],
        "a warning",
    )
    assert told[0].level > b"\x00"
    begin, start = time.monotonic(), clock(probe)
    assert probe.call(Trigger, "/cable_sim/reset_limiters").success  # it still answers
    stamps = [nanoseconds(m.clock) for m in probe.messages["/clock"]]
    assert all(b - a >= 0 and (b - a) % TICK == 0 for a, b in zip(stamps, stamps[1:], strict=False))
    change(probe, "real_time_factor", 0.2)
    begin, start = time.monotonic(), clock(probe)
    probe.until(lambda: clock(probe) >= start + 40 * TICK, "forty ticks")
    # beside what was due, ten ticks that were under way already, in the probe's queue
    assert clock(probe) - start < 0.2e9 * (time.monotonic() - begin) + 15 * TICK
    pause(probe, True)
    change(probe, "real_time_factor", 1.0)


def test_a_second_crane_has_own_names_and_leaves_the_clock(node, start_node, probe, crane):
    words = ("-r", "__ns:=/crane_2")
    made = start_node(*words, publish_clock="false", frame_prefix="crane_2/", publish_tf="floating")
    transforms = probe.listen(interface.TF)

    def children():
        names = {t.child_frame_id for message in transforms for t in message.transforms}
        return {name for name in names if name.startswith("crane_2/")}

    try:
        probe.until(lambda: children() or not made.alive(), "its frames", 60.0)
        # beside a robot_state_publisher: only what hangs on ropes
        assert children() == {
            f"crane_2/{crane.suspension.hook}",
            f"crane_2/{crane.suspension.load}",
        }
        probe.until(
            lambda: (
                {"/crane_2/joint_states", "/crane_2/sim_stats", "/tf"}
                <= set(probe.published("/crane_2"))
            ),
            "its topics",
        )
        names = probe.published("/crane_2")
        assert "/clock" not in names and "/joint_states" not in names
    finally:
        status = made.end()
    assert status == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_with_status_zero(node, start_node, probe, number):
    # a namespace of its own, so that nobody else's topics, nor those of the one before, pass for
    # this one's
    made = start_node("-r", f"__ns:=/ends_{number}", publish_clock="false", start_paused="true")
    topic = f"/ends_{number}/cable_sim/robot_description"
    probe.until(
        lambda: probe.node.count_publishers(topic) or not made.alive(), "the second node", 60.0
    )
    assert made.end(number) == 0, made.said()
    assert made.complaints() == []


BAD_STARTS = {
    "physics_step": ({"physics_step": 0.003}, ("physics_step", "0.003")),
    "tick_rate": ({"tick_rate": 5000.0}, ("tick_rate", "5000")),
    "tick_rate_type": ({"tick_rate": 100}, ("tick_rate", "decimal point")),
    "publish_tf": ({"publish_tf": "none"}, ("publish_tf", "all, floating")),
    "lockstep": ({"lockstep": "on"}, ("lockstep", "off, service, command")),
    "crane_config": ({"crane_config": "no_such_crane"}, ("no_such_crane", "tower_12t")),
    "world_frame": ({"world_frame": "load"}, ("world_frame", "'load'", "frame of a body")),
    "stepper": ({"stepper": "euler"}, ("euler", "spook")),
    "real_time_factor": ({"real_time_factor": ".nan"}, ("real_time_factor", "nan")),
}


@pytest.fixture(scope="module")
def bad_starts(refused_starts):
    """Status and words of each."""
    return dict(
        zip(
            BAD_STARTS,
            refused_starts([((), given) for given, _ in BAD_STARTS.values()]),
            strict=True,
        )
    )


@pytest.mark.parametrize("name", BAD_STARTS)
def test_a_bad_start_says_why_in_one_line_and_has_status_two(bad_starts, name):
    (status, said), (_, words) = bad_starts[name], BAD_STARTS[name]
    lines = said.strip().splitlines()
    assert status == 2 and len(lines) == 1 and all(word in lines[0] for word in words), lines


def test_a_crane_file_with_mistakes_is_refused_with_all_of_them(start_node, tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text("crane:\n  type: kit\n  span: wide\n  kind: 5 t\nparts: {}\n")
    made = start_node(crane_config=str(path))
    assert made.ended(60.0) == 2
    said = made.said()
    assert "crane.span" in said and "crane.kind" in said and "Traceback" not in said
