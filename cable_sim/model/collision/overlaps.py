"""Shapes that overlap at the start, which are told and never touch."""

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import warn
from cable_sim.kernels.collision.candidates import IGNORED, shapes_of
from cable_sim.model.basis.frames import Array
from cable_sim.model.collision.collision import Piece
from cable_sim.model.collision.contacts import NamedPair, Touching

OVERLAP = 2e-3
"""Overlap [m] at the start from which on two shapes never touch."""


def overlapping(
    touching: Touching,
    pieces: list[Piece],
    pushed: frozenset[str],
    keys: NDArray[np.int64],
    gaps: Array,
) -> dict[tuple[int, int], int]:
    """Return the pairs of shapes that never touch because they overlap, and warn of overlaps.

    ``keys`` and ``gaps`` [m] are those of their contacts. Those with a name in ``pushed`` are
    pushed out, and bodies that obstacles stop without a rope; of others their ends and eyes are
    stopped all the same.
    """
    depths: dict[tuple[int, int], float] = {}
    count = len(pieces)
    for key, gap in zip(keys.tolist(), gaps.tolist(), strict=True):
        if gap < -OVERLAP:
            i, j = sorted(shapes_of(key, count))
            depths[i, j] = max(depths.get((i, j), 0.0), -gap)
    known = touching.name_pairs()
    free = {
        (i, j): depth
        for (i, j), depth in depths.items()
        if (i, j) not in known and pushed.isdisjoint((pieces[i].name, pieces[j].name))
    }
    if free:
        told = ", ".join(
            f"{pieces[i].name!r} and {pieces[j].name!r} by {depth:.3g} m"
            for (i, j), depth in free.items()
        )
        warn(
            f"collision: {told}: these overlap at the start, so they never touch; start them "
            "apart, or name them in ignore",
            4,
        )
    stopped = {pair: known[pair] for pair in depths if pair in known and known[pair].stops_shape}
    for pair, named in stopped.items():
        _warn_of_stop(named, depths[pair])
    return dict.fromkeys((*free, *(pair for pair in stopped if stopped[pair].ropes)), IGNORED)


def _warn_of_stop(pair: NamedPair, depth: float) -> None:
    """Warn of a body whose shape starts so deep [m] in an obstacle that stops it."""
    names = ", ".join(map(repr, pair.ropes or ()))
    rest = (
        f"which cable {names} touches; it is stopped there by its ends and eyes alone. Start it "
        "outside, or give the obstacle stops_bodies=False"
        if names
        else "which stops it and pushes it out. Start it outside"
    )
    warn(
        f"body {pair.first.name!r}: its shape starts {depth:.3g} m deep in obstacle "
        f"{pair.second.name!r}, {rest}",
        4,
    )
