"""A node at real time for an hour among processes that behave badly: ``python -m
benchmarks.endurance --minutes 60``.

One subscriber stalls over every message, one is killed and comes again, nodes join every second, a
commander floods at 5 kHz. All the while a healthy subscriber looks whether a stamp is missing or
nothing comes any more, and the node's memory is watched. It runs in a ROS domain of its own. Writes
``benchmarks/results/<date>_endurance.json``; exit status 1 if a limit is not kept.
"""

import argparse
import contextlib
import json
import math
import os
import signal
import statistics
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from benchmarks import results
from benchmarks.node import START
from cable_sim.ros.launch.processes import isolated_environment

DOMAIN = 96
NAMESPACE = f"/endurance_{os.getpid()}"
"""Of this run alone, whatever else goes on on this machine."""
KILL_PERIOD = 20.0
"""How long the mortal subscriber lives [s]."""
WARM_UP = 60.0
"""Before memory counts [s], or a fifth of a run that is shorter than five minutes."""
SILENCE = 2.0
"""Longest time without a message [s] that may come from whatever else the machine has to do."""
WATCHED = ("joint_states", "cable_states", "payload_ground_truth")
"""Reliable topics of every tick, whose stamps have to follow on one another."""
STAMP = struct.Struct("<iI")
"""Of a message that begins with a header, behind four bytes of encapsulation."""


class Limit(NamedTuple):
    """What is measured, the most that it may be, and what it was."""

    name: str
    most: float
    value: float
    unit: str

    @property
    def kept(self) -> bool:
        """Whether it is kept."""
        return self.value <= self.most


class Watch:
    """The healthy subscriber: counts stamps that do not follow on the one before, by topic."""

    def __init__(self, node: Any, period: float) -> None:
        from cable_sim.msg import SimStats
        from rclpy.qos import QoSProfile

        from cable_sim.ros import interface

        self.period = round(period * 1e9)
        self.last: dict[str, int] = {}
        self.got: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.stats: list[Any] = []
        self.heard = math.inf
        self.silence = 0.0
        for endpoint in interface.PUBLISHED:
            if endpoint.topic in WATCHED:
                # deep on this side: who is late here loses nothing
                deep = QoSProfile(depth=5000, reliability=endpoint.qos.reliability)
                node.create_subscription(
                    endpoint.type, endpoint.topic, self._taker(endpoint.topic), deep, raw=True
                )
        node.create_subscription(SimStats, "sim_stats", self._take_stats, 10)

    def _take_stats(self, message: Any) -> None:
        """Keep the first and the last; those between were read for the longest tick."""
        self.stats[1:] = [message]

    def listen(self) -> None:
        """Note for how long nothing has come [s, wall time]: who hears nothing at all misses no
        stamp."""
        now = time.monotonic()
        self.silence = max(self.silence, now - self.heard)
        self.heard = now

    def _taker(self, topic: str) -> Callable[[bytes], None]:
        """Looks at the stamps of a topic."""

        def take(serialized: bytes) -> None:
            seconds, nanoseconds = STAMP.unpack_from(serialized, 4)
            now = seconds * 10**9 + nanoseconds
            before = self.last.get(topic)
            self.last[topic] = now
            self.got[topic] += 1
            self.listen()
            if before is not None and now - before != self.period:
                self.lost[topic] += max(abs(now - before) // self.period - 1, 1)

        return take


def main() -> int:
    """Parse, run, show, save."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.endurance", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long [%(default)s]")
    parser.add_argument(
        "--priority", type=int, default=0, help="the node's realtime_priority [%(default)s]"
    )
    given = parser.parse_args()
    os.environ |= isolated_environment(DOMAIN)
    about = results.machine() | {"minutes": f"{given.minutes:g}", "priority": str(given.priority)}
    limits, seen = endure(60.0 * given.minutes, given.priority)
    show(limits)
    path = (
        results.FOLDER / f"{about['date'][:16].replace(' ', '_').replace(':', '')}_endurance.json"
    )
    told = {
        "machine": about,
        "limits": [limit._asdict() | {"kept": limit.kept} for limit in limits],
        **seen,
    }
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    Console().print(f"written to {path}")
    return 0 if all(limit.kept for limit in limits) else 1


def endure(seconds: float, priority: int) -> tuple[list[Limit], dict[str, Any]]:
    """Run it all for so long; the limits, and what else there is to know."""
    import rclpy

    command = [
        sys.executable,
        "-m",
        "cable_sim.ros.node.simulator_node",
        "--ros-args",
        "--log-level",
        "error",
        "-p",
        f"realtime_priority:={priority}",
        "-r",
        f"__ns:={NAMESPACE}",
    ]
    rclpy.init()
    listener = rclpy.create_node("healthy", namespace=NAMESPACE)
    watch = Watch(listener, 0.01)
    with contextlib.ExitStack() as running:
        node = running.enter_context(_run_process(command))
        _wait_for(node, lambda: len(watch.last) == len(WATCHED) and watch.stats, listener)
        for role in ("staller", "joiner", "flooder"):
            running.enter_context(_run_process(_peer(role)))
        memory = _watch(node, listener, watch, seconds)
        watch.listen()
        alive = node.poll() is None
    listener.destroy_node()
    rclpy.shutdown()
    return _conclude(watch, memory, seconds, alive)


def _watch(
    node: "subprocess.Popen[bytes]", listener: Any, watch: Watch, seconds: float
) -> list[float]:
    """Take messages, kill the mortal one again and again, and note the node's memory once a second
    [MB]."""
    import rclpy

    memory: list[float] = []
    begin = time.monotonic()
    columns = (
        *Progress.get_default_columns()[:2],
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(),
    )
    with contextlib.ExitStack() as lives, Progress(*columns) as bar:
        shown = bar.add_task("endurance", total=seconds, told="")
        killed = -KILL_PERIOD
        while (now := time.monotonic() - begin) < seconds and node.poll() is None:
            rclpy.spin_once(listener, timeout_sec=0.1)
            if now >= killed + KILL_PERIOD:
                lives.close()
                lives.enter_context(_run_process(_peer("mortal"), signal.SIGKILL))
                killed = now
            if now >= len(memory):
                memory.append(_resident_memory(node.pid))
                told = (
                    f"{memory[-1]:.1f} MB, {watch.lost.total()} lost, "
                    f"{watch.stats[-1].missed_ticks} missed"
                )
                bar.update(shown, completed=now, told=told)
    return memory


def _conclude(
    watch: Watch, memory: list[float], seconds: float, alive: bool
) -> tuple[list[Limit], dict[str, Any]]:
    """Limits, and the figures behind them."""
    warm = memory[int(min(WARM_UP, 0.2 * seconds)) :] or memory
    part = max(len(warm) // 10, 1)
    growth = statistics.median(warm[-part:]) - statistics.median(warm[:part])
    first = watch.stats[0]
    last = watch.stats[-1]
    missed = last.missed_ticks - first.missed_ticks
    ticks = last.ticks - first.ticks
    limits = [
        Limit("node died", 0.0, float(not alive), "1"),
        Limit("messages lost at the healthy subscriber", 0.0, float(watch.lost.total()), "1"),
        Limit("longest silence at the healthy subscriber", SILENCE, watch.silence, "s"),
        Limit("ticks missed", 0.1, 100.0 * missed / max(missed + ticks, 1), "%"),
        Limit("growth of memory after warm-up", 5.0, growth, "MB"),
    ]
    seen = {
        "ticks": ticks,
        "missed": missed,
        "received": dict(watch.got),
        "lost": dict(watch.lost),
        "rejected": last.rejected_commands,
        "memory_mb": [round(value, 2) for value in memory],
    }
    return limits, seen


def show(limits: list[Limit]) -> None:
    """Print the table."""
    table = Table("", "value", "at most", "unit", "")
    for limit in limits:
        table.add_row(
            limit.name,
            f"{limit.value:.4g}",
            f"{limit.most:g}",
            limit.unit,
            "" if limit.kept else "NOT KEPT",
        )
    Console().print(table)


def _peer(role: str) -> list[str]:
    """The command of one."""
    return [
        sys.executable,
        "-m",
        "benchmarks.misbehaving",
        role,
        "--ros-args",
        "-r",
        f"__ns:={NAMESPACE}",
    ]


@contextlib.contextmanager
def _run_process(
    command: list[str], ending: signal.Signals = signal.SIGINT
) -> "Iterator[subprocess.Popen[bytes]]":
    """A process, ended in the end; killed, if it does not."""
    process = subprocess.Popen(command)
    try:
        yield process
    finally:
        process.send_signal(ending)
        try:
            process.wait(10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(node: "subprocess.Popen[bytes]", there: Callable[[], object], listener: Any) -> None:
    """Take messages until the condition holds; RuntimeError if the node ends, or nothing comes."""
    import rclpy

    deadline = time.monotonic() + START
    while not there():
        if node.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the node sends nothing")
        rclpy.spin_once(listener, timeout_sec=0.1)


def _resident_memory(pid: int) -> float:
    """Memory of a process that is in use [MB]; Linux."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    sys.exit(main())
