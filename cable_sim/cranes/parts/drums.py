"""Drums of hoists: their layers of rope, and the fleet angle."""

import math
from typing import Annotated

from pydantic import Field

from cable_sim.cranes.rigging.reeving_checks import warn_of_fleet_angle
from cable_sim.errors import SpecError
from cable_sim.spec import Layers
from cable_sim.spec.cables.ropes import Rope
from cable_sim.spec.quantities import NonNegative, Positive, spec

GROOVE_PITCH = 1.04
"""Pitch of the grooves over the diameter of the rope [-]."""
FLEET_ANGLES = {True: 1.25, False: 3.0}
"""Largest fleet angle on drums with several layers and with one [deg] (Lebus, "Frequently asked
questions")."""


@spec
class HoistDrum:
    """The drum, which is grooved.

    Parameters
    ----------
    pitch_diameter: to the axis of the rope in the first layer [m].
    layers: of rope for which its flanges have room; left out, one layer that never ends.
    width: of the grooves between the flanges, of all ropes on it [m]; layers need it.
    dead_wraps: turns of each rope that stay on the drum when the hook is down [-]; 2 or 3 are
        usual.
    lead: from the drum to the first sheave that leads the rope on [m], for the fleet angle; left
        out, as the rope is simulated.
    max_fleet_angle_deg: a warning beyond [deg]; left out, 1.25 for several layers and 3 for one.
    """

    pitch_diameter: Positive
    layers: Annotated[int, Field(strict=True, ge=1, le=20)] | None = None
    width: Positive | None = None
    dead_wraps: NonNegative = 3.0
    lead: Positive | None = None
    max_fleet_angle_deg: Positive | None = None

    def __post_init__(self) -> None:
        if self.layers is not None and self.width is None:
            raise ValueError(
                f"width: is missing; a drum with {self.layers} layers needs it to know their turns"
            )

    def turns(self, rope: Rope, ropes: int = 1) -> float:
        """Turns of each rope in a layer, for a number of ropes side by side [-]."""
        assert self.width is not None
        return self.width / (ropes * GROOVE_PITCH * rope.diameter)

    def wind_layers(self, rope: Rope, reserve: float, ropes: int = 1) -> Layers | None:
        """Return the layers on the drum when ``reserve`` [m] of each rope can still be paid out.

        That is the rope down to the hook's lowest place.

        None for a drum without layers; SpecError when they do not hold that much.
        """
        if self.layers is None:
            return None
        bare = self.pitch_diameter - rope.diameter
        turns = self.turns(rope, ropes)
        empty = Layers(
            diameter=bare, turns=turns, layers=self.layers, wound=1.0, dead_wraps=self.dead_wraps
        )
        needed = empty.dead_length(rope.diameter) + reserve
        room = empty.capacity(rope.diameter)
        if needed > room:
            raise SpecError(
                f"drum: {self.layers} layers of {turns:.1f} turns hold {room:.4g} m of rope, and "
                f"{needed:.4g} m "
                f"have to be on it: {reserve:.4g} m down to the lowest place of the hook and "
                f"{self.dead_wraps:g} dead "
                "wraps; give it more layers, width or diameter"
            )
        return Layers(
            diameter=bare, turns=turns, layers=self.layers, wound=needed, dead_wraps=self.dead_wraps
        )

    def warn(self, distance: float, ropes: int = 1) -> None:
        """Warn of too large a fleet angle, for a first sheave ``distance`` [m] away unless the file
        says another."""
        if self.width is not None:
            most = self.max_fleet_angle_deg or FLEET_ANGLES[(self.layers or 1) > 1]
            warn_of_fleet_angle(self.width / ropes, self.lead or distance, math.radians(most))
