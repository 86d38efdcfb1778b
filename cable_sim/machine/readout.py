"""The true state of a machine, read from an observation in one go.

A controller gets axes, sway, load and pull at every tick. All of them are numbers at known
places of the observation's memory. Taking them at once costs a tenth of making arrays and views.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from cable_sim.cranes.crane import Crane
from cable_sim.machine.actuation import Motion
from cable_sim.machine.states import AxisState, Sway
from cable_sim.machine.sway import measure_sway, sway_between
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator

Point = tuple[float, float, float]
DRIVE = ("position", "velocity", "effort")
"""Channels of a drive that an axis shows."""


class Truth(NamedTuple):
    """True state of a machine, in the sense and the SI units of its axes.

    Parameters
    ----------
    axes: coordinate, speed and effort of every axis.
    sway: of the hook below its trolley; None where nothing hangs on falls.
    load: position [m] and velocity [m/s] of the load in the world; None where nothing hangs.
    pull: tension of the first hoist rope at its drum [N]; NaN without one.
    """

    axes: dict[str, AxisState]
    sway: Sway | None
    load: tuple[Point, Point] | None
    pull: float


class Readout:
    """Reader of the true state of a machine; it has the bits of the machine's own methods.

    Parameters
    ----------
    crane, simulator: what runs.
    motions: its axes by name.
    """

    def __init__(self, crane: Crane, simulator: Simulator, motions: Mapping[str, Motion]) -> None:
        self._motions = motions
        known = simulator.names
        self._carriages = [axis.name for axis in crane.axes if axis.drive in known.carriages]
        self._driven = [axis for axis in crane.axes if axis.drive not in known.carriages]
        self._has_ropes = bool(crane.ropes)
        hung = crane.suspension
        self._hung = hung
        self._level = hung is not None and not any(hung.trolley_point)
        wanted = [f"drives.{axis.drive}.{what}" for axis in self._driven for what in DRIVE]
        wanted += [f"cables.{crane.ropes[0]}.tension"] if crane.ropes else []
        if hung is not None:
            bodies = (hung.load, hung.hook, hung.trolley)
            wanted += [f"bodies.{body}.{k}" for body in bodies for k in ("position", "velocity")]
            wanted += [f"bodies.{hung.base}.{k}" for k in ("orientation", "angular_velocity.z")]
        self._read = simulator.reader(wanted)

    def __call__(self, seen: Observation) -> Truth:
        """Return the true state at an observation of the machine."""
        motions = self._motions
        numbers = self._read(seen)
        axes = {}
        for i, axis in enumerate(self._driven):
            axes[axis.name] = motions[axis.name].state_at(*numbers[3 * i : 3 * i + 3])
        if self._carriages:
            own = {name: motions[name].state(seen) for name in self._carriages}
            axes = {name: (axes | own)[name] for name in motions}
        at = 3 * len(self._driven)
        pull = math.nan
        if self._has_ropes:
            pull = numbers[at]
            at += 1
        hung = self._hung
        if hung is None:
            return Truth(axes, None, None, pull)
        x, y, z, vx, vy, vz = numbers[at : at + 6]
        level = self._level
        sway = self._sway(numbers[at + 6 :]) if level else measure_sway(hung, seen.body)
        return Truth(axes, sway, ((x, y, z), (vx, vy, vz)), pull)

    def _sway(self, numbers: list[float]) -> Sway:
        """Return the sway below the origin of a trolley."""
        x, y, z, vx, vy, vz, top_x, top_y, top_z, top_vx, top_vy, top_vz = numbers[:12]
        off = (x - top_x, y - top_y, z - top_z)
        drift = (vx - top_vx, vy - top_vy, vz - top_vz)
        return sway_between(numbers[12:16], numbers[16], off, drift)
