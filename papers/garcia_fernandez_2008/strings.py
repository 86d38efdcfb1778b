"""Section 3.2: one span by itself: frequencies, decay, sag, and how it lags behind ends that
move."""

import math
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator
from cable_sim.spec import Elevation
from validation.harness import Finding, Picture, Progress, Quantity, Result, at_least, fit_mode

from .lift import G

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H = 1e-3
TENSION, DENSITY, LENGTH, POINTS = 1000.0, 1.0, 20.0, 33
"""Of the string: [N, kg/m, m, -]."""
DAMPING = 0.3
"""b of the string [1/s]."""
LITTLE = 0.01
"""Gravity that sets the string swinging without a change of its tension [m/s^2]."""
MODES = (1, 3, 5)
"""Those that gravity sets swinging: the even ones are antisymmetric."""
SCHEMES: tuple[Literal["explicit", "implicit"], ...] = ("explicit", "implicit")
SLACKS = {1e-4: 0.01, 1e-3: 0.01, 0.0066: 0.01, 0.026: 0.04}
"""Rope over span, less one, of hanging ropes, and the tolerance of their sag: 10 % sag for the
last."""
SPAN, EA = 40.0, 1.0e6
"""Of the hanging ropes [m, N]."""

Array = NDArray[np.float64]


def span(
    layer: Elevation, length: float, end: tuple[float, float, float], ea: float, gravity: float
) -> Scene:
    """A rope between two fixed points, straight at the start; ``length`` of the rope [m]."""
    nodes = (Anchor("world"), Anchor("world", end))
    return Scene(
        name="span",
        cables=(Cable("rope", nodes, ea=ea, length=length, elevation=layer),),
        gravity=(0.0, 0.0, -gravity),
    )


@cache
def released(scheme: Literal["explicit", "implicit"]) -> Array:
    """A straight string, released under a little gravity: amplitudes of its modes over time, a
    column each [m]."""
    ea = 1e6
    layer = Elevation(DENSITY, POINTS, DAMPING, scheme)
    scene = span(layer, LENGTH / (1.0 + TENSION / ea), (LENGTH, 0.0, 0.0), ea, LITTLE)
    simulator, rows = Simulator(scene, dt=H), []
    grid = np.linspace(0.0, 1.0, POINTS)
    shapes = np.sin(np.outer(math.pi * grid, MODES)) * 2.0 / (POINTS - 1)
    rest = -0.5 * DENSITY * LITTLE * LENGTH**2 / TENSION * grid * (1.0 - grid)
    for _ in range(2000):
        simulator.step(5)
        rows.append((simulator.observe().cable("rope").curve[:, 2] - rest) @ shapes)
    return np.array(rows)


def frequencies(progress: Progress) -> Result:
    """A string with a = sqrt(T / rho), straight under tension, is let go under a gravity of 0.01
    m/s^2, so weak that the tension stays. The shape is split into sines, whose frequencies and
    rates of decay are fitted one by one.

    Theory is omega_n = n pi a / l, with the damping sqrt(omega_n^2 - b^2 / 4), and the decay b / 2.
    The grid of 32 intervals has (2 M a / l) sin(n pi / 2 M) instead, lower by (n pi / M)^2 / 24:
    1.0 % for the fifth mode.
    """
    found: list[Finding] = []
    speed = math.sqrt(TENSION / DENSITY)
    for scheme in progress.over(SCHEMES):
        for column, n in enumerate(MODES):
            mode, tag = fit_mode(released(scheme)[:, column], 5 * H), f"mode {n}, {scheme}"
            omega, wave = 2.0 * math.pi / mode.period, n * math.pi / (2 * (POINTS - 1))
            string = math.sqrt((n * math.pi * speed / LENGTH) ** 2 - 0.25 * DAMPING**2)
            grid = math.sqrt(
                (2.0 * (POINTS - 1) * speed / LENGTH * math.sin(wave)) ** 2 - 0.25 * DAMPING**2
            )
            coarse = wave**2 / 6.0 + 1e-3
            found += [
                Quantity(
                    f"frequency, {tag}", None, string, omega, coarse, "rad/s", "of the string"
                ),
                Quantity(f"frequency of the grid, {tag}", None, grid, omega, 2e-4, "rad/s"),
                Quantity(
                    f"decay rate, {tag}",
                    None,
                    0.5 * DAMPING,
                    mode.decay_rate(5 * H),
                    1e-3,
                    "1/s",
                    "b / 2",
                ),
            ]
    caption = (
        "The string let go under a little gravity: its modes, explicit (solid) and implicit "
        "scheme (dotted)."
    )
    return Result(found, [Picture("modes", caption, _draw_modes)])


def elastic_catenary(length: float) -> tuple[float, float, float]:
    """Sag [m], horizontal pull [N] and upright pull at a support [N] of a rope over SPAN
    (Irvine)."""
    weight = DENSITY * G
    half = 0.5 * weight * length

    def misfit(pull: float) -> float:
        return pull * length / EA + 2.0 * pull / weight * math.asinh(half / pull) - SPAN

    pull = brentq(misfit, 1e-3 * weight * SPAN, 1e4 * weight * SPAN)
    sag = pull / weight * (math.sqrt(1.0 + (half / pull) ** 2) - 1.0) + half * length / (4.0 * EA)
    return float(sag), float(pull), half


def catenary_shape(length: float) -> tuple[Array, Array]:
    """Points x, z of that curve [m], from one support to the other."""
    _, pull, half = elastic_catenary(length)
    weight = DENSITY * G
    along = np.linspace(0.0, length, 201)
    v = half - weight * along
    x = pull * along / EA + pull / weight * (np.arcsinh(half / pull) - np.arcsinh(v / pull))
    z = (
        -(half * along - 0.5 * weight * along**2) / EA
        + (np.hypot(pull, v) - math.hypot(pull, half)) / weight
    )
    return x, z


@cache
def hung(slack: float, scheme: Literal["explicit", "implicit"]) -> tuple[Array, float]:
    """Curve [m] and tension [N] of a rope that has come to rest."""
    layer = Elevation(DENSITY, 65, 2.0, scheme)
    simulator = Simulator(span(layer, SPAN * (1.0 + slack), (SPAN, 0.0, 0.0), EA, G), dt=H)
    simulator.step(30_000)
    seen = simulator.observe().cable("rope")
    return seen.curve, seen.tension


def sag(progress: Progress) -> Result:
    """Ropes of 40 m and a little more hang between level supports. The model's parabola under a
    tension that is the same everywhere stands beside the elastic catenary (Irvine, Cable
    Structures), whose tension is the horizontal pull in the middle and more at the supports.

    Up to 5 % sag they agree within 1 %. Under 10 % sag, where slopes reach 0.4, the assumption of
    small slopes ends.
    """
    found: list[Finding] = []
    for slack, tolerance in progress.over(SLACKS.items()):
        depth, pull, _ = elastic_catenary(SPAN * (1.0 + slack))
        for scheme in SCHEMES:
            curve, tension = hung(slack, scheme)
            tag = f"{100.0 * depth / SPAN:.1f} % of the span, {scheme}"
            ours = -float(curve[:, 2].min())
            parabola = DENSITY * G * SPAN**2 / (8.0 * tension)
            found += [
                Quantity(
                    f"sag against the elastic catenary, {tag}", None, depth, ours, tolerance, "m"
                ),
                Quantity(
                    f"tension against the catenary's pull, {tag}",
                    None,
                    pull,
                    tension,
                    4.0 * tolerance,
                    "N",
                ),
                Quantity(
                    f"sag against rho g l^2 / 8T, {tag}",
                    None,
                    parabola,
                    ours,
                    1e-4,
                    "m",
                    "own tension",
                ),
            ]
    found += _sloping()
    caption = "Ropes at rest (points) and elastic catenaries of the same length (lines)."
    return Result(found, [Picture("sag", caption, _draw_sag)])


def _sloping() -> list[Finding]:
    """F in eq. 5 is an acceleration, and gravity enters it by its part across the chord."""
    found: list[Finding] = []
    for slope in (0.5, 1.0, 3.0):
        end = (10.0, 0.0, 10.0 * slope)
        chord = math.hypot(10.0, 10.0 * slope)
        scene = span(Elevation(DENSITY, POINTS, 2.0), 1.001 * chord, end, EA, G)
        simulator = Simulator(scene, dt=H)
        simulator.step(20_000)
        seen = simulator.observe().cable("rope")
        middle = seen.curve[(POINTS - 1) // 2] - 0.5 * np.array(end)
        down = -float(middle @ (-slope, 0.0, 1.0)) / math.hypot(1.0, slope)
        theory = DENSITY * G * chord / math.hypot(1.0, slope) * chord / (8.0 * seen.tension)
        found.append(
            Quantity(
                f"deflection across a slope of {slope:g}",
                None,
                theory,
                down,
                1e-4,
                "m",
                "cos(slope) g",
            )
        )
    return found


def lag(progress: Progress) -> Result:
    """Both ends of a string move across it with the constant speed V. Nothing accelerates, but the
    damping b holds the
    string back, and it trails: by rho b V l^2 / 8T in the middle. That is what R = F - r_tt - b r_t
    says. Eq. 7 prints
    + b r_t, with which the string would run ahead of its ends by as much.
    """
    found: list[Finding] = []
    box = Box(0.1, 0.1, 0.1)
    still = tuple(
        Body(name, shape=box, position=(x, 0.0, 0.0), motion="prescribed")
        for name, x in (("left", 0.0), ("right", LENGTH))
    )
    rope = Cable(
        "rope",
        (Anchor("left"), Anchor("right")),
        ea=1e6,
        pretension=TENSION,
        elevation=Elevation(DENSITY, POINTS, 2.0),
    )
    for speed in progress.over((1.0, 3.0)):
        bodies = tuple(replace(body, velocity=(0.0, speed, 0.0)) for body in still)
        simulator = Simulator(Scene(bodies=bodies, cables=(rope,), gravity=(0.0, 0.0, 0.0)), dt=H)
        simulator.step(20_000)
        seen = simulator.observe().cable("rope")
        behind = float(seen.node_position[0, 1] - seen.curve[(POINTS - 1) // 2, 1])
        theory = DENSITY * 2.0 * speed * LENGTH**2 / (8.0 * seen.tension)
        found.append(
            Quantity(
                f"lag of the middle at {speed:g} m/s",
                None,
                theory,
                behind,
                1e-3,
                "m",
                "own tension",
            )
        )
        found.append(
            at_least(
                f"the middle trails at {speed:g} m/s",
                0.05,
                behind,
                "m",
                "eq. 7 as printed: negative",
            )
        )
    return Result(found)


def _draw_modes() -> "Figure":
    """Amplitudes over the first seconds."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.2))
    panels = figure.subplots(len(MODES), 1, sharex=True)
    time = 5 * H * np.arange(1, 2001)
    for color, (axes, n) in enumerate(zip(panels, MODES, strict=True)):
        for scheme, style in zip(SCHEMES, ("-", "k:"), strict=True):
            draw = partial(axes.plot, time, 1e3 * released(scheme)[:, color], style)
            draw(**({"color": f"C{color}"} if style == "-" else {"linewidth": 1.0}))
        axes.set_ylabel(f"mode {n} [mm]")
        axes.margins(x=0.0)
    panels[-1].set_xlabel("time [s]")
    return figure


def _draw_sag() -> "Figure":
    """Points on curves."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.0))
    axes = figure.subplots()
    for color, slack in enumerate(SLACKS):
        curve, _ = hung(slack, "explicit")
        x, z = catenary_shape(SPAN * (1.0 + slack))
        axes.plot(x, z, color=f"C{color}", label=f"rope longer by {100.0 * slack:g} %")
        axes.plot(curve[::4, 0], curve[::4, 2], "o", color=f"C{color}", markersize=3)
    axes.set_xlabel("x [m]")
    axes.set_ylabel("z [m]")
    axes.set_ylim(top=1.4)
    axes.legend(loc="upper center", ncols=4)
    return figure
