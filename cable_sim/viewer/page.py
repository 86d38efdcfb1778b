"""The page: it serves one crane to any number of browsers and sends their commands to its source.

One thread sends the commands, and has the rest done by the thread of the web sockets: newest frame,
scene, readouts. That thread alone may wake what waits there to be sent. viser keeps only the newest
value of each such element. So a slow browser skips frames and delays nobody.
"""

import asyncio
import contextlib
import logging
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import FrameType
from typing import Any, TypeVar
from urllib.parse import quote

import numpy as np
import rich
import viser

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, one_line
from cable_sim.machine.pictures.extents import half_height
from cable_sim.machine.pictures.frame import Frame, Source
from cable_sim.network import is_loopback
from cable_sim.rendering import bodies
from cable_sim.rendering.camera import FIELD
from cable_sim.rendering.contact_arrows import ContactArrows
from cable_sim.viewer import readouts
from cable_sim.viewer.drawing import camera, drawing, environment, styles
from cable_sim.viewer.drawing.contact_forces import ContactForces
from cable_sim.viewer.drawing.labels import Labels
from cable_sim.viewer.drawing.ropes import Outlines, Ropes
from cable_sim.viewer.drawing.scale_figures import frame_person
from cable_sim.viewer.drawing.wire_nodes import WireNodes
from cable_sim.viewer.events import Events
from cable_sim.viewer.hand import HandLine
from cable_sim.viewer.http_auth import code_of, guard_sockets
from cable_sim.viewer.operator_console import ControlCode, OperatorConsole
from cable_sim.viewer.panel import Panel
from cable_sim.viewer.plots import Curve, History, Plots

LOG = logging.getLogger(__name__)
T = TypeVar("T")
RATE = 25.0
"""Frames drawn per second, and turns of the loop; commands go out every other turn."""
TEXT_PERIOD = 0.2
"""Time between updates of figures and curves [s], long enough to read them."""
IDLE_PERIOD = 0.2
"""Time between turns of the loop without any page [s]."""
ANSWER_TIME = 3.0
"""Time [s] after which a page that moves an axis and does not answer counts as lost.

That includes a page in a hidden tab, which browsers suspend. An operator who does not see the crane
shall not move it.
"""


class Server(viser.ViserServer):
    """viser's server without its offer that pages publish themselves through an internet tunnel."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Refuse to share the page."""
        return None


class Viewer:
    """A crane in the browser.

    Parameters
    ----------
    crane: what to draw and which axes there are.
    source: where frames come from and commands go to; the viewer closes it when it stops.
    host, port: address of the server; port 0 takes a free one.
    token: the control code; left out, a new random one.
    require_token: False lets every page control. It is refused for hosts beyond this machine, from
        which nobody may even watch without the code.
    rate: largest number of frames per second.
    curves: charts of readings of the frames; without any, the usual ones of a crane.
    extent: region that the first view shows; left out, that of the crane as it stands.
    in_notebook: True lets a notebook of this machine show the page in a frame.

    Raises CableSimError if a host beyond loopback shall do without a code, or the port is taken.
    """

    def __init__(
        self,
        crane: Crane,
        source: Source,
        host: str = "127.0.0.1",
        port: int = 8080,
        token: str | None = None,
        require_token: bool = True,
        rate: float = RATE,
        curves: tuple[Curve, ...] = (),
        extent: bodies.Extent | None = None,
        in_notebook: bool = False,
    ) -> None:
        if not require_token and not is_loopback(host):
            raise CableSimError(
                f"host {host!r} is open to other machines: controls need a code there"
            )
        self.crane = crane
        self.source = source
        self.host = host
        self.rate = rate
        self._in_notebook = in_notebook
        self._curves = curves
        self._extent = frame_person(crane, extent or bodies.crane_extent(crane))
        self.code = ControlCode(token, require_token)
        self._guarded, self._quoted = not is_loopback(host), quote(self.code.text, safe="")
        self.desk = OperatorConsole(crane)
        self._wanted_port = port
        self._panels: dict[int, Panel] = {}
        self._frame: Frame | None = None
        self._arrived = time.monotonic()
        self._events = Events()
        self._unseen = True
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._next_text = 0.0
        self._failure: Exception | None = None
        self._checks = ThreadPoolExecutor(max_workers=2, thread_name_prefix="viewer-answer")
        self._asked: dict[int, float] = {}
        self._interrupted = False

    @property
    def port(self) -> int:
        """Port of the server."""
        return int(self.server.get_port())

    @property
    def watched(self) -> bool:
        """Return True if a browser shows the page."""
        return bool(self._panels)

    @property
    def url(self) -> str:
        """Address for watching; it has the code if other machines can reach the page."""
        query = f"?code={self._quoted}" if self._guarded else ""
        return f"http://{_address_host(self.host)}:{self.port}/{query}"

    @property
    def control_url(self) -> str:
        """Address that carries the control code.

        viser lets a page name its web socket, code and all.
        """
        if not self.code.required:
            return self.url
        socket = f"websocket=ws://{_address_host(self.host)}:{self.port}/?code={self._quoted}"
        return f"{self.url}{'&' if self._guarded else '?'}{socket}"

    def start(self) -> None:
        """Serve, and run in a separate thread."""
        door = guard_sockets(self.code.opens if self._guarded else None, self._in_notebook)
        with door as closed, silence():  # viser prints addresses of its own, without the code
            self.server = Server(
                host=self.host, port=self._wanted_port, label=self.crane.name, verbose=False
            )
        if not closed():
            self.server.stop()
            raise CableSimError("this viser can't be closed to strangers; install the pinned one")
        if self._wanted_port not in (0, self.port):
            taken = self._wanted_port
            self.server.stop()
            raise CableSimError(
                f"port {taken} on {self.host} is taken; choose another, or 0 for any"
            )
        self.server.get_event_loop().set_exception_handler(tell_of_message)
        self._send(self._build_scene).result()
        self._send(self._build_panels).result()
        self.server.on_client_connect(self._add_page)
        self.server.on_client_disconnect(self._drop_page)
        self._thread = threading.Thread(target=self._loop, name="viewer", daemon=True)
        self._thread.start()

    def run(self, prepare: Callable[[], object] = lambda: None) -> None:
        """Serve until interrupted, with address and code on the terminal.

        ``prepare`` is called when the page is up, for what a start may wait for. Raises
        RuntimeError if the page fails.
        """
        self.start()
        print(f"watch    {self.url}\ncontrol  {self.control_url}")
        if self.code.required:
            print(f"code     {self.code.text}")
        if threading.current_thread() is threading.main_thread():
            # A launcher ends its processes by SIGTERM: leave as by Ctrl-C, with every axis at zero.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._interrupt)
        try:
            prepare()
            while self.serving and not self._interrupted:
                time.sleep(0.1)
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    @property
    def serving(self) -> bool:
        """Return True until the page is stopped; raise RuntimeError if it has failed."""
        if self._failure is not None:
            raise RuntimeError("the page has failed, and is closed") from self._failure
        return not self._ending.is_set()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt, and note it.

        Python drops what is raised while it runs a finaliser or a callback of compiled code.
        """
        self._interrupted = True
        signal.default_int_handler(number, frame)

    def stop(self) -> None:
        """Bring every axis to zero, stop serving, close the source."""
        self._ending.set()
        if self._thread is not None:
            self._thread.join(5.0)
            self.desk.stop()
            self.desk.perform(self.source, time.monotonic())
            with silence():
                self.server.stop()
        self._checks.shutdown(wait=False)
        self.source.close()

    def reframe(self, extent: bodies.Extent) -> None:
        """Draw the scene in another extent, before its first frame."""
        extent = frame_person(self.crane, extent)
        if not np.array_equal(extent.corners, self._extent.corners):
            self._send(lambda: self._rebuild(extent)).result()

    def _rebuild(self, extent: bodies.Extent) -> None:
        """Build the scene and the views of all pages in another extent."""
        self._extent = extent
        with self.server.atomic():
            self.server.scene.reset()
            self._build_scene()
        for panel in tuple(self._panels.values()):
            panel.rider.reframe(extent)

    def chart(self, curves: Sequence[Curve]) -> None:
        """Replace the charts, before the first frame."""
        self._send(lambda: self._new_plots(curves)).result()

    def _new_plots(self, curves: Sequence[Curve]) -> None:
        """Show charts of readings, or the usual ones without any, and begin their history."""
        if hasattr(self, "_plots"):
            self._plots.remove()
        self._history = History(self.crane, [name for curve in curves for name in curve.names])
        with self._curves_tab:
            self._plots: Plots = Plots(self.server.gui, self._history, curves)

    def _build_scene(self) -> None:
        """Build all drawn objects and set the first view."""
        scene = self.crane.scene
        api = self.server.scene
        environment.build(api, self.crane, self._extent)
        self._bodies = drawing.Bodies(api, scene, self._extent.scale)
        self._arrows = ContactArrows(self.crane, self._extent)
        ropes = Ropes(api, scene, self._extent)
        parts = (kind(api, scene, self._extent) for kind in (WireNodes, Labels))
        forces = ContactForces(api, self._arrows, self._extent)
        self._moving: list[Any] = [self._bodies, ropes, *parts, forces]
        self._moving.append(Outlines(self.server, ropes))
        self._hand = HandLine(api, self._extent.scale) if hasattr(self.source, "pull") else None
        if self._hand:
            moved = [body.name for body in scene.bodies if body.motion == "dynamic"]
            self._bodies.on_drag(moved, self._drag)
        if load := self.crane.watched:
            self._moving.append(environment.PlumbLine(api, scene, load, self._extent))
        position, target = camera.first_view(self.crane, self._extent)
        first = self.server.initial_camera
        first.position = self._extent.scale * position
        first.look_at = self._extent.scale * target
        first.fov = FIELD
        first.near = 0.002 * bodies.DRAWN_RADIUS
        first.far = 2.5 * environment.DOME * bodies.DRAWN_RADIUS

    def _build_panels(self) -> None:
        """Build the elements that all pages share: status, readings, colour scale, curves."""
        gui = self.server.gui
        scene = self.crane.scene
        gui.configure_theme(
            show_logo=False,
            show_share_button=False,
            control_width="medium",
            brand_color=(214, 150, 0),
        )
        self._status = gui.add_html(self._status_text())
        self._limits = gui.add_html(readouts.limits_html({})) if self.crane.axes else None
        gui.add_html(styles.SHEET)
        self._folders = {
            "controls": gui.add_folder("Controls"),
            "readings": gui.add_folder("Readings"),
            "camera": gui.add_folder("Camera"),
        }
        with self._folders["readings"]:
            self._readings = gui.add_html("")
            gui.add_html(readouts.scale_html(scene))
        gui.main_panel.dock_right()
        gui.main_panel.set_width(int(camera.PANEL) - 4)
        panel = gui.add_panel()
        self._curves_tab = panel.add_tab("Last minute")
        panel.dock_left()  # a panel that floats would hide what it is about
        panel.set_width(int(camera.CURVES) - 4)
        self._new_plots(self._curves)
        load = next((body for body in scene.bodies if body.name == self.crane.watched), None)
        self._below = half_height(load) if load else 0.0
        self._ground = bodies.ground_height(scene)

    async def _add_page(self, client: Any) -> None:
        """Give a new page its own panel and camera."""
        self._unseen = True  # a clock that stands gives no new frame
        client.camera.max_orbit_distance = 0.6 * environment.DOME * bodies.DRAWN_RADIUS
        rider = camera.Rider(client.camera, self.crane, self._extent)
        rider.choose("overview", None)

        @client.camera.on_update
        async def _(_: Any) -> None:
            rider.settle()
            self._unseen = True  # for the outlines

        opened = self.code.opens(code_of(self.server, client.client_id))
        self._panels[client.client_id] = Panel(
            client,
            self.crane,
            self.desk,
            self.code,
            rider,
            opened,
            self._folders,
            lambda: self._frame,
            self._arrows.legend,
            pulls=self._hand is not None,
        )

    async def _drag(self, body: str, event: Any) -> None:
        """Pull at a body where a page that may control drags it."""
        panel = self._panels.get(event.client_id)
        if panel is None or not panel.armed:
            return
        if event.phase == "end":
            self.source.let_go()  # type: ignore[attr-defined]
            return
        target, point = (
            np.array(place) / self._extent.scale
            for place in (event.end_position, event.start_position)
        )
        begins = event.phase == "start"
        self.source.pull(body, target, point if begins else None)  # type: ignore[attr-defined]

    async def _drop_page(self, client: Any) -> None:
        """Stop the axes that a closed page moved."""
        self._panels.pop(client.client_id, None)
        self._asked.pop(client.client_id, None)
        self.desk.drop(client.client_id)

    def _loop(self) -> None:
        """Run turns until the end, or the first that fails.

        Commands come first, because they may be urgent, and do not wait for what is shown.
        """
        try:
            shown = self._send(lambda: None)
            while not self._ending.is_set():
                began = time.monotonic()
                self.desk.perform(self.source, began)
                if shown.done():
                    shown.result()
                    shown = self._send(self._show)
                self._ask_drivers(began)
                period = 1.0 / self.rate if self._panels else IDLE_PERIOD
                self._ending.wait(max(period - (time.monotonic() - began), 0.001))
        except Exception as error:
            self._failure = error
            LOG.error("page: failed: %s", one_line(error))

    def _send(self, action: Callable[[], T]) -> "Future[T]":
        """Have the thread of the web sockets do what sends to pages."""

        async def act() -> T:
            return action()

        return asyncio.run_coroutine_threadsafe(act(), self.server.get_event_loop())

    def _show(self) -> None:
        """Show the newest frame, and now and then the figures."""
        now = time.monotonic()
        new = self._take(now)
        if self._panels and self._frame is not None and (new is not None or self._unseen):
            self._unseen = False
            self._draw(self._frame)
        if now >= self._next_text:
            self._next_text = now + TEXT_PERIOD
            self._write()

    def _take(self, now: float) -> Frame | None:
        """Return the source's newest frame if it differs from the last one."""
        try:
            frame = self.source.latest()
        except Exception as error:
            self.desk.problem = f"{type(error).__name__}: {error}"
            return None
        if frame is None or frame is self._frame:
            return None
        if self._frame is None or frame.time != self._frame.time:
            self._arrived = now  # a source may make its frames anew from old news
        self._events.take(frame, now)
        self._frame = frame
        self._history.add(frame)
        return frame

    def _draw(self, frame: Frame) -> None:
        """Draw all moving parts, in one message to each page."""
        with self.server.atomic():
            for part in self._moving:
                part.update(frame)
            if self._hand:
                self._hand.update(self.source.hand_line)  # type: ignore[attr-defined]
        for panel in tuple(self._panels.values()):
            if panel.rider.view != "overview":
                with panel.client.atomic():
                    panel.rider.follow(frame)

    def _write(self) -> None:
        """Update figures, curves and sliders."""
        panels = tuple(self._panels.values())
        for panel in panels:
            panel.follow_desk()
        self._status.content = self._status_text()
        if self._frame is not None and self._panels:
            lines = readouts.readings(self.crane, self._frame, self._ground, self._below)
            self._readings.content = readouts.readings_html(lines)
            if self._limits is not None:
                self._limits.content = readouts.limits_html(self._frame.limits, self._frame.faults)
            self._plots.update()

    def _status_text(self) -> str:
        """Return title and state as HTML; the panel's head, which never scrolls, has it too."""
        now = time.monotonic()
        state = readouts.status(self._frame, now - self._arrived, self.desk.problem)
        self.server.gui.set_panel_label(f"cable_sim: {state.word}")
        lasting = self._frame.condition if self._frame is not None else self.source.progress
        note = lasting or self._events.newest(now)
        return readouts.status_html(self.crane.name.replace("_", " "), state, note)

    def _ask_drivers(self, now: float) -> None:
        """Check that pages which move an axis still answer: a frozen page stays connected."""
        for page, panel in tuple(self._panels.items()):
            if self.desk.axes_moved_by(page) and now - self._asked.get(page, 0.0) > 1.0:
                self._asked[page] = math.inf  # not again until it has answered
                self._checks.submit(self._answer, page, panel)

    def _answer(self, page: int, panel: Panel) -> None:
        """Wait for any answer of a page; without one, stop its axes."""
        try:
            panel.client.local_storage.get_item("cable_sim", timeout=ANSWER_TIME)
        except TimeoutError:
            self.desk.drop(page)
        except RuntimeError:
            pass  # disconnected, which is handled there, or without storage, which is an answer too
        if page in self._panels:
            self._asked[page] = time.monotonic()


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep what viser tells from the terminal, and out of the cells of a notebook."""
    console = rich.get_console()
    before = console.quiet
    console.quiet = True
    try:
        yield
    finally:
        console.quiet = before


def tell_of_message(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Tell in a line of an error of a message that pages do not send, or of an unknown one."""
    error = context.get("exception")
    told = one_line(error) if isinstance(error, Exception) else context["message"]
    LOG.warning("page: a message was dropped: %s", told)


def _address_host(host: str) -> str:
    """Return a host as in addresses: IPv6 in brackets, all interfaces as this machine."""
    if host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host
