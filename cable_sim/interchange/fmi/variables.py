"""Variables of a crane's FMU: what is set, what is read, and from where.

Inputs are what :class:`~cable_sim.machine.machine.Machine` takes, parameters what a run begins
with, outputs its true state, the readings of its sensors and the states of its limiters. The order
of the variables is that of their value references.
"""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import FamilySpec, ask_family
from cable_sim.machine.actuation import MODES
from cable_sim.machine.machine import Machine
from cable_sim.machine.rigging.overloads import OVERLOAD
from cable_sim.machine.states import STATES, AxisState, Sway, speed_and_direction

Kind = Literal["real", "integer", "boolean", "mode", "state"]
"""Types of variables; the last two are enumerations."""
CHOICES = {"mode": MODES, "state": STATES}
"""Names of an enumeration's values, which count from 0."""
_NUMBERS = {state: i for i, state in enumerate(STATES)}
POINT = ("x", "y", "z")
TURN = ("w", "x", "y", "z")

TRIGGERS: dict[str, Callable[[Machine], object]] = {
    "reset_latches": Machine.reset_latches,
    "lock_twistlocks": lambda machine: machine.twistlocks(True),
    "unlock_twistlocks": lambda machine: machine.twistlocks(False),
    "hook_on": Machine.hook_on,
    "unhook": Machine.unhook,
    "let_go": Machine.let_go,
}
"""Actions that begin when an input gets true, by its last word."""


class Variable(NamedTuple):
    """A variable of an FMU.

    Parameters
    ----------
    name: structured, such as ``axis.trolley.position``.
    kind: its type.
    text: description.
    unit: SI unit; empty for none.
    causality: as FMI has it.
    variability: as FMI has it.
    start: at the start, in the unit; None for an output.
    """

    name: str
    kind: Kind
    text: str
    unit: str = ""
    causality: Literal["input", "parameter", "output", "independent"] = "output"
    variability: Literal["continuous", "discrete", "fixed", "tunable"] = "continuous"
    start: float | None = None


def given_variables(machine: Machine) -> list[Variable]:
    """Return the inputs and parameters of a machine that stands at its start."""
    return [*_inputs(machine), *_parameters(machine)]


def _inputs(machine: Machine) -> list[Variable]:
    """Return what a tick takes."""
    found: list[Variable] = []

    def add(name: str, kind: Kind, text: str, unit: str = "", start: float = 0.0) -> None:
        steady: Any = "continuous" if kind == "real" else "discrete"
        found.append(Variable(f"command.{name}", kind, text, unit, "input", steady, start))

    for axis in machine.crane.axes:
        name = quoted(axis.name)
        motion = machine.motions[axis.name]
        units = {"speed": f"{axis.unit}/s", "position": axis.unit, "lever": "1"}
        units["effort"] = _effort_unit(axis.unit)
        add(f"{name}.mode", "mode", "which of its values commands the axis")
        for mode in axis.modes:
            if mode == "effort" and not motion.drive.max_effort:
                continue
            start = motion.state().position if mode == "position" else 0.0
            text = f"{mode} of {axis.name}, positive {axis.positive}"
            add(f"{name}.{mode}", "real", text, units[mode], start)
        add(f"{name}.brake", "boolean", f"close the brake of {axis.name}", start=False)
    add("emergency_stop", "boolean", "engage the emergency stop", start=False)
    add("stop_category", "integer", "of the emergency stop, 0 or 1 of IEC 60204", start=0)
    add("enable", "boolean", "hold the dead-man control", start=machine.enabled)
    for word in triggers_of(machine.crane):
        add(word, "boolean", f"{word.replace('_', ' ')}, when it gets true", start=False)
    if machine.crane.watched:
        for k in POINT:
            add(f"force.{k}", "real", f"force on {machine.crane.watched} in the world", "N")
    return found


def _parameters(machine: Machine) -> list[Variable]:
    """Return what a run begins with, and the wind, which may change at any time."""
    crane = machine.crane
    file = ask_family(crane)
    found: list[Variable] = []

    def add(name: str, kind: Kind, text: str, unit: str, start: float, tunable: bool) -> None:
        steady: Any = "tunable" if tunable else "fixed"
        found.append(Variable(name, kind, text, unit, "parameter", steady, start))

    load = _value(file, next(iter(file.load_changes(1.0) or ()), ""))
    if load is not None:
        add("load.mass", "real", "mass of the load", "kg", float(load), False)
    for axis, field in file.start_fields().items():
        value = _value(file, f"rig.start.{field}")
        if value is not None and any(axis == known.name for known in crane.axes):
            at = math.radians(value) if field.endswith("_deg") else float(value)
            text = f"coordinate of {axis} at the start"
            add(f"start.{quoted(axis)}", "real", text, crane.axis(axis).unit, at, False)
    seed = _value(file, "sensors.seed")
    if seed is not None:
        add("seed", "integer", "of sensors' noise and of turbulence", "", seed, False)
    speed, direction = speed_and_direction(machine.wind_now)
    text = "of a steady wind; one that is set replaces the winds of the crane's file"
    add("wind.speed", "real", f"speed {text}", "m/s", speed, True)
    add("wind.direction", "real", f"direction {text}", "rad", direction, True)
    return found


def _value(file: FamilySpec, path: str) -> Any:
    """Return the value of a file at a path, or None; mappings count as records."""
    value: Any = file if path else None
    for word in filter(None, path.split(".")):
        get = value.get if isinstance(value, dict) else lambda key, at=value: getattr(at, key, None)
        value = get(word)
    return value


class Outputs:
    """Outputs of a machine.

    Attributes
    ----------
    variables: outputs, in the order of what a call returns.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        crane = machine.crane
        bodies = [body.name for body in crane.scene.bodies]
        cables = [cable.name for cable in crane.scene.cables]
        hung = crane.suspension
        falls = crane.falls(hung) if hung else ()
        self._read = machine.simulator.reader(
            [f"bodies.{body}.{what}" for body in bodies for what in ("position", "orientation")]
            + [f"cables.{cable}.tension" for cable in cables]
        )
        self._falls = [7 * len(bodies) + cables.index(rope) for rope in falls]
        self._share = hung.n_falls / len(falls) if hung and falls else math.nan
        risky = [f"{c.name}{OVERLOAD}" for c in crane.scene.cables if c.breaking_force]
        self._limits = [*dict.fromkeys([*machine.limits, *risky])]
        self.variables = [
            *_motion_outputs(crane),
            *_body_outputs(bodies),
            *(_real(f"tension.{quoted(name)}", f"tension of {name}", "N") for name in cables),
            _real("hook_load", "falls times the mean tension of the hoist ropes", "N"),
            *_reading_outputs(machine),
            *(_other(f"limit.{quoted(n)}", "state", f"state of {n}") for n in self._limits),
            _other("status.step", "integer", "0 when the last step is exact, else its flags"),
            _other("status.stop_category", "integer", "of the stop that is requested; -1 for none"),
            _other("status.clamped", "integer", "commands that were beyond their limits"),
            _other("status.rejected", "integer", "commands that were refused"),
            _real("time", "of the crane, from its start", "s")._replace(causality="independent"),
        ]

    def __call__(self) -> list[float]:
        """Return the values of all outputs at the machine's newest tick, in their units."""
        machine = self._machine
        seen = machine.seen
        true = machine.readout(seen)
        values = [number for state in true.axes.values() for number in state]
        numbers = self._read(seen)
        if true.sway and true.load:
            values += [*true.sway, *true.load[0], *true.load[1]]
        values += numbers
        values.append(self._share * sum(numbers[i] for i in self._falls))
        values += machine.readings.values()
        limits = machine.limits
        values += [_NUMBERS[limits.get(name, "ok")] for name in self._limits]
        category = machine.stop_category
        counts = machine.counts
        values += (seen.report.status, -1 if category is None else category)
        values += (counts["clamped"], counts["rejected"], machine.time)
        return values


def _motion_outputs(crane: Crane) -> list[Variable]:
    """Return the outputs of axes, sway and load."""
    found = []
    for axis in crane.axes:
        own = (axis.unit, f"{axis.unit}/s", _effort_unit(axis.unit))
        for what, unit in zip(AxisState._fields, own, strict=True):
            text = f"{what} of {axis.name}, positive {axis.positive}"
            found.append(_real(f"axis.{quoted(axis.name)}.{what}", text, unit))
    if crane.suspension is None:
        return found
    for word, unit in zip(Sway._fields, ("rad", "rad", "rad/s", "rad/s", "m"), strict=True):
        found.append(_real(f"sway.{word}", f"of the hook below its trolley: {word}", unit))
    for what, unit in (("position", "m"), ("velocity", "m/s")):
        found += [_real(f"load.{what}.{k}", f"{what} of the load, world", unit) for k in POINT]
    return found


def _body_outputs(bodies: Sequence[str]) -> list[Variable]:
    """Return the poses of all bodies."""
    found = []
    for body in bodies:
        name = f"pose.{quoted(body)}"
        found += [_real(f"{name}.{k}", f"position of {body}, world", "m") for k in POINT]
        text = f"unit quaternion of {body}, world"
        found += [_real(f"{name}.q{k}", text, "1") for k in TURN]
    return found


def _reading_outputs(machine: Machine) -> list[Variable]:
    """Return the readings of sensors and quantities; those of a spreader are switches."""
    crane = machine.crane
    known = {*(sensor.name for sensor in crane.sensors), *(one.name for one in crane.quantities)}
    found = []
    for name in machine.readings:
        unit = crane.unit_of_reading(name) if name in known else "1"
        text = f"reading {name}; not a number while it is invalid"
        found.append(_real(f"reading.{quoted(name)}", text, unit))
    return found


def triggers_of(crane: Crane) -> list[str]:
    """Return the words of the actions that a crane has."""
    has = {"reset_latches"}
    if crane.twistlocks:
        has |= {"lock_twistlocks", "unlock_twistlocks", "let_go"}
    if crane.slings:
        has |= {"hook_on", "unhook", "let_go"}
    return [word for word in TRIGGERS if word in has]


def quoted(name: str) -> str:
    """Return a name as a part of a structured one, in quotes unless it is identifiers."""
    plain = all(re.fullmatch(r"[A-Za-z_]\w*", part, re.ASCII) for part in name.split("."))
    return name if plain else f"'{name}'"


def _effort_unit(unit: str) -> str:
    """Return the unit of the effort of an axis whose coordinate has a unit."""
    return "N m" if unit == "rad" else "N"


def _real(name: str, text: str, unit: str) -> Variable:
    """Return an output that is a number with a unit."""
    return Variable(name, "real", text, unit)


def _other(name: str, kind: Kind, text: str) -> Variable:
    """Return an output that is no such number."""
    return Variable(name, kind, text, variability="discrete")
