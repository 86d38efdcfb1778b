"""One colour scale for rope tension in every display, and the look of the nodes of wires.

The scale is grey when slack, then from dark blue over purple and magenta to coral at full scale. It
is the lower part of ``plasma`` by S. van der Walt and N. Smith, which matplotlib has. Its lightness
grows evenly, so it tells the same without colour vision, and no part of it is as yellow as cranes.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.spec import Cable
from cable_sim.spec.scene import GRAVITY

Array = NDArray[np.float64]

FULL_SCALE_SHARE = 0.25
"""Share of the breaking force at which the scale ends [-].

Hoist ropes are designed for a fifth of it (design factor 5), and standards tolerate less than a
quarter. So the bright end says: the design factor is used up.
"""

DEFAULT_FULL_SCALE = 5.0e4
"""End of an unknown cable's scale [N]: a quarter of the breaking force of a 20 mm hoist rope."""

TIMES_AT_REST = 3.0
"""End of the scale over the tension at rest [-], for a cable of unknown breaking force.

The tension at rest is the rope's weight if it is made of masses. A rope that hangs still is in the
lower third of the scale; one that is jerked taut is at its end.
"""

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


def full_scale(breaking_force: float) -> float:
    """Return the tension [N] at which the colours of a cable of that breaking force [N] end.

    An infinite breaking force means unknown.
    """
    return FULL_SCALE_SHARE * breaking_force if np.isfinite(breaking_force) else DEFAULT_FULL_SCALE


def scale_of(cable: Cable) -> float:
    """Return the tension [N] at which the colours of a cable end.

    It is a share of the breaking force, or a multiple of the tension at rest.
    """
    length = cable.length if cable.model.segments else None
    weight = cable.density * (length or 0.0) * GRAVITY
    at_rest = max(weight, cable.pretension)
    if np.isfinite(cable.breaking_force) or at_rest == 0.0:
        return full_scale(cable.breaking_force)
    return TIMES_AT_REST * at_rest


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
