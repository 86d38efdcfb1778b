"""Python that has the package's own dependencies, which ROS' Python may lack.

The install step of ``colcon build`` records it beside the entry scripts. Needs nothing but the
standard library.
"""

import math
import os
import signal
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

RECORD = "interpreter.txt"
"""File beside the entry scripts with the path of the interpreter."""
NEEDED = ("numpy", "scipy", "numba", "pydantic", "ruamel.yaml", "typer")
"""Modules without which no program of the package runs."""
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

    ``words`` come before the arguments of the command line. Returns the exit status. An interrupt
    while the module is imported ends the process well. Does not return where another interpreter
    takes over.
    """
    signal.signal(signal.SIGINT, _leave)
    recorded = recorded_interpreter(Path(script).absolute().parent)
    if recorded and recorded != sys.executable:
        os.execv(recorded, [recorded, script, *sys.argv[1:]])
    absent = [name for name in NEEDED if not _is_there(name)]
    if absent:
        remedy = "docs/howto/workspace.md of the sources says how to add them"
        print(f"cable_sim: {sys.executable} lacks {', '.join(absent)}; {remedy}", file=sys.stderr)
        return 2
    main = import_module(module).main
    signal.signal(signal.SIGINT, Interrupt())
    try:
        return main([*words, *sys.argv[1:]]) if words else main()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Python's own end can't bear one


def recorded_interpreter(folder: Path) -> str:
    """Return the interpreter that a folder of entry scripts records.

    Empty without a record, and where the interpreter is gone.
    """
    record = folder / RECORD
    path = record.read_text(encoding="utf-8").strip() if record.is_file() else ""
    return path if os.access(path, os.X_OK) else ""


def _leave(*_: Any) -> NoReturn:
    """End the process where nothing has been begun."""
    os._exit(0)


def _is_there(name: str) -> bool:
    """Return True if a module can be found; parts of a namespace are looked for one by one."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
