"""One colour scale for rope tension, for every display: grey when slack, green, yellow, then red at
full scale; and how the nodes of wires look.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.spec import Cable
from cable_sim.spec.scene import GRAVITY

Array = NDArray[np.float64]

FULL_SCALE_SHARE = 0.25
"""Share of the breaking force at which the scale ends. Hoist ropes are designed for a fifth of it
(design factor 5) and less than a quarter is what standards tolerate, so that red says: the design
factor is used up."""

DEFAULT_FULL_SCALE = 5.0e4
"""End of the scale [N] where nothing is known of a cable: a quarter of the breaking force of a 20
mm hoist rope."""

TIMES_AT_REST = 3.0
"""End of the scale over the tension at rest, which is the rope's weight where it is made of masses,
for a cable whose
breaking force is not known: what hangs still is green and yellow, what is jerked taut is red."""

SLACK_COLOR = (0.60, 0.60, 0.62)
MASS_COLOR, CONTACT_COLOR = (1.0, 1.0, 1.0), (0.60, 0.15, 0.85)
"""Of the nodes of a hybrid wire that have mass, and of those on the edges of solids: Servin et al.
2011, figure 1."""
STICKING_SIZE = 1.5
"""Size of a contact node where friction holds the rope, over that of others [-]: figure 3 of the
same."""

_STOPS = np.array([0.0, 0.5, 1.0])
_COLORS = np.array([[0.10, 0.75, 0.25], [0.98, 0.85, 0.10], [0.92, 0.10, 0.10]])


def full_scale(breaking_force: float) -> float:
    """Tension [N] at which a cable of that breaking force [N] is drawn red; infinite means not
    known."""
    return FULL_SCALE_SHARE * breaking_force if np.isfinite(breaking_force) else DEFAULT_FULL_SCALE


def scale_of(cable: Cable) -> float:
    """Tension [N] at which a cable is drawn red: a share of its breaking force, or some times its
    tension at rest."""
    weight = cable.density * cable.length * GRAVITY if cable.lumped and cable.length else 0.0
    at_rest = max(weight, cable.pretension)
    if np.isfinite(cable.breaking_force) or at_rest == 0.0:
        return full_scale(cable.breaking_force)
    return TIMES_AT_REST * at_rest


def tension_colors(tension: ArrayLike, scale: float, slack: bool = False) -> Array:
    """Colours (n, 3), red, green, blue in 0...1, of tensions (n,) [N] on a scale that ends at
    ``scale`` [N].

    Zero, negative and non-finite tensions, and all of them when the cable is ``slack``, are grey;
    what is beyond the scale stays red.
    """
    force = np.atleast_1d(np.asarray(tension, dtype=float))
    share = np.clip(np.nan_to_num(force / scale, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    colors = np.stack([np.interp(share, _STOPS, _COLORS[:, i]) for i in range(3)], axis=-1)
    colors[(share <= 0.0) | bool(slack)] = SLACK_COLOR
    return colors
