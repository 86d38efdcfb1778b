"""Metrics of runs that are made by hand, against closed forms; and what they say where something is
missing."""

import dataclasses
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import brentq

from cable_sim.control.load_kinematics import NOWHERE, LoadKinematics
from cable_sim.control.metrics import (
    BAND,
    AxisMetrics,
    Metrics,
    definitions,
    first_row_of,
    inclination,
    metrics_of,
)
from cable_sim.control.pass_criteria import PassCriteria
from cable_sim.control.profiles import Ramps
from cable_sim.control.run import LimitEvent, Run
from cable_sim.control.task import Travel
from cable_sim.control.timing import Pace, pace_of
from cable_sim.control.trips import limiter_actions, limiter_trips
from cable_sim.spec.scene import GRAVITY

AXES, UNITS = ("trolley", "slewing", "hoist"), ("m", "rad", "m")
STEP, LENGTH = 1e-3, 10.0
PERIOD = 2.0 * math.pi * math.sqrt(LENGTH / GRAVITY)
STRAIGHT = LoadKinematics(
    (0.0, 0.0, 5.0), (0.0, 0.0, 20.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0))
)
ROUND = LoadKinematics(
    (25.0, 0.0, 5.0), (25.0, 0.0, 20.0), (NOWHERE, NOWHERE, (0.0, 0.0, -1.0)), (0, 1)
)
"""On a jib, 25 m out."""
MOVE = Ramps(4.0, 1.0, 0.5, 2.0)
"""4 m with ramps of 2 s, from 2 s on: it ends after 6 s, at 8 s."""
END = 30.0


def made(moves={"trolley": MOVE}, plumb=STRAIGHT, aside=lambda t: 0.0 * t, **fields):  # noqa: B006
    """A run to END in which the axes do what is planned, and the load hangs ``aside`` [m] of its
    trolley along x."""
    time = np.linspace(0.0, END, round(END / STEP) + 1)
    n, first = time.size, plumb.first if plumb else (0.0, 0.0, 5.0)
    position, velocity = np.tile(first, (n, 1)), np.zeros((n, len(AXES)))
    for axis, ramps in moves.items():
        i = AXES.index(axis)
        way = np.array([ramps(t) for t in time])
        position[:, i], velocity[:, i] = first[i] + way[:, 0], way[:, 1]
    load = np.zeros((n, 3)) if plumb is None else plumb.below(position)
    load[:, 0] += aside(time)
    values = {
        "position": position,
        "velocity": velocity,
        "effort": np.zeros((n, 3)),
        "wanted": np.full((n, 3), np.nan),
        "load": load,
        "load_velocity": np.zeros((n, 3)),
        "sway": np.zeros((n, 2)),
        "sway_rate": np.zeros((n, 2)),
        "length": np.full(n, LENGTH),
        "pull": np.full(n, 2e4),
        "events": (),
        "wall": 3.0,
        "units": UNITS,
        "period": 0.01,
        "pendulum": LENGTH,
        "plumb": plumb,
        "heading": np.zeros(n),
        "travels": tuple(
            Travel(axis, first[AXES.index(axis)], ramps) for axis, ramps in moves.items()
        ),
    }
    return Run(scenario=SimpleNamespace(), axes=AXES, time=time, **(values | fields))


def angles(radial, tangential=lambda t: 0.0 * t):
    """Sway angles (n, 2) of functions of time."""
    time = np.linspace(0.0, END, round(END / STEP) + 1)
    return np.column_stack([radial(time), tangential(time)])


def test_every_metric_is_defined_with_its_unit():
    for of in (Metrics, AxisMetrics, Pace):
        found = definitions(of)
        names = [f.name for f in dataclasses.fields(of)] if of is Metrics else of._fields
        assert set(found) == set(names) - {"axes", "limiters"}
        assert all(made.unit and len(made.words) > 10 for made in found.values())


def test_what_can_be_expected_are_metrics():
    assert {field.name for field in dataclasses.fields(PassCriteria)} <= set(definitions())


# Arrival


def test_planned_and_arrival_time():
    """The last ramp is within 2 % of the speed, 0.02 m/s, from 0.04 s before its end on."""
    found = metrics_of(made())
    assert found.planned_time == pytest.approx(6.0)
    assert found.arrival_time == pytest.approx(6.0 - 0.02 / 0.5, abs=2 * STEP)


def test_an_axis_that_is_slow_but_elsewhere_has_not_arrived():
    run = made()
    run.position[:, 0] *= 0.97
    assert metrics_of(run).arrival_time == math.inf


def test_an_axis_within_its_band_has_arrived():
    run = made()
    run.position[:, 0] *= 0.985
    assert metrics_of(run).arrival_time == pytest.approx(5.96, abs=0.01)
    assert metrics_of(run).axes["trolley"].final_error == pytest.approx(0.06)


def test_an_axis_that_moves_again_has_not_arrived_before():
    run = made()
    again = (run.time > 12.0) & (run.time < 12.5)
    run.velocity[again, 0] = 0.05
    assert metrics_of(run).arrival_time == pytest.approx(12.5 - 2.0, abs=2 * STEP)


def test_all_axes_have_to_arrive():
    found = metrics_of(made({"trolley": MOVE, "slewing": Ramps(0.5, 0.05, 0.05, 3.0)}))
    assert found.planned_time == pytest.approx(12.0)
    assert found.arrival_time == pytest.approx(12.0 - 0.02, abs=2 * STEP)


def test_a_move_out_and_back_arrives_at_its_end():
    out, back = Ramps(2.0, 1.0, 1.0, 1.0), Ramps(-2.0, 1.0, 1.0, 6.0)
    run = made({"trolley": out})
    for i, t in enumerate(run.time):
        way, more = out(t), back(t)
        run.position[i, 0], run.velocity[i, 0] = way[0] + more[0], way[1] + more[1]
    run.load[:] = STRAIGHT.below(run.position)
    travels = (Travel("trolley", 0.0, out), Travel("trolley", 2.0, back))
    found = metrics_of(dataclasses.replace(run, travels=travels))
    assert found.arrival_time == pytest.approx(8.0 - 0.02, abs=2 * STEP)
    assert found.overshoot == pytest.approx(0.0, abs=1e-9)
    assert math.isnan(found.settling_time_share)  # from the start to the target there is no way


def test_without_a_move_everything_is_after_arrival():
    swing = angles(lambda t: 0.02 * np.cos(t))
    found = metrics_of(made({}, sway=swing, aside=lambda t: 0.03 * np.cos(t)))
    assert (found.planned_time, found.arrival_time, found.settling_time, found.overshoot) == (
        0.0,
        0.0,
        0.0,
        0.0,
    )
    assert math.isnan(found.transient_sway_deg) and math.isnan(found.settling_time_share)
    assert found.residual_sway_deg == pytest.approx(math.degrees(0.02))
    assert found.residual_sway_m == pytest.approx(0.03)
    assert math.isnan(found.axes["trolley"].final_error)


# Sway


def test_transient_and_residual_sway_of_a_decaying_cosine():
    """theta = A exp(-c t) cos(w t): before arrival largest at a peak, at rest at the first one or
    at once."""
    omega, c, amplitude = math.sqrt(GRAVITY / LENGTH), 0.05, 0.1
    run = made(sway=angles(lambda t: amplitude * np.exp(-c * t) * np.cos(omega * t)))
    rests = run.time[first_row_of(run.time >= 8.0 - 0.001 / 0.5)]  # 0.1 % of 1 m/s, at 0.5 m/s^2
    peaks = [math.pi * k / omega - math.atan(c / omega) / omega for k in range(1, 60)]
    height = {t: amplitude * math.exp(-c * t) * abs(math.cos(omega * t)) for t in peaks}
    after = max(height[t] for t in peaks if t > rests)
    at_once = amplitude * math.exp(-c * rests) * abs(math.cos(omega * rests))
    before = max(height[t] for t in peaks if 2.0 < t < 7.96)
    found = metrics_of(run)
    assert found.residual_sway_deg == pytest.approx(math.degrees(max(after, at_once)), rel=1e-3)
    assert found.transient_sway_deg == pytest.approx(math.degrees(before), rel=1e-5)
    assert found.periods_watched == pytest.approx((END - rests) / PERIOD, rel=1e-3)


def crawling(run, tau, speed=0.02):
    """The same run with a trolley that from its arrival on loses its last speed by a lag [s]
    only."""
    arrival = MOVE.end - 0.02 / 0.5
    late = run.time >= arrival
    run.velocity[late, 0] = speed * np.exp(-(run.time[late] - arrival) / tau)
    return run


def test_residual_sway_begins_when_the_axes_rest():
    """2 % of the speed fall to 0.1 % of it within tau ln(20); what sways until then is of the
    stop."""
    rest = MOVE.end - 0.02 / 0.5 + 0.5 * math.log(20.0)
    found = metrics_of(
        crawling(made(sway=angles(lambda t: np.where(t < rest - 2 * STEP, 0.05, 0.01))), 0.5)
    )
    assert found.arrival_time == pytest.approx(5.96, abs=2 * STEP)
    assert found.residual_sway_deg == pytest.approx(math.degrees(0.01))
    assert found.periods_watched == pytest.approx((END - rest) / PERIOD, abs=1e-3)
    found = metrics_of(
        crawling(made(sway=angles(lambda t: np.where(t < rest + 2 * STEP, 0.05, 0.01))), 0.5)
    )
    assert found.residual_sway_deg == pytest.approx(math.degrees(0.05))


def test_an_axis_that_never_rests_is_waited_for_half_a_period():
    """As one that a controller moves to calm the load; it has to have been slow for that."""
    begin = MOVE.end - 0.02 / 0.5 + 0.5 * PERIOD
    sway = angles(lambda t: np.where(t < begin - 2 * STEP, 0.05, 0.01))
    found = metrics_of(crawling(made(sway=sway), math.inf))
    assert found.residual_sway_deg == pytest.approx(math.degrees(0.01))
    assert metrics_of(crawling(made(sway=sway), math.inf, 0.021)).arrival_time == math.inf


def test_all_axes_have_to_rest_at_once():
    """Two that go to and fro by turns, each at rest while the other one moves, are waited for half
    a period."""
    run = made(
        {"trolley": MOVE, "slewing": Ramps(0.2, 0.1, 0.1, 2.0)},
        sway=angles(lambda t: 0.05 + 0.0 * t),
    )
    late = run.time >= MOVE.end - 0.02 / 0.5
    turns = np.sin(2.0 * math.pi * run.time[late]) > 0.0
    run.velocity[late, 0], run.velocity[late, 1] = 0.01 * turns, 0.001 * ~turns
    begin = MOVE.end - 0.02 / 0.5 + 0.5 * PERIOD
    assert metrics_of(run).periods_watched == pytest.approx((END - begin) / PERIOD, abs=1e-3)


def test_a_run_that_ends_before_the_axes_rest_was_not_watched():
    found = metrics_of(crawling(made({"trolley": MOVE._replace(start=END - 6.5)}), math.inf))
    assert found.periods_watched == 0.0


# Twist


def test_twist_counts_from_the_start_and_through_whole_turns():
    """Seven radians round, through pi and 2 pi, and on the way 0.1 to and fro."""
    run, swing = made(), 0.1
    turned = 3.0 - np.minimum(run.time, 7.0) + swing * np.sin(0.7 * run.time)
    run.heading[:] = np.angle(np.exp(1j * turned))
    found = metrics_of(run)
    assert found.twist_deg == pytest.approx(math.degrees(7.0 + swing), rel=1e-4)
    assert found.residual_twist_deg == pytest.approx(math.degrees(swing), rel=1e-4)


def test_twist_is_measured_over_the_time_the_heading_is_known():
    run = made()
    run.heading[:] = 0.3 * run.time / END
    run.heading[::3] = math.nan
    assert metrics_of(run).twist_deg == pytest.approx(math.degrees(0.3), rel=1e-3)
    run.heading[:] = math.nan
    assert math.isnan(metrics_of(run).twist_deg) and math.isnan(metrics_of(run).residual_twist_deg)


def test_inclination_is_that_of_the_line_to_the_hook():
    """tan of both angles are the sides of the triangle below the trolley."""
    run = made(sway=angles(lambda t: 0.3 + 0.0 * t, lambda t: -0.4 + 0.0 * t))
    aside = np.array([math.tan(0.3), math.tan(-0.4), -1.0])
    expected = math.acos(1.0 / np.linalg.norm(aside))
    assert inclination(run) == pytest.approx(expected)


def test_integrals_of_the_sway():
    """A exp(-c (t - t_s)) from t_s on, in degrees: A / c, A^2 / 2 c, A / c^2, each up to the
    end."""
    c, amplitude, t_s, rest = 0.3, 0.05, MOVE.start, END - MOVE.start
    run = made(sway=angles(lambda t: amplitude * np.exp(-c * (t - t_s))))
    found, a, left = metrics_of(run), math.degrees(amplitude), math.exp(-c * rest)
    assert found.sway_iae == pytest.approx(a / c * (1.0 - left), rel=1e-6)
    assert found.sway_ise == pytest.approx(a**2 / (2.0 * c) * (1.0 - left**2), rel=1e-6)
    assert found.sway_itae == pytest.approx(a / c**2 * (1.0 - (1.0 + c * rest) * left), rel=1e-6)


def test_a_slack_rope_sways_nowhere():
    run = made(sway=angles(lambda t: np.where(t > 20.0, 0.5, 0.01)))
    run.pull[run.time > 20.0] = 10.0
    assert metrics_of(run).residual_sway_deg == pytest.approx(math.degrees(0.01))


# Where the load is


def test_settling_of_an_exponential():
    """D exp(-c (t - t_a)) is at 50 mm after ln(D / 0.05) / c, and at 2 % of 4 m after ln(D / 0.08)
    / c."""
    c, d, ends = 0.4, 0.6, MOVE.end
    found = metrics_of(made(aside=lambda t: np.where(t > ends, d * np.exp(-c * (t - ends)), d)))
    assert found.settling_time == pytest.approx(math.log(d / BAND) / c + 0.04, abs=3 * STEP)
    assert found.settling_time_from_start == pytest.approx(
        6.0 + math.log(d / BAND) / c, abs=3 * STEP
    )
    assert found.settling_time_share == pytest.approx(
        math.log(d / (0.02 * 4.0)) / c + 0.04, abs=3 * STEP
    )


def test_a_decaying_cosine_settles_when_it_last_leaves_the_band():
    omega, c, d, ends = 1.3, 0.25, 0.5, MOVE.end

    def aside(t):
        return d * np.exp(-c * (t - ends)) * np.cos(omega * (t - ends))

    peaks = [ends + (math.pi * k - math.atan(c / omega)) / omega for k in range(1, 20)]
    last = max(t for t in peaks if abs(aside(t)) > BAND)
    leaves = brentq(lambda t: abs(aside(t)) - BAND, last, last + 0.5 * math.pi / omega)
    found = metrics_of(made(aside=aside))
    assert found.settling_time_from_start == pytest.approx(leaves - MOVE.start, abs=2 * STEP)


def test_what_swings_on_never_settles():
    found = metrics_of(made(aside=lambda t: 0.06 * np.cos(t)))
    assert found.settling_time == found.settling_time_from_start == math.inf
    assert found.settling_time_share == 0.0  # 60 mm are within 2 % of 4 m
    assert found.residual_sway_m == pytest.approx(0.06, rel=1e-6)


@pytest.mark.parametrize(("within", "settles"), [(0.49, False), (0.51, True)])
def test_half_a_period_within_the_band_is_needed_to_settle(within, settles):
    found = metrics_of(made(aside=lambda t: np.where(t < END - within * PERIOD, 0.2, 0.01)))
    assert math.isfinite(found.settling_time) == settles


def test_a_load_that_is_calm_at_arrival_settles_at_once():
    assert metrics_of(made()).settling_time == 0.0
    assert metrics_of(made()).settling_time_from_start < 6.0


def test_without_arrival_nothing_settles_after_it():
    run = made()
    run.velocity[-1, 0] = 1.0
    found = metrics_of(run)
    assert found.arrival_time == found.settling_time == math.inf
    assert math.isfinite(found.settling_time_from_start)
    assert math.isnan(found.residual_sway_deg) and found.periods_watched == 0.0


def test_integrals_of_the_position():
    """Without a move, D exp(-c t): D / c, D^2 / 2 c, D / c^2. The target is where the load was."""
    c, d = 0.5, 0.4
    found = metrics_of(made({}, aside=lambda t: d * np.exp(-c * t)))
    left = math.exp(-c * END)
    assert found.position_iae == pytest.approx(d / c * (1.0 - left), rel=1e-6)
    assert found.position_ise == pytest.approx(d**2 / (2.0 * c) * (1.0 - left**2), rel=1e-6)
    assert found.position_itae == pytest.approx(d / c**2 * (1.0 - (1.0 + c * END) * left), rel=1e-6)


def test_final_error_is_of_the_mean_over_a_period():
    omega = 2.0 * math.pi / PERIOD
    run = made(aside=lambda t: 0.03 + 0.5 * np.cos(omega * t))
    run.load[:, 1] += 0.04
    run.load[:, 2] -= 0.2
    found = metrics_of(run)
    assert found.final_error == pytest.approx(0.05, abs=2e-4)
    assert found.final_error_height == pytest.approx(0.2)


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_overshoot_of_load_and_axis_in_the_sense_of_the_move(sense):
    run = made(
        {"trolley": MOVE._replace(distance=4.0 * sense)},
        aside=lambda t: sense * 0.3 * np.sin(t - 8.0),
    )
    bump = (run.time > 10.0) & (run.time < 11.0)
    run.position[bump, 0] += sense * 0.07
    found = metrics_of(run)
    assert found.overshoot == pytest.approx(0.3, rel=1e-5)
    assert found.axes["trolley"].overshoot == pytest.approx(0.07)
    assert found.axes["hoist"].overshoot == 0.0


def test_overshoot_of_a_load_that_is_slewed_is_along_the_arc():
    """At 25 m, 0.01 rad beyond its target: 0.25 m."""
    run = made({"slewing": Ramps(2.0, 0.5, 0.5, 1.0)}, ROUND)
    beyond = run.position + np.array([0.0, 0.01, 0.0]) * np.exp(-((run.time - 12.0) ** 2))[:, None]
    run.load[:] = ROUND.below(beyond)
    found = metrics_of(run)
    assert found.overshoot == pytest.approx(0.25, rel=1e-6)
    assert found.axes["slewing"].overshoot == pytest.approx(0.0, abs=1e-12)
    assert found.residual_sway_m == pytest.approx(2.0 * 25.0 * math.sin(0.005), rel=1e-6)


# Effort


def test_energy_and_power_of_a_constant_force():
    """F over d is F d; the power is F v. Taking back counts, too."""
    run = made()
    run.effort[:, 0], run.effort[:, 2] = -500.0, 100.0
    run.velocity[:, 2] = np.where((run.time >= 10.0) & (run.time <= 12.0), -0.5, 0.0)
    found = metrics_of(run)
    assert found.axes["trolley"].energy == pytest.approx(500.0 * 4.0, rel=1e-6)
    assert found.axes["hoist"].energy == pytest.approx(100.0 * 1.0, rel=1e-3)
    assert found.energy == pytest.approx(2100.0, rel=1e-3)
    assert found.axes["trolley"].peak_power == found.peak_power == pytest.approx(500.0)


def test_peak_power_is_that_of_all_axes_at_one_instant():
    run = made({})
    run.effort[:] = 10.0
    run.velocity[100, 0], run.velocity[200, 1], run.velocity[200, 2] = 3.0, 2.0, -2.0
    assert metrics_of(run).peak_power == pytest.approx(40.0)


def test_commands_are_held_until_the_next_one():
    """Nothing for 1 s, then 2 m/s, not repeated, until 3 s, then 0: 2^2 for 2 s."""
    run = made({})
    rows = np.round(np.array([1.0, 3.0]) / STEP).astype(int) + 1
    run.wanted[rows, 0] = 2.0, 0.0
    assert metrics_of(run).axes["trolley"].command_squared == pytest.approx(8.0)
    assert metrics_of(run).axes["hoist"].command_squared == 0.0
    by_place = metrics_of(dataclasses.replace(run, by_place=("hoist",)))
    assert by_place.axes["trolley"].command_squared == pytest.approx(8.0)
    assert math.isnan(by_place.axes["hoist"].command_squared)


def test_hoist_factor_is_over_the_static_pull():
    run = made()
    run.pull[:] = 3e4
    run.pull[0], run.pull[500], run.pull[600:2000] = math.nan, 4.2e4, 0.0
    found = metrics_of(run)
    assert (found.peak_pull, found.hoist_factor) == (4.2e4, pytest.approx(1.4))


def test_a_rope_that_nothing_is_known_of_has_no_pull():
    found = metrics_of(
        made(pull=np.full(round(END / STEP) + 1, np.nan), sway=angles(lambda t: 0.01 + 0.0 * t))
    )
    assert math.isnan(found.peak_pull) and math.isnan(found.hoist_factor)
    assert found.residual_sway_deg == pytest.approx(math.degrees(0.01))


def test_a_rope_that_never_pulls_has_no_hoist_factor():
    found = metrics_of(made(pull=np.zeros(round(END / STEP) + 1)))
    assert (
        found.peak_pull == 0.0
        and math.isnan(found.hoist_factor)
        and math.isnan(found.residual_sway_deg)
    )


def test_what_nothing_is_known_of_the_load_of():
    """No load, no sway: what depends on them does not apply; times of the axes and their effort
    do."""
    n = round(END / STEP) + 1
    nothing = np.full((n, 3), np.nan)
    nowhere = {
        "load": nothing,
        "sway": nothing[:, :2],
        "pull": nothing[:, 0],
        "heading": nothing[:, 0],
    }
    found = metrics_of(made(plumb=None, pendulum=math.nan, **nowhere))
    assert found.arrival_time == pytest.approx(5.96, abs=0.01)
    given = {
        "planned_time",
        "arrival_time",
        "energy",
        "peak_power",
        "limiter_trips",
        "limiter_time",
    }
    assert {name for name, value in found.figures().items() if not math.isnan(value)} == given


# Limiters


def test_trips_are_counted_and_timed():
    events = [
        LimitEvent(0.0, "a", "warning"),
        LimitEvent(1.0, "a", "tripped"),
        LimitEvent(1.5, "a", "latched"),
        LimitEvent(4.0, "a", "ok"),
        LimitEvent(5.0, "b", "pending"),
        LimitEvent(6.0, "a", "invalid"),
        LimitEvent(6.25, "a", "ok"),
        LimitEvent(8.0, "c", "tripped"),
    ]
    found = limiter_trips(events, 10.0)
    assert found == {"a": (2, 3.25), "c": (1, 2.0)}
    assert limiter_actions(events, 10.0) == {"a": [(1.0, 3.0), (6.0, 0.25)], "c": [(8.0, 2.0)]}
    total = metrics_of(made(events=tuple(events)))
    assert (total.limiter_trips, total.limiter_time) == (3.0, pytest.approx(3.25 + END - 8.0))
    assert limiter_trips((), 10.0) == {}


# All of it


def test_flat_metrics_have_those_of_the_axes():
    found = metrics_of(made())
    assert set(found.flatten()) == set(definitions()) | {
        f"{axis}.{name}" for axis in AXES for name in AxisMetrics._fields
    }


def test_the_same_run_has_the_same_bits():
    first, second = (metrics_of(made(aside=lambda t: 0.1 * np.cos(t))).flatten() for _ in range(2))
    assert np.array(list(first.values())).tobytes() == np.array(list(second.values())).tobytes()


def test_since():
    assert first_row_of(np.array([True, False, True, True])) == 2
    assert first_row_of(np.array([True, True])) == 0
    assert first_row_of(np.array([True, False])) == 2


def test_pace_is_by_the_clock():
    spent = np.array([0.001] * 98 + [0.02, 0.03])
    found = pace_of(made(law_times=spent))
    assert found.real_time_factor == pytest.approx(END / 3.0)
    assert (found.law_median, found.law_longest, found.late) == (0.001, 0.03, 2)
    assert 0.001 < found.law_99 <= 0.03
    assert pace_of(made()).late == 0 and math.isnan(pace_of(made()).law_median)


def test_latency_and_jitter_are_of_the_commands_way():
    """Nine of 2 ms and one of 12 ms: mean 3 ms, variance (9 * 1 + 81) / 10 = 9 ms^2."""
    found = pace_of(made(latencies=np.array([0.002] * 9 + [0.012])))
    assert (found.latency_median, found.latency_jitter) == (0.002, pytest.approx(0.003))
    assert 0.002 < found.latency_99 <= 0.012
    here = pace_of(made())
    assert (
        math.isnan(here.latency_median)
        and math.isnan(here.latency_99)
        and math.isnan(here.latency_jitter)
    )


def test_the_page_of_the_documentation_has_every_definition():
    page = (Path(__file__).parents[2] / "docs" / "control.md").read_text(encoding="utf-8")
    for of in (Metrics, AxisMetrics, Pace):
        for name, made in definitions(of).items():
            assert (
                f"| `{name}` | {made.unit} | {made.words.replace('|', chr(92) + '|')} |" in page
            ), name
