"""Commands that connect an external controller."""

import os
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from cable_sim.cli.app import command, end_like_ctrl_c, interrupt_event, known_crane, ros_namespace
from cable_sim.cli.options import (
    DEFAULT_CRANE,
    CraneName,
    FramePrefix,
    Local,
    Namespace,
    Reset,
    Seconds,
    WorldFrame,
)
from cable_sim.cli.running import control_code
from cable_sim.errors import CableSimError

ListenHost = Annotated[
    str, typer.Option(help="Address to listen on; beyond loopback with --unprotected.")
]
ModbusPort = Annotated[
    int, typer.Option(min=0, max=65535, help="Modbus/TCP port; 0 takes a free one.")
]
Unprotected = Annotated[
    bool,
    typer.Option(
        "--unprotected", help="Let other machines read and control the crane, without a password."
    ),
]
ShowPort = Annotated[
    int | None,
    typer.Option("--stream", min=0, max=65535, help="Stream states at this port of loopback, too."),
]
Listing = Annotated[bool, typer.Option("--list", help="List the crane's registers.")]


@command
def plc(
    crane: CraneName = DEFAULT_CRANE,
    seconds: Seconds = None,
    host: ListenHost = "127.0.0.1",
    port: ModbusPort = 5020,
    unprotected: Unprotected = False,
    listing: Listing = False,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the list of inputs and outputs as CSV, and exit."),
    ] = None,
    show: ShowPort = None,
) -> int:
    """Simulate a crane in real time for a PLC that commands and reads it over Modbus/TCP.

    Every 10 ms the newest commands are applied and new readings shown, until Ctrl-C. Prints the
    number of ticks that missed their deadline; exit status 1 if any did.

    Examples: [bold]cable-sim plc tower_12t --list[/bold], [bold]cable-sim plc tandem_lift --for
    60[/bold]
    """
    loaded = known_crane(crane)
    if csv is not None:
        from cable_sim.control.plants.registers import Registers

        Registers(loaded).write_csv(csv)
        typer.echo(f"written to {csv}")
        return 0
    if listing:
        from cable_sim.control.plants.registers import Registers

        for register, name, kind in Registers(loaded).table():
            typer.echo(f"{register:5d}  {kind:8s} {name}")
        return 0
    from cable_sim.control.plants.plc_link import PlcLink
    from cable_sim.machine.machine import Machine

    link = PlcLink(Machine(loaded), host, port, unprotected)
    typer.echo(f"registers of {loaded.name} on {host}:{link.port}, device 1")
    return _run_link(link, seconds, show)


UaPort = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")]
PasswordFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the operator's password; left out, that of CABLE_SIM_TOKEN or a random one."
    ),
]
Certificates = Annotated[
    Path | None,
    typer.Option(
        file_okay=False,
        help="Folder with server.der and server.pem, made if absent; left out, one of the user.",
    ),
]
Trusted = Annotated[
    Path | None,
    typer.Option(file_okay=False, help="Folder with certificates of clients that may command."),
]


@command
def opcua(
    crane: CraneName = DEFAULT_CRANE,
    seconds: Seconds = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: UaPort = 4840,
    password_file: PasswordFile = None,
    certificates: Certificates = None,
    trusted: Trusted = None,
    show: ShowPort = None,
) -> int:
    """Simulate a crane in real time for a PLC that commands and reads it over OPC UA.

    Everyone may read. Commands are for the user 'operator', whose password is printed, and for
    trusted certificates. Every 10 ms the newest commands are applied and new readings shown, until
    Ctrl-C. Prints the number of ticks that missed their deadline; exit status 1 if any did.

    Example: [bold]cable-sim opcua tower_12t --for 60[/bold]
    """
    loaded = known_crane(crane)
    from cable_sim.control.plants.opcua_link import OpcUaLink
    from cable_sim.machine.machine import Machine

    code = control_code(None, password_file)
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    folder = certificates or Path(state) / "cable_sim" / "opcua"
    link = OpcUaLink(Machine(loaded), folder, host, port, code, trusted)
    typer.echo(f"{loaded.name} at opc.tcp://{host}:{link.port}/, certificate {folder}/server.der")
    typer.echo(f"user operator, password {link.password if code is None else 'as given'}")
    return _run_link(link, seconds, show)


def _run_link(link: Any, seconds: float | None, show: int | None) -> int:
    """Run a link for that many seconds, or until Ctrl-C, and stream it; return the exit status."""
    with ExitStack() as until:
        until.callback(link.close)
        if show is not None:
            from cable_sim.interchange.links.state_stream import StateStream

            served = until.enter_context(closing(StateStream(link.machine.crane, link, port=show)))
            typer.echo(f"frames at ws://127.0.0.1:{served.port}/")
        done = link.run(seconds if seconds is not None else float("inf"), interrupt_event())
    typer.echo(
        f"{len(done.log)} ticks, {done.renewed} with new commands, {len(done.missed)} missed "
        "their deadline"
    )
    return 1 if done.missed else 0


StreamPort = Annotated[
    int, typer.Option(min=0, max=65535, help="Port of scene and web socket; 0 takes a free one.")
]
Datagrams = Annotated[
    str, typer.Option(metavar="HOST:PORT", help="Send every frame there over UDP, too.")
]
Control = Annotated[
    bool, typer.Option("--control", help="Obey speeds and stops that readers send.")
]


@command
def stream(
    context: typer.Context,
    crane: CraneName = DEFAULT_CRANE,
    local: Local = False,
    seconds: Seconds = None,
    host: ListenHost = "127.0.0.1",
    port: StreamPort = 8090,
    udp: Datagrams = "",
    orders: Control = False,
    unprotected: Unprotected = False,
    namespace: Namespace = "",
    frame_prefix: FramePrefix = "",
    world_frame: WorldFrame = "world",
) -> int:
    """Stream poses, ropes, contacts and cues of a running node, or with --local without one.

    Serves the scene as glTF, and 60 frames a second over a web socket, for pictures and sounds
    elsewhere, such as in Unity or three.js.

    Examples: [bold]cable-sim stream tower_12t --local[/bold], [bold]cable-sim stream sts_51t
    --local --control --udp 127.0.0.1:9000[/bold]
    """
    loaded = known_crane(crane)
    address = _address(udp) if udp else None
    namespace = ros_namespace(context.args) or namespace
    from cable_sim.interchange.links.state_stream import RATE, StateStream

    if local:
        from cable_sim.machine.machine import Machine
        from cable_sim.viewer.local import LocalSource

        source: Any = LocalSource(period=1.0 / RATE)
    else:
        from cable_sim.ros.client.remote_crane import RosSource

        source = RosSource(loaded, namespace, frame_prefix, world_frame, name="cable_sim_stream")
    with closing(StateStream(loaded, source, host, port, address, orders, unprotected)) as served:
        with closing(source):
            typer.echo(f"frames of {loaded.name} at ws://{host}:{served.port}/")
            typer.echo(f"scene at http://{host}:{served.port}/scene.glb")
            if local:
                source.start(lambda: Machine(loaded))
            interrupt_event().wait(seconds)
    return 0


def _address(words: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; raise CableSimError for anything else."""
    host, _, port = words.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise CableSimError(f"--udp: {words!r} is not allowed; give HOST:PORT, port 1 to 65535")
    return host, int(port)


ScenarioName = Annotated[
    str,
    typer.Argument(metavar="SCENARIO", help="Name from 'cable-sim evaluate --list', or YAML file."),
]
StartNode = Annotated[
    bool,
    typer.Option("--start-node", help="Start a node for this run only, on its own ROS domain."),
]
CraneFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the scenario's crane to a file for a node, and exit."),
]


@command
def control(
    context: typer.Context,
    scenario: ScenarioName,
    namespace: Namespace = "",
    reset: Reset = False,
    start_node: StartNode = False,
    crane_file: CraneFile = None,
) -> int:
    """Run a scenario's controller against a running simulator node, in lockstep or in real time.

    The node has to run the scenario's crane: --crane-file writes it. The faults of the scenario
    are injected; with --reset time begins anew. Prints the number of answered states, the answer
    times (median, standard deviation and slowest), and the number of late answers in real time:
    exit status 1 if any was late.

    Examples: [bold]cable-sim control my_scenario.yaml --crane-file crane.yaml[/bold], then
    [bold]cable-sim node crane.yaml --ros-args -p lockstep:=command -p real_time_factor:=0.0[/bold],
    and in another terminal [bold]cable-sim control my_scenario.yaml --reset[/bold]
    """
    from cable_sim.control.catalogue import load_scenario

    namespace = ros_namespace(context.args) or namespace
    if start_node and (namespace or reset):
        raise CableSimError("--namespace and --reset need a running node: leave out --start-node")
    read = load_scenario(scenario)
    if crane_file is not None:
        from cable_sim.cranes.catalogue import save_crane

        save_crane(read.build(), crane_file)
        typer.echo(f"written to {crane_file}")
        return 0
    end_like_ctrl_c()  # so that a node that was started is ended
    return _control(read, {} if start_node else {"namespace": namespace, "reset": reset})


def _control(scenario: Any, node: dict[str, Any]) -> int:
    """Run the controller at a node that these parameters select; return the exit status.

    It is 1 if the controller missed deadlines, and 130 after Ctrl-C.
    """
    from cable_sim.control.run import run
    from cable_sim.control.timing import pace_of
    from cable_sim.ros.lockstep.plant import RosPlant

    waiting = Console(stderr=True).status("waiting for the simulator")
    try:
        with waiting, closing(RosPlant.of(scenario, **node)) as plant:
            done = run(scenario, plant, lambda time: waiting.update(f"{time:.1f} s"))
    except KeyboardInterrupt:
        return 130
    told = plant.deadlines
    pace = pace_of(done)
    fast = f"{1e3 * pace.latency_median:.1f} ms (+- {1e3 * pace.latency_jitter:.1f} ms)"
    said = f"{told.answered} states answered, after {fast} and {1e3 * told.slowest:.1f} ms at most"
    said = f"{done.time[-1]:.2f} s in {done.wall:.1f} s: {said}, {told.missed} deadlines missed"
    Console().print(said, markup=False, highlight=False, soft_wrap=True)
    return 1 if told.missed else 0
