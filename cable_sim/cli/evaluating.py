"""Commands that evaluate controllers."""

from pathlib import Path
from typing import Annotated

import typer

from cable_sim.cli.app import command, console
from cable_sim.cli.options import Kinds, Only, ReportFolder, Seed, words
from cable_sim.errors import CableSimError

Scenarios = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SCENARIO", help="Names, YAML files or folders; left out, all single scenarios."
    ),
]
Listing = Annotated[bool, typer.Option("--list", help="List the scenarios and the matrices.")]
Json = Annotated[
    Path | None, typer.Option(dir_okay=False, help="File for all numbers, besides the report.")
]
Csv = Annotated[
    Path | None, typer.Option(dir_okay=False, help="The same as a table, a line for each run.")
]
InNodes = Annotated[
    bool,
    typer.Option(
        "--ros", help="Run each crane in a ROS node; the results are the same to the last bit."
    ),
]


@command
def evaluate(
    names: Scenarios = None,
    listing: Listing = False,
    controller: Kinds = None,
    only: Only = None,
    out: ReportFolder = Path("results/evaluate"),
    json: Json = None,
    csv: Csv = None,
    seed: Seed = None,
    ros: InNodes = False,
) -> int:
    """Run scenarios of cranes under controllers; measure sway, settling, errors, effort, limiters.

    Prints the metrics and writes [bold]results/evaluate/NAME/report.html[/bold], with plots and
    definitions. A scenario may have pass criteria. Exit status 1 if one is not met or the physics
    failed, 2 for an invalid scenario.

    Examples: [bold]cable-sim evaluate --list[/bold], [bold]cable-sim evaluate
    tower_trolley_operator[/bold], [bold]cable-sim evaluate my_scenario.yaml --json
    numbers.json[/bold], [bold]cable-sim evaluate tower_matrix --only
    long,rated,calm,nominal,none[/bold]
    """
    from cable_sim_studies.commands.evaluate import (
        EvaluationOptions,
        evaluate_scenarios,
        list_scenarios,
    )

    if listing:
        return list_scenarios(console(200))
    if json and csv and json.resolve() == csv.resolve():
        raise CableSimError(f"--json and --csv: both name {json}; give two different files")
    plants = None
    if ros:
        from cable_sim.ros.lockstep.plant import RosPlant

        plants = RosPlant.of
    options = EvaluationOptions(
        names or (), words(only), words(controller), out, json, csv, seed, plants
    )
    return evaluate_scenarios(options, console(200))
