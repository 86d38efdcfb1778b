"""Findings: verdicts at the edges, what is printed against what comes out, and the text of the
cells."""

import math

import pytest

from cable_sim.errors import CableSimError
from validation.harness import Measurement, Quantity, Reading, Statement, at_least, at_most


@pytest.mark.parametrize(
    ("theory", "ours", "verdict"),
    [
        (4.0, 4.0399, "ok"),
        (4.0, 4.0401, "missed"),
        (4.0, 3.9599, "missed"),
        (-4.0, -4.0399, "ok"),
        (0.0, 0.0099, "ok"),
        (0.0, -0.0101, "missed"),
        (4.0, math.nan, "missed"),
        (4.0, math.inf, "missed"),
    ],
)
def test_a_quantity_is_within_its_tolerance(theory, ours, verdict):
    assert Quantity("x", None, theory, ours, 0.01).verdict == verdict


def test_deviation_is_relative_but_where_theory_is_zero():
    assert Quantity("x", None, -2.0, -1.0, 1.0).deviation == 0.5
    assert Quantity("x", None, 0.0, 0.25, 1.0).deviation == 0.25


@pytest.mark.parametrize(
    ("published", "ours", "rounds"),
    [
        (None, 1.0, None),
        ("44", 44.43, True),
        ("44", 44.51, False),
        ("4.4", 4.443, True),
        ("4.40", 4.443, False),
        ("0.14", 0.1494, False),
        ("7.8e6", 7.84e6, True),
        ("7.8e6", 3.9e6, False),
    ],
)
def test_the_last_printed_digit_tells_the_rounding(published, ours, rounds):
    quantity = Quantity("x", published, 1.0, ours, 1.0, "s")
    assert quantity.rounds_to_published is rounds
    assert quantity.cells().published == (
        "" if published is None else f"{published} s" + ("" if rounds else " (!)")
    )


@pytest.mark.parametrize("text", ["about 4", "nan", "inf", ""])
def test_what_is_printed_is_a_number(text):
    with pytest.raises(CableSimError, match="period: published"):
        Quantity("period", text, 1.0, 1.0, 1.0)


def test_cells_have_the_digits_that_show_the_tolerance():
    cells = Quantity("x", None, math.pi, math.pi * (1.0 + 3e-7), 1e-6, "s").cells()
    assert cells == ("", "3.1415927 s", "3.1415936 s", "+3.0e-07", "1e-06")
    assert Quantity("x", None, 0.0, -0.0, 1e-6, "m").cells() == (
        "",
        "0 m",
        "0 m",
        "+0.0e+00 m",
        "1e-06 m",
    )
    assert Quantity("x", None, 2.0, 2.0, 0.0).cells() == ("", "2", "2", "+0.0e+00", "0")


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [
        (at_most("x", 1.0, 1.0), "ok"),
        (at_most("x", 1.0, 1.1), "missed"),
        (at_most("x", 1.0, math.nan), "missed"),
        (at_least("x", 1.0, 1.0), "ok"),
        (at_least("x", 1.0, 0.9), "missed"),
        (at_least("x", 1.0, math.nan), "missed"),
    ],
)
def test_bounds(bound, verdict):
    assert bound.verdict == verdict


def test_bounds_and_statements_show_what_was_measured():
    assert at_most("x", 2.0, 0.5, "m").cells() == ("", "at most 2 m", "0.5 m", "x 0.25", "")
    assert at_least("x", 0.0, 0.5, "m").cells() == ("", "at least 0 m", "0.5 m", "", "")
    statement = Statement("they part", "signs differ", False, "+1, +2 m/s")
    assert statement.verdict == "missed" and statement.cells() == (
        "",
        "signs differ",
        "+1, +2 m/s",
        "",
        "",
    )


def test_a_reading_is_not_judged():
    reading = Reading("time", 3.25, "us", published="10")
    assert reading.verdict == "" and reading.cells() == ("10 us", "", "3.25 us", "", "")


@pytest.mark.parametrize(
    ("ours", "within", "verdict"),
    [
        (4.039, 0.01, "ok"),
        (4.041, 0.01, "missed"),
        (3.959, 0.01, "missed"),
        (math.nan, 0.01, "missed"),
        (9.0, None, ""),
        (math.nan, None, "missed"),
    ],
)
def test_a_measurement_is_within_its_scatter(ours, within, verdict):
    """Where no agreement is claimed, there is no verdict but on numbers that are none."""
    assert Measurement("x", "4.0", ours, within, "s", "a reason").verdict == verdict


def test_a_measurement_in_cells():
    measurement = Measurement("angle", "-0.50", -0.6, 0.25, "deg")
    assert measurement.deviation == pytest.approx(-0.2)
    assert measurement.cells() == ("-0.50 deg", "", "-0.6 deg", "-20 %", "25 %")
    assert Measurement("angle", "2", 3.0, None, "", "a reason").cells().tolerance == ""


@pytest.mark.parametrize(
    ("measured", "within", "said"),
    [("0.0", 0.1, "measured 0"), ("1.0", None, "note"), ("about 4", 0.1, "published")],
)
def test_a_measurement_that_says_nothing_is_refused(measured, within, said):
    with pytest.raises(CableSimError, match=f"angle: .*{said}"):
        Measurement("angle", measured, 1.0, within)
