"""Commands that list the catalogues and check files."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from cable_sim.cli.app import command, known_crane
from cable_sim.cli.options import (
    DEFAULT_CRANE,
    Changes,
    CraneName,
    LoadMass,
    Namespace,
    number,
    parse_changes,
)


@command
def check(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NAME",
            help="YAML file of a crane, scene, scenario or matrix, CSV file of a lift plan, or a "
            "name from 'cable-sim cranes', 'scenes' or 'evaluate --list'.",
        ),
    ],
) -> int:
    """Check a crane, a scene, a scenario, a matrix or a lift plan.

    Lists every problem with its line, and exits with 1 if there is one. Warns of a load that the
    crane may not lift, or that looks like tonnes. Warns of parts of the rig that are left out, too.

    Examples: [bold]cable-sim check my_crane.yaml[/bold], [bold]cable-sim check tower_12t[/bold]
    """
    from cable_sim.control.check import summary_of
    from cable_sim.errors import CommandError, ConfigError, ModelError, SpecError

    try:
        typer.echo(f"{file}: {summary_of(file)}")
    except ConfigError as error:
        typer.echo(str(error), err=True)
        return 1
    except (SpecError, ModelError, CommandError) as error:
        typer.echo(f"{file}: {error}", err=True)
        return 1
    return 0


@command
def cranes() -> int:
    """List the cranes of the catalogue, and other machines with axes: a rope in a hand."""
    from cable_sim.cranes import crane_names
    from cable_sim.cranes.catalogue import crane_file

    for name, stands_for in crane_names().items():
        first = crane_file(name).read_text(encoding="utf-8").partition("\n")[0].strip("# ")
        typer.echo(
            f"{name:24s}{first}"
            if name == stands_for
            else f"{name:24s}another name of {stands_for}"
        )
    return 0


@command
def describe(
    crane: CraneName = DEFAULT_CRANE,
    folder: Annotated[
        Path | None, typer.Option(help="Write files there, and print their paths as JSON.")
    ] = None,
    changes: Changes = None,
    load_mass: LoadMass = None,
    ros2_control: Annotated[
        bool, typer.Option("--ros2-control", help="Add the ros2_control tag of the crane.")
    ] = False,
    socket: Annotated[
        str, typer.Option(metavar="PATH", help="Socket of the simulator for hardware in lockstep.")
    ] = "",
    namespace: Namespace = "",
) -> int:
    """Print the crane as URDF, or write all files that a launch of it needs.

    Those are the description, with --ros2-control the parameters of its controllers, and with
    changes the crane's own file.

    Example: [bold]cable-sim describe tower_12t --change rig.load.mass=3000 > tower.urdf[/bold]
    """
    import tempfile

    from cable_sim.ros.launch import prepare

    changed = _changes_of(crane, changes, load_mass)
    with tempfile.TemporaryDirectory() as spare:
        written = prepare.prepare(
            crane,
            folder or Path(spare),
            changed,
            control=ros2_control,
            namespace=namespace,
            socket=socket,
        )
        if folder is None:
            typer.echo(Path(written.description).read_text(encoding="utf-8"))
        else:
            typer.echo(json.dumps(written._asdict()))
    return 0


def _changes_of(crane: str, changes: Changes, load_mass: LoadMass) -> dict[str, Any]:
    """Return the values of a crane's file that options replace, by path."""
    from cable_sim.cranes.catalogue import mass_path

    given = parse_changes(changes or [])
    return given if load_mass is None else given | {mass_path(crane): load_mass}


@command
def fmu(
    crane: CraneName = DEFAULT_CRANE,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write, .fmu.")] = None,
    version: Annotated[int, typer.Option("--fmi", help="Version of FMI, 2 or 3.")] = 3,
    step: Annotated[
        float, number(help="Smallest communication step [s]; others are its multiples.")
    ] = 0.01,
    changes: Changes = None,
    load_mass: LoadMass = None,
) -> int:
    """Write a crane as an FMU, which runs in the tools that take FMI 2 or 3 for co-simulation.

    Commands of the axes are inputs; positions, tensions, sway, poses, readings and limiters are
    outputs. The FMU runs in the Python of the tool, with cable_sim installed there.

    Examples: [bold]cable-sim fmu tower_12t -o tower.fmu[/bold],
    [bold]cable-sim fmu my_crane.yaml --fmi 2 --load-mass 3000[/bold]
    """
    from cable_sim.cranes import load_crane
    from cable_sim.interchange.fmi.export import export_fmu

    loaded = load_crane(crane, _changes_of(crane, changes, load_mass))
    path = export_fmu(loaded, out or Path(f"{loaded.name}.fmu"), fmi=version, step=step)
    typer.echo(f"{path}: FMI {version}, steps of {step:g} s")
    return 0


@command
def parameters(crane: CraneName = DEFAULT_CRANE) -> int:
    """Print every parameter of the node for a crane, as a YAML file for --params-file."""
    machine = known_crane(crane)
    from cable_sim.ros.basis.crane_parameters import rows_of
    from cable_sim.ros.basis.parameters import TABLE
    from cable_sim.ros.node.parameter_page import file

    rows = [row._replace(default=crane) if row.name == "crane_config" else row for row in TABLE]
    typer.echo(file([*rows, *rows_of(machine)], machine.name), nl=False)
    return 0


@command
def ropes() -> int:
    """List the ropes of the catalogue: metallic area, stiffness, mass, minimum breaking force."""
    import math

    from cable_sim.spec.cables.rope_catalogue import load_rope, rope_names

    typer.echo(
        f"{'name':20s}{'area [mm^2]':>12s}{'EA [MN]':>10s}{'mass [kg/m]':>13s}{'MBF [kN]':>10s}"
    )
    for name in rope_names():
        rope = load_rope(name)
        force = rope.minimum_breaking_force
        strength = f"{1e-3 * force:10.4g}" if math.isfinite(force) else f"{'-':>10s}"
        area = f"{1e6 * rope.metallic_area:12.2f}"
        stiffness = f"{1e-6 * rope.ea:10.4g}"
        mass = f"{rope.mass_per_metre:13.4g}"
        typer.echo(f"{name:20s}{area}{stiffness}{mass}{strength}")
    return 0


@command
def scenes() -> int:
    """List the scenes of the catalogue, to run and view, and for cable_sim.load_scene."""
    from cable_sim.scenes import CATALOGUE

    for name, build in CATALOGUE.items():
        typer.echo(f"{name:28s}{(build.__doc__ or '').strip().partition(chr(10))[0]}")
    return 0
