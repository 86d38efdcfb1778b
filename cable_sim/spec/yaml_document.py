"""YAML text as plain values that remember where in the file they stand.

YAML 1.2 as ruamel reads it: ``1e7`` is a number, ``on``, ``yes`` and ``2026-11-23`` are text. Keys
that stand twice are collected instead of the last one winning, because that is how a wrong value
survives a review. A short text can't grow without bounds: depth and aliases are limited.
"""

import reprlib
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from cable_sim.errors import Problem

Path = tuple[str | int, ...]

DEEPEST = 50
"""Largest depth of nested lists and mappings."""
MOST_REPEATED = 10_000
"""Largest number of values that all aliases of a file together may repeat."""
_STANDARD = "tag:yaml.org,2002:"
_TEXTS = ("str", "timestamp", "merge", "value")
"""Tags of texts. ruamel gives all but the first to unquoted text."""
_TAGS = {
    ScalarNode: (*_TEXTS, "null", "bool", "int", "float"),
    SequenceNode: ("seq",),
    MappingNode: ("map",),
}
"""Known tags by type of node."""


@dataclass
class Document:
    """A parsed file: ``data`` in plain Python values, and the problems found on the way.

    ``values`` and ``keys`` give line and column, from 1, of the value at a path and of the key that
    names it.
    """

    file: str
    data: Any = None
    values: dict[Path, tuple[int, int]] = field(default_factory=dict)
    keys: dict[Path, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def problem_at(self, path: Path, problem: str, at_key: bool = False) -> Problem:
        """Return the problem with the place of the deepest known part of ``path``."""
        known = path
        while known and known not in self.values:
            known = known[:-1]
        place = (self.keys.get(known) if at_key else None) or self.values.get(known, (1, 1))
        return Problem(self.file, *place, dotted_path(path), problem)


def dotted_path(path: Path) -> str:
    """Return a path as text: ``site.platforms[0].height``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def parse_document(text: str, file: str = "<text>") -> Document:
    """Parse YAML text; its errors are in the document's ``problems``, and none is raised."""
    document = Document(file)
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _BoundedComposer
    try:
        root = yaml.compose(text)
        if root is None:
            document.problems.append(Problem(file, 1, 1, "", "is empty"))
        else:
            document.data = _construct(yaml, root, (), document)
            if document.data is None and not document.problems:
                document.problems.append(Problem(file, *_place(root), "", "is empty"))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        sentence = ", ".join(part for part in (error.context, error.problem) if part)
        told = sentence if isinstance(error, _Excess) else f"is not YAML: {sentence}"
        document.problems.append(Problem(file, line, column, "", told))
    except (
        YAMLError
    ) as error:  # a character that YAML forbids: no mark, only a position in the text
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        document.problems.append(
            Problem(file, line, 1, "", f"is not YAML: {str(error).splitlines()[0]}")
        )
    return document


class _Excess(MarkedYAMLError):
    """Error of correct YAML that grows beyond all bounds."""


class _BoundedComposer(Composer):
    """ruamel's composer with bounds on depth and aliases, so that a short text stays small.

    Aliases of aliases multiply. So values are counted as often as they appear in the whole
    document. The counts of the parts suffice: nothing is repeated for that.
    """

    def __init__(self, loader: Any = None) -> None:
        super().__init__(loader)
        self._level = self._count = self._repeated = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Node:
        """Compose the next node; raise _Excess if it is too deep, or repeats too many values."""
        event = self.parser.peek_event()
        before = self._count
        if self._level == DEEPEST:
            told = f"is nested more than {DEEPEST} levels deep"
            raise _Excess(None, None, told, event.start_mark)
        self._level += 1
        node = super().compose_node(parent, index)
        self._level -= 1
        if isinstance(event, AliasEvent):
            self._repeat(node, event)
        else:
            self._count += 1
            self._sizes[id(node)] = self._count - before
        return node

    def _repeat(self, node: Node, event: AliasEvent) -> None:
        """Count the values of an alias."""
        if id(node) not in self._sizes:
            told = f"*{event.anchor} is inside the value that it refers to"
            raise _Excess(None, None, told, event.start_mark)
        self._count += self._sizes[id(node)]
        self._repeated += self._sizes[id(node)]
        if self._repeated > MOST_REPEATED:
            told = f"aliases up to *{event.anchor} repeat {self._repeated} values"
            raise _Excess(None, None, f"{told}; {MOST_REPEATED} are allowed", event.start_mark)


def _construct(yaml: YAML, node: Node, path: Path, document: Document) -> Any:
    """Return the plain value of a node."""
    document.values[path] = _place(node)
    kind = str(node.tag).removeprefix(_STANDARD)
    if kind not in _TAGS[type(node)]:
        tag = str(node.tag).replace(_STANDARD, "!!")
        told = f"the tag {tag} is not known here; leave it out"
        document.problems.append(document.problem_at(path, told))
        return None
    if isinstance(node, ScalarNode):
        return _scalar(yaml, node, kind, path, document)
    if isinstance(node, SequenceNode):
        return [_construct(yaml, item, (*path, i), document) for i, item in enumerate(node.value)]
    assert isinstance(node, MappingNode)
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = key_node.value if isinstance(key_node, ScalarNode) else "?"
        below = (*path, key)
        if key in mapping:
            line = document.keys[below][0]
            problem = Problem(
                document.file,
                *_place(key_node),
                dotted_path(below),
                f"duplicate key; first defined on line {line}",
            )
            document.problems.append(problem)
            continue
        document.keys[below] = _place(key_node)
        mapping[key] = _construct(yaml, value_node, below, document)
    return mapping


def _scalar(yaml: YAML, node: ScalarNode, kind: str, path: Path, document: Document) -> Any:
    """Return the value of a node without parts, whose tag gives its type."""
    if kind in _TEXTS:
        return node.value
    try:
        return yaml.constructor.construct_object(node, deep=True)
    except Exception:  # ruamel leaves it to whatever it calls
        problem = f"{reprlib.repr(node.value)} can't be read as its tag {kind}"
        document.problems.append(document.problem_at(path, problem))
        return None


def _place(node: Node) -> tuple[int, int]:
    """Return line and column of a node, counted from 1."""
    return node.start_mark.line + 1, node.start_mark.column + 1
