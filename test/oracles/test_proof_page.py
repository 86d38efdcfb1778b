"""The proof page, from results that are made up; and the command that writes it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import naming

from benchmarks import results
from benchmarks.peers import conduct
from benchmarks.peers.accuracy import cost_at, costs_at_equal_error, errors_at_equal_cost
from benchmarks.peers.contest import (
    OURS,
    Absent,
    Comparison,
    Entry,
    Outcome,
    Ratio,
    Result,
    best_ratios,
    costs,
    hold,
)
from benchmarks.peers.page import comparison_text, section, summary
from benchmarks.timing import Case, Round
from cable_sim.cli import main

SWIFT, SLOW, LEVEL = (0.5, 0.52, 0.48, 0.5), (3.0, 3.3, 2.9, 3.1), (0.9, 1.1, 0.98, 1.02)


def cheapest(found: list[Result]) -> list[Ratio]:
    """The ratios that stand in the summary."""
    return best_ratios(costs(found))


def made(enter: Callable[[], Any] = list, count: Callable[..., Any] = cheapest) -> Comparison:
    """A comparison."""
    return Comparison("knots", "Knots tied", "us a knot", 1e6, "*Equal*: the knots.", enter, count)


def result(engine: str, way: str, times: tuple[float, ...], **figures: float) -> Result:
    """What took those times over ours, which takes longer from round to round."""
    rounds = [Round(share * (1.0 + i), 0.9 * share * (1.0 + i)) for i, share in enumerate(times)]
    return Result(engine, way, figures, rounds)


@pytest.fixture
def outcome() -> Outcome:
    """MuJoCo wins in one of its ways, C++ is level, numpy loses, Exudyn is not there."""
    ours = result(OURS, "by hand", (1.0, 1.0, 1.0, 1.0))
    others = [
        result("numpy", "arrays", SLOW),
        result("C++", "loops", LEVEL),
        result("MuJoCo", "thrice", SLOW),
        result("MuJoCo", "once", SWIFT),
    ]
    return Outcome(made(), [ours, *others], [Absent("Exudyn", "not installed", missing=True)])


def test_a_peer_that_wins_is_named_first_and_plainly(outcome: Outcome) -> None:
    ahead, level = comparison_text([outcome]).split("About level")
    assert "* **MuJoCo**, once; *Knots tied*: time 0.5 (0.495 ... 0.505)." in ahead
    assert "C++" not in ahead and "numpy" not in ahead and "thrice" not in ahead
    assert "**C++**" in level and "numpy" not in level


def test_where_nobody_wins_it_says_so(outcome: Outcome) -> None:
    outcome.results[-2:] = []
    outcome.results[2:3] = []
    text = comparison_text([outcome])
    assert naming("Nowhere Exudyn").search(text) and "level" not in text


def test_ratios_are_taken_round_by_round(outcome: Outcome) -> None:
    """Ours got slower from round to round, and so did all: which the ratios don't see."""
    cells = summary([outcome]).splitlines()[-1].strip("| ").split(" | ")
    assert cells[:2] == ["Knots tied", "time"]
    assert cells[2:] == [
        "**0.5 (0.495 ... 0.505)**",
        "not installed",
        "1 (0.96 ... 1.04)",
        "3.05 (2.98 ... 3.15)",
    ]


def test_the_section_lists_every_way_and_why_one_is_not_timed(outcome: Outcome) -> None:
    outcome.results.append(
        Result("numpy", "badly", {"off [m]": 0.3}, [], "off [m]: 0.3, above 0.1")
    )
    text = section(outcome)
    assert naming("numpy badly [m] 0.3 0.1").search(text)
    assert naming("Exudyn installed").search(text)
    assert naming("cable_sim 2.5e+06 (1.75e+06 3.25e+06) 2.25e+06").search(text)
    assert not outcome.complete


def test_who_gives_other_numbers_is_not_timed() -> None:
    ran = []

    def entry(way: str, off: float) -> Entry:
        return Entry(
            OURS, way, Case(lambda: ran.append(way)), lambda: {"off [m]": off}, {"off [m]": 0.1}
        )

    told: list[int] = []
    found = hold(
        made(lambda: [entry("well", 0.05), entry("badly", 0.3), entry("lost", float("nan"))]),
        3,
        lambda: told.append(1),
    )
    assert [bool(one.refused) for one in found.results] == [False, True, True]
    assert (
        ran.count("well") == 5 and ran.count("badly") == ran.count("lost") == 1 and len(told) == 5
    )
    assert len(found.results[0].rounds) == 3 and found.results[1].rounds == []


def test_cost_at_an_error_between_two_steps_and_beyond() -> None:
    """Half the step: a quarter of the error, twice the cost. So half the error costs sqrt(2)."""
    assert cost_at(0.5, [1.0, 0.25], [1.0, 2.0]) == pytest.approx(2.0**0.5)
    assert cost_at(3.0, [1.0, 0.25], [1.0, 2.0]) == 1.0
    assert cost_at(0.25, [1.0, 0.25], [1.0, 2.0]) == pytest.approx(2.0)


def test_at_equal_error_the_cheapest_way_that_reaches_it_counts() -> None:
    found = costs_at_equal_error(
        [
            result(OURS, "chain, 1 ms", (1.0,), off=0.5),
            result(OURS, "chain, 2 ms", (0.5,), off=2.0),
            result("MuJoCo", "tree, 1 ms", (8.0,), off=1.0),
            result("MuJoCo", "tree, 0.5 ms", (16.0,), off=0.25),
            result("MuJoCo", "links, 1 ms", (90.0,), off=0.1),
            result("Exudyn", "all, 1 ms", (0.1,), off=0.6),
        ],
        "off",
        "time at equal error",
    )
    assert [(one.engine, one.way) for one in found] == [("MuJoCo", "tree")]
    assert found[0].middle == pytest.approx(8.0 * 2.0**0.5, rel=0.01)


def test_at_equal_cost_errors_compare_up_to_our_finest_step() -> None:
    ours = [
        result(OURS, "chain, 1 ms", (1.0,), off=0.4),
        result(OURS, "chain, 0.25 ms", (4.0,), off=0.1),
    ]
    for peer, share in ((2.0, 0.25), (4.0, 0.5), (100.0, 0.5)):
        theirs = result("Exudyn", "all, 1 ms", (peer,), off=0.05)
        (found,) = errors_at_equal_cost([*ours, theirs], "off", "error at equal time")
        assert found.middle == pytest.approx(share, rel=0.02)


def test_the_page_its_picture_and_the_raw_figures(outcome: Outcome, tmp_path: Path) -> None:
    about = {"date": "2026-01-02 03:04 UTC", "cpu": "abacus"}
    raw = conduct.write([outcome], about, 4, tmp_path / "pages" / "proof.md")
    page = (tmp_path / "pages" / "proof.md").read_text()
    assert "cpu abacus" in page
    assert page.index("Where a peer is better") < page.index("Ratios:") < page.index("## Knots")
    assert raw == tmp_path / "pages" / "2026-01-02_0304_peers.json" and f"]({raw.name})" in page
    told = json.loads(raw.read_text())["comparisons"]["knots"]
    assert (
        told["results"][4]["wall"] == [0.5, 1.04, 1.44, 2.0]
        and told["absent"][0]["engine"] == "Exudyn"
    )
    picture = (tmp_path / "pages" / "images" / "proof.svg").read_text()
    assert "Knots tied" in picture and len(picture) < 60_000 and "](images/proof.svg)" in page


def test_without_ratios_the_page_has_no_picture(outcome: Outcome, tmp_path: Path) -> None:
    del outcome.results[1:]
    raw = conduct.write([outcome], {"date": "2026-01-02 03:04 UTC"}, 4, tmp_path / "proof.md")
    assert raw.is_file() and "![" not in (tmp_path / "proof.md").read_text()
    assert not (tmp_path / "images").exists()


def test_results_are_not_written_over(tmp_path: Path) -> None:
    about = {"date": "2026-01-02 03:04 UTC"}
    path = results.save([results.Row("step", "crane", 1.0, 2.0, "us")], about, tmp_path)
    with pytest.raises(FileExistsError):
        results.save([], about, tmp_path)
    assert path.name == "2026-01-02_0304.csv" and "step,crane,1,2,us," in path.read_text()


def test_what_is_missing_is_said_and_the_status_is_one(
    outcome: Outcome,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(conduct, "COMPARISONS", {"knots": outcome.comparison})
    monkeypatch.setattr(conduct, "run", lambda chosen, rounds, console: [outcome])
    assert conduct.conduct([], tmp_path / "proof.md") == 1
    assert naming("Exudyn installed pip install 'cable_sim[bench]'").search(capsys.readouterr().out)
    assert (tmp_path / "proof.md").is_file()
    outcome.absent.clear()
    assert conduct.conduct([], tmp_path / "proof.md") == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("bench", "nix"), "benchmark 'nix' step crossing"),
        (("bench", "--peers", "step"), "comparison 'step' crane heavy_rope"),
        (("bench", "--out", "x.md"), "--out x.md --peers page"),
        (("bench", "--peers", "--csv"), "--csv --peers figures JSON"),
        (("bench", "--peers", "--rounds", "0"), "--rounds"),
    ],
)
def test_wrong_input(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(words)
    assert raised.value.code == 2 and naming(says).search(capsys.readouterr().err)


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["bench", "--list"])
    said = capsys.readouterr().out
    assert raised.value.code == 0 and "closed_loop" in said and "heavy_rope" in said
