"""Where an operator breaks things on purpose: which kind of fault, on what, how bad."""

from typing import Any

from cable_sim.cranes.crane import Crane
from cable_sim.machine.faults import KINDS, targets
from cable_sim.viewer.desk import Desk

NOTHING = "-"
"""What a list shows that has no name to choose."""


class FaultBox:
    """A folder of one client's page, closed at first.

    Parameters
    ----------
    gui: of the client.
    crane: whose parts can break; kinds that need a part which it does not have are not offered.
    desk: where wishes go.
    """

    def __init__(self, gui: Any, crane: Crane, desk: Desk) -> None:
        self._desk, self._targets = desk, targets(crane)
        kinds = tuple(kind for kind, needs in KINDS.items() if not needs.target or self._targets[needs.target])
        with gui.add_folder("Faults", expand_by_default=False):
            self._kind = gui.add_dropdown("kind", kinds, initial_value=kinds[0])
            self._target = gui.add_dropdown("of", (NOTHING,), initial_value=NOTHING)
            self._value = gui.add_number("value", 0.0, hint="how bad it is, in the unit of the kind")
            buttons = gui.add_button_group("", ("inject", "clear faults"))
        self._offer()

        @self._kind.on_update
        async def _(_: Any) -> None:
            self._offer()

        @buttons.on_click
        async def _(_: Any) -> None:
            if buttons.value == "inject":
                self._inject()
            else:
                self._desk.clear_faults()

    def _offer(self) -> None:
        """Targets and usual value of the kind."""
        needs = KINDS[self._kind.value]
        self._target.options = self._targets[needs.target] or (NOTHING,)
        self._target.value = self._target.options[0]
        self._value.value, self._value.disabled = needs.usual, not needs.value

    def _inject(self) -> None:
        """Have it come at once, and stay."""
        kind = self._kind.value
        target = "" if self._target.value == NOTHING else self._target.value
        self._desk.inject(kind, target, float(self._value.value) if KINDS[kind].value else None)
