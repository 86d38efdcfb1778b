"""Figures 12 and 13: friction of a wire over a beam, across its edges and along them, at a step of 1/60 s."""

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cable_sim import Simulator, load_scene
from cable_sim.spec.scene import GRAVITY
from cable_sim.studies import Finding, Picture, Progress, Quantity, Result, at_most

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H = 1.0 / 60.0
RATIO = 0.5
"""Of the loads, across the edges."""
SLOPES = (10.0, 20.0, 30.0)
"""Of the beam, along its edges [degrees]."""
FRICTIONS = (*(0.02 * i for i in range(12)), *(0.05 * i for i in range(5, 21)))
"""0 to 1, finer where the wire slides."""
FACETS = 32
WITHIN = 0.01
"""What is asked of accelerations, thresholds and ratios of tensions."""
JUDGED = 0.05
"""Accelerations above this part of g are judged by their relative deviation."""
STILL = 2e-4 * GRAVITY
"""Less is no acceleration [m/s^2]."""
STUCK = 1.2
"""Where friction is that many times what is needed, the wire is not to move at all."""
EASED, SETTLED, WATCHED = 6.0, 1.0, 1.0
"""Along edges: how long the slope takes to come, the wire to slide, and half of what is looked at [s]."""
HELD, CREEP = 600.0, 1e-3
"""How long 2.5 turns hold [s], and how far the loads may move [m]."""


def sharp(mu: float) -> float:
    """Ratio of the tensions on both sides of two edges at right angles."""
    return ((1.0 + mu) / (1.0 - mu)) ** 2 if mu < 1.0 else math.inf


def faceted(mu: float) -> float:
    """The same of the round beam, a polygon: each edge turns the wire by a facet. Close to exp(mu pi)."""
    m = mu * math.tan(math.pi / FACETS)
    return ((1.0 + m) / (1.0 - m)) ** (FACETS // 2)


def atwood(rho: float) -> float:
    """Acceleration of loads that draw a wire across edges with that ratio [m/s^2]."""
    return GRAVITY * max(1.0 - RATIO * rho, 0.0) / (1.0 + RATIO * rho) if rho < math.inf else 0.0


def coulomb(mu: float, slope: float) -> float:
    """Acceleration of equal loads down inclined edges [m/s^2].

    On each edge the wire pulls along it with m y, y = g sin(theta) - a, and presses with
    m (hypot(y, g cos(theta)) + g cos(theta)) / sqrt(2): with the tension of the span over the beam, and the weight.
    """
    from scipy.optimize import brentq

    along, into = GRAVITY * math.sin(math.radians(slope)), GRAVITY * math.cos(math.radians(slope))

    def excess(y: float) -> float:
        return y - mu * (math.hypot(y, into) + into) / math.sqrt(2.0)

    return 0.0 if excess(along) <= 0.0 else along - float(brentq(excess, 0.0, along))


def stick(slope: float) -> float:
    """Friction from which on the wire stays on inclined edges."""
    theta = math.radians(slope)
    return math.sqrt(2.0) * math.sin(theta) / (1.0 + math.cos(theta))


@cache
def across(mu: float, rounded: bool) -> tuple[float, float]:
    """Acceleration of the heavy load down [m/s^2], and the ratio of the tensions."""
    simulator = Simulator(load_scene("wire_over_beam", friction=mu, ratio=RATIO, rounded=rounded), dt=H)
    simulator.step(15)
    before = simulator.observe().body("left").velocity[2]
    simulator.step(15)
    seen = simulator.observe()
    wire = seen.cable("wire")
    return float(before - seen.body("left").velocity[2]) / (15 * H), wire.tension / wire.tension_dead_end


@cache
def along(mu: float, slope: float) -> tuple[float, float]:
    """Acceleration of the wire down the edges [m/s^2], and how far it came in the end [m].

    The loads are held back against the slope at first, and let go slowly, or they would swing by twice its angle. The
    places of the wire on the edge are taken, and not the loads, which swing a little on a wire that sticks.
    """
    scene = load_scene("wire_over_beam", friction=mu, ratio=1.0, slope=slope)
    simulator = Simulator(scene, dt=H)
    for hold in 0.5 + 0.5 * np.cos(np.linspace(0.0, math.pi, round(EASED / H))):
        for body in scene.bodies:
            simulator.push(body.name, force=(0.0, -hold * body.mass * scene.gravity[1], 0.0))
        simulator.step()
    simulator.step(round(SETTLED / H))
    places = []
    for _ in range(3):
        places.append(float(simulator.observe().cable("wire").contact_position[0, 1]))
        simulator.step(round(WATCHED / H))
    return (places[2] - 2.0 * places[1] + places[0]) / WATCHED**2, places[2]


@cache
def creep() -> float:
    """How far 0.9 kg let 100 kg sink, or rise, on 2.5 turns around the round beam [m]."""
    scene = load_scene("wire_over_beam", friction=0.3, load=100.0, ratio=0.009, rounded=True, half_turns=5)
    simulator = Simulator(scene, dt=H)
    simulator.step(round(20.0 / H))
    start = simulator.observe().body_position
    simulator.step(round(HELD / H))
    return float(np.abs(simulator.observe().body_position - start).max())


def threshold(run: Callable[..., tuple[float, float]], beam: float) -> float:
    """Friction from which on the wire does not get faster on a beam, that with this slope or round, by halving."""
    low, high = 0.0, 1.0
    while high - low > 2e-4:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if run(middle, beam)[0] > STILL else (low, middle)
    return 0.5 * (low + high)


def deviation(expected: list[float], ours: list[float]) -> float:
    """Largest relative error of the accelerations that are worth it."""
    return max(abs(a / theory - 1.0) for theory, a in zip(expected, ours, strict=True) if theory > JUDGED * GRAVITY)


def friction(progress: Progress) -> Result:
    """A wire with a load at each end over a beam, of friction mu. Unequal loads, one half of the other, draw it across
    the edges of a level beam, sharp or rounded (32 facets); equal ones along the edges of a beam that is inclined by
    10, 20 and 30 degrees. Coulomb's law with the forces that there are on each edge gives what is drawn as lines.
    Judged are accelerations while the wire slides that are above 5 % of g, frictions from which on it sticks, found by
    halving, and that it does not move at all where friction is a fifth more than that.

    The paper expects its accelerations to fall on straight lines, drawn dashed. Across the edges friction multiplies
    the tension from edge to edge, so that Coulomb's law gives a curve that ends at mu = 0.17, and 0.22 on a round
    beam. Along the edges it compares with a block on an incline, which sticks at mu = tan(theta); printed is
    sec(theta) for cot(theta). But the span over the beam presses on the edges, too: with as much as the load, if the
    beam is level. The wire sticks at mu = sqrt(2) sin(theta) / (1 + cos(theta)), 0.38 for 30 degrees. In the paper it
    sticks at mu = 1 only, because its law takes away the part mu of the sliding, and not of the force.
    """
    for slope in progress.over(SLOPES):
        for mu in FRICTIONS:
            along(mu, slope)
    caption = (
        "Figure 13. Acceleration over friction, at 1/60 s. Points: here; lines: Coulomb's law; dashed: what the paper "
        "expects. Left across the edges, right along them."
    )
    return Result([*crossing(), *sliding(), holding()], [Picture("figure_13", caption, draw)])


def crossing() -> list[Finding]:
    """Across the edges."""
    found: list[Finding] = []
    root = math.sqrt(RATIO)
    for name, law, rounded, known, note in (
        ("edges", sharp, False, (1.0 - root) / (1.0 + root), "paper: a straight line to 1"),
        ("32 facets", faceted, True, -math.log(RATIO) / math.pi, "of exp(mu pi)"),
    ):
        worst = deviation([atwood(law(mu)) for mu in FRICTIONS], [across(mu, rounded)[0] for mu in FRICTIONS])
        found.append(at_most(f"error of the acceleration across {name}", WITHIN, worst, "", "above 5 % of g"))
        ours = threshold(across, rounded)
        found.append(Quantity(f"friction that holds across {name}", None, known, ours, WITHIN, "", note))
    slipping = [mu for mu in FRICTIONS if atwood(faceted(mu)) > STILL]
    capstan = max(abs(across(mu, True)[1] / math.exp(mu * math.pi) - 1.0) for mu in slipping)
    found.append(at_most("error of the ratio of tensions on 32 facets", WITHIN, capstan, "", "against exp(mu pi)"))
    return found


def sliding() -> list[Finding]:
    """Along the edges."""
    found: list[Finding] = []
    for slope in SLOPES:
        name = f"along edges, {slope:g} degrees"
        worst = deviation([coulomb(mu, slope) for mu in FRICTIONS], [along(mu, slope)[0] for mu in FRICTIONS])
        found.append(at_most(f"error of the acceleration {name}", WITHIN, worst, "", "above 5 % of g"))
        ours, note = threshold(along, slope), "paper: 0.58 expected, 1.0 found" if slope == SLOPES[-1] else ""
        found.append(Quantity(f"friction that holds {name}", None, stick(slope), ours, WITHIN, "", note))
    moved = max(abs(along(mu, slope)[1]) for slope in SLOPES for mu in FRICTIONS if mu > STUCK * stick(slope))
    found.append(at_most("way along edges of a wire that sticks", 1e-6, moved, "m", "of all inclined beams"))
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
    for color, name, law, rounded in (("C0", "two edges", sharp, False), ("C1", "32 facets", faceted, True)):
        left.plot(fine, [atwood(law(mu)) for mu in fine], color=color)
        left.plot(FRICTIONS, [across(mu, rounded)[0] for mu in FRICTIONS], "o", color=color, markersize=4, label=name)
    left.plot(fine, atwood(1.0) * (1.0 - fine), "--", color="gray", label=r"paper: $g/3 \cdot (1 - \mu)$")
    for color, slope in zip(("C0", "C1", "C2"), SLOPES, strict=True):
        right.plot(fine, [coulomb(mu, slope) for mu in fine], color=color)
        ours = [along(mu, slope)[0] for mu in FRICTIONS]
        right.plot(FRICTIONS, ours, "o", color=color, markersize=4, label=rf"${slope:g}^\circ$")
    theta = math.radians(SLOPES[-1])
    for slowed, style, text in (
        (1.0 / math.cos(theta), "--", r"paper, $30^\circ$: $1 - \mu \sec\theta$ as printed"),
        (1.0 / math.tan(theta), "-.", r"meant: $1 - \mu \cot\theta$"),
        (1.0, ":", r"found there: sticks at $\mu = 1$ only"),
    ):
        line = GRAVITY * math.sin(theta) * np.maximum(1.0 - slowed * fine, 0.0)
        right.plot(fine, line, style, color="gray", label=text)
    left.set(title="across edges, loads 1 to 2", xlabel=r"friction $\mu$", ylabel="acceleration [m/s²]")
    right.set(title="along inclined edges", xlabel=r"friction $\mu$")
    for axes in (left, right):
        axes.legend(fontsize=8)
    figure.tight_layout()
    return figure
