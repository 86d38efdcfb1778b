"""Folders of what takes long to make, whose files are complete and written by this user alone.

They hold compiled kernels, and the convex parts of meshes.

The files are pickles and machine code that this process runs. Anyone who may write there could do
all that the user may. So folder and files belong to their owner alone, and others are refused.

Each kernel has one file for each combination of types: a digest of 32 bytes, then the data of that
digest. A file is written under a temporary name and renamed. So processes that compile at once
leave no partial file and lose none of each other's. The digest reveals a damaged file, which is
deleted.
"""

import contextlib
import hashlib
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from cable_sim.errors import CableSimError, CableSimWarning

T = TypeVar("T")
VARIABLE = "CABLE_SIM_CACHE"
_DIGEST = hashlib.sha256
_DIGEST_BYTES = 32
_ELAPSED = re.compile(r": (\d+) s$")
_FOR_OTHERS = 0o022
"""Permission bits by which group or others may write."""


_watchers: list[Callable[[str], None]] = []
"""Callbacks for files that are missing."""


@contextlib.contextmanager
def watch_misses(tell: Callable[[str], None]) -> Iterator[None]:
    """Call ``tell`` with the name of each kernel that is not in a cache, before it is compiled."""
    _watchers.append(tell)
    try:
        yield
    finally:
        _watchers.remove(tell)


def compiling_text(elapsed: float) -> str:
    """Return the text that tells of kernels that have been compiled for so many seconds."""
    return f"compiling for this machine, once, for a minute or two: {elapsed:.0f} s"


def advance_text(text: str, seconds: float) -> str:
    """Return a text that ends with elapsed seconds as it is some seconds later; others stay."""
    return _ELAPSED.sub(lambda found: f": {int(found[1]) + seconds:.0f} s", text)


class KernelCache:
    """Compiled kernels on disk, or something else that takes long to make.

    If the folder can't be used, one warning says so, and nothing is loaded or saved.

    Parameters
    ----------
    folder: folder of one version of the kernels; it and its parent are made for their owner alone.
    kind: what it is, for messages.
    made, makes: what is done without a file, for messages.
    source: program text beside which the folder was installed; whoever may write that is trusted.
    """

    def __init__(
        self,
        folder: Path,
        kind: str = "kernel cache",
        made: str = "the kernel compiled",
        makes: str = "compiles",
        source: Path | None = None,
    ) -> None:
        self.folder = folder
        self.kind = kind
        self.made = made
        self.makes = makes
        self.source = source
        self._told = False

    def load(self, name: str, rebuild: Callable[[bytes], T]) -> T | None:
        """Return the result of ``rebuild`` for a file; None if the file is missing or damaged.

        Raises CableSimError if others may write there.
        """
        found = self.find(name, rebuild)
        if found is None:
            for tell in _watchers:
                tell(name.rpartition("-")[0])
        return found

    def find(self, name: str, rebuild: Callable[[bytes], T]) -> T | None:
        """Do :meth:`load`, and tell nobody."""
        path = self.folder / name
        try:
            self._check_folders()
            with path.open("rb") as file:
                _refuse_foreign(path, os.fstat(file.fileno()), self.source)
                held = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._tell(error)
            return None
        try:
            return rebuild(_verified_contents(held))
        except Exception as error:
            why = str(error) or type(error).__name__
        text = f"{path} of the {self.kind} is damaged ({why})"
        told = f"{text}: it is deleted, and {self.made} again"
        warnings.warn(told, CableSimWarning, stacklevel=3)
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def save(self, name: str, data: bytes) -> None:
        """Write a file; warn if that is not possible.

        Raises CableSimError if others may write there.
        """
        try:
            root, _ = self._folders()
            root.parent.mkdir(parents=True, exist_ok=True)
            for folder in self._folders():
                folder.mkdir(mode=0o700, exist_ok=True)
            self._check_folders()
            _write(self.folder / name, _DIGEST(data).digest() + data)
        except OSError as error:
            self._tell(error)

    def _folders(self) -> tuple[Path, Path]:
        """Return the cache folder's parent and the folder; raise NotADirectoryError if relative."""
        if not self.folder.is_absolute():
            raise NotADirectoryError(0, "not an absolute path")
        return self.folder.parent, self.folder

    def _check_folders(self) -> None:
        """Refuse folders that are not the user's own; raise FileNotFoundError if they miss."""
        for folder in self._folders():
            _refuse_foreign(folder, folder.stat(), self.source)

    def _tell(self, error: OSError) -> None:
        """Warn once that there is no cache."""
        if not self._told:
            self._told = True
            text = f"the {self.kind} {self.folder} can't be used ({error.strerror})"
            told = f"{text}: each process {self.makes} again, in memory"
            warnings.warn(
                f"{told}; set {VARIABLE} to another folder", CableSimWarning, stacklevel=3
            )


def _verified_contents(held: bytes) -> bytes:
    """Return the contents after the digest of a file; raise CableSimError if it differs."""
    digest = held[:_DIGEST_BYTES]
    data = held[_DIGEST_BYTES:]
    if _DIGEST(data).digest() != digest:
        raise CableSimError("its digest is wrong")
    return data


def _refuse_foreign(path: Path, status: os.stat_result, source: Path | None) -> None:
    """Raise CableSimError if other users than this one and root own a path or may write to it.

    Who may write to ``source`` could do as much there, and is none of them: some systems let a
    user's own group write.
    """
    owner = status.st_uid
    writable = status.st_mode & _FOR_OTHERS
    trusted = {0, os.geteuid()}
    if source is not None:
        like = source.stat()
        trusted.add(like.st_uid)
        writable &= ~like.st_mode if like.st_gid == status.st_gid else _FOR_OTHERS
    if owner not in trusted:
        why = f"belongs to user {owner}, not to you ({os.geteuid()})"
    elif writable:
        why = f"may be written by others (mode {status.st_mode & 0o7777:o})"
    else:
        return
    what = "the kernel cache, whose files run as programs, is not used there; delete it"
    cure = "" if source else f", or name another folder by {VARIABLE}"
    raise CableSimError(f"{path} {why}: {what}{cure}")


def _write(path: Path, contents: bytes) -> None:
    """Write a file completely or not at all; raise OSError if that fails."""
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
