"""Lift plans at a simulator node: playing and reporting."""

import math
import threading
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from cable_sim.control.lift_plans.lift_plan import LiftPlan
from cable_sim.control.lift_plans.lift_report import conclude, results_folder
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.ros.bags.recorder import Recorder
from cable_sim.ros.launch.processes import Child, free_domain, isolated_environment, node_command
from cable_sim.ros.operate.plan_player import Operator

NODE_TIMEOUT = 10.0
"""Wall time within which a running node is heard [s]."""
START_TIMEOUT = 240.0
"""Wall time within which a started node is heard [s]. It may have to compile its kernels first."""
HINT = "; start one with 'cable-sim run' in another terminal, or use --start-node"
"""Advice where no running node is heard."""
START_RADIUS = 0.5
START_ANGLE = 0.02
"""Largest distance of the load from the plan's start [m, rad]."""


@dataclass(frozen=True)
class OperateOptions:
    """Options for operating a plan.

    Parameters
    ----------
    tolerance: largest horizontal distance from the target [m].
    reset: whether to reset the simulator to its start first.
    start_node: whether to start a node for this plan alone, on an unused ROS domain.
    real_time_factor: of that node [-]; 0 is as fast as possible.
    record: whether to write a bag.
    results: folder in which the run's own folder is made.
    namespace: of the node.
    crane_file: name or file of the crane, for the node.
    """

    tolerance: float = 0.5
    reset: bool = False
    start_node: bool = False
    real_time_factor: float = 1.0
    record: bool = True
    results: Path = Path("results")
    namespace: str = ""
    crane_file: str = "tower_12t"


def operate(
    plan: LiftPlan, crane: Crane, options: OperateOptions, console: Console, ended: threading.Event
) -> int:
    """Play the plan; returns the exit status.

    It is 0 if the load landed within the tolerance, and 1 if not. It is 130 if the event was set
    before the end. Raises CableSimError when there is no node, or it can't be used.
    """
    node: Child | None = None
    domain = None

    def gone() -> str:
        if ended.is_set():
            raise KeyboardInterrupt
        return node.fate if node else ""

    with ExitStack() as held:
        if options.start_node:
            domain = free_domain()
            node = _start(options, domain)
            held.callback(node.end)
        operator = held.enter_context(
            closing(Operator(crane, plan, options.namespace, domain, gone))
        )
        try:
            with console.status("waiting for the simulator"):
                operator.meet(*((START_TIMEOUT,) if node else (NODE_TIMEOUT, HINT)))
            return _lift(operator, node, options, console)
        except KeyboardInterrupt:
            return 130


def _start(options: OperateOptions, domain: int) -> Child:
    """Start a node that waits at its start."""
    command = node_command(
        options.crane_file,
        {"start_paused": True, "real_time_factor": float(options.real_time_factor)},
        ["-r", f"__ns:={options.namespace or '/'}"],
    )
    return Child("node", command, environment=isolated_environment(domain))


def _lift(operator: Operator, node: Child | None, options: OperateOptions, console: Console) -> int:
    """Play the plan at a connected node."""
    plan = operator.plan
    if options.reset and node is None:
        operator.reset()
    _check_start(operator)
    folder = results_folder(options.results, plan)
    if options.record:
        operator.record(Recorder(folder / "bag", operator.node.resolve_topic_name))
    operator.start()
    try:
        if node is not None:
            operator.pause(False)
        _watch(operator, console)
    except BaseException as error:
        operator.halt()
        if isinstance(error, KeyboardInterrupt):
            told = "interrupted: every motion of the plan is commanded to stop"
            console.print(told, style="yellow")
        raise
    return conclude(
        folder,
        plan,
        operator.crane,
        operator.track(),
        options.tolerance,
        console,
        operator.figures(),
    )


def _watch(operator: Operator, console: Console) -> None:
    """Play the plan with a progress bar."""
    columns = (
        TextColumn("{task.completed:6.1f} / {task.total:.1f} s"),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    end = operator.plan.duration
    with Progress(*columns, console=console, refresh_per_second=5) as progress:
        task = progress.add_task("", total=end)

        def tell(time: float) -> None:
            remark = "the simulator is paused" if operator.paused else ""
            progress.update(task, completed=min(time, end), description=remark)

        operator.play(tell)


def _check_start(operator: Operator) -> None:
    """Check that the load is where the plan begins; CableSimError if not."""
    if operator.plan.start is None:
        return
    radius, angle = operator.load_place()
    want_radius, want_angle = operator.plan.start
    turn = math.remainder(angle - want_angle, 2.0 * math.pi)
    if abs(radius - want_radius) > START_RADIUS or abs(turn) > START_ANGLE:
        raise CableSimError(
            f"the load is at radius {radius:.1f} m, {math.degrees(angle):.1f} deg; the plan "
            "begins at "
            f"{want_radius:g} m, {math.degrees(want_angle):g} deg; reset the simulator (--reset)"
        )
