"""Docstrings of the sources as reStructuredText.

They are written to be read as they stand: parameters are ``name: text`` below a heading, examples
and formulas are indented, and ``p*`` or ``|F v|`` mean what they say. Here the first become lists,
the second blocks, and the third is protected from being taken for markup.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HEADINGS = ("Parameters", "Attributes")
NAMED = re.compile(r"\w[\w, ]*: ")
KEPT = re.compile(
    r"``.+?``"  # code
    r"|:\w+:`[^`]+`"  # roles
    r"|(?<![\w*|])\*{1,2}(?=[^\s*])[^*]*[^\s*]\*{1,2}(?![\w*])"  # emphasis
)
MARKUP = re.compile(r"[*|]|_(?!\w)")


def convert(lines: list[str]) -> list[str]:
    """The lines of a docstring as those of reStructuredText."""
    made: list[str] = []
    rest = list(lines)
    while rest:
        line = rest.pop(0)
        if rest and line in HEADINGS and re.fullmatch(r"-+", rest[0]):
            rest.pop(0)
            made += _fields(line, rest)
        elif line.startswith("    ") and made and not made[-1]:
            block = [line]
            while rest and (not rest[0] or rest[0].startswith("    ")):
                block.append(rest.pop(0))
            made += [".. code-block:: none", "", *block, ""]
        elif line.startswith("* "):
            made.append("* " + protected(line[2:]))
        else:
            made.append(protected(line))
    return made


def protected(line: str) -> str:
    """A line in which only code, roles and emphasis are markup."""
    made, end = "", 0
    for kept in KEPT.finditer(line):
        made += MARKUP.sub(r"\\\g<0>", line[end : kept.start()]) + kept[0]
        end = kept.end()
    return made + MARKUP.sub(r"\\\g<0>", line[end:])


def _fields(heading: str, rest: list[str]) -> list[str]:
    """Take ``name: text`` up to the next paragraph from the lines, as a list; several names can
    share a text."""
    made = ["", f":{heading}:", ""]
    while rest and (NAMED.match(rest[0]) or rest[0].startswith("    ")):
        line = rest.pop(0)
        if line.startswith("    "):
            made.append(f"        {protected(line.strip())}")
            continue
        names, _, text = line.partition(": ")
        made += [
            "    " + ", ".join(f"``{name}``" for name in names.split(", ")),
            f"        {protected(text)}",
        ]
    return [*made, ""]


def process(
    app: "Sphinx", what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """For ``autodoc-process-docstring``."""
    lines[:] = convert(lines)


def setup(app: "Sphinx") -> dict[str, object]:
    """Convert all docstrings that are shown."""
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
