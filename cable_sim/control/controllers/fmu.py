"""A controller, or a drive, that is an FMU for co-simulation.

    controller:
      kind: fmu
      file: damper.fmu
      inputs: {sway: readings.sway.radial, wanted: plan.trolley.speed}
      outputs: {trolley: speed}

Once a tick the inputs are set to what is seen, the FMU takes a step of a tick, and its outputs are
the commands of that tick. An output for ``trolley.effort`` commands the force of the axis' drive,
so that the FMU is a drive.
"""

import dataclasses
import math
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from cable_sim.control.feedback import Command, Control, Feedback
from cable_sim.control.methods.fmu_instance import FmuInstance
from cable_sim.control.task import Law, Task
from cable_sim.errors import CommandError, SpecError, unknown
from cable_sim.spec.quantities import Real, spec

MODES = ("speed", "position", "effort")
LOAD = ("x", "y", "z", "vx", "vy", "vz")


@spec
class Fmu:
    """A controller that is an FMU of FMI 2 or 3; needs FMPy, ``pip install 'cable_sim[fmi]'``.

    Parameters
    ----------
    file: path of the FMU, counted from the folder of the scenario's file.
    inputs: the signal of each input that is set, in SI units: ``time``, ``pull``,
        ``axes.<axis>.position``, ``velocity`` or ``effort``, ``readings.<name>``, ``sway.radial``
        and the like, ``load.x`` to ``load.vz``, or of the planned moves ``plan.<axis>.position``,
        ``speed`` or ``acceleration``. An invalid reading leaves its input as it is.
    outputs: output that commands an axis, by ``<axis>`` for a speed or ``<axis>.<mode>``.
    parameters: values of the FMU's parameters, by name, in its units.
    """

    file: str
    outputs: dict[str, str]
    inputs: dict[str, str] = Field(default_factory=dict)
    parameters: dict[str, Real] = Field(default_factory=dict)
    kind: Literal["fmu"] = "fmu"

    def start(self, task: Task) -> Law:
        """The law of a task.

        Raises SpecError for an FMU that does not run and for names that are not there; the law
        raises CommandError where the FMU refuses a value or a step.
        """
        known = _signals(task, task.first)
        for name in self.inputs.values():
            if name not in known:
                raise SpecError(f"controller fmu: inputs: {unknown('signal', name, known)}")
        axes = [axis.name for axis in task.crane.axes]
        commands = {name: _axis_and_mode(name, axes) for name in self.outputs}
        fmu = FmuInstance(Path(self.file), self.parameters, task.first.time)
        for name in self.inputs:
            fmu.check(name, ("input",))
        for name in self.outputs.values():
            fmu.check(name, ("output",))
        outputs = [(*commands[name], output) for name, output in self.outputs.items()]

        def law(seen: Feedback) -> Control:
            signals = _signals(task, seen)
            for name, signal in self.inputs.items():
                if math.isfinite(signals[signal]):
                    fmu.set(name, signals[signal])
            fmu.step(seen.time, task.period)
            values = {name: fmu.get(name) for *_, name in outputs}
            for name, value in values.items():
                if not math.isfinite(value):
                    told = f"output {name!r} is {value} and no finite number"
                    raise CommandError(f"controller fmu at {seen.time:.6g} s: {told}")
            return {axis: Command(values[name], mode) for axis, mode, name in outputs}

        return law

    def relative_to(self, file: Path) -> "Fmu":
        """The same with its file counted from the folder of a scenario's file."""
        return dataclasses.replace(self, file=str((file.parent / self.file).resolve()))


def _axis_and_mode(name: str, axes: list[str]) -> tuple[str, Any]:
    """Return axis and mode of a name such as ``trolley.effort``; SpecError for another."""
    axis, _, mode = (name, "", "speed") if name in axes else name.rpartition(".")
    if axis not in axes:
        raise SpecError(f"controller fmu: outputs: {unknown('axis', axis or name, axes)}")
    if mode not in MODES:
        raise SpecError(f"controller fmu: outputs: {unknown('mode', mode, MODES)}")
    return axis, mode


def _signals(task: Task, seen: Feedback) -> dict[str, float]:
    """Return all signals by name; plans of speed are those of the middle of the coming tick."""
    found = {"time": seen.time, "pull": seen.pull}
    for axis, state in seen.axes.items():
        found |= {f"axes.{axis}.{word}": value for word, value in state._asdict().items()}
    found |= {f"readings.{name}": value for name, value in seen.readings.items()}
    if seen.sway:
        found |= {f"sway.{word}": value for word, value in seen.sway._asdict().items()}
    if seen.load:
        numbers = (*seen.load.position, *seen.load.velocity)
        found |= {f"load.{word}": value for word, value in zip(LOAD, numbers, strict=True)}
    for axis, plan in task.planned.items():
        found[f"plan.{axis}.position"] = plan(seen.time)[0]
        _, speed, acceleration = plan(seen.time + 0.5 * task.period)
        found |= {f"plan.{axis}.speed": speed, f"plan.{axis}.acceleration": acceleration}
    return found
