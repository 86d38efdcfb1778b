"""Pages and drawings of the documentation that are made from the sources: messages, commands,
channels, floors, a step, a scene.

The table of parameters is made in the package, which writes parameter files from the same rows.
"""

from collections.abc import Callable
from pathlib import Path

from tools.reference import channels, commands, floors, messages, scene, step

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES: dict[Path, Callable[[], str]] = {
    DOCS / "reference" / "messages.md": lambda: messages.page(sorted((ROOT / "msg").glob("*.msg"))),
    DOCS / "reference" / "cli.md": commands.page,
    DOCS / "reference" / "channels.md": channels.page,
    DOCS / "images" / "floors.svg": lambda: floors.drawing(ROOT / "pyproject.toml"),
    DOCS / "images" / "step.svg": step.drawing,
    DOCS / "images" / "scene.svg": scene.drawing,
}
"""What makes each file."""
