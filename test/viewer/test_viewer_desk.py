"""The desk repeats what is wanted, ends it whatever happens to the page, and opens to the code
only."""

import math

import pytest
from messages import naming

from cable_sim.errors import CableSimError
from cable_sim.viewer.operator_console import (
    COMMAND_PERIOD,
    FAREWELLS,
    ControlCode,
    OperatorConsole,
)


@pytest.fixture
def desk(crane):
    return OperatorConsole(crane)


def run(desk, source, start: float, seconds: float) -> None:
    """Turn the viewer's loop every 10 ms."""
    for i in range(round(seconds / 0.01)):
        desk.perform(source, start + 0.01 * i)


def test_speed_is_repeated_in_si_units(desk, source):
    desk.set_speed("trolley", 30.0, page=1)
    run(desk, source, 0.0, 1.0)
    speeds = source.commands("trolley")
    assert len(speeds) == pytest.approx(1.0 / COMMAND_PERIOD, abs=1)
    assert speeds == pytest.approx([0.5] * len(speeds))
    assert not source.commands("slewing"), "an axis that nobody moves is left to others"


def test_hoisting_is_negative_paying_out(desk, source):
    desk.set_speed("hoist", 24.0, page=1)
    run(desk, source, 0.0, 0.1)
    assert source.commands("hoist")[0] == pytest.approx(-0.4)


def test_stop_is_said_a_few_times_and_then_no_more(desk, source):
    desk.set_speed("trolley", 30.0, page=1)
    run(desk, source, 0.0, 0.2)
    source.calls.clear()
    desk.set_speed("trolley", 0.0, page=1)
    run(desk, source, 0.2, 2.0)
    assert source.commands("trolley") == [0.0] * FAREWELLS


def test_page_that_leaves_stops_what_it_moved_and_nothing_else(desk, source):
    desk.set_speed("trolley", 30.0, page=1)
    desk.set_speed("slewing", 0.5, page=2)
    desk.drop(1)
    assert desk.speed("trolley") == 0.0 and desk.speed("slewing") == 0.5
    run(desk, source, 0.0, 0.1)
    assert source.commands("trolley")[0] == 0.0 and source.commands("slewing")[0] > 0.0


def test_axis_belongs_to_who_moved_it_last(desk):
    desk.set_speed("trolley", 30.0, page=1)
    desk.set_speed("trolley", -12.0, page=2)
    assert desk.axes_moved_by(1) == [] and desk.axes_moved_by(2) == ["trolley"]
    desk.drop(1)
    assert desk.speed("trolley") == -12.0


@pytest.mark.parametrize(
    "wanted, given", [(1e9, 60.0), (-1e9, -60.0), (math.nan, 0.0), (math.inf, 0.0)]
)
def test_speeds_stay_within_limits(desk, wanted, given):
    desk.set_speed("trolley", 5.0, page=1)
    desk.set_speed("trolley", wanted, page=1)
    assert desk.speed("trolley") == pytest.approx(given)


def test_emergency_stop_goes_first_and_returns_every_slider(desk, source):
    desk.pause(False)
    desk.set_speed("trolley", 30.0, page=1)
    desk.emergency_stop(True)
    desk.perform(source, 0.0)
    assert source.calls[0] == ("emergency_stop", True)
    assert desk.speed("trolley") == 0.0
    desk.emergency_stop(False)
    desk.perform(source, 0.01)
    assert ("emergency_stop", False) in source.calls


def test_the_last_of_stop_and_release_counts_however_soon(desk, source):
    for engaged in (False, True):
        desk.emergency_stop(engaged)
    desk.perform(source, 0.0)
    stops = [call for call in source.calls if call[0] == "emergency_stop"]
    assert stops == [("emergency_stop", False), ("emergency_stop", True)]


def test_an_engaged_emergency_stop_has_a_zero_sent_to_every_axis(desk, source, crane):
    desk.emergency_stop(True)
    desk.perform(source, 0.0)
    names = [call[1] for call in source.calls if call[0] == "command" and call[2] == 0.0]
    assert names == [axis.name for axis in crane.axes]
    for now in range(1, 9):
        desk.perform(source, float(now))
    desk.emergency_stop(False)
    desk.perform(source, 9.0)
    assert source.calls[-1] == ("emergency_stop", False), "the release sends none"


def test_clock_requests_go_through_in_order(desk, source):
    desk.pause(True)
    desk.step()
    desk.reset()
    desk.perform(source, 0.0)
    assert source.calls == [("pause", True), ("pause", True), ("step",), ("reset",)]


def test_failing_source_is_reported_and_tried_again(desk, source):
    source.broken = True
    desk.set_speed("trolley", 30.0, page=1)
    desk.perform(source, 0.0)
    assert naming("line cut").search(desk.problem)
    source.broken = False
    desk.perform(source, 1.0)
    assert desk.problem == "" and source.commands("trolley") == [0.5]


def test_a_refusal_stays_readable_while_an_axis_moves(desk, source):
    desk.set_speed("trolley", 30.0, page=1)
    desk.inject("sheave_seizure", "rope/1", 7.0)
    run(desk, source, 0.0, 4.0)
    assert naming("0 1 7").search(desk.problem) and len(source.commands("trolley")) > 50
    run(desk, source, 4.0, 2.0)
    assert desk.problem == ""


def test_code_opens_with_or_without_dashes_and_case():
    code = ControlCode("abcd-2345")
    assert code.opens("abcd-2345") and code.opens(" ABCD2345 ")
    for wrong in ("", "abcd-2346", "abcd", "abcd-23455", "ä" * 8):
        assert not code.opens(wrong)


def test_codes_differ_and_are_long_enough():
    codes = {ControlCode().text for _ in range(50)}
    assert len(codes) == 50 and all(len(code.replace("-", "")) == 8 for code in codes)


def test_short_code_is_refused():
    with pytest.raises(CableSimError, match="short"):
        ControlCode("1234")


def test_without_requirement_everybody_controls():
    assert ControlCode(required=False).opens("")
