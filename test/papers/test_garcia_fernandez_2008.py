"""Garcia-Fernandez et al. 2008: every quantity of the paper agrees, by name, so that none can
vanish unseen."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from shown import assert_shown
from slow_cases import slow_but

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
    "Figure 6: a collision": [
        f"{what}, {density} kg/m"
        for density in ("0", "1")
        for what in (
            "nodes on the building at most",
            "nodes come and go",
            "times that nodes come or go",
            "time by which nodes come or go late",
            "nodes off the corners of the shortest way",
            "way over the nodes off the shortest",
            "difference of tensions along the rope",
            "force on a node off that of its kink",
            "depth of the rope in the building",
            "the solver",
        )
    ],
    "Section 4.2: two levels of detection": [
        *(
            f"{what}, beam at {place} l"
            for place in ("0.25", "0.4")
            for what in (
                "tension at which the node goes",
                "depth of the curve when its node comes",
                "height of the node off the beam",
                "nodes over the run",
            )
        ),
        "nodes on a beam that the cylinder alone reaches",
    ],
    "Figure 7: drawing": [
        "far rows that a cylinder alone leaves out",
        "width of a line alone over the true one, near by",
        "far rows without rope",
        "width of the rope near by",
        "width off the larger of the true one and 1.7 pixels",
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
SLOW = {"Figure 8: energy of the hook", "Figure 9: lift-off"}
"""Parts above five seconds; the energy of waves and a lift-off have quick tests here."""
QUICK = EXPECTED.keys() - SLOW
PAIRS = [(title, name) for title, names in EXPECTED.items() for name in names]


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
    """Two of the quicker parts, run again."""
    for title in ("Equation 7: ends that move", "Section 4.1: energy of straightened waves"):
        (part,) = (part for part in study().parts if part.title == title)
        assert {finding.name: finding for finding in part.run(Progress()).findings} == found(title)


def test_a_rope_of_another_weight_is_seen() -> None:
    """A rope heavier by a tenth misses the delay of the one that it is taken for."""
    liftoff = paper_module("garcia_fernandez_2008", "liftoff")
    delay = liftoff.hoisted(3.3).delay
    assert abs(delay * liftoff.SPEED / liftoff.model_rope(3.0) - 1.0) > 3.0 * liftoff.OWN


def missed(findings: Sequence[Finding]) -> set[str]:
    """The names of findings that do not agree, without what is behind the comma."""
    return {finding.name.split(",")[0] for finding in findings if finding.verdict == "missed"}


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        (
            {"at": 0.05},
            {
                "nodes off the corners of the shortest way",
                "way over the nodes off the shortest",
                "depth of the rope in the building",
            },
        ),
        (
            {"friction": 0.3},
            {"difference of tensions along the rope", "force on a node off that of its kink"},
        ),
        (
            {"at": 20.0},
            {
                "nodes come and go",
                "nodes on the building at most",
                "times that nodes come or go",
                "time by which nodes come or go late",
            },
        ),
    ],
)
def test_another_building_is_seen(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, float], names: set[str]
) -> None:
    """Beside the place where geometry has it, rough, or out of the way."""
    collision = paper_module("garcia_fernandez_2008", "collision")
    crane = collision.crane
    monkeypatch.setattr(collision, "crane", lambda density: crane(density, **changed))
    assert names <= missed(collision.findings(0.0, collision.journey.__wrapped__(0.0)))


@pytest.fixture
def detection(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The part on two levels, which forgets its runs."""
    module = paper_module("garcia_fernandez_2008", "detection")
    module.lowered.cache_clear()
    monkeypatch.setattr(module, "PLACES", module.PLACES[:1])
    yield module
    module.lowered.cache_clear()


def test_a_beam_at_another_height_is_seen(detection: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = detection.level_rope
    monkeypatch.setattr(
        detection, "level_rope", lambda place, below: scene(place, below, detection.GAP - 0.01)
    )
    assert {"tension at which the node goes", "height of the node off the beam"} <= missed(
        detection.two_levels(Progress()).findings
    )


def test_what_the_cylinder_alone_reaches_is_seen(
    detection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A beam that the curve reaches in place of the one above it; and one that is never reached."""
    scene = detection.level_rope
    monkeypatch.setattr(detection, "level_rope", lambda place, below: scene(place, True))
    assert missed(detection.two_levels(Progress()).findings) == {
        "nodes on a beam that the cylinder alone reaches"
    }
    detection.lowered.cache_clear()
    monkeypatch.setattr(detection, "level_rope", lambda place, below: scene(place, below, 0.5))
    assert {"nodes over the run", "depth of the curve when its node comes"} <= missed(
        detection.two_levels(Progress()).findings
    )


@pytest.mark.parametrize(
    ("width", "diameter", "names"),
    [
        (
            1e-9,
            0.01,
            {"far rows without rope", "width off the larger of the true one and 1.7 pixels"},
        ),
        (1.7, 0.011, {"width of the rope near by"}),
        (
            10.0,
            0.01,
            {"width of the rope near by", "width off the larger of the true one and 1.7 pixels"},
        ),
    ],
)
def test_a_rope_drawn_otherwise_is_seen(
    monkeypatch: pytest.MonkeyPatch, width: float, diameter: float, names: set[str]
) -> None:
    """As bands without a least width, of a thicker rope, or as lines."""
    drawing = paper_module("garcia_fernandez_2008", "drawing")
    monkeypatch.setattr("cable_sim.rendering.renderer.ROPE_PIXELS", width)
    seen = {**drawing.pictures(), "as drawn here": drawing.drawn(diameter)}
    monkeypatch.setattr(drawing, "pictures", lambda: seen)
    assert names <= missed(drawing.figure_7(Progress()).findings)


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


@pytest.mark.parametrize("title", slow_but(QUICK | TIMED, [*EXPECTED, *TIMED]))
def test_every_figure_is_drawn(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pictures of the report, the timings' too, have axes with something in them."""
    cost = paper_module("garcia_fernandez_2008", "cost")
    monkeypatch.setattr(cost, "STEPS", 100)
    monkeypatch.setattr(cost, "LEAST", 10)
    for picture in result(title).pictures:
        assert_shown(picture.draw(), picture.name)
