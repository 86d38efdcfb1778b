"""Check of figures: all that is drawn can be seen."""

from typing import Any

import numpy as np

ROUNDING = 1e-6
"""Part of an axis by which data may lie beyond its end."""


def assert_shown(figure: Any, name: str = "", partly: bool = False) -> None:
    """Fail unless every axes of the figure holds something, and its lines lie inside of its limits.

    With ``partly`` some point of each axes must lie inside: for views that show a part of a scene.
    """
    assert figure.axes, name
    for axes in figure.axes:
        assert axes.lines or axes.patches or axes.texts or axes.collections or axes.images, name
        seen = [
            _inside(axes, line) for line in axes.lines if line.get_transform() == axes.transData
        ]
        seen = [inside for inside in seen if inside.size]
        if seen:
            assert (any if partly else all)(
                inside.any() if partly else inside.all() for inside in seen
            ), (
                f"{name} {axes.get_title()!r}: data outside of x {axes.get_xlim()}, y "
                f"{axes.get_ylim()}"
            )


def _inside(axes: Any, line: Any) -> np.ndarray:
    """True for each finite point of a line that lies inside of the limits."""
    points = np.column_stack([np.asarray(values, dtype=float) for values in line.get_data()])
    points = points[np.isfinite(points).all(axis=1)]
    inside = np.ones(len(points), dtype=bool)
    for column, (low, high) in enumerate((sorted(axes.get_xlim()), sorted(axes.get_ylim()))):
        beyond = ROUNDING * (high - low)
        inside &= (points[:, column] >= low - beyond) & (points[:, column] <= high + beyond)
    return inside
