"""Record of ``kernels/driving.py``."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.records.arrays import Floats, Ints


class Driving(NamedTuple):
    """All that a run with a law or a tape needs; columns and places as in the kernel."""

    codes: Ints
    """(4,) addresses of compiled code; functions where compiling is switched off."""
    pins: Ints
    """(3,) addresses of records; the pins themselves where compiling is switched off."""
    settings: Ints
    """(4,)."""
    counts: Ints
    """(3,)."""
    steps: Ints
    """(1,) that the scene has taken."""
    accuracy: Floats
    """(2,) residual and most rounds."""
    words: Floats
    """(w,) words of the block."""
    flags: NDArray[np.uint8]
    """(8 w,) its bytes."""
    input_place: Ints
    """(i,)."""
    inputs: Floats
    """(i,)."""
    output_place: Ints
    """(o,)."""
    outputs: Floats
    """(o,)."""
    channel_place: Ints
    """(c,)."""
    tape: Floats
    """(r, c)."""


class Law(NamedTuple):
    """Arguments of a law."""

    time: Floats
    """(1,) [s]."""
    inputs: Floats
    """(i,)."""
    outputs: Floats
    """(o,)."""
    memory: Floats
    """(m,) kept from call to call."""
