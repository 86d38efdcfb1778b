"""Release, hooking and parting of massless and elevation cables: changes of state between steps."""

import math
from typing import Literal

import numpy as np

from cable_sim.errors import CommandError
from cable_sim.kernels.cables.massless.breakage import ON, PARTED, UNHOOKED, switch_off
from cable_sim.kernels.records.arrays import copy_record
from cable_sim.kernels.records.world import State
from cable_sim.kernels.step import SETTLE
from cable_sim.model.cables.touches import SETTLED, SETTLING
from cable_sim.model.cables.variants import PROBE_STEP, Run, run
from cable_sim.model.cables.wheels import bearing_loss
from cable_sim.sim.running import SceneOperations
from cable_sim.spec import Sheave

LAID = ("body", "point", "row_entry", "contact_solid", "line", "path_offset")
"""Arrays of the state that lay a cable around obstacles."""
LEAST_LOSS = 1e-12
"""Least kappa of a sheave that was built with losses [-]: it goes on holding the rope."""


class CableHooks(SceneOperations):
    """Operations on whole cables of a running scene."""

    def unhook(self, cable: str) -> None:
        """Unhook a cable: it pulls on nothing until it is hooked on again.

        Hybrid wires have :meth:`release`.
        """
        self._switch_off(cable, "unhook")

    def part(self, cable: str) -> None:
        """Part a cable for good.

        Hybrid wires have :meth:`cut`.
        """
        self._switch_off(cable, "part")

    def _switch_off(self, cable: str, verb: Literal["unhook", "part"]) -> None:
        """Unhook a hooked cable, or part it."""
        c = self._cable(verb, cable)
        m = self._model
        s = self._state
        if s.cables.attachment[c] == PARTED:
            raise CommandError(f"{verb} {cable!r}: it has parted already")
        if verb == "unhook" and s.cables.attachment[c] == UNHOOKED:
            raise CommandError(f"unhook {cable!r}: it is not hooked on")
        off = UNHOOKED if verb == "unhook" else PARTED
        switch_off(c, off, m.cables, m.waves, s.cables, s.nodes, s.spans, s.waves)
        self._hold_anew()

    def hook(self, cable: str, reach: float = 0.0) -> None:
        """Hook a cable on again, over its own nodes, with its present length.

        Raises CommandError, and changes nothing, when its path is longer than that by more than
        ``reach`` [m].
        """
        seen = self.observe()
        c = self._cable("hook", cable)
        s = self._state
        if s.cables.attachment[c] != UNHOOKED:
            why = (
                "it has parted for good"
                if s.cables.attachment[c] == PARTED
                else "it is hooked on already"
            )
            raise CommandError(f"hook {cable!r}: {why}")
        if not (math.isfinite(reach) and reach >= 0.0):
            raise CommandError(
                f"hook {cable!r}: reach {reach} is not allowed; it must be 0 or above"
            )
        laid, path = self._lay(c)
        length = seen.cable(cable).length_paid_out
        if not self.scene.cables[c].driven and path > length + reach:
            raise CommandError(
                f"hook {cable!r}: its path is {path:.6g} m, but it has {length:.6g} m and may be "
                f"stretched by {reach:g} m; bring its ends nearer"
            )
        nodes = self.names.nodes[c]
        s.cables.attachment[c] = ON
        s.cables.twist_expected[c] = self.scene.cables[c].twist
        for name in LAID:
            getattr(s.nodes, name)[nodes] = getattr(laid.nodes, name)[nodes]
        s.spans.waves[nodes] = laid.spans.waves[nodes]
        self._hold_anew()

    def _lay(self, c: int) -> tuple[State, float]:
        """Return the state with cable c hooked on and laid around obstacles, and its path [m]."""
        m = self._model
        nodes = self.names.nodes[c]
        laid = copy_record(self._state)
        laid.cables.attachment[c] = ON
        laid.spans.waves[nodes] = self._start.state.spans.waves[nodes]
        around = Run(m, laid, self._control, self._work)
        path = math.inf
        for _ in range(SETTLING if self.scene.cables[c].touches else 0):
            run(*around, PROBE_STEP, SETTLE)
            laid.nodes.path_offset[nodes] = 0.0
            around.look()
            before = path
            path = float(self._work.nodes.remaining_path_length[nodes.start])
            if abs(path - before) < SETTLED:
                break
        around.look()
        return laid, float(self._work.nodes.remaining_path_length[nodes.start])

    def set_efficiency(self, cable: str, node: int, efficiency: float) -> None:
        """Set the efficiency [-] of the sheave at node ``node`` of a cable; 0 seizes it.

        The value holds until changed. A sheave that was built without losses, with the efficiency
        1, has no friction to change: CommandError.
        """
        c = self.names.index("cables", cable)
        own = self.names.own
        where = f"set_efficiency {cable!r}, node {node}"
        if not 0 <= node < own[c].size:
            raise CommandError(f"{where}: its nodes are 0 ... {own[c].size - 1}")
        k = self.names.nodes[c].start + int(own[c][node])
        sheave = self.scene.cables[c].route[node]
        if not (isinstance(sheave, Sheave) and sheave.efficiency < 1.0):
            raise CommandError(
                f"{where}: is no sheave with losses; give it an efficiency below 1 in the scene"
            )
        if not 0.0 <= efficiency <= 1.0:
            raise CommandError(f"{where}: {efficiency} is not allowed; it must be within 0 ... 1")
        self._state.nodes.loss[k] = max(bearing_loss(efficiency), LEAST_LOSS)

    def _cable(self, verb: str, name: str) -> int:
        """Return the row of a cable without masses of its own."""
        c = self.names.index("cables", name)
        if self._model.cables.wire[c]:
            instead = {"unhook": "release", "hook": "attach", "part": "cut"}[verb]
            raise CommandError(
                f"{verb} {name!r}: it is a hybrid wire, which has ends of its own: {instead} it"
            )
        if np.isin(c, self._model.ropes.cable):
            raise CommandError(
                f"{verb} {name!r}: it is made of masses, whose ends stay where they are"
            )
        return c
