"""Runs the benchmarks that are named, or all but those that need an idle machine."""

import argparse
from collections.abc import Callable

from benchmarks import results
from benchmarks.bodies_on_cable import bodies
from benchmarks.chains import mbc
from benchmarks.closed_loop import closed_loop
from benchmarks.crossing import crossing
from benchmarks.importing import importing
from benchmarks.latency import latency, lockstep
from benchmarks.markers import markers
from benchmarks.networks import chain, net
from benchmarks.node import node
from benchmarks.rope import rope
from benchmarks.startup import startup
from benchmarks.step import step
from benchmarks.sweeping import sweep, sweep_memory
from benchmarks.timing import CLOCKS, Clock
from benchmarks.waves import waves

BENCHMARKS: dict[str, Callable[[], list[results.Row]]] = {
    "step": step, "crossing": crossing, "import": importing, "chain": chain, "net": net, "bodies": bodies,
    "node": node, "markers": markers, "latency": latency, "lockstep": lockstep, "waves": waves, "rope": rope,
    "mbc": mbc, "closed_loop": closed_loop, "sweep": sweep, "sweep_memory": sweep_memory, "startup": startup,
}  # fmt: skip
ONLY_WHEN_NAMED = {"node", "markers", "latency", "lockstep", "sweep", "sweep_memory", "startup"}


def main() -> None:
    """Parse, run, show, save."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    # no ``choices``: with nargs="*" Python 3.10 and 3.11 hold the empty list against them
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(BENCHMARKS)}")
    parser.add_argument("--csv", action="store_true", help="write benchmarks/results/<date>.csv as well")
    parser.add_argument("--clock", choices=CLOCKS, default=Clock.name, help="processor: for a machine that others use")
    arguments = parser.parse_args()
    Clock.name = arguments.clock
    for name in arguments.names:
        if name not in BENCHMARKS:
            parser.error(f"benchmark {name!r} is not known; known are {', '.join(BENCHMARKS)}")
    about, rows = results.machine(), []
    for name in arguments.names or [n for n in BENCHMARKS if n not in ONLY_WHEN_NAMED]:
        print(f"{name} ...", flush=True)
        rows += BENCHMARKS[name]()
    results.show(rows, about)
    if arguments.csv:
        print(f"written to {results.save(rows, about)}")


if __name__ == "__main__":
    main()
