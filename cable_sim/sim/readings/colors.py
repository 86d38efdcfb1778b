"""One colour scale for rope tension in every display, and the look of the nodes of wires.

The scale is grey when slack, then from dark blue over purple and magenta to coral at full scale. It
is the lower part of ``plasma`` by S. van der Walt and N. Smith, which matplotlib has. Its lightness
grows evenly, so it tells the same without colour vision, and no part of it is as yellow as cranes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.spec import Cable, Scene
from cable_sim.spec.scene import GRAVITY

Array = NDArray[np.float64]

FULL_SCALE_SHARE = 0.25
"""Share of the breaking force at which the scale ends [-].

Hoist ropes are designed for a fifth of it (design factor 5), and standards tolerate less than a
quarter. So the bright end says: the design factor is used up.
"""

STEEL_STRETCH = 0.0036
"""Strain [-] at which the scale ends of an elastic cable of unknown breaking force.

It is that of a steel wire rope at a quarter of its breaking force: 0.0036 to 0.0038 for the wire
ropes of the catalogue, by EN 12385-4.
"""

TIMES_THE_WEIGHT = 3.0
"""End of the scale over the weight that moves [-], for a cable of which nothing else is known.

A rope that holds all of it still is in the lower third of the scale; one that is jerked taut is at
its end.
"""

DEFAULT_FULL_SCALE = 5.0e4
"""End of the scale [N] where nothing has a weight: a quarter of what a 20 mm hoist rope bears."""

SLACK_COLOR = (0.60, 0.60, 0.62)
MASS_COLOR = (1.0, 1.0, 1.0)
CONTACT_COLOR = (0.60, 0.15, 0.85)
"""Colours of a hybrid wire's masses, and of its contact nodes: Servin et al. 2011, figure 1."""
STICKING_SIZE = 1.5
"""Size of a sticking contact node over that of others [-]: Servin et al. 2011, figure 3.

At a sticking node friction holds the rope.
"""

_STOPS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
_COLORS = np.array(
    [
        [0.050, 0.030, 0.528],
        [0.338, 0.006, 0.643],
        [0.563, 0.052, 0.642],
        [0.748, 0.223, 0.517],
        [0.881, 0.393, 0.383],
    ]
)
"""Colours at 0, 15, 30, 45 and 60 % of ``plasma``."""


class ColorLimit(NamedTuple):
    """End of a cable's colours: the tension [N], and the reason for it in words."""

    tension: float
    reason: str


def color_limits(scene: Scene) -> dict[str, ColorLimit]:
    """Return by name the tension [N] at which the colours of each cable of a scene end.

    It is a share of the breaking force, where that is known. Of another elastic cable it is the
    tension at which a steel rope would have that share, and else a multiple of the weight that
    moves: of all bodies, the cable's own, or its pretension, whichever is the largest.
    """
    moving = sum(body.mass for body in scene.bodies if body.motion == "dynamic") * GRAVITY
    return {cable.name: _color_limit(cable, moving) for cable in scene.cables}


def _color_limit(cable: Cable, moving: float) -> ColorLimit:
    """Return the end of a cable's colours, where bodies of the weight ``moving`` [N] move."""
    if np.isfinite(cable.breaking_force):
        share = f"{100.0 * FULL_SCALE_SHARE:.0f} % of breaking force"
        return ColorLimit(FULL_SCALE_SHARE * cable.breaking_force, share)
    if cable.ea is not None:
        return ColorLimit(STEEL_STRETCH * cable.ea, f"stretch of {100.0 * STEEL_STRETCH:g} %")
    length = cable.length if cable.model.segments else None
    weight = max(moving, cable.density * (length or 0.0) * GRAVITY, cable.pretension)
    if weight == 0.0:
        return ColorLimit(DEFAULT_FULL_SCALE, "that of a 20 mm rope")
    return ColorLimit(TIMES_THE_WEIGHT * weight, f"{TIMES_THE_WEIGHT:g} × the weight that moves")


def tension_colors(tension: ArrayLike, scale: float, slack: bool = False) -> Array:
    """Return colours (n, 3), red, green, blue in 0...1, of tensions (n,) [N].

    The colour scale ends at ``scale`` [N]; tensions beyond it stay coral. Zero, negative and
    non-finite tensions are grey, and all of them when the cable is ``slack``.
    """
    force = np.atleast_1d(np.asarray(tension, dtype=float))
    share = np.clip(np.nan_to_num(force / scale, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    colors = np.stack([np.interp(share, _STOPS, _COLORS[:, i]) for i in range(3)], axis=-1)
    colors[(share <= 0.0) | bool(slack)] = SLACK_COLOR
    return colors
