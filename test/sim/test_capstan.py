"""Coulomb's bound on a wire that is wound about a prism, at any step and damping: what holds, and
what slips."""

import math
from itertools import product

import pytest
from slow_cases import slow_but

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.spec import Hybrid, Obstacle, Polyhedron

G, MASS, HANGS, NEAR, STARTS = 9.81, 10.0, -3.0, 0.01, 0.1
"""The last two: how near tensions come to the bound that the facets have, as a part of it, and how
long the wire, a tenth of a millimetre slack for each corner, takes to get taut [s]."""


def wound(
    facets: int, halves: int, mu: float, damping: float, ea: float = 1e6
) -> tuple[Scene, float]:
    """Two weights on a wire that goes halves of a turn about a prism, and the largest ratio of
    tensions that holds."""
    turn, out = 2.0 * math.pi / facets, 1.0 + 0.002 / math.cos(math.pi / facets) + 1e-4
    angles = [math.pi - (i + 0.5) * turn for i in range(facets * halves // 2)]
    path = tuple(
        (out * math.cos(a), 0.1 * i / facets, out * math.sin(a)) for i, a in enumerate(angles)
    )
    ring = [(math.cos((i + 0.5) * turn), math.sin((i + 0.5) * turn)) for i in range(facets)]
    prism = Polyhedron(tuple((x, y, z) for x, z in ring for y in (-2.0, 2.0)))
    ends = [(*path[i][:2], HANGS) for i in (0, -1)]
    wire = Cable(
        "wire",
        (Anchor("pulled"), Anchor("held")),
        ea=ea,
        damping_time=damping,
        diameter=0.004,
        touches=("prism",),
        length=sum(
            math.dist(p, q) for p, q in zip((ends[0], *path), (*path, ends[1]), strict=True)
        ),
        contacts=60,
        hybrid=Hybrid(density=1e-6, most=0, wound=True, path=path),
    )
    shape = Sphere(0.05)
    bodies = (
        Body("pulled", MASS, shape=shape, position=ends[0]),
        Body("held", MASS, shape=shape, position=ends[1]),
    )
    scene = Scene(bodies=bodies, obstacles=(Obstacle("prism", prism, friction=mu),), cables=(wire,))
    return scene, math.exp(mu * turn * len(path))


def pull(simulator: Simulator, weights: float) -> float:
    """A step under a pull of so many weights; returns the ratio of the tensions, 0 for a slack
    wire."""
    simulator.push("pulled", force=(0.0, 0.0, -MASS * G * (weights - 1.0)))
    assert simulator.step().status == 0
    wire = simulator.observe().cable("wire")
    return wire.tension / wire.tension_dead_end if wire.tension_dead_end > 0.01 * MASS * G else 0.0


def check(scene: Scene, bound: float, dt: float) -> None:
    """A pull that grows to 1 % below the bound is held, and one that grows to 2 % above it slips,
    at the bound."""
    simulator = Simulator(scene, dt)
    held = 1.0 - NEAR
    for until, start, grows in (
        (0.6, 0.1, (held - 0.1) / 0.6),
        (0.9, held, 0.0),
        (1.2, held, 0.1),
        (1.5, 1.02, 0.0),
    ):
        begin = simulator.time
        while simulator.time < until:
            ratio = pull(simulator, bound * (start + grows * (simulator.time - begin)))
            assert ratio < (1.0 + NEAR) * bound or simulator.time < STARTS
        if until == 0.9:
            still = simulator.observe().body("held")
            assert abs(still.velocity[2]) < 1e-3
    assert ratio == pytest.approx(bound, rel=NEAR)
    assert simulator.observe().body("held").position[2] > still.position[2] + 0.005


@pytest.mark.parametrize(
    ("dt", "damping"),
    slow_but(
        {(1e-3, 5e-3), (5e-3, 0.05), (1.0 / 60.0, 5e-4), (1.0 / 60.0, 0.02)},
        product((0.25e-3, 1e-3, 5e-3, 1.0 / 60.0), (5e-4, 5e-3, 0.02, 0.05)),
    ),
)
def test_coulomb_holds_and_no_more(dt: float, damping: float) -> None:
    check(*wound(32, 3, 0.25, damping), dt)


@pytest.mark.parametrize(
    ("facets", "halves", "mu"),
    slow_but(
        {(8, 3, 0.25), (16, 5, 0.1)}, [(16, 3, 0.25), (8, 3, 0.25), (64, 1, 0.4), (16, 5, 0.1)]
    ),
)
def test_other_windings_hold_as_much(facets: int, halves: int, mu: float) -> None:
    check(*wound(facets, halves, mu, 0.05), 1e-3)


@pytest.mark.parametrize("ea", slow_but([1e5, 1e8], [1e5, 1e7, 1e8]))
def test_softer_and_stiffer_wires_hold_as_much(ea: float) -> None:
    check(*wound(32, 3, 0.25, 0.05, ea), 1e-3)
