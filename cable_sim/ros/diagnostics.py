"""/diagnostics: is it in time, solved well, are commands understood, are the ropes all right, what is forbidden."""

from typing import Any, NamedTuple

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from cable_sim.machine.machine import ACTING, Machine
from cable_sim.msg import SimStats
from cable_sim.ros.commands import Counts
from cable_sim.sim.colors import FULL_SCALE_SHARE
from cable_sim.sim.observation import Observation

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR

RUN, COMMANDS, DRIVES, CABLES, LIMITERS, FAULTS = "run", "commands", "drives", "cables", "limiters", "faults"
ENGAGED = "engaged"


class Finding(NamedTuple):
    """One status: level, a sentence, and the numbers behind it."""

    level: bytes
    sentence: str
    values: dict[str, Any]


class Diagnostics:
    """Puts findings into a message; ``source`` goes before their names, ``hardware`` is the crane."""

    def __init__(self, source: str, hardware: str, stamp: Time) -> None:
        self.source, self.hardware = source, hardware
        self.message = DiagnosticArray()
        self.message.header.stamp = stamp
        self._rejected = 0

    def fill(self, machine: Machine, observation: Observation, stats: SimStats, counts: Counts) -> DiagnosticArray:
        """Look at everything."""
        findings = {
            RUN: self._run(stats),
            COMMANDS: self._commands(machine, counts),
            DRIVES: self._drives(machine, observation),
            CABLES: self._cables(machine, observation),
            LIMITERS: self._limiters(machine),
            FAULTS: self._faults(machine),
        }
        self.message.status = [
            DiagnosticStatus(
                level=finding.level, name=f"{self.source}: {name}", message=finding.sentence,
                hardware_id=self.hardware,
                values=[KeyValue(key=key, value=_text(value)) for key, value in finding.values.items()],
            )
            for name, finding in findings.items()
        ]  # fmt: skip
        return self.message

    def _run(self, stats: SimStats) -> Finding:
        """Speed and accuracy."""
        level = {SimStats.RUNNING: OK, SimStats.PAUSED: OK, SimStats.FAILED: ERROR}.get(stats.status, WARN)
        if stats.status == SimStats.PAUSED and stats.status_text:  # not because somebody wanted it
            level = WARN
        words = {SimStats.RUNNING: "running", SimStats.PAUSED: "paused"}
        return Finding(level, stats.status_text or words[stats.status], {
            "real time factor": stats.real_time_factor, "missed ticks": stats.missed_ticks,
            "tick time mean [s]": stats.step_time_mean, "tick time max [s]": stats.step_time_max,
            "solver iterations": stats.solver_iterations, "solver residual": stats.solver_residual,
            "energy [J]": stats.energy,
        })  # fmt: skip

    def _commands(self, machine: Machine, counts: Counts) -> Finding:
        """What came in; a warning while new ones are being refused."""
        values: dict[str, Any] = {
            kind.replace("_", " "): counts.of[kind]
            for kind in ("taken", "rejected", "not_finite", "unreadable", "lockstep_timeouts")
        }
        values["rejected"] += machine.counts["rejected"]
        values["clamped"] = machine.counts["clamped"]
        values.update({f"notice {i}": text for i, text in enumerate(list(counts.notices)[-5:])})
        refused = values["rejected"] + values["unreadable"]
        news, self._rejected = refused - self._rejected, refused
        if news > 0:
            return Finding(WARN, f"{news} refused since the last message", values)
        return Finding(OK, "understood", values)

    def _drives(self, machine: Machine, observation: Observation) -> Finding:
        """Emergency stop, and for each axis whether it is commanded and whether its drive has reserves."""
        values: dict[str, Any] = {"emergency stop": ENGAGED if machine.stopped else "released"}
        saturated = []
        for axis in machine.crane.axes:
            silent = machine.timed_out(axis.name)
            full = bool(observation.drive(axis.drive).saturated)
            values[axis.name] = ("no command" if silent else "commanded") + (", at its limit" if full else "")
            saturated += [axis.name] * full
        if machine.stopped:
            return Finding(WARN, "emergency stop engaged", values)
        if saturated:
            return Finding(WARN, f"at the limit of what the drive gives: {', '.join(saturated)}", values)
        return Finding(OK, "ready", values)

    def _cables(self, machine: Machine, observation: Observation) -> Finding:
        """Tension, and how much of the breaking force it is."""
        values, slack, loaded, torn, parted = {}, [], [], [], []
        for spec in machine.crane.scene.cables:
            cable = observation.cable(spec.name)
            tension = float(cable.span_tension.max())
            share = tension / spec.breaking_force
            values[f"{spec.name} tension [N]"] = tension
            values[f"{spec.name} utilisation"] = share
            parted += [spec.name] * cable.parted
            slack += [spec.name] * (cable.slack and not cable.off)
            loaded += [spec.name] * (share > FULL_SCALE_SHARE)
            torn += [spec.name] * (share > 1.0)
        if parted:
            return Finding(ERROR, f"parted: {', '.join(parted)}", values)
        if torn:
            return Finding(ERROR, f"beyond the breaking force: {', '.join(torn)}", values)
        if loaded:
            return Finding(WARN, f"design factor used up: {', '.join(loaded)}", values)
        if slack:
            return Finding(WARN, f"slack: {', '.join(slack)}", values)
        return Finding(OK, "taut and within their limits", values)

    def _limiters(self, machine: Machine) -> Finding:
        """State of every limiter, and what the control reads and computes."""
        states, values = machine.limits, {f"{name} reading": value for name, value in machine.readings.items()}
        acting = [f"{name} {state}" for name, state in states.items() if state in ACTING]
        noted = [f"{name} {state}" for name, state in states.items() if state in ("warning", "pending", "bypassed")]
        level = ERROR if "invalid" in states.values() else (WARN if acting or noted else OK)
        return Finding(level, ", ".join(acting + noted) or "nothing forbidden", states | values)

    def _faults(self, machine: Machine) -> Finding:
        """What is broken on purpose, and how badly."""
        active = machine.faults.active
        if not active:
            return Finding(OK, "nothing is broken", {})
        return Finding(WARN, ", ".join(one.name for one in active), {one.name: one.strength for one in active})


def _text(value: Any) -> str:
    """A value for a person."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
