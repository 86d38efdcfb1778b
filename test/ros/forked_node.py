"""A simulator node in a process that begins with everything loaded.

Python, rclpy, numba and the kernels take three of the four seconds of a start. So the tests fork
their nodes from a process that has loaded them, and has neither a thread nor a node. The entry
scripts, launch files, the operator and the clients start nodes as users do.
"""

import faulthandler
import functools
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")


def run_node(words: Sequence[str], errors: str, environment: Mapping[str, str]) -> None:
    """Run a node with these words of its command line; stderr goes to the file ``errors``.

    SIGUSR1 makes it tell what its threads do.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    told = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number, file in enumerate((nothing, nothing, told)):
        os.dup2(file, number)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["-c", *words]
    faulthandler.register(signal.SIGUSR1)
    from cable_sim.ros.node.simulator_node import main

    sys.exit(main())


class Forked:
    """A process of multiprocessing, with what a Popen has."""

    def __init__(self, words: Sequence[str], errors: str) -> None:
        given = words, errors, dict(os.environ)
        self._process = FORKS.Process(target=run_node, args=given, daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status once it has ended; raise TimeoutExpired after so many seconds."""
        self._process.join(timeout)
        if (status := self.poll()) is None:
            raise subprocess.TimeoutExpired("node", timeout or 0.0)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal to a process that runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


@functools.cache
def start_forks() -> str:
    """Start the process from which nodes are forked; return where its Python finds modules."""
    path = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parent), path]))
    FORKS.set_forkserver_preload(["loaded_node"])
    forkserver.ensure_running()
    os.environ["PYTHONPATH"] = path
    return path


def start_node(words: Sequence[str], errors: Path) -> "Forked | subprocess.Popen[bytes]":
    """Start a node; on its own where PYTHONPATH has modules in place of those that are loaded."""
    if start_forks() == os.environ.get("PYTHONPATH", ""):
        return Forked(words, str(errors))
    return subprocess.Popen([sys.executable, __file__, str(errors), *words])


if __name__ == "__main__":
    run_node(sys.argv[2:], sys.argv[1], dict(os.environ))
