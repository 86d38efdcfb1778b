"""Servin and Lacoursiere 2007: every quantity of the paper agrees, by name, so that none can vanish
unseen."""

from collections.abc import Iterator
from functools import cache

import pytest
from shown import assert_shown
from slow_cases import slow_but

from validation.harness import Finding, Part, Progress, Result, Study
from validation.harness.catalogue import load_study, paper_module

STEPPERS = ("regularised", "spook")
CONSTANTS = ("10", "1e3", "1e6")
COUNTS = (2, 5, 10, 20, 50, 100)
PHASES = ("toss", "rewinding", "lift")


def periods(c: str) -> Iterator[str]:
    """Names of figure 5 and 7."""
    for value in CONSTANTS:
        for stepper in STEPPERS:
            yield from (
                f"{what}, {c} = {value}, {stepper}"
                for what in ("period", "decay rate", "amplitude")
            )
            if value != "1e6":
                yield f"period against 2 pi sqrt(m/c), {c} = {value}, {stepper}"
    yield from (f"load against displacement, {c}, {stepper}" for stepper in STEPPERS)


def energies(c: str) -> Iterator[str]:
    """Names of figure 6 and 8."""
    for value in CONSTANTS:
        yield f"energy factor per step, {c} = {value}, regularised"
        yield f"change of W, {c} = {value}, spook"


EXPECTED = {
    "Section 4.4.2: a steel cable": [
        "c_s of the steel cable of 4 m",
        "c_s of a steel cable of 2 m",
        "c_t of the steel cable of 4 m",
    ],
    "Figure 5: stretch": [*periods("c_s"), "distance of the stretch from pure modes"],
    "Figure 6: energy of the stretch": [*energies("c_s")],
    "Figure 7: twist": [
        *periods("c_t"),
        "distance of the twist from pure modes",
        "largest twist, c_t = 10",
    ],
    "Figure 8: energy of the twist": [*energies("c_t")],
    "A hundred thousand steps": [
        *(f"change of energy in 1e5 steps, c_s = {value}" for value in CONSTANTS),
        *(f"amplitude after 1e5 steps over before, c_s = {value}" for value in CONSTANTS),
        *(
            f"drift of {what} momentum, {stepper}"
            for what in ("linear", "angular")
            for stepper in STEPPERS
        ),
        "angular momentum at the start",
    ],
    "Section 5.2: rows": [
        *(f"rows of a massless cable over {n} bodies" for n in COUNTS),
        *(f"rows of a chain of rods along {n} bodies" for n in COUNTS),
        "rows that a massless cable adds to a jointed system",
    ],
    "Figure 9: four cables": [
        "carriage against a step of 1 ms, in 40 s",
        "change of length of the carrying ropes",
        "stretch of a carrying rope when the carriage is let go",
        "way of the posts locked to the world",
        "the small boxes turn opposite ways",
        "turning of the right box over that of the left, seen from above",
        "period of the twist over the box",
        "energy gained at 0.05 s",
        "energy lost at 0.05 s",
    ],
    "Figure 10: a fishing rod": [
        *(f"steady rate of the line, {phase}, g = {g}" for phase in PHASES for g in ("10", "9.81")),
        *(f"time constant, {phase}" for phase in PHASES),
        "the toss pays line out",
        "rate of rewinding over the ground",
        "rewinding drags the box and does not lift it",
        "smallest force of the ground in the lift",
        "tension at the end of the lift",
    ],
}
"""Names of all findings that are judged, part by part."""
SLOW = {"Figure 5: stretch", "Figure 6: energy of the stretch"}
"""Parts above five seconds; figures 7 and 8 are of the same code."""
QUICK = EXPECTED.keys() - SLOW
PAIRS = [(title, name) for title, names in EXPECTED.items() for name in names]


@cache
def study() -> Study:
    return load_study("servin_2007")


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
    """The fishing rod and the steel cable, run again."""
    for title in ("Section 4.4.2: a steel cable", "Figure 10: a fishing rod"):
        (part,) = (part for part in study().parts if part.title == title)
        assert {finding.name: finding for finding in part.run(Progress()).findings} == found(title)


@pytest.mark.parametrize("room", slow_but(["twist"], ["stretch", "twist"]))
def test_a_wrong_constant_is_seen(room: str) -> None:
    """With springs stiffer by 1e-5 every period misses its tolerance of 1e-6."""
    validation = paper_module("servin_2007", "validation")
    test = getattr(paper_module("servin_2007", room), room.upper())
    stiffer = test._replace(scene=lambda constant: test.scene((1.0 + 1e-5) * constant))
    periods = [
        finding for finding in validation.modes(stiffer) if finding.name.startswith("period")
    ]
    assert len(periods) == 6 and {finding.verdict for finding in periods} == {"missed"}


def test_softer_carrying_ropes_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    ropeway = paper_module("servin_2007", "ropeway")
    scenes = ropeway.load_scene
    monkeypatch.setattr(ropeway, "load_scene", lambda name: scenes(name, track_stiffness=1e6))
    ropeway.run.cache_clear()
    missed = {finding.name for finding in ropeway._motion() if finding.verdict == "missed"}
    ropeway.run.cache_clear()
    assert "stretch of a carrying rope when the carriage is let go" in missed


def test_the_printed_constants_are_misprinted_as_said() -> None:
    """c_s is that of 2 m, and c_t is right."""
    constants = found("Section 4.4.2: a steel cable")
    printed = {name: finding.rounds_to_published for name, finding in constants.items()}
    assert (
        printed["c_s of the steel cable of 4 m"] is False
        and printed["c_t of the steel cable of 4 m"] is True
    )


@pytest.mark.parametrize("title", slow_but(QUICK | TIMED, [*EXPECTED, *TIMED]))
def test_every_figure_is_drawn(title: str) -> None:
    """All pictures of the report, the timings' too, have axes with something in them."""
    for picture in result(title).pictures:
        assert_shown(picture.draw(), picture.name)
