"""``python -m benchmarks`` is ``cable-sim bench``."""

import sys

from cable_sim.cli import main

main(["bench", *sys.argv[1:]])
