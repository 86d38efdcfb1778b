"""Cables that change their model while the scene runs, where they get slack and taut again."""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from cable_sim.errors import CommandError
from cable_sim.sim.observation import Report
from cable_sim.spec import Cable, Elevation, Hybrid
from cable_sim.spec.cables.cable_models import MASSLESS

EVERY = 16
"""Steps from one look at how slack cables are to the next."""
TAUT = 0.5
"""Part of the rope beyond which a cable is slack, at which it is taut again."""


class Switch(NamedTuple):
    """Models of a cable where it is taut, None for massless, and where it is slack.

    It is slack ``beyond`` this part of rope more than its way from node to node [-].
    """

    taut: Elevation | None
    slack: Hybrid
    beyond: float


class Switches:
    """Cables that change their model where they get slack, and back."""

    def __init__(self) -> None:
        self._of: dict[str, Switch] = {}
        self._taken = 0

    def __bool__(self) -> bool:
        return bool(self._of)

    def add(self, cable: Cable, slack: Hybrid, beyond: float) -> None:
        """Look after a cable from now on; CommandError for one that is a hybrid wire already."""
        if cable.model.adaptive:
            raise CommandError(f"cable {cable.name!r} is {cable.model.name} already")
        if not 0.0 < beyond < np.inf:
            raise CommandError(f"cable {cable.name!r}: beyond {beyond} must be above 0, and finite")
        taut: Any = cable.model if cable.model is not MASSLESS else None
        self._of[cable.name] = Switch(taut, slack, beyond)

    def drop(self, name: str) -> None:
        """Leave a cable alone."""
        self._of.pop(name, None)

    def step(self, simulator: Any, count: int) -> Report:
        """Take steps, and change the models that are due now and then."""
        flags = 0
        while True:
            few = min(count, EVERY - self._taken)
            report: Report = simulator.take(few)
            flags |= report.status
            count -= few
            self._taken = (self._taken + few) % EVERY
            if self._taken == 0 and few:
                for name, switch in self._of.items():
                    self._look(simulator, name, switch)
            if count == 0:
                return report._replace(status=flags)

    def _look(self, simulator: Any, name: str, switch: Switch) -> None:
        """Change the model of a cable if it is due, and can be as the cable lies."""
        cable = next(c for c in simulator.scene.cables if c.name == name)
        more = simulator.extra_rope(name)
        slack = cable.model.adaptive
        if more < TAUT * switch.beyond if slack else more > switch.beyond:
            # it may bend over an edge, and be refused; the next look tries again
            with suppress(CommandError):
                simulator.replace_model(name, switch.taut if slack else switch.slack)
