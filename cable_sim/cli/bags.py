"""Commands about recordings."""

from pathlib import Path
from typing import Annotated

import typer

from cable_sim.cli.app import DEFAULT_CRANE, CraneName, Namespace, Seconds, command, interrupted, known_crane
from cable_sim.errors import CableSimError


@command
def record(
    crane: CraneName = DEFAULT_CRANE,
    out: Annotated[Path, typer.Option(help="Folder to make for the bag.")] = Path("results/bag"),
    seconds: Seconds = None,
    namespace: Namespace = "",
) -> int:
    """Record everything that a simulator publishes, and its commands, to an MCAP bag, until Ctrl-C."""
    loaded = known_crane(crane)
    from cable_sim.ros.recorder import record as write

    for topic, count in sorted(write(out, loaded, namespace, interrupted(), seconds).items()):
        typer.echo(f"{count:8d}  {topic}")
    return 0


@command
def info(bag: Annotated[Path, typer.Argument(help="Folder of a rosbag2 recording.")]) -> int:
    """List what is in a bag: topics, types, numbers of messages, length."""
    from rosbags.rosbag2 import Reader, ReaderError

    try:
        with Reader(bag) as reader:
            typer.echo(f"{1e-9 * reader.duration:.3f} s, {reader.message_count} messages")
            for connection in sorted(reader.connections, key=lambda c: c.topic):
                typer.echo(f"{connection.msgcount:8d}  {connection.topic}  {connection.msgtype}")
    except (ReaderError, OSError) as error:
        raise CableSimError(f"{bag}: is no bag: {error}") from None
    return 0
