"""Cable markers for RViz: what it costs a node to put an array together and send it to one listener
in another process.

A rope of 200 points is the largest that a node draws by default. Best by ``--clock processor`` on a
machine that others use.
"""

import os
import signal
import time
from typing import Any

from benchmarks import listener
from benchmarks.results import Row
from benchmarks.timing import Case, measure
from cable_sim.ros.launch.processes import free_domain

RATE = 20.0
"""Arrays per second of a node [Hz]."""

COUNT = 50
START = 60.0
"""Longest time until somebody listens [s]."""


def markers() -> list[Row]:
    """Microseconds per array, and the share of a core that RATE of them are."""
    import rclpy

    from cable_sim.ros.interface import CABLE_MARKERS
    from cable_sim.ros.publish.cable_markers import CableMarkers

    os.environ["ROS_DOMAIN_ID"] = str(free_domain())
    ear = listener.start("tower_12t")
    rclpy.init()
    node = rclpy.create_node("benchmark")
    try:
        publisher = node.create_publisher(
            CABLE_MARKERS.type, CABLE_MARKERS.topic, CABLE_MARKERS.qos
        )
        deadline = time.monotonic() + START
        while not publisher.get_subscription_count():
            if ear.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("nobody listens")
            time.sleep(0.05)
        cases = {}
        for name, observation in _ropes().items():
            made = CableMarkers(observation[0], "", "world")
            cases[name] = Case(
                lambda made=made, seen=observation[1]: _send(publisher, made, seen), COUNT
            )  # type: ignore[misc]
        found = measure(cases)
    finally:
        ear.send_signal(signal.SIGINT)
        ear.wait(20.0)
        node.destroy_node()
        rclpy.shutdown()
    rows = []
    for name, timing in found.items():
        best = 1e6 * timing.best
        median = 1e6 * timing.median
        rows.append(Row("markers", name, best, median, "us"))
        share = [1e-4 * RATE * value for value in (best, median)]
        rows.append(Row("markers", f"{name}, share of a core", *share, "%", f"{RATE:g} Hz"))
    return rows


def _send(publisher: Any, made: Any, observation: Any) -> None:
    """Put arrays together and send them."""
    for _ in range(COUNT):
        publisher.publish(made.fill(observation))


def _ropes() -> dict[str, tuple[Any, Any]]:
    """Cranes, and how they look after a tick."""
    from cable_sim.cranes import load_crane
    from cable_sim.machine.machine import Machine

    changes: dict[str, dict[str, Any]] = {
        "tower_12t": {},
        "rtg_41t": {},
        "nehe_rope": {"lines.rope.masses": 200, "lines.rope.spacing": 0.02},
    }
    found = {}
    for name, change in changes.items():
        crane = load_crane(name, change)
        observation = Machine(crane).tick()
        points = sum(len(observation.cable(cable.name).curve) for cable in crane.scene.cables)
        found[f"{name}, {points} points"] = (crane, observation)
    return found
