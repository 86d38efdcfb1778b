"""Commands that exchange models with other programs."""

from pathlib import Path
from typing import Annotated

import typer

from cable_sim.cli.app import command


@command
def import_(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="URDF, xacro, SDF or MJCF file.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", dir_okay=False, help="Scene to write; left out, standard output."
        ),
    ] = None,
    keyframe: Annotated[str, typer.Option(help="Keyframe of an MJCF file to start at.")] = "",
    contact: Annotated[bool, typer.Option(help="Let shapes touch one another.")] = True,
) -> int:
    """Turn a model of another program into the YAML file of a scene.

    Tells on the terminal, with its line, all that is left out or said in another way.

    Example: [bold]cable-sim import arm.xml -o arm.yaml[/bold], then
    [bold]cable-sim view arm.yaml --local[/bold]
    """
    from cable_sim import read_model
    from cable_sim.atomic_files import write_text
    from cable_sim.spec.files import to_yaml

    found = read_model(model, keyframe, contact=contact)
    for note in found.notes:
        typer.echo(str(note), err=True)
    text = to_yaml(found.scene)
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)
        typer.echo(f"{out}: {found.scene.counts}; notes on the file: {len(found.notes)}")
    return 0
