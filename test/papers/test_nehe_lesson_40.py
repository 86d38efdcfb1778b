"""NeHe lesson 40: every quantity of the study agrees, by name, so that none can vanish unseen."""

from functools import cache
from itertools import product

import pytest
from messages import naming
from shown import assert_shown
from slow_cases import slow_but

from cable_sim import Simulator
from cable_sim.kernels.status import TOO_FINE
from cable_sim.sim.sentences import explain
from validation.harness import Finding, Part, Progress, Result, Study
from validation.harness.catalogue import load_study, paper_module

EXPECTED = {
    "Free fall": [
        f"{what} at {time} s"
        for what in ("tip x", "tip z", "farthest mass")
        for time in ("0.5", "1", "2", "5")
    ],
    "Static hang": [
        "stretch of the top spring",
        "force of the top spring",
        "stretch of the rope",
        "length of the rope without weight",
    ],
    "Largest step": [
        "largest stable step, undamped",
        "largest stable step, as it is",
        "a longer step is refused",
        "a shorter one is taken",
        "longest spring just below the limit",
    ],
    "Servin 2011, figure 11a: resolution of a loaded chain": [
        *(f"most segments, load {ratio} x wire" for ratio in (1, 3, 10, 30, 100, 300, 1000)),
        "beside eq. 26 as printed",
    ],
}
"""Names of all findings that are judged, part by part."""


@cache
def study() -> Study:
    return load_study("nehe_lesson_40")


@cache
def result(title: str) -> Result:
    """What comes out of a part; each runs once."""
    (part,) = (part for part in study().parts if part.title == title)
    return part.run(Progress())


def found(title: str) -> dict[str, Finding]:
    """The findings of a part by name."""
    return {finding.name: finding for finding in result(title).findings}


def checked() -> list[Part]:
    return [part for part in study().parts if not part.timing]


def test_every_part_is_expected() -> None:
    assert [part.title for part in checked()] == list(EXPECTED)


@pytest.mark.parametrize("title", EXPECTED)
def test_every_quantity_is_expected(title: str) -> None:
    assert sorted(found(title)) == sorted(EXPECTED[title])


@pytest.mark.parametrize(
    ("title", "name"), [(title, name) for title, names in EXPECTED.items() for name in names]
)
def test_agrees(title: str, name: str) -> None:
    finding = found(title)[name]
    assert finding.verdict == "ok", f"{name}: {finding.cells()}"


def test_the_numbers_of_the_misprints() -> None:
    """3.875 mm, 0.155 m, 2.216 ms and 2.237 ms."""
    hang, limit = found("Static hang"), found("Largest step")
    assert hang["stretch of the top spring"].ours == pytest.approx(3.875e-3, abs=5e-7)
    assert hang["stretch of the rope"].ours == pytest.approx(0.1550, abs=5e-5)
    assert limit["largest stable step, as it is"].ours == pytest.approx(2.216e-3, abs=5e-7)
    assert limit["largest stable step, undamped"].ours == pytest.approx(2.237e-3, abs=5e-7)


@pytest.mark.parametrize(
    ("load", "solver"),
    slow_but(
        {(1.0, "envelope"), (30.0, "sparse"), (1000.0, "envelope")},
        product((1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0), ("envelope", "sparse")),
    ),
)
def test_the_first_report_warns_of_a_chain_that_turns_unstable(load: float, solver: str) -> None:
    """Silent up to the boundary of figure 11a or one segment before it, and never beyond."""
    chart = paper_module("nehe_lesson_40", "chart")
    most, steps = chart.expected(load), {}
    for segments in range(2, most + 4):
        steps[segments] = Simulator(chart.loaded(load, segments), dt=chart.H, solver=solver).step()
    silent = [segments for segments, report in steps.items() if report.status == 0]
    assert silent == list(range(2, silent[-1] + 1)) and most - 1 <= silent[-1] <= most
    assert all(report.status in (0, TOO_FINE) and report.exact for report in steps.values())
    assert naming("fewer masses").search(explain(steps[most + 1].status))


def test_every_figure_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pictures of the report have axes with something in them; the timings run."""
    monkeypatch.setattr(paper_module("nehe_lesson_40", "cost"), "WORK", 1000)
    for part in study().parts:
        for picture in result(part.title).pictures:
            assert_shown(picture.draw(), picture.name)
