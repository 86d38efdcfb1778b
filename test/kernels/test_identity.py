"""Digests of kernels: they change with all that machine code is made of, and with nothing else.

A package of three files is written, imported and edited; its kernels are never compiled. The
package itself is copied and edited, too, and the kernels whose digest changes are compared with
those that the sources name, read as text.
"""

import ast
import importlib
import itertools
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from cable_sim.kernels.identity import NoDigestError, digest_kernel, layout_text
from cable_sim.kernels.jit import inlined, kernel

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "__init__.py": "",
    "leaf.py": '''
"""Leaves."""
import enum
import math
from typing import NamedTuple
import numpy as np
from cable_sim.kernels.jit import kernel, uncached

FACTOR = 2.0
TABLE = np.array([1.0, 2.0])

class Pair(NamedTuple):
    first: float
    second: float

class Longer(NamedTuple):
    first: float
    second: float = 1.0

class Kind(enum.IntEnum):
    ONE = 1

@kernel
def scale(x, by=3.0):
    """Scale."""
    return FACTOR * by * x

@kernel
def shift(x):
    return x + math.pi

@kernel
def look(x, kind):
    return TABLE[0] * x if kind == Kind.ONE else 0.0

def power(n):
    @kernel
    def raised(x):
        return x**n
    return raised
''',
    "other.py": """
from cable_sim.kernels.jit import kernel

@kernel
def scale(x):
    return x
""",
    "top.py": """
from cable_sim.kernels.jit import inlined, kernel
from . import leaf
from .leaf import Longer, Pair, power, shift as moved
from .leaf import look as seen

raised = power(2)

@kernel
def scaled(x):
    return leaf.scale(x)

@inlined
def taken_in(x):
    return moved(x)

@kernel
def shifted(x):
    return taken_in(x) if x < 0.0 else again(x)

@kernel
def again(x):
    return shifted(x) if x > 1.0 else x

@kernel
def paired(x):
    pair = Pair(x, x)
    return pair.first

@kernel
def filled(x):
    return Longer(x).second

@kernel
def looked(x):
    return seen(x, 1)

@kernel
def squared(x):
    return raised(x)

@kernel
def whole(x):
    return scaled(x) + shifted(x) + looked(x) + squared(x) + paired(x) + filled(x)
""",
}
ALL = {"scaled", "shifted", "again", "paired", "filled", "looked", "squared", "whole"}
EDITS = {
    "comment": ("leaf.py", "import enum", "# a comment\n\n\nimport enum", set()),
    "docstring": ("leaf.py", '"""Scale."""', '"""Scale by a factor of three."""', set()),
    "annotation": ("leaf.py", "def shift(x):", "def shift(x: float) -> float:", set()),
    "layout": ("leaf.py", "FACTOR * by * x", "(\n        FACTOR * by * x  # so\n    )", set()),
    "unused global": ("leaf.py", "import math", "import math\nUNUSED = 1", set()),
    "leaf": ("leaf.py", "FACTOR * by * x", "FACTOR + by * x", {"scaled", "whole"}),
    "constant in code": ("leaf.py", "x + math.pi", "x + 1.0", {"shifted", "again", "whole"}),
    "constant": ("leaf.py", "FACTOR = 2.0", "FACTOR = 2.5", {"scaled", "whole"}),
    "its type": ("leaf.py", "FACTOR = 2.0", "FACTOR = 2", {"scaled", "whole"}),
    "its sign": ("leaf.py", "FACTOR = 2.0", "FACTOR = -2.0", {"scaled", "whole"}),
    "default": ("leaf.py", "by=3.0", "by=4.0", {"scaled", "whole"}),
    "array": ("leaf.py", "[1.0, 2.0]", "[1.0, 2.5]", {"looked", "whole"}),
    "member": ("leaf.py", "ONE = 1", "ONE = 2", {"looked", "whole"}),
    "order of fields": (
        "leaf.py",
        "first: float\n    second: float\n",
        "second: float\n    first: float\n",
        {"paired", "whole"},
    ),
    "default of a field": ("leaf.py", "float = 1.0", "float = 1.5", {"filled", "whole"}),
    "field that is read": ("top.py", "pair.first", "pair.second", {"paired", "whole"}),
    "closure": ("top.py", "power(2)", "power(3)", {"squared", "whole"}),
    "alias": ("top.py", "shift as moved", "scale as moved", {"shifted", "again", "whole"}),
    "module": ("top.py", "from . import leaf", "from . import other as leaf", {"scaled", "whole"}),
    "option": (
        "leaf.py",
        "@kernel\ndef shift",
        "@uncached\ndef shift",
        {"shifted", "again", "whole"},
    ),
    "recursion": ("top.py", "x > 1.0", "x > 2.0", {"shifted", "again", "whole"}),
    "inlined": ("top.py", "return moved(x)", "return -moved(x)", {"shifted", "again", "whole"}),
}
COUNTER = itertools.count()


@pytest.fixture
def digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, str]]:
    """Function that writes the package with one text replaced, and returns its kernels' digests."""

    def digests(name: str = "", old: str = "", new: str = "") -> dict[str, str]:
        folder = tmp_path / str(next(COUNTER)) / "edited"
        folder.mkdir(parents=True)
        for file, text in FILES.items():
            assert name != file or text.count(old) == 1
            (folder / file).write_text(text.replace(old, new) if name == file else text)
        monkeypatch.syspath_prepend(folder.parent)
        for known in [known for known in sys.modules if known.partition(".")[0] == "edited"]:
            del sys.modules[known]
        top = importlib.import_module("edited.top")
        return {kernel: digest_kernel(getattr(top, kernel)) for kernel in ALL}

    return digests


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_changes_those_that_it_concerns(
    edit: str, digests: Callable[..., dict[str, str]]
) -> None:
    file, old, new, concerned = EDITS[edit]
    before, after = digests(), digests(file, old, new)
    assert {name for name in ALL if before[name] != after[name]} == concerned


def test_digests_are_those_of_another_process(digests: Callable[..., dict[str, str]]) -> None:
    """Texts are hashed in another way there."""
    here = digests()
    folder = Path(sys.modules["edited"].__file__ or "").parents[1]
    program = (
        "import json; from edited import top; from cable_sim.kernels.identity import digest_kernel;"
        f"print(json.dumps({{n: digest_kernel(getattr(top, n)) for n in {sorted(ALL)}}}))"
    )
    path = f"{folder}:{ROOT}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": path, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout) == here, done.stderr


def test_a_global_that_is_set_counts_at_once(digests: Callable[..., dict[str, str]]) -> None:
    digests()
    top, leaf = sys.modules["edited.top"], sys.modules["edited.leaf"]
    before = digest_kernel(top.scaled)
    leaf.FACTOR = 7.0  # type: ignore[attr-defined]
    assert digest_kernel(top.scaled) != before


def test_a_first_constant_in_use_is_no_docstring() -> None:
    """Else an edit of what looks like a docstring would go unseen."""
    made = [kernel(eval(f"lambda x: {text}", {})) for text in ("x == 'one'", "x == 'two'")]
    scope: dict[str, Any] = {}
    for name, text in (("one", "one"), ("two", "two")):
        exec(f"def {name}(x):\n    '{text}'\n    return x == '{text}'", scope)
        made.append(kernel(scope[name]))
    digests = [digest_kernel(function) for function in made]
    assert len(set(digests)) == 4


class Old(NamedTuple):
    a: float
    b: float


def test_the_order_of_fields_of_an_argument_counts() -> None:
    """numba's name of the type does not tell it."""

    def made(*fields: str) -> Any:
        record = NamedTuple("Record", [(field, float) for field in fields])
        return numba.typeof(((record(1.0, 2.0), record(1.0, 2.0)), Old(1.0, 2.0)))  # type: ignore[arg-type]

    one, other = made("a", "b"), made("b", "a")
    assert repr(one) == repr(other)
    assert layout_text(one) != layout_text(other)
    key = kernel(lambda pair: pair)._cache._key_of  # type: ignore[attr-defined]
    assert key((one,)) != key((other,))


def test_a_digest_makes_no_dispatcher() -> None:
    """Those of all kernels of a step would take a tenth of a start."""

    @kernel
    def called(x):
        return x + 1.0

    @kernel
    def caller(x):
        return called(x)

    digest_kernel(caller)
    assert not {"dispatcher", "_part"} & (vars(called).keys() | vars(caller).keys())


def test_names_of_foreign_packages_have_digests() -> None:
    scope = {"sin": math.sin, "dot": np.dot, "sqrt": np.sqrt, "norm": np.linalg.norm}
    scope |= {"whole": numba.int64, "counted": numba.prange, "least": min}
    digests = set()
    for name in scope:
        exec("def read(x):\n    return name(x)", {"name": scope[name]}, found := {})
        digests.add(digest_kernel(kernel(found["read"])))
    assert len(digests) == len(scope)


def test_a_name_counts_with_its_value() -> None:
    """A global that hides a built-in function, and one with the name of an attribute."""
    digests = set()
    for name in ("abs", "rate"):
        exec("def read(x):\n    return abs(x.rate)", {name: same}, found := {})
        digests.add(digest_kernel(kernel(found["read"])))
    assert len(digests) == 2


@kernel
def same(x: float) -> float:
    return x


def test_the_types_that_a_function_is_held_to_count() -> None:
    digests = set()
    for types in ("f8(f8)", "i8(i8)"):
        scope = {"held": numba.njit(types)(lambda x: x)}
        exec("def read(x):\n    return held(x)", scope)
        digests.add(digest_kernel(kernel(scope["read"])))
    assert len(digests) == 2


@pytest.mark.parametrize(
    "value",
    [[1.0], {1}, object(), np.random.default_rng(1)],
    ids=["list", "set", "object", "generator"],
)
def test_what_nothing_tells_has_no_digest(value: object) -> None:
    scope = {"value": value}
    exec("def read():\n    return value", scope)
    read: Any = scope["read"]
    with pytest.raises(NoDigestError):
        digest_kernel(kernel(read))
    assert kernel(read)._cache._key_of(()) == ""


def test_a_plain_function_has_code_elsewhere_and_no_digest() -> None:
    """numba compiles it by an overload that stands anywhere."""

    def plain() -> float:
        return 1.0

    scope: dict[str, Any] = {"plain": plain}
    exec("def read():\n    return plain()", scope)
    with pytest.raises(NoDigestError):
        digest_kernel(kernel(scope["read"]))
    with pytest.raises(NoDigestError):
        digest_kernel(inlined(scope["read"]))


ALL_DIGESTS = """
import importlib, json, pkgutil
import cable_sim.kernels
from cable_sim.kernels.identity import digest_kernel
found = {}
for module in pkgutil.walk_packages(cable_sim.kernels.__path__, "cable_sim.kernels."):
    made = importlib.import_module(module.name)
    for name, value in vars(made).items():
        if hasattr(value, "py_func") and value.__module__ == module.name:
            found[f"{module.name}.{value.__qualname__}"] = digest_kernel(value)
print(json.dumps(found))
"""


def tree_digests(tree: Path) -> dict[str, str]:
    """Return the digests of all kernels of a copy of the package."""
    done = subprocess.run(
        [sys.executable, "-c", ALL_DIGESTS], cwd=tree, env={}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def named_in(tree: Path) -> dict[str, set[str]]:
    """Return the kernels and constants that each function of the kernels' files may name.

    A name is taken for all that its file imports by it or defines, an attribute for that of the
    modules that its file imports.
    """
    found: dict[str, set[str]] = {}
    for path in (tree / "cable_sim" / "kernels").rglob("*.py"):
        module = ".".join(path.relative_to(tree).with_suffix("").parts).removesuffix(".__init__")
        parsed = ast.parse(path.read_text())
        modules: dict[str, str] = {}
        names = {}
        for node in ast.walk(parsed):
            if isinstance(node, ast.ImportFrom) and node.module:
                for item in node.names:
                    whole = f"{node.module}.{item.name}"
                    is_file = (tree / f"{whole.replace('.', '/')}.py").is_file()
                    (modules if is_file else names)[item.asname or item.name] = whole
        for node in parsed.body:
            if isinstance(node, ast.FunctionDef):
                names[node.name] = f"{module}.{node.name}"
        for node in parsed.body:
            if isinstance(node, ast.FunctionDef):
                found[f"{module}.{node.name}"] = set(_used(node, names, modules))
    return found


def _used(node: ast.FunctionDef, names: dict[str, str], modules: dict[str, str]) -> Iterator[str]:
    """Name what a function's body uses."""
    for part in itertools.chain.from_iterable(map(ast.walk, node.body)):
        if isinstance(part, ast.Name) and part.id in names:
            yield names[part.id]
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            if part.value.id in modules:
                yield f"{modules[part.value.id]}.{part.attr}"


def users(of: str, named: dict[str, set[str]]) -> set[str]:
    """Return a function and all that come to it by way of others."""
    found = {of}
    while more := {name for name, used in named.items() if used & found} - found:
        found |= more
    return found


def edit_end(path: Path, function: str, line: str) -> None:
    """Put a line before the last return of a function."""
    text = path.read_text()
    node = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == function
    )
    lines = text.splitlines()
    lines.insert(node.body[-1].lineno - 1, f"    {line}")
    path.write_text("\n".join(lines) + "\n")


EDITED = "devices.limiters", "cables.stiffness.flexure", "collision.distance", "multibody.drums"
"""Files with a first kernel that some, but not all others use."""
MISTAKEN = 2
"""Most kernels with an attribute that has the name of a global, which they do not use."""


def test_in_the_package_an_edit_concerns_users_alone(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    kernels = tree / "cable_sim" / "kernels"
    shutil.copytree(
        ROOT / "cable_sim", tree / "cable_sim", ignore=shutil.ignore_patterns("__pycache__")
    )
    before = tree_digests(tree)
    assert len(before) > 1000
    named = named_in(tree)
    paths = {file: kernels / f"{file.replace('.', '/')}.py" for file in EDITED}
    for path in paths.values():
        moved = f"# moved\n\n{path.read_text()}".replace('"""\n', ' It is so."""\n')
        path.write_text(moved)
    assert tree_digests(tree) == before
    for file, path in paths.items():
        original = path.read_text()
        module = f"cable_sim.kernels.{file}"
        leaf = next(name for name in before if name.rpartition(".")[0] == module)
        edit_end(path, leaf.rpartition(".")[2], "edited = 1.0")
        after = tree_digests(tree)
        changed = {name for name in before if before[name] != after[name]}
        concerned = users(leaf, named) & before.keys()
        assert changed >= concerned
        assert len(changed - concerned) <= MISTAKEN
        path.write_text(original)
