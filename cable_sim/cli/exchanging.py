"""Commands that exchange models with other programs."""

from pathlib import Path
from typing import Annotated

import typer

from cable_sim.cli.app import command
from cable_sim.cli.options import DEFAULT_CRANE, CraneName


@command
def import_(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="URDF, xacro, SDF, MJCF file or cable robot.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", dir_okay=False, help="Scene to write; left out, standard output."
        ),
    ] = None,
    keyframe: Annotated[str, typer.Option(help="Keyframe of an MJCF file to start at.")] = "",
    contact: Annotated[bool, typer.Option(help="Let shapes touch one another.")] = True,
) -> int:
    """Turn a model of another program, or a cable robot in YAML, into the YAML file of a scene.

    Tells on the terminal, with its line, all that is left out or said in another way.

    Example: [bold]cable-sim import arm.xml -o arm.yaml[/bold], then
    [bold]cable-sim view arm.yaml --local[/bold]
    """
    from cable_sim import ImportedModel, read_model
    from cable_sim.atomic_files import write_text
    from cable_sim.spec.files import to_yaml

    if model.suffix.lower() in (".yaml", ".yml"):
        from cable_sim.interchange.robots import CableRobot, robot_scene

        found = ImportedModel(robot_scene(CableRobot.from_file(model)), ())
    else:
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


@command
def export(
    name: CraneName = DEFAULT_CRANE,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            dir_okay=False,
            help="File to write: .xml, .urdf, .sdf, .glb, .usda or .usdc.",
        ),
    ] = None,
) -> int:
    """Write a crane or a scene as MJCF, URDF or SDF, or as a picture in glTF or USD, by the ending.

    Tells on the terminal all that the model does not have, by name.

    Example: [bold]cable-sim export tower_12t -o tower.xml[/bold], then
    [bold]python -m mujoco.viewer --mjcf=tower.xml[/bold]
    """
    from cable_sim import export_model
    from cable_sim.scenes.machines import load_machine

    crane = load_machine(name)
    out = out or Path(f"{crane.name}.xml")
    told = export_model(crane, out)
    for line in told:
        typer.echo(line, err=True)
    typer.echo(f"{out}: {crane.scene.counts}; left out or said in another way: {len(told)}")
    return 0
