"""Softness with which ropes that cannot stretch share loads.

See ``kernels/multibody/sharing.py``.
"""

from typing import Any

import numpy as np

from cable_sim.model.basis.frames import Array
from cable_sim.model.damping import connected_groups

TRACE = 1e-4
"""Softness of a rope of mean length, over 1 / m of all that hangs together with it."""


def sharing_softness(arrays: dict[str, Any]) -> Array:
    """Return the softness (r,) per length of rows that stretch rigid ropes [1/(kg m)], else 0.

    It is the same of all ropes that bodies connect, so that these count as equally soft. What moves
    as it is told connects nothing.
    """
    row = arrays["cables.row"]
    compliance = arrays["cables.compliance"] + arrays["cables.compliance_per_length"]
    rigid = np.flatnonzero((row >= 0) & (compliance == 0.0))
    rows = row[rigid]
    inverse = arrays["bodies.inverse_mass"]
    entry_row, entry_body = arrays["rows.entry_row"], arrays["rows.entry_body"]
    on = np.isin(entry_row, rows) & (inverse[entry_body] > 0.0)
    count = arrays["rows.kind"].size
    group = connected_groups(entry_row[on], count + entry_body[on], count + inverse.size)
    moved = np.unique(entry_body[on])
    mass = np.bincount(group[count + moved], 1.0 / inverse[moved], minlength=count)[group[rows]]
    number = np.bincount(group[rows], minlength=count)
    length = np.bincount(group[rows], arrays["cables.length"][rigid], minlength=count)
    softness = np.zeros(count)
    on_bodies = mass > 0.0
    whole = (mass * (length / np.maximum(number, 1))[group[rows]])[on_bodies]
    softness[rows[on_bodies]] = TRACE / whole
    return softness
