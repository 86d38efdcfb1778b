"""Runs of a crane under recorded commands: readings that its sensors give without noise.

A recording has commands in columns ``AXIS.command``, speeds [m/s, rad/s], or with a mode behind, as
in ``hoist.command.lever``; other columns are readings by the names of
:attr:`~cable_sim.machine.machine.Machine.readings`. A command holds until the next row. The run
begins at the first row, with the crane as its file starts it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError, SpecError, unknown
from cable_sim.machine.actuation import MODES, Mode
from cable_sim.machine.machine import Machine
from cable_sim.sim.readings.channels import TIME, Channel
from cable_sim.sim.recording.recording import Recording
from cable_sim.sim.recording.recording_files import NEVER_READ

Array = NDArray[np.float64]
COMMAND = ".command"
"""Ending of a column of commands, before the mode."""
ROUNDING = 1e-6
"""Part of a tick by which a row may be late and still count for it."""


class Command(NamedTuple):
    """Column of commands: the axis and the mode that it is for."""

    axis: str
    mode: Mode


def commands_of(recording: Recording, crane: Crane) -> dict[str, Command]:
    """Return the columns of commands of a recording.

    Raises SpecError for an axis that the crane does not have, and for an unknown mode.
    """
    found: dict[str, Command] = {}
    for column in recording.columns:
        axis, ending, mode = column.partition(COMMAND)
        if not ending or (mode and mode[0] != "."):
            continue
        crane.axis(axis)
        word = mode[1:] or "speed"
        if word not in MODES:
            raise SpecError(f"recording: column {column!r}: {unknown('mode', word, MODES)}")
        found[column] = Command(axis, word)
    return found


def expected(crane: Crane) -> Crane:
    """Return the crane with sensors that make no random errors, and do not round."""
    silent = tuple(replace(one, noise=0.0, quantum=0.0, dropout=0.0) for one in crane.sensors)
    return replace(crane, sensors=silent)


def replay(
    crane: Crane,
    recording: Recording,
    signals: Sequence[str] = (),
    noise: bool = False,
    period: float = 1e-2,
    dt: float = 1e-3,
) -> Recording:
    """Return the readings of a crane under the commands of a recording, a row each tick.

    Columns are the time [s] of the recording, its commands, and the signals in SI units, all
    readings of the crane for none. Without ``noise`` sensors are read without noise,
    rounding and drop-outs. ``period`` is that of the ticks and ``dt`` the physics step [s]. Raises
    SpecError for a signal or axis that is not known, and for a recording of fewer than two rows.
    """
    machine = Machine(
        crane if noise else expected(crane), dt=dt, substeps=max(1, round(period / dt))
    )
    names = list(machine.plc.readings) if machine.plc else []
    wanted = list(signals) or names
    for signal in wanted:
        if signal not in names:
            raise SpecError(f"recording: {unknown('signal', signal, names)}")
    times, commands = command_rows(recording, crane, machine.tick_time)
    readings = _run(machine, recording, commands, [names.index(signal) for signal in wanted])
    given = dict(zip(recording.columns, recording.units, strict=True))
    units = {name: given[name] for name in (TIME, *commands_of(recording, crane))}
    units |= {name: crane.unit_of_reading(name) for name in wanted}
    made = Recording([Channel(name, (), u, NEVER_READ, 0) for name, u in units.items()], 0)
    made.append(np.concatenate([times[:, None], commands, readings], 1))
    return made


def command_rows(recording: Recording, crane: Crane, tick: float) -> tuple[Array, Array]:
    """Return the times (n,) between ticks [s] and the commands (n, c) [SI] that hold from each on.

    The last time is the end of the run. Raises SpecError for fewer than two rows, and for
    a time that does not increase.
    """
    if len(recording) < 2:
        raise SpecError(f"recording: has {len(recording)} rows; a run needs two or more")
    time = recording.time
    back = np.flatnonzero(np.diff(time) <= 0.0)
    if len(back):
        row = int(back[0]) + 1
        raise SpecError(
            f"recording: time {time[row]:g} s of row {row} is not after {time[row - 1]:g} s"
        )
    count = max(int(np.ceil((time[-1] - time[0]) / tick - ROUNDING)), 1)
    times = time[0] + tick * np.arange(count + 1)
    rows = np.searchsorted(time, times + ROUNDING * tick, side="right") - 1
    columns = [_held(recording[name])[rows] for name in commands_of(recording, crane)]
    return times, np.array(columns).reshape(-1, count + 1).T


def _held(values: Array) -> Array:
    """Return a series in which a number stays until the next one comes; 0 before the first."""
    known = ~np.isnan(values)
    last = np.maximum.accumulate(np.where(known, np.arange(len(values)), -1))
    return np.where(last < 0, 0.0, values[last])


def _run(machine: Machine, recording: Recording, commands: Array, places: list[int]) -> Array:
    """Return the readings (n, s) in SI units at all times; NaN at the first, before any tick."""
    columns = list(commands_of(recording, machine.crane).values())
    seen = np.full((len(commands), len(places)), np.nan)
    values = machine.plc.records[-1].value if machine.plc else np.zeros(0)
    again = max(int(0.5 * machine.command_timeout / machine.tick_time), 1)
    before: list[float] = []
    for row, wanted in enumerate(commands[:-1].tolist()):
        if wanted != before or row % again == 0:
            for (axis, mode), value in zip(columns, wanted, strict=True):
                machine.command(axis, value, mode)
        before = wanted
        machine.tick()
        seen[row + 1] = values[places]
    return seen


def check_commands(recording: Recording, crane: Crane) -> None:
    """Raise CommandError for a recording without commands; SpecError as :func:`commands_of`."""
    if not commands_of(recording, crane):
        axes = ", ".join(f"{axis.name}{COMMAND}" for axis in crane.axes)
        raise CommandError(f"recording: has no column of commands; allowed are {axes}")


def interpolated(model: Recording, signal: str, times: Array) -> Array:
    """Return the readings (n,) of a run at other times [s], in the unit of the signal.

    Before the first tick it is that of the first.
    """
    values: Array = np.interp(times, model.time[1:], model[signal][1:])
    return values
