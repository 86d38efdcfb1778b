"""Reproduced papers: printed values, theory and simulation, and whether they agree.

A paper is a folder of ``papers/`` with a ``study.py`` that holds a :class:`Study`; ``cable-sim
papers`` runs it.
"""

from cable_sim.rendering.drawing import Picture
from validation.harness.findings import (
    Bound,
    Finding,
    Measurement,
    Quantity,
    Reading,
    Statement,
    at_least,
    at_most,
)
from validation.harness.modes import Mode, fit_mode
from validation.harness.study import Part, Progress, Result, Study

__all__ = [
    "Bound",
    "Finding",
    "Measurement",
    "Mode",
    "Part",
    "Picture",
    "Progress",
    "Quantity",
    "Reading",
    "Result",
    "Statement",
    "Study",
    "at_least",
    "at_most",
    "fit_mode",
]
