"""A page on what runs in this process, in one line, from a script or a notebook."""

import html
import math
import os
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence
from contextlib import AbstractContextManager

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.machine.bare import BareMachine, Shown, crane_of, live_machine
from cable_sim.machine.machine import Machine
from cable_sim.rendering.bodies import Extent
from cable_sim.rendering.preview import moving_extent
from cable_sim.sim.precompile import compile_beside
from cable_sim.sim.simulator import Simulator
from cable_sim.viewer.local import LocalSource, LoopSource
from cable_sim.viewer.page import Viewer
from cable_sim.viewer.plots import Curve

CLOSED_TIME = 5.0
"""Time [s] without any page after which a script that waits for its page goes on."""


class Page:
    """A page that is served until it is closed; :func:`cable_sim.viewer.show.show` makes it.

    At the end of a notebook's cell it shows itself in a frame. In a ``with`` statement it is closed
    at the end.

    Parameters
    ----------
    crane: crane that is shown.
    source: where the page's frames come from.
    curves: charts of the page.
    extent: region that its first view shows.
    port: port of the page; 0 takes a free one.
    height: height of the frame in a notebook [pixels].
    """

    def __init__(
        self,
        crane: Crane,
        source: LocalSource | LoopSource,
        curves: Sequence[Curve] = (),
        extent: Extent | None = None,
        port: int = 0,
        height: int = 600,
    ) -> None:
        self._source = source
        self._height = height
        self._viewer = Viewer(
            crane,
            source,
            port=port,
            require_token=False,
            curves=tuple(curves),
            extent=extent,
            in_notebook=_in_notebook(),
        )
        source.leave = self.close
        try:
            self._viewer.start()
        except BaseException:
            source.close()
            raise

    def start(self, plots: Sequence[str]) -> None:
        """Make the machine of the crane with charts of channels, and run it.

        Meanwhile the page tells what is compiled. It is closed where that fails.
        """
        try:
            self._source.start(lambda: make_machine(self._viewer, plots))
        except BaseException:
            self.close()
            raise

    @property
    def machine(self) -> Machine | BareMachine:
        """Machine that is shown."""
        return self._source.machine

    @property
    def simulator(self) -> Simulator:
        """Simulator behind the page."""
        return self.machine.simulator

    @property
    def url(self) -> str:
        """Address of the page on this machine."""
        return self._viewer.url

    def play(self) -> None:
        """Let the clock run."""
        self._source.pause(False)

    def pause(self) -> None:
        """Stop the clock."""
        self._source.pause(True)

    def step(self) -> None:
        """Pause, and advance one tick of 10 ms, or let a program's loop go round once."""
        self._source.pause(True)
        self._source.step()

    def draw(self) -> None:
        """Show the present state, from a loop that takes the steps itself (``run=False``).

        It waits for the clock, and as long as the page has the loop paused. Raises CableSimError if
        the page takes the steps.
        """
        if not isinstance(self._source, LoopSource):
            raise CableSimError("draw: the page takes the steps itself; show it with run=False")
        self._source.draw()

    def hold(self) -> AbstractContextManager[None]:
        """Let the page stand still in a ``with`` statement that steps its simulator.

        Raises CableSimError if the page takes no steps.
        """
        if not isinstance(self._source, LocalSource):
            raise CableSimError("hold: this page does not run the simulation; use run=True")
        return self._source.hold()

    def wait(self) -> None:
        """Wait until Ctrl-C, or until the last browser has left the page for 5 s.

        Raises RuntimeError if the page fails.
        """
        seen = False
        left = time.monotonic()
        try:
            while self._viewer.serving and not (seen and time.monotonic() - left > CLOSED_TIME):
                if self._viewer.watched:
                    seen = True
                    left = time.monotonic()
                time.sleep(0.1)
        except KeyboardInterrupt:
            pass

    def close(self) -> None:
        """End the page; the simulator stays as it is."""
        self._viewer.stop()

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """Return the frame that a notebook shows."""
        address = html.escape(self.url, quote=True)
        return (
            f'<iframe src="{address}" width="100%" height="{self._height}" '
            'style="border:0"></iframe>'
        )


def show(
    shown: Shown,
    plots: Sequence[str] = (),
    *,
    run: bool = True,
    paused: bool = False,
    speed: float = 1.0,
    port: int = 0,
    height: int = 600,
    wait: bool | None = None,
) -> Page:
    """Open a page in the browser on a live scene, simulator, crane or machine of this process.

    The page of a scene or crane is there before its kernels are compiled, and tells of that. It
    runs what is shown against the clock in a thread of its own: with play, pause and step, sliders
    for its drives, and a hand that pulls at bodies. The page is served on this machine alone, to
    all of its users.

    Parameters
    ----------
    shown: a simulator or machine, which the page alone steps until it is closed, and which a page
        before leaves; a scene or crane, which becomes a machine; or the name or file of one.
    plots: channels to draw over the last minute, such as ``load.position.z`` or ``rope.tension``,
        each in a chart of its own; without any, those of a crane.
    run: False leaves the steps to a loop of the program, which calls :meth:`Page.draw`.
    paused: True stops the clock until the page or the program lets it run.
    speed: simulated over wall time [-]; without ``run`` infinite does not wait.
    port: port of the page; 0 takes a free one.
    height: height of the frame in a notebook [pixels].
    wait: True waits here until Ctrl-C, or until the page has been left, and closes it. Left out, a
        script waits, and a notebook or prompt does not; with run=False it never waits.

    Raises CableSimError for what can't be shown and a speed that is not above 0, SpecError for an
    unknown channel.
    """
    if not speed > 0.0 or (run and math.isinf(speed)):
        raise CableSimError(f"show: speed {speed} is not allowed; it must be above 0, and finite")
    live = live_machine(shown)
    if live:
        live.simulator.turns.free()  # a page of it that is open, such as of a cell that ran before
    curves = _curves(live.simulator, plots) if live else []
    extent = moving_extent(live) if live else None
    source = (LocalSource if run else LoopSource)(live, speed, paused, plots)
    crane = live.crane if live else crane_of(shown)
    page = Page(crane, source, curves, extent, port, height)
    interactive = hasattr(sys, "ps1")
    if not interactive:
        print(f"page     {page.url}")
    if not _in_notebook() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        threading.Thread(target=webbrowser.open, args=(page.url,), daemon=True).start()
    if live is None:
        page.start(plots)
    if wait or (wait is None and run and not interactive):
        page.wait()
        page.close()
    return page


def make_machine(viewer: Viewer, plots: Sequence[str] = ()) -> Machine:
    """Return the compiled machine of a page's crane, when the page shows all of it that will move.

    ``plots`` are channels to chart. Raises SpecError for an unknown one.
    """
    with compile_beside():
        machine = Machine(viewer.crane)
    if plots:
        viewer.chart(_curves(machine.simulator, plots))
    viewer.reframe(moving_extent(machine))
    return machine


def _curves(simulator: Simulator, plots: Sequence[str]) -> list[Curve]:
    """Return a chart for each channel; raise SpecError for an unknown one."""
    channels = simulator.reader(plots).channels
    return [Curve(channel.name, channel.unit, channel.columns) for channel in channels]


def _in_notebook() -> bool:
    """Return True in a kernel of Jupyter, which shows the page in its own frame."""
    return "ipykernel" in sys.modules
