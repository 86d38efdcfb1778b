"""Winches of cables, and the layers of rope on their drums."""

import math
from typing import Annotated

from pydantic import Field

from cable_sim.spec.quantities import Name, NonNegative, Positive, Real, spec

NESTED = 0.5 * math.sqrt(3.0)
"""Height from one layer to the next over the diameter of the rope [-].

The next layer lies in the valleys of the one below.
"""


@spec
class Layers:
    """Layers of rope on a grooved drum: it leaves from the outermost one, at its pitch radius.

    The pitch radius of the first layer is R_1 = (D + d) / 2 with the diameter d of the cable; each
    further layer lies in the valleys of the one below, d sqrt(3) / 2 higher. Where rope crosses
    over the one below it lies higher, which is not modelled.

    Parameters
    ----------
    diameter: of the drum on which the first layer lies, D [m].
    turns: of rope in a layer [-]: the grooves of the drum, for each of its cables.
    layers: number of layers for which its flanges have room.
    wound: rope on the drum at the start, of each of its cables, with the dead wraps [m].
    dead_wraps: turns of the first layer that have to stay on the drum [-].
    """

    diameter: Positive
    turns: Positive
    layers: Annotated[int, Field(strict=True, ge=1)]
    wound: Positive
    dead_wraps: NonNegative = 3.0

    def __post_init__(self) -> None:
        if self.dead_wraps > self.turns:
            raise ValueError(
                f"dead_wraps: {self.dead_wraps:g} is more than the turns of a layer, {self.turns:g}"
            )

    def pitch_radii(self, rope_diameter: float) -> list[float]:
        """Return the radius of the axis of the rope in each layer, from the first on [m]."""
        first = 0.5 * (self.diameter + rope_diameter)
        return [first + j * NESTED * rope_diameter for j in range(self.layers)]

    def dead_length(self, rope_diameter: float) -> float:
        """Return the length of rope in the dead wraps [m]."""
        return 2.0 * math.pi * self.pitch_radii(rope_diameter)[0] * self.dead_wraps

    def capacity(self, rope_diameter: float) -> float:
        """Return the length of rope that fills all layers [m]."""
        return 2.0 * math.pi * self.turns * math.fsum(self.pitch_radii(rope_diameter))


@spec
class Winch:
    """Pays a cable out and takes it in at its first node.

    Cables with equal winches are on one drum, which pays out as much of each: its drive feels the
    sum of their tensions.

    Parameters
    ----------
    name: unique name, for a drive to act on. The coordinate is the paid-out (unstretched) length of
        the cable [m], on a drum with several of the first one; with ``drum`` what it would be with
        all rope in the first layer.
    mass: rotating inertia of motor and drum as seen at the rope, J (omega / v)^2 [kg]: what the sum
        of the tensions accelerates. Without a drive the drum runs free. With ``drum`` at the rope
        of the first layer, J / R_1^2.
    rate: of the coordinate at the start [m/s]: the paying-out speed, with ``drum`` that of the
        first layer.
    drum: its layers of rope. The speed of the rope is that of the coordinate times R_j / R_1, and
        so is the effort of a drive on it the tension times R_j / R_1: times R_1 it is the torque on
        the shaft. None for one layer that never ends.
    """

    name: Name
    mass: Positive = 1000.0
    rate: Real = 0.0
    drum: Layers | None = None


def check_wound(drum: Layers, rope_diameter: float) -> None:
    """Refuse more rope on a drum at the start than its capacity, and less than its dead wraps."""
    least = drum.dead_length(rope_diameter)
    most = drum.capacity(rope_diameter)
    if not least <= drum.wound <= most:
        raise ValueError(
            f"winch.drum.wound: {drum.wound:g} m of rope on the drum at the start; allowed is "
            f"{least:.6g} m, its "
            f"{drum.dead_wraps:g} dead wraps, to {most:.6g} m, {drum.layers} full layers of rope "
            f"of {rope_diameter:g} m"
        )
