"""Pages of the gallery: one for each kind of exhibit, from their records alone.

So the pages include exhibits that were kept.
"""

from collections.abc import Iterable
from pathlib import Path

from validation.gallery.building import Record, folder_of, record_of
from validation.gallery.exhibits import Exhibit

INTRODUCTIONS = {
    "papers": """# Papers, run again

What was printed, what theory says, and what comes out here. Pictures of the papers are not copied: where a figure has
numbers or curves, they are drawn or tabulated beside ours. `cable-sim papers NAME` runs one of them.
""",
    "acceptance": """# Acceptance scenarios

What a crane simulator has to pass: what is expected, by closed forms or by equations that are integrated beside the
simulator, and what comes out. `cable-sim accept NAME` runs one of them.
""",
    "cranes": """# Cranes

Every crane of the catalogue, left alone for a while. `cable-sim view --local NAME` shows one of them in the browser, to
drive. Ropes are grey when slack, and go from dark blue over magenta to coral at a quarter of their breaking
force, where that is known.
""",
    "scenes": """# Scenes

Every scene of the catalogue at its defaults, after a while. `cable-sim view --local NAME` shows one of them in the
browser, and `cable_sim.load_scene(NAME)` gives it to a program.
""",
}
PICTURED = ("cranes", "scenes")
"""Kinds whose exhibits are pictures on one page; the others have a page each."""
HEADER = ("| name | | result |", "|---|---|---|")


def write_pages(out: Path, listed: Iterable[Exhibit]) -> list[Path]:
    """Write the page of each kind of exhibit; returns these pages.

    Failed exhibits get a page of their own.
    """
    kinds: dict[str, list[Exhibit]] = {}
    for exhibit in listed:
        kinds.setdefault(exhibit.kind, []).append(exhibit)
    pages = []
    for kind, of_kind in kinds.items():
        shown = [(exhibit, record_of(out, exhibit)) for exhibit in of_kind]
        text = pictures_page(shown) if kind in PICTURED else table_page(out, shown)
        pages.append(_write(out / f"{kind}.md", f"{INTRODUCTIONS[kind]}\n{text}"))
    return pages


def table_page(out: Path, shown: list[tuple[Exhibit, Record | None]]) -> str:
    """Return a table of exhibits with pages of their own, and the tree of these pages."""
    lines = [*HEADER]
    pages = []
    for exhibit, record in shown:
        if record is None:
            lines.append(f"| `{exhibit.name}` | | not made yet |")
            continue
        page = f"{exhibit.kind}/{exhibit.name}/index"
        pages.append(page)
        if record.error:
            _write(
                folder_of(out, exhibit) / "index.md", f"# {record.made.title}\n\n{failure(record)}"
            )
        lines.append(
            f"| `{exhibit.name}` | [{_cell(record.made.title)}]({page}.md) | {_result(record)} |"
        )
    tree = ["```{toctree}", ":hidden:", "", *pages, "```"] if pages else []
    return "\n".join([*lines, "", *tree, ""])


def pictures_page(shown: list[tuple[Exhibit, Record | None]]) -> str:
    """Return a page of pictures, one below the other, under the headings of their groups."""
    parts = []
    group = ""
    for exhibit, record in shown:
        if exhibit.group != group:
            group = exhibit.group
            parts.append(f"## {group}\n")
        parts.append(f"{'###' if group else '##'} {exhibit.name}\n\n{exhibit.title}\n")
        if record is None:
            parts.append("*Not made yet.*\n")
        elif record.error:
            parts.append(failure(record))
        else:
            parts.append(
                f"![{exhibit.name}]({exhibit.kind}/{exhibit.name}/picture.png)\n\n*{record.made.caption}*\n"
            )
    return "\n".join(parts)


def failure(record: Record) -> str:
    """Return the error of an exhibit that could not be made."""
    return f"**Failed:** {_cell(record.error)}\n\n```text\n{record.trace.rstrip()}\n```\n"


def _result(record: Record) -> str:
    """Return the result of a study, for the table."""
    if record.error:
        return f"**failed**: {_cell(record.error)}"
    missed = f"; **missed**: {_cell(', '.join(record.made.missed))}" if record.made.missed else ""
    return f"{record.made.summary}{missed}"


def _cell(text: str) -> str:
    """Return a text in one line, for a table's cell."""
    return " ".join(text.split()).replace("|", "\\|")


def _write(path: Path, text: str) -> Path:
    """Write a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
