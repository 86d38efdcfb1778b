"""Controls for an operator to inject faults: kind, target and severity."""

from typing import Any

from cable_sim.cranes.crane import Crane
from cable_sim.machine.faults import KINDS, targets, value_meaning
from cable_sim.viewer.operator_console import OperatorConsole


class FaultBox:
    """A folder of one client's page, closed at first.

    Parameters
    ----------
    gui: of the client.
    crane: whose parts can fail; kinds that need a part which it lacks are not offered.
    desk: receiver of the faults.
    """

    def __init__(self, gui: Any, crane: Crane, desk: OperatorConsole) -> None:
        self._crane = crane
        self._desk = desk
        known = {wanted: names for wanted, names in targets(crane).items() if names}
        kinds = tuple(
            kind for kind, needs in KINDS.items() if not needs.target or needs.target in known
        )
        with gui.add_folder("Faults", expand_by_default=False):
            self._kind = gui.add_dropdown("kind", kinds, initial_value=kinds[0])
            # One list for each sort of target: a browser may go on showing the old entry of a list
            # that changes.
            self._targets = {
                wanted: gui.add_dropdown(wanted, names, initial_value=names[0])
                for wanted, names in known.items()
            }
            self._value = gui.add_number("value", 0.0)
            self._meaning = gui.add_markdown("")
            buttons = gui.add_button_group("", ("inject", "clear faults"))
        self._offer()

        @self._kind.on_update
        async def _(_: Any) -> None:
            self._offer()

        for names in self._targets.values():

            @names.on_update
            async def _(_: Any) -> None:
                self._tell_meaning()

        @buttons.on_click
        async def _(_: Any) -> None:
            if buttons.value == "inject":
                self._inject()
            else:
                self._desk.clear_faults()

    def _offer(self) -> None:
        """Show the targets and the usual value of the selected kind."""
        needs = KINDS[self._kind.value]
        for wanted, names in self._targets.items():
            names.visible = wanted == needs.target
        self._value.value = needs.usual
        self._value.disabled = not needs.value
        self._tell_meaning()

    def _tell_meaning(self) -> None:
        """Show the meaning of the value, with its unit, for the selected kind and target."""
        kind = self._kind.value
        meaning = value_meaning(self._crane, kind, self._target)
        self._meaning.content = f"*value:* {meaning}" if meaning else "*takes no value*"

    @property
    def _target(self) -> str:
        """Selected target of the selected kind; empty for a kind without any."""
        wanted = KINDS[self._kind.value].target
        return str(self._targets[wanted].value) if wanted else ""

    def _inject(self) -> None:
        """Inject the fault at once, without an end."""
        kind = self._kind.value
        needs = KINDS[kind]
        self._desk.inject(kind, self._target, float(self._value.value) if needs.value else None)
