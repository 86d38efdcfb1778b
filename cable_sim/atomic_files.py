"""Files that are either complete or as they were, whenever the process or the machine stops."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file atomically; OSError names it if it can't be written."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # its name, too
        finally:
            os.close(folder)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        part.unlink(missing_ok=True)


def leftovers(folder: Path, names: str) -> Iterator[Path]:
    """Parts of files with names of this pattern whose writer was killed."""
    return folder.glob(f".{names}.*.part")


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_atomically(path, lambda file: file.write(text.encode()))
