"""Make the checkout say that it is a version: `make version VERSION=0.1.0`.

The version goes into both package.xml and CITATION.cff. What is `Forthcoming` in the changelog
becomes that version of today. Nothing is committed: look at it with `git diff`.
"""

import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGED = {
    "package.xml": (r"<version>[^<]*</version>", "<version>{version}</version>"),
    "cable_sim_ros2_control/package.xml": (
        r"<version>[^<]*</version>",
        "<version>{version}</version>",
    ),
    "CITATION.cff": (r"(?m)^version: .*$", "version: {version}"),
    "CHANGELOG.rst": (r"\nForthcoming\n-+\n(?:\nThis will be [^\n]*\n)?", "\n{title}\n{line}\n"),
}


def main() -> None:
    """Change all files, or none and exit with a sentence."""
    version = sys.argv[1] if len(sys.argv) > 1 else ""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"version {version!r}: say it as in `make version VERSION=0.1.0`")
    title = f"{version} ({datetime.date.today()})"
    texts = {}
    for name, (old, new) in CHANGED.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        changed = new.format(version=version, title=title, line="-" * len(title))
        texts[name], count = re.subn(old, changed, text, count=1)
        if not count:
            sys.exit(f"{name}: there is no {old!r}")
    for name, text in texts.items():
        (ROOT / name).write_text(text, encoding="utf-8")
    print(f"{version}: now `git diff`, then the list of docs/howto/release.md")


main()
