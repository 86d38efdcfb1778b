"""The crane inside an FMU: what the native wrapper calls, in the terms of a machine.

The wrappers of PythonFMU and PythonFMU3 load ``resources/crane_*.py``, which ``export.py`` writes.
The class there gets its methods from :class:`CraneSlave`. It gives a step the bits of
:class:`~cable_sim.control.plants.plant.LocalPlant` with the same commands in every tick.

The wrappers answer an exception by ``fatal`` and give the object up; a tool that calls it once more
then crashes. So mistakes are logged, and steps are refused until they are mended.
"""

import io
import math
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import partialmethod
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast
from xml.etree.ElementTree import Element

from cable_sim.cranes import load_crane
from cable_sim.cranes.family_spec import ask_family
from cable_sim.cranes.initial_conditions import InitialConditions
from cable_sim.errors import CableSimError, CommandError, StepError, unknown
from cable_sim.interchange.fmi.description import About, describe_fmu
from cable_sim.interchange.fmi.variables import (
    CHOICES,
    TRIGGERS,
    Outputs,
    Variable,
    given_variables,
    quoted,
    triggers_of,
)
from cable_sim.machine.actuation import MODES
from cable_sim.machine.external_wrenches import Push
from cable_sim.machine.machine import Machine
from cable_sim.machine.snapshot import MachineSnapshot
from cable_sim.spec.wind import Steady

NEAR = 1e-6
"""Largest difference of a communication step to a multiple of the tick, over the tick [-]."""
KINDS = {"real": ("real",), "integer": ("integer", "mode", "state"), "boolean": ("boolean",)}
"""Types of variables by the type that a tool reads and writes."""


class FmuState(NamedTuple):
    """Everything that determines the future of an FMU.

    Parameters
    ----------
    token: of the FMU.
    machine: its crane.
    given: values of inputs and parameters.
    applied: the same as they were when the last of those that act by changing had changed.
    offset: time of the tool over that of the crane [s]; None before the first step.
    """

    token: str
    machine: MachineSnapshot
    given: tuple[float, ...]
    applied: tuple[float, ...]
    offset: float | None


class CraneSlave:
    """Methods that a wrapper calls.

    A subclass has the first attributes, and ``log`` from the library of the wrapper.

    Attributes
    ----------
    about: identity of the FMU.
    file: name of the crane's file among the resources.
    dt: physics step [s].
    status: enumeration of FMI's statuses.
    result: makes the result of a step of its status.
    """

    about: About
    file: str
    dt: float
    status: Any
    result: Any
    log: Any

    def __init__(self, resources: str, **others: Any) -> None:
        super().__init__(resources=resources, **others)  # type: ignore[call-arg]  # the wrapper's
        self._path = Path(resources) / self.file
        self._running = False
        self._offset: float | None = None
        self._start: tuple[float, ...] = ()
        self._values: list[float] = []
        self._problems: dict[object, str] = {}
        self._changed = True
        self._build({})
        given = given_variables(self.machine)
        self.variables: list[Variable] = [*given, *self._outputs.variables]
        self._start = tuple(variable.start or 0 for variable in given)
        self._given = [*self._start]
        self._applied = self._start
        self._places = {variable.name: i for i, variable in enumerate(given)}
        self._axes = [self._axis_places(axis.name) for axis in self.machine.crane.axes]
        self._quick = {i for _, _, _, values in self._axes for i in values.values()}
        self._known = {
            wide: {i for i, variable in enumerate(self.variables) if variable.kind in kinds}
            for wide, kinds in KINDS.items()
        }
        force = [i for name, i in self._places.items() if name.startswith("command.force.")]
        self._force = slice(force[0], force[-1] + 1) if force else slice(0)

    def to_xml(self, model_options: object = None) -> Element:
        """Return the model description."""
        return describe_fmu(self.about, self.variables)

    def exit_initialization_mode(self) -> None:
        """Build the crane with the parameters that have been set; they are fixed from here on."""
        self._rebuild()
        self._running = True

    def do_step(self, current_time: float, step_size: float) -> Any:
        """Run the ticks of a communication step, from a time and of a length [s].

        Time passes by whole steps: one that is refused leaves the crane as it is.
        """
        self._rebuild()
        machine = self.machine
        tick = machine.tick_time
        count = round(step_size / tick) if math.isfinite(step_size) else 0
        if self._problems:
            return self._refuse("; ".join(self._problems.values()))
        if count < 1 or abs(count * tick - step_size) > NEAR * tick:
            return self._refuse(f"step of {step_size:g} s: must be a multiple of {tick:g} s")
        start = machine.time
        offset = current_time - start if self._offset is None else self._offset
        if not abs(current_time - offset - start) <= 0.5 * tick:
            return self._refuse(
                f"step from {current_time:g} s: the crane is at {start + offset:g} s"
            )
        self._offset = offset
        self._values = []
        try:
            for _ in range(count):
                self._command()
                machine.tick()
        except CableSimError as error:
            if machine.time == start and not isinstance(error, StepError):
                return self._refuse(str(error))
            self._note("step", str(error))
            return self.result(self.status.error)
        return True

    def _refuse(self, words: str) -> Any:
        """Log why a step can't be taken, and return the result of one that is discarded."""
        self.log(words, self.status.discard)
        return self.result(self.status.discard)

    def _note(self, key: object, words: str) -> None:
        """Log a mistake, for which steps are refused until it is mended."""
        self._problems[key] = words
        self.log(words, self.status.error)

    def _get(self, kind: str, references: Sequence[int]) -> list[float]:
        """Return values; that of a variable that is not there, or of another type, is 0."""
        if not self._values:
            self._rebuild()
            self._values = [*self._given, *self._outputs()]
            self._values[-1] += self._offset or 0.0  # the tool's time
        values = self._values
        if self._known[kind].issuperset(references):
            return [values[reference] for reference in references]
        wrong = {i: self._wrong(kind, i) for i in references}
        for reference, words in wrong.items():
            if words:
                self._note(reference, words)
        return [0.0 if wrong[i] else values[i] for i in references]

    def _set(self, kind: str, references: Sequence[int], values: Sequence[float]) -> None:
        """Set inputs and parameters."""
        for reference, value in zip(references, values, strict=True):
            words = self._wrong(kind, reference) or self._problem(reference, value)
            if words:
                self._note(reference, words)
                continue
            self._given[reference] = value
            self._problems.pop(reference, None)
        self._changed = self._changed or not self._quick.issuperset(references)
        self._values = []

    get_real = get_float64 = partialmethod(_get, "real")
    get_integer = get_int32 = get_int64 = partialmethod(_get, "integer")
    get_boolean = partialmethod(_get, "boolean")
    set_real = set_float64 = partialmethod(_set, "real")
    set_integer = set_int32 = set_int64 = partialmethod(_set, "integer")
    set_boolean = partialmethod(_set, "boolean")

    def _wrong(self, kind: str, reference: int) -> str:
        """Return why there is no variable of a reference and type; empty if there is."""
        if reference in self._known[kind]:
            return ""
        if 0 <= reference < len(self.variables):
            return f"{self.variables[reference].name} is no {kind}"
        known = f"those of {self.about.name} are 0 to {len(self.variables) - 1}"
        return f"value reference {reference} is not known; {known}"

    def _problem(self, reference: int, value: float) -> str:
        """Return why a variable can't be set to a value; empty if it can."""
        variable = self.variables[reference]
        choices = CHOICES.get(variable.kind)
        words = ""
        if reference >= len(self._given):
            words = "an output can't be set"
        elif variable.variability == "fixed" and self._running:
            words = "it is fixed since the end of the initialisation"
        elif not math.isfinite(value):
            words = "must be a finite number"
        elif choices and not 0 <= value < len(choices):
            words = f"must be one of {', '.join(f'{i} {word}' for i, word in enumerate(choices))}"
        return f"{variable.name} = {value}: {words}" if words else ""

    def _get_fmu_state(self) -> FmuState:
        """Return a copy of the state."""
        self._rebuild()
        given = tuple(self._given)
        state = self.machine.save()
        return FmuState(self.about.token, state, given, self._applied, self._offset)

    def _set_fmu_state(self, state: FmuState | str) -> None:
        """Go back to a state of this FMU, which may be that of another instance."""
        if isinstance(state, str):
            return self._note("state", state)
        if state.token != self.about.token:
            return self._note("state", f"the state is of another FMU than {self.about.name}")
        self._problems.clear()
        self._given[:] = state.given
        self._changed = True
        self._rebuild()
        self.machine.restore(state.machine)
        self._applied = state.applied
        self._offset = state.offset
        self._changed = True
        self._values = []

    @staticmethod
    def _fmu_state_to_bytes(state: FmuState | str) -> bytes:
        """Return a state in bytes."""
        return pickle.dumps(state)

    @staticmethod
    def _fmu_state_from_bytes(data: bytes) -> FmuState | str:
        """Return the state of bytes, or why they are none; none is run."""
        try:
            state = _StateReader(io.BytesIO(data)).load()
        except Exception as error:  # pickle raises of every kind for bytes that are none of its
            return f"serialised state: can't be read: {error}"
        return state if isinstance(state, FmuState) else "serialised state: is none of a crane's"

    def _build(self, conditions: Mapping[str, float]) -> None:
        """Build the crane with initial conditions that differ from those of its file."""
        crane = load_crane(self._path)
        if conditions:
            names = {f"start.{quoted(axis.name)}": axis.name for axis in crane.axes}
            start = {axis: conditions[name] for name, axis in names.items() if name in conditions}
            seed = int(conditions["seed"]) if "seed" in conditions else None
            load = conditions.get("load.mass")
            given = InitialConditions(crane.name, load, start=start, seed=seed)
            crane = load_crane(self._path, ask_family(crane).initial_changes(given))
        self.machine = Machine(crane, dt=self.dt, substeps=round(self.about.step / self.dt))
        self._conditions = dict(conditions)
        self._outputs = Outputs(self.machine)
        self._values = []
        self._applied = self._start
        self._changed = True

    def _rebuild(self) -> None:
        """Build the crane anew if initial conditions have changed."""
        if not self._changed:
            return
        wanted = {
            self.variables[i].name: self._given[i]
            for i, start in enumerate(self._start)
            if self.variables[i].variability == "fixed" and self._given[i] != start
        }
        if wanted == self._conditions:
            return
        try:
            self._build(wanted)
            self._problems.pop("parameters", None)
        except CableSimError as error:
            self._note("parameters", str(error))

    def _axis_places(self, axis: str) -> tuple[str, int, int, dict[str, int]]:
        """Return an axis and the places of its inputs: mode, brake, and the value of each mode."""
        name = f"command.{quoted(axis)}"
        values = {mode: self._places.get(f"{name}.{mode}", -1) for mode in MODES}
        taken: dict[str, int] = {mode: place for mode, place in values.items() if place >= 0}
        return axis, self._places[f"{name}.mode"], self._places[f"{name}.brake"], taken

    def _command(self) -> None:
        """Give the machine the inputs of a tick."""
        given = self._given
        if self._changed:
            self._act_on_changes()
            self._changed = False
        for axis, mode_place, brake_place, values in self._axes:
            mode = MODES[int(given[mode_place])]
            if mode not in values:
                raise CommandError(f"axis {axis!r}: {unknown('mode', mode, values)}")
            self.machine.command(axis, given[values[mode]], mode, bool(given[brake_place]))
        if any(given[self._force]):
            self._push()

    def _push(self) -> None:
        """Give the watched body the force from outside."""
        x, y, z = self._given[self._force]
        push = Push(self.machine.crane.watched, (x, y, z), (0.0, 0.0, 0.0))
        self.machine.pushes.give(push, self.machine.time)

    def _act_on_changes(self) -> None:
        """Do what inputs and the wind command when they change."""
        machine = self.machine
        given = self._given
        changed = {name for name, i in self._places.items() if given[i] != self._applied[i]}
        if any(name.startswith("wind.") for name in changed):
            speed, direction = (given[self._places[f"wind.{k}"]] for k in ("speed", "direction"))
            machine.wind = Steady(speed, math.degrees(direction))
        if changed & {"command.emergency_stop", "command.stop_category"}:
            engaged = bool(given[self._places["command.emergency_stop"]])
            category = given[self._places["command.stop_category"]]
            machine.emergency_stop(engaged, cast(Literal[0, 1], category))
        if "command.enable" in changed:
            machine.enable(bool(given[self._places["command.enable"]]))
        if any(name.startswith("command.force.") for name in changed):
            self._push()  # which ends one that is 0 now
        for word in triggers_of(machine.crane):
            name = f"command.{word}"
            if name in changed and given[self._places[name]]:
                try:
                    TRIGGERS[word](machine)
                except CommandError as error:
                    self.log(f"{word}: {error}", self.status.warning)
        self._applied = tuple(given)  # of what is refused above nothing counts as applied


class _StateReader(pickle.Unpickler):
    """Reader of serialised states, which makes records and arrays and calls nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of a state; UnpicklingError for any other."""
        if module.startswith("cable_sim.") or (module.partition(".")[0], name) in _PLAIN:
            made = super().find_class(module, name)
            record = isinstance(made, type) and (issubclass(made, tuple) or is_dataclass(made))
            if record or not module.startswith("cable_sim."):
                return made
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a state")


_PLAIN = {("builtins", "frozenset"), ("builtins", "set"), ("collections", "OrderedDict")}
_PLAIN |= {
    ("numpy", word) for word in ("ndarray", "dtype", "_reconstruct", "scalar", "_frombuffer")
}
"""Names by which arrays and sets are read, with their packages."""
