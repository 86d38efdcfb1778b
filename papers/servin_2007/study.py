"""Servin and Lacoursiere, "Massless cable for real-time simulation" (2007): for
`cable-sim papers`."""

from pathlib import Path

from validation.harness import Part, Study

from .cost import dimensions, timings
from .fishing_rod import figure_10
from .long_run import long_run
from .material import steel_cable
from .ropeway import figure_9
from .stretch import figure_5, figure_6
from .twist import figure_7, figure_8

STUDY = Study(
    title="Massless cable for real-time simulation",
    reference="M. Servin and C. Lacoursière, Massless cable for real-time simulation, Umeå "
    "University, 2007",
    folder=Path(__file__).parent,
    parts=(
        Part("Section 4.4.2: a steel cable", steel_cable),
        Part("Figure 5: stretch", figure_5),
        Part("Figure 6: energy of the stretch", figure_6),
        Part("Figure 7: twist", figure_7),
        Part("Figure 8: energy of the twist", figure_8),
        Part("A hundred thousand steps", long_run),
        Part("Section 5.2: rows", dimensions),
        Part("Section 5.2: times", timings, timing=True),
        Part("Figure 9: four cables", figure_9),
        Part("Figure 10: a fishing rod", figure_10),
    ),
)
