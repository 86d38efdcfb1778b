"""The quickest way to some numbers of every observation."""

from cable_sim.errors import SpecError
from cable_sim.sim.observation import Observation
from cable_sim.sim.readings.channels import Channel, places_of


class Reader:
    """Reader of channels of observations, made by ``Simulator.reader``.

    Parameters
    ----------
    channels: channels to read, with their columns and units; SpecError for a flag.
    """

    def __init__(self, channels: tuple[Channel, ...]) -> None:
        for channel in channels:
            if channel.places[0] < 0:
                raise SpecError(f"channel {channel.name!r} is a flag; read it by its object")
        self.go_on(channels)

    def go_on(self, channels: tuple[Channel, ...]) -> None:
        """Read the same channels in another place, of observations that are made from now on."""
        self.channels = channels
        self._places = places_of(channels)

    def __call__(self, seen: Observation) -> list[float]:
        """Return the numbers of all columns, in the units of their channels."""
        return seen.numbers(self._places)

    def by_column(self, seen: Observation) -> dict[str, float]:
        """Return the same numbers by the names of their columns."""
        columns = [column for channel in self.channels for column in channel.columns]
        return dict(zip(columns, self(seen), strict=True))
