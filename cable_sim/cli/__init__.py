"""The command line `cable-sim`. Each command imports what it needs only when it runs."""

# ruff: noqa: F401, I001  The help lists commands in the order in which these enter them.
from cable_sim.cli import running, links, bags, filming, catalogues
from cable_sim.cli import (
    oscillations,
    plotting,
    evaluating,
    sweeping,
    identifying,
    exchanging,
    reports,
)
from cable_sim.cli import benching
from cable_sim.cli.app import app as app
from cable_sim.cli.app import main as main
