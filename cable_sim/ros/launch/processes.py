"""Child processes: started apart from the terminal, monitored, and ended by their number."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

END_TIMEOUT = 8.0
"""Time after a signal at which a running process is killed [s]."""
RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
PROFILES = "FASTDDS_DEFAULT_PROFILES_FILE"
LOOPBACK = "fastdds_udp.xml"
"""Profile of Fast DDS with which nodes listen on this computer alone; scripts/env.sh sets it."""
_PARENT_DEATH = 1
"""Number of PR_SET_PDEATHSIG in Linux' prctl."""


class Child:
    """Process of this program, in a process group of its own.

    Ctrl-C in the terminal reaches only this program, which then ends its children in its own order.
    If this program is killed, Linux sends them SIGTERM.

    Parameters
    ----------
    name: name for messages.
    command: command to run.
    listen: callback, in a thread, for every line of its output.
    environment: variables to set besides the present ones.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        listen: Callable[[str], None] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.lines: deque[str] = deque(maxlen=30)
        self._listen = listen
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            bufsize=1,
            start_new_session=True,
            preexec_fn=_end_with_parent,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})},
        )
        self._reader = threading.Thread(target=self._read, name=f"{name}-output", daemon=True)
        self._reader.start()

    @property
    def status(self) -> int | None:
        """Exit status, 128 + n after signal n; None while it runs."""
        code = self.process.poll()
        return code if code is None or code >= 0 else 128 - code

    def end(self, timeout: float = END_TIMEOUT) -> int:
        """Ask the process to end, wait, and kill it if it does not; returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(1.0)
        return self.status or 0

    @property
    def fate(self) -> str:
        """Return its exit status and last words as text; empty while it runs."""
        if self.status is None:
            return ""
        self._reader.join(0.5)
        last = "\n".join(list(self.lines)[-5:])
        return f"its {self.name} has ended with status {self.status}: {last}"

    def _read(self) -> None:
        """Take its lines until it closes its output, and its exit status when it ends."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if self._listen is not None:
                self._listen(self.lines[-1])
        self.process.wait()


def node_command(
    crane: str, parameters: Mapping[str, object], arguments: Sequence[str] = ()
) -> list[str]:
    """Return the command line of a simulator node; ``arguments`` are further ones for ROS."""
    given = {"crane_config": crane, **parameters}
    words = [word for name, value in given.items() for word in ("-p", f"{name}:={_yaml(value)}")]
    return [
        sys.executable,
        "-m",
        "cable_sim.ros.node.simulator_node",
        "--ros-args",
        *words,
        *arguments,
    ]


def isolated_environment(domain: int) -> dict[str, str]:
    """Return the environment of a node in a ROS domain of its own that only this computer sees."""
    environment = {"ROS_DOMAIN_ID": str(domain)}
    if Path(os.environ.get(PROFILES, "")).name != LOOPBACK:
        environment[RANGE] = "LOCALHOST"
    return environment


def free_domain() -> int:
    """Return a ROS domain that is unused on this machine.

    The first port of its first participant is free.
    """
    first = 1 + os.getpid() % 100
    for number in [*range(first, 101), *range(1, first)]:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("", 7400 + 250 * number + 10))
            except OSError:
                continue
        return number
    return first


def _yaml(value: object) -> str:
    """Return a parameter's value as ROS' command line expects it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _end_with_parent() -> None:
    """Have Linux signal this process when its parent dies; runs between fork and exec."""
    try:
        ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGTERM)
    except (OSError, AttributeError):
        pass  # another system: a killed parent then leaves its children behind
