"""Commands that measure: published papers run again, and acceptance scenarios."""

from pathlib import Path
from typing import Annotated

import typer

from cable_sim.cli.app import command, console
from cable_sim.cli.beside import package_beside
from cable_sim.cli.options import ReportFolder, ReportFormat


@command
def papers(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Papers; left out, all.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="One line per quantity, no report and no timings.")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the papers.")] = False,
    form: ReportFormat = "html",
    results: ReportFolder = Path("results"),
) -> int:
    """Run published papers again, and report printed, theoretical and computed values.

    Writes [bold]results/papers/NAME/report.html[/bold], a page that needs no network, and prints
    its table. Exit status 1 if a quantity is off by more than its tolerance.

    Examples: [bold]cable-sim papers --list[/bold], [bold]cable-sim papers servin_2007[/bold],
    [bold]cable-sim papers --check[/bold]
    """
    room = package_beside("validation")("harness.command")
    if listing:
        return int(room.list_papers(console(160)))
    if check:
        return int(room.check_papers(names or (), console(160)))
    return int(room.report_papers(names or (), form, results, console(160)))


@command
def accept(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="N", help="Numbers or names; left out, all.")
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the scenarios.")] = False,
    form: ReportFormat = "html",
    results: ReportFolder = Path("results"),
) -> int:
    """Run the acceptance scenarios of cranes: expected and computed values, and tolerances.

    Writes [bold]results/accept/NAME/report.html[/bold], with a plot, and prints a line for each
    number. Exit status 1 if a number is off by more than its tolerance.

    Examples: [bold]cable-sim accept --list[/bold], [bold]cable-sim accept 4[/bold], [bold]cable-sim
    accept[/bold]
    """
    package = package_beside("validation")
    catalogue = package("acceptance.catalogue")
    room = package("harness.command")
    if listing:
        for number, name in catalogue.SCENARIOS.items():
            typer.echo(f"{number:2d}  {name:24s}{catalogue.load_scenario(name).title}")
        return 0
    wanted = dict.fromkeys(map(catalogue.load_scenario, names or catalogue.SCENARIOS.values()))
    return int(room.report_studies(wanted, form, results / "accept", console(160)))
