"""Commands that evaluate controllers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cable_sim.cli.app import command, console
from cable_sim.errors import CableSimError

Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Of a matrix, only the cases with these variants, which 'cable-sim evaluate --list' "
        "names: with any of "
        "those of one axis, and one of each axis that is named.",
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND,KIND",
        help="Run under each of these in place of the scenario's own, side by side: operator, zv, "
        "zvd, zvdd, ei, "
        "operators_trick, lqr, energy, mpc, or custom where the scenario names one.",
    ),
]
Seed = Annotated[
    int | None, typer.Option(min=0, help="Of noise and turbulence, instead of the scenarios'.")
]


@command
def evaluate(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCENARIO", help="Names, YAML files or folders; left out, all single scenarios."
        ),
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="List the scenarios and the matrices.")
    ] = False,
    controller: Kinds = None,
    only: Only = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Folder for the reports.")] = Path(
        "results/evaluate"
    ),
    json: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write all numbers to this file, too.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(dir_okay=False, help="The same, a line for each run.")
    ] = None,
    seed: Seed = None,
    ros: Annotated[
        bool,
        typer.Option(
            "--ros",
            help="Cranes in ROS nodes, in processes of their own; the same to the last bit.",
        ),
    ] = False,
) -> int:
    """Run scenarios of cranes under controllers; measure sway, settling, errors, effort, limiters.

    Prints the metrics and writes [bold]results/evaluate/NAME/report.html[/bold], with plots and
    definitions. A scenario may say what it expects. Exit status 1 if something came out otherwise
    or the physics failed, 2 for a scenario that can't be.

    Examples: [bold]cable-sim evaluate --list[/bold], [bold]cable-sim evaluate
    tower_trolley_operator[/bold], [bold]cable-sim evaluate my_scenario.yaml --json
    numbers.json[/bold], [bold]cable-sim evaluate tower_matrix --only
    long,rated,calm,nominal,none[/bold]
    """
    from cable_sim.evaluation.commands.evaluate import (
        EvaluationOptions,
        evaluate_scenarios,
        list_scenarios,
    )

    if listing:
        return list_scenarios(console(200))
    if json and csv and json.resolve() == csv.resolve():
        raise CableSimError(f"--json and --csv: both name {json}; they write two files")
    plants = None
    if ros:
        from cable_sim.ros.lockstep.plant import RosPlant

        plants = RosPlant.of
    options = EvaluationOptions(
        names or (), words(only), words(controller), out, json, csv, seed, plants
    )
    return evaluate_scenarios(options, console(200))


def words(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the words between commas, of an option that may be given several times."""
    return tuple(word.strip() for text in texts or () for word in text.split(",") if word.strip())
