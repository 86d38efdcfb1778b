"""Where a step spends its time: nanoseconds per stage of ``kernels/step.py``, for ten scenes.

``step.py`` is compiled once more, with a mark after each call of a stage. A mark reads the
processor's cycle counter and adds what went by since the last one to its stage. So stages are those
of the present source, and a stage's time includes what leads to its call. Two marks on end tell
what a mark takes, which is taken off. The marked step computes the same bits.

The copy compiles for minutes, once for cranes and once for everything, and is not kept.
"""

import ast
import ctypes
import inspect
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray
from rich.progress import track

from benchmarks.results import Row
from benchmarks.timing import ROUNDS
from cable_sim import Scene, Simulator, load_crane, load_scene
from cable_sim.kernels import step
from cable_sim.model.cables.variants import pin_world

CRANES = "tower_12t", "luffing_12t", "overhead_32t", "rtg_41t", "mobile_32t", "offshore_25t"
SCENES = "chain", "net", "rope_over_block", "wire_net"
SMALL = 0.01
"""Least share of a step that a stage is listed with."""
STEPS = 2000
SETTLING = 500
MARKED = "fill_rows", "prepare", "take_in", "solve", "advance", "take_steps"
"""Functions of ``step.py`` whose calls are stages; calls of each other are none."""
MARK = "mark"
MOST = 100
"""Stage of the second of two marks on end; stages have smaller numbers."""
SPENT = (ctypes.c_int64 * (2 * MOST + 3))()
"""Cycles and calls of each stage, and at the end the counter at the last mark. No array, so that
code with its address is not kept."""


@intrinsic
def mark(_: Any, stage: Any) -> Any:
    """Add the cycles since the last mark to a stage."""

    def codegen(context: Any, builder: Any, __: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        spent = builder.inttoptr(word(ctypes.addressof(SPENT)), word.as_pointer())
        last = builder.gep(spent, [word(2 * MOST + 2)])
        cycles = builder.gep(spent, [builder.mul(word(2), arguments[0])])
        calls = builder.gep(cycles, [word(1)])
        read = ir.FunctionType(word, [])
        now = builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=read), [])
        passed = builder.sub(now, builder.load(last))
        builder.store(builder.add(builder.load(cycles), passed), cycles)
        builder.store(builder.add(builder.load(calls), word(1)), calls)
        builder.store(now, last)
        return context.get_dummy_value()

    return types.none(types.int64), codegen


class Marks(ast.NodeTransformer):
    """Marks behind statements that call a stage."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Mark the statements of the functions that call stages."""
        return self.marked(node) if node.name in MARKED else node

    def marked(self, node: Any) -> Any:
        """Mark the statements in a statement's blocks."""
        for block in ("body", "orelse"):
            if isinstance(getattr(node, block, None), list):
                inner = [each for child in getattr(node, block) for each in self.around(child)]
                setattr(node, block, inner)
        return node

    def around(self, child: ast.stmt) -> Iterator[ast.stmt]:
        """Yield a statement, with a mark behind it if it calls a stage."""
        yield self.marked(child)
        if isinstance(child, ast.If | ast.For | ast.Return):
            return
        calls = [ast.unparse(c.func) for c in ast.walk(child) if isinstance(c, ast.Call)]
        outer = [name for name in calls if not name.startswith(("wires.table", "wires.lines"))]
        if outer and outer[0] not in MARKED:
            if outer[0] not in self.stages:
                self.stages.append(outer[0])
            number = self.stages.index(outer[0])
            yield from ast.parse(f"{MARK}({number})\n{MARK}({MOST})").body


def marked_step() -> tuple[Any, list[str]]:
    """Return ``run_world`` with marks, and the names of their stages."""
    marks = Marks()
    tree = marks.visit(ast.parse(inspect.getsource(step)))
    scope: dict[str, Any] = {"__name__": "benchmarks.marked_step", MARK: mark}
    exec(compile(ast.fix_missing_locations(tree), "marked step.py", "exec"), scope)
    return scope["run_world"], marks.stages


def nanoseconds(run: Any, pin: Any) -> NDArray[np.float64]:
    """Nanoseconds a step of each stage, without the marks."""
    spent = np.frombuffer(SPENT, np.int64)
    run(pin, 1)
    spent[:-1] = 0
    start = time.perf_counter_ns()
    run(pin, STEPS)
    passed = time.perf_counter_ns() - start
    cycles, calls = spent[:-1].reshape(-1, 2).T
    scale = passed / cycles.sum()
    own = cycles[MOST] / calls[MOST]
    return scale * np.maximum(cycles[:MOST] - own * calls[:MOST], 0.0) / STEPS


def scene_of(name: str) -> Scene:
    """Return the scene of a crane or of the catalogue."""
    return load_crane(name).scene if name in CRANES else load_scene(name)


def stages() -> list[Row]:
    """Stages of each scene that take a hundredth of its step or more, and the rest."""
    run, names = marked_step()
    rows: list[Row] = []
    for name in track((*CRANES, *SCENES), "stages"):
        simulator = Simulator(scene_of(name))
        simulator.step(SETTLING)
        start = simulator.save()
        now = simulator._running
        rest = now.control, now.work, now.readings, now.dt
        pin = pin_world(now.model, (now.state, now.seen), *rest)
        found = []
        for _ in range(ROUNDS):
            simulator.restore(start)
            found.append(nanoseconds(run, pin)[: len(names)])
        best, median = np.min(found, axis=0), np.median(found, axis=0)
        order = np.argsort(-median)
        told = [i for i in order if median[i] > SMALL * median.sum()]
        rest = [i for i in order if median[i] <= SMALL * median.sum()]
        for i in told:
            rows.append(row(name, names[i], best[i], median[i], median.sum()))
        rows.append(
            row(name, f"{len(rest)} others", best[rest].sum(), median[rest].sum(), median.sum())
        )
        rows.append(row(name, "all", best.sum(), median.sum(), median.sum()))
    return rows


def row(scene: str, stage: str, best: float, median: float, whole: float) -> Row:
    """Return the row of a stage, with its share of the step."""
    return Row("profile", f"{scene} {stage}", best, median, "ns", f"{median / whole:.0%}")
