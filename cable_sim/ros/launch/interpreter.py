"""Python that has the package's own dependencies, which ROS' Python may lack.

The install step of ``colcon build`` records it beside the entry scripts. Needs nothing but the
standard library.
"""

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

RECORD = "interpreter.txt"
"""File beside the entry scripts with the path of the interpreter."""
NEEDED = ("numpy", "scipy", "numba", "pydantic", "ruamel.yaml", "typer")
"""Modules without which no program of the package runs."""


def run_entry(script: str, module: str, *words: str) -> int:
    """Run ``main`` of a module by the interpreter recorded beside an entry script.

    ``words`` come before the arguments of the command line. Returns the exit status; an interrupt
    while the module is imported is no failure. Does not return where another interpreter takes
    over.
    """
    recorded = recorded_interpreter(Path(script).absolute().parent)
    if recorded and recorded != sys.executable:
        os.execv(recorded, [recorded, script, *sys.argv[1:]])
    absent = [name for name in NEEDED if not _is_there(name)]
    if absent:
        remedy = "docs/howto/workspace.md of the sources says how to add them"
        print(f"cable_sim: {sys.executable} lacks {', '.join(absent)}; {remedy}", file=sys.stderr)
        return 2
    try:
        main = import_module(module).main
    except KeyboardInterrupt:
        return 0
    return main([*words, *sys.argv[1:]]) if words else main()


def recorded_interpreter(folder: Path) -> str:
    """Return the interpreter that a folder of entry scripts records.

    Empty without a record, and where the interpreter is gone.
    """
    record = folder / RECORD
    path = record.read_text(encoding="utf-8").strip() if record.is_file() else ""
    return path if os.access(path, os.X_OK) else ""


def _is_there(name: str) -> bool:
    """Return True if a module can be found; parts of a namespace are looked for one by one."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
