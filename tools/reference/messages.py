"""The page of the messages, from the comments in their files; needs no ROS."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

HEAD = """\
# Messages

<!-- written by make reference from msg/*.msg -->

The types of this package, field by field, with the unit behind the type; topics and rates: [ros.md](ros.md).
"""
LINE = re.compile(
    r"(?P<type>[\w/<>=\[\]]+) +(?P<name>\w+)"
    r"(?:=(?P<constant>\S+)| +(?P<default>[^#\s]+))? *# ?(?P<text>.*)"
)
UNIT = re.compile(r"\[([^\]]+)\] ?")
WORDS = re.compile(r"in (?:the same )?SI units")


class Field(NamedTuple):
    """A field or a constant: what it is, and what its comment says."""

    type: str
    name: str
    constant: str
    default: str
    text: str

    @property
    def unit(self) -> str:
        """Its unit, as the comment begins with it or says it."""
        given = UNIT.match(self.text)
        return given[1] if given else "SI" if WORDS.search(self.text) else "-"

    @property
    def meaning(self) -> str:
        """The comment without what has a column of its own."""
        return UNIT.sub("", self.text, count=1).removesuffix("; no unit").strip()


def page(files: Iterable[Path]) -> str:
    """The text of the page, a section for each file."""
    read = {path.stem: path.read_text(encoding="utf-8") for path in files}
    return "\n".join([HEAD, *(_section(name, text, set(read)) for name, text in read.items())])


def _section(name: str, text: str, known: set[str]) -> str:
    """One message: its comment, its constants, and its fields group by group."""
    about, _, body = text.partition("\n\n")
    prose = "\n".join(line.removeprefix("#").strip() for line in about.splitlines())
    parts = [f"## {name}", prose]
    for title, fields in _groups(body):
        constants = [field for field in fields if field.constant]
        others = [field for field in fields if not field.constant]
        parts += [title] * bool(title) + [_constants(constants)] * bool(constants)
        parts += [_table(others, known)] * bool(others)
    return "\n\n".join(parts) + "\n"


def _groups(body: str) -> Iterator[tuple[str, list[Field]]]:
    """Fields in groups, each with the comment that stands alone before it, as a sentence."""
    title: list[str] = []
    fields: list[Field] = []
    for line in body.splitlines():
        if line.startswith("#"):
            if fields:
                yield _sentence(title), fields
                title = []
                fields = []
            title.append(line.removeprefix("#").strip())
        elif line.lstrip().startswith("#"):
            fields[-1] = fields[-1]._replace(text=f"{fields[-1].text} {line.lstrip(' #')}")
        elif line.strip():
            fields.append(field_of(line))
    if fields:
        yield _sentence(title), fields


def field_of(line: str) -> Field:
    """A line of a message; ValueError for one without a comment."""
    found = LINE.fullmatch(line.rstrip())
    if found is None:
        raise ValueError(f"not a field with a comment: {line!r}")
    return Field(**{key: value or "" for key, value in found.groupdict().items()})


def _sentence(words: list[str]) -> str:
    """Words as a sentence; empty without any."""
    text = " ".join(words)
    return f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""


def _constants(fields: list[Field]) -> str:
    """Constants as a table."""
    lines = ["| constant | value | meaning |", "| --- | --- | --- |"]
    return "\n".join(
        [*lines, *(f"| `{one.name}` | {one.constant} | {one.meaning} |" for one in fields)]
    )


def _table(fields: list[Field], known: set[str]) -> str:
    """Fields as a table; the unit stands behind the type, but where the meaning has it."""
    lines = ["| field | type | meaning |", "| --- | --- | --- |"]
    for one in fields:
        unit = f" [{one.unit}]" if one.unit not in ("-", "SI") else ""
        default = f", default `{one.default}`" if one.default else ""
        lines.append(f"| `{one.name}` | {_type(one.type, known)}{unit}{default} | {one.meaning} |")
    return "\n".join(lines)


def _type(type_: str, known: set[str]) -> str:
    """A type; one of this package as a link to its section."""
    own = type_.removeprefix("cable_sim/").removesuffix("[]")
    return f"[`{type_}`](#{own.lower()})" if own in known else f"`{type_}`"
