"""Nothing above the families of cranes knows one: they answer by ``cranes/family_spec.py``."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from cable_sim.cranes.catalogue import FAMILIES
from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.several.spec import Several

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "cable_sim"
USES = (ROOT / "cable_sim_studies", ROOT / "validation")
FAMILIES_ROOM = PACKAGE / "cranes" / "families"
KNOWING = {PACKAGE / "cranes" / "catalogue.py", PACKAGE / "cranes" / "__init__.py"}
"""The list of the families, and the names that the package shows to users."""
SPECS = {cls.__name__ for cls, _ in FAMILIES.values()} - {Several.__name__}
LABELS = {"tower_crane", "gantry_crane", "bridge_crane", "held_rope"}
"""Names of families in ``Crane.family``."""


def above() -> list[Path]:
    """Return the files of the package and its uses that are to know no family."""
    files = sorted(path for room in (PACKAGE, *USES) for path in room.rglob("*.py"))
    return [path for path in files if FAMILIES_ROOM not in path.parents and path not in KNOWING]


def knowledge(source: str) -> Iterator[str]:
    """Tell what of a source knows a family: imports, names of specs, comparisons of labels."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
        elif isinstance(node, ast.Import):
            modules = [name.name for name in node.names]
        else:
            modules = []
        if any(f"{module}.".startswith("cable_sim.cranes.families.") for module in modules):
            yield f"{node.lineno}: imports a family"
        if isinstance(node, ast.Name) and node.id in SPECS:
            yield f"{node.lineno}: names {node.id}"
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            labels = {side.value for side in sides if isinstance(side, ast.Constant)} & LABELS
            if labels and any(isinstance(s, ast.Attribute) and s.attr == "family" for s in sides):
                yield f"{node.lineno}: compares a family with {labels.pop()}"


def test_no_dispatch_on_families_above_them() -> None:
    told = [
        f"{path.relative_to(ROOT)}:{at}" for path in above() for at in knowledge(path.read_text())
    ]
    assert told == [], "\n".join(["ask cable_sim.cranes.family_spec.ask_family instead:", *told])


@pytest.mark.parametrize(
    "source",
    [
        "from cable_sim.cranes.families.kit.crane_file import KitCrane",
        "from cable_sim.cranes.families import kit",
        "import cable_sim.cranes.families.kit.build",
        "isinstance(crane.details, KitCrane | Other)",
        "known = {KitCrane: 1}",
        "level = crane.family == 'gantry_crane'",
    ],
)
def test_dispatch_would_be_found(source) -> None:
    assert list(knowledge(source))


def test_all_families_answer() -> None:
    """Also those of several cranes, and of a machine without a load."""
    assert "KitCrane" in SPECS and all(issubclass(cls, FamilySpec) for cls, _ in FAMILIES.values())
