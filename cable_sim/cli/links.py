"""Commands that put a controller outside in the loop."""

from typing import Annotated

import typer

from cable_sim.cli.app import DEFAULT_CRANE, CraneName, Seconds, command, interrupted, known_crane


@command
def plc(
    crane: CraneName = DEFAULT_CRANE,
    seconds: Seconds = None,
    host: Annotated[str, typer.Option(help="Address to listen on; beyond loopback with --unprotected.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Modbus/TCP port; 0 takes a free one.")] = 5020,
    unprotected: Annotated[
        bool, typer.Option("--unprotected", help="Let other machines command it, of which Modbus asks no password.")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the crane's registers.")] = False,
) -> int:
    """Simulate a crane in real time for a PLC that commands and reads it over Modbus/TCP, until Ctrl-C.

    Every 10 ms the newest commands are obeyed and new readings shown. Prints how many ticks missed their deadline; exit
    status 1 if any did.

    Examples: [bold]cable-sim plc tower_12t --list[/bold], [bold]cable-sim plc tandem_lift --for 60[/bold]
    """
    loaded = known_crane(crane)
    if listing:
        from cable_sim.control.registers import Registers

        for register, name, kind in Registers(loaded).table():
            typer.echo(f"{register:5d}  {kind:8s} {name}")
        return 0
    from cable_sim.control.plc_link import PlcLink
    from cable_sim.machine.machine import Machine

    link = PlcLink(Machine(loaded), host, port, unprotected)
    typer.echo(f"registers of {loaded.name} on {host}:{link.port}, device 1")
    try:
        done = link.run(seconds if seconds is not None else float("inf"), interrupted())
    finally:
        link.close()
    typer.echo(f"{len(done.log)} ticks, {done.renewed} with new commands, {len(done.missed)} missed their deadline")
    return 1 if done.missed else 0
