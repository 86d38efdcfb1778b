"""Cost of a step against the number of bodies on a cable, as one massless cable and cut into
segments.

Servin and Lacoursiere 2007, section 5.2: a massless cable adds the same few rows whatever runs on
it, a cable of segments adds rows with each of them. Here n bodies hang on a rope between two
anchors in several ways:

* ``one cable``: eyes on one massless cable: one row; ``with twist``: two.
* ``segments``: cut into massless cables between knots of the rope's mass, ten to a span between
  bodies, every tenth
  knot a body: one row a segment.
* ``rods``: as many rigid rods on ball joints, the bodies hung at every tenth joint: three rows a
  joint.
* ``no cable``: the bodies alone, falling.

All start at rest with the same bodies and rope in the same places and run by turns. A step is 0.1
ms, which resolves the vibration of the knots. ``one cable at 1/60 s`` is the step of the paper; the
engine may add rows then that keep light bodies calm and neighbours apart, which the count of rows
shows, and a timed call is only 15 steps long, so that the call itself adds some tenths of a
microsecond to each.

``us = a + b n`` is fitted to the whole step. ``factorisation`` is what factors and solution of the
step's Schur
complement take, alone, in compiled code: flat for one cable. What is left of b is forces, nodes,
entries, assembly and poses, and ``no cable`` is the part of it that any body costs.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.results import Row
from benchmarks.timing import Case, Timing, measure
from cable_sim import Anchor, Body, Cable, Eye, Joint, Scene, Simulator, Sphere
from cable_sim.errors import SpecError
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody import envelope
from cable_sim.kernels.multibody.pivoting import FREE
from cable_sim.spec import Cylinder
from cable_sim.spec.quantities import Vector

SIZES = (2, 4, 8, 16, 32, 64)
SPACING = 1.0
SAG = 0.1
"""Between bodies in plan [m]; the middle's depth over the span [-]."""
MASS = 1.0
RADIUS = 0.1
"""Of a body [kg, m]; its eye is on top."""
EA = 1e5
ROPE_MASS = 0.5
ROPE_RADIUS = 0.01
"""Of the rope [N, kg/m, m]; a massless cable leaves the second out."""
PIECES = 10
"""Segments to a body."""
GRAVITY = 9.81
STEP = 1e-4
LONG_STEP = 1.0 / 60.0
LEAST = 50
MOST = 2000
WORK = 40_000
LONGEST = 0.25
"""Steps of a timed call: WORK / bodies, within the two limits and the simulated time [s], so that
nobody meets."""
SOLUTIONS = 2000
"""Factorisations of a timed call."""


def beads(n: int = 8, gj: float | None = None) -> Scene:
    """Balls with eyes on one rope between two anchors, let go on a parabola.

    It is taut with about the tension ``m g (n + 1) / (8 sag)`` of a suspension cable, sag the
    middle's depth over the span. The balls slide without friction towards the middle, because only
    one of them could rest on a free rope.

    ``n`` balls [-], ``gj`` of the rope [N m^2], None for one that no twist resists.
    """
    points = _path(n, 1)
    nodes = [Eye(f"bead_{i}", (0.0, 0.0, RADIUS)) for i in range(1, n + 1)]
    cable = Cable(
        "rope",
        (Anchor("world", points[0]), *nodes, Anchor("world", points[-1])),
        ea=EA,
        pretension=_tension(n),
        gj=gj,
    )
    return Scene(name="beads", bodies=_beads(points[1:-1]), cables=(cable,))


def segments(n: int) -> Scene:
    """The same bodies on a rope of cables between knots; knots have the rope's mass."""
    points = _path(n, PIECES)
    places = {
        i: f"bead_{i // PIECES}" if i % PIECES == 0 else f"knot_{i}"
        for i in range(1, len(points) - 1)
    }
    mass = ROPE_MASS * SPACING / PIECES
    knots = [
        Body(name, mass, shape=Sphere(ROPE_RADIUS), position=points[i])
        for i, name in places.items()
        if name.startswith("knot")
    ]

    def end(i: int) -> Anchor:
        if i not in places:
            return Anchor("world", points[i])
        return Anchor(places[i], (0.0, 0.0, RADIUS if places[i].startswith("bead") else 0.0))

    cables = [
        Cable(f"rope_{i}", (end(i), end(i + 1)), ea=EA, pretension=_tension(n))
        for i in range(len(points) - 1)
    ]
    return Scene(bodies=(*_beads(points[PIECES:-1:PIECES]), *knots), cables=tuple(cables))


def rods(n: int) -> Scene:
    """The same bodies hung on ball joints between rigid rods."""
    points = _path(n, PIECES)
    names = ["world", *(f"rod_{i}" for i in range(1, len(points))), "world"]
    bodies = [
        _rod(name, np.array(a), np.array(b))
        for name, a, b in zip(names[1:], points, points[1:], strict=False)
    ]
    joints = [
        Joint(f"joint_{i}", "ball", names[i + 1], names[i], point=points[i])
        for i in range(len(points) - 1)
    ]
    joints.append(Joint("end", "ball", names[-2], "world", point=points[-1]))
    hung = [
        Joint(f"hanger_{i}", "ball", f"bead_{i}", names[PIECES * i], point=points[PIECES * i])
        for i in range(1, n + 1)
    ]
    return Scene(bodies=(*bodies, *_beads(points[PIECES:-1:PIECES])), joints=(*joints, *hung))


BUILDERS: dict[str, Callable[[int], Scene]] = {
    "one cable": beads,
    "one cable with twist": lambda n: beads(n, gj=1.0),
    "segments": segments,
    "rods": rods,
    "no cable": lambda n: replace(beads(n), cables=()),
    "one cable at 1/60 s": beads,
}


def _path(n: int, pieces: int) -> list[Vector]:
    """Ends of the pieces of the rope, ``pieces`` to a straight span; the bodies' eyes stand on a
    parabola."""
    if n < 1:
        raise SpecError(f"beads: n must be at least 1, not {n}")
    u = np.arange(n + 2) / (n + 1)
    at = np.arange((n + 1) * pieces + 1) / ((n + 1) * pieces)
    depth = np.interp(at, u, 4.0 * SAG * u * (1.0 - u))
    return [(float(x), 0.0, float(-z)) for x, z in (n + 1) * SPACING * np.column_stack([at, depth])]


def _tension(n: int) -> float:
    """H = w l^2 / (8 d) of a cable under an even load [N]."""
    return MASS * GRAVITY * (n + 1) / (8.0 * SAG)


def _beads(points: list[Vector]) -> tuple[Body, ...]:
    """Balls below their eyes."""
    return tuple(
        Body(f"bead_{i}", MASS, shape=Sphere(RADIUS), position=(x, y, z - RADIUS))
        for i, (x, y, z) in enumerate(points, 1)
    )


def _rod(name: str, start: Any, end: Any) -> Body:
    """A piece of the rope between two points."""
    along = end - start
    half = 0.5 * math.atan2(along[0], along[2])
    length = float(np.linalg.norm(along))
    return Body(
        name,
        ROPE_MASS * length,
        shape=Cylinder(ROPE_RADIUS, length),
        position=tuple(0.5 * (start + end)),
        orientation=(math.cos(half), 0.0, math.sin(half), 0.0),
    )


@kernel
def solve_again(count, n, work_out):
    """Factorise a Schur complement and solve with its factors, many times over."""
    for _ in range(count):
        envelope.factorise(n, work_out)
        envelope.solve(n, work_out)


def stepping(simulator: Simulator) -> Case:
    """The first steps of a scene."""
    count = min(
        MOST, max(LEAST, WORK // len(simulator.scene.bodies)), round(LONGEST / simulator.dt)
    )
    simulator.step()
    start = simulator.save()
    return Case(lambda: simulator.step(count), count, lambda: simulator.restore(start))


def solution_case(simulator: Simulator) -> Case:
    """Factorisation and solution of the last step's problem: its matrix is still in the
    workspace."""
    w = simulator._work
    n = rows_of(simulator)
    count = max(LEAST, SOLUTIONS // n)
    free = (
        simulator._state.rows.status[w.solver.active] == FREE
    )  # the workspace's own is overwritten by the residual
    held = {name: getattr(w.solver, name).copy() for name in ("factor", "inverse", "panel")}
    work = w.solver._replace(free=free, solution=np.ones(w.solver.solution.size), **held)
    return Case(lambda: solve_again(count, n, work), count)


def rows_of(simulator: Simulator) -> int:
    """Rows of the last step's Schur complement: those that took part."""
    return int(np.count_nonzero(simulator._work.solver.position >= 0))


def fit_row(name: str, timings: dict[int, Timing]) -> Row:
    """``us = a + b n`` with the least relative deviation; the row gives b."""
    sizes = np.array(list(timings))
    best, median = (
        1e6 * np.array([getattr(t, which) for t in timings.values()])
        for which in ("best", "median")
    )
    (b, a), (b_median, _) = (np.polyfit(sizes, us, 1, w=1.0 / us) for us in (best, median))
    worst = np.abs((a + b * sizes) / best - 1.0).max()
    note = f"a = {a:.3g} us, fits to {100.0 * worst:.0f} %"
    return Row("bodies", f"{name}, b of a + b n", b, b_median, "us/body", note)


def bodies() -> list[Row]:
    """All sizes and ways, by turns, each with its rows; then the fits."""
    simulators = {
        (name, n): Simulator(build(n), dt=LONG_STEP if "1/60" in name else STEP)
        for name, build in BUILDERS.items()
        for n in SIZES
    }
    cases: dict[tuple[str, int], Case] = {}
    for (name, n), simulator in simulators.items():
        cases[name, n] = stepping(simulator)
        if rows_of(simulator):
            cases[f"{name}: factorisation", n] = solution_case(simulator)
    timings = measure(cases)
    rows = []
    for (name, n), timing in timings.items():
        note = ""
        if (name, n) in simulators:
            simulator = simulators[name, n]
            note = (
                f"bodies {len(simulator.scene.bodies)}, rows {rows_of(simulator)}, status "
                f"{simulator.report.status}"
            )
        rows.append(
            Row("bodies", f"{n} {name}", 1e6 * timing.best, 1e6 * timing.median, "us", note)
        )
    names = dict.fromkeys(name for name, _ in cases)
    return rows + [fit_row(name, {n: timings[name, n] for n in SIZES}) for name in names]
