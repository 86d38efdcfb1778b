"""A page's panel: nothing to act with before the code, and every element does what its label
says."""

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest
from messages import naming

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.parts.devices import Limiter
from cable_sim.machine.faults import Fault
from cable_sim.rendering.bodies import extent
from cable_sim.spec import Anchor, Box, Cable, Collision, Hybrid, Obstacle, Sheave
from cable_sim.viewer.drawing.camera import Rider
from cable_sim.viewer.drawing.styles import SHEET
from cable_sim.viewer.operator_console import ControlCode, OperatorConsole
from cable_sim.viewer.panel import Panel, direction_hint, slider_step


class Element:
    """An element of a page: its label, its value, and who listens."""

    def __init__(self, kind: str, args: tuple, kwargs: dict) -> None:
        self.kind, self.label, self.args, self.kwargs = kind, args[0], args, kwargs
        self.value = args[4] if kind == "add_slider" else kwargs.get("initial_value", "")
        self.removed = False
        self._listeners: list = []

    def remove(self) -> None:
        self.removed = True

    def __enter__(self) -> "Element":
        return self

    def __exit__(self, *_) -> None:
        pass

    def __getattr__(self, name: str):
        if name not in ("on_click", "on_update", "on_trigger"):
            raise AttributeError(name)
        return self._listeners.append

    def act(self, value=None, client_id: int | None = 7) -> None:
        """What the page does when a user touches the element."""
        if value is not None:
            self.value = value
        for listener in self._listeners:
            asyncio.run(listener(SimpleNamespace(client_id=client_id)))


class Gui:
    """Collects the elements that a panel adds."""

    def __init__(self) -> None:
        self.all: list[Element] = []

    def __getattr__(self, name: str):
        if not name.startswith("add_"):
            raise AttributeError(name)

        def add(*args, **kwargs) -> Element:
            self.all.append(Element(name, args, kwargs))
            return self.all[-1]

        return add

    def find(self, label: str, kind: str = "") -> Element:
        """The element that is there with that label, or that offers it as an option."""
        for element in self.all:
            options = element.args[1] if element.kind == "add_button_group" else ()
            if (
                not element.removed
                and kind in element.kind
                and (label in str(element.label) or label in options)
            ):
                return element
        raise KeyError(label)

    def kinds(self) -> set[str]:
        return {element.kind for element in self.all if not element.removed}


class Folder(nullcontext):
    """Folder with a place on the page."""

    order = 5.0


@pytest.fixture
def desk(crane):
    return OperatorConsole(crane)


@pytest.fixture
def make_panel(crane, desk, api, frame_of):
    def make(
        opened: bool = False, page: int = 7, crane: Crane = crane, legend: str = ""
    ) -> tuple[Panel, Gui]:
        camera = SimpleNamespace(position=None, look_at=None, image_width=1200, image_height=1000)
        client = SimpleNamespace(client_id=page, gui=Gui(), scene=api, camera=camera)
        rider = Rider(camera, crane, extent(crane.scene))
        folders = {"camera": nullcontext(), "controls": Folder()}
        panel = Panel(
            client, crane, desk, ControlCode("abcd-2345"), rider, opened, folders, frame_of, legend
        )
        return panel, client.gui

    return make


def test_page_without_the_code_has_nothing_to_act_with(make_panel, desk):
    panel, gui = make_panel()
    assert not panel.armed
    assert gui.kinds() == {"add_button_group", "add_checkbox", "add_markdown", "add_text"}
    assert gui.find("overview").label == "Camera"


def test_wrong_code_opens_nothing_and_the_right_one_does(make_panel):
    panel, gui = make_panel()
    field = gui.find("control code")
    answer = [element for element in gui.all if element.kind == "add_markdown"][-1]
    field.act("abc")
    assert not panel.armed and naming("3").search(answer.content)
    field.act("abcd-2346")
    assert not panel.armed and "Wrong code" in answer.content
    field.act("")
    assert answer.content == ""
    field.act("abcd-2345")
    assert panel.armed and field.removed
    assert {"add_slider", "add_button", "add_command"} <= gui.kinds()
    field.act("abcd-2345")
    assert sum(element.kind == "add_slider" for element in gui.all) == 3, "opened once"


def test_slider_moves_its_axis_in_trade_units(make_panel, desk):
    panel, gui = make_panel(opened=True)
    gui.find("Trolley", "slider").act(24.0)
    assert desk.speed("trolley") == 24.0 and desk.axes_moved_by(panel.page) == ["trolley"]
    assert gui.find("Trolley", "slider").args[1:3] == (-60.0, 60.0)
    assert gui.find("Hoist", "slider").kwargs["hint"].startswith("−")


def test_stop_button_springs_the_slider_back(make_panel, desk):
    panel, gui = make_panel(opened=True)
    gui.find("Trolley", "slider").act(24.0)
    gui.find("stop trolley").act("stop trolley")
    assert desk.speed("trolley") == 0.0
    panel.follow_desk()
    assert gui.find("Trolley", "slider").value == 0.0


def test_slider_set_by_the_program_is_no_wish(make_panel, desk):
    _, gui = make_panel(opened=True)
    gui.find("Trolley", "slider").act(24.0, client_id=None)
    assert desk.speed("trolley") == 0.0


def test_other_pages_follow(make_panel, desk):
    _, one = make_panel(opened=True, page=1)
    second, two = make_panel(opened=True, page=2)
    one.find("Trolley", "slider").act(24.0)
    second.follow_desk()
    assert two.find("Trolley", "slider").value == 24.0


def test_slider_under_way_is_not_set_back(make_panel, desk):
    panel, gui = make_panel(opened=True)
    slider = gui.find("Trolley", "slider")
    slider.value = 24.0  # the page has reported it, the desk has not heard yet
    panel.follow_desk()
    assert slider.value == 24.0


def test_emergency_stop_is_above_the_folder_of_the_controls(make_panel):
    _, gui = make_panel(opened=True)
    stop = gui.find("EMERGENCY STOP", "add_button")
    assert stop.kwargs["order"] < Folder.order
    # by this its style finds it, which keeps it at the top of its panel
    assert f'svg[class*="{stop.kwargs["icon"]}"]' in SHEET and "sticky" in SHEET


def test_emergency_stop_and_release_are_two_states(make_panel, desk, source):
    _, gui = make_panel(opened=True)
    gui.find("EMERGENCY STOP", "button").act()
    gui.find("EMERGENCY STOP", "button").act()
    desk.perform(source, 0.0)
    gui.find("release emergency stop").act("release emergency stop")
    desk.perform(source, 1.0)
    assert [call for call in source.calls if call[0] == "emergency_stop"] == [
        ("emergency_stop", True),
        ("emergency_stop", True),
        ("emergency_stop", False),
    ]


@pytest.mark.parametrize(
    "button, call",
    [
        ("pause", ("pause", True)),
        ("resume", ("pause", False)),
        ("step", ("step",)),
        ("reset", ("reset",)),
    ],
)
def test_clock_buttons(make_panel, desk, source, button, call):
    _, gui = make_panel(opened=True)
    gui.find(button).act(button)
    desk.perform(source, 0.0)
    assert call in source.calls


def test_latched_limiters_are_reset_where_there_are_limiters(make_panel, desk, crane, source):
    limited = replace(crane, limiters=(Limiter("load_limiter", "load", 1.0, stop=1),))
    _, gui = make_panel(opened=True, crane=limited)
    gui.find("reset limiters").act("reset limiters")
    desk.perform(source, 0.0)
    assert source.calls == [("reset_limiters",)]
    _, plain = make_panel(opened=True, page=8)
    with pytest.raises(KeyError):
        plain.find("reset limiters")


@pytest.fixture
def lossy(crane):
    """The crane with losses in its sheaves."""
    rope, *others = crane.scene.cables
    nodes = tuple(replace(n, efficiency=0.98) if isinstance(n, Sheave) else n for n in rope.nodes)
    return replace(crane, scene=replace(crane.scene, cables=(replace(rope, nodes=nodes), *others)))


def test_faults_are_chosen_by_kind_and_target(make_panel, desk, source, lossy):
    """A kind brings its targets and its usual value; one that this crane has no part for is not
    offered."""
    _, gui = make_panel(opened=True, crane=lossy)
    kind = gui.find("kind")
    meaning = [element for element in gui.all if element.kind == "add_markdown"][-1]
    sheave = gui.find("sheave")
    rope = gui.find("rope")
    value = gui.find("value")
    assert "rope_break" in kind.args[1] and "sensor_dead" not in kind.args[1]
    kind.act("sheave_seizure")
    assert (
        sheave.args[1] == ("rope/1", "rope/2", "rope/3")
        and sheave.visible
        and not (rope.visible or value.disabled)
    )
    assert meaning.content == "*value:* remaining efficiency [-]"
    sheave.act("rope/2")
    value.act(0.3)
    gui.find("inject").act("inject")
    kind.act("rope_break")
    assert rope.value == "rope" and rope.visible and not sheave.visible and value.disabled
    gui.find("inject").act("inject")
    assert "value" in meaning.content
    kind.act("power_loss")
    gui.find("inject").act("inject")
    gui.find("clear faults").act("clear faults")
    desk.perform(source, 0.0)
    assert source.calls == [
        ("inject", Fault("sheave_seizure", "rope/2", 0.3)),
        ("inject", Fault("rope_break", "rope")),
        ("inject", Fault("power_loss")),
        ("clear_faults",),
    ]


def test_a_fault_that_cannot_be_is_told_and_nothing_comes(make_panel, desk, source, lossy):
    _, gui = make_panel(opened=True, crane=lossy)
    gui.find("kind").act("sheave_seizure")
    gui.find("value").act(7.0)
    gui.find("inject").act("inject")
    desk.perform(source, 0.0)
    assert source.calls == [] and naming("0 1 7").search(desk.problem)


def test_keys_move_by_notches_and_stop_at_zero(make_panel, desk):
    _, gui = make_panel(opened=True)
    for expected in (12.0, 24.0):
        gui.find("trolley +", "command").act()
        assert desk.speed("trolley") == pytest.approx(expected)
    gui.find("trolley -", "command").act()
    assert desk.speed("trolley") == pytest.approx(12.0)
    gui.find("trolley -", "command").act()
    assert desk.speed("trolley") == 0.0
    for _ in range(9):
        gui.find("trolley -", "command").act()
    assert desk.speed("trolley") == pytest.approx(-60.0)
    gui.find("all axes stop", "command").act()
    assert desk.speed("trolley") == 0.0
    keys = [element.kwargs["hotkey"] for element in gui.all if element.kind == "add_command"]
    assert len(set(keys)) == len(keys) and "space" in keys


def test_camera_buttons_are_free(make_panel):
    panel, gui = make_panel()
    gui.find("block").act("block")
    assert panel.rider.view == "block" and panel.client.camera.position is not None


@pytest.mark.parametrize("hybrid, shown", [(Hybrid(density=1.0), True), (None, False)])
def test_nodes_of_wires_have_a_box_that_closes_one_pages_eyes(
    make_panel, api, crane, hybrid, shown
):
    """On where there are hybrid wires, off where cables have contact nodes alone; free, as all
    looking is."""
    ends = (Anchor("world"), Anchor("world", (9.0, 0.0, 0.0)))
    block = Obstacle("block", Box(1.0, 1.0, 1.0))
    cable = Cable("wire", ends, ea=1e6, length=9.1, touches=("block",), hybrid=hybrid)
    scene = replace(crane.scene, cables=(cable,), obstacles=(block,))
    _, gui = make_panel(crane=replace(crane, scene=scene))
    around, box = api.nodes["/wire_nodes"], gui.find("wire nodes", "checkbox")
    assert around.visible is shown and box.args[1] is shown and not around.show_axes
    box.act(not shown)
    assert around.visible is not shown


def test_cables_without_such_nodes_have_no_box(make_panel, api):
    _, gui = make_panel()
    assert "wire nodes" not in [element.label for element in gui.all] and [*api.nodes] == [
        "/labels"
    ]


def test_forces_of_contact_are_hidden_until_a_page_wants_them(make_panel, api, crane):
    scene = replace(crane.scene, contacts=(), collision=Collision())
    _, gui = make_panel(crane=replace(crane, scene=scene), legend="1 m = 20 kN")
    around = api.nodes["/contact_forces"]
    assert not around.visible
    scale = "1 m = 20 kN".replace(" ", "\N{NO-BREAK SPACE}")
    gui.find(f"contact forces, {scale}", "checkbox").act(True)
    assert around.visible


def test_labels_are_hidden_until_a_page_wants_them(make_panel, api):
    _, gui = make_panel()
    around = api.nodes["/labels"]
    assert not around.visible
    for shown in (True, False):
        gui.find("labels").act(shown)
        assert around.visible == shown


@pytest.mark.parametrize(
    "limit, step", [(60.0, 1.0), (80.0, 2.0), (0.7, 0.01), (53.8, 1.0), (1.0, 0.02)]
)
def test_slider_steps_are_round(limit, step):
    assert slider_step(limit) == pytest.approx(step)


def test_marks_are_the_limit_and_not_the_next_whole_step(make_panel):
    _, gui = make_panel(opened=True)
    slider = gui.find("Slewing", "slider")
    assert slider.args[2] == pytest.approx(0.77)
    assert [text for _, text in slider.kwargs["marks"]] == ["−0.76", "0", "+0.76"]


def test_hint_names_the_positive_direction(crane):
    assert naming("+ anticlockwise above").search(direction_hint(crane.axis("slewing")))
