"""The rope in a hand on the page: its instruments, keys and views, a tube without corners, and
nothing of a crane."""

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.machine.pictures.frame import smooth
from cable_sim.rendering import bodies
from cable_sim.rendering import camera as look
from cable_sim.rendering.ropes import ROUNDING, Rope
from cable_sim.sim.readings.colors import SLACK_COLOR, color_limits
from cable_sim.spec import Cable
from cable_sim.viewer import readouts
from cable_sim.viewer.drawing import camera
from cable_sim.viewer.drawing.environment import PlumbLine
from cable_sim.viewer.drawing.ropes import Ropes, to_linear_light
from cable_sim.viewer.local import LocalSource
from cable_sim.viewer.operator_console import ControlCode, OperatorConsole
from cable_sim.viewer.page import Viewer
from cable_sim.viewer.panel import KEYS, Panel
from cable_sim.viewer.plots import History, Plots


@pytest.fixture(scope="module")
def hand():
    return load_crane("nehe_rope")


@pytest.fixture
def frame(hand):
    machine = Machine(hand)
    for _ in range(80):
        seen = machine.tick()
    return machine.frame(seen)


class Gui:
    """Collects what is added, by label."""

    def __init__(self) -> None:
        self.added: list[SimpleNamespace] = []

    def __getattr__(self, name: str):
        def add(*args, **kwargs):
            if name == "add_folder":
                return nullcontext()
            made = SimpleNamespace(
                kind=name, args=args, value=kwargs.get("initial_value", 0.0), listeners=[], **kwargs
            )
            for event in ("on_click", "on_update", "on_trigger"):
                setattr(made, event, made.listeners.append)
            self.added.append(made)
            return made

        if not name.startswith("add_"):
            raise AttributeError(name)
        return add


@pytest.fixture
def panel(hand, frame, api):
    eyes = SimpleNamespace(
        position=np.zeros(3), look_at=np.zeros(3), image_width=1300, image_height=1000
    )
    client = SimpleNamespace(client_id=3, gui=Gui(), camera=eyes, scene=api)
    rider = camera.Rider(eyes, hand, bodies.extent(hand.scene))
    controls = nullcontext()
    controls.order = 5.0
    folders, desk = {"camera": nullcontext(), "controls": controls}, OperatorConsole(hand)
    made = Panel(client, hand, desk, ControlCode("abcd-2345"), rider, True, folders, lambda: frame)
    return SimpleNamespace(panel=made, gui=client.gui, desk=desk, camera=eyes)


def act(element) -> None:
    asyncio.run(element.listeners[0](SimpleNamespace(client_id=3)))


def test_instruments_read_the_hand_and_newtons(hand, frame) -> None:
    lines = {line.name: line for line in readouts.readings(hand, frame, -1.5, 0.05)}
    assert list(lines) == ["hand x", "hand y", "hand z", "hand above ground", "rope tension"]
    assert lines["hand above ground"].value == "1.50" and lines["rope tension"].unit == "N"
    assert float(lines["rope tension"].value) == pytest.approx(
        frame.cables["rope"].tension[0], abs=0.06
    )
    assert "limit 116 N, 3 × the weight that moves</div>" in readouts.scale_html(hand.scene)


def test_a_rope_of_masses_is_red_at_some_times_its_own_weight(hand) -> None:
    (rope,) = hand.scene.cables
    assert color_limits(hand.scene)["rope"].tension == pytest.approx(3.0 * 3.95 * 9.81)
    strong = Cable(
        rope.name, rope.nodes, length=rope.length, lumped=rope.lumped, breaking_force=400.0
    )
    scene = replace(hand.scene, cables=(strong,))
    assert color_limits(scene)["rope"] == (100.0, "25 % of breaking force")


def test_views_show_the_whole_and_the_hand_but_no_cab(hand, frame, panel, crane) -> None:
    assert camera.views(hand) == ("overview", "hand")
    assert camera.views(crane) == ("overview", "block", "trolley", "cab")
    (group,) = [
        e for e in panel.gui.added if e.kind == "add_button_group" and e.args[0] == "Camera"
    ]
    group.value = "hand"
    act(group)
    scale = bodies.extent(hand.scene).scale
    assert panel.camera.look_at == pytest.approx(scale * frame.poses["hand"][0])


def test_the_first_view_has_x_right_y_away_and_the_whole_reach(hand) -> None:
    extent = bodies.extent(hand.scene)
    position, target = look.overview(extent, along=look.overview_direction(hand))
    forward = (target - position) / np.linalg.norm(target - position)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    assert forward[1] > 0.9 and right[0] / np.linalg.norm(right) > 0.98
    assert extent.ground == -1.5 and np.ptp(extent.corners[:, 1]) >= 6.0


def test_keys_move_the_hand_and_not_the_camera(panel) -> None:
    keys = {e.hotkey: e for e in panel.gui.added if e.kind == "add_command"}
    assert set(keys) == {
        *("arrowright", "arrowleft", "arrowup", "arrowdown"),
        *("home", "end", "space", "escape"),
    }
    for key, axis, sense in (("arrowright", "x", 1), ("arrowdown", "y", -1), ("home", "z", 1)):
        act(keys[key])
        assert panel.desk.speed(axis) == pytest.approx(sense * 0.6)
    act(keys["end"])
    assert panel.desk.speed("z") == 0.0
    act(keys["space"])
    assert [panel.desk.speed(axis) for axis in "xyz"] == [0.0] * 3


def test_every_axis_has_a_slider_in_metres_per_second(panel, hand) -> None:
    sliders = {e.args[0]: e.args[1:3] for e in panel.gui.added if e.kind == "add_slider"}
    assert sliders == {f"{axis} [m/s]": (-3.0, 3.0) for axis in "XYZ"}
    assert {axis.name for axis in hand.axes} <= set(KEYS)


def test_there_are_curves_of_tension_and_height_and_none_of_sway(hand, frame, crane) -> None:
    history, gui = History(hand), Gui()
    history.add(frame)
    Plots(gui, history)
    assert [chart.title for chart in gui.added] == ["rope tension [N]", "hand z [m]"]
    _, tension, height = history.columns("tension", "hoist")
    assert tension[-1] == frame.cables["rope"].tension[0] and height[-1] == frame.axes["z"].position
    gui = Gui()
    Plots(gui, History(crane))
    assert [chart.title[:4] for chart in gui.added] == ["rope", "sway", "hook"]


def test_a_rounded_line_goes_through_its_points_without_corners() -> None:
    """A circle of twelve points: pieces turn by 10 degrees instead of 30, and stay on it within
    half a per cent."""
    angle = np.linspace(0.0, 2.0 * np.pi, 13)
    points = np.column_stack([np.cos(angle), np.sin(angle), 0.1 * angle])
    line = smooth(points, 3)
    assert len(line) == 37
    np.testing.assert_allclose(line[::3], points, atol=1e-12)
    inner = line[3:-3, :2]
    assert np.abs(np.linalg.norm(inner, axis=1) - 1.0).max() < 5e-3
    ways = np.diff(inner, axis=0)
    turns = np.abs(np.diff(np.unwrap(np.arctan2(ways[:, 1], ways[:, 0]))))
    assert np.degrees(turns).max() < 13.0
    np.testing.assert_allclose(
        smooth(points[[0, 1]], 4), np.linspace(points[0], points[1], 5), atol=1e-12
    )


def test_the_rope_tube_passes_all_masses_coloured_by_tension(hand, frame, api) -> None:
    rope = Rope(hand.scene.cables[0])
    points, tension, *_ = rope.line(frame.cables["rope"], frame.poses)
    assert len(points) == 79 * ROUNDING + 1 == len(tension) + 1
    np.testing.assert_allclose(points[::ROUNDING], frame.cables["rope"].points, atol=1e-12)
    np.testing.assert_array_equal(tension[::ROUNDING], frame.cables["rope"].tension)
    ropes = Ropes(api, hand.scene, bodies.extent(hand.scene))
    assert ropes.update(frame)
    colors = api.nodes["/ropes"].batched_colors
    assert len(colors) == 79 * ROUNDING and len(np.unique(colors, axis=0)) > 15
    pushed = tension <= 0.0
    assert pushed.any() and (colors[pushed] == to_linear_light(np.array([SLACK_COLOR]))).all()


def test_a_plumb_line_hangs_below_the_hand(hand, frame, api) -> None:
    line = PlumbLine(api, hand.scene, hand.watched, bodies.extent(hand.scene))
    line.update(frame)
    assert api.nodes["/plumb/line"].batched_scales[0, 2] == pytest.approx(
        bodies.extent(hand.scene).scale * 1.45
    )


def test_the_page_of_a_hand_runs_and_obeys(hand) -> None:
    """The real viewer on the real machine: its desk moves the hand, and the frames show it."""
    source = LocalSource(Machine(hand))
    viewer = Viewer(hand, source, port=0, token="abcd-2345")
    viewer.start()
    try:
        viewer.desk.set_speed("x", -2.0, 1)
        end = 200
        while end and not ((now := source.latest()) and now.axes["x"].position < -0.5):
            viewer._ending.wait(0.05)
            end -= 1
        assert end and viewer.desk.problem == ""
    finally:
        viewer.stop()
