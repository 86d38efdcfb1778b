"""The ROS 2 node at real time for a minute: how much of a core it takes, and how evenly it
publishes.

It runs as a process of its own in a domain of its own, with its defaults, and another process
listens to every topic. The figures mean something on an idle machine only. Not run unless named:
``cable-sim bench node``.
"""

import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import listener
from benchmarks.results import Row
from cable_sim.ros.launch.processes import free_domain

SECONDS = 60.0
CRANES = ("tower_12t", "rtg_41t")
COMMAND = (
    sys.executable,
    "-m",
    "cable_sim.ros.node.simulator_node",
    "--ros-args",
    "--log-level",
    "warn",
)
START = 60.0
"""Longest time until the first message [s]: code may have to be compiled."""


def node() -> list[Row]:
    """Share of a core, rate and scatter of ``joint_states``, ticks missed, for each of CRANES."""
    os.environ["ROS_DOMAIN_ID"] = str(free_domain())
    return [row for crane in CRANES for row in _run(crane)]


def _run(crane: str) -> list[Row]:
    """One crane."""
    process = subprocess.Popen([*COMMAND, "-p", f"crane_config:={crane}"])
    ear = listener.start(crane)
    try:
        arrivals, stats, share = _listen(process)
    finally:
        for child in (ear, process):
            child.send_signal(signal.SIGINT)
        for child in (ear, process):
            child.wait(20.0)
    gaps = [1e3 * (b - a) for a, b in zip(arrivals, arrivals[1:], strict=False)]
    rate = 1e3 / statistics.mean(gaps)
    scatter = statistics.stdev(gaps)
    longest = max(gaps)
    tick = 1e3 * max(message.step_time_max for message in stats)
    missed = stats[-1].missed_ticks - stats[0].missed_ticks
    factor = statistics.mean(message.real_time_factor for message in stats[1:])
    note = f"{SECONDS:g} s at real time, all topics subscribed"
    numbers = {
        ("share of a core", "%"): 100.0 * share,
        ("joint_states rate", "Hz"): rate,
        ("interval of joint_states, standard deviation", "ms"): scatter,
        ("interval of joint_states, longest", "ms"): longest,
        ("longest tick", "ms"): tick,
        ("missed ticks", "1"): float(missed),
        ("real-time factor", "1"): factor,
    }
    return [
        Row("node", f"{crane}, {case}", value, value, unit, note)
        for (case, unit), value in numbers.items()
    ]


def _listen(process: "subprocess.Popen[bytes]") -> tuple[list[float], list[Any], float]:
    """Arrival times of joint_states [s], all sim_stats, and the share of a core over SECONDS."""
    import rclpy
    from cable_sim.msg import SimStats
    from rclpy.qos import qos_profile_sensor_data
    from sensor_msgs.msg import JointState

    arrivals: list[float] = []
    stats: list[Any] = []
    rclpy.init()
    listener = rclpy.create_node("benchmark")
    listener.create_subscription(
        JointState,
        "joint_states",
        lambda _: arrivals.append(time.monotonic()),
        qos_profile_sensor_data,
    )
    listener.create_subscription(SimStats, "sim_stats", stats.append, qos_profile_sensor_data)
    try:
        deadline = time.monotonic() + START
        while not (arrivals and stats):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the node sends nothing")
            rclpy.spin_once(listener, timeout_sec=0.1)
        _spin_for(rclpy, listener, 2.0)
        arrivals.clear()
        stats.clear()
        busy = _cpu_seconds(process.pid)
        begin = time.monotonic()
        _spin_for(rclpy, listener, SECONDS)
        return arrivals, stats, (_cpu_seconds(process.pid) - busy) / (time.monotonic() - begin)
    finally:
        listener.destroy_node()
        rclpy.shutdown()


def _spin_for(rclpy: Any, listener: Any, seconds: float) -> None:
    """Take messages for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        rclpy.spin_once(listener, timeout_sec=0.1)


def _cpu_seconds(pid: int) -> float:
    """User and system time of a process so far, all its threads [s]; Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
