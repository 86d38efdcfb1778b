"""Model predictive control: the regulator where no bound counts, its bounds where they do, and the
crane."""

import dataclasses
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim.control.controllers.mpc import Mpc
from cable_sim.control.methods.predictive import SwayProgram, steps
from cable_sim.control.methods.regulator import SCALED
from cable_sim.control.run import run
from cable_sim.control.scenario import read_scenario
from cable_sim.errors import CableSimWarning

SCENARIOS = Path(__file__).parents[2] / "config" / "scenarios"
N, SPACING = 30, 0.2
FREE = np.array([np.full(N, -1e3), np.full(N, 1e3)])


def program() -> SwayProgram:
    pytest.importorskip("osqp", reason="needs osqp: pip install 'cable_sim[mpc]'")
    return SwayProgram(N, SPACING, 1.5, 1.0)


def bounds(most: float) -> np.ndarray:
    """The same bound to both sides, at every step."""
    return np.array([np.full(N, -most), np.full(N, most)])


def test_steps_are_exact_for_the_scaled_system() -> None:
    from scipy.linalg import expm

    whole = np.zeros((5, 5))
    whole[:4, :4], whole[:4, 4] = SCALED
    f, g = steps(SPACING)
    assert np.column_stack([f, g]) == pytest.approx(expm(SPACING * whole)[:4], abs=1e-12)


def test_without_active_bounds_it_is_the_discrete_regulator() -> None:
    """Its gain from an independent iteration of the Riccati equation."""
    solver = program()
    f, g = steps(SPACING)
    cost = np.diag([1.0, 0.0, 1.0, 0.0]) * SPACING
    last = np.zeros((4, 4))
    for _ in range(2000):
        gain = g @ last @ f / (1.5 * SPACING + g @ last @ g)
        last = cost + f.T @ last @ (f - np.outer(g, gain))
    assert solver.gain == pytest.approx(gain, rel=1e-8)
    for state in ([0.3, 0.0, 0.0, 0.0], [-0.1, 0.2, 0.4, -0.3], [0.0, 0.0, -0.5, 0.1]):
        assert solver.solve(np.array(state), FREE, FREE, FREE) == pytest.approx(
            -gain @ state, abs=1e-3
        )


def rolled(
    solver: SwayProgram, start: list[float], inputs: float, speeds: float, swings: float
) -> np.ndarray:
    """(n, 5) states and inputs of the loop over 100 steps."""
    f, g = steps(SPACING)
    state, rows = np.array(start), []
    for _ in range(100):
        u = solver.solve(state, bounds(inputs), bounds(speeds), bounds(swings))
        rows.append([*state, u])
        state = f @ state + g * u
    return np.array(rows)


def test_it_keeps_to_all_its_bounds_and_still_gets_there() -> None:
    course = rolled(program(), [3.0, 0.0, 0.0, 0.0], 0.3, 0.4, 0.25)
    free = rolled(program(), [3.0, 0.0, 0.0, 0.0], 1e3, 1e3, 1e3)
    assert (
        np.abs(free[:, 4]).max() > 0.3
        and np.abs(free[:, 1]).max() > 0.4
        and np.abs(free[:, 2]).max() > 0.25
    )
    assert np.abs(course[:, 4]).max() <= 0.3
    assert np.abs(course[:, 1]).max() < 0.41 and np.abs(course[:, 2]).max() < 0.26
    assert np.abs(course[-1, :4]).max() < 0.01


def test_beyond_a_bound_it_comes_back_instead_of_failing() -> None:
    """A swing twice as large as wanted, and a speed above its bound: no input keeps to both."""
    course = rolled(program(), [0.0, 0.8, 0.5, 0.0], 0.3, 0.4, 0.25)
    assert np.abs(course[30:, 1]).max() < 0.41 and np.abs(course[30:, 2]).max() < 0.26
    assert np.abs(course[-1, :4]).max() < 0.01


def test_if_the_solver_fails_the_regulator_acts_with_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solver = program()
    state = np.array([0.1, 0.0, 0.0, 0.0])
    monkeypatch.setattr(
        solver._solver,
        "solve",
        lambda **_: type(
            "Result",
            (),
            {"x": None, "info": type("Info", (), {"status": "maximum iterations reached"})},
        ),
    )
    with pytest.warns(CableSimWarning, match=naming("maximum iterations regulator bounds")):
        assert solver.solve(state, FREE, FREE, FREE) == pytest.approx(-solver.gain @ state)


def test_without_osqp_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "osqp", None)
    with pytest.raises(
        ModuleNotFoundError, match=naming("osqp installed pip install 'cable_sim[mpc]'")
    ) as failed:
        SwayProgram(N, SPACING, 1.5, 1.0)
    assert failed.value.name == "osqp"


def test_mpc_places_the_rated_load_and_repeats_bit_for_bit() -> None:
    pytest.importorskip("osqp", reason="needs osqp: pip install 'cable_sim[mpc]'")
    scenario = read_scenario(SCENARIOS / "rtg_place_41t_mpc.yaml")
    assert isinstance(scenario.controller, Mpc)
    done = run(dataclasses.replace(scenario, watch=10.0, dt=4e-3))
    off = np.abs(done.load[:, 0] - done.travels[0].target)
    stops = done.travels[0].ramps.end + math.pi * math.sqrt(11.0 / 9.81)
    assert done.time[off > 0.05][-1] < stops + 5.0
    axis, i = scenario.build().axis("trolley"), done.axes.index("trolley")
    assert np.abs(done.velocity[:, i]).max() <= 1.001 * axis.max_speed
    short = dataclasses.replace(
        scenario, watch=0.5, moves=(dataclasses.replace(scenario.moves[0], by=2.0),)
    )
    assert run(short).same_as(run(short)) == ()
