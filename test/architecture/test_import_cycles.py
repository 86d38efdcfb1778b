"""No module imports itself by way of others, not even for its annotations, and no two rooms import
each other.

Imports inside functions are left out: they are for the time of start-up and for libraries that may
be missing.
"""

import ast
from collections import Counter
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


def room_of(module: str) -> str:
    """Return the folder that a module stands in."""
    return module.rpartition(".")[0]


def is_beside(one: str, other: str) -> bool:
    """Return True if neither of two rooms is the other one or within it."""
    return not f"{one}.".startswith(f"{other}.") and not f"{other}.".startswith(f"{one}.")


def find_arrows(known: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return pairs of rooms beside one another of which the first one imports from the second."""
    arrows = {
        (room_of(name), room_of(other))
        for name, source in known.items()
        for other in imported(source, known)
    }
    return {(one, other) for one, other in arrows if is_beside(one, other)}


def outside_kernels() -> dict[str, str]:
    """Return the sources of all modules but the kernels, whose rooms are parts of one step."""
    return {name: text for name, text in sources().items() if ".kernels" not in name}


def test_no_two_rooms_import_each_other() -> None:
    arrows = find_arrows({n: s for n, s in outside_kernels().items() if n.startswith("cable_sim.")})
    assert len(arrows) > 100
    assert [pair for pair in sorted(arrows) if pair[::-1] in arrows] == []


def test_rooms_that_import_each_other_would_be_found() -> None:
    known = {"m.a.one": "import m.b.two", "m.b.two": "", "m.b.three": "import m.a.four"}
    arrows = find_arrows(known | {"m.a.four": "", "m.a.c.five": "import m.a.one"})
    assert arrows == {("m.a", "m.b"), ("m.b", "m.a")}


def test_a_room_has_twenty_modules_at_most() -> None:
    names = {name for name in sources() if name.startswith("cable_sim.")}
    modules = {name for name in names if not (ROOT / name.replace(".", "/")).is_dir()}
    rooms = Counter(room_of(name) for name in modules)
    assert len(rooms) > 40
    assert {room: count for room, count in rooms.items() if count > 20} == {}
