"""Every public name is documented: the modules of docs/reference/api, and what examples and pages
import from.

A docstring tells what a thing is; numbers that it takes or has come with their units, arrays with
their shapes.
"""

import ast
import dataclasses
import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import cable_sim

ROOT = Path(__file__).resolve().parents[2]
API = ROOT / "docs" / "reference" / "api"
TEXT = "\n".join(page.read_text("utf-8") for page in sorted(API.glob("*.md")))
PUBLIC = re.findall(r"^\.\. automodule:: (\S+)", TEXT, re.MULTILINE)
NEEDS = {
    "cable_sim.ros": "rclpy",
    "cable_sim.msg": "rclpy",
    "cable_sim.environments.environment": "gymnasium",
    "cable_sim.viewer": "viser",
}
UNIT = re.compile(
    r"\[[^\]]+\]|\bSI\b|\bunits?\b|quaternion|\(w, x, y, z\)|0\.\.\.1|length does not matter|any "
    r"length"
)
"""What tells a unit, `[-]` for none; a quaternion, a colour and the direction of a vector have none
to tell."""
SHAPE = re.compile(
    r"\(\w*[a-z0-9](?: [-+] 1)?,|\bthree\b|vector|\(n\)|order of|points?\b|matrix|array"
)
NUMBERS = re.compile(
    r"\b(float|Real|Positive|NonNegative|Limit|Bound|Vector|Fraction|Implied\w+|ArrayLike|Array)\b"
)
ARRAYS = re.compile(r"\b(ArrayLike|Array|NDArray|Floats)\b")


class Told(NamedTuple):
    """A name, what is said of it, and the numbers in it by name with what is said of each."""

    name: str
    text: str
    numbers: dict[str, tuple[str, str]]


def needed(module: str) -> None:
    """Skip what needs a package that is not there."""
    for start, package in NEEDS.items():
        if module.startswith(start):
            pytest.importorskip(package, reason=f"{module} needs {package}")


def names_of(module: ModuleType) -> list[str]:
    """The public names of a module: those that it lists, or else those that it defines."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not inspect.ismodule(getattr(module, name))]
    own = ((name, getattr(thing, "__module__", None)) for name, thing in vars(module).items())
    return [name for name, where in own if where == module.__name__ and not name.startswith("_")]


def told(module: ModuleType) -> Iterator[Told]:
    """The public functions and classes of a module, and what these have."""
    for name in names_of(module):
        thing = getattr(module, name)
        if inspect.isclass(thing):
            yield Told(name, own_text(thing), fields_of(thing))
            for part, member in vars(thing).items():
                function = (
                    member.fget
                    if isinstance(member, property)
                    else getattr(member, "__func__", member)
                )
                if (
                    inspect.isfunction(function)
                    and not part.startswith("_")
                    and function.__module__ == module.__name__
                ):
                    yield Told(
                        f"{name}.{part}", inspect.getdoc(function) or "", numbers_of(function)
                    )
        elif inspect.isroutine(thing):
            yield Told(name, inspect.getdoc(thing) or "", numbers_of(inspect.unwrap(thing)))


def own_text(thing: type) -> str:
    """A class' docstring; empty for what named tuples and data classes write by themselves."""
    text = inspect.cleandoc(vars(thing).get("__doc__") or "")
    return "" if text.startswith(f"{thing.__name__}(") else text


def fields_of(thing: type) -> dict[str, tuple[str, str]]:
    """Fields that are numbers: annotation, and what is said of each, in the list of parameters or
    below the field."""
    own = own_text(thing)
    listed = items(own) | below(thing)
    made = dataclasses.is_dataclass(thing) or hasattr(thing, "_fields")
    given = source_annotations(thing) if made else {}
    return {
        name: (words, listed.get(name, own))
        for name, words in given.items()
        if NUMBERS.search(words)
    }


def items(text: str) -> dict[str, str]:
    """What the list of parameters in a docstring says, by name."""
    listed = re.search(r"^(?:Parameters|Attributes)\n-+\n(.*)", text, re.DOTALL | re.MULTILINE)
    found = re.findall(
        r"^(\w[\w, ]*): (.*?)(?=^\S|\Z)", listed[1] if listed else "", re.DOTALL | re.MULTILINE
    )
    return {name: words for names, words in found for name in names.split(", ")}


def tree_of(thing: Any) -> Any:
    """The syntax tree of a class or function."""
    return ast.parse(inspect.cleandoc("\n" + inspect.getsource(thing))).body[0]


def source_annotations(thing: type) -> dict[str, str]:
    """Annotations of a class as its source has them."""
    fields = [part for part in tree_of(thing).body if isinstance(part, ast.AnnAssign)]
    named = {ast.unparse(field.target): ast.unparse(field.annotation) for field in fields}
    return {name: words for name, words in named.items() if not name.startswith("_")}


def below(thing: type) -> dict[str, str]:
    """What stands as a string below fields."""
    body = tree_of(thing).body
    return {
        field.target.id: text.value.value
        for field, text in zip(body, body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def numbers_of(function: Any) -> dict[str, tuple[str, str]]:
    """Parameters and result of a function that are numbers: annotation, and its docstring."""
    arguments = tree_of(function).args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    text = inspect.getdoc(function) or ""
    found = {one.arg: ast.unparse(one.annotation) for one in listed if one.annotation}
    result = tree_of(function).returns
    found |= {"result": ast.unparse(result)} if result else {}
    return {name: (words, text) for name, words in found.items() if NUMBERS.search(words)}


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_documented(module: str) -> None:
    needed(module)
    found = importlib.import_module(module)
    assert found.__doc__, module
    listed = list(told(found))
    assert [name for name, text, _ in listed if len(text) < 5] == []


@pytest.mark.parametrize("module", PUBLIC)
def test_numbers_have_units_and_arrays_shapes(module: str) -> None:
    needed(module)
    silent = []
    for name, text, numbers in told(importlib.import_module(module)):
        for number, (annotation, words) in numbers.items():
            if not UNIT.search(words):
                silent.append(f"{name}: {number} has no unit: {words.strip()[:80]!r}")
            elif ARRAYS.search(annotation) and not (SHAPE.search(words) or SHAPE.search(text)):
                silent.append(f"{name}: {number} has no shape")
    assert silent == []


def test_the_names_of_the_package_are_documented() -> None:
    functions = re.findall(r"^\.\. autofunction:: (\S+)", TEXT, re.MULTILINE)
    known = {*functions}
    for module in PUBLIC:
        if all(
            map(importlib.util.find_spec, [p for m, p in NEEDS.items() if module.startswith(m)])
        ):
            known |= {f"{module}.{name}" for name in names_of(importlib.import_module(module))}
    own = {name: f"{module}.{name}" for name, module in cable_sim._MODULE_OF.items()}
    told = {name for name, place in own.items() if place in known}
    assert {*own} - told <= {"Control", "Law"}, "types of others"


INSIDE = "docs/tutorials/own_cable_model.md"
"""The page that says how the house is added to, and so goes to every floor of it."""


def imports() -> Iterator[tuple[str, str, str]]:
    """Module, names and place of each import from the package in examples and pages."""
    texts = {path: path.read_text("utf-8") for path in (ROOT / "examples").rglob("*.py")}
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        texts[page] = "\n".join(
            re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        )
    for path, text in texts.items():
        for module, names in re.findall(
            r"^\s*(?:from|import) (cable_sim[\w.]*)(?: import ([\w, ]+|\([^)]*\)))?",
            text,
            re.MULTILINE,
        ):
            yield module, names, str(path.relative_to(ROOT))


PROMISED = dict(
    re.findall(
        r"^\| `(cable_sim\.[\w.]+)` \| (.*) \|$",
        (ROOT / "docs" / "reference" / "public_api.md").read_text("utf-8"),
        re.MULTILINE,
    )
)
"""Cell with the promised names, by public module; without backquotes it stands for all names."""


def test_pages_and_examples_import_from_the_public_modules() -> None:
    found = [one for one in imports() if one[2] != INSIDE and one[0] != "cable_sim"]
    assert {module for module, *_ in found} == {*PROMISED}
    for module, names, place in found:
        promised = re.findall(r"`(\w+)`", PROMISED[module])
        assert not promised or {*re.findall(r"\w+", names)} <= {*promised}, (module, place)


def test_the_readme_imports_from_the_package_alone() -> None:
    assert {module for module, _, place in imports() if place == "README.md"} == {"cable_sim"}


@pytest.mark.parametrize("module", PROMISED)
def test_promised_names_exist_and_are_in_the_reference(module: str) -> None:
    needed(module)
    names = re.findall(r"`(\w+)`", PROMISED[module])
    assert module in {*PUBLIC, "cable_sim.msg"}
    found = importlib.import_module(module)
    assert [name for name in names if not hasattr(found, name)] == []
