"""The class diagram of a scene, from the fields of its specs."""

import dataclasses
import typing
from types import UnionType
from typing import Any

from cable_sim.spec import Scene

COLUMN = 230
LINE = 15
HEAD = 24
MARGIN = 14
GAP = 16
COLUMNS = 4
FONT = "font-family='sans-serif' dominant-baseline='central'"


def specs_of(kind: Any) -> list[type]:
    """Return the spec classes that a field's type holds, in the order in which it names them."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return [kind]
    inner = typing.get_args(kind) if _holds(kind) else ()
    return list(dict.fromkeys(found for part in inner for found in specs_of(part)))


def _holds(kind: Any) -> bool:
    origin = typing.get_origin(kind)
    return origin in (tuple, typing.Union, UnionType, typing.Annotated)


def drawing() -> str:
    """Return an SVG with the scene, and for each kind of part its class and fields."""
    hints = typing.get_type_hints(Scene, include_extras=True)
    parts = [(name, spec) for name, kind in hints.items() for spec in specs_of(kind)]
    boxes = []
    tops = [MARGIN + 3 * HEAD] * COLUMNS
    for name, spec in parts:
        column = tops.index(min(tops))
        fields = [field.name for field in dataclasses.fields(spec)]
        boxes.append(_box(MARGIN + column * (COLUMN + GAP), tops[column], name, spec, fields))
        tops[column] += HEAD + LINE * len(fields) + GAP + LINE
    width = 2 * MARGIN + COLUMNS * (COLUMN + GAP) - GAP
    height = max(tops)
    return "\n".join([*_frame(width, height), *boxes, "</svg>", ""])


def _frame(width: int, height: int) -> list[str]:
    """Return the head of the drawing, with the scene on top."""
    return [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' "
        f"width='{width}' height='{height}'>",
        "<title>Class diagram of a scene: its fields, and the classes of their items</title>",
        f"<rect width='{width}' height='{height}' fill='#ffffff'/>",
        f"<rect x='{MARGIN}' y='{MARGIN}' width='{width - 2 * MARGIN}' height='{HEAD + 10}' rx='4' "
        "fill='#1d2b38'/>",
        f"<text x='{width / 2:g}' y='{MARGIN + HEAD / 2 + 5:g}' {FONT} font-size='15' "
        "text-anchor='middle' fill='#ffffff'>Scene</text>",
    ]


def _box(left: int, top: int, name: str, spec: type, fields: list[str]) -> str:
    """Return one class: the scene's field above, the class's name, then its fields."""
    rows = [
        f"<text x='{left + 10}' y='{top + HEAD + LINE * (i + 0.7):g}' {FONT} font-size='11' "
        f"fill='#1d2b38'>{field}</text>"
        for i, field in enumerate(fields)
    ]
    height = HEAD + LINE * len(fields) + 6
    return "\n".join(
        [
            f"<text x='{left}' y='{top - 8}' {FONT} font-size='11' fill='#666666'>{name}</text>",
            f"<rect x='{left}' y='{top}' width='{COLUMN}' height='{height}' rx='4' "
            "fill='#eef3f8' stroke='#7d93a8'/>",
            f"<text x='{left + 10}' y='{top + HEAD / 2:g}' {FONT} font-size='13' "
            f"font-weight='bold' fill='#1d2b38'>{spec.__name__}</text>",
            *rows,
        ]
    )
