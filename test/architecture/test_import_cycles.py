"""No module imports itself by way of others, not even for its annotations.

Imports inside functions are left out: they are for the time of start-up and for libraries that may
be missing.
"""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def sources() -> dict[str, str]:
    """Return the sources of all modules of the package and its uses, by name."""
    found = {}
    for folder in ("cable_sim", "cable_sim_studies", "validation"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = path.read_text(encoding="utf-8")
    return found


def outside_functions(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports below a node that run, or are checked, when its module is loaded."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        elif not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from outside_functions(child)


def imported(source: str, known: Mapping[str, str]) -> set[str]:
    """Return the known modules that a source imports; of a package's names those are modules."""
    found = set()
    for node in outside_functions(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        else:
            assert node.level == 0, f"line {node.lineno}: import by the full name"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name if name in known else str(node.module) for name in names)
    return found & set(known)


def find_cycle(known: Mapping[str, str]) -> list[str]:
    """Return the modules of one cycle, in the order of imports; none where there is no cycle."""
    graph = {name: imported(source, known) for name, source in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    known = sources()
    assert len(known) > 400
    cycle = find_cycle(known)
    assert cycle == [], " -> ".join(cycle)


@pytest.mark.parametrize(
    "back",
    [
        "import m.a",
        "from m.a import A",
        "from m import a",
        "if TYPE_CHECKING:\n    from m.a import A",
        "class C:\n    from m.a import A",
    ],
)
def test_a_cycle_would_be_found(back: str) -> None:
    known = {"m": "", "m.a": "from m.b import B", "m.b": "import m.c", "m.c": back}
    cycle = find_cycle(known)
    assert set(cycle) == {"m.a", "m.b", "m.c"} and cycle[0] == cycle[-1]


def test_an_import_inside_a_function_makes_no_cycle() -> None:
    known = {"m.a": "from m.b import B", "m.b": "def f():\n    from m.a import A"}
    assert find_cycle(known) == []
