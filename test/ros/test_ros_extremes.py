"""Nodes that live on: every parameter at its extremes, and messages that can't be filled."""

import itertools
import math

import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool

from cable_sim.machine.machine import Machine
from cable_sim.ros import interface
from cable_sim.ros.basis.crane_parameters import rows_of
from cable_sim.ros.basis.parameters import TABLE, settings_from
from cable_sim.ros.command.commands import Counts
from cable_sim.ros.publish.publishers import Publishers

PARAMETERS = {"diagnostics_period": 0.1, "marker_rate": 60.0}
TICK = 10_000_000


def extremes(row):
    """Values at the ends of a row's range; the largest number where it has no end."""
    if row.choices:
        return row.choices
    if isinstance(row.default, bool):
        return True, False
    if isinstance(row.default, str):
        return "x" * 300, "/"
    most = [end if math.isfinite(end) else math.copysign(1.7e308, end) for end in row[4:6]]
    return [type(row.default)(end) for end in (*most, *(0,) * (most[0] < 0))]


def set_all(probe, values):
    """Set parameters one after the other in one call; return the number that the node takes."""
    sent = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    answer = probe.call(SetParameters, "/cable_sim/set_parameters", parameters=sent)
    return sum(result.successful for result in answer.results)


def test_the_node_lives_with_every_parameter_at_its_extremes(node, probe, crane):
    rows = [row for row in (*TABLE, *rows_of(crane)) if not row.read_only]
    taken = 0
    for _, found in itertools.groupby(rows, lambda row: row.name.split(".")[0]):
        group = list(found)
        for k in range(max(len(extremes(row)) for row in group)):
            ends = {row.name: extremes(row)[min(k, len(extremes(row)) - 1)] for row in group}
            taken += set_all(probe, ends)
            probe.call(SetBool, "/cable_sim/pause", data=False)  # a lockstep pauses
            probe.fresh(interface.CLOCK, 5)
            assert node.alive(), (ends, node.said())
        own = {row.name: PARAMETERS.get(row.name, row.default) for row in group}
        assert set_all(probe, own) == len(own)
    assert taken > 2 * len(rows)
    assert not [line for line in node.complaints() if "Error" in line]


@pytest.fixture
def desk(probe, crane):
    """A machine, and the publishers of its node."""
    import rclpy

    made = rclpy.create_node("desk", context=probe.context)
    machine = Machine(crane)
    publishers = Publishers(made, machine, settings_from({}, rows_of(crane)), Counts())
    yield machine, publishers
    made.destroy_node()


def test_a_message_that_fails_stops_no_other_and_is_told_once(desk, monkeypatch):
    machine, publishers = desk
    imu = next(m for topic, _, m in publishers.devices._regular if topic == "hook_imu")
    sent, logged = [], []
    publishers.logger = type("Log", (), {"warning": staticmethod(logged.append)})
    for topic, publisher in publishers._publishers.items():
        monkeypatch.setattr(publisher, "publish", lambda m, topic=topic: sent.append((topic, m)))
    real = imu.fill
    monkeypatch.setattr(imu, "fill", lambda _: 1e200**2)
    for tick in range(1, 6):
        publishers.hurry()
        publishers.publish(machine.tick(), tick * TICK, tick)
    topics = [topic for topic, _ in sent]
    assert topics.count("/clock") == topics.count("joint_states") == topics.count("/tf") * 2 + 1
    assert "hook_imu" not in topics
    run = [m for topic, m in sent if topic == "/diagnostics"][-1].status[0]
    assert run.level == DiagnosticStatus.ERROR and naming("published hook_imu").search(run.message)
    (line,) = (line for line in logged if "hook_imu" in line)
    assert naming("hook_imu published OverflowError").search(line)
    monkeypatch.setattr(imu, "fill", real)
    publishers.hurry()
    publishers.publish(machine.tick(), 6 * TICK, 6)
    assert "hook_imu" in [topic for topic, _ in sent]
    assert sent[-1][1].status[0].level == DiagnosticStatus.OK
