"""Lift plans at a simulator node: playing and reporting."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from cable_sim.control.lift_plans.lift_plan import LiftPlan
from cable_sim.control.lift_plans.report import measure
from cable_sim.control.lift_plans.report_files import results_folder, show, write_report
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError
from cable_sim.ros.bags.recorder import Recorder
from cable_sim.ros.client.plan_player import Operator
from cable_sim.ros.launch.processes import Child, apart, free_domain, node_command

NODE_TIMEOUT = 10.0
"""Wall time within which a running node is heard [s]."""
START_TIMEOUT = 240.0
"""Wall time within which a started node is heard [s]. It may have to compile its kernels first."""
START_RADIUS, START_ANGLE = 0.5, 0.02
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
    node = None
    domain = None
    if options.start_node:
        domain = free_domain()
        node = Child(
            "node",
            node_command(
                options.crane_file,
                {"start_paused": True, "real_time_factor": float(options.real_time_factor)},
                ["-r", f"__ns:={options.namespace or '/'}"],
            ),
            environment=apart(domain),
        )
    operator = Operator(crane, plan, options.namespace, domain)
    try:
        _meet(operator, node, console, ended)
        if ended.is_set():
            return 130
        return _lift(operator, node, options, console, ended)
    finally:
        operator.close()
        if node is not None:
            node.end()


def follow(
    console: Console,
    duration: float,
    now: Callable[[], float],
    until: Callable[[float], bool],
    remark: Callable[[], str] = lambda: "",
) -> None:
    """Show a progress bar over the plan's time [s] until ``until`` returns True.

    ``until`` takes the time to wait [s].
    """
    columns = (
        TextColumn("{task.completed:6.1f} / {task.total:.1f} s"),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, refresh_per_second=5) as progress:
        task = progress.add_task("", total=duration)
        while not until(0.2):
            progress.update(task, completed=min(now(), duration), description=remark())
        progress.update(task, completed=min(now(), duration))


def _meet(operator: Operator, node: Child | None, console: Console, ended: threading.Event) -> None:
    """Wait until node and operator are connected both ways."""
    limit = START_TIMEOUT if node is not None else NODE_TIMEOUT
    deadline = time.monotonic() + limit
    with console.status("waiting for the simulator"):
        while not (operator.ready or ended.wait(0.05)):
            if operator.problem:
                raise CableSimError(operator.problem)
            if node is not None and node.status is not None:
                raise CableSimError(
                    f"the node has ended with status {node.status}: {node.last_words()}"
                )
            if time.monotonic() > deadline:
                hint = (
                    ""
                    if node
                    else "; start one with 'cable-sim run' in another terminal, or use --start-node"
                )
                raise CableSimError(f"no simulator answered within {limit:g} s{hint}")


def _lift(
    operator: Operator,
    node: Child | None,
    options: OperateOptions,
    console: Console,
    ended: threading.Event,
) -> int:
    """Play the plan at a connected node."""
    plan = operator.plan
    crane = operator.crane
    if options.reset and node is None:
        operator.reset()
    _check_start(operator)
    folder = results_folder(options.results, plan)
    if options.record:
        operator.record(Recorder(folder / "bag", operator.resolve))
    operator.start()
    if node is not None:
        operator.go_on()
    try:
        _watch(operator, node, console, ended)
    except BaseException:
        operator.halt()
        raise
    if ended.is_set():
        operator.halt()
        console.print("interrupted: every motion of the plan is commanded to stop", style="yellow")
        return 130
    track = operator.track()
    report = measure(plan, crane, track, operator.figures())
    write_report(folder, crane, report, track, options.tolerance)
    show(report, folder, options.tolerance, console)
    return 0 if report.succeeded(options.tolerance) else 1


def _watch(
    operator: Operator, node: Child | None, console: Console, ended: threading.Event
) -> None:
    """Wait for the end of the plan; CableSimError if it can't come."""

    def over(wait: float) -> bool:
        if node is not None and node.status is not None:
            raise CableSimError(
                f"the node has ended with status {node.status}: {node.last_words()}"
            )
        if operator.silent:
            raise CableSimError(
                f"nothing from the simulator since {operator.time:.1f} s of the plan"
            )
        return operator.finished.wait(wait) or ended.is_set()

    follow(
        console, operator.plan.duration, lambda: operator.time, over,
        lambda: "the simulator is paused" if operator.paused else "",
    )  # fmt: skip
    if operator.problem:
        raise CableSimError(operator.problem)


def _check_start(operator: Operator) -> None:
    """Check that the load is where the plan begins; CableSimError if not."""
    if operator.plan.start is None:
        return
    (radius, angle), (want_radius, want_angle) = operator.load_place(), operator.plan.start
    turn = math.remainder(angle - want_angle, 2.0 * math.pi)
    if abs(radius - want_radius) > START_RADIUS or abs(turn) > START_ANGLE:
        raise CableSimError(
            f"the load is at radius {radius:.1f} m, {math.degrees(angle):.1f} deg; the plan "
            "begins at "
            f"{want_radius:g} m, {math.degrees(want_angle):g} deg; reset the simulator (--reset)"
        )
