"""Commands that run a crane or drive a running one."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from cable_sim.cli.app import command, end_like_ctrl_c, interrupt_event, known_crane, ros_namespace
from cable_sim.cli.options import (
    DEFAULT_CRANE,
    CraneName,
    FramePrefix,
    Host,
    Local,
    Namespace,
    Port,
    Reset,
    Seconds,
    WorldFrame,
    number,
)
from cable_sim.errors import CableSimError

TOKEN_VARIABLE = "CABLE_SIM_TOKEN"


@command
def run(
    crane: CraneName = DEFAULT_CRANE,
    seconds: Seconds = None,
    viewer: Annotated[bool, typer.Option(help="Serve the page in the browser.")] = True,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    rtf: Annotated[
        float,
        typer.Option(
            min=0.0, max=100.0, help="Speed: simulated over wall time; 0 is as fast as possible."
        ),
    ] = 1.0,
    rviz: Annotated[bool, typer.Option("--rviz", help="Open RViz, if it is installed.")] = False,
) -> int:
    """Simulate a crane, or a rope in a hand: ROS 2 node and page in the browser, until Ctrl-C.

    Prints the page's address and the code that lets a page control the crane.

    Examples: [bold]cable-sim run[/bold], [bold]cable-sim run my_crane.yaml --port 0[/bold],
    [bold]cable-sim run nehe_rope[/bold],
    [bold]cable-sim run --for 20 --no-viewer --rtf 2[/bold]
    """
    known_crane(crane)
    from cable_sim.ros.launch import run_command

    options = run_command.RunOptions(crane, seconds, viewer, host, port, rtf, rviz)
    return run_command.run(options, Console(), interrupt_event())


@command
def node(context: typer.Context) -> int:
    """Run the simulator node alone: [bold]cable-sim node [CRANE] [--ros-args ...][/bold]

    What follows --ros-args goes to ROS; 'ros2 param describe /cable_sim NAME' describes every
    parameter.

    Example: [bold]cable-sim node tower_12t --ros-args -p start_paused:=true -r
    __ns:=/crane_1[/bold]
    """
    words = list(context.args)
    crane = words.pop(0) if words and not words[0].startswith("-") else ""
    if crane:
        known_crane(crane)
    from cable_sim.ros.node.simulator_node import main as simulate

    return simulate(
        [*(("--ros-args", "-p", f"crane_config:={crane}", "--") if crane else ()), *words]
    )


TokenFile = Annotated[
    Path | None,
    typer.Option(
        help="File with the control code; left out, that of CABLE_SIM_TOKEN or a new random one."
    ),
]
Token = Annotated[str | None, typer.Option(hidden=True)]


@command
def view(
    context: typer.Context,
    crane: CraneName = DEFAULT_CRANE,
    local: Local = False,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    token_file: TokenFile = None,
    token: Token = None,
    namespace: Namespace = "",
    frame_prefix: FramePrefix = "",
    world_frame: WorldFrame = "world",
) -> int:
    """Serve the page in the browser for a running simulator node, or with --local without one.

    Examples: [bold]cable-sim view[/bold], [bold]cable-sim view --local --port 0[/bold]
    """
    words = context.args
    code = control_code(token, token_file)
    if crane.startswith("-"):  # there is none: it is the first of the words that belong to ROS
        crane, words = DEFAULT_CRANE, [crane, *words]
    loaded = known_crane(crane)
    namespace = ros_namespace(words) or namespace
    from cable_sim.viewer.page import Viewer

    if local:
        from cable_sim.viewer.local import LocalSource
        from cable_sim.viewer.show import make_machine

        own = LocalSource()
        page = Viewer(loaded, own, host=host, port=port, token=code)
        page.run(lambda: own.start(lambda: make_machine(page)))
        return 0
    from cable_sim.ros.client.remote_crane import RosSource

    source = RosSource(loaded, namespace, frame_prefix, world_frame, name="cable_sim_viewer")
    try:
        Viewer(loaded, source, host=host, port=port, token=code).run()
    finally:
        source.close()
    return 0


PictureRate = Annotated[
    float, number(min=0.01, max=100.0, help="Pictures per second of wall time, of each camera.")
]
PictureWidth = Annotated[int, typer.Option(min=16, max=3840, help="Width of pictures [pixels].")]
PictureHeight = Annotated[int, typer.Option(min=16, max=2160, help="Height of pictures [pixels].")]


@command
def cameras(
    context: typer.Context,
    crane: CraneName = DEFAULT_CRANE,
    rate: PictureRate = 10.0,
    width: PictureWidth = 640,
    height: PictureHeight = 480,
    namespace: Namespace = "",
    frame_prefix: FramePrefix = "",
    world_frame: WorldFrame = "world",
) -> int:
    """Publish what a running crane's cameras see: above the hook, and from the driver's cab.

    Topics are hook_camera/image_raw, hook_camera/image_raw/compressed, hook_camera/camera_info, and
    those of cab_camera. Pictures are drawn in this process, and only where somebody listens.

    Example: [bold]cable-sim cameras tower_12t --rate 5[/bold]
    """
    loaded = known_crane(crane)
    namespace = ros_namespace(context.args) or namespace
    from cable_sim.ros.client.cameras import CameraOptions, run_cameras

    options = CameraOptions(rate, width, height, namespace, frame_prefix, world_frame)
    return run_cameras(loaded, options, interrupt_event())


def control_code(token: str | None, file: Path | None) -> str | None:
    """Return the code for control from a file or the environment; None if there is none.

    CableSimError where it stands on the command line, which every user of the machine can read.
    """
    if token is not None:
        told = "--token shows the code to everyone who lists the processes"
        raise CableSimError(f"{told}: write it to a file for --token-file, or set {TOKEN_VARIABLE}")
    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    from cable_sim.spec.files import read_text

    return read_text(file).strip()


@command
def teleop(
    crane: CraneName = DEFAULT_CRANE,
    namespace: Namespace = "",
    frame_prefix: FramePrefix = "",
    world_frame: WorldFrame = "world",
) -> int:
    """Drive a running simulator with the keyboard.

    Arrows slew (or travel a gantry) and move the trolley. HOME and END, or w and s, hoist and
    lower. Each press is one notch of five. A hand that holds a rope
    ([bold]cable-sim teleop nehe_rope[/bold]) moves as long as a key is held. Arrows move it right,
    left, away and near, HOME and END up and down. Space stops everything, e is the emergency stop,
    q quits.
    """
    loaded = known_crane(crane)
    if not sys.stdin.isatty():
        raise CableSimError("teleop needs a terminal: its input is not a keyboard")
    from cable_sim.ros.client.remote_crane import RosSource
    from cable_sim.ros.command.teleop import Levers, drive

    levers = Levers(loaded)
    end_like_ctrl_c()  # so that the terminal is put in order
    source = RosSource(loaded, namespace, frame_prefix, world_frame, name="cable_sim_teleop")
    try:
        if source.wait(10.0) is None:
            raise CableSimError("no simulator answered within 10 s; start one with 'cable-sim run'")
        drive(levers, source, Console())
    except KeyboardInterrupt:
        return 130
    finally:
        source.close()
    return 0


PlanFile = Annotated[Path, typer.Argument(help="CSV file of commands: time [s], motion, speed.")]
PlanCrane = Annotated[str, typer.Option(help="Crane; left out, the one that the plan names.")]
StartNode = Annotated[
    bool,
    typer.Option("--start-node", help="Start a node for this plan only, on its own ROS domain."),
]
Rehearse = Annotated[
    bool,
    typer.Option("--rehearse", help="Simulate in this process, without ROS, as fast as possible."),
]
Tolerance = Annotated[float, number(min=0.0, help="Largest distance from the target [m].")]
NodeSpeed = Annotated[
    float,
    typer.Option(min=0.0, max=100.0, help="With --start-node: speed, simulated over wall time."),
]
Record = Annotated[bool, typer.Option(help="Record an MCAP bag beside the report.")]
RunFolder = Annotated[
    Path, typer.Option(file_okay=False, help="Folder for runs; each gets a subfolder.")
]


@command
def operate(
    plan: PlanFile,
    crane: PlanCrane = "",
    reset: Reset = False,
    start_node: StartNode = False,
    rehearse: Rehearse = False,
    tolerance: Tolerance = 0.5,
    rtf: NodeSpeed = 1.0,
    record: Record = True,
    results: RunFolder = Path("results"),
    namespace: Namespace = "",
) -> int:
    """Play an operator's timed commands at a simulator, and report where the load landed.

    A plan's lines are [bold]12.5,hoist,-30[/bold]: from 12.5 s on lower with 30 m/min. Units: m/min
    for hoist (+ up) and trolley (+ outward), rpm for slewing (+ anticlockwise from above). Exit
    status 0 if the load stands within the tolerance of the plan's target, else 1.

    Example: [bold]cable-sim operate config/lift_plans/tower_pick_and_place.csv --reset[/bold]
    """
    from cable_sim.control.lift_plans import lift_plan
    from cable_sim.spec.files import read_text

    name = crane or lift_plan.crane_of(read_text(plan)) or DEFAULT_CRANE
    loaded = known_crane(name)
    read = lift_plan.read_plan(plan, loaded)
    if rehearse:
        if reset or start_node:
            raise CableSimError("--rehearse needs no node: leave out --reset and --start-node")
        return _rehearse(read, loaded, tolerance, results)
    from cable_sim.ros.operate import operate as room

    options = room.OperateOptions(
        tolerance, reset, start_node, rtf, record, results, namespace, name
    )
    return room.operate(read, loaded, options, Console(), interrupt_event())


def _rehearse(plan: Any, crane: Any, tolerance: float, results: Path) -> int:
    """Play a plan without ROS and return the exit status."""
    from cable_sim.control.lift_plans.lift_report import conclude, results_folder
    from cable_sim.control.lift_plans.time_series import rehearse

    track = rehearse(plan, crane)
    return conclude(results_folder(results, plan), plan, crane, track, tolerance, Console())
