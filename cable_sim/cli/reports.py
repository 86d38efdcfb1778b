"""Commands of the package beside: papers run again, acceptance scenarios, and the gallery."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

from cable_sim.cli.app import command, console
from cable_sim.cli.beside import package_beside
from cable_sim.cli.options import ReportFolder, ReportFormat, words
from cable_sim.sim.progress import terminal_progress


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


@command
def gallery(
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B", help="Names of the papers, scenarios, cranes and scenes to draw."
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Redraw pages that are up to date, too.")
    ] = False,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="Folder for pages and pictures.")
    ] = Path("docs/gallery"),
) -> int:
    """Make the gallery: pages in Markdown with pictures of papers, scenarios, cranes and scenes.

    All of it takes about a quarter of an hour. Exhibits are kept as long as their sources do not
    change, so the same command continues an interrupted gallery. An exhibit that fails, or misses a
    tolerance, is shown on its page with the reason, and the others continue. Exit status 1 if there
    is such an exhibit.

    Examples: [bold]cable-sim gallery[/bold], [bold]cable-sim gallery --only scenes,cranes[/bold]
    """
    package = package_beside("validation")
    building = package("gallery.building")
    catalogue = package("gallery.exhibits")
    pages = package("gallery.pages")
    kinds = words(only)
    listed = catalogue.exhibits(kinds)
    status = 0
    done = TextColumn("{task.fields[done]}")
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeElapsedColumn())
    with terminal_progress(*columns, redirect_stdout=sys.stdout.isatty()) as bar:
        whole = bar.add_task("gallery", total=len(listed), done=f"0 of {len(listed)}")
        part = bar.add_task("", total=1.0, done="")

        def begins(exhibit: Any) -> Any:
            bar.update(part, description=f"{exhibit.kind} {exhibit.name}", completed=0.0)
            return lambda share: bar.update(part, completed=share)

        def ends(exhibit: Any, record: Any, kept: bool) -> None:
            nonlocal status
            status = status or (record.verdict != "made")
            bar.advance(whole)
            bar.update(whole, done=f"{round(bar.tasks[whole].completed)} of {len(listed)}")
            typer.echo(_line(exhibit, record, kept))

        try:
            building.build(listed, out, everything, begins, ends)
        finally:  # also of a gallery that is interrupted there are pages
            building.forget(out, kinds or catalogue.KINDS, listed)
            pages.write_pages(out, listed)
    typer.echo(f"pages in {out}")
    return int(status)


def _line(exhibit: Any, record: Any, kept: bool) -> str:
    """Return the line that reports an exhibit: verdict, duration, summary, missed tolerances."""
    told = " ".join((record.error or record.made.summary or record.made.caption).split())
    missed = f"; missed: {', '.join(record.made.missed)}" if record.made.missed else ""
    took = "kept" if kept else f"{record.seconds:.1f} s"
    return f"{record.verdict:6s} {took:>8s}  {exhibit.kind} {exhibit.name}: {told}{missed}"
