"""The shipped plan does what its first lines promise; in this process, with the node's own
machine."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cable_sim.control.lift_plans.lift_plan import Course, read_plan
from cable_sim.control.lift_plans.report import measure
from cable_sim.control.lift_plans.time_series import rehearse
from cable_sim.cranes import load_crane
from cable_sim.machine.pictures.extents import half_height

PLAN = Path(__file__).resolve().parents[2] / "config" / "lift_plans" / "tower_pick_and_place.csv"


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t")


@pytest.fixture(scope="module")
def plan(crane):
    return read_plan(PLAN, crane)


@pytest.fixture(scope="module")
def track(plan, crane):
    return rehearse(plan, crane)


@pytest.fixture(scope="module")
def report(plan, crane, track):
    return measure(plan, crane, track)


def test_the_target_is_the_middle_of_the_platform(plan, crane):
    platform = next(p for p in crane.details.site.platforms if p.name == "platform")
    radius, degrees = platform.polar
    angle = np.radians(degrees)
    assert plan.target == pytest.approx(
        (radius * np.cos(angle), radius * np.sin(angle), platform.height)
    )
    assert plan.start == pytest.approx((crane.details.rig.start.at["trolley"], 0.0))


def test_the_load_lands_on_the_platform(report):
    assert report.standing, report.verdict(0.5)
    assert report.miss < 0.5 and abs(report.height_error) < 0.01
    assert report.miss < 0.15  # what it was made for


def test_it_hangs_quietly_before_it_lands(report):
    assert report.sway_at_landing < 0.3
    assert max(report.sway_radial, report.sway_tangential) < 1.5


def test_the_rope_is_never_pulled_hard(report, crane):
    # at least the load on two falls, at most that with start-up and losses
    weight = (4000.0 + 350.0) * 9.81 / 2.0
    assert weight < report.peak_pull < 1.3 * weight
    assert report.peak_pull_share < 0.2  # a design factor of five


def test_it_passes_over_everything(track, crane):
    """Before the trolley has come to the platform the underside is well above its top."""
    load = next(body for body in crane.scene.bodies if body.name == crane.suspension.load)
    underway = (track.axes["slewing"] > 0.01) & (track.axes["trolley"] < 44.0)
    assert (track.load[underway, 2] - half_height(load) > 8.0).all()


def test_the_turn_is_120_degrees_and_the_way_out_25_metres(track):
    assert np.degrees(track.axes["slewing"][-1]) == pytest.approx(120.0, abs=0.1)
    assert track.axes["trolley"][-1] == pytest.approx(45.0, abs=0.05)
    assert track.axes["slewing"].max() == pytest.approx(track.axes["slewing"][-1], abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_commands_20_ms_early_or_late_still_place_the_load(plan, crane, seed):
    random = np.random.default_rng(seed)

    def late(course):
        times = np.maximum(
            np.array(course.times) + random.uniform(-0.02, 0.02, len(course.times)), 0.0
        )
        return Course(tuple(times), course.speeds)

    shaken = replace(
        plan, courses={motion: late(course) for motion, course in plan.courses.items()}
    )
    report = measure(shaken, crane, rehearse(shaken, crane))
    assert report.succeeded(0.15), report.verdict(0.15)
