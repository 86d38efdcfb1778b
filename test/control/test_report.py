"""A lift's figures from made-up series whose answers are known, and the files that tell them."""

import json
import math

import numpy as np
import pytest
from messages import naming

from cable_sim.control.lift_plans.lift_plan import Course, LiftPlan
from cable_sim.control.lift_plans.lift_report import markdown, write_report
from cable_sim.control.lift_plans.report import RunFigures, measure
from cable_sim.control.lift_plans.time_series import LiftSeries, rehearse, slings_of
from cable_sim.cranes import load_crane

TARGET = (3.0, 4.0, 2.0)


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t")


def plan(target=TARGET):
    return LiftPlan("lift", {"hoist": Course((0.0,), (0.0,))}, 10.0, target=target)


def track(crane, end=(3.3, 4.4, 2.5), last_slings=0.0):
    """Lifted from 2 s to 8 s, pulled with 30 kN at 5 s; the slack hook swings widely at the end."""
    samples = []
    for t in np.arange(0.0, 10.5, 0.5):
        hangs = 2.0 <= t <= 8.0
        slings = 4.0e4 if hangs else last_slings if t > 8.0 else 0.0
        samples.append(
            (
                float(t),
                end,
                3.0e4 if t == 5.0 else 2.0e4,
                slings,
                math.radians(-2.0) if t == 4.0 else 0.5 if t > 9.0 else 0.0,
                math.nan if t == 6.0 else math.radians(1.0) if hangs else 0.0,
                (0.0, 20.0, 50.0),
            )
        )
    return LiftSeries.of(crane, samples)


def test_figures(crane):
    report = measure(plan(), crane, track(crane))
    assert report.landed == pytest.approx(
        (3.3, 4.4, 2.0)
    )  # half a metre below the centre of the load
    assert (report.miss, report.height_error) == pytest.approx((0.5, 0.0))
    assert (report.lift_off_time, report.landing_time) == (2.0, 8.0)
    assert (report.peak_pull, report.peak_pull_time) == (3.0e4, 5.0)
    assert report.peak_pull_share == pytest.approx(3.0e4 / 1.596e5, rel=1e-3)
    assert (report.sway_radial, report.sway_tangential) == pytest.approx(
        (2.0, 1.0)
    )  # not the empty hook's
    assert report.standing


@pytest.mark.parametrize(
    ("end", "slings", "target", "succeeded", "says"),
    [
        ((3.3, 4.4, 2.5), 0.0, TARGET, True, "landed 0.500 m target"),
        ((3.3, 4.5, 2.5), 0.0, TARGET, False, "0.51 m"),
        ((3.0, 4.0, 0.5), 0.0, TARGET, False, "-2.00 m target's height"),
        ((3.0, 4.0, 2.5), 4.0e4, TARGET, False, "slings still carry"),
        ((9.0, 9.0, 9.0), 0.0, None, True, "names target"),
    ],
)
def test_verdict(crane, end, slings, target, succeeded, says):
    report = measure(plan(target), crane, track(crane, end, slings))
    assert report.succeeded(0.51) is succeeded
    assert naming(says).search(report.verdict(0.51))


def test_a_load_that_was_never_lifted_is_no_landing(crane):
    samples = [
        (0.5 * i, (3.0, 4.0, 2.5), 1.7e3, 0.0, 0.0, 0.0, (0.0, 20.0, 60.0)) for i in range(5)
    ]
    report = measure(plan(), crane, LiftSeries.of(crane, samples))
    assert "lifted" in report.verdict(1.0)
    assert not report.succeeded(1.0)


def test_files(crane, tmp_path):
    series = track(crane)
    report = measure(plan(None), crane, series, RunFigures(0.999, 3, 1, 2, 4))
    files = write_report(tmp_path / "new", crane, report, series, 0.5)
    assert all(path.stat().st_size > 100 for path in files)
    figures = json.loads((tmp_path / "new" / "report.json").read_text())
    assert (
        figures["miss"] is None
        and figures["run"]["missed_ticks"] == 3
        and figures["succeeded"] is True
    )
    assert naming("peak line pull 30.00 kN 5.0 s").search(
        (tmp_path / "new" / "report.md").read_text()
    )
    table = np.genfromtxt(tmp_path / "new" / "track.csv", delimiter=",", names=True)
    assert table.dtype.names[-3:] == ("slewing_rad", "trolley_m", "hoist_m")
    assert table["pull_N"].max() == 3.0e4
    assert "1 rejected, 2 clamped" in markdown(report, 0.5)


def test_a_rehearsal_moves_the_crane(crane):
    moves = {"trolley": Course((0.0, 1.0), (0.4, 0.0)), "hoist": Course((0.0,), (-0.1,))}
    told = []
    series = rehearse(LiftPlan("moves", moves, 2.5), crane, sample_time=0.1, progress=told.append)
    assert series.time[0] == 0.0 and series.time[-1] == pytest.approx(2.5)
    assert np.diff(series.time) == pytest.approx(0.1)
    assert told == pytest.approx(series.time[1:])
    assert series.axes["trolley"][-1] - series.axes["trolley"][0] == pytest.approx(0.4, abs=0.01)
    assert series.pull[-1] > 10.0 * series.pull[0]
    assert slings_of(crane) == ("sling_1", "sling_2", "sling_3", "sling_4")
