"""Running a study: order, progress, names that stand twice, timings that must not be judged."""

from pathlib import Path

import pytest
from messages import naming

from cable_sim.errors import CableSimError
from validation.harness import Part, Picture, Progress, Quantity, Reading, Result, Study, at_most
from validation.harness.study import disagreements, findings, run_study

GOOD = Quantity("good", None, 1.0, 1.0, 1e-6)
BAD = Quantity("bad", None, 1.0, 2.0, 1e-6)
TIME = Reading("time", 1.0, "us")


def study(*parts: Part) -> Study:
    return Study("title", "reference", Path("/papers/author_1900"), parts)


def part(*found, timing=False, pictures=(), halves=0):
    def run(progress):
        """First line
        goes on.
        """
        for _ in progress.over(range(halves)):
            pass
        return Result(found, pictures)

    return Part("part", run, timing)


def test_the_folder_names_the_study():
    assert study().name == "author_1900"


def test_the_docstring_is_the_text():
    assert part().text == "First line\ngoes on."


def test_outcomes_come_in_order():
    outcomes = run_study(study(part(GOOD), part(TIME, timing=True), part(BAD)))
    assert findings(outcomes) == [GOOD, TIME, BAD] and disagreements(outcomes) == [BAD]


def test_timings_can_be_left_out():
    assert findings(run_study(study(part(GOOD), part(TIME, timing=True)), timing=False)) == [GOOD]


def test_progress_goes_from_nothing_to_all():
    told: list[float] = []
    run_study(study(part(GOOD, halves=2), part(BAD)), told.append)
    assert told == sorted(told) and told[0] == 0.0 and told[-1] == 1.0 and 0.25 in told


def test_progress_stays_within_its_share():
    told: list[float] = []
    progress = Progress(told.append)
    progress(-1.0)
    progress(2.0)
    assert told == [0.0, 1.0]
    assert list(Progress().over("abc")) == ["a", "b", "c"]


def test_names_stand_once():
    with pytest.raises(CableSimError, match="author_1900.*twice: good"):
        run_study(study(part(GOOD), part(GOOD)))
    picture = Picture("figure", "", lambda: None)
    with pytest.raises(CableSimError, match="twice: figure"):
        run_study(study(part(GOOD, pictures=[picture, picture])))


@pytest.mark.parametrize("judged", [GOOD, at_most("bound", 1.0, 0.5)])
def test_a_timing_is_not_judged(judged):
    with pytest.raises(CableSimError, match=naming("timing judges")):
        run_study(study(part(TIME, judged, timing=True)))
