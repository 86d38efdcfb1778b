"""Processes around a node under test that misbehave, one function each: ``python -m
benchmarks.misbehaving ROLE``."""

import itertools
import sys
import time
from typing import Any

import rclpy
from cable_sim.msg import AxisCommand

from cable_sim.cranes import load_crane
from cable_sim.ros import interface

CRANE = "tower_12t"
FLOOD = 5000.0
"""Commands per second."""
STALL = 5.0
"""How long a stalling subscriber takes over one message [s]."""


def listen(node: Any, take: Any) -> None:
    """Subscribe to all that the node publishes, with its own quality of service."""
    for endpoint in interface.published_endpoints(load_crane(CRANE)):
        node.create_subscription(endpoint.type, endpoint.topic, take, endpoint.qos, raw=True)


def staller() -> None:
    """Subscribes to everything, and sleeps over every message."""
    node = rclpy.create_node("staller")
    listen(node, lambda _: time.sleep(STALL))
    rclpy.spin(node)


def subscribe_until_killed() -> None:
    """Subscribes to everything, until somebody kills it."""
    node = rclpy.create_node("mortal")
    listen(node, lambda _: None)
    rclpy.spin(node)


def joiner() -> None:
    """Every second makes a node that subscribes to everything, and destroys it."""
    for number in itertools.count():
        begin = time.monotonic()
        node = rclpy.create_node(f"joiner_{number}")
        listen(node, lambda _: None)
        while time.monotonic() < begin + 0.5:
            rclpy.spin_once(node, timeout_sec=0.05)
        node.destroy_node()
        time.sleep(max(begin + 1.0 - time.monotonic(), 0.0))


def flooder() -> None:
    """Commands the trolley to and fro, 5000 times a second or as often as it can."""
    node = rclpy.create_node("flooder")
    endpoint = interface.axis_command("trolley")
    out = node.create_publisher(endpoint.type, endpoint.topic, endpoint.qos)
    begin = time.monotonic()
    for number in itertools.count():
        out.publish(AxisCommand(value=0.3 if number // 50000 % 2 else -0.3, enable=True))
        wait = begin + number / FLOOD - time.monotonic()
        if wait > 1e-3:
            time.sleep(wait)


ROLES = {"staller": staller, "mortal": subscribe_until_killed, "joiner": joiner, "flooder": flooder}

if __name__ == "__main__":
    rclpy.init(args=sys.argv)
    try:
        ROLES[sys.argv[1]]()
    except KeyboardInterrupt:
        pass
