"""Python that has the package's own dependencies, which ROS' Python may lack.

The install step of ``colcon build`` records it beside the entry scripts; ``cable_sim_setup`` makes
one for a user whose package came by apt. Needs nothing but the standard library.
"""

import math
import os
import re
import signal
import sys
import time
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, NoReturn

NEEDED = {"numba": "0.67", "pydantic": "2", "typer": "0.15"}
"""Packages that come by pip, and the oldest versions that will do."""
ECHO = 1.0
"""Time within which a second interrupt is the same Ctrl-C [s]: of the terminal, and of launch."""


class Interrupt:
    """Signal handler that raises KeyboardInterrupt once for each Ctrl-C.

    A second one would break the end that the first one has begun.
    """

    def __init__(self) -> None:
        self._last = -math.inf

    def __call__(self, *_: Any) -> None:
        now = time.monotonic()
        echo = now - self._last < ECHO
        self._last = now
        if not echo:
            raise KeyboardInterrupt


def run_entry(script: str, module: str, *words: str) -> int:
    """Run ``main`` of a module by the interpreter recorded beside an entry script.

    Where that lacks something, the user's own takes over. ``words`` come before the arguments of
    the command line. Returns the exit status. An interrupt while the module is imported ends the
    process well. Does not return where another interpreter takes over.
    """
    signal.signal(signal.SIGINT, _leave)
    own = users_interpreter()
    lacks = [f"{name} {least}" for name, least in NEEDED.items() if _lacks(name, least)]
    other = recorded_interpreter(Path(script).absolute().parent)
    if other in ("", sys.executable) and lacks:
        other = own
    if sys.executable != own and other not in ("", sys.executable):
        os.execv(other, [other, script, *sys.argv[1:]])
    if lacks:
        remedy = "`ros2 run cable_sim cable_sim_setup` brings them"
        print(f"cable_sim: {sys.executable} lacks {', '.join(lacks)}; {remedy}", file=sys.stderr)
        return 2
    main = import_module(module).main
    signal.signal(signal.SIGINT, Interrupt())
    try:
        return main([*words, *sys.argv[1:]]) if words else main()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Python's own end can't bear one


def recorded_interpreter(folder: Path) -> str:
    """Return the interpreter that a folder of entry scripts records; empty if none is there."""
    record = folder / "interpreter.txt"
    path = record.read_text(encoding="utf-8").strip() if record.is_file() else ""
    return path if os.access(path, os.X_OK) else ""


def users_interpreter() -> str:
    """Return the interpreter that ``cable_sim_setup`` makes for a user; empty without one."""
    data = Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser()
    path = data / "cable_sim/python/bin/python"
    return str(path) if os.access(path, os.X_OK) else ""


def _leave(*_: Any) -> NoReturn:
    """End the process where nothing has been begun."""
    os._exit(0)


def _lacks(name: str, least: str) -> bool:
    """Return True if a package is not installed, or too old."""
    try:
        versions = metadata.version(name), least
    except metadata.PackageNotFoundError:
        return True
    found, wanted = ([int(n) for n in re.findall(r"\d+", text)[:2]] for text in versions)
    return found < wanted
