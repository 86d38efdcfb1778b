"""The blocks of a page of the documentation, and how the page marks them; docs_reader.py follows
them.

What is done with a block says its language, the word behind the three backticks:

===========  ================================================================================
``python``   is run. The page has one namespace, empty at its start; every page stands alone.
``bash``     is typed into a shell in one go, and has to end well. A ``cd`` holds for the blocks
             that follow.
``console``  lines that begin with ``$ `` are typed, one after the other; the others are what the
             terminal then shows.
``text``     is what the block before it printed.
``diff``     begins with ``--- NAME``: the lines with a minus in that file become those with a plus.
===========  ================================================================================

A block of any language whose first line is a comment with nothing but the name of a file (``#
my_crane.yaml``, ``// rope.hpp``, ``<!-- robot.xml -->``) is saved under that name instead. Blocks
of other languages, or of none, are left alone: what is to be shown only. No commands in there.

What is shown has to come in that order, line by line, anywhere in what was printed: a line as a
part of a line, blanks count as one, and ``...`` stands for anything, within a line or for some
lines. What varies, such as times, is ``...``.

What a block cannot say itself stands before it, in a comment ``<!-- test: MARK -->`` or ``<!--
test: MARK; MARK -->``:

================  ================================================================================
``file NAME``     saved under that name, for formats that have no comments
``status N``      the block's last command ends with this exit status, not 0: for errors that a
                  page shows
``terminal``      another terminal: the block's commands are started, what they show is waited for,
                  and they run on to the end of the page, where they get a Ctrl-C, at which they
                  have to end without a traceback
``ended``         what runs in other terminals gets its Ctrl-C first
``sources``       from here on the checkout has the package's sources, to be changed: a copy
``needs NAME``    left out where this Python has no such module and the shell no such program
``skip, REASON``  not run by any test; each appears in the tests' summary with its reason, so there
                  should be few
================  ================================================================================

A page begins in a folder that looks like the checkout (``config``, ``docs``, ``examples``, ... are
there), in the environment of ``. scripts/env.sh``, on a ROS domain of its own, and all that it
writes goes to a temporary folder.
"""

import importlib.util
import re
import shutil
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MARKS = ("file", "status", "terminal", "ended", "sources", "needs", "skip")
BARE = ("terminal", "ended", "sources")
"""Marks that say all by their name."""
SHELL = ("bash", "console")
NAMED = re.compile(r"(?:#|//|<!--) *([\w./-]+\.\w+)(?: *-->)?")


@dataclass
class Block:
    """A fenced block: its page, the line of its fence, its language, marks by their first words,
    and its lines."""

    page: Path
    line: int
    language: str
    marks: dict[str, str]
    lines: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        page = self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page
        return f"{page}:{self.line}"

    @property
    def text(self) -> str:
        """What stands in it, without the indentation that all of it has."""
        return textwrap.dedent("".join(line + "\n" for line in self.lines))

    @property
    def file(self) -> str:
        """The name that it is saved under; empty if it is not a file."""
        first = NAMED.fullmatch(self.text.partition("\n")[0].strip())
        return self.marks.get("file", "") or (first[1] if first else "")

    @property
    def missing(self) -> str:
        """What the block needs and is not here."""
        name = self.marks.get("needs", "")
        return "" if not name or importlib.util.find_spec(name) or shutil.which(name) else name


def blocks_of(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order; ValueError if one does not end, or has a mark that
    nobody knows."""
    found: list[Block] = []
    fence, marks = "", {}
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if fence:
            if line.strip() == fence:
                fence, marks = "", {}
            else:
                found[-1].lines.append(line)
        elif opened := re.match(r" *(`{3,}|~{3,})(.*)", line):
            fence = opened[1]
            found.append(Block(page, number, opened[2].strip(), marks))
        elif comment := re.fullmatch(r" *<!-- test: (.*) -->", line):
            marks = marks_of(comment[1], f"{page}:{number}")
        elif line.strip():
            marks = {}
    if fence:
        raise ValueError(f"{found[-1]}: this block does not end")
    return found


def marks_of(words: str, place: str) -> dict[str, str]:
    """Marks by their first words; the value is what stands behind it."""
    marks = {}
    for mark in re.split(rf"; *(?=(?:{'|'.join(MARKS)})\b)", words):
        name, _, value = mark.strip().partition(" ")
        marks[name.rstrip(",")] = value.strip()
    for name, value in marks.items():
        if name not in MARKS or bool(value) == (name in BARE):
            known = ", ".join(MARKS)
            raise ValueError(
                f"{place}: test: {name} {value}: a mark is one of {known}; see {__file__}"
            )
    return marks


class NotShown(AssertionError):
    """What a page shows is not what came."""


def unseen(shown: str, printed: str) -> str:
    """The first line of ``shown`` that does not follow in ``printed``; empty if all do."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for wanted in shown.splitlines():
        parts = [re.escape(" ".join(part.split())) for part in wanted.split("...")]
        if any(parts) and not any(re.search(" *.* *".join(parts), line) for line in lines):
            return wanted
    return ""


def expect(shown: str, printed: str, block: Block) -> None:
    """Raise NotShown, with all that was printed, unless the lines are there."""
    if line := unseen(shown, printed):
        raise NotShown(
            f"{block}: not printed, or not in this order:\n{line}\nPrinted was:\n{printed}"
        )


def typed(block: Block) -> list[tuple[str, str]]:
    """Commands of a shell block, each with what it shows; ValueError if a console does not begin
    with a command."""
    if block.language == "bash":
        return [(block.text, "")]
    commands: list[tuple[str, str]] = []
    for line in block.text.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append((line[2:], ""))
        elif not commands:
            raise ValueError(f"{block}: a console begins with a command: '$ ...'")
        elif line.startswith("> "):
            commands[-1] = (commands[-1][0] + line[2:], "")
        else:
            commands[-1] = (commands[-1][0], commands[-1][1] + line)
    return commands


def change(block: Block) -> None:
    """Apply a diff: its lines without plus are in the file once, and become those without minus; or
    NotShown."""
    first, *lines = block.text.splitlines()
    if not first.startswith("--- "):
        raise ValueError(f"{block}: a diff begins with the file: '--- NAME'")
    lines = [line for line in lines if not line.startswith(("+++", "@@"))]
    before, after = (
        "".join(line[1:] + "\n" for line in lines if line[:1] != sign) for sign in "+-"
    )
    path = Path(first[4:].strip())
    text = path.read_text(encoding="utf-8")
    if text.count(before) != 1:
        raise NotShown(
            f"{block}: these lines are in {path} {text.count(before)} times, not once:\n{before}"
        )
    path.write_text(text.replace(before, after), encoding="utf-8")
