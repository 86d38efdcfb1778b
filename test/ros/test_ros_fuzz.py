"""Thousands of messages that nobody should send: each is counted as it should be, and the crane
stays a crane."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("rclpy")

from builtin_interfaces.msg import Duration, Time
from fuzzed import Oracle, strategies, trajectories
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from cable_sim.cranes import load_crane
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.machine.spawning import Loads
from cable_sim.ros.basis.pacing import ALL
from cable_sim.ros.basis.stats import Stats
from cable_sim.ros.command.command_sources import Sender
from cable_sim.ros.command.commands import CommandReader, Counts, guard_handler
from cable_sim.ros.command.joystick import Joystick
from cable_sim.ros.command.trajectories import TrajectoryError, TrajectoryFollower
from cable_sim.ros.command.trajectory_messages import read_trajectory
from cable_sim.ros.interface import axis_topic
from cable_sim.ros.physics.operations import Operations
from cable_sim.ros.physics.timeline import Timeline
from cable_sim.ros.publish.devices import DeviceTopics
from cable_sim.ros.publish.diagnostics import Diagnostics

TOPICS = (
    "joint_commands",
    "winch_command",
    "trolley_command",
    "gantry_command",
    "cmd_vel",
    "wind_command",
    "external_wrench",
    "cable_sim/inject_fault",
    "joy",
)
EACH = 500
"""Messages on each topic."""
FREELY = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.explicit, Phase.generate, Phase.shrink),
    "derandomize": True,
}


@pytest.fixture(scope="module")
def crane():
    """One with all kinds of topics, and four ropes with load pins."""
    return load_crane("rtg_41t")


def readers(crane, counts):
    """What reads the messages of a topic."""
    reader = CommandReader(crane, counts, "world")
    of_axes = {
        t: partial(reader.axis, default=a.name) for a in crane.axes if (t := axis_topic(a.name))
    }
    return of_axes | {
        "joint_commands": reader.joint_state,
        "cmd_vel": reader.twist,
        "wind_command": reader.wind,
        "external_wrench": reader.wrench,
        "cable_sim/inject_fault": reader.fault,
        "joy": Joystick(crane).read,
    }


def test_every_topic_of_the_node_is_fuzzed(crane):
    assert {*strategies(crane)} == {*TOPICS}


@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_read_is_counted_as_the_documentation_says(crane, topic):
    endpoint, messages = strategies(crane)[topic]
    oracle, seen = Oracle(crane), {"taken": 0, "refused": 0}
    read = readers(crane, Counts())[topic]

    @settings(max_examples=EACH, **FREELY)
    @given(messages)
    def check(message):
        counts, wishes = Counts(), []
        reader = read if topic == "joy" else readers(crane, counts)[topic]
        guard_handler(lambda got, _: wishes.extend(reader(got)), topic, counts)(message, {})
        taken, rejected, not_finite = oracle(endpoint, message)
        rejected -= taken * rejected  # which the machine does later
        assert (counts.of["taken"], counts.of["rejected"], counts.of["not_finite"]) == (
            taken,
            rejected,
            not_finite,
        )
        assert counts.of["unreadable"] == 0
        assert len(wishes) == 0 or taken
        assert all(math.isfinite(wish.value) for wish in wishes if hasattr(wish, "mode"))
        assert all(len(notice) < 400 for notice in counts.notices)
        seen["taken" if taken else "refused"] += 1

    check()
    assert min(seen.values()) > EACH // 20, seen


def test_a_fuzzed_trajectory_is_read_or_refused_with_a_cause(crane):
    machine, seen = Machine(crane), []
    follower = TrajectoryFollower(lambda stamp: stamp * 1e-9)

    @settings(max_examples=EACH, **FREELY)
    @given(trajectories(crane))
    def check(message):
        try:
            follower.begin(read_trajectory(message, crane, Sender("", b"")), machine)
            follower.follow(machine)
            assert all(math.isfinite(order.value) for order in machine.orders.values())
            seen.append("taken")
        except TrajectoryError as error:
            seen.append(str(error)[:40])

    check()
    assert seen.count("taken") > 10 and len(set(seen)) > 10


def test_a_client_that_fails_ends_its_trajectory_and_no_tick(crane):
    machine, counts = Machine(crane), Counts()
    operations = Operations(Timeline(machine), Told(counts), Loads(crane))
    message = JointTrajectory(joint_names=["trolley"])
    place = machine.axis_state(machine.seen, "trolley").position
    rest = JointTrajectoryPoint(positions=[place + 1.0], time_from_start=Duration(sec=9))
    message.points.append(rest)
    given = read_trajectory(message, crane, Sender("", b""))
    assert operations.apply([given._replace(told=lambda *_: 1 / 0)]) == []
    operations.follow_trajectory()
    assert "ZeroDivisionError" in given.outcome.result(5.0).sentence
    assert counts.of["failed"] == 1


class Told:
    """What counts what is refused, and tells nobody: messages are filled by the test."""

    def __init__(self, counts):
        self.counts = counts

    def hurry(self):
        """Nothing waits."""


def test_fuzzed_messages_keep_the_machine_and_outputs_finite(crane):
    machine, counts, stamp = Machine(crane, 1e-3, 10, 0.5), Counts(), Time()
    topics = DeviceTopics(machine, "", "world", stamp, 100.0)
    told = Diagnostics("cable_sim", crane.name, stamp)
    operations = Operations(Timeline(machine), Told(counts), Loads(crane))
    stats = Stats(stamp)
    read = readers(crane, counts)
    every = [
        st.tuples(st.just(topic), messages) for topic, (_, messages) in strategies(crane).items()
    ]

    @settings(max_examples=400, **FREELY)
    @given(st.lists(st.one_of(every), min_size=1, max_size=6))
    def check(messages):
        for topic, message in messages:
            guard_handler(
                lambda got, _, topic=topic: operations.apply(read[topic](got)), topic, counts
            )(message, {})
        seen = machine.tick()
        assert np.isfinite(seen.body_position).all() and np.isfinite(seen.body_velocity).all()
        assert np.isfinite(list(machine.wind_now)).all()
        for _, fill in (*topics.due_messages(ALL), *topics.news()):
            fill(machine)
        told.fill(machine, seen, stats, counts)

    check()
    assert counts.of["taken"] > 100 and counts.of["unreadable"] == counts.of["failed"] == 0


@pytest.mark.parametrize("kind", ["sensor_bias", "sensor_drift", "sensor_scale"])
def test_sensors_that_read_nonsense_are_told_of_as_everything(crane, kind):
    vane = replace(crane.sensors[0], name="wind.direction", signal="wind.direction")
    crane = replace(
        crane, sensors=tuple(replace(sensor, quantum=0.0) for sensor in (*crane.sensors, vane))
    )
    machine, counts, stamp = Machine(crane, 1e-3, 10, 0.5), Counts(), Time()
    topics = DeviceTopics(machine, "", "world", stamp, 100.0)
    told = Diagnostics("cable_sim", crane.name, stamp)
    for sign in (1.0, -1.0):
        for number, sensor in enumerate(crane.sensors):
            machine.faults.inject(
                Fault(kind, sensor.name, sign * 1.7e308 * (-1.0 if number % 3 == 2 else 1.0))
            )
        for _ in range(200):
            seen = machine.tick()
            for _, fill in topics.due_messages(ALL):
                fill(machine)
        told.fill(machine, seen, Stats(stamp), counts)
        assert np.isfinite(seen.body_position).all()
