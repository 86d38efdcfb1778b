"""Files that are either complete or as they were."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file atomically.

    Whenever the process or the machine stops, the file is either complete or as it was.
    """
    with open(temporary(path), "wb") as file:
        write(file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary(path), path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # its name, too
    finally:
        os.close(folder)


def temporary(path: Path) -> Path:
    """Return the name of a file while it is written."""
    return path.with_name(f".{path.name}.tmp")


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_atomically(path, lambda file: file.write(text.encode()))
