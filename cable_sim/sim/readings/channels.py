"""Channels: numbers of a running scene by names such as ``load.position``."""

import difflib
import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError
from cable_sim.kernels.driving import POSES, READINGS
from cable_sim.model.basis.names import Names
from cable_sim.sim.readings.block import WORD, Place
from cable_sim.sim.readings.quantities import (
    READ,
    SCENE_READ,
    SCENE_WRITTEN,
    TENSIONS,
    WRITTEN,
    Quantity,
    first_row,
)

TIME = "time"
MOST = 16
"""Most names that an error lists."""


class Channel(NamedTuple):
    """Numbers of one name: their columns' names, unit and places (``kernels/driving.py``)."""

    name: str
    parts: tuple[str, ...]
    unit: str
    places: NDArray[np.int64]
    needs: int
    """POSES or READINGS of ``kernels/driving.py``."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns: that of the channel, or one for each part."""
        return tuple(f"{self.name}.{part}" for part in self.parts) or (self.name,)


class Channels:
    """Channels of a scene, by names such as ``load.position`` or ``load.position.x``.

    An object's name may follow its kind, as in ``bodies.load.position``, and has to where another
    kind has the same name with the same quantity.

    Parameters
    ----------
    names: names of the scene's objects.
    places: places of its arrays in its block.
    """

    def __init__(self, names: Names, places: Mapping[str, Place]) -> None:
        self._names = names
        self._places = places

    def read(self, wanted: Sequence[str]) -> tuple[Channel, ...]:
        """Return channels to read; raise SpecError for one that is not known."""
        return _found(self._read, wanted)

    def recorded(self, wanted: Sequence[str]) -> tuple[Channel, ...]:
        """Return channels to record, the time first; raise SpecError for a column there twice."""
        channels = _found(self._read, wanted)
        rest = tuple(channel for channel in channels if channel.name != TIME)
        _refuse_twice([column for channel in rest for column in channel.columns], "recorded")
        return (*_found(self._read, [TIME]), *rest)

    def written(self, wanted: Sequence[str]) -> tuple[Channel, ...]:
        """Return channels that a law writes; raise SpecError for one unknown or there twice."""
        channels = _found(self._written, wanted)
        names = {
            place: column
            for channel in channels
            for place, column in zip(channel.places.tolist(), channel.columns, strict=True)
        }
        _refuse_twice([names[place] for place in places_of(channels).tolist()], "written")
        return channels

    @functools.cached_property
    def _read(self) -> dict[str, list[Channel]]:
        """Channels to read."""
        return self._table(READ, SCENE_READ)

    @functools.cached_property
    def _written(self) -> dict[str, list[Channel]]:
        """Channels that laws write."""
        return self._table(WRITTEN, SCENE_WRITTEN)

    def _table(
        self, kinds: dict[str, dict[str, Quantity]], scene: dict[str, Quantity]
    ) -> dict[str, list[Channel]]:
        """Return all channels by name."""
        table: dict[str, list[Channel]] = {}
        for quantity, made in scene.items():
            self._add(table, (quantity,), made, None)
        for kind, quantities in kinds.items():
            for i, own in enumerate(getattr(self._names, kind)):
                for quantity, made in quantities.items():
                    named = (f"{own}.{quantity}", f"{kind}.{own}.{quantity}")
                    self._add(table, named, *self._placed(kind, i, made))
        return table

    def _placed(self, kind: str, i: int, made: Quantity) -> tuple[Quantity, int]:
        """Return the quantity of object i of a kind and the row of its array."""
        if made.array != TENSIONS:
            return made, first_row(kind) + i
        if kind == "wheels":
            return made._replace(first=0), self._names.wheel_spans[i][1 + made.first]
        segments = self._names.segments[i]
        if segments is not None:
            return made._replace(array="readings.segments.tension"), segments.start
        return made, self._names.spans[i].start + int(self._names.own[i][0])

    def _add(
        self,
        table: dict[str, list[Channel]],
        names: tuple[str, ...],
        made: Quantity,
        row: int | None,
    ) -> None:
        """Add a quantity, and each of its parts, under all its names."""
        place = self._places[made.array]
        width = int(np.prod(place.shape if row is None else place.shape[1:]))
        first = made.first + width * (row or 0)
        places = first + np.arange(max(len(made.parts), 1))
        if place.dtype == np.bool_:
            places = -1 - (place.offset + places)
        else:
            places = place.offset // WORD + places
        needs = READINGS if made.is_read else POSES
        for name in names:
            whole = Channel(name, made.parts, made.unit, places, needs)
            table.setdefault(name, []).append(whole)
            for k, part in enumerate(made.parts):
                one = Channel(f"{name}.{part}", (), made.unit, places[k : k + 1], needs)
                table.setdefault(one.name, []).append(one)


def places_of(channels: Sequence[Channel]) -> NDArray[np.int64]:
    """Return the places (c,) of all columns."""
    return np.concatenate([np.zeros(0, np.int64), *(channel.places for channel in channels)])


def _found(table: dict[str, list[Channel]], wanted: Sequence[str]) -> tuple[Channel, ...]:
    """Return the channels of some names."""
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        raise SpecError(f"channels: {wanted!r} is not a list of names, such as ['load.position']")
    return tuple(_one(table, name) for name in wanted)


def _one(table: dict[str, list[Channel]], name: str) -> Channel:
    """Return the channel of a name."""
    meant = table.get(name, []) if isinstance(name, str) else []
    if not meant:
        raise SpecError(f"channel {name!r} is not known; {_advice(table, str(name))}")
    if len(meant) > 1:
        of_kinds = [
            f"{kind}.{name} [{unit}]"
            for kind in (*READ, *WRITTEN)
            for unit in dict.fromkeys(c.unit for c in table.get(f"{kind}.{name}", []))
        ]
        raise SpecError(
            f"channel {name!r} has {len(meant)} meanings; write "
            f"{' or '.join(dict.fromkeys(of_kinds))}"
        )
    return meant[0]


def _advice(table: dict[str, list[Channel]], name: str) -> str:
    """Return the part of an error that names known channels."""
    own = [known for known in table if known.rpartition(".")[0] == name]
    if own:
        return f"known of {name!r} are {_some(own)}"
    near = difflib.get_close_matches(name, table, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else f"known are {_some([*table])}"


def _some(names: Sequence[str]) -> str:
    """Return the first of some names."""
    return ", ".join(names[:MOST]) + (", ..." if len(names) > MOST else "")


def _refuse_twice(names: Sequence[str], done: str) -> None:
    """Raise SpecError for a name that is there twice."""
    for name, times in Counter(names).items():
        if times > 1:
            raise SpecError(f"channel {name!r} is {done} {times} times; name it once")
