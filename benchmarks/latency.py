"""How long the wire takes: from a command to the first state that it has changed, and once around
in lockstep.

Node and controller are two processes in a domain of their own; the controller is this one, in
Python as well, so that its own share is in the figures. They mean something on an idle machine
only. Not run unless named: ``cable-sim bench latency lockstep``.
"""

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.node import COMMAND, START
from benchmarks.results import Row
from cable_sim.ros.launch.processes import free_domain

SAMPLES = 150
ROUNDS = 3000
SETTLED = 0.35
"""Time after which the axis of the laboratory crane keeps its speed to a small part of what one
tick changes [s]."""
SPEED = 0.02
"""To and fro [m/s]: slow enough for it to stay in the middle of its way."""
FIRST_CHANGE = {100.0: 1e-3, 1000.0: 2e-5}
"""How much the speed changes in the first tick after a command, by the ticks per second [m/s]."""


def latency() -> list[Row]:
    """Command to the first changed ``joint_states`` as the commander receives it, at 100 and 1000
    ticks a second."""
    rows = []
    for rate in FIRST_CHANGE:
        with _peer(
            crane_config="lab_inteco", tick_rate=rate, joint_state_rate=rate, command_timeout=60.0
        ) as peer:
            peer.spin_until(lambda peer=peer: len(peer.states) > 10)
            taken = _ask(peer, rate)
        rows += _rows(
            "latency", f"command to state, {rate:g} Hz", taken, f"lab_inteco, {len(taken)} commands"
        )
    return rows


def lockstep() -> list[Row]:
    """State to command to the next state, and a call of ``~/step`` with the state that it makes."""
    rows = []
    for mode, run in (("command", _answer), ("service", _step)):
        with _peer(crane_config="tower_12t", lockstep=mode, real_time_factor=0.0) as peer:
            peer.spin_until(lambda peer=peer: peer.states)
            taken = run(peer)
            peer.spin_until(lambda peer=peer: len(peer.stats) > 1)
            tick = 1e3 * float(np.median([message.step_time_mean for message in peer.stats[1:]]))
        rows += _rows("lockstep", mode, taken, f"tower_12t, {len(taken)} ticks of {tick:.2g} ms")
    return rows


class Peer:
    """The other side of the wire: what it has heard, and how it commands."""

    def __init__(self, node: Any, executor: Any, process: "subprocess.Popen[bytes]") -> None:
        from cable_sim.msg import SimStats
        from rclpy.qos import QoSProfile
        from sensor_msgs.msg import JointState

        self.node = node
        self.executor = executor
        self.process = process
        self.states: list[Any] = []
        self.stats: list[Any] = []
        self.heard: Callable[[Any], None] = self.states.append
        self.commands = node.create_publisher(JointState, "joint_commands", QoSProfile(depth=1))
        node.create_subscription(
            JointState, "joint_states", lambda message: self.heard(message), QoSProfile(depth=10)
        )
        node.create_subscription(SimStats, "sim_stats", self.stats.append, QoSProfile(depth=1))

    def spin_until(self, condition: Callable[[], Any], seconds: float = START) -> None:
        """Spin until something holds; RuntimeError when it does not, or the node is gone."""
        deadline = time.monotonic() + seconds
        while not condition():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the node is gone or silent: not within {seconds:g} s")
            self.executor.spin_once(timeout_sec=0.1)

    def command(self, speed: float, stamp: Any = None) -> None:
        """Order the trolley to a speed [m/s]."""
        message = self.commands.msg_type(name=["trolley"], velocity=[speed])
        if stamp is not None:
            message.header.stamp = stamp
        self.commands.publish(message)


@contextmanager
def _peer(**parameters: Any) -> Iterator[Peer]:
    """A node with these parameters and its peer."""
    import rclpy
    from rclpy.executors import SingleThreadedExecutor

    os.environ["ROS_DOMAIN_ID"] = str(free_domain())
    words = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
    rclpy.init()
    node = rclpy.create_node("benchmark")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    process = subprocess.Popen([*COMMAND, *words])
    try:
        yield Peer(node, executor, process)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20.0)
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown()


def _ask(peer: Peer, rate: float) -> list[float]:
    """Times from commands to the first states that they changed [s]; commands come at any time of a
    tick."""
    taken: list[float] = []
    asked: list[float] = []
    last = [0.0]

    def hear(message: Any) -> None:
        now = time.perf_counter()
        speed = message.velocity[list(message.name).index("trolley")]
        changed = abs(speed - last[0]) > 0.5 * FIRST_CHANGE[rate]
        last[0] = speed
        if asked and changed:
            taken.append(now - asked.pop())

    def command() -> None:
        for i in range(SAMPLES):
            time.sleep(SETTLED + random.random() / rate)
            asked.append(time.perf_counter())
            peer.command(SPEED if i % 2 else -SPEED)

    peer.heard = hear
    commander = threading.Thread(target=command, daemon=True)
    commander.start()
    peer.spin_until(lambda: len(taken) == SAMPLES, SAMPLES * 10.0 * SETTLED)
    return taken


def _answer(peer: Peer) -> list[float]:
    """Times from one state to the next, each of which is answered at once [s]."""
    times: list[float] = []
    stamps: list[int] = [-1]

    def hear(message: Any) -> None:
        stamp = message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
        if stamp > stamps[0]:  # a state can be repeated
            stamps[0] = stamp
            times.append(time.perf_counter())
            peer.command(0.1, message.header.stamp)

    peer.heard = hear
    peer.spin_until(lambda: len(times) > ROUNDS)
    return np.diff(times).tolist()


def _step(peer: Peer) -> list[float]:
    """Times from a call to both its answer and the state that it made [s]."""
    from std_srvs.srv import Trigger

    client = peer.node.create_client(Trigger, "cable_sim/step")
    taken = []
    peer.spin_until(client.service_is_ready)
    # states that are repeated for who comes late must not be taken for the one of a step
    quiet = time.monotonic() + 1.0
    peer.spin_until(lambda: time.monotonic() > quiet)
    for _ in range(ROUNDS):
        peer.states.clear()
        begin = time.perf_counter()
        future = client.call_async(Trigger.Request())
        peer.spin_until(lambda future=future: future.done() and peer.states)
        taken.append(time.perf_counter() - begin)
    return taken


def _rows(name: str, case: str, taken: list[float], note: str) -> list[Row]:
    """Median and 99th percentile [ms]."""
    milliseconds = 1e3 * np.array(taken)
    shares = (("median", 50.0), ("99 %", 99.0))
    values = [(word, float(np.percentile(milliseconds, share))) for word, share in shares]
    return [Row(name, f"{case}, {word}", value, value, "ms", note) for word, value in values]
