"""Matrices: what is laid over what, what the cases are called, and where in the file a mistake
stands."""

import math
import pickle

import pytest
from messages import naming

from cable_sim.control.matrix import is_matrix, parse_matrix, read_matrix
from cable_sim.errors import ConfigError, SpecError
from cable_sim.shared_files import shared_folders

TEXT = """\
title: two by three
base:
  crane: tower_12t
  changes: {sensors.camera.delay: 0.04, rig.load.size: [2.0, 2.0, 1.0]}
  start: {slewing: 0.1}
axes:
  way:
    short: {start: {trolley: 35.0}, moves: [{axis: trolley, to: 40.0}]}
    long:
      start: {trolley: 20.0}
      moves: [{axis: trolley, to: 40.0}]
  hoist:
    still: {}
    up: {moves: [{axis: hoist, by: -5.0}], watch: 12.0}
    0.8: {believed: {length: 0.8}, changes: {rig.load.size: [1.0, 1.0, 0.5]}, seed: 3}
"""


def test_cases_are_all_combinations_in_the_order_of_the_file():
    matrix = parse_matrix(TEXT, "some/where.yaml")
    assert matrix.name == "where"
    assert matrix.axes == {"way": ("short", "long"), "hoist": ("still", "up", "0.8")}
    assert list(matrix.cases()) == [
        "short-still",
        "short-up",
        "short-0.8",
        "long-still",
        "long-up",
        "long-0.8",
    ]
    assert len(matrix) == 6


def test_mappings_are_merged_lists_joined_and_values_replaced():
    matrix = parse_matrix(TEXT)
    plain, up, wrong = (matrix.case(f"long-{name}") for name in ("still", "up", "0.8"))
    assert plain.start == {"slewing": 0.1, "trolley": 20.0}
    assert [(move.axis, move.to, move.by) for move in up.moves] == [
        ("trolley", 40.0, None),
        ("hoist", None, -5.0),
    ]
    assert (plain.watch, up.watch, wrong.seed) == (30.0, 12.0, 3)
    assert (wrong.believed.length, wrong.believed.load) == (0.8, 1.0)
    assert wrong.title == "two by three: long-0.8"


def test_values_of_changes_replace_even_lists():
    wrong = parse_matrix(TEXT).case("short-0.8")
    assert wrong.changes == {"sensors.camera.delay": 0.04, "rig.load.size": [1.0, 1.0, 0.5]}


def test_a_case_leaves_the_others_as_they_are():
    matrix = parse_matrix(TEXT)
    before = matrix.case("long-still")
    matrix.cases()
    assert matrix.case("long-still") == before


def test_axes_of_a_case():
    matrix = parse_matrix(TEXT)
    assert matrix.case_axes("long-0.8") == {"way": "long", "hoist": "0.8"}
    for name in ("long", "long-0.8-more", "still-long", ""):
        with pytest.raises(SpecError, match="way-hoist, as short-still"):
            matrix.case_axes(name)


@pytest.mark.parametrize(
    ("only", "names"),
    [
        ((), 6),
        (("long",), 3),
        (("up",), 2),
        (("still", "up"), 4),
        (("up", "long"), 1),
        (("short", "long", "up", "0.8"), 4),
    ],
)
def test_only_keeps_any_of_an_axis_and_one_of_every_axis(only, names):
    kept = parse_matrix(TEXT).names(only)
    assert len(kept) == names
    for name in kept:
        way, hoist = name.split("-")
        assert not set(only) & {"short", "long"} or way in only
        assert not set(only) & {"still", "up", "0.8"} or hoist in only


def test_an_unknown_variant_lists_the_known_ones():
    with pytest.raises(SpecError, match=naming("'windy' short long still 0.8")):
        parse_matrix(TEXT).cases(["long", "windy"])


@pytest.mark.parametrize(
    ("old", "new", "where", "says"),
    [
        ("crane: tower_12t", "crane: 12", "3:10: crane", "text"),
        ("watch: 12.0", "watch: -12.0", "14:51: watch", "0"),
        ("by: -5.0", "bye: -5.0", "14:32: moves[1].bye", "'by'"),
        ("length: 0.8", "length: long", "15:30: believed.length", "number"),
        ("to: 40.0}]}", "to: 40.0, by: 1.0}]}", "8:45: moves[0]", "to,"),
        ("still: {}", "long: {}", "13:5: axes.hoist.long", "names differ"),
        ("still: {}", "stand-still: {}", "13:5: axes.hoist.stand-still", "name"),
        ("still: {}", "still: 4", "13:12: axes.hoist.still", "part scenario 4"),
        ("base:", "bases:", "2:1: bases", "title base axes"),
        ("title: two by three", "title: [2]", "1:8: title", "text"),
    ],
)
def test_a_mistake_is_told_with_its_place(old, new, where, says):
    with pytest.raises(ConfigError) as error:
        parse_matrix(TEXT.replace(old, new), "m.yaml")
    assert any(
        str(p).startswith(f"m.yaml:{where}: ") and naming(says).search(str(p))
        for p in error.value.problems
    ), error.value


def test_a_mistake_is_told_once_and_all_of_them():
    text = TEXT.replace("crane: tower_12t", "crane: 12").replace("seed: 3", "seed: -3")
    with pytest.raises(ConfigError) as error:
        parse_matrix(text)
    assert [problem.field for problem in error.value.problems] == ["crane", "seed"]


@pytest.mark.parametrize(
    "text", ["", "base: {crane: tower_12t}", "base: {}\naxes: {}", "base: {}\naxes: {a: }", "[1]"]
)
def test_what_is_no_matrix_is_refused(text):
    with pytest.raises(ConfigError):
        parse_matrix(text)


def test_a_matrix_is_told_from_scenarios_and_cranes():
    assert is_matrix({"base": {}, "axes": {}})
    assert not is_matrix({"crane": "tower_12t", "moves": []})
    assert not is_matrix(None)


def test_a_matrix_crosses_to_another_process():
    matrix = parse_matrix(TEXT)
    again = pickle.loads(pickle.dumps(matrix))
    assert again == matrix and again.case("long-up") == matrix.case("long-up")


@pytest.mark.parametrize("name", ["tower_matrix", "gantry_matrix"])
def test_the_shipped_matrices_are_those_of_the_standard(name):
    """Ways x hoist x load x wind x what the controller believes x no fault and every kind of
    fault."""
    (folder, *_) = shared_folders("config")
    matrix = read_matrix(folder / "scenarios" / f"{name}.yaml")
    assert [len(variants) for variants in matrix.axes.values()] == [2, 3, 3, 3, 2, 14]
    assert math.prod(map(len, matrix.axes.values())) == len(matrix) == 1512
    case = matrix.case("long-hoisting-rated-gust-wrong-drive_trip")
    assert {move.axis for move in case.moves} >= {"trolley", "hoist"}
    assert case.wind and case.faults[0].kind == "drive_trip" and case.believed.length == 1.2


@pytest.mark.parametrize("name", ["tower_matrix", "gantry_matrix"])
def test_the_shipped_matrices_have_every_kind_of_fault(name):
    from cable_sim.machine.faults import KINDS

    (folder, *_) = shared_folders("config")
    matrix = read_matrix(folder / "scenarios" / f"{name}.yaml")
    plain = matrix.names(["short", "high", "empty", "calm", "nominal"])
    faults = [fault.kind for case in plain for fault in matrix.case(case).faults]
    assert sorted(faults) == sorted(KINDS)
