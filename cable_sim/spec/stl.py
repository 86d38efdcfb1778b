"""Reading of STL files, binary or text, as the points of their triangles."""

import re
import struct

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError

Array = NDArray[np.float64]

HEADER = 84
"""Size of the header of a binary file [bytes]: 80 of text, 4 with the number of triangles."""
TRIANGLE = np.dtype([("normal", "<3f4"), ("points", "<(3,3)f4"), ("attribute", "<u2")])
"""A triangle of a binary file."""
VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_points(data: bytes) -> Array:
    """Return the corners (n, 3) of all triangles of an STL file, in the unit of the file.

    A corner that triangles share is there several times. Raises SpecError for what is no STL file.
    """
    points = _binary(data)
    if points is None:
        points = _text(data)
    if not len(points):
        raise SpecError("there are no triangles: this is no STL file")
    if not np.isfinite(points).all():
        raise SpecError("a corner is not finite")
    return points


def _binary(data: bytes) -> Array | None:
    """Return the corners of a binary file; None for another one.

    Many binary files begin like a text, so the number of triangles decides.
    """
    if len(data) < HEADER:
        return None
    (count,) = struct.unpack_from("<I", data, HEADER - 4)
    if len(data) != HEADER + count * TRIANGLE.itemsize:
        return None
    triangles = np.frombuffer(data, TRIANGLE, count, HEADER)
    return triangles["points"].reshape(-1, 3).astype(float)


def _text(data: bytes) -> Array:
    """Return the corners of a text file."""
    try:
        numbers = [[float(part) for part in found] for found in VERTEX.findall(data)]
    except ValueError as error:
        raise SpecError(f"a corner can't be read: {error}") from None
    return np.array(numbers).reshape(-1, 3)
