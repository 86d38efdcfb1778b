"""Heights over a grid in files: numpy's .npy and .npz, and pictures."""

import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError

NUMBERS = (".npy", ".npz")
PICTURES = (".png", ".tif", ".tiff", ".bmp", ".webp")


def check_format(path: str) -> None:
    """Refuse a file of an unknown format."""
    if Path(path).suffix.lower() not in NUMBERS + PICTURES:
        known = ", ".join(NUMBERS + PICTURES)
        raise ValueError(f"file: {path}: the format has to be one of {known}")


def check_heights(heights: NDArray[np.float64]) -> None:
    """Refuse heights that are not a table of 2 x 2 finite numbers or more, by a ValueError."""
    if heights.ndim != 2 or min(heights.shape) < 2:
        raise ValueError(f"a grid has two rows and two columns or more, not shape {heights.shape}")
    wrong = np.argwhere(~np.isfinite(heights))
    if len(wrong):
        i, j = wrong[0].tolist()
        raise ValueError(f"height {heights[i, j]} in row {i}, column {j}: heights are finite")


def read_heights(path: str) -> NDArray[np.float64]:
    """Return the heights in a file (rows, columns): rows along y and columns along x.

    Numbers are as they are; the first array of an .npz file counts. A picture gives 0 for black to
    1 for white, and its lowest line is the first row. Raises SpecError for a file that has none.
    """
    return _read_heights(path, Path(path).stat().st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _read_heights(path: str, _changed: int) -> NDArray[np.float64]:
    """Do :func:`read_heights` for a file as it was changed last."""
    try:
        found = _read_numbers(path) if Path(path).suffix.lower() in NUMBERS else _read_picture(path)
        check_heights(found)
    except Exception as error:  # numpy and Pillow raise what their formats do
        raise SpecError(f"heights {path}: {error}") from None
    found.flags.writeable = False
    return found


def _read_numbers(path: str) -> NDArray[np.float64]:
    """Return the first array of a file of numpy."""
    held = np.load(path, allow_pickle=False)
    return np.array(held if isinstance(held, np.ndarray) else held[held.files[0]], dtype=float)


def _read_picture(path: str) -> NDArray[np.float64]:
    """Return a picture in grey from 0 to 1, its lowest line first."""
    from PIL import Image

    with Image.open(path) as picture:
        deep = picture.mode.startswith("I")
        grey = np.array(picture if deep else picture.convert("L"), dtype=float)
    return np.ascontiguousarray(grey[::-1]) / (65535.0 if deep else 255.0)
