"""One client's controls: the code field, then sliders, buttons and keys that command the desk.

Every client has its own panel, so that a page without the code holds no element that could act.
Sliders of all pages show the desk: moving one takes the axis over, and the others follow.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.cranes.operator_levers import find_levers
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering.ground import round_down
from cable_sim.viewer.drawing import contact_forces, drawing, labels, wire_nodes
from cable_sim.viewer.drawing.camera import Rider, views
from cable_sim.viewer.fault_box import FaultBox
from cable_sim.viewer.operator_console import ControlCode, OperatorConsole, refusal, trade_limit

KEYS = {
    "slewing": ("J", "L"),
    "trolley": ("I", "K"),
    "hoist": ("R", "F"),
    "gantry": ("U", "O"),
    "luffing": ("T", "G"),
    "x": ("arrowright", "arrowleft"),
    "y": ("arrowup", "arrowdown"),
    "z": ("home", "end"),
}
"""Keys that raise and lower the speed of an axis by a notch, in trade terms. Others move the page's
camera: its library moves it with W, A, S, D, Q and E, and turns it with the arrows unless a hand
has them."""
SIGNS = {"arrowright": "→", "arrowleft": "←", "arrowup": "↑", "arrowdown": "↓"}
"""Signs of keys in the hint."""
NO_CAMERA_ARROWS = """<img src="data:," style="display: none" onerror="
document.documentElement.addEventListener('keydown', (event) => {
if (event.key.startsWith('Arrow')) event.stopPropagation(); })">"""
"""Keeps the arrow keys from the camera.

viser has no setting for that. Its commands listen at the root of the page, and its camera at the
document, which an event reaches later.
"""
LEVER_KEYS = {"sideways": ("J", "L"), "outward": ("I", "K"), "up": ("R", "F")}
"""Keys of axes with names of their own, by the lever that moves them."""
NO_BREAK = "\N{NO-BREAK SPACE}"
STOP_LABELS = {False: "EMERGENCY STOP", True: "EMERGENCY STOP IS ENGAGED"}
"""Labels of the stop button by its state; it is dark instead of red while it is engaged."""
NOTCHES = 5
"""Notches from standstill to full speed, as on a crane driver's controller."""


class Panel:
    """The elements of one client.

    Parameters
    ----------
    client: of viser.
    desk: receiver of the commands.
    code: code that unlocks the controls.
    opened: whether the client came with the code in its address.
    folders: of the viser server, by name: ``camera`` and ``controls``; they set the order on the
        page.
    latest: returns the newest frame.
    legend: scale of the arrows of contact forces.
    pulls: whether dragged bodies are pulled at.
    """

    def __init__(
        self,
        client: Any,
        crane: Crane,
        desk: OperatorConsole,
        code: ControlCode,
        rider: Rider,
        opened: bool,
        folders: dict[str, Any],
        latest: Callable[[], Frame | None],
        legend: str = "",
        pulls: bool = False,
    ) -> None:
        self.client = client
        self.rider = rider
        self.page = int(client.client_id)
        self._crane = crane
        self._desk = desk
        self._code = code
        self._latest = latest
        self._pulls = pulls
        self._folder = folders["controls"]
        self._sliders: dict[str, Any] = {}
        self._known: dict[str, float] = {}
        self._locked: list[Any] = []
        self._opened = False
        self._stop: Any = None
        with folders["camera"]:
            self._camera_buttons()
            self._wire_nodes_box()
            self._visibility_boxes(legend)
        if opened or not code.required:
            self._open()
        else:
            self._ask()

    def _visibility_boxes(self, legend: str) -> None:
        """Add the boxes that show labels, contact shapes and forces; the legend is the forces'."""
        self._eye(labels.FOLDER, "labels", False, "names of the bodies, width of the grid")
        if self._crane.scene.collision:
            self._eye(drawing.SHAPES, "contact shapes", False, "with which all touches all")
            forces = f"contact forces, {legend.replace(' ', NO_BREAK)}"
            self._eye(contact_forces.FOLDER, forces, False, "normal forces red, friction blue")

    @property
    def armed(self) -> bool:
        """Return True if this page may control."""
        return self._opened

    def follow_desk(self) -> None:
        """Show the desk's speeds and the emergency stop, which other pages and keys change, too."""
        frame = self._latest()
        if self._stop is not None and frame is not None:
            self._stop.label = STOP_LABELS[frame.emergency_stop]
            self._stop.color = "dark" if frame.emergency_stop else "red"
        for name, slider in self._sliders.items():
            speed = self._desk.speed(name)
            # Compared with what this page knows, not with the slider: that may just be under way to
            # the desk.
            if speed != self._known.get(name, 0.0):
                self._known[name] = speed
                slider.value = speed

    def _camera_buttons(self) -> None:
        """Add the views as a row of buttons."""
        group = self.client.gui.add_button_group("Camera", views(self._crane))

        @group.on_click
        async def _(_: Any) -> None:
            self.rider.choose(group.value, self._latest())

    def _wire_nodes_box(self) -> None:
        """Add a checkbox for the masses and contact nodes of cables, if any cable has them."""
        cables = [cable for cable in self._crane.scene.cables if cable.shows_nodes]
        if not cables:
            return
        shown = any(cable.model.adaptive for cable in cables)
        hint = "masses white, contact nodes purple, larger where friction holds the rope"
        self._eye(wire_nodes.FOLDER, "wire nodes", shown, hint)

    def _eye(self, folder: str, title: str, shown: bool, hint: str) -> None:
        """Add a checkbox that shows or hides on this page what is below a node of the scene.

        Pages share it, but each has a frame of its own around it.
        """
        around = self.client.scene.add_frame(folder, show_axes=False, visible=shown)
        box = self.client.gui.add_checkbox(title, shown, hint=hint)

        @box.on_update
        async def _(_: Any) -> None:
            around.visible = box.value

    def _ask(self) -> None:
        """Add the field for the control code."""
        gui = self.client.gui
        with self._folder:
            note = gui.add_markdown(
                "Anyone can watch. To **control** the crane, enter the code that the terminal "
                "shows."
            )
            field = gui.add_text("control code", "")
            answer = gui.add_markdown("")
        self._locked = [note, field, answer]

        @field.on_update
        async def _(_: Any) -> None:
            if not self._locked:
                return
            if self._code.opens(field.value):
                self._open()
            else:
                answer.content = refusal(field.value)

    def _open(self) -> None:
        """Replace the field by the controls."""
        for element in self._locked:
            element.remove()
        self._locked = []
        self._opened = True
        if self._crane.axes:
            self._stop_button()
        with self._folder:
            if self._crane.axes:
                self._release_buttons()
                for axis in self._crane.axes:
                    self._axis(axis)
            self._clock_buttons()
            if self._crane.axes:
                self._keys()
                FaultBox(self.client.gui, self._crane, self._desk)
            if self._pulls:
                self.client.gui.add_markdown("Hold **Ctrl** and drag a body to pull at it.")

    def _stop_button(self) -> None:
        """Add the stop above all folders, where it stays in sight; another button releases it.

        There is one per state, so that pages do not undo each other.
        """
        gui = self.client.gui
        stop = gui.add_button(
            STOP_LABELS[False],
            color="red",
            icon="hand-stop",
            hint="closes every brake at once",
            order=self._folder.order - 0.5,
        )
        self._stop = stop

        @stop.on_click
        async def _(_: Any) -> None:
            self._desk.emergency_stop(True)

    def _release_buttons(self) -> None:
        """Add the buttons that release the emergency stop and limiters, and that stop all axes."""
        actions = {
            "release emergency stop": lambda: self._desk.emergency_stop(False),
            "all axes stop": self._desk.stop,
        }
        if self._crane.limiters:
            actions["reset limiters"] = self._desk.reset_limiters
        self._buttons("", actions)

    def _axis(self, axis: Axis) -> None:
        """Add a slider in trade units, and a button that returns it to zero."""
        gui = self.client.gui
        speed = self._desk.speed(axis.name)
        step = slider_step(trade_limit(axis))
        # Whole steps, up to beyond the limit: the desk clamps to it.
        end = step * math.ceil(trade_limit(axis) / step - 1e-6)
        title = f"{_words(axis).capitalize()} [{axis.trade_unit}]"
        limit = f"{round(trade_limit(axis), 1 if end > 10.0 else 2):g}"
        marks = ((-end, f"−{limit}"), (0.0, "0"), (end, f"+{limit}"))
        slider = gui.add_slider(
            title, -end, end, step, speed, marks=marks, hint=direction_hint(axis)
        )
        self._sliders[axis.name] = slider
        self._known[axis.name] = speed

        @slider.on_update
        async def _(event: Any) -> None:
            # Without a client the change came from follow_desk.
            if event.client_id is not None:
                self._desk.set_speed(axis.name, slider.value, self.page)
                self._known[axis.name] = self._desk.speed(axis.name)

        stop = partial(self._desk.set_speed, axis.name, 0.0, self.page)
        self._buttons("", {f"stop {_words(axis)}": stop})

    def _buttons(self, title: str, actions: dict[str, Callable[[], None]]) -> None:
        """Add a row of buttons."""
        group = self.client.gui.add_button_group(title, tuple(actions))

        @group.on_click
        async def _(_: Any) -> None:
            actions[group.value]()

    def _clock_buttons(self) -> None:
        """Add the buttons pause, resume, step and reset."""
        actions = {
            "pause": lambda: self._desk.pause(True),
            "resume": lambda: self._desk.pause(False),
            "step": self._desk.step,
            "reset": self._desk.reset,
        }
        self._buttons("Clock", actions)

    def _keys(self) -> None:
        """Add keys as notches of a controller, with a hint."""
        hints = []
        keys = keys_of(self._crane)
        for axis in self._crane.axes:
            if axis.name in keys:
                up, down = keys[axis.name]
                step = slider_step(trade_limit(axis))
                notch = step * round(trade_limit(axis) / NOTCHES / step)
                self._command(f"{axis.name} +", up, partial(self._nudge, axis, notch))
                self._command(f"{axis.name} -", down, partial(self._nudge, axis, -notch))
                signs = (SIGNS.get(key, key) for key in (up, down))
                hints.append(f"**{'**/**'.join(signs)}** {axis.name}")
        if any(up in SIGNS for up, _ in keys.values()):
            self.client.gui.add_html(NO_CAMERA_ARROWS)
        self._command("all axes stop", "space", self._desk.stop)
        self._command("EMERGENCY STOP", "escape", lambda: self._desk.emergency_stop(True))
        hints += ["**space** all stop", "**esc** emergency stop"]
        self.client.gui.add_markdown("Keys (one lever notch per press): " + " · ".join(hints))

    def _nudge(self, axis: Axis, notch: float) -> None:
        """Move an axis by one notch; one against the motion stops at zero first, like a lever."""
        speed = self._desk.speed(axis.name)
        wanted = abs(notch) * round(speed / abs(notch)) + notch
        self._desk.set_speed(axis.name, 0.0 if speed * wanted < 0.0 else wanted, self.page)

    def _command(self, label: str, key: Any, action: Callable[[], None]) -> None:
        """Bind a key to an action of the desk."""
        command = self.client.gui.add_command(label, hotkey=key)

        @command.on_trigger
        async def _(_: Any) -> None:
            action()


def keys_of(crane: Crane) -> dict[str, tuple[str, str]]:
    """Return the keys that raise and lower the speeds of a crane's axes, in trade terms."""
    own = {
        lever.axis.name: LEVER_KEYS[name] if lever.sense > 0 else LEVER_KEYS[name][::-1]
        for name, lever in find_levers(crane).items()
    }
    names = [axis.name for axis in crane.axes]
    return {name: KEYS.get(name) or own[name] for name in names if name in KEYS or name in own}


def _words(axis: Axis) -> str:
    """Return the axis' name in words."""
    return axis.name.replace("_", " ")


def slider_step(limit: float) -> float:
    """Return a round step, 1, 2 or 5 times a power of ten, at least 40 of which make the limit."""
    return round_down(limit / 40.0)


def direction_hint(axis: Axis) -> str:
    """Return the positive direction of an axis in the operator's words."""
    return f"{'+' if axis.trade_factor > 0.0 else '−'} is {axis.positive}"
