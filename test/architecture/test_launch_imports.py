"""The launch files run in ROS' own Python, which may have none of the package's dependencies."""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OF_ROS = {"launch", "launch_ros", "ament_index_python"}


def imports(path: Path) -> set[str]:
    """Modules that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, path
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def own_files(module: str) -> set[Path]:
    """Files of the package that importing a module of it runs, but for the package's first one.

    That imports for type checkers and on demand.
    """
    places = [ROOT.joinpath(*module.split(".")[:n]) for n in range(2, module.count(".") + 2)]
    files = {place / "__init__.py" for place in places} | {p.with_suffix(".py") for p in places}
    return {path for path in files if path.is_file()}


def test_launch_files_import_ros_and_the_standard_library_alone() -> None:
    waiting = set((ROOT / "launch").glob("*.launch.py"))
    seen: set[Path] = set()
    others: set[str] = set()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        for module in imports(path):
            waiting |= own_files(module) - seen
            others.add(module.split(".")[0])
    assert ROOT / "cable_sim" / "ros" / "launch" / "requirements.py" in seen
    assert others - sys.stdlib_module_names - {"cable_sim"} == OF_ROS
