"""Slewing and trolley shaped together: exact on the linear pendulum over the ground, and
derivatives that are such."""

import cmath
import math

import numpy as np
import pytest
from messages import naming

from cable_sim.control.controllers.shaped import Shaped
from cable_sim.control.methods.chord_shaping import shape_over_ground
from cable_sim.control.methods.shaping import NONE, zv, zvd
from cable_sim.control.pendulum import period_of
from cable_sim.control.profiles import Profile, Ramps, total
from cable_sim.control.run import run
from cable_sim.control.scenario import Move, Scenario
from cable_sim.errors import SpecError

G, LENGTH = 9.81, 40.0
SLEWING = total([Ramps(1.6, 0.0733, 0.006, 1.0)], 0.3)
STANDS, RUNS = total((), 50.0), total([Ramps(-15.0, 1.0, 0.3, 8.0)], 50.0)
END = 80.0


def left(trolley: Profile, slewing: Profile) -> float:
    """Sway at the end [rad]: X'' = -w^2 (X - r exp(i s)), integrated beside."""
    from scipy.integrate import solve_ivp

    squared = G / LENGTH

    def pivot(time: float) -> complex:
        return cmath.rect(trolley(time)[0], slewing(time)[0])

    def rates(time: float, y: np.ndarray) -> list[complex]:
        return [y[1], -squared * (y[0] - pivot(time))]

    solved = solve_ivp(
        rates, (0.0, END), [pivot(0.0), 0j], "DOP853", rtol=1e-9, atol=1e-9, max_step=0.05
    )
    off, drift = solved.y[0, -1] - pivot(END), solved.y[1, -1] / math.sqrt(squared)
    return max(abs(off + 1j * drift), abs(off - 1j * drift)) / LENGTH


@pytest.mark.parametrize(
    ("shape", "trolley"),
    [
        pytest.param(zv, RUNS, id="zv-runs"),
        pytest.param(zvd, STANDS, id="zvd-stands"),
        pytest.param(zv, STANDS, id="zv-stands", marks=pytest.mark.slow),
        pytest.param(zvd, RUNS, id="zvd-runs", marks=pytest.mark.slow),
    ],
)
def test_over_the_ground_nothing_is_left(shape, trolley) -> None:
    shaper = shape(period_of(LENGTH))
    by_axes = left(trolley if trolley is STANDS else shaper(Ramps(-15.0, 1.0, 0.3, 8.0)), SLEWING)
    together = left(*shape_over_ground(trolley, SLEWING, shaper))
    assert together < 1e-6 < 1e-3 * by_axes


def test_rates_are_derivatives_and_it_ends_where_the_moves_end() -> None:
    h = 1e-5
    for profile, end in zip(
        shape_over_ground(RUNS, SLEWING, zvd(period_of(LENGTH))), (35.0, 1.9), strict=True
    ):
        assert profile(0.5)[1:] == (0.0, 0.0) and profile(END)[0] == pytest.approx(end)
        for time in (5.2, 12.3, 20.1, 31.7, 44.4):
            before, now, after = profile(time - h), profile(time), profile(time + h)
            assert (after[0] - before[0]) / (2.0 * h) == pytest.approx(now[1], rel=1e-6, abs=1e-9)
            assert (after[1] - before[1]) / (2.0 * h) == pytest.approx(now[2], rel=1e-5, abs=1e-8)


def test_unshaped_it_is_the_moves_themselves() -> None:
    trolley, slewing = shape_over_ground(RUNS, SLEWING, NONE)
    for time in np.arange(0.5, 60.0, 3.3):
        assert trolley(time) == pytest.approx(RUNS(time), abs=1e-12)
        assert slewing(time) == pytest.approx(SLEWING(time), abs=1e-12)


def test_zv_shapes_the_slew_angle_and_the_chord_sets_the_radius() -> None:
    shaper = zv(period_of(LENGTH))
    trolley, slewing = shape_over_ground(STANDS, SLEWING, shaper)
    for time in (3.0, 9.0, 15.0, 25.0):
        now, then = SLEWING(time)[0], SLEWING(time - shaper.longer)[0]
        assert slewing(time)[0] == pytest.approx(0.5 * (now + then))
        assert trolley(time)[0] == pytest.approx(50.0 * math.cos(0.5 * (now - then)))


TURN = Scenario(
    "tower_12t",
    (Move("slewing", by_deg=90.0),),
    load=3000.0,
    rope_length=30.0,
    start={"trolley": 25.0},
)


def test_chords_refuse_hoist_moves_and_trolley_beyond_its_limits() -> None:
    from dataclasses import replace

    made = replace(TURN, controller=Shaped("zv", chords=True))
    with pytest.raises(SpecError, match=naming("chords fixed hoist")):
        run(replace(made, moves=(*made.moves, Move("hoist", by=-5.0))))
    with pytest.raises(SpecError, match=naming("chords trolley 2.8 69.5 m 2.* 2.81")):
        run(replace(made, start={"trolley": 2.81}))
    with pytest.raises(SpecError, match=naming("chords speed trolley 1.333 moves slewing")):
        run(replace(made, moves=(*made.moves, Move("trolley", by=30.0, start=5.0))))
