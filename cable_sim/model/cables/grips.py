"""Packing of grips: room and rows for what holds a massless or elevation cable by friction."""

from typing import Any

import numpy as np

from cable_sim.kernels.multibody.rows import CONDENSED
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import ints
from cable_sim.model.basis.rows import RowTable
from cable_sim.model.cables.paths import bodies_on
from cable_sim.spec import Scene


def pack_grips(
    scene: Scene, index: BodyIndex, rows: RowTable, arrays: dict[str, Any]
) -> dict[str, Any]:
    """Return the model arrays of the grips; add their rows.

    Each has an entry for every body on the cable, for its parts, and for its winch.
    """
    counts = [index.grips.get(cable.name, 0) for cable in scene.cables]
    made: list[int] = []
    for c, (cable, count) in enumerate(zip(scene.cables, counts, strict=True)):
        if count == 0:
            continue
        first = index.coupling[cable.name]
        parts = range(first, first + count + 1)
        winch = [int(arrays["cables.winch"][c])] if cable.winch else []
        own = [
            rows.add(CONDENSED, [*bodies_on(cable, index), *parts, *winch]) for _ in range(count)
        ]
        drive = int(arrays["cables.drive_row"][c])
        pulls = [int(arrays["cables.row"][c]), *([drive] if drive >= 0 else [])]
        for row in own:
            rows.limits[row] = [*pulls, *own]
        rows.mixed += own
        made += own
    return {"grips.start": np.cumsum([0, *counts], dtype=np.int64), "grips.row": ints(made)}
