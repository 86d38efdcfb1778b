"""All benchmarks, and what runs them: those that are named, or all but those that need an idle
machine."""

from collections.abc import Callable, Sequence

from benchmarks import results
from benchmarks.batch import batch
from benchmarks.beams import beams
from benchmarks.bodies_on_cable import bodies
from benchmarks.chains import mbc
from benchmarks.closed_loop import closed_loop
from benchmarks.crossing import crossing
from benchmarks.driving import loop, recording
from benchmarks.far_obstacles import far_obstacles
from benchmarks.first_hour import first_hour
from benchmarks.identifiable import identifiable
from benchmarks.identification import identification
from benchmarks.importing import importing
from benchmarks.latency import latency, lockstep
from benchmarks.markers import markers
from benchmarks.mujoco_ropes import mujoco_ropes
from benchmarks.networks import chain, net
from benchmarks.node import node
from benchmarks.order import order
from benchmarks.rope import rope
from benchmarks.stages import stages
from benchmarks.startup import startup
from benchmarks.step import step
from benchmarks.sweeping import sweep, sweep_memory
from benchmarks.timing import Clock
from benchmarks.waves import waves
from benchmarks.wheels import wheels
from benchmarks.wire_nodes import wire_nodes

BENCHMARKS: dict[str, Callable[[], list[results.Row]]] = {
    "step": step,
    "profile": stages,
    "crossing": crossing,
    "import": importing,
    "chain": chain,
    "net": net,
    "bodies": bodies,
    "batch": batch,
    "node": node,
    "markers": markers,
    "latency": latency,
    "lockstep": lockstep,
    "waves": waves,
    "rope": rope,
    "mbc": mbc,
    "beams": beams,
    "wheels": wheels,
    "mujoco_ropes": mujoco_ropes,
    "wire_nodes": wire_nodes,
    "far_obstacles": far_obstacles,
    "order": order,
    "closed_loop": closed_loop,
    "loop": loop,
    "recording": recording,
    "sweep": sweep,
    "sweep_memory": sweep_memory,
    "startup": startup,
    "first_hour": first_hour,
    "identification": identification,
    "identifiable": identifiable,
}
ONLY_WHEN_NAMED = {
    "node",
    "markers",
    "latency",
    "lockstep",
    "sweep",
    "sweep_memory",
    "startup",
    "first_hour",
    "profile",
    "identification",
    "identifiable",
}


def run(names: Sequence[str], csv: bool, clock: str) -> int:
    """Run, show, save; the exit status."""
    Clock.name = clock
    about = results.machine()
    rows = []
    for name in names or [n for n in BENCHMARKS if n not in ONLY_WHEN_NAMED]:
        print(f"{name} ...", flush=True)
        rows += BENCHMARKS[name]()
    results.show(rows, about)
    if csv:
        print(f"written to {results.save(rows, about)}")
    return 0
