"""Damping times of rows, computed anew when joints unlock or cables are unhooked.

Damping ratios refer to the load on the cables as built.
"""

import numpy as np

from cable_sim.kernels.cables.massless.breakage import ON, UNHOOKED
from cable_sim.kernels.records.arrays import copy_record
from cable_sim.kernels.records.world import State
from cable_sim.model.basis.frames import Array
from cable_sim.model.cables.variants import Run
from cable_sim.model.compile import workspace
from cable_sim.model.damping import cable_damping_times
from cable_sim.sim.running import RunningScene


class Losses:
    """The damping times of a scene's rows, for every set of open joints and unhooked cables.

    The bodies are at their initial poses, so that the same set always has the same times. A parted
    cable counts as hooked on: the remaining part keeps its times.
    """

    def __init__(self, running: RunningScene) -> None:
        self._scene, self._model, self._control = running.scene, running.model, running.control
        self._start = copy_record(running.state)
        self._known: dict[bytes, Array] = {
            self._key(running.state): running.model.rows.damping_time
        }

    def times(self, state: State) -> Array:
        """Return the damping times (r,) [s], read-only, for the joints and cables of a state.

        The same set of joints and cables has the same array.
        """
        if not any(cable.loss_ratio for cable in self._scene.cables):
            return self._model.rows.damping_time
        key = self._key(state)
        if key not in self._known:
            start = copy_record(self._start)
            work = workspace(self._model, envelope=False)
            start.joints.open[:] = state.joints.open
            start.cables.attachment[:] = np.where(state.cables.attachment == UNHOOKED, UNHOOKED, ON)
            Run(self._model, start, self._control, work).look()
            times = cable_damping_times(self._scene, self._model, start, work)
            times.flags.writeable = False
            self._known[key] = times
        return self._known[key]

    @staticmethod
    def _key(state: State) -> bytes:
        """Return the state that the times depend on."""
        return state.joints.open.tobytes() + (state.cables.attachment == UNHOOKED).tobytes()
