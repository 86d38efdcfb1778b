"""A simulator node and its displays, in processes of their own, from one terminal.

All of them have to start. From then on only the node counts: if the page or RViz ends, that is
reported and the crane runs on.
"""

import math
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console

from cable_sim.errors import CableSimError
from cable_sim.ros.launch.processes import Child, node_command
from cable_sim.ros.launch.single_instance import claim, domain, hear_node
from cable_sim.scenes.machines import load_machine
from cable_sim.shared_files import shared_folders

START_TIMEOUT = 300.0
"""Time within which node and page must be up [s, wall time]; kernels may have to be compiled."""
GREETING = 0.6
"""Time within which a running simulator is heard [s], unless discovery is slow."""


@dataclass(frozen=True)
class RunOptions:
    """Options of a run.

    Parameters
    ----------
    crane: name of the catalogue or file.
    seconds: duration from when everything is up [s]; None until interrupted.
    viewer: whether to serve the page, at ``host`` and ``port``.
    real_time_factor: simulated over wall time [-]; 0 is as fast as possible.
    rviz: whether to open RViz.
    """

    crane: str
    seconds: float | None = None
    viewer: bool = True
    host: str = "127.0.0.1"
    port: int = 8080
    real_time_factor: float = 1.0
    rviz: bool = False


def run(options: RunOptions, console: Console, ended: threading.Event) -> int:
    """Run until the event is set, the time is over or the node ends; returns the exit status.

    Raises CableSimError when a requested part is missing.
    """
    rviz = _rviz_command(options.crane) if options.rviz else None
    place = claim()
    if place is None or hear_node(GREETING):
        raise CableSimError(
            f"a simulator is already running on ROS domain {domain()}; end it, or set "
            f"ROS_DOMAIN_ID to "
            "another number"
        )
    company = _Company(console)
    try:
        node = company.start(
            "node",
            node_command(options.crane, {"real_time_factor": float(options.real_time_factor)}),
        )
        if options.viewer:
            company.start("viewer", _viewer_command(options))
        up = _start(console, options, company, ended)
        if not ended.is_set() and company.ended_child() is None:
            if not up:
                raise CableSimError(f"the node did not answer within {START_TIMEOUT:g} s")
            until = "Ctrl-C ends it"
            if options.seconds is not None:
                until = f"it ends after {options.seconds:g} s"
            console.print(f"running: {until}", highlight=False)
            again = {"viewer": ["cable-sim", *_view_words(options)], "rviz": rviz or []}
            with _rest_compiled():
                if rviz:
                    company.start("rviz", rviz)
                _wait(ended, company, node, options.seconds, again)
        return company.outcome(ended)
    finally:
        company.end()
        place.close()


@contextmanager
def _rest_compiled() -> Iterator[None]:
    """Let a process of the lowest priority compile what other scenes need, unless it is cached.

    No tick of the crane waits for it. It ends with the block.
    """
    words = ["nice", "-n", "19", sys.executable, "-m", "cable_sim.sim.precompile", "rest"]
    compiler = Child("compiler", words)
    try:
        yield
    finally:
        compiler.end(timeout=0.0)


class _Company:
    """Processes of a run, and their output."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.children: list[Child] = []
        self._ending = False
        self._page: list[str] = []
        self._page_up = threading.Event()

    def start(self, name: str, command: list[str]) -> Child:
        """Start a process."""
        self.children.append(Child(name, command, lambda line: self._hear(name, line)))
        return self.children[-1]

    def ended_child(self) -> Child | None:
        """Return the first process that has ended; None if all run."""
        return next((child for child in self.children if child.status is not None), None)

    def dismiss(self, node: Child) -> list[Child]:
        """Remove the processes that have ended, except the node; returns them."""
        gone = [child for child in self.children if child is not node and child.status is not None]
        self.children = [child for child in self.children if child not in gone]
        return gone

    def page(self, ended: threading.Event) -> list[str]:
        """Return the page's lines on its address, as soon as it is served."""
        deadline = time.monotonic() + START_TIMEOUT
        while not self._page_up.wait(0.1):
            if ended.is_set() or self.ended_child() is not None or time.monotonic() > deadline:
                break
        return list(self._page)

    def outcome(self, ended: threading.Event) -> int:
        """Return the exit status: 0 unless a process ended early, else that of this process."""
        gone = self.ended_child()
        if gone is None or ended.is_set():
            return 0
        gone.end()  # waits until its last lines are shown
        self.console.print(
            f"the {gone.name} has ended with status {gone.status}", style="red", highlight=False
        )
        return gone.status or 1

    def end(self) -> None:
        """End all processes: displays first, the node last."""
        self._ending = True
        for child in reversed(self.children):
            child.end()

    def _hear(self, name: str, line: str) -> None:
        """Take a line of a process: lines with the page's address are kept, others are shown."""
        word = line.split(" ")[0]
        if name == "viewer" and word in ("watch", "control", "code"):
            self._page.append(line)
            if word == "code" or (word == "control" and "code=" not in line):  # the last one
                self._page_up.set()
        elif line.strip() and not self._ending:
            self.console.print(f"{name}: {line}", markup=False, highlight=False, soft_wrap=True)


def _wait(
    ended: threading.Event,
    company: _Company,
    node: Child,
    seconds: float | None,
    again: Mapping[str, list[str]],
) -> None:
    """Wait for the end, whatever its cause.

    ``again`` has the commands, by name, that restart processes which end before.
    """
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    while not ended.wait(0.1) and node.status is None and time.monotonic() < deadline:
        for gone in company.dismiss(node):
            gone.end()  # waits until its last lines are shown
            name = "page" if gone.name == "viewer" else gone.name
            told = f"the {name} has ended with status {gone.status}, but the crane keeps running"
            told += f"; open it again in another terminal: {shlex.join(again[gone.name])}"
            company.console.print(told, markup=False, highlight=False, soft_wrap=True)
    company.dismiss(node)


def _start(
    console: Console, options: RunOptions, company: _Company, ended: threading.Event
) -> bool:
    """Print where to look as soon as the page is up; return True when the node is heard."""

    def given_up() -> bool:
        return ended.is_set() or company.ended_child() is not None

    with console.status("starting; the first start compiles for about a minute"):
        page = company.page(ended) if options.viewer else []
        if not given_up():
            console.print(f"[bold]{options.crane}[/bold] on ROS domain {domain()}")
        for line in page:
            console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)
        return hear_node(START_TIMEOUT, given_up=given_up)


def _view_words(options: RunOptions) -> list[str]:
    """Return the words of the command that serves the page."""
    return ["view", options.crane, "--host", options.host, "--port", str(options.port)]


def _viewer_command(options: RunOptions) -> list[str]:
    """Return the command line of the page."""
    return [sys.executable, "-m", "cable_sim.cli", *_view_words(options)]


def _rviz_command(crane: str) -> list[str]:
    """Return the command line of RViz with the configuration for the crane's family.

    CableSimError if there is no RViz.
    """
    program = shutil.which("rviz2")
    if program is None:
        raise CableSimError(
            "rviz2 was not found; it comes with a ROS distribution, and the page needs none"
        )
    found = (folder / f"{load_machine(crane).family}.rviz" for folder in shared_folders("rviz"))
    config = next((path for path in found if path.is_file()), None)
    return [
        program,
        *(["-d", str(config)] if config else []),
        "--ros-args",
        "-p",
        "use_sim_time:=true",
    ]
