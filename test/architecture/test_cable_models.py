"""Nobody but a cable model's own files asks which one a cable has: they ask ``cable.model``."""

import ast
import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from cable_sim.model.cables.cable_models import PACKINGS
from cable_sim.spec import Cable
from cable_sim.spec.cables.cable_models import MASSLESS, CableModel

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "cable_sim"
USES = (ROOT / "cable_sim_studies", ROOT / "validation")
MODELS = {model.__name__: model.name for model in CableModel.__subclasses__()}
OWN = {
    "spec/cables/cables.py",  # the fields, and ``Cable.model``
    *("spec/cables/lumped.py", "model/basis/chains.py", "model/cables/particles.py"),
    *(
        "spec/cables/hybrid.py",
        "model/basis/crossings.py",
        "model/cables/wires.py",
        "model/cables/wire_start.py",
    ),
    *("spec/cables/elevation.py", "model/cables/waves.py"),
}
"""Files of the models themselves."""


def others() -> list[Path]:
    """Return the files of the package and its uses that are to know no cable model."""
    files = sorted(path for room in (PACKAGE, *USES) for path in room.rglob("*.py"))
    own = {PACKAGE / name for name in OWN}
    return [path for path in files if path not in own]


def knowledge(source: str) -> Iterator[str]:
    """Tell where a source asks for a model: fields of cables, types, comparisons of names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in MODELS.values():
            yield f"{node.lineno}: asks for .{node.attr}"
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if names & MODELS.keys():
                yield f"{node.lineno}: asks for the type of a model"
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            labels = {side.value for side in sides if isinstance(side, ast.Constant)}
            asked = any(isinstance(side, ast.Attribute) and side.attr == "name" for side in sides)
            if asked and labels & {MASSLESS.name, *MODELS.values()}:
                yield f"{node.lineno}: compares the name of a model"


def test_no_dispatch_on_cable_models_outside() -> None:
    told = [
        f"{path.relative_to(ROOT)}:{at}" for path in others() for at in knowledge(path.read_text())
    ]
    assert told == [], "\n".join(["ask cable.model instead:", *told])


@pytest.mark.parametrize(
    "source",
    [
        "drawn = 3 if cable.lumped is not None else 1",
        "most = cable.hybrid.most",
        "shortest = scene.cables[0].elevation.shortest",
        "isinstance(cable.model, Lumped | Hybrid)",
        "sags = cable.model.name == 'elevation'",
    ],
)
def test_dispatch_on_a_model_would_be_found(source) -> None:
    assert list(knowledge(source))


def test_own_files_of_cable_models_exist() -> None:
    assert all((PACKAGE / name).is_file() for name in OWN)


def test_every_cable_model_is_a_field_and_has_packers() -> None:
    fields = {field.name for field in dataclasses.fields(Cable)}
    assert set(MODELS.values()) == set(PACKINGS) <= fields
