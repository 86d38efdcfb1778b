"""Figures 12 and 13: friction of a wire over a beam, across its edges and along them."""

import math
from typing import TYPE_CHECKING

import numpy as np

from cable_sim.spec.scene import GRAVITY
from validation.harness import Finding, Picture, Progress, Quantity, Result, at_most

from .beam import (
    CREEP,
    FRICTIONS,
    RATIO,
    SLOPES,
    STILL,
    STUCK,
    WITHIN,
    across,
    along,
    atwood,
    capstan,
    coulomb,
    creep,
    deviation,
    stick,
    threshold,
)
from .pseudo_friction import LAW, PSEUDO, bounded, paper_law, released

if TYPE_CHECKING:
    from matplotlib.figure import Figure


HOLDS = -math.log(RATIO) / math.pi
"""Friction at which exp(mu pi) is the ratio of the loads [-]."""


def friction(progress: Progress) -> Result:
    """A wire with a load at each end over a beam, of friction mu. Unequal loads, one half of the
    other, draw it across the edges of a level beam, sharp or rounded (32 facets); equal ones along
    the edges of a beam that is inclined by 10, 20 and 30 degrees. Coulomb's law with the forces
    that there are on each edge gives what is drawn as lines. Judged are accelerations while the
    wire slides that are above 5 % of g, frictions from which on it sticks, found by halving, and
    that it does not move at all where friction is a fifth more than that.

    The paper expects its accelerations to fall on straight lines, drawn dashed. Across the edges
    friction multiplies the tension by exp(mu alpha), so that Coulomb's law gives a curve that ends
    at mu = 0.22, on two edges or on a round beam. Along the edges it compares with a block on an
    incline, which sticks at mu = tan(theta); printed is sec(theta) for cot(theta). But the span
    over the beam presses on the edges, too: with as much as the load, if the beam is level. The
    wire sticks at mu = sqrt(2) sin(theta) / (1 + cos(theta)), 0.38 for 30 degrees. In the paper it
    sticks at mu = 1 only, because its law takes away the part mu of the sliding, and not of the
    force.

    That law is here, too (``hmr_2011``, crosses), with loads that are let go at once. Across the
    edges it bounds the difference of the tensions by mu times the force on the edge (eq. 23):
    nearly a straight line, but to mu = 0.24, where the paper speaks of 1. Along them it is a
    viscous friction that depends on the time step (eq. 22).
    """
    for slope in progress.over(SLOPES):
        for mu in FRICTIONS:
            along(mu, slope)
    caption = (
        "Figure 13. Acceleration over friction, at 1/60 s. Points: here; lines: Coulomb's law; "
        "dashed: what the paper "
        "expects; crosses: the paper's own law here. Left across the edges, right along them."
    )
    return Result(
        [*crossing(), *sliding(), holding(), *paper_law()], [Picture("figure_13", caption, draw)]
    )


def crossing() -> list[Finding]:
    """Across the edges."""
    found: list[Finding] = []
    expected = [atwood(capstan(mu)) for mu in FRICTIONS]
    for name, rounded, note in (
        ("edges", False, "paper: a straight line to 1"),
        ("32 facets", True, "of exp(mu pi)"),
    ):
        worst = deviation(expected, [across(mu, rounded)[0] for mu in FRICTIONS])
        found.append(
            at_most(f"error of the acceleration across {name}", WITHIN, worst, "", "above 5 % of g")
        )
        ours = threshold(across, rounded)
        found.append(
            Quantity(f"friction that holds across {name}", None, HOLDS, ours, WITHIN, "", note)
        )
    slipping = [mu for mu in FRICTIONS if atwood(capstan(mu)) > STILL]
    error = max(abs(across(mu, True)[1] / capstan(mu) - 1.0) for mu in slipping)
    found.append(
        at_most(
            "error of the ratio of tensions on 32 facets", WITHIN, error, "", "against exp(mu pi)"
        )
    )
    return found


def sliding() -> list[Finding]:
    """Along the edges."""
    found: list[Finding] = []
    for slope in SLOPES:
        name = f"along edges, {slope:g} degrees"
        worst = deviation(
            [coulomb(mu, slope) for mu in FRICTIONS], [along(mu, slope)[0] for mu in FRICTIONS]
        )
        found.append(
            at_most(f"error of the acceleration {name}", WITHIN, worst, "", "above 5 % of g")
        )
        ours = threshold(along, slope)
        note = "paper: 0.58 expected, 1.0 found" if slope == SLOPES[-1] else ""
        found.append(
            Quantity(f"friction that holds {name}", None, stick(slope), ours, WITHIN, "", note)
        )
    moved = max(
        abs(along(mu, slope)[1])
        for slope in SLOPES
        for mu in FRICTIONS
        if mu > STUCK * stick(slope)
    )
    found.append(
        at_most("way along edges of a wire that sticks", 1e-6, moved, "m", "of all inclined beams")
    )
    return found


def holding() -> Finding:
    """Of 2.5 turns."""
    note = "100 kg against 0.9 kg, mu = 0.3, ten minutes"
    return at_most("creep of a wire that holds by 2.5 turns", CREEP, creep(), "m", note)


def draw() -> "Figure":
    """Accelerations over friction."""
    from matplotlib.figure import Figure

    figure, fine = Figure(figsize=(10.0, 4.2)), np.linspace(0.0, 1.0, 401)
    left, right = figure.subplots(1, 2)
    left.plot(fine, [atwood(capstan(mu)) for mu in fine], color="C0")
    for color, name, rounded, mark in (
        ("C0", "two edges", False, "o"),
        ("C1", "32 facets", True, "+"),
    ):
        found = [across(mu, rounded)[0] for mu in FRICTIONS]
        left.plot(FRICTIONS, found, mark, color=color, markersize=4, label=name)
    left.plot(
        PSEUDO,
        [across(mu, False, LAW)[0] for mu in PSEUDO],
        "x",
        color="C3",
        markersize=5,
        label=LAW,
    )
    left.plot(fine, [atwood(bounded(mu)) for mu in fine], color="C3", linewidth=0.7)
    left.plot(
        fine, atwood(1.0) * (1.0 - fine), "--", color="gray", label=r"paper: $g/3 \cdot (1 - \mu)$"
    )
    for color, slope in zip(("C0", "C1", "C2"), SLOPES, strict=True):
        right.plot(fine, [coulomb(mu, slope) for mu in fine], color=color)
        ours = [along(mu, slope)[0] for mu in FRICTIONS]
        right.plot(FRICTIONS, ours, "o", color=color, markersize=4, label=rf"${slope:g}^\circ$")
    right.plot(
        PSEUDO,
        [released(mu)[0] for mu in PSEUDO],
        "x",
        color="C3",
        markersize=5,
        label=rf"$30^\circ$, {LAW}",
    )
    theta = math.radians(SLOPES[-1])
    for slowed, style, text in (
        (1.0 / math.cos(theta), "--", r"paper, $30^\circ$: $1 - \mu \sec\theta$ as printed"),
        (1.0 / math.tan(theta), "-.", r"meant: $1 - \mu \cot\theta$"),
        (1.0, ":", r"found there: sticks at $\mu = 1$ only"),
    ):
        line = GRAVITY * math.sin(theta) * np.maximum(1.0 - slowed * fine, 0.0)
        right.plot(fine, line, style, color="gray", label=text)
    left.set(
        title="across edges, loads 1 to 2", xlabel=r"friction $\mu$", ylabel="acceleration [m/s²]"
    )
    right.set(title="along inclined edges", xlabel=r"friction $\mu$")
    right.set_ylim(top=8.0)  # room for the legend
    for axes in (left, right):
        axes.legend(fontsize=8)
    return figure
