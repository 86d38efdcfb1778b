"""Packing of a crane's axes, drives, levers and brakes, and of the state that a machine starts
with."""

from typing import Any

import numpy as np

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.cranes.parts.levers import Lever
from cable_sim.kernels.devices.limiters import NO_STOP
from cable_sim.kernels.instant import lead_time
from cable_sim.kernels.multibody.drives import LAG, ON_WINCH, distance_lagged
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.machine import Axes, Levers, MachineSettings, MachineState, Winds
from cable_sim.kernels.records.world import Model
from cable_sim.model.basis.columns import floats, ints, offsets
from cable_sim.model.basis.names import Names
from cable_sim.spec import Scene

CALM = Winds(np.zeros(0, np.int64), np.zeros((0, 6)), np.zeros(1, np.int64), np.zeros((0, 3)))
"""No winds."""


def pack_axes(crane: Crane, names: Names, model: Model, dt: float, tick: float) -> Axes:
    """Return the arrays of a crane's axes for ticks of ``tick`` seconds, in steps of ``dt`` [s]."""
    rows = [_row(names.drives, axis.drive) for axis in crane.axes]
    return Axes(
        ints(rows),
        ints(_row(names.carriages, axis.drive) for axis in crane.axes),
        _numbers(crane, names, model, dt, tick),
        ints([_layers(model, d) for d in rows], 2),
        model.cables.drum_layer,
    )


def _numbers(crane: Crane, names: Names, model: Model, dt: float, tick: float) -> Floats:
    """Return the rows of ``Axes.number``."""
    rows = []
    for axis in crane.axes:
        d = _row(names.drives, axis.drive)
        lag = float(model.drives.motor[d, LAG]) if d >= 0 else 0.0
        decay = float(distance_lagged(dt, lag, 0.0, 1.0)) + float(lead_time(dt, model.stepper[0]))
        rows.append((*_limits(axis, crane.scene, tick), lag, decay, *_brake(axis, crane.scene)))
    return floats(rows, 13)


def pack_levers(crane: Crane) -> Levers:
    """Return the arrays of the levers of a crane's axes."""
    levers = [axis.control.lever or Lever() for axis in crane.axes]
    return Levers(
        floats([(v.dead_band, v.exponent, v.step_time) for v in levers], 3),
        offsets(lever.steps for lever in levers),
        floats(share for lever in levers for share in lever.steps),
    )


def start_machine(axes: int, bodies: int) -> MachineState:
    """Return the state of a machine whose axes wait for commands."""
    return MachineState(
        mode=np.zeros(axes, np.int64),
        value=np.zeros(axes),
        brake=np.ones(axes, np.bool_),
        time=np.full(axes, -np.inf),
        stale=np.zeros(axes, np.bool_),
        lever_step=np.zeros(axes, np.int64),
        lever_time=np.full(axes, np.inf),
        powered=np.full(axes, -1),
        requests=np.array([NO_STOP, 1]),
        brakes_since=np.full(1, np.inf),
        brakes_closed=np.zeros(axes, np.bool_),
        pushed=np.zeros(bodies, np.bool_),
        push=np.zeros((bodies, 6)),
        push_turns=np.zeros(bodies, np.bool_),
        push_time=np.zeros(bodies),
    )


def machine_settings(axes: int, tick: float, timeout: float, substeps: int) -> MachineSettings:
    """Return settings without faults; times are in [s]."""
    flags = np.zeros(axes, np.bool_)
    times = np.array([tick, timeout], float)
    return MachineSettings(times, np.array([substeps]), flags, flags.copy(), np.ones(axes))


def _row(names: tuple[str, ...], name: str) -> int:
    """Row of a name; -1 if it is not there."""
    return names.index(name) if name in names else -1


def _limits(axis: Axis, scene: Scene, tick: float) -> tuple[float, ...]:
    """First columns of ``Axes.number``."""
    movers: Any = (*scene.drives, *scene.carriages)
    fastest = next((mover.max_speed for mover in movers if mover.name == axis.drive), 0.0)
    lost = axis.max_acceleration * (tick + 2.0 * axis.control.s_time)
    place = (axis.lower, axis.upper, axis.max_speed, axis.max_acceleration, axis.ratio, axis.zero)
    return *place, fastest, lost, lost**2


def _brake(axis: Axis, scene: Scene) -> tuple[float, float]:
    """Last columns of ``Axes.number``."""
    delays = {drive.name: drive.brake_close_delay for drive in scene.drives}
    return axis.emergency_brake, delays.get(axis.drive, 0.0)


def _layers(model: Model, d: int) -> tuple[int, int]:
    """Row of ``Axes.layers`` for a drive."""
    if d < 0 or model.drives.kind[d] != ON_WINCH:
        return 0, 0
    start = model.cables.layer_start
    for c in np.flatnonzero(model.cables.winch == model.drives.on[d]):
        if start[c] < start[c + 1]:
            return int(start[c]), int(start[c + 1])
    return 0, 0
