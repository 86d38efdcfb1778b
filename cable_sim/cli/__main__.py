"""`python -m cable_sim.cli`."""

from cable_sim.cli import main

main()
