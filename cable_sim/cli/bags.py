"""Commands about recordings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from cable_sim.cli.app import command, interrupt_event, known_crane
from cable_sim.cli.options import DEFAULT_CRANE, Bag, CraneName, Namespace, Seconds, words
from cable_sim.errors import CableSimError
from cable_sim.sim.progress import terminal_progress


@command
def record(
    crane: CraneName = DEFAULT_CRANE,
    out: Annotated[Path, typer.Option(help="Folder to make for the bag.")] = Path("results/bag"),
    seconds: Seconds = None,
    namespace: Namespace = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Record every topic, of all cranes and namespaces.")
    ] = False,
    compress: Annotated[bool, typer.Option("--compress", help="Compress with zstd.")] = False,
) -> int:
    """Record everything that a simulator publishes, and its commands, to an MCAP bag, until Ctrl-C.

    Examples: [bold]cable-sim record --out results/lift[/bold], [bold]cable-sim record --all --for
    60[/bold]
    """
    loaded = None if everything else known_crane(crane)
    from cable_sim.ros.bags.recorder import record as write

    counts = write(out, loaded, namespace, interrupt_event(), seconds, compress)
    for topic, count in sorted(counts.items()):
        typer.echo(f"{count:8d}  {topic}")
    size = sum(file.stat().st_size for file in out.iterdir())
    typer.echo(f"{sum(counts.values()):8d}  messages, {1e-6 * size:.1f} MB in {out}")
    return 0


@command
def info(bag: Bag) -> int:
    """List the contents of a recording: topics, types, numbers of messages, length."""
    from cable_sim.ros.bags.bag_files import open_bag

    with open_bag(bag) as reader:
        typer.echo(f"{1e-9 * reader.duration:.3f} s, {reader.message_count} messages")
        for connection in sorted(reader.connections, key=lambda c: c.topic):
            typer.echo(f"{connection.msgcount:8d}  {connection.topic}  {connection.msgtype}")
    return 0


ReplayRate = Annotated[
    float,
    typer.Option(
        min=0.0,
        help="Playback speed: bag time over wall time; 0 is as fast as the subscribers can follow.",
    ),
]
Start = Annotated[float, typer.Option(metavar="S", min=0.0, help="Start S seconds into the bag.")]
Loop = Annotated[bool, typer.Option("--loop", help="Repeat from the start until Ctrl-C.")]
Topics = Annotated[str, typer.Option(metavar="A,B", help="Play only these topics of the bag.")]
WithClock = Annotated[bool, typer.Option(help="Publish /clock, if the bag has it.")]
Before = Annotated[
    str, typer.Option(help="Prefix of all topics but /clock, /tf, /tf_static, /diagnostics.")
]
Remap = Annotated[
    list[str] | None, typer.Option(metavar="FROM:=TO", help="Rename a topic; may be repeated.")
]
Wait = Annotated[
    float,
    typer.Option(metavar="S", min=0.0, help="Wait up to S seconds for subscribers of every topic."),
]


@command
def replay(
    bag: Bag,
    rate: ReplayRate = 1.0,
    start: Start = 0.0,
    loop: Loop = False,
    topics: Topics = "",
    clock: WithClock = True,
    namespace: Before = "",
    remap: Remap = None,
    wait: Wait = 2.0,
    seconds: Seconds = None,
) -> int:
    """Publish a recording again, message by message, at its recorded times.

    Topics keep their recorded quality of service, so pages, RViz and late joiners see what they saw
    then.

    Examples: [bold]cable-sim replay results/bag[/bold], [bold]cable-sim replay results/bag --rate 4
    --start 30[/bold], [bold]cable-sim replay results/bag --topics /joint_states,/tf --namespace
    before[/bold]
    """
    from cable_sim.ros.bags.replay import ReplayOptions
    from cable_sim.ros.bags.replay import replay as play

    options = ReplayOptions(
        rate, start, loop, words([topics]), clock, namespace, _remaps(remap or []), wait, seconds
    )
    ended = interrupt_event()
    columns = (TextColumn("{task.fields[text]}"), BarColumn(), TimeRemainingColumn())
    with terminal_progress(*columns) as bar:
        task = bar.add_task("", text="")

        def tell(at: float, length: float) -> None:
            bar.update(task, completed=at, total=length, text=f"{at:.1f} of {length:.1f} s")

        def warn(text: str) -> None:
            bar.console.print(text, style="yellow", markup=False, highlight=False, soft_wrap=True)

        counts = play(bag, options, ended, tell, warn)
    for topic, count in sorted(counts.items()):
        typer.echo(f"{count:8d}  {topic}")
    return 0


def _remaps(given: Sequence[str]) -> dict[str, str]:
    """Return names from ``FROM:=TO`` texts; raise CableSimError if one has another form."""
    pairs = [text.partition(":=") for text in given]
    for (old, _, new), text in zip(pairs, given, strict=True):
        if not (old.startswith("/") and new.startswith("/")):
            raise CableSimError(
                f"remap {text!r}: expected is FROM:=TO with full names, such as /tf:=/before/tf"
            )
    return {old: new for old, _, new in pairs}
