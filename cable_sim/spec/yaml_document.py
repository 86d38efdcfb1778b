"""YAML text as plain values that remember where in the file they stand.

YAML 1.2 as ruamel reads it: ``1e7`` is a number, ``on`` and ``yes`` are text. Keys that stand twice are
collected instead of the last one winning, because that is how a wrong value survives a review.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

Path = tuple[str | int, ...]


class Problem(NamedTuple):
    """One thing that is wrong with a file: where (line and column count from 1), in which field, and what."""

    file: str
    line: int
    column: int
    field: str
    problem: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: "
        return where + (f"{self.field}: " if self.field else "") + self.problem


@dataclass
class Document:
    """A parsed file: ``data`` in plain Python values, and the problems found on the way.

    ``values`` and ``keys`` give line and column, from 1, of the value at a path and of the key that names it.
    """

    file: str
    data: Any = None
    values: dict[Path, tuple[int, int]] = field(default_factory=dict)
    keys: dict[Path, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def problem_at(self, path: Path, problem: str, at_key: bool = False) -> Problem:
        """The problem with the place of the deepest known part of ``path``."""
        known = path
        while known and known not in self.values:
            known = known[:-1]
        place = (self.keys.get(known) if at_key else None) or self.values.get(known, (1, 1))
        return Problem(self.file, *place, dotted(path), problem)


def dotted(path: Path) -> str:
    """A path as one writes it: ``site.platforms[0].height``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def parse_document(text: str, file: str = "<text>") -> Document:
    """Parse YAML text; what is wrong with it as YAML is in the document's ``problems``, nothing is raised."""
    document = Document(file)
    yaml = YAML(typ="safe", pure=True)
    try:
        root = yaml.compose(text)
        if root is None:
            document.problems.append(Problem(file, 1, 1, "", "is empty"))
        else:
            document.data = _construct(yaml, root, (), document, ())
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        sentence = ", ".join(part for part in (error.context, error.problem) if part)
        document.problems.append(Problem(file, line, column, "", f"is not YAML: {sentence}"))
    except YAMLError as error:  # a character that YAML forbids: no mark, only a position in the text
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        document.problems.append(Problem(file, line, 1, "", f"is not YAML: {str(error).splitlines()[0]}"))
    return document


def _construct(yaml: YAML, node: Node, path: Path, document: Document, above: tuple[int, ...]) -> Any:
    """The plain value of a node; ``above`` are the nodes that enclose it."""
    document.values[path] = _place(node)
    if id(node) in above:
        document.problems.append(document.problem_at(path, "refers to itself"))
        return None
    above = (*above, id(node))
    if isinstance(node, ScalarNode):
        return yaml.constructor.construct_object(node, deep=True)
    if isinstance(node, SequenceNode):
        return [_construct(yaml, item, (*path, i), document, above) for i, item in enumerate(node.value)]
    assert isinstance(node, MappingNode)
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = key_node.value if isinstance(key_node, ScalarNode) else "?"
        below = (*path, key)
        if key in mapping:
            line = document.keys[below][0]
            problem = Problem(document.file, *_place(key_node), dotted(below), f"stands twice; first in line {line}")
            document.problems.append(problem)
            continue
        document.keys[below] = _place(key_node)
        mapping[key] = _construct(yaml, value_node, below, document, above)
    return mapping


def _place(node: Node) -> tuple[int, int]:
    """Line and column of a node, counted from 1."""
    return node.start_mark.line + 1, node.start_mark.column + 1
