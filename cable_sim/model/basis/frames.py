"""Frames as numpy arrays, for compiling a scene; the kernels have their own in tuples."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.axangles import axangle2mat
from transforms3d.quaternions import quat2mat

Array = NDArray[np.float64]


def unit(vector: ArrayLike) -> Array:
    """Return the unit vector of a vector."""
    array = np.asarray(vector, dtype=float)
    return np.asarray(array / np.linalg.norm(array), dtype=float)


def triad(axis: ArrayLike, across: ArrayLike | None = None) -> Array:
    """Return right-handed axes t1, t2, a as rows, a along ``axis``.

    t1 leans to ``across``; left out, to the world axis that is farthest from ``axis``.
    """
    along = unit(axis)
    reference = np.eye(3)[int(np.argmin(np.abs(along).round(9)))]
    if across is not None:
        reference = unit(across)
    first = unit(reference - (reference @ along) * along)
    return np.array([first, np.cross(along, first), along])


def turn_by(vector: ArrayLike) -> Array:
    """Return the matrix of the turn of a rotation vector [rad]."""
    angle = float(np.linalg.norm(vector))
    return np.asarray(axangle2mat(vector, angle), dtype=float) if angle else np.eye(3)


def rotation(orientation: ArrayLike) -> Array:
    """Return the matrix that takes body vectors to the world."""
    return np.asarray(quat2mat(unit(orientation)), dtype=float)
