"""Diagnostics on /diagnostics: timing, solver, commands, drives, ropes, sensors, limits, faults."""

from collections import Counter
from typing import Any, NamedTuple

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from std_msgs.msg import Header

from cable_sim.machine.machine import ACTING, Machine
from cable_sim.msg import SimStats
from cable_sim.ros.basis.stats import Stats, Window
from cable_sim.ros.command.commands import Counts
from cable_sim.ros.interface import COMMANDS
from cable_sim.sim.observation import Observation
from cable_sim.sim.readings.colors import FULL_SCALE_SHARE
from cable_sim.sim.sentences import explain

OK = DiagnosticStatus.OK
WARN = DiagnosticStatus.WARN
ERROR = DiagnosticStatus.ERROR

RUN = "run"
SOLVER = "solver"
DRIVES = "drives"
CABLES = "cables"
SENSORS = "sensors"
LIMITERS = "limiters"
FAULTS = "faults"
POSES = "poses"
ENGAGED = "engaged"
_NEWS = {
    "rejected": "rejected",
    "unreadable": "unreadable",
    "failed": "failed",
    "clamped": "clamped to a limit",
    "stale": "timed out",
}
"""Commands that cause a warning.

Values that are not finite are no commands, and may be intended.
"""


class Finding(NamedTuple):
    """One status: level, a sentence, and the numbers behind it."""

    level: bytes
    sentence: str
    values: dict[str, Any]


class Diagnostics:
    """Diagnostics of a node as one message.

    ``source``, the node with its namespace, goes before the names of the findings; ``hardware`` is
    the crane. New counts warn in one message only, persistent states in all messages while they
    last.
    """

    def __init__(self, source: str, hardware: str, stamp: Time) -> None:
        self.source = source
        self.hardware = hardware
        self.message = DiagnosticArray(header=Header(stamp=stamp))
        self._told: Counter[str] = Counter()

    def fill(
        self, machine: Machine, observation: Observation, stats: Stats, counts: Counts
    ) -> DiagnosticArray:
        """Check everything, and fill the message."""
        window = stats.look()
        findings = {
            RUN: self._run(stats, window),
            SOLVER: self._solver(stats, window, observation),
            COMMANDS: self._commands(machine, counts),
            DRIVES: self._drives(machine, observation),
            CABLES: self._cables(machine, observation),
            SENSORS: self._sensors(machine),
            LIMITERS: self._limiters(machine),
            FAULTS: self._faults(machine),
        }
        if machine.followers:
            findings[POSES] = self._poses(machine)
        self.message.status = [
            DiagnosticStatus(
                level=finding.level,
                name=f"{self.source}: {name}",
                message=finding.sentence,
                hardware_id=self.hardware,
                values=[
                    KeyValue(key=key, value=_text(value)) for key, value in finding.values.items()
                ],
            )
            for name, finding in findings.items()
        ]
        return self.message

    def _run(self, stats: Stats, window: Window) -> Finding:
        """Report whether the run keeps the requested pace."""
        status, text = stats.judge(window)
        level = {SimStats.LATE: WARN, SimStats.FAILED: ERROR}.get(status, OK)
        if status == SimStats.PAUSED and text:  # not because somebody wanted it
            level = WARN
        told = text if level != OK else "paused" if stats.paused else "running"
        if stats.unpublished:
            level = ERROR
            told = f"{told}; not published: {', '.join(sorted(stats.unpublished))}"
        return Finding(
            level,
            told,
            {
                "real time factor": 0.0 if stats.paused else window.pace,
                "asked for": stats.factor,
                "missed ticks": stats.missed,
                "behind [s]": stats.behind,
                "overruns": stats.overruns,
                "tick time mean [s]": window.mean,
                "tick time max [s]": window.longest,
                "time for a tick [s]": stats.period,
            },
        )

    def _solver(self, stats: Stats, window: Window, observation: Observation) -> Finding:
        """Report whether steps were solved."""
        values = {
            "iterations": window.iterations,
            "residual": window.residual,
            "ticks": window.ticks,
            "ticks that were not exact": window.inexact,
            "energy [J]": float(observation.energy.total),
        }
        if stats.failure:
            return Finding(ERROR, stats.failure, values)
        return Finding(WARN if window.flags else OK, explain(window.flags) or "exact", values)

    def _commands(self, machine: Machine, counts: Counts) -> Finding:
        """Report received commands; warn of new ones that were refused, clamped or timed out."""
        values: dict[str, Any] = {
            kind.replace("_", " "): counts.of[kind]
            for kind in (
                "taken",
                "rejected",
                "not_finite",
                "unreadable",
                "failed",
                "lockstep_timeouts",
            )
        }
        values["rejected"] += machine.counts["rejected"]
        values["clamped"] = machine.counts["clamped"]
        values["stale"] = machine.counts["stale"]
        news = [
            f"{count} {words}"
            for kind, words in _NEWS.items()
            if (count := self._count_increase(kind, values[kind]))
        ]
        news += counts.conflicts()
        values.update({f"notice {i}": text for i, text in enumerate(counts.newest_notices(5))})
        return Finding(WARN if news else OK, ", ".join(news) or "understood", values)

    def _drives(self, machine: Machine, observation: Observation) -> Finding:
        """Report the emergency stop, and commands, power and reserves of each axis' drive."""
        values: dict[str, Any] = {
            "emergency stop": ENGAGED if machine.stopped else "released",
            "dead-man control": "held" if machine.enabled else "released",
        }
        saturated = []
        for axis in machine.crane.axes:
            silent = machine.timed_out(axis.name)
            full = bool(observation.drive(axis.drive).saturated)
            off = axis.name in machine.faults.tripped
            values[axis.name] = (
                ("no command" if silent else "commanded")
                + ", at its limit" * full
                + ", without power" * off
            )
            saturated += [axis.name] * full
        waiting = "after the emergency stop {} wait for a command of zero or a reset"
        return _first(
            values,
            "ready",
            (ERROR, "without power: {}", sorted(machine.faults.tripped)),
            (WARN, "emergency stop engaged", machine.stopped),
            (WARN, "dead-man control released", not machine.enabled),
            (WARN, waiting, sorted(machine.restart.waiting)),
            (WARN, "at the effort limit of the drive: {}", saturated),
        )

    def _cables(self, machine: Machine, observation: Observation) -> Finding:
        """Report tensions, and their present and largest share of the breaking force."""
        values = {}
        slack = []
        loaded = []
        torn = [
            f"{name} ({peak.utilisation:.3g} times at {peak.time:.6g} s)"
            for name, peak in machine.overloads.items()
        ]
        parted = []
        for spec in machine.crane.scene.cables:
            cable = observation.cable(spec.name)
            tension = float(cable.span_tension.max())
            share = tension / spec.breaking_force
            values[f"{spec.name} tension [N]"] = tension
            values[f"{spec.name} utilisation"] = share
            values[f"{spec.name} peak utilisation"] = cable.peak_utilisation
            parted += [spec.name] * cable.parted
            values[f"{spec.name} slack"] = cable.slack
            # not what hangs a load that may stand on a hook
            loose = cable.slack and not cable.off
            slack += [spec.name] * (loose and spec.name in machine.crane.ropes)
            loaded += [spec.name] * (share > FULL_SCALE_SHARE)
        return _first(
            values,
            "taut and within their limits",
            (ERROR, "parted: {}", parted),
            (ERROR, "were beyond the breaking force: {}", torn),
            (WARN, "above the tension that the design factor allows: {}", loaded),
            (WARN, "slack: {}", slack),
        )

    def _sensors(self, machine: Machine) -> Finding:
        """Report sensors without a reading, and samples that dropped out."""
        if machine.plc is None or machine.time == 0.0:  # nothing has been read yet
            return Finding(OK, "nothing has been measured", {})
        readings = machine.readings
        lost = machine.plc.lost
        silent = [name for name in lost if readings[name] != readings[name]]
        fresh = [
            name for name, count in lost.items() if self._count_increase(f"lost {name}", count)
        ]
        values = {f"{name} lost samples": count for name, count in lost.items() if count}
        return _first(
            values,
            "all read",
            (ERROR, "without a reading: {}", silent),
            (WARN, "missing samples: {}", fresh),
        )

    def _limiters(self, machine: Machine) -> Finding:
        """Report the state of every limiter, and the control's readings and computed values."""
        states = machine.limits
        values = {f"{name} reading": value for name, value in machine.readings.items()}
        acting = [f"{name} {state}" for name, state in states.items() if state in ACTING]
        noted = [
            f"{name} {state}"
            for name, state in states.items()
            if state in ("warning", "pending", "bypassed")
        ]
        level = ERROR if "invalid" in states.values() else (WARN if acting or noted else OK)
        return Finding(level, ", ".join(acting + noted) or "nothing forbidden", states | values)

    def _faults(self, machine: Machine) -> Finding:
        """Report injected faults and their strength."""
        values = {one.name: one.strength for one in machine.faults.active}
        return _first(
            values, "no faults", (WARN, "{}", [one.name for one in machine.faults.active])
        )

    def _poses(self, machine: Machine) -> Finding:
        """Report bodies that follow poses, and those to which none come."""
        newest = {body: follower.newest for body, follower in machine.followers.items()}
        values = {
            f"{body} newest pose [s ago]": machine.time - time
            for body, time in newest.items()
            if time is not None
        }
        waiting = [body for body, time in newest.items() if time is None]
        silent = [b for b, follower in machine.followers.items() if follower.silent(machine.time)]
        return _first(
            values,
            "followed",
            (WARN, "no more poses, at rest: {}", silent),
            (WARN, "no pose yet, at rest: {}", waiting),
        )

    def _count_increase(self, kind: str, count: int) -> int:
        """Return the increase of a count since the last message; a count that fell began anew."""
        before = self._told[kind]
        self._told[kind] = count
        return count - before if count >= before else count


def _first(values: dict[str, Any], good: str, *cases: tuple[bytes, str, Any]) -> Finding:
    """Return the first case that holds, of flags or names for ``{}``, or a good finding."""
    for level, sentence, holds in cases:
        if holds:
            names = ", ".join(holds) if isinstance(holds, list) else ""
            return Finding(level, sentence.format(names), values)
    return Finding(OK, good, values)


def _text(value: Any) -> str:
    """Return a value as text."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
