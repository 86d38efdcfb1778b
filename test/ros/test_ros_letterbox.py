"""Commands that the owner of the machine takes when it suits him, on real topics."""

import time
from unittest import mock

import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

import rclpy
from cable_sim.msg import AxisCommand
from rclpy.executors import SingleThreadedExecutor
from rclpy.serialization import deserialize_message

from cable_sim.ros import interface
from cable_sim.ros.command.command_subscriptions import KEPT, CommandSubscriptions

TROLLEY, HOIST = interface.axis_command("trolley"), interface.axis_command("hoist")


class Desk:
    """A node with a letterbox, and one publisher a topic that it hears."""

    def __init__(self, probe):
        self.node = rclpy.create_node("owner", context=probe.context)
        self.awaited, self.taken, self.failed = False, [], []
        self.box = CommandSubscriptions(self.node, lambda: self.awaited, *[self.failed.append] * 2)
        for endpoint in (TROLLEY, HOIST):
            self.box.subscribe(endpoint, self._taker(endpoint.topic))
        self.executor = SingleThreadedExecutor(context=probe.context)
        self.executor.add_node(self.node)

    def _taker(self, topic):
        def take(serialized, info):
            assert isinstance(serialized, bytes)
            self.taken.append((topic, deserialize_message(serialized, AxisCommand).value))

        return take

    def spin(self, times=20):
        """Let the executor do what it would."""
        for _ in range(times):
            self.executor.spin_once(timeout_sec=0.01)


@pytest.fixture
def desk(probe):
    """Fresh for each test."""
    made = Desk(probe)
    yield made
    made.executor.shutdown()
    made.node.destroy_node()


def emptied(probe, desk, count):
    """Empty the box until so many have been taken."""
    probe.until(lambda: desk.box.empty() or len(desk.taken) >= count, f"{count} messages")
    return desk.taken


def test_all_that_came_between_two_looks_is_taken_in_its_order(probe, desk):
    """So that of two senders of one topic none is unheard because the other sends as often."""
    out = probe.publisher(TROLLEY)
    for value in range(3):
        out.publish(AxisCommand(value=float(value)))
    assert emptied(probe, desk, 3) == [
        (TROLLEY.topic, 0.0),
        (TROLLEY.topic, 1.0),
        (TROLLEY.topic, 2.0),
    ]
    desk.box.empty()
    assert len(desk.taken) == 3


def test_an_unread_command_does_not_wake_the_executor(probe, desk):
    """The owner polls: an executor that is awake meanwhile takes the interpreter from him."""
    out = probe.publisher(TROLLEY)
    out.publish(AxisCommand(value=1.0))
    emptied(probe, desk, 1)
    desk.spin(5)
    out.publish(AxisCommand(value=2.0))
    time.sleep(0.2)
    waits = []
    # the executor asks each node for its entities once a wait
    asked = type(desk.node).timers
    until = time.monotonic() + 0.5
    with mock.patch.object(
        type(desk.node), "timers", property(lambda node: waits.append(1) or asked.fget(node))
    ):
        while time.monotonic() < until:
            desk.executor.spin_once(timeout_sec=0.1)
    assert 0 < len(waits) < 30
    assert emptied(probe, desk, 2)[-1] == (TROLLEY.topic, 2.0)


def test_of_a_command_flood_the_newest_are_taken_in_order(probe, desk):
    out, other = probe.publisher(TROLLEY), probe.publisher(HOIST)
    deep = probe.node.create_publisher(AxisCommand, TROLLEY.topic, 100)
    probe.until(lambda: deep.get_subscription_count() > 0, "a subscriber")
    for value in range(100):
        deep.publish(AxisCommand(value=float(value)))
    other.publish(AxisCommand(value=-1.0))
    probe.until(
        lambda: desk.box.empty() or (HOIST.topic, -1.0) in desk.taken, "the one behind the flood"
    )
    probe.until(lambda: desk.box.empty() or (TROLLEY.topic, 99.0) in desk.taken, "the newest")
    trolley = [value for topic, value in desk.taken if topic == TROLLEY.topic]
    assert trolley == sorted(trolley) and KEPT <= len(trolley) <= 100
    out.publish(AxisCommand(value=7.0))


def test_the_executor_looks_only_when_it_is_asked_to(probe, desk):
    out = probe.publisher(TROLLEY)
    out.publish(AxisCommand(value=1.0))
    desk.spin()
    assert desk.taken == []
    desk.awaited = True
    desk.executor.wake()
    probe.until(lambda: desk.spin(1) or desk.taken == [(TROLLEY.topic, 1.0)], "the message")


def test_a_topic_that_fails_keeps_nobody_from_the_others(probe, desk):
    broken = desk.box._subscriptions[TROLLEY.topic]
    out = probe.publisher(HOIST)
    broken.destroy()
    out.publish(AxisCommand(value=3.0))
    assert emptied(probe, desk, 1) == [(HOIST.topic, 3.0)]
    assert desk.failed and all(sentence.startswith(TROLLEY.topic) for sentence in desk.failed)
