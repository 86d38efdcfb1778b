"""The command that lists the modes of a crane or scene."""

from typing import Annotated, Any

import typer

from cable_sim.cli.app import command, console, known_crane
from cable_sim.cli.options import DEFAULT_CRANE, CraneName, number

SHOWN = 3
"""Number of bodies listed for each mode."""
AXES = ("x", "y", "z", "turns about x", "turns about y", "turns about z")
NOTED = 0.1
"""Part of the largest movement from which on a body is listed."""

Count = Annotated[int, typer.Option("--most", metavar="N", min=1, help="List N, slowest first.")]
Fastest = Annotated[float, number("--below", metavar="HZ", min=0.0, help="Leave out faster modes.")]


@command
def modes(crane: CraneName = DEFAULT_CRANE, most: Count = 12, below: Fastest = 100.0) -> int:
    """List the modes of a crane or scene: load sway, rope bounce, vibration of parts.

    The scene is brought to rest first, as [bold]equilibrium[/bold] does. Then come the modes about
    it, with motors held: natural frequency, period, damping ratio, and what moves, in m or rad for
    a largest movement of 1. Sheaves turn without loss; real ones stick where motions are small.
    A scene that does not come to rest is an error that names what moves, exit status 2.

    Examples: [bold]cable-sim modes rtg_41t_hanging[/bold], [bold]cable-sim modes mine.yaml --below
    5[/bold]
    """
    scene = known_crane(crane).scene
    from cable_sim.sim.statics import modes as modes_of_scene

    found = modes_of_scene(scene)
    shown = [mode for mode in found if mode.frequency <= below][:most]
    console(120).print(_table(shown, len(found)))
    if found.rates:
        creeping = ", ".join(f"{rate:.3g}" for rate in found.rates[:SHOWN])
        typer.echo(f"without oscillation: {len(found.rates)} rates, {creeping} 1/s ...")
    if found.neutral:
        typer.echo(
            f"{found.neutral} motions without resistance, such as the rotation of a load on a rope"
        )
    return 0


def _table(shown: list[Any], count: int) -> Any:
    """Return a table of modes."""
    from rich.table import Table

    made = Table(caption=f"{len(shown)} of {count} modes")
    for head in ("frequency [Hz]", "period [s]", "damping ratio"):
        made.add_column(head, justify="right")
    made.add_column("what moves")
    for mode in shown:
        numbers = (mode.frequency, mode.period, abs(mode.damping_ratio) and mode.damping_ratio)
        made.add_row(*(f"{value:.4g}" for value in numbers[:2]), f"{numbers[2]:.4f}", _told(mode))
    return made


def _told(mode: Any) -> str:
    """Return the bodies that move most, and how."""
    largest = {name: abs(shape).max() for name, shape in mode.bodies.items()}
    names = sorted(largest, key=largest.__getitem__, reverse=True)[:SHOWN]
    told = []
    for name in names:
        if largest[name] >= NOTED:
            axis = int(abs(mode.bodies[name]).argmax())
            told.append(f"{name} {AXES[axis]} {mode.bodies[name][axis]:+.2f}")
    return ", ".join(told) or "ropes"
