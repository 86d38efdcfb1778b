"""Who comes while time stands is told the state, also in the very moment in which another one
goes."""

import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from rclpy.qos import QoSProfile

from cable_sim.ros import interface
from cable_sim.ros.publish.publishers import SubscriberWatch

PARAMETERS = {"start_paused": True}
SWAPS = 10
QOS = QoSProfile(depth=10)


def test_who_comes_is_seen_once(probe):
    node, kind = probe.node, interface.FEEDBACK.type
    publishers = [node.create_publisher(kind, topic, QOS) for topic in ("one", "other")]
    listeners = SubscriberWatch(node, *publishers)
    assert not listeners.has_new_subscriber()
    first = node.create_subscription(kind, "one", print, QOS)
    probe.until(listeners.has_new_subscriber, "the first one")
    assert not listeners.has_new_subscriber()
    second = node.create_subscription(kind, "other", print, QOS)
    node.destroy_subscription(first)
    probe.until(
        lambda: [p.get_subscription_count() for p in publishers] == [0, 1], "as many as before"
    )
    assert listeners.has_new_subscriber() and not listeners.has_new_subscriber()
    node.destroy_subscription(second)
    probe.until(lambda: not publishers[1].get_subscription_count(), "the last one's end")
    assert not listeners.has_new_subscriber()


def test_in_a_pause_one_controller_follows_the_other(node, probe):
    """The node looks every tenth of a second, and most of these come and go between two looks."""
    kind, topic = interface.FEEDBACK.type, interface.FEEDBACK.topic
    last = probe.node.create_subscription(kind, topic, lambda message: None, QOS)
    for i in range(SWAPS):
        heard = []
        present = probe.node.create_subscription(kind, topic, heard.append, QOS)
        probe.node.destroy_subscription(last)
        probe.until(lambda heard=heard: heard, f"feedback for controller {i + 1} of {SWAPS}")
        last = present
    probe.node.destroy_subscription(last)
