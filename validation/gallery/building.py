"""Building of exhibits into a folder, each atomically; those with unchanged sources are kept.

An exhibit's folder ``KIND/NAME`` holds its files and ``record.json``: its result, and a digest of
its sources. A failed or missed exhibit is tried again: a timing may have suffered from a busy
machine.
"""

import hashlib
import json
import shutil
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from validation.gallery.exhibits import Exhibit, Made, Tell

RECORD = "record.json"
ENDINGS = (".py", ".yaml", ".csv")
"""Endings of the files of a source that count."""
TRACED = 4
"""Number of lines of an error's traceback that are kept."""


@dataclass(frozen=True)
class Record:
    """Result of an exhibit: ``made``, or ``error`` with ``trace``; it took ``seconds``."""

    digest: str
    seconds: float
    made: Made
    error: str = ""
    trace: str = ""

    @property
    def verdict(self) -> str:
        """Verdict: ``made``, ``missed`` where numbers do not agree, or ``failed``."""
        return "failed" if self.error else "missed" if self.made.missed else "made"


def build(
    listed: Sequence[Exhibit],
    out: Path,
    everything: bool = False,
    begins: Callable[[Exhibit], Tell] = lambda exhibit: lambda share: None,
    ends: Callable[[Exhibit, Record, bool], None] = lambda exhibit, record, kept: None,
) -> None:
    """Make exhibits that are missing, failed, missed or outdated; with ``everything``, all.

    ``begins`` is called with each exhibit, and returns the function that receives its progress.
    ``ends`` is called with its result, and with True if it was kept.
    """
    of_source = cache(_digest)  # most sources are those of many
    for exhibit in listed:
        known = record_of(out, exhibit)
        digest = digest_of(exhibit, of_source)
        tell = begins(exhibit)
        kept = (
            known is not None
            and known.digest == digest
            and known.verdict == "made"
            and not everything
        )
        record = known if known is not None and kept else _make(exhibit, out, digest, tell)
        ends(exhibit, record, kept)


def record_of(out: Path, exhibit: Exhibit) -> Record | None:
    """Return the last result of an exhibit; None if there is none or it has another format."""
    try:
        told = json.loads((folder_of(out, exhibit) / RECORD).read_text(encoding="utf-8"))
        made = told.pop("made")
        return Record(made=Made(**{**made, "missed": tuple(made["missed"])}), **told)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def folder_of(out: Path, exhibit: Exhibit) -> Path:
    """Return the folder of an exhibit's files."""
    return out / exhibit.kind / exhibit.name


def forget(out: Path, kinds: Iterable[str], listed: Iterable[Exhibit]) -> list[Path]:
    """Remove the folders of exhibits of these kinds that are not listed any more; returns them."""
    known = {folder_of(out, exhibit) for exhibit in listed}
    stale = [
        path.parent
        for kind in kinds
        for path in (out / kind).glob(f"*/{RECORD}")
        if path.parent not in known
    ]
    for folder in stale:
        shutil.rmtree(folder)
    return stale


def digest_of(exhibit: Exhibit, of_source: Callable[[Path], str]) -> str:
    """Return a digest of an exhibit's sources, from the digests of each."""
    return hashlib.sha256("".join(map(of_source, exhibit.sources)).encode()).hexdigest()


def _make(exhibit: Exhibit, out: Path, digest: str, tell: Tell) -> Record:
    """Make an exhibit beside its folder, and then move it to its place."""
    folder = folder_of(out, exhibit)
    part = folder.with_name(f".{exhibit.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    begin = time.monotonic()
    try:
        try:
            made = exhibit.make(part, tell)
            record = Record(digest, time.monotonic() - begin, made)
        except Exception as error:  # the others shall be made, whatever is wrong with this one
            told = "".join(traceback.format_exception(error, limit=-TRACED))
            shutil.rmtree(part)
            part.mkdir()
            failed = Made(exhibit.title, "")
            record = Record(
                digest, time.monotonic() - begin, failed, f"{type(error).__name__}: {error}", told
            )
        (part / RECORD).write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return record


def _digest(source: Path) -> str:
    """Return a digest of a file, or of the files in a folder, by name and content."""
    files = (
        [source]
        if source.is_file()
        else sorted(p for p in source.rglob("*") if p.suffix in ENDINGS)
    )
    found = hashlib.sha256()
    for file in files:
        found.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()
