"""The lift system of a tower crane on which figures 8 and 9 are measured: a rope along the jib and
two falls to a hook.

What theory says about it at rest is worked out here as well: by the model's own rules, and by the
elastic catenary.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from cable_sim import Anchor, Body, Box, Cable, Eye, Scene
from cable_sim.spec import Drive, Drum, Elevation, Surface, Winch
from cable_sim.spec.scene import GRAVITY

G = GRAVITY
EA = 1.0e7
"""Of the rope, 16 mm or so [N]."""
INNER, OUTER, FALL, GAUGE = 24.0, 12.0, 20.0, 0.8
"""Level rope from the drum to the trolley and from there to the jib's end, falls, gauge of the
trolley's wheels [m]."""
HOOK, SIZE = 5000.0, 0.8
"""Mass of the hook and what hangs on it [kg], edge of the box that stands for it [m]."""
DENSITIES = (0.0, 0.5, 1.0, 2.0, 3.0)
"""Of the rope; the paper of 2007 says 1 to 2 for tower cranes [kg/m]."""
DAMPING = 1.0
"""b of the spans' oscillation [1/s]."""
POINTS = 33
"""Of every span."""


def lift_system(
    density: float = 1.0,
    mass: float = HOOK,
    pretension: float = 0.0,
    damping: float = DAMPING,
    damping_time: float = 0.0,
    hoist: bool = False,
    sway: float = 0.0,
    points: int = POINTS,
) -> Scene:
    """A hook on two falls under a trolley that stands still, the rope going on to the drum and to
    the end of the jib.

    ``density`` of the rope [kg/m], 0 for a massless one; ``mass`` of the hook [kg]; ``pretension``
    [N], 0 for straight spans without tension; ``damping`` of the spans' oscillation [1/s];
    ``damping_time`` of the rope's stretch [s]; ``hoist`` puts a winch with a drive on the drum and
    a platform under the hook; ``sway`` the hook's speed across the jib [m/s]; ``points`` of every
    span.
    """
    layer = Elevation(density, points, damping) if density > 0.0 else None
    start = (-INNER, 0.0, 0.0)
    nodes = (
        Drum("world", start) if hoist else Anchor("world", start),
        Eye("world", (-0.5 * GAUGE, 0.0, 0.0)),
        Eye("hook"),
        Eye("world", (0.5 * GAUGE, 0.0, 0.0)),
        Anchor("world", (OUTER, 0.0, 0.0)),
    )
    rope = Cable(
        "rope",
        nodes,
        ea=EA,
        pretension=pretension,
        damping_time=damping_time,
        elevation=layer,
        winch=Winch("winch", 1000.0) if hoist else None,
    )
    floor = Surface("platform", point=(0.0, 0.0, -FALL - 0.5 * SIZE))
    return Scene(
        name="lift_system",
        bodies=(
            Body(
                "hook",
                mass,
                shape=Box(SIZE, SIZE, SIZE),
                position=(0.0, 0.0, -FALL),
                velocity=(0.0, sway, 0.0),
                collides=hoist,
            ),
        ),
        cables=(rope,),
        drives=(Drive("hoist", "winch"),) if hoist else (),
        surfaces=(floor,) if hoist else (),
    )


@dataclass(frozen=True)
class Span:
    """A straight line between two nodes: its chord [m] and the cosine of its slope [-]."""

    chord: float
    cosine: float

    def excess(self, tension: float, density: float, points: int = POINTS) -> float:
        """What the polygon through the points of the parabola is longer than the chord [m]."""
        x = np.linspace(0.0, 1.0, points)
        sag = 0.5 * density * G * self.cosine * self.chord**2 / tension * x * (1.0 - x)
        return float(np.hypot(self.chord / (points - 1), np.diff(sag)).sum()) - self.chord


def spans(drop: float = FALL) -> tuple[Span, ...]:
    """The four spans, the eye of the hook ``drop`` below the jib [m]."""
    half = math.hypot(0.5 * GAUGE, drop)
    fall = Span(half, 0.5 * GAUGE / half)
    return (Span(INNER - 0.5 * GAUGE, 1.0), fall, fall, Span(OUTER - 0.5 * GAUGE, 1.0))


def chords(drop: float = FALL) -> float:
    """Length of the straight path [m]."""
    return sum(span.chord for span in spans(drop))


def rope_needed(tension: float, density: float, drop: float = FALL) -> float:
    """Unstretched rope of the model at rest [m]: chords and what the sag adds, less the stretch."""
    path = sum(span.excess(tension, density) for span in spans(drop)) if density else 0.0
    return (chords(drop) + path) / (1.0 + tension / EA)


def lifting_tension(density: float, mass: float = HOOK, drop: float = FALL) -> float:
    """The tension with which the model's falls carry the hook [N].

    They put half their weight across their chords on it, which is next to nothing: in this model a
    vertical rope has no weight.
    """
    fall = spans(drop)[1]
    across = density * G * fall.cosine * fall.chord  # half of either fall
    return (mass * G + across * fall.cosine) / (2.0 * drop / fall.chord)


def resting_drop(density: float, mass: float = HOOK) -> float:
    """How far below the jib the hook comes to rest [m] on the rope that is straight without tension
    at FALL."""

    def misfit(drop: float) -> float:
        return rope_needed(lifting_tension(density, mass, drop), density, drop) - chords()

    return float(brentq(misfit, 0.9 * FALL, 1.1 * FALL, xtol=1e-12))


def _level_catenary(support: float, chord: float, weight: float) -> float:
    """Unstretched length [m] of an elastic catenary between level supports with the tension
    ``support`` there [N].

    Irvine, Cable Structures: ``chord = H s / EA + 2 H / w asinh(w s / 2 H)``; of the two that there
    are, the tight one.
    """

    def misfit(length: float) -> float:
        pull = math.sqrt(support**2 - (0.5 * weight * length) ** 2)
        return (
            pull * length / EA
            + 2.0 * pull / weight * math.asinh(0.5 * weight * length / pull)
            - chord
        )

    return float(brentq(misfit, 0.9 * chord, 1.1 * chord, xtol=1e-12))


def _fall(bottom: float, height: float, weight: float) -> float:
    """Unstretched length [m] of a rope that hangs straight down over ``height`` and pulls with
    ``bottom`` below [N]."""

    def misfit(length: float) -> float:
        return length + (bottom * length + 0.5 * weight * length**2) / EA - height

    return float(brentq(misfit, 0.5 * height, height))


def catenary_needed(top: float, density: float, drop: float = FALL) -> float:
    """Unstretched rope of elastic catenaries [m] with the tension ``top`` at the trolley [N].

    The falls are taken to be straight: tension falls along them by their weight.
    """
    if density == 0.0:
        return chords(drop) / (1.0 + top / EA)
    weight = density * G
    level = [_level_catenary(top, span.chord, weight) for span in (spans(drop)[0], spans(drop)[-1])]
    fall = spans(drop)[1]
    return sum(level) + 2.0 * _fall(top - weight * drop, fall.chord, weight * drop / fall.chord)
