"""Damping ratios anew where joints are let go and cables unhooked: they are for what hangs on the
cables as built."""

import numpy as np

from cable_sim.kernels.cables.parting import ON, UNHOOKED
from cable_sim.kernels.step import LOOK, run
from cable_sim.model.compile import workspace
from cable_sim.model.damping import PROBE_STEP, cable_damping_times
from cable_sim.model.frames import Array
from cable_sim.model.records.arrays import copied
from cable_sim.model.types import Control, Model, State
from cable_sim.spec import Scene


class Losses:
    """The damping times of a scene's rows, for every set of joints that are open and cables that
    are unhooked.

    The bodies are where they started, so that the same set has the same times whenever it comes. A
    cable that parts
    counts as hooked on: what is left keeps its times.
    """

    def __init__(self, scene: Scene, model: Model, start: State, control: Control) -> None:
        self._scene, self._model, self._control = scene, model, control
        self._start = copied(start)
        self._known: dict[bytes, Array] = {self._key(start): model.rows.damping_time}

    def times(self, state: State) -> Array:
        """(r,) damping times [s], read-only, for the joints and cables of a state; the same array
        for the same set."""
        if not any(cable.loss_ratio for cable in self._scene.cables):
            return self._model.rows.damping_time
        key = self._key(state)
        if key not in self._known:
            start, work = copied(self._start), workspace(self._model, envelope=False)
            start.joints.open[:] = state.joints.open
            start.cables.off[:] = np.where(state.cables.off == UNHOOKED, UNHOOKED, ON)
            run(self._model, start, self._control, work, PROBE_STEP, LOOK)
            times = cable_damping_times(self._scene, self._model, start, work)
            times.flags.writeable = False
            self._known[key] = times
        return self._known[key]

    @staticmethod
    def _key(state: State) -> bytes:
        """State that the times depend on."""
        return state.joints.open.tobytes() + (state.cables.off == UNHOOKED).tobytes()
