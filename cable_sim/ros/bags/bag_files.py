"""Recordings on disk, with errors that explain a wrong path. Needs no ROS."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cable_sim.errors import CableSimError

RECOVER = "if the recording was cut off, 'mcap recover FILE.mcap -o NEW.mcap' saves what is there"

Entry = tuple[Any, int, bytes]
"""Entry of a bag: connection, time of recording [ns], and message as serialized on the wire."""


@contextmanager
def open_bag(bag: Path) -> Iterator[Any]:
    """Yield an open rosbags reader for a rosbag2 folder or a single MCAP file.

    CableSimError if it is neither, or if it is not complete.
    """
    from rosbags.rosbag2 import Reader

    if not bag.exists():
        raise CableSimError(f"{bag}: there is no such folder or file")
    if bag.is_dir() and not (bag / "metadata.yaml").is_file():
        files = sorted(path.name for path in bag.glob("*.mcap"))
        found = f"; it holds {', '.join(files)}: {RECOVER}, and is a bag by itself" if files else ""
        raise CableSimError(f"{bag}: is no bag: it has no metadata.yaml{found}")
    try:
        reader = Reader(bag)
        reader.open()
    # what a file that is none of its own does to a parser no list of classes foresees
    except Exception as error:
        raise CableSimError(f"{bag}: is no bag that can be read: {error}; {RECOVER}") from None
    try:
        yield reader
    finally:
        reader.close()


def entries(reader: Any, connections: Collection[Any], start: int | None = None) -> Iterator[Entry]:
    """Yield messages of connections of an open bag in the order of their times.

    They begin at ``start`` [ns]. CableSimError, with the number of messages before it, where the
    file is damaged.
    """
    source = iter(reader.messages(connections=connections, start=start))
    count = 0
    while True:
        try:
            entry = next(source)
        except StopIteration:
            return
        except Exception as error:  # as above
            raise CableSimError(
                f"{reader.path}: can't be read on after {count} messages: {error}; {RECOVER}"
            ) from None
        count += 1
        yield entry
