"""Figures of reports: their common style, and their bytes."""

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("#1f5fa8", "#d9682b", "#3f8f5f", "#8a5fa8", "#6b6b6b")
"""Blue, orange, green, violet, grey: distinct with any colour vision, and in print."""
DOTS_PER_INCH = 110


class Picture(NamedTuple):
    """Figure: file name without ending, caption, and a function that draws it.

    A check does not draw, so that it needs no matplotlib.
    """

    name: str
    caption: str
    draw: Callable[[], "Figure"]


def picture_bytes(picture: Picture, kind: str) -> bytes:
    """Return the picture as ``svg`` or ``png``; the same picture gives the same bytes."""
    import matplotlib  # slow to import, and only reports need it

    with matplotlib.rc_context(_style()):
        figure = picture.draw()
        buffer = BytesIO()
        metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
        figure.savefig(buffer, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()


def _style() -> dict[Any, Any]:
    """Return the settings of matplotlib."""
    from cycler import cycler

    return {
        "axes.prop_cycle": cycler(color=COLORS),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "#777777",
        "axes.grid": True,
        "grid.color": "#e3e3e3",
        "grid.linewidth": 0.7,
        "axes.axisbelow": True,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.labelsize": 9,
        "axes.formatter.useoffset": False,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "xtick.color": "#444444",
        "ytick.color": "#444444",
        "legend.fontsize": 8,
        "legend.frameon": False,
        "lines.linewidth": 1.3,
        "font.size": 9,
        "figure.constrained_layout.use": True,
        "svg.hashsalt": "cable_sim",
    }
