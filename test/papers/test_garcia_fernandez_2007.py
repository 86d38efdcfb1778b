"""Garcia-Fernandez et al. 2007: every quantity of the paper agrees, by name, so that none can
vanish unseen."""

from functools import cache

import numpy as np
import pytest
from shown import assert_shown
from slow_cases import slow_but

from validation.harness import Finding, Part, Progress, Result, Study
from validation.harness.catalogue import load_study, paper_module

EXPECTED = {
    "Equation 1: spring and damping": [
        f"{what}, {length} m"
        for length in (10, 20, 40)
        for what in ("spring constant", "decay rate", "the damping damps")
    ],
    "Cable and pulleys: forces": [
        f"{what}, {density} kg/m"
        for what in ("forces on the nodes", "weight on all nodes")
        for density in ("0", "1.5")
    ],
    "Equation 4: sloping spans": [
        *(
            f"{what}, slope {slope}, {form}"
            for slope in ("0", "0.4", "1")
            for form in ("2007", "2008")
            for what in ("vertical sag", "first frequency")
        ),
        "both forms agree on a level span",
    ],
    "Equation 4: neglected terms": [
        f"{what}, {tension} N"
        for tension in ("5000", "50000")
        for what in (
            "error of eq. 4 within a second",
            "error with the mixed term over that without",
        )
    ],
    "Simulation results: the chain's instability": [
        *(
            f"largest stable step, {n} segments, {tension} kN"
            for n in (25, 30)
            for tension in (5, 50)
        ),
        "corners of the paper's ranges in which a chain is stable at 1/60 s",
        "motion of the mixed model at rest, all corners",
        *(f"condition of rigid segments, sag {sag}" for sag in ("0.01", "0.001", "0.0001")),
        "tension of a straight chain that stretches, off its own",
        "status of that chain",
    ],
}
"""Names of all findings that are judged, part by part."""
SLOW = {"Equation 4: sloping spans"}
"""Parts above five seconds; test_elevation_cable.py has sag and frequency of spans."""
QUICK = EXPECTED.keys() - SLOW
PAIRS = [(title, name) for title, names in EXPECTED.items() for name in names]


@cache
def study() -> Study:
    return load_study("garcia_fernandez_2007")


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


TIMED = {part.title for part in study().parts if part.timing}


def test_every_part_is_expected() -> None:
    assert [part.title for part in checked()] == list(EXPECTED)


@pytest.mark.parametrize("title", slow_but(QUICK, EXPECTED))
def test_every_quantity_is_expected(title: str) -> None:
    assert sorted(found(title)) == sorted(EXPECTED[title])


@pytest.mark.parametrize(("title", "name"), slow_but([p for p in PAIRS if p[0] in QUICK], PAIRS))
def test_agrees(title: str, name: str) -> None:
    finding = found(title)[name]
    assert finding.verdict == "ok", f"{name}: {finding.cells()}"


def test_it_comes_out_the_same_every_time() -> None:
    (part,) = (part for part in study().parts if part.title == "Cable and pulleys: forces")
    assert {finding.name: finding for finding in part.run(Progress()).findings} == found(part.title)


def test_the_exact_wave_solves_its_equation() -> None:
    """u_tt = a^2 u_ss - g by differences, at points that no kink has reached, and u = 0 at both
    ends."""
    growth = paper_module("garcia_fernandez_2007", "growth")
    tension, time, step = 5000.0, 0.9, 1e-3
    end = growth.LENGTH + growth.SPEED * time
    np.testing.assert_allclose(growth.exact(tension, time, np.array([0.0, end])), 0.0, atol=1e-12)
    a, s = (tension / growth.DENSITY) ** 0.5, 4.0
    at = growth.exact(tension, time, np.array([s - a * step, s, s + a * step]))
    later, earlier = (growth.exact(tension, time + dt, np.array([s]))[0] for dt in (step, -step))
    left = (later - 2.0 * at[1] + earlier) / step**2
    right = (at[0] - 2.0 * at[1] + at[2]) / step**2 - growth.G
    assert left == pytest.approx(right, abs=1e-6)


def test_a_heavier_chain_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heavier by a twentieth it is stable in longer steps, by half of that."""
    instability = paper_module("garcia_fernandez_2007", "instability")
    theory = instability.largest_step(30, 5e4, instability.SPAN, instability.DENSITY)
    is_stable = instability.is_stable
    monkeypatch.setattr(
        instability,
        "is_stable",
        lambda n, tension, length, density, h: is_stable(n, tension, length, 1.05 * density, h),
    )
    assert instability.measured_step(30, 5e4) / theory == pytest.approx(1.05**0.5, rel=1e-3)


def test_a_step_that_the_chain_follows_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a tenth of the frame's step more corners are stable than theory says of a frame's."""
    instability = paper_module("garcia_fernandez_2007", "instability")
    is_stable = instability.is_stable
    monkeypatch.setattr(instability, "is_stable", lambda *corner: is_stable(*corner[:-1], 1.6e-3))
    assert instability.at_frames()[0].verdict == "missed"


@pytest.mark.parametrize("title", slow_but(QUICK | TIMED, [*EXPECTED, *TIMED]))
def test_every_figure_is_drawn(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pictures of the report, the timings' too, have axes with something in them."""
    monkeypatch.setattr(paper_module("garcia_fernandez_2007", "cost"), "WORK", 1000)
    for picture in result(title).pictures:
        assert_shown(picture.draw(), picture.name)
