"""Garcia-Fernandez et al. 2008: every quantity of the paper agrees, by name, so that none can
vanish unseen."""

from functools import cache

import numpy as np
import pytest
from shown import assert_shown

from cable_sim import Simulator
from validation.harness import Finding, Part, Progress, Result, Study
from validation.harness.catalogue import load_study, paper_module

DENSITIES = ("0", "0.5", "1", "2", "3")
SCHEMES = ("explicit", "implicit")
SAGS = ("2.7", "3.1", "5.3", "10.1")
SWAYS = (*((density, "1") for density in DENSITIES), ("1", "0"), ("1", "4"))

EXPECTED = {
    "Section 3.2: the string": [
        f"{what}, mode {n}, {scheme}"
        for what in ("frequency", "frequency of the grid", "decay rate")
        for n in (1, 3, 5)
        for scheme in SCHEMES
    ],
    "Section 3.2: sag": [
        *(
            f"{what}, {sag} % of the span, {scheme}"
            for sag in SAGS
            for scheme in SCHEMES
            for what in (
                "sag against the elastic catenary",
                "tension against the catenary's pull",
                "sag against rho g l^2 / 8T",
            )
        ),
        *(f"deflection across a slope of {slope}" for slope in ("0.5", "1", "3")),
    ],
    "Equation 7: ends that move": [
        f"{what} at {speed} m/s"
        for what in ("lag of the middle", "the middle trails")
        for speed in (1, 3)
    ],
    "Section 4.1: stability": [
        *(
            f"tension that straightens a span, {case}"
            for case in (
                "10 m, 33 points, 2 ms",
                "10 m, 33 points, 1 ms",
                "10 m, 65 points, 2 ms",
                "40 m, 33 points, 2 ms",
            )
        ),
        "implicit scheme at 100 times that tension: motion",
    ],
    "Section 4.1: energy of straightened waves": [
        "energy of the wave that is straightened",
        "energy before = after + lost",
        "energy of a sag at rest",
        "what gravity gains by straightening it",
        "a straightened span hangs straight",
    ],
    "Figure 8: energy of the hook": [
        *(
            f"{what}, {density} kg/m"
            for density in DENSITIES
            for what in (
                "long-term decay rate",
                "long-term frequency",
                "place of rest below the release",
            )
        ),
        *(f"decay rate against the massless rope, {density} kg/m" for density in DENSITIES[1:]),
        *(f"long-term decay rate, 2 t on {density} kg/m" for density in DENSITIES[:-1]),
        "decay rate over the massless one, 2 t on 3 kg/m",
        "difference from the massless energy at the beginning, 3 kg/m",
        "the heavier the rope, the more the beginning differs",
        "energy of straightened waves over the hook's",
    ],
    "Section 5.1: pendulum frequency": [
        *(
            f"{what}, {density} kg/m, b = {damping} 1/s"
            for density, damping in SWAYS
            for what in ("pendulum frequency", "pendulum frequency against massless")
        ),
        "damping of the sway by that of the strings, 3 kg/m",
    ],
    "Figure 9: lift-off": [
        *(
            f"{what}, {density} kg/m"
            for density in DENSITIES
            for what in ("delay until lift-off", "delay against catenaries")
        ),
        *(f"delay that sag adds, {density} kg/m" for density in DENSITIES[1:]),
        "change of the rope taken in at half the speed, 3 kg/m",
        "a heavier rope lifts later",
        "largest motion of the hook before lift-off",
    ],
}
"""Names of all findings that are judged, part by part."""


@cache
def study() -> Study:
    return load_study("garcia_fernandez_2008")


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


def test_it_comes_out_the_same_every_time() -> None:
    """Two of the quicker parts, run again."""
    for title in ("Equation 7: ends that move", "Section 4.1: energy of straightened waves"):
        (part,) = (part for part in study().parts if part.title == title)
        assert {finding.name: finding for finding in part.run(Progress()).findings} == found(title)


def test_a_rope_of_another_weight_is_seen() -> None:
    """A rope heavier by a tenth misses the delay of the one that it is taken for."""
    liftoff = paper_module("garcia_fernandez_2008", "liftoff")
    delay = liftoff.hoisted(3.3).delay
    assert abs(delay * liftoff.SPEED / liftoff.model_rope(3.0) - 1.0) > 3.0 * liftoff.OWN


def test_the_linear_theory_has_the_known_limits() -> None:
    """At rest the taut string's compliance rho^2 g^2 l^3 / 12 T^3; without mass the damped bounce
    of a spring."""
    bounce, lift = (paper_module("garcia_fernandez_2008", name) for name in ("bounce", "lift"))
    span, tension, density = lift.Span(24.0, 1.0), 8000.0, 2.0
    known = (density * lift.G) ** 2 * 24.0**3 / (12.0 * tension**3)
    assert bounce.span_compliance(span, 0.0, tension, density, 1.0) == pytest.approx(
        known, rel=2e-3
    )
    mode = bounce.bounce(0.0, 1.0, 1e-3)
    assert mode.decay == pytest.approx(0.5e-3 * (mode.omega**2 + mode.decay**2), rel=1e-9)


def test_the_catenary_of_a_tight_rope_is_the_parabola() -> None:
    """Far above its weight the exact rope and the model's need the same length."""
    lift = paper_module("garcia_fernandez_2008", "lift")
    exact = lift.catenary_needed(1e5, 0.5) - lift.chords() / (1.0 + 1e5 / lift.EA)
    ours = lift.rope_needed(1e5, 0.5) - lift.chords() / (1.0 + 1e5 / lift.EA)
    falls = (
        0.5 * lift.G * 0.5 * 2.0 * lift.FALL**2 / lift.EA
    )  # their weight stretches the exact ones less below
    assert exact - ours == pytest.approx(falls, rel=0.02)


def test_the_lift_system_rests_where_it_says() -> None:
    lift = paper_module("garcia_fernandez_2008", "lift")
    scene = lift.lift_system(3.0, pretension=lift.lifting_tension(3.0))
    simulator = Simulator(scene, dt=1e-3)
    start = simulator.observe().body("hook").position
    simulator.step(5000)
    np.testing.assert_allclose(simulator.observe().body("hook").position, start, atol=1e-6)


def test_every_figure_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pictures of the report, the timings' too, have axes with something in them."""
    cost = paper_module("garcia_fernandez_2008", "cost")
    monkeypatch.setattr(cost, "STEPS", 100)
    monkeypatch.setattr(cost, "LEAST", 10)
    for part in study().parts:
        for picture in result(part.title).pictures:
            assert_shown(picture.draw(), picture.name)
