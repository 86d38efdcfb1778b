"""The part of scenario 12 with a PLC in the loop: Modbus/TCP on loopback, 10 ms, physics at 1 kHz,
by the clock."""

import json
import math
import os
import subprocess
import sys
import threading
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError
from cable_sim.machine.machine import Machine
from validation.harness import Finding, Progress, Reading, Result, Statement, at_least, at_most

if TYPE_CHECKING:
    from cable_sim.control.plants.clocked_link import ClockedRun
    from cable_sim.control.plants.plc_link import PlcLink

CRANE = "tandem_lift"
SECONDS = 6.0
"""Length of the run, unless the environment says another [s]; the scenario's is 1800."""
VARIABLE = "CABLE_SIM_PLC_SECONDS"
"""Environment variable for the length of the run [s].

Such a run is meant to meet its deadlines, and is judged by them.
"""
LEAST = 2.0
"""Shortest run that may be asked for [s]: in its last second the PLC stops the cranes."""
HOME = Path(__file__).resolve().parents[2]
"""Folder that ``validation`` is in."""
STARTING = 60.0
"""Longest time that the PLC's program may take to start and to leave [s]."""


def run_in_loop(progress: Progress) -> Result:
    """A PLC in a process of its own hoists the beam up and down, keeps it level by the encoders'
    readings, and in the end engages the emergency stop. Commands go in and readings out over
    Modbus/TCP on loopback, every 10 ms, while the machine runs by the clock with steps of 1 ms. A
    deadline is missed when a tick is not done as the next one is due. What deadlines are missed
    depends on what else this machine has to do, so a short run tells them and is not judged by
    them; with ``CABLE_SIM_PLC_SECONDS=1800`` the run is as long as the scenario's and is judged.

    The commands that each tick obeyed are logged and replayed, without clock and network: the same
    bits follow, of poses and velocities, ropes, drives, control.
    """
    from cable_sim.control.plants.clocked_link import replay
    from cable_sim.control.plants.plc_link import PlcLink

    asked = requested_length()
    seconds = asked or SECONDS
    crane = load_crane(CRANE)
    machine = Machine(crane, dt=1e-3, substeps=10)
    link = PlcLink(machine)
    words = [
        sys.executable,
        "-m",
        "validation.acceptance.tandem_plc",
        str(link.port),
        str(seconds),
        CRANE,
    ]
    try:
        run, told = run_led(link, words, seconds + STARTING)
    finally:
        link.close()
    again = Machine(crane, dt=1e-3, substeps=10)
    replay(again, run.log)
    bits = differing_names(machine.save(), again.save())
    ticks = len(run.log)
    found = [
        deadlines(run, ticks, machine.tick_time, bool(asked)),
        *exchanges(run, told),
        Statement(
            "emergency stop by the PLC",
            "engaged, and read back",
            machine.stopped and bool(told["emergency_stop_seen"]),
            f"stopped: {machine.stopped}",
        ),
        Statement(
            "replay of the log",
            "the same bits",
            bits == [],
            f"differing arrays: {', '.join(bits) or 'none'}",
        ),
    ]
    return Result(found)


def deadlines(run: "ClockedRun", ticks: int, tick_time: float, judged: bool) -> Finding:
    """Deadlines that were missed, and when."""
    count = float(len(run.missed))
    when = "at " + ", ".join(f"{at:.2f} s" for at in run.missed) if run.missed else ""
    name = f"deadlines missed in {ticks} ticks, {ticks * tick_time:.1f} s by the clock"
    return at_most(name, 0.0, count, note=when) if judged else Reading(name, count, note=when)


def exchanges(run: "ClockedRun", told: dict[str, float]) -> list[Finding]:
    """Return findings on the delays of ticks and exchanges, and what the PLC brought about by
    them."""
    return [
        Reading("latest tick after it was due", 1e3 * run.latest, "ms"),
        Reading("exchanges of the PLC", told["cycles"]),
        Reading("longest exchange", 1e3 * told["longest"], "ms"),
        Reading("exchanges longer than 10 ms", told["late"]),
        at_least("ticks with new commands, of the PLC's cycles", 0.5, run.renewed / told["cycles"]),
        at_most("hooks apart while the PLC holds them level", 0.02, told["apart"], "m"),
    ]


def requested_length() -> float | None:
    """Length of the run that the environment asks for [s], if it does; CableSimError for one that
    can't be."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not LEAST <= seconds < math.inf:
        raise CableSimError(
            f"{VARIABLE}={text}: wanted is the length of the run in seconds, {LEAST:g} or more"
        )
    return seconds


def run_led(
    link: "PlcLink", words: list[str], most: float
) -> tuple["ClockedRun", dict[str, float]]:
    """Run a machine by the clock until a program that commands it has ended, for ``most`` seconds
    at most.

    Returns the run and what the program told; CableSimError for one that failed.
    """
    program = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment())
    ended = threading.Event()

    def watch() -> None:
        program.wait()
        ended.set()

    threading.Thread(target=watch, name="plc", daemon=True).start()
    try:
        run = link.run(most, ended)
        told = program.communicate(timeout=30.0)[0]
    finally:
        program.kill()
    if program.returncode:
        raise CableSimError(
            f"the PLC's program failed with status {program.returncode}: {' '.join(words)}"
        )
    return run, json.loads(told)


def environment() -> dict[str, str]:
    """Return an environment in which ``validation`` is found, from wherever it was loaded."""
    known = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (known, str(HOME))))}


def differing_names(ours: Any, other: Any, name: str = "state") -> list[str]:
    """Names of the arrays and values in which two snapshots differ, bit by bit."""
    if isinstance(ours, np.ndarray):
        return [] if ours.tobytes() == other.tobytes() else [name]
    if hasattr(ours, "_fields"):
        return [
            n
            for field in ours._fields
            for n in differing_names(getattr(ours, field), getattr(other, field), field)
        ]
    if is_dataclass(ours):
        return [
            n
            for f in fields(ours)
            for n in differing_names(getattr(ours, f.name), getattr(other, f.name), f.name)
        ]
    if isinstance(ours, dict):
        return [n for key in ours for n in differing_names(ours[key], other[key], str(key))]
    return [] if ours == other else [name]
