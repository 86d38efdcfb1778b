"""Tables in text files: comma, semicolon or tab between columns, decimal points or commas."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cable_sim.errors import SpecError
from cable_sim.spec.quantities import is_number

HEAD = re.compile(r"(?P<name>.*?)\s*[\[(](?P<unit>[^\])]*)[\])]\s*")
"""Pattern of a column's name with its unit in brackets."""


class Line(NamedTuple):
    """Line of a file with its cells; ``where`` tells the file and the line's ``number``."""

    where: str
    cells: list[str]
    number: int = 0


class TextTable(NamedTuple):
    """Lines of a table: the head, and those below it, with the mark between their cells."""

    head: Line
    rest: list[Line]
    mark: str


def read_lines(
    path: str | Path, needs: str, encodings: Sequence[str] = ("utf-8-sig",)
) -> TextTable:
    """Return the lines of a file with their cells, numbers with decimal points.

    Lines that begin with # are left out, and so is Excel's ``sep=``. SpecError, which says what the
    file ``needs``, for an empty one, and for one in none of the encodings.
    """
    text = _text(path, encodings)
    listed = {
        number: line
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.startswith("#") and not (number == 1 and line[:4] == "sep=")
    }
    if not listed:
        raise SpecError(f"{path}: is empty; it needs {needs}")
    first = next(iter(listed.values()))
    mark = next((mark for mark in "\t;" if mark in first), ",")
    below = "".join(line for line in listed.values() if line is not first)
    commas = mark != "," and "." not in below
    lines = [
        Line(
            f"{path}:{number}",
            [c.replace(",", ".") if commas and line is not first else c.strip() for c in cells],
            number,
        )
        for number, line in listed.items()
        for cells in csv.reader([line], delimiter=mark)
    ]
    for line in lines[1:]:
        if len(line.cells) != len(lines[0].cells):
            raise SpecError(
                f"{line.where}: has {len(line.cells)} values for {len(lines[0].cells)} columns"
            )
    return TextTable(lines[0], lines[1:], mark)


def take_units(rest: list[Line], count: int) -> list[str]:
    """Return the units of ``count`` columns, and take their line from below the head; else ""."""
    if rest and not any(map(is_number, rest[0].cells)) and any(rest[0].cells):
        return [cell.strip(" []()") for cell in rest.pop(0).cells]
    return [""] * count


def _text(path: str | Path, encodings: Sequence[str]) -> str:
    """Return the text of a file in the first encoding that fits."""
    try:
        data = Path(path).read_bytes()
    except (OSError, TypeError) as error:
        raise SpecError(f"{path}: is no readable text: {error}") from None
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ("utf-16",) if wide else encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            last = error
    raise SpecError(f"{path}: is no readable text in {encodings[0]}: {last}")
