"""Figures, states and curves say what the frame says."""

import dataclasses
import html
import re

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.cranes.parts.devices import Chart, Limiter, Quantity, Sensor
from cable_sim.machine.machine import Machine
from cable_sim.machine.states import STATES
from cable_sim.scenes.machines import load_machine
from cable_sim.sim.readings.colors import color_limits, tension_colors
from cable_sim.spec import Scene
from cable_sim.viewer import readouts
from cable_sim.viewer.events import Events
from cable_sim.viewer.plots import PERIOD, WINDOW, History, Plots

DIALS = ("tipping", "boom angle", "foot", "turning")


@pytest.mark.parametrize(
    "changes, age, word",
    [
        ({}, 0.1, "running"),
        ({}, 5.0, "no data"),
        ({"paused": True}, 5.0, "paused"),
        ({"emergency_stop": True, "paused": True}, 0.1, "EMERGENCY STOP"),
    ],
)
def test_state_in_a_word(frame_of, changes, age, word):
    assert readouts.status(frame_of(**changes), age).word == word


def test_waiting_and_problems_are_shown(frame_of):
    assert "waiting" in readouts.status(None, 9.0).word
    assert "cut" in readouts.status(None, 9.0, "the line is cut").detail
    assert "cut" in readouts.status(frame_of(), 0.1, "the line is cut").detail


@pytest.mark.parametrize(
    "factor, words",
    [
        (0.0, "0.0 s"),
        (0.98, "0.0 s, in real time"),
        (0.5, "0.0 s, 0.5 × real time: slow motion"),
        (12.0, "0.0 s, 12 × real time: time lapse"),
    ],
)
def test_pace_is_told_in_plain_words(frame_of, factor, words):
    assert readouts.status(frame_of(real_time_factor=factor), 0.1).detail == words


@pytest.mark.parametrize("name, sea", [("offshore_25t", True), ("sts_51t", False)])
def test_heights_are_above_what_is_below(name, sea):
    """A quay ends, and is ground all the same."""
    machine = Machine(load_crane(name))
    lines = readouts.readings(machine.crane, machine.frame(machine.observe()), None, 0.5)
    above = {line.name.partition(" above ")[2] for line in lines if " above " in line.name}
    assert above == {"sea" if sea else "ground"}


def test_instruments(crane, frame_of):
    lines = {line.name: line for line in readouts.readings(crane, frame_of(angle=-0.5), 0.0, 0.5)}
    assert lines["slewing angle"].value == "−28.6" and lines["slewing angle"].unit == "°"
    assert lines["radius"].value == "20.00"
    assert lines["block above ground"].value == "15.00"
    assert lines["load above ground"].value == "11.50"
    assert lines["rope tension"].value == "20.0"
    assert lines["sway tangential"].value == "−1.15"


@pytest.mark.parametrize(
    "tension, value, unit",
    [
        (2e4, "20.0", "kN"),
        (1e3, "1.0", "kN"),
        (999.0, "999.0", "N"),
        (0.4, "0.4", "N"),
        (0.0, "slack", ""),
    ],
)
def test_tensions_have_a_unit_that_fits(crane, frame_of, tension, value, unit):
    lines = readouts.readings(crane, frame_of(tension=tension), 0.0, 0.5)
    assert next(line for line in lines if line.name == "rope tension")[1:3] == (value, unit)


@pytest.mark.parametrize(
    "yaw, shown, cabled",
    [
        (0.0, "0.0", False),
        (1.57, "90.0", False),
        (-1.57, "−90.0", False),
        (1.58, "90.5", True),
        (-25.0, "−1432.4", True),
    ],
)
def test_a_block_that_has_turned_over_is_said_to_be_cabled(crane, frame_of, yaw, shown, cabled):
    lines = readouts.readings(crane, frame_of(hook_yaw=yaw), 0.0, 0.5)
    assert next(line for line in lines if line.name == "block yaw")[1:3] == (shown, "°")
    warnings = [line for line in lines if line.color == readouts.RED]
    assert [line.name for line in warnings] == (
        ["falls cross: the block is cabled"] if cabled else []
    )
    page = readouts.readings_html(lines)
    assert (f"color:{readouts.RED}" in page) == cabled
    assert not any("yaw" in line.name for line in readouts.readings(crane, frame_of(), 0.0, 0.5))


@pytest.mark.parametrize("share, color", [(0.5, ""), (0.95, readouts.AMBER), (1.01, readouts.RED)])
def test_load_and_its_share_of_the_capacity(crane, frame_of, share, color):
    read = {"load": 8020.0, "load_moment": share, "radius": 20.04, "wind.speed": 7.25}
    chart = Chart(q_max=9000.0, r_full=15.0, q0=0.0, r0=0.0, moment=135e3)
    moment = Quantity("load_moment", "chart_share", ("load", "radius"), chart=chart)
    crane = dataclasses.replace(crane, quantities=(moment,))
    lines = {
        line.name: line for line in readouts.readings(crane, frame_of(readings=read), 0.0, 0.5)
    }
    assert (lines["load"].value, lines["load"].unit) == ("8.02", "t")
    assert lines["utilisation at 20.0 m"][1:] == (f"{100 * share:.0f}", "%", color)
    assert lines["wind"].value == "7.2" and lines["wind"].unit == "m/s"


def test_dials_have_a_unit_and_the_colour_of_their_limiter(crane, frame_of):
    crane = dataclasses.replace(
        crane,
        sensors=(
            Sensor("boom_angle", "boom.inclination.x", 50.0),
            Sensor("foot", "trolley.effort", 50.0),
        ),
        quantities=(
            Quantity("side", "larger_share", ("foot", "boom_angle"), (1.0, -1.0)),
            Quantity("tipping", "largest", ("side",)),
            Quantity("turning", "rate", ("boom_angle",), window=1.0),
        ),
        limiters=(
            Limiter("tips", "tipping", 0.95, stop=1),
            Limiter("high", "boom_angle", 1.4, stop=1),
        ),
        dials=("tipping", "boom_angle", "foot", "turning"),
    )
    frame = frame_of(
        readings={"tipping": 0.874, "boom_angle": np.pi / 3, "foot": 98765.0},
        limits={"tips": "warning", "high": "ok"},
    )
    shown = [line for line in readouts.readings(crane, frame, 0.0, 0.5) if line.name in DIALS]
    assert shown == [
        ("tipping", "87", "%", readouts.AMBER),
        ("boom angle", "60.0", "°", ""),
        ("foot", "98.8", "kN", ""),
        ("turning", "–", "", ""),
    ]


def test_a_spreader_that_stands_on_something_has_no_load(crane, frame_of):
    read = {"load": -9800.0, "load.share": -0.19}
    lines = {
        line.name: line.value
        for line in readouts.readings(crane, frame_of(readings=read), 0.0, 0.5)
    }
    assert (lines["load"], lines["utilisation"]) == ("0.00", "0")


def test_a_crane_without_a_chart_shows_a_dash_for_dead_sensors(crane, frame_of):
    read = {"load": float("nan"), "load.share": float("nan")}
    lines = {
        line.name: line.value
        for line in readouts.readings(crane, frame_of(readings=read), 0.0, 0.5)
    }
    assert lines["load"] == lines["utilisation"] == "–" and "wind" not in lines


def test_limiters_and_faults_in_a_line():
    assert "<span" not in readouts.limits_html({})
    assert naming("limiters clear").search(
        readouts.limits_html({"load_limiter": "ok", "estop": "ok"})
    )
    page = readouts.limits_html(
        {"load_limiter": "tripped", "wind": "warning", "estop": "ok"}, ("drive_trip <b>",)
    )
    assert (
        f'{readouts.RED};color:#fff;border-radius:999px;padding:0 8px">load limiter: tripped'
        in page
    )
    assert f'{readouts.AMBER};color:#fff;border-radius:999px;padding:0 8px">wind: warning' in page
    assert (
        not naming("limiters clear").search(page)
        and "estop" not in page
        and "fault: drive trip &lt;b&gt;" in page
    )
    assert set(readouts.LIMIT_COLORS) == set(STATES) - {"ok"}


def test_slack_rope_and_standing_load(crane, frame_of):
    frame = frame_of(tension=0.0)
    frame.poses["load"] = (np.array([20.0, 0.0, 0.499]), frame.poses["load"][1])
    lines = {line.name: line.value for line in readouts.readings(crane, frame, 0.0, 0.5)}
    assert lines["rope tension"] == "slack" and lines["load above ground"] == "0.00"


def test_missing_parts_leave_their_line_out(crane, frame_of):
    frame = dataclasses.replace(frame_of(), poses={}, cables={}, axes={}, sway=None)
    assert readouts.readings(crane, frame, 0.0, 0.5) == []


def test_names_and_messages_are_escaped():
    page = readouts.status_html(
        "<b>crane", readouts.Status("a<b", "#fff", "x&y"), "<script>alert(1)</script>"
    )
    assert "<b>crane" not in page and "<script>" not in page and "&lt;script&gt;" in page
    assert "&lt;i&gt;" in readouts.readings_html([readouts.Reading("<i>", "1", "m")])


def test_events_are_new_messages_and_are_told_once(frame_of):
    events = Events()

    def take(now, *messages):
        events.take(frame_of(time=now, messages=messages), now)
        return events.newest(now)

    assert take(1.0) == ""
    assert take(2.0, "stop") == "2.0 s: stop"
    assert take(3.0, "stop", "late") == "3.0 s: late"
    assert take(20.0, "stop") == "", "what goes brings back nothing"
    assert take(21.0, "stop", "released") == "21.0 s: released"
    assert take(22.0, "stop", "released", "stop") == "22.0 s: stop", "the second stop"
    assert take(23.0, "released", "stop", "released") == "23.0 s: released", "the oldest is dropped"
    assert take(33.0, "released", "stop", "released") == ""


@pytest.mark.parametrize("note", ["", "a word", "a sentence of many words " * 20])
def test_boxes_are_as_high_with_a_note_as_without(note):
    state = readouts.Status("running", "#fff", note)
    page = readouts.status_html("crane", state, note)
    assert "height:2.5em;overflow-y:auto" in page and page.count("white-space:nowrap") == 2
    many = {f"limiter_{i}": "tripped" for i in range(len(note))}
    assert "height:2.9em;overflow-y:auto" in readouts.limits_html(many)


MACHINES = ("rope_crane", "tower_12t", "sts_51t", "nehe_rope", "two_towers", "lab_gantry")


@pytest.mark.parametrize("name", MACHINES)
def test_scale_of_tension_is_right_for_every_rope(name):
    """The colours of each rope end at its limit, and not before; all limits are in the range."""
    scene = load_machine(name).scene
    cables = scene.cables
    page = html.unescape(readouts.scale_html(scene))
    told = re.search(r">limit ([^<]*)</div></div>$", page)[1]
    hints = re.search('title="([^"]*)"', page)[1].split("; ")
    limits = []
    for cable, hint in zip(cables, hints, strict=True):
        end, reason = color_limits(scene)[cable.name]
        assert reason in told
        if "breaking" in reason:
            assert end == 0.25 * cable.breaking_force
        limits.append(newtons(hint.removeprefix(cable.name.replace("_", " ") + " ")))
        below, at = tension_colors([0.9 * limits[-1], 1.04 * limits[-1]], end)
        np.testing.assert_array_equal(at, tension_colors(1e9, 1.0)[0])
        assert np.abs(at - below).max() > 0.05
    ends = [newtons(end) for end in told.partition(",")[0].split(" to ")]
    assert (ends[0], ends[-1]) == (min(limits), max(limits))


def newtons(told):
    """Return a tension [N] from words such as ``116 N``."""
    number, unit = told.split()
    return float(number) * {"N": 1.0, "kN": 1e3}[unit]


def test_scale_of_tension_is_a_figure_where_one_holds_for_all():
    assert naming("limit 157 kN 25 % breaking force</div>").search(
        readouts.scale_html(load_machine("sts_51t").scene)
    )
    assert readouts.scale_html(Scene()) == ""


def test_history_keeps_the_last_minute(crane, frame_of):
    history = History(crane)
    assert [len(column) for column in history.columns("tension")] == [0, 0]
    for i in range(2000):
        history.add(frame_of(time=0.05 * i, tension=1e3 * i))
    past, tension = history.columns("tension")
    assert past[0] == pytest.approx(-WINDOW) and past[-1] == 0.0
    assert np.diff(past) == pytest.approx(PERIOD)
    assert tension[-1] == pytest.approx(1995.0) and (np.diff(tension) > 0.0).all()


def test_history_of_a_slow_source_is_no_longer(crane, frame_of):
    history = History(crane)
    for i in range(200):
        history.add(frame_of(time=0.7 * i))
    assert -WINDOW <= history.columns("tension")[0][0] < -WINDOW + 0.7


def test_clock_that_goes_back_starts_anew(crane, frame_of):
    history = History(crane)
    history.add(frame_of(time=50.0))
    assert history.add(frame_of(time=0.0)) and len(history.columns("radial")[0]) == 1
    assert not history.add(frame_of(time=0.1)), "too soon"


def test_curves_get_their_channels(crane, frame_of):
    charts = []

    class Gui:
        def add_uplot(self, data, series, **options):
            assert len(data) == len(series)
            charts.append(type("Chart", (), {"data": data})())
            return charts[-1]

    history = History(crane)
    plots = Plots(Gui(), history)
    history.add(frame_of(time=1.0))
    plots.update()
    assert all((chart.data[0] == [-PERIOD, 0.0]).all() for chart in charts), "one is no time axis"
    history.add(frame_of(time=2.0))
    plots.update()
    assert [len(chart.data) for chart in charts] == [2, 3, 2]
    assert charts[0].data[1] == pytest.approx([20.0, 20.0])
    charts.clear()
    Plots(Gui(), History(dataclasses.replace(crane, ropes=())))
    assert len(charts) == 2, "without ropes there is no chart of a tension"
