"""What the proof page times is the same thing: every implementation gives the numbers that are
asked of it.

C++ and numpy always run, as the tests need a compiler anyway; MuJoCo and Exudyn where they are
installed.
"""

import ctypes
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from messages import naming

from benchmarks import arrays, chains, compiled, loops
from benchmarks.peers import (
    beam,
    capstan,
    chain,
    crane,
    engines,
    heavy_rope,
    period,
    reference,
    tutorial,
    waves,
)
from benchmarks.peers.contest import OURS, Absent, Entry, Result, _run_entry
from benchmarks.rope import CONSTANTS, MASSES, Rope, tutorial_ticks
from cable_sim import load_scene
from cable_sim.errors import CableSimError

PLAIN = ("C++", "numpy")
INSTALLED = ("MuJoCo", "Exudyn")


@cache
def entries(comparison: str) -> list[Entry | Absent]:
    """Those of a comparison; of the chain one that is quick."""
    makers = {
        "chain": lambda: chain.enter(30, 300),
        "nehe": tutorial.enter,
        "waves": waves.enter,
        "period": period.enter,
        "capstan": capstan.enter,
        "beam": beam.enter,
    }
    return list(makers[comparison]())


@cache
def judged(comparison: str, engine: str) -> list[Result]:
    """What an engine's entries give; skips without the engine."""
    if not engine == OURS and engine != "numpy" and not engines.is_there(engine):
        pytest.skip(f"{engine} is not installed: {engines.INSTALL[engine]}")
    return [
        _run_entry(entry)
        for entry in entries(comparison)
        if isinstance(entry, Entry) and entry.engine == engine
    ]


@pytest.mark.parametrize("engine", PLAIN)
@pytest.mark.parametrize("comparison", ["chain", "nehe", "waves"])
def test_plain_loops_and_arrays_have_the_numbers_of_ours(comparison: str, engine: str) -> None:
    found = judged(comparison, engine)
    assert found and not any(result.refused for result in found), found
    name = {"chain": chain.APART, "nehe": tutorial.OFF, "waves": waves.OFF}[comparison]
    assert all(0.0 < result.figures[name] < 1e-9 or engine == "C++" for result in found)
    assert all(result.figures[name] < 1e-8 for result in found)


def test_every_engine_times_the_rope_with_the_same_masses() -> None:
    for entry in entries("nehe"):
        assert isinstance(entry, Absent) or entry.case.count % (tutorial.STEPS * MASSES) == 0, (
            entry.engine
        )


@pytest.mark.parametrize("engine", INSTALLED)
@pytest.mark.parametrize("comparison", ["chain", "nehe"])
def test_engines_move_like_ours(comparison: str, engine: str) -> None:
    found = judged(comparison, engine)
    assert found and not any(result.refused for result in found), found


def test_the_beam_that_is_let_go_is_that_of_its_modes() -> None:
    """At rest under its weight, and at once under none; ours is the more exact, the more cells."""
    time = np.array([0.0, 1e-4])
    rate, size = beam._modes()
    assert size.sum() == pytest.approx(beam.SAG, rel=2e-5) and rate[0] == pytest.approx(9.65, 1e-3)
    assert beam.exact_heights(time)[0] == 0.0 > beam.exact_heights(time)[1]
    errors = [result.figures[beam.ERROR] for result in judged("beam", OURS)]
    assert errors[0] < 1.2 and errors[2:] == sorted(errors[2:], reverse=True) and errors[-1] < 0.1


@pytest.mark.parametrize(("engine", "most"), [("MuJoCo", 13.0), ("Exudyn", 1.5)])
def test_beams_of_others_swing_as_their_modes(engine: str, most: float) -> None:
    """Those of MuJoCo have four hinges at least."""
    found = judged("beam", engine)
    assert found and not any(result.refused for result in found), found
    assert max(result.figures[beam.ERROR] for result in found) < most


def test_the_chain_is_of_second_order() -> None:
    """The reference is another method altogether; half the step leaves a quarter."""
    places, mass = chains.places(20), chains.masses(20)
    inverse_mass, left = np.concatenate([[0.0], 1.0 / mass]), []
    for h in (2e-3, 1e-3):
        made = chain.Chain(arrays.chain, places, mass, h)
        made.advance(round(0.4 / h))
        exact = reference.fall(inverse_mass, places, np.array([0.4]))[0]
        left.append(chain.largest_distance(made.curve(), exact))
    assert left[0] < 1e-3 and left[0] / left[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("engine", [OURS, *PLAIN, *INSTALLED])
def test_the_period_of_a_pendulum(engine: str) -> None:
    """Exact to a part in a thousand at least in one way of each engine."""
    found = judged("period", engine)
    assert min(result.figures[period.PERIOD] for result in found if not result.refused) < 1e3


def test_period_and_loss_of_a_known_swing() -> None:
    """A swing that is written down: 1 % too slow, and losing a tenth of its amplitude in a
    minute."""
    t = period.H * np.arange(round(period.SECONDS / period.H))
    angle = 0.1 * (1.0 - 0.1 * t / t[-1]) * np.cos(2.0 * np.pi * t / (1.01 * period.EXACT))
    found = period.swing_errors(angle)
    assert found[period.PERIOD] == pytest.approx(1e4, rel=1e-3)
    assert found[period.DRIFT] == pytest.approx(1e6 * (1.0 - 0.9**2), rel=0.1)


def test_the_rope_under_the_load_is_the_one_that_the_others_get() -> None:
    made = heavy_rope.OurLoad(heavy_rope.scene("chain"), 1e-4).simulator
    half = 0.5 * heavy_rope.masses()[0]
    np.testing.assert_allclose(
        made._model.ropes.particle_mass, [half, *heavy_rope.masses()[:-1], half], atol=1e-12
    )
    np.testing.assert_allclose(made.observe().cable("rope").curve, heavy_rope.places(), atol=1e-9)


def test_the_capstan_of_ours_and_the_tendon_without_friction() -> None:
    (ours,) = judged("capstan", OURS)
    assert 0.0 < ours.figures[capstan.WORST] < 1.0
    (tendon,) = judged("capstan", "MuJoCo")
    assert all(
        tendon.figures[f"mu = {mu:g}"] == pytest.approx(1.0, abs=1e-6) for mu in capstan.FRICTIONS
    )


def test_compiled_once_until_the_source_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(compiled, "FOLDER", tmp_path)
    monkeypatch.chdir(tmp_path)
    for answer in (1, 1, 2):
        (tmp_path / "answer.cpp").write_text(f'extern "C" int answer() {{ return {answer}; }}\n')
        made = compiled.library("answer", ("-O1",))
        assert isinstance(made, ctypes.CDLL) and made.answer() == answer
    assert len(list((tmp_path / "build" / "benchmarks").iterdir())) == 2


def test_without_a_compiler_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    assert loops.chain() is None and "installed" in compiled.compiler_version()
    assert engines.absent_engine("C++") == Absent("C++", "not installed", missing=True)
    assert not engines.is_there("C++") and "g++" in engines.INSTALL["C++"]


@pytest.mark.parametrize("engine", INSTALLED)
def test_the_crane_hangs_and_is_lowered_like_ours(engine: str) -> None:
    """At rest within 2 mm after half a second, by which servos creep; with all drives on it gets as
    low, at full speed where ours is still on its ramps."""
    if not engines.is_there(engine):
        pytest.skip(f"{engine} is not installed: {engines.INSTALL[engine]}")

    scene = crane.remove_losses(load_scene(crane.SCENE))
    module = {"MuJoCo": "mujoco_crane", "Exudyn": "peers.exudyn_crane"}[engine]
    make = getattr(import_module(f"benchmarks.{module}"), f"{engine.capitalize()}Crane")
    still = make(scene, 0.0, crane.H)
    ours = crane.Ours(scene, crane.H, 0.0)
    moved = make(scene, 0.5, crane.H)
    start = ours.load()
    for one in (still, ours, moved):
        one.advance(500)
    np.testing.assert_allclose(still.load(), ours.load(), atol=2e-3)
    speed = 0.5 * next(drive.max_speed for drive in scene.drives if drive.name == "hoist") / 4
    assert start[2] - moved.load()[2] == pytest.approx(0.5 * speed, rel=0.3)


@pytest.mark.parametrize("engine", PLAIN)
def test_the_tutorial_ground_agrees_in_plain_loops_and_arrays(engine: str) -> None:
    """The fall that is timed ends above it; this one goes on until masses lie in it."""
    loop = arrays.tutorial_rope if engine == "numpy" else loops.tutorial_rope("as_printed")
    if loop is None:
        pytest.skip(f"C++ is not installed: {engines.INSTALL['C++']}")
    ours, other = (Rope(MASSES, CONSTANTS[2]) for _ in range(2))
    tutorial_ticks(ours, 600)()
    loop(CONSTANTS, 600, tutorial.H, other.position, other.velocity)
    assert (ours.position[:, 2] < CONSTANTS[-1]).sum() > 5
    np.testing.assert_allclose(other.position, ours.position, atol=1e-9)


def test_a_source_that_does_not_compile(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(compiled, "FOLDER", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.cpp").write_text("no C++\n")
    with pytest.raises(CableSimError, match=naming("compile wrong.cpp")):
        compiled.library("wrong")
    assert list((tmp_path / "build" / "benchmarks").iterdir()) == []
