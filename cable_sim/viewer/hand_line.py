"""The line on the page from a body to the pointer that pulls at it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

COLOR = (214, 36, 43)
PIXELS = 3.0
"""Colour and width [pixels] of the line."""


class HandLine:
    """A line in a viser scene, which is there while a body is pulled at."""

    def __init__(self, api: Any, scale: float) -> None:
        self._api = api
        self._scale = scale
        self._line: Any = None

    def update(self, ends: NDArray[np.float64] | None) -> None:
        """Draw the line between its ends (2, 3) [m], or take it away."""
        if ends is None or not np.isfinite(ends).all():
            if self._line is not None:
                self._line.remove()
            self._line = None
            return
        points = (self._scale * ends[None]).astype(np.float32)
        if self._line is None:
            colors = np.tile(np.array(COLOR, dtype=np.uint8), (1, 2, 1))
            self._line = self._api.add_line_segments(
                "/hand", points=points, colors=colors, thickness=PIXELS, thickness_units="screen"
            )
        self._line.points = points
