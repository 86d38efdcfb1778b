"""The falling chain that the benchmarks run in other engines is the same chain: it ends where ours
does.

All have the same masses at the same places, and links that do not stretch, so what differs is the
integration. Ours is of second order, as Exudyn's generalised alpha: half the step leaves a quarter
of the difference. MuJoCo's semi-implicit steps, from rest, are those of our state, whose poses
stand half a step ahead of the time; so that is where they are compared. Its masses on tendons are
integrated alike, and its constraints give way by a part that falls with h^2. Its tree of hinges
takes another first-order step (in angles): half the step leaves half of it.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks import chains
from cable_sim import Simulator

COUNT, SECONDS, COARSE = 20, 0.5, 1e-3
"""Masses, time [s], the longer of both steps [s]."""
GRAVITY = 9.81
ENGINES = {"MuJoCo links": 0.25, "MuJoCo tree": 0.5, "Exudyn": 0.25}
"""What half the step leaves of the difference."""
FARTHEST = {"MuJoCo links": 1e-5, "MuJoCo tree": 3e-4, "Exudyn": 2e-5}
"""Of any mass from where ours is, with the longer step [m]; the chain's end falls by 0.4 m, at 3.4
m/s."""


def other(name: str, h: float, seconds: float) -> Any:
    """The chain in another engine, after that time; skips without the engine."""
    make = chains.peers()[name]
    if make is None:
        pytest.skip(f"{name.split()[0]} is {chains.MISSING}")
    made = make(COUNT, h)
    case = made.case(round(seconds / h))
    case.before()
    case.work()
    return made


@cache
def ours(h: float, seconds: float) -> Simulator:
    """The chain here, after that time."""
    simulator = Simulator(chains.sloping_scene(COUNT), dt=h)
    assert simulator.step(round(seconds / h)).status == 0
    return simulator


def apart(name: str, h: float) -> float:
    """How far the two are apart at most [m], with MuJoCo half a step ahead of the time."""
    simulator = ours(h, SECONDS)
    curve = simulator.observe().cable("chain").curve
    if name.startswith("MuJoCo"):
        curve = simulator._state.particles.position
    return float(np.abs(other(name, h, SECONDS).curve() - curve).max())


def test_ours_has_the_masses_and_places_that_the_others_get() -> None:
    simulator = Simulator(chains.sloping_scene(COUNT))
    np.testing.assert_allclose(
        simulator._model.ropes.particle_mass, [0.5 * chains.MASS, *chains.masses(COUNT)], atol=1e-15
    )
    np.testing.assert_allclose(
        simulator.observe().cable("chain").curve, chains.places(COUNT), atol=1e-12
    )
    assert chains.masses(COUNT).sum() == pytest.approx(0.1 * 19.5)
    np.testing.assert_allclose(np.linalg.norm(np.diff(chains.places(COUNT), axis=0), axis=1), 0.1)


@pytest.mark.parametrize("name", ENGINES)
def test_same_fall(name: str) -> None:
    coarse, fine = apart(name, COARSE), apart(name, 0.5 * COARSE)
    assert coarse < FARTHEST[name]
    assert fine / coarse == pytest.approx(ENGINES[name], rel=0.05)


@pytest.mark.parametrize("name", ENGINES)
def test_no_link_stretches(name: str) -> None:
    links = np.linalg.norm(np.diff(other(name, COARSE, SECONDS).curve(), axis=0), axis=1)
    np.testing.assert_allclose(links, 0.1, rtol=1e-4)


@pytest.mark.parametrize("name", ["MuJoCo links", "Exudyn"])
def test_the_first_link_carries_the_weight_along_the_slope(name: str) -> None:
    """While the chain is straight, which it is in the first step; and after half a second as much
    as ours, whose reading has the weight of the held end's half mass in it.

    MuJoCo's constraints are softened one by one, which adds up to 2.5 % of the first step's pull.
    """
    weight = chains.masses(COUNT).sum() * GRAVITY
    assert other(name, COARSE, COARSE).pull() == pytest.approx(weight * np.sqrt(0.5), rel=0.03)
    cable = ours(COARSE, SECONDS).observe().cable("chain")
    along = (cable.curve[1] - cable.curve[0]) / np.linalg.norm(cable.curve[1] - cable.curve[0])
    end_weight = np.array([0.0, 0.0, -0.5 * chains.MASS * GRAVITY])
    held = np.linalg.norm(other(name, COARSE, SECONDS).pull() * along + end_weight)
    assert held == pytest.approx(cable.span_tension[0], rel=1e-3)


def test_missing_engines_are_rows_that_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "CHAINS", (10,))
    monkeypatch.setattr(chains, "TREES", 10)
    monkeypatch.setattr(chains, "CHAIN_WORK", 100)
    monkeypatch.setattr(chains, "PEER_WORK", 100)
    monkeypatch.setattr(chains, "peers", lambda: dict.fromkeys(ENGINES))
    rows = {row.case: row for row in chains.mbc()}
    assert rows["10 sloping, here"].best > 0.0
    for name in ENGINES:
        assert np.isnan(rows[name].best) and "requirements/bench.txt" in rows[name].note
