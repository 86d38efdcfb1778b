"""The pages of the reference that are made from the sources: messages, commands, and the drawing of
the floors.

The table of parameters is made in the package, which writes parameter files from the same rows.
"""

from collections.abc import Callable
from pathlib import Path

from tools.reference import commands, floors, messages

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES: dict[Path, Callable[[], str]] = {
    DOCS / "reference" / "messages.md": lambda: messages.page(sorted((ROOT / "msg").glob("*.msg"))),
    DOCS / "reference" / "cli.md": commands.page,
    DOCS / "images" / "floors.svg": lambda: floors.drawing(ROOT / "pyproject.toml"),
}
"""What makes each file."""
