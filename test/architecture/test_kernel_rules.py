"""How kernels are written (docs/architecture.md, kernels, rule 2 and 4) and how long files and
functions may be.

Arguments are numbers, arrays and records; lists of arrays come in the groups ``# Model``, ``#
State``, ``# Out``. What is written, or the record that it is in, ends in ``_out`` and comes last.
Nothing else is written, neither by the function itself nor by one that it hands an array to.
Nothing is allocated, printed or raised. Functions that take the containers m, s, c, w, o (the step
and the observer) unpack them and are exempt.
"""

import ast
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "cable_sim"
USES = (ROOT / "cable_sim_studies", ROOT / "validation")
KERNELS = [
    path
    for path in sorted((PACKAGE / "kernels").rglob("*.py"))
    if path.parent.name != "records"
    and path.name
    not in ("__init__.py", "compiler.py", "identity.py", "jit.py", "lowering.py", "pins.py")
]
CONTAINERS = {"m", "s", "c", "w", "o"}
UNPACKING = {"step.py", "observe.py", "ropes.py", "spans.py", "wind.py", "wire_rows.py", "wires.py"}
UNPACKING |= {"collide.py"}
GROUPS = ["Model", "State", "Out"]
FORBIDDEN = {
    ast.Raise: "raises",
    ast.Try: "catches",
    ast.Assert: "asserts",
    ast.List: "makes a list",
    ast.Dict: "makes a dict",
    ast.Set: "makes a set",
    ast.ListComp: "makes a list",
    ast.DictComp: "makes a dict",
    ast.SetComp: "makes a set",
    ast.GeneratorExp: "makes a generator",
    ast.JoinedStr: "makes a string",
}
FORBIDDEN_CALLS = {"print", "list", "dict", "set", "open", "copy", "zeros_like", "empty_like"}
LIBRARIES = {"np", "numpy"}
MOST_FILE_LINES, MOST_FUNCTION_LINES, MOST_ARGUMENTS, MEDIAN_ARGUMENTS = 500, 40, 9, 4

Function = ast.FunctionDef


def functions(tree: ast.AST) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def parameters(function: Function) -> list[str]:
    return [argument.arg for argument in function.args.args]


def takes_containers(path: Path, function: Function) -> bool:
    return path.name in UNPACKING and bool(CONTAINERS & set(parameters(function)))


def base_name(node: ast.expr) -> str | None:
    """The name that an expression like ``a``, ``a[i]``, ``a[:, 3:][k]`` or ``a.gap[r]`` is
    about."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


class Signatures:
    """Parameters of every kernel, by module and name, and what a module's calls refer to."""

    def __init__(self, paths: list[Path]) -> None:
        self.known = {
            (path.stem, f.name): parameters(f)
            for path in paths
            for f in functions(ast.parse(path.read_text()))
        }

    def imports(self, tree: ast.AST) -> dict[str, str]:
        """Which module a name was imported from."""
        froms = [
            node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
        ]
        return {
            alias.asname or alias.name: str(node.module).split(".")[-1]
            for node in froms
            for alias in node.names
        }

    def called(self, call: ast.Call, module: str, imports: dict[str, str]) -> list[str]:
        """Parameters of the kernel that is called; empty if it is none."""
        if isinstance(call.func, ast.Name):
            return self.known.get((imports.get(call.func.id, module), call.func.id), [])
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            return self.known.get((call.func.value.id, call.func.attr), [])
        return []


def targets(node: ast.AST) -> Iterator[ast.expr]:
    """Single targets of an assignment."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from target.elts if isinstance(target, ast.Tuple) else [target]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        yield node.target


def aliases(function: Function) -> dict[str, str]:
    """Local names of arrays or parts of arrays: ``mine = factor_out[a:b]`` makes mine another name
    of factor_out."""
    found = {name: name for name in parameters(function)}
    for node in ast.walk(function):
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1):
            continue
        target, value = node.targets[0], node.value
        both_tuples = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        pairs = zip(target.elts, value.elts, strict=True) if both_tuples else [(target, value)]
        for name, part in pairs:
            source = base_name(part)
            if isinstance(name, ast.Name) and source in found and name.id not in found:
                found[name.id] = found[source]
    return found


def written(function: Function, path: Path, tree: ast.AST, signatures: Signatures) -> Iterator[str]:
    """Sentences about arrays that are written without being called ``_out``."""
    names, imports = aliases(function), signatures.imports(tree)

    def is_wrong(node: ast.expr) -> bool:
        owner = names.get(base_name(node) or "", "")
        return bool(owner) and not owner.endswith("_out")

    for node in ast.walk(function):
        for target in targets(node):
            if isinstance(target, ast.Subscript) and is_wrong(target):
                yield f"writes {ast.unparse(target)}"
        if isinstance(node, ast.Call):
            takes = signatures.called(node, path.stem, imports)
            for parameter, argument in zip(takes, node.args, strict=False):
                if parameter.endswith("_out") and is_wrong(argument):
                    yield f"lets {ast.unparse(node.func)} write {ast.unparse(argument)}"


def ordered(function: Function, lines: list[str]) -> Iterator[str]:
    """Sentences about arguments out of order."""
    names = parameters(function)
    is_out = [name.endswith("_out") for name in names]
    if is_out != sorted(is_out):
        yield f"has an argument after those that end in _out: {names}"
    head = lines[function.lineno - 1 : function.body[0].lineno - 1]
    groups = [match[1] for line in head if (match := re.match(r"\s*# (\w+)$", line))]
    if groups != [group for group in GROUPS if group in groups]:
        yield f"has its groups as {groups}, not in the order {GROUPS}"
    if groups:
        after = "\n".join(head).partition("# Out")[2]
        listed = [name for name in names if re.search(rf"\b{name}\b", after)]
        if listed != [name for name in names if name.endswith("_out")]:
            yield f"has under # Out {listed}"


def impure(function: Function) -> Iterator[str]:
    """Sentences about what can't be inside compiled code."""
    for node in ast.walk(function):
        if type(node) in FORBIDDEN:
            yield FORBIDDEN[type(node)]
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.split(".")[0] in LIBRARIES or name.split(".")[-1] in FORBIDDEN_CALLS:
                yield f"calls {name}"


def offences(path: Path, signatures: Signatures) -> list[str]:
    """All that is wrong with a kernel file."""
    text = path.read_text()
    tree, lines, found = ast.parse(text), text.splitlines(), []
    for function in functions(tree):
        said = [*impure(function)]
        if not takes_containers(path, function):
            said += [*written(function, path, tree, signatures), *ordered(function, lines)]
        allowed = ["kernel", "inlined"] if takes_containers(path, function) else ["kernel"]
        if [ast.unparse(decorator) for decorator in function.decorator_list] not in [
            [name] for name in allowed
        ]:
            said.append(
                "is not decorated with @kernel alone, or @inlined where it takes containers"
            )
        found += [f"{path.name}:{function.lineno}: {function.name} {what}" for what in said]
    return found


@pytest.fixture(scope="module")
def signatures() -> Signatures:
    return Signatures(KERNELS)


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_keep_the_rules(path: Path, signatures: Signatures) -> None:
    assert offences(path, signatures) == []


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel_file_opens_with_its_derivation(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_kernels_take_few_arguments() -> None:
    taken = {
        f"{p.stem}.{f.name}": len(parameters(f))
        for p in KERNELS
        for f in functions(ast.parse(p.read_text()))
    }
    assert {name: count for name, count in taken.items() if count > MOST_ARGUMENTS} == {}
    assert statistics.median(taken.values()) <= MEDIAN_ARGUMENTS


WRONG = {
    "writes row_gap[0]": "def f(row_gap):\n    row_gap[0] = 1.0",
    "writes row_gap[0] ": "def f(row_gap):\n    row_gap[0] += 1.0",
    "writes rows.gap[0]": "def f(rows):\n    rows.gap[0] = 1.0",
    "lets g write rows.gap": "def g(a_out):\n    a_out[0] = 1.0\n\ndef f(rows):\n    g(rows.gap)",
    "writes part[0]": "def f(row_gap):\n    part = row_gap[3:]\n    part[0] = 1.0",
    "writes row_gap[:, 3:][0]": "def f(row_gap, b_out):\n    b_out[0], row_gap[:, 3:][0] = 1.0, "
    "2.0",
    "lets g write row_gap": "def g(a_out):\n    a_out[0] = 1.0\n\ndef f(row_gap):\n    g(row_gap)",
    "has an argument after": "def f(a_out, b):\n    a_out[0] = b",
    "has its groups as ['Out', 'State']": "def f(\n    # Out\n    a_out,\n    # State\n    "
    "b_out,\n):\n    return",
    "has under # Out ['b', 'a_out']": "def f(\n    # Out\n    b,\n    a_out,\n):\n    return",
    "raises": "def f(a):\n    raise ValueError(a)",
    "calls np.zeros": "def f(n):\n    return np.zeros(n)",
    "calls print": "def f(n):\n    print(n)",
    "makes a list": "def f(n):\n    return [n]",
}


@pytest.mark.parametrize("said", WRONG)
def test_a_kernel_that_breaks_a_rule_is_found(said: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("@kernel\n" + WRONG[said].replace("\ndef", "\n@kernel\ndef"))
    found = offences(path, Signatures([path]))
    assert len(found) == 1
    assert said.strip() in found[0]


def code_lines(function: Function, lines: list[str]) -> int:
    """Lines of a function's body that are neither docstring nor comment nor empty."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    if not body:
        return 0
    inside = lines[body[0].lineno - 1 : function.end_lineno]
    return sum(1 for line in inside if line.strip() and not line.strip().startswith("#"))


def test_files_and_functions_fit_on_a_page() -> None:
    """At most 500 lines a file, 40 lines of code a function, in the whole package and its uses."""
    offenders = []
    for path in sorted(path for room in (PACKAGE, *USES) for path in room.rglob("*.py")):
        lines = path.read_text().splitlines()
        if len(lines) > MOST_FILE_LINES:
            offenders.append(f"{path.relative_to(ROOT)}: {len(lines)} lines")
        for function in functions(ast.parse("\n".join(lines))):
            if (count := code_lines(function, lines)) > MOST_FUNCTION_LINES:
                where = f"{path.relative_to(ROOT)}:{function.lineno}"
                offenders.append(f"{where}: {function.name} has {count} lines of code")
    assert offenders == [], "\n".join(["too long:", *offenders])
