"""Writer of the table of parameters, as a page and as a parameter file.

``python -m cable_sim.ros.node.parameter_page`` writes both in the source tree: the part of
``docs/reference/parameters.md`` between two marks, and ``config/crane_node.yaml``.
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cable_sim.cranes import load_crane
from cable_sim.ros.basis.crane_parameters import rows_of
from cable_sim.ros.basis.parameters import TABLE, Row, Value

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "reference" / "parameters.md"
FILE = ROOT / "config" / "crane_node.yaml"
BEGIN = "<!-- written by python -m cable_sim.ros.node.parameter_page -->"
END = "<!-- until here -->"
EXAMPLE = "tower_12t"
SENSOR = "trolley.position"
AXIS = "trolley"
"""Crane, sensor and axis whose rows stand for those of all cranes on the page."""

HEAD = """\
# Parameters of the simulator node, with their defaults{of}.
# Numbers need a decimal point where there is one here. Rows with (start) are read-only afterwards.
/**:
  ros__parameters:
"""
COLUMNS = ("parameter", "default", "unit", "range", "set", "meaning")
ANY = {bool: "true, false", str: "text", int: "whole numbers", float: "finite numbers"}
"""Allowed values of a row without a range, by the type of its default."""


def write() -> list[Path]:
    """Write page and file; returns those that have changed."""
    texts = {PAGE: page(PAGE.read_text(encoding="utf-8")), FILE: file(TABLE)}
    changed = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    for path in changed:
        path.write_text(texts[path], encoding="utf-8")
    return changed


def page(text: str) -> str:
    """Return the text with the tables between its marks."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    known = rows_of(load_crane(EXAMPLE))
    sensors, drives = (
        table(_pattern(row) for row in known if row.name.startswith(start))
        for start in (f"noise.{SENSOR}", f"drives.{AXIS}")
    )
    rest = table(
        row for row in known if row.name.startswith(("model", "sensor_rates", "noise.seed"))
    )
    return (
        f"{before}{BEGIN}\n{table(TABLE)}\n\n"
        f"Those that depend on the crane; here the defaults of `{EXAMPLE}`:\n\n{rest}\n\n"
        "For each sensor, by its name in the crane's control, such as "
        f"`noise.{SENSOR}.std`:\n\n{sensors}\n\n"
        f"For each axis, such as `drives.{AXIS}.max_speed`:\n\n{drives}\n{END}{after}"
    )


def table(rows: Iterable[Row]) -> str:
    """Return rows as a table of Markdown."""
    lines = [COLUMNS, ("---",) * len(COLUMNS)]
    for row in rows:
        when = "at start" if row.read_only else "any time"
        default = (
            row.default
            if isinstance(row.default, str) and row.default.startswith("the ")
            else _default_text(row.default)
        )
        lines.append(
            (
                f"`{row.name}`",
                default,
                row.unit,
                row.range or ANY[type(row.default)],
                when,
                row.description,
            )
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def file(rows: Sequence[Row], crane: str = "") -> str:
    """Return rows as a parameter file for any node; for a ``crane`` where they depend on it."""
    tree: dict[str, Any] = {}
    for row in rows:
        *parts, last = row.name.split(".")
        branch = tree
        for part in parts:
            branch = branch.setdefault(part, {})
        branch[last] = row
    lines = list(_lines(tree, "    "))
    width = max(len(line) for line, _ in lines) + 2
    of = f" for {crane}" if crane else ""
    return HEAD.format(of=of) + "".join(
        f"{line:{width}}{comment}".rstrip() + "\n" for line, comment in lines
    )


def _lines(tree: dict[str, Any], margin: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file, and the comment behind each."""
    for name, found in tree.items():
        if isinstance(found, Row):
            unit = "" if found.unit == "-" else f" [{found.unit}]"
            range_ = f"; {found.range}" if found.range else ""
            comment = f"# {'(start) ' if found.read_only else ''}{found.description}{unit}{range_}"
            yield f"{margin}{name}: {_yaml(found.default)}", comment
        else:
            yield f"{margin}{name}:", ""
            yield from _lines(found, margin + "  ")


def _pattern(row: Row) -> Row:
    """Return a row of one sensor or axis as that of any."""
    *_, word = row.name.split(".")
    if row.name.startswith("noise."):
        unit = "the sensor's" if word in ("std", "bias", "quantum") else row.unit
        allowed = (row.range or ANY[type(row.default)],)
        return row._replace(
            name=f"noise.<sensor>.{word}", default="the crane's", unit=unit, choices=allowed
        )
    if row.choices:
        return row._replace(name=f"drives.<axis>.{word}")
    unit = (
        f"{row.unit} or N m"
        if row.unit == "N"
        else f"{row.unit} or {row.unit.replace('m', 'rad', 1)}"
    )
    share = f"{row.lower / row.upper:g} ... 1 of that" if row.lower and row.upper else ""
    return row._replace(
        name=f"drives.<axis>.{word}", default="the crane's", unit=unit, choices=(share,)
    )


def _default_text(value: Value) -> str:
    """Return a default for the page."""
    return "(empty)" if value == "" else f"`{_yaml(value)}`"


def _yaml(value: Value) -> str:
    """Return a value in YAML."""
    if isinstance(value, float) and math.isinf(value):
        return ".inf" if value > 0.0 else "-.inf"
    plain = isinstance(value, str) and value.replace("_", "").isalnum()
    return str(value) if plain else json.dumps(value)


if __name__ == "__main__":
    for path in write():
        print(f"written: {path.relative_to(ROOT)}")
