"""Figures 8 and 9: what a step costs, over massive nodes and over contact nodes; processor time of
this machine."""

import math
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from cable_sim import Scene, Simulator, load_scene
from validation.harness import Picture, Progress, Reading, Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

H = 1.0 / 60.0
SOLVERS: tuple[Literal["envelope", "sparse"], ...] = ("envelope", "sparse")
ROUNDS, LEAST = 9, 0.02
"""Timings of which the best counts, and how long each takes at least [s]."""
SETTLING = 1800
"""Steps before any is timed."""
MASSES = (1, 2, 5, 10, 20, 30)
"""Of each wire of figure 8."""
GRIDS = {"one wire": (1, 2), "chain of 10 wires": (1, 11), "net 3 x 3": (3, 3), "net 4 x 4": (4, 4)}
"""Rows and columns of knots."""
NETS = (4, 8, 16, 32)
"""Rows and columns of knots of nets that both solvers step."""
NET_MASSES, NET_SETTLING = 4, 30
"""Masses of each of their wires, and steps before any is timed."""
TIGHT, LOOSE = 1e5, 5.0
"""Mass of a ball that makes the wires go to their least resolution, and of one that leaves them
theirs [kg]."""
CONTACTS = (20, 30, 40, 60, 80, 100)
"""Facets of the cylinder of figure 9; a little more than half of them are touched. A chain with a
mass for each of fewer does not lie on it: its links meet nothing."""
LOAD, WIRE = 1e4, 1.0
"""Of figure 9 [kg]: so much that the wire goes to its least resolution."""
FRICTION = 0.3
"""Of the rough cylinder."""
LINES = {
    "contact node, hybrid wire": "",
    "contact node, rough hybrid wire": "3",
    "mass, chain": "",
    "mass, chain with contacts as rows": "13",
}
"""What figure 9 counts on each line, and the paper's time for it [us]."""


class Cost(NamedTuple):
    """Nodes, massive ones with the balls, contact nodes, and the time of a step [s]."""

    nodes: int
    contacts: int
    seconds: float


def step_cost(
    scene: Scene, solver: Literal["envelope", "sparse"] = "envelope", settling: int = SETTLING
) -> Cost:
    """Processor time of a step, the best of several rounds from the same state."""
    simulator = Simulator(scene, dt=H, solver=solver)
    simulator.step(settling)
    start, count, best = simulator.save(), 1, math.inf
    done = 0
    while done < ROUNDS:
        simulator.restore(start)
        begin = time.process_time()
        simulator.step(count)
        spent = time.process_time() - begin
        if spent < LEAST:
            count *= 2
            continue
        best, done = min(best, spent / count), done + 1
        if spent > 3.0 * LEAST:
            count = max(count // 2, 1)
    simulator.restore(start)
    views = [simulator.observe().cable(name) for name in simulator.names.cables]
    masses = sum(len(view.mass_position) for view in views)
    return Cost(masses + len(scene.bodies), sum(len(view.contact_position) for view in views), best)


def busy() -> Reading:
    """How much else was going on."""
    return Reading(
        "processes waiting for a processor",
        os.getloadavg()[0],
        "",
        "",
        f"of {os.cpu_count()} processors",
    )


def figure_8(progress: Progress) -> Result:
    """Time of a step for chains and nets of hybrid wires at a given number of masses, and at the
    least number, to which
    they go by themselves under heavy balls: yellow. Balls are rigid bodies with six equations each,
    and a wire that ends on two of them has two rows of its own and six for its ends; masses in
    between cost next to nothing. The slope is that of a straight line through the times of one
    grid, at rest.

    The solver is direct, with envelope storage: for chains its time is linear in the number of
    balls, for nets it is not.
    """
    found: list[Reading] = [busy()]
    lines: dict[str, list[Cost]] = {}
    least: dict[str, Cost] = {}
    for name, (rows, columns) in progress.over(GRIDS.items()):
        made = partial(load_scene, "wire_net", rows=rows, columns=columns)
        lines[name] = [step_cost(made(masses=n, load=LOOSE)) for n in MASSES]
        least[name] = step_cost(made(masses=MASSES[-1], load=TIGHT, fixed=False))
        nodes, seconds = np.array([(cost.nodes, cost.seconds) for cost in lines[name]]).T
        slope, offset = np.polyfit(nodes, seconds, 1)
        apart = float(np.abs(slope * nodes + offset - seconds).max() / seconds.max())
        paper = "10 to 30" if name == "net 4 x 4" else ""
        found += [
            Reading(f"time per massive node, {name}", 1e6 * float(slope), "us", paper),
            Reading(f"largest deviation from a line, {name}", apart, "", "", "of the longest time"),
            Reading(
                f"time at the least resolution, {name}",
                1e6 * least[name].seconds,
                "us",
                "",
                _nodes(least[name]),
            ),
            Reading(
                f"time with {MASSES[-1]} masses a wire, {name}", 1e6 * float(seconds[-1]), "us"
            ),
        ]
    caption = (
        "Figure 8. Time of a step over the massive nodes. Yellow: the least resolution, "
        "under heavy balls."
    )
    return Result(found, [Picture("figure_8", caption, partial(draw_8, lines, least))])


def _nodes(cost: Cost) -> str:
    return f"{cost.nodes} massive nodes"


def large_nets(progress: Progress) -> Result:
    """Time of a step for nets of hybrid wires through either solver: the compiled one eliminates
    bodies first and stores an envelope; the other has the paper's matrix of bodies and rows, eq. 7,
    for SuperLU. Both have the wires' masses eliminated, and the same impulses come out.

    The paper's times are linear in the number of nodes. The power is fitted from 8 x 8 knots on;
    below, the time of the sparse solver is that of Python.
    """
    found: list[Reading] = [Reading("processes waiting, large nets", os.getloadavg()[0])]
    lines: dict[str, list[Cost]] = {solver: [] for solver in SOLVERS}
    for n in progress.over(NETS):
        scene = load_scene("wire_net", rows=n, columns=n, masses=NET_MASSES, load=LOOSE)
        for solver in SOLVERS:
            cost = step_cost(scene, solver, NET_SETTLING)
            lines[solver].append(cost)
            each = 1e6 * cost.seconds / cost.nodes
            name = f"time per massive node, net {n} x {n}, {solver}"
            found.append(Reading(name, each, "us", "10 to 30", _nodes(cost)))
    for solver, costs in lines.items():
        logs = np.log([(cost.nodes, cost.seconds) for cost in costs[1:]])
        power = float(np.polyfit(*logs.T, 1)[0])
        found.append(Reading(f"power of the number of nodes, {solver}", power, "", "1"))
    caption = "Figure 8, nets up to 32 x 32 knots. Time of a step over the massive nodes."
    return Result(found, [Picture("figure_8_nets", caption, partial(draw_nets, lines))])


def figure_9(progress: Progress) -> Result:
    """Time of a step for two loads on a wire over a cylinder of more and more facets. On a smooth
    cylinder the hybrid wire is a single constraint over its contact nodes. On a rough one, as in
    the paper, rope sticks at all of them, and only those where it leaves the cylinder have rows.
    The chains, light loads on a heavy wire so that they hold them, have as many masses as the
    hybrid wire has contact nodes: one meets the cylinder behind the solution of each step; the
    balls of the other have contacts with friction as rows in it, as in the paper.
    """
    found: list[Reading] = [Reading("processes waiting, figure 9", os.getloadavg()[0])]
    lines: dict[str, list[Cost]] = {name: [] for name in LINES}
    for facets in progress.over(CONTACTS):
        over = partial(load_scene, "wire_over_cylinder", load=LOAD, facets=facets)
        smooth = step_cost(over(wire=WIRE))
        chain = partial(over, wire=100.0 * LOAD, masses=smooth.contacts)
        costs = (
            smooth,
            step_cost(over(wire=WIRE, friction=FRICTION)),
            step_cost(chain(model="chain")),
            step_cost(chain(model="beads")),
        )
        for name, cost in zip(LINES, costs, strict=True):
            lines[name].append(cost)
    for name, costs_of in lines.items():
        nodes = [cost.contacts or cost.nodes for cost in costs_of]
        slope = float(np.polyfit(nodes, [cost.seconds for cost in costs_of], 1)[0])
        found.append(Reading(f"time per {name}", 1e6 * slope, "us", LINES[name]))
        for cost, n in zip((costs_of[0], costs_of[-1]), (nodes[0], nodes[-1]), strict=True):
            found.append(Reading(f"time of a step, {n} of {name}", 1e6 * cost.seconds, "us"))
    caption = (
        "Figure 9. Time of a step over contact nodes of the hybrid wire, and masses of the chain."
    )
    return Result(found, [Picture("figure_9", caption, partial(draw_9, lines))])


def draw_8(lines: dict[str, list[Cost]], least: dict[str, Cost]) -> "Figure":
    """Times over nodes."""
    axes = _axes("massive nodes")
    for name, costs in lines.items():
        axes.plot(
            [cost.nodes for cost in costs],
            [1e6 * cost.seconds for cost in costs],
            "-",
            marker=".",
            label=name,
        )
        axes.plot(
            [least[name].nodes],
            [1e6 * least[name].seconds],
            "o",
            color="#e8c020",
            markeredgecolor="#777777",
        )
    return _finished(axes)


def draw_nets(lines: dict[str, list[Cost]]) -> "Figure":
    """Times over nodes, both on logarithmic axes, beside a line of slope one."""
    axes = _axes("massive nodes")
    for name, costs in lines.items():
        nodes, seconds = np.array([(cost.nodes, cost.seconds) for cost in costs]).T
        axes.loglog(nodes, 1e6 * seconds, "o-", markersize=4, label=name)
    axes.loglog(
        nodes, 20.0 * nodes, "--", color="#999999", label="20 us a node, the paper's middle"
    )
    axes.legend()
    return axes.figure  # type: ignore[no-any-return]


def draw_9(lines: dict[str, list[Cost]]) -> "Figure":
    """Times over nodes of any kind."""
    axes = _axes("contact nodes or masses")
    for name, costs in lines.items():
        nodes = [cost.contacts or cost.nodes for cost in costs]
        axes.plot(nodes, [1e6 * cost.seconds for cost in costs], "o-", markersize=4, label=name)
    return _finished(axes)


def _axes(of_what: str) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(6.8, 3.8)).add_subplot(xlabel=of_what, ylabel="time of a step [us]")


def _finished(axes: Any) -> "Figure":
    """The figure of the axes with all data in them: a limit that is set before the data keeps these
    out."""
    axes.set_ylim(bottom=0.0)
    axes.legend()
    return axes.figure  # type: ignore[no-any-return]
