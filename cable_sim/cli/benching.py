"""The command that runs the benchmarks, which are in a folder beside the package."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from cable_sim.cli.app import command
from cable_sim.cli.beside import package_beside
from cable_sim.errors import CableSimError, unknown

FUZZ = "fuzz"

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME", help="Benchmarks, with --peers comparisons; left out, all."),
]
Peers = Annotated[
    bool,
    typer.Option(
        "--peers", help="Compare with MuJoCo, Exudyn, numpy and C++, and write the proof page."
    ),
]
ProofPage = Annotated[
    Path | None,
    typer.Option(
        dir_okay=False,
        show_default=False,
        help="With --peers: page to write; left out, docs/proof.md of the checkout for all "
        "comparisons, results/proof.md for some.",
    ),
]
Rounds = Annotated[int, typer.Option(min=1, help="With --peers: number of rounds of all engines.")]
Csv = Annotated[
    bool, typer.Option("--csv", help="Write benchmarks/results/DATE.csv; not with --peers.")
]
Clock = Annotated[
    Literal["wall", "processor"],
    typer.Option(help="Clock to measure by; processor on a machine that others use."),
]
Listing = Annotated[bool, typer.Option("--list", help="List the benchmarks and the comparisons.")]
FuzzScenes = Annotated[int, typer.Option(min=1, help="fuzz: number of random scenes.")]
FuzzSeed = Annotated[
    int, typer.Option(min=0, help="fuzz: seed of the first scene; the others count up.")
]
FuzzSteps = Annotated[int, typer.Option(min=1, help="fuzz: steps of each scene.")]
FuzzWorkers = Annotated[
    int | None, typer.Option(min=1, help="fuzz: processes; left out, one for each core.")
]
FuzzOracles = Annotated[
    list[str] | None,
    typer.Option("--oracle", help="fuzz: an oracle, repeatable; left out, all but drives."),
]


@command
def bench(
    names: Names = None,
    peers: Peers = False,
    out: ProofPage = None,
    rounds: Rounds = 9,
    csv: Csv = False,
    clock: Clock = "wall",
    listing: Listing = False,
    scenes: FuzzScenes = 1000,
    seed: FuzzSeed = 0,
    steps: FuzzSteps = 200,
    workers: FuzzWorkers = None,
    oracles: FuzzOracles = None,
) -> int:
    """Measure the simulator's speed, alone or with [bold]--peers[/bold] beside other engines.

    With [bold]--peers[/bold] our scenes and the same scenes in MuJoCo, Exudyn, numpy and plain C++
    run by turns. The result is a page with the ratios and a picture, and all raw figures as JSON.
    Engines that are not installed are missing in it, and the exit status is 1. The same holds if an
    engine's numbers differ from the expected ones.

    Benchmarks that need an idle machine, such as node and sweep, run only if they are named.

    [bold]fuzz[/bold] measures no speed: it runs random scenes and checks that values stay finite,
    passive scenes gain no energy, and ropes never push. Twins of each scene, moved, turned,
    mirrored or in other units, have to agree with it, and so have repeated runs and the statics of
    what rests. A scene that fails is shrunk and written to [bold]results/fuzz[/bold]; exit
    status 1. With [bold]--oracle drives[/bold] shipped cranes are driven into all around them.

    Examples: [bold]cable-sim bench step rope[/bold], [bold]cable-sim bench --peers[/bold],
    [bold]cable-sim bench --peers chain_100 --out chain.md[/bold],
    [bold]cable-sim bench fuzz --scenes 10000 --seed 5000[/bold]
    """
    package = package_beside("benchmarks")
    if names == [FUZZ]:
        room = package("fuzz.campaign")
        results = Path("results/fuzz")
        chosen = oracles or room.NAMES
        return int(room.campaign(scenes, seed, steps, workers or room.cores(), results, chosen))
    known = {False: package("catalogue").BENCHMARKS, True: package("peers.catalogue").COMPARISONS}
    if listing:
        typer.echo(
            f"benchmarks: {', '.join([*known[False], FUZZ])}\ncomparisons (--peers): "
            f"{', '.join(known[True])}"
        )
        return 0
    for name in names or ():
        if name == FUZZ:
            raise CableSimError("fuzz runs alone: cable-sim bench fuzz")
        if name not in known[peers]:
            kind = "comparison" if peers else "benchmark"
            raise CableSimError(unknown(kind, name, known[peers]))
    if not peers:
        if out is not None:
            raise CableSimError(f"--out {out}: only --peers writes a page; --csv saves the others")
        return int(package("catalogue").run(names or (), csv, clock))
    if csv:
        raise CableSimError("--csv: --peers writes its figures as JSON beside its page")
    package("timing").Clock.name = clock
    return int(package("peers.conduct").conduct(names or (), out, rounds))
