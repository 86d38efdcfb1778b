"""Packing of the layers of rope on drums: rope paid out by a winch as a function of its
coordinate."""

import math
from typing import Any

import numpy as np

from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import offsets
from cable_sim.model.basis.frames import Array
from cable_sim.spec import Cable, Layers, Scene


def pack_drums(scene: Scene, index: BodyIndex, body_position: Array) -> dict[str, Any]:
    """Model arrays of the drums; ``body_position`` has the coordinates of the winches at the
    start."""
    tables = [_table(cable, index, body_position) for cable in scene.cables]
    return {
        "cables.layer_start": offsets(tables),
        "cables.drum_layer": np.concatenate([np.zeros((0, 3)), *tables]),
    }


def _table(cable: Cable, index: BodyIndex, body_position: Array) -> Array:
    """Rows of ``drum_layer`` for the drum of one cable; none without layers."""
    if not (cable.winch and cable.winch.drum):
        return np.zeros((0, 3))
    start = float(body_position[index.winch[cable.winch.name], 0])
    return layer_table(cable.winch.drum, cable.diameter, start)


def layer_table(drum: Layers, rope_diameter: float, start: float) -> Array:
    """Return the layers as rows: coordinate and rope paid out [m], f'.

    Rows are from the outermost layer to the first, then the dead wraps. At the start both are
    ``start``. The content of the drum is counted from the bare drum on, as coordinate ``full`` and
    as rope ``held``, up to the top of each layer.
    """
    radius = np.array(drum.pitch_radii(rope_diameter))
    turn = 2.0 * math.pi * radius[0]
    full = turn * drum.turns * np.arange(drum.layers + 1)
    held = np.concatenate([[0.0], 2.0 * math.pi * drum.turns * np.cumsum(radius)])
    ratio = radius / radius[0]
    wound = np.interp(drum.wound, held, full)
    dead = turn * drum.dead_wraps
    top = np.append(full[:0:-1], dead)
    rope = np.append(held[:0:-1], dead)
    return np.column_stack(
        [start + (wound - top), start + (drum.wound - rope), np.append(ratio[::-1], 1.0)]
    )
