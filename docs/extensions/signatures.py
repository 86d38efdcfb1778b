"""Signatures as the sources have them: ``mass: Positive = 1.0`` says more than what the name
``Positive`` stands for.

Names of this package become links; fields of specs, data classes and named tuples are the
parameters of these.
"""

import ast
import inspect
import sys
import textwrap
import typing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Linked(ast.NodeTransformer):
    """Annotations in which names of this package are written out, for Sphinx to link and to shorten
    again."""

    def __init__(self, module: str) -> None:
        self.names = vars(sys.modules[module])

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A class of the project by where it comes from; a choice as what can be chosen; another
        name as it is."""
        found = self.names.get(node.id)
        if typing.get_origin(found) is typing.Literal:
            return ast.parse(f"Literal{list(typing.get_args(found))}", mode="eval").body
        if not (
            isinstance(found, type) and found.__module__.startswith(("cable_sim.", "validation."))
        ):
            return node
        return ast.parse(f"~{found.__module__}.{found.__qualname__}", mode="eval").body

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A type without what else ``Annotated`` says of it."""
        if (
            isinstance(node.value, ast.Name)
            and node.value.id == "Annotated"
            and isinstance(node.slice, ast.Tuple)
        ):
            return self.visit(node.slice.elts[0])
        return self.generic_visit(node)  # type: ignore[return-value]


def signature_of(thing: Any) -> tuple[str, str | None] | None:
    """Parameters and result in the words of the source; None where there is none, or nothing to
    tell."""
    thing = inspect.unwrap(getattr(thing, "__func__", thing))
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]
    except (OSError, TypeError, IndexError):
        return None
    if isinstance(tree, ast.ClassDef):
        init = next(
            (part for part in tree.body if isinstance(part, Function) and part.name == "__init__"),
            None,
        )
        arguments, result = (init.args, None) if init else (_fields(tree), None)
    elif isinstance(tree, Function):
        arguments, result = tree.args, tree.returns
    else:
        return None
    if arguments is None:
        return "()", None
    _without_self(arguments)
    linked = Linked(thing.__module__)
    told = ast.unparse(linked.visit(arguments))
    return f"({told})", ast.unparse(linked.visit(result)) if result else None


def _fields(tree: ast.ClassDef) -> ast.arguments | None:
    """The fields of a class as arguments; None for a protocol and a class without."""
    fields = [
        part
        for part in tree.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    ]
    fields = [field for field in fields if not _settled(field)]
    if not fields or any(
        isinstance(base, ast.Name) and base.id == "Protocol" for base in tree.bases
    ):
        return None
    listed = [ast.arg(field.target.id, field.annotation) for field in fields]  # type: ignore[union-attr]
    defaults = [field.value for field in fields if field.value is not None]
    return ast.arguments([], listed, None, [], [], None, defaults)


def _settled(field: ast.AnnAssign) -> bool:
    """Whether a field has one value only, by which files tell classes apart."""
    type_ = field.annotation
    only = isinstance(type_, ast.Subscript) and isinstance(type_.slice, ast.Constant)
    return only and ast.unparse(type_).startswith("Literal[") and field.value is not None


def _without_self(arguments: ast.arguments) -> None:
    """Take ``self`` or ``cls`` out."""
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        del arguments.args[0]


def process(
    app: "Sphinx",
    what: str,
    name: str,
    thing: Any,
    options: object,
    signature: str | None,
    result: str | None,
) -> tuple[str, str | None] | None:
    """For ``autodoc-process-signature``; None leaves what autodoc has found."""
    return (
        signature_of(thing) if what in ("class", "function", "method") and callable(thing) else None
    )


def skip(
    app: "Sphinx", what: str, name: str, thing: Any, skipped: bool, options: object
) -> bool | None:
    """For ``autodoc-skip-member``: fields of named tuples are told of with their class."""
    return True if type(thing).__name__ == "_tuplegetter" else None


def setup(app: "Sphinx") -> dict[str, object]:
    """Show all signatures in this way."""
    app.connect("autodoc-skip-member", skip)
    app.connect("autodoc-process-signature", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
