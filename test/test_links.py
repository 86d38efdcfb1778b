"""Links between pages: every file that a page of this tree points at is there, and so is every
heading."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[1]
MADE = {"build", "install", "log", "results"}
FENCE = re.compile(r"^ *(```+|~~~+).*?^ *\1", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(
    r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)"  # [text](target "title")
    r"|^\[[^\]]+\]:\s*(\S+)"  # [label]: target
    r"|\b(?:src|href)=\"([^\"]+)\"",
    re.MULTILINE,
)
ELSEWHERE = re.compile(r"[a-z]+:", re.IGNORECASE)
HIDDEN = re.compile(r"\.(?!github$)")


def pages() -> Iterator[Path]:
    """All pages of the tree, but not what was made or installed."""
    for path in sorted(ROOT.iterdir()):
        if (
            path.is_dir()
            and path.name not in MADE
            and not path.is_symlink()
            and not HIDDEN.match(path.name)
        ):
            yield from sorted(path.rglob("*.md"))
        elif path.suffix == ".md":
            yield path


def links(text: str) -> list[str]:
    """What a page points at within the tree."""
    found = ("".join(groups) for groups in LINK.findall(CODE.sub("", FENCE.sub("", text))))
    return [target for target in found if not ELSEWHERE.match(target)]


def slugs(text: str) -> set[str]:
    """Anchors of a page's headings, as GitHub and MyST make them: hyphenated words, numbered if
    they come again."""
    found: dict[str, int] = {}
    made = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", FENCE.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        made.add(f"{slug}-{found[slug]}" if slug in found else slug)
        found[slug] = found.get(slug, 0) + 1
    return made | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


@cache
def anchors(path: Path) -> set[str]:
    """Anchors of a file."""
    return slugs(path.read_text(encoding="utf-8"))


def broken(page: Path, target: str) -> str:
    """What is wrong with a link of a page; empty if it leads somewhere."""
    place, _, anchor = target.partition("#")
    file = (page.parent / unquote(place)).resolve() if place else page
    if not file.exists():
        return f"{target}: there is no such file"
    if anchor and file.suffix == ".md" and anchor not in anchors(file):
        return f"{target}: there is no such heading"
    return ""


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    wrong = [broken(page, target) for target in links(page.read_text(encoding="utf-8"))]
    assert [problem for problem in wrong if problem] == []


def test_what_is_broken_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Over ROS 2\n[a](#over-ros-2) [b](#over-ros) ![c](none.png) [d](page.md#6-more-c) "
        "[e](https://x.y/z)\n"
        "## 6. More: `c`\n```python\n# no heading\ntable[0](1)\n```\n`[f](g.md)`\n[h]: other.md\n",
        encoding="utf-8",
    )
    text = page.read_text(encoding="utf-8")
    assert slugs(text) == {"over-ros-2", "6-more-c"}
    assert links(text) == ["#over-ros-2", "#over-ros", "none.png", "page.md#6-more-c", "other.md"]
    wrong = {target for target in links(text) if broken(page, target)}
    assert wrong == {"#over-ros", "none.png", "other.md"}
