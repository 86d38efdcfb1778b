"""What a sweep says: spreads, which axes matter, the worst, and the page."""

import math

import numpy as np
import pytest
from messages import naming
from scipy.stats import kruskal

pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra `sweep`)")

from cable_sim_studies.reports.sweep_page import colour, page
from cable_sim_studies.sweeps.report import Extreme, Failure, Outcomes, Which, spread

NAN, INF = math.nan, math.inf


def which(way, load):
    """One of them."""
    return Which(f"{way}-{load}", None, {"way": way, "load": load})


def outcomes(values, failures=()):
    """Six runs of two axes with these values of one metric."""
    axes = {"way": ["a", "a", "a", "b", "b", "b"], "load": ["x", "y", "z", "x", "y", "z"]}
    runs = [which(way, load) for way, load in zip(*axes.values(), strict=True)]
    return Outcomes(
        runs, axes, {"residual_sway_deg": np.array(values, dtype=float)}, list(failures)
    )


def test_spread():
    assert spread(np.arange(1.0, 101.0)) == (100, 50.5, 95.0, 100.0)
    assert spread(np.array([1.0, -3.0, 2.0])) == (3, 0.0, 2.0, -3.0)
    assert spread(np.array([1.0, 3.0, INF, NAN])) == (3, 2.0, INF, INF)
    none = spread(np.array([NAN]))
    assert none.number == 0 and all(map(math.isnan, none[1:]))


def test_an_axis_that_decides_all_has_all_the_influence():
    assert outcomes([1, 1, 1, 5, 5, 5]).influence("residual_sway_deg") == {"way": 1.0, "load": 0.0}


def test_influence_of_two_additive_axes_adds_up_to_one():
    """x = 2 way + load with way in {0, 1}, load in {0, 1, 2}: variances 1 and 2/3."""
    found = outcomes([0, 1, 2, 2, 3, 4]).influence("residual_sway_deg")
    assert found == pytest.approx({"way": 0.6, "load": 0.4}, rel=1e-12)
    assert list(found) == ["way", "load"]


def test_influence_by_the_definition():
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    found = outcomes(values).influence("residual_sway_deg")
    means = np.array([values[:3].mean(), values[3:].mean()])
    assert found["way"] == pytest.approx(
        3.0 * ((means - values.mean()) ** 2).sum() / (6.0 * values.var()), rel=1e-12
    )


@pytest.mark.parametrize("values", [[2, 2, 2, 2, 2, 2], [NAN] * 6, [INF] * 6])
def test_where_nothing_differs_nothing_matters(values):
    assert outcomes(values).influence("residual_sway_deg") == {"way": 0.0, "load": 0.0}


def test_what_is_not_known_is_left_out_of_influence():
    found = outcomes([1, 1, NAN, 5, 5, NAN]).influence("residual_sway_deg")
    assert found["way"] == 1.0


def test_an_axis_that_decides_if_a_value_is_finite_has_influence():
    """Among the finite ones nothing differs, and yet the way is all that matters."""
    assert outcomes([2, 2, 2, INF, INF, INF]).influence("residual_sway_deg") == {
        "way": 1.0,
        "load": 0.0,
    }


def test_with_infinite_values_influence_is_that_of_the_ranks():
    """H of Kruskal and Wallis, with its correction for ties, over n - 1; scipy knows no infinite
    values."""
    values = np.array([3.0, 1.0, 4.0, 1.0, INF, INF])
    found = outcomes(values).influence("residual_sway_deg")
    large = np.where(np.isinf(values), 1e9, values)
    assert found["way"] == pytest.approx(kruskal(large[:3], large[3:]).statistic / 5.0, rel=1e-12)
    assert found["load"] == pytest.approx(
        kruskal(large[::3], large[1::3], large[2::3]).statistic / 5.0, rel=1e-12
    )


def test_worst_runs_are_ranked_by_magnitude_and_nan_is_left_out():
    seen = outcomes([1, -7, NAN, 3, INF, 0])
    assert seen.worst_runs("residual_sway_deg", 3) == [
        Extreme(which("b", "y"), INF),
        Extreme(which("a", "y"), -7.0),
        Extreme(which("b", "x"), 3.0),
    ]
    assert len(seen.worst_runs("residual_sway_deg", 50)) == 5


def test_grid():
    grid = outcomes([1, 2, 3, 4, 5, NAN]).grid("residual_sway_deg", "load", "way")
    assert [[cell.mean for cell in row] for row in grid[:2]] == [[1.0, 4.0], [2.0, 5.0]]
    assert grid[2][1].number == 0


def test_colours():
    assert colour(0.0, 0.0, 2.0) == "#ffffff" and colour(2.0, 0.0, 2.0) == "#d9682b"
    assert len({colour(value, 0.0, 2.0) for value in (0.0, 1.0, 2.0, INF, NAN)}) == 5
    assert colour(1.0, 1.0, 1.0) == "#ffffff"


def test_the_page_shows_map_worst_runs_and_failures():
    failures = [Failure(which("a", "z"), "SpecError", "no <such> way")]
    seen = outcomes([1, 2, NAN, 4, 5, 60], failures)
    said = "5 6 runs done 1 failed"
    html = page("some", said, seen, ["residual_sway_deg"], lambda run: f"again {run.case}")
    assert naming(said).search(html)
    assert "no &lt;such&gt; way" in html and "<such>" not in html
    assert html.index("again b-z") < html.index("again b-y") < html.index("again a-z")
    assert "residual_sway_deg [deg]" in html and 'class="map"' in html and "http" not in html
    assert "background: #d9682b" in html


def test_the_page_of_a_sweep_in_which_all_failed():
    run = Which("a", 3, {"way": "a"})
    seen = Outcomes([run], {"way": ["a"]}, {}, [Failure(run, "StepError", "no")])
    assert "again 3" in page("some", "all failed", seen, [], lambda run: f"again {run.seed}")
