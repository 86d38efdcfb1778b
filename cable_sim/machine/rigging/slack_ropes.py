"""Hoist ropes of a machine that go on as hybrid wires while they are slack."""

import dataclasses
from typing import Any

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, CommandError
from cable_sim.sim.changes.model_change import replace_cables
from cable_sim.sim.changes.model_switches import EVERY, TAUT
from cable_sim.spec import Cable

SLACK = 0.01
"""Part of the straight way beyond which a rope is slack [-]."""


class SlackRopes:
    """The ropes of a ``Machine`` in its crane's ``when_slack``: models change between two ticks.

    Raises SpecError and ModelError for a rope that can't be a hybrid wire. Compiled code of such
    wires is loaded here, so that no tick waits for it.
    """

    def __init__(self, machine: Any) -> None:
        self._machine = machine
        self._pairs = {pair.taut.name: pair for pair in machine.crane.when_slack}
        self._refused: dict[str, str] = {}
        self._kept: set[str] = set()
        if self._pairs:
            wires = [pair.slack for pair in self._pairs.values()]
            machine.simulator.alike(machine.simulator.with_cables(wires))

    def __bool__(self) -> bool:
        return bool(self._pairs)

    @property
    def slack(self) -> frozenset[str]:
        """Names of the ropes that are hybrid wires at present."""
        return frozenset(cable.name for cable in self._present if cable.model.adaptive)

    def look(self) -> None:
        """Change the models that are due, every 16 steps or so; once a tick."""
        machine = self._machine
        if not self._pairs or machine.seen.steps % EVERY >= machine.substeps:
            return
        slack = self.slack
        looked_at = self._pairs.keys() - self._kept
        due = {name for name in looked_at if self._is_due(name, name in slack)}
        self._refused = {name: why for name, why in self._refused.items() if name in due}
        for names in (due - slack, due & slack):
            self._change(frozenset(name for name in names if self._can_change(name)))

    def adopt(self, slack: frozenset[str]) -> None:
        """Make just these ropes hybrid wires, at the start of the scene."""
        self._kept.clear()
        if slack != self.slack:
            self._go_on(slack, anew=True)

    def as_present(self, crane: Crane) -> Crane:
        """Return a crane with the ropes as they are at present."""
        if not self.slack:
            return crane
        return dataclasses.replace(crane, scene=replace_cables(crane.scene, self._present))

    @property
    def _present(self) -> list[Cable]:
        """Ropes as they are at present."""
        return [
            cable for cable in self._machine.simulator.scene.cables if cable.name in self._pairs
        ]

    def _is_due(self, name: str, slack: bool) -> bool:
        """Return True if a rope has another model than it should have."""
        more = self._machine.simulator.extra_rope(name)
        return more < TAUT * SLACK if slack else more > SLACK

    def _can_change(self, name: str) -> bool:
        """Return True if a rope can change as it lies; note once why it can't."""
        try:
            self._machine.simulator.check_line(name)
        except CommandError as error:
            if self._refused.get(name) != str(error):
                self._machine.notices.append(str(error))
            self._refused[name] = str(error)
            return False
        return True

    def _change(self, names: frozenset[str]) -> None:
        """Change the models of ropes of one model, and note it; a refusal leaves all as it is."""
        if not names:
            return
        machine = self._machine
        tight = names <= self.slack
        told = f"{', '.join(sorted(names))} {'taut' if tight else 'slack'}"
        before = machine.simulator.observe().energy.total
        try:
            self._go_on(self.slack ^ names, anew=False)
        except CableSimError as error:
            self._kept |= names  # it would be refused again, after as long a pause
            machine.notices.append(f"{told}, but kept as before until a reset: {error}")
            return
        more = float(machine.simulator.observe().energy.total - before)
        models = {self._pairs[name][not tight].model.name for name in names}
        machine.notices.append(f"{told}: {'/'.join(models)} from now on, energy {more:+.3g} J")

    def _go_on(self, slack: frozenset[str], anew: bool) -> None:
        """Go on with just these ropes as hybrid wires."""
        machine = self._machine
        present = self.slack
        wires = machine.simulator.with_cables(self._pairs[n].slack for n in slack - present)
        scene = replace_cables(wires, [self._pairs[n].taut for n in present - slack])
        machine.go_on_as(dataclasses.replace(machine.crane, scene=scene), anew)
