"""Servin et al., "Hybrid, multiresolution wires with massless frictional contacts" (2011): for
`cable-sim papers`."""

from pathlib import Path

from validation.harness import Part, Study

from .cost import figure_8, figure_9, large_nets
from .crane import carrying
from .criterion import criterion
from .falling import falling, times
from .friction import friction
from .stability import chart
from .wrapping import times as times_wrapped
from .wrapping import wrapping

STUDY = Study(
    title="Hybrid, multiresolution wires with massless frictional contacts",
    reference=(
        "M. Servin, C. Lacoursière, F. Nordfelth and K. Bodin, Hybrid, multiresolution wires with "
        "massless frictional "
        "contacts, IEEE Transactions on Visualization and Computer Graphics 17(7), 2011"
    ),
    folder=Path(__file__).parent,
    parts=(
        Part("Equations 24 to 26: stable tension", criterion),
        Part("Figure 8: times of chains and nets", figure_8, timing=True),
        Part("Figure 8: times of large nets", large_nets, timing=True),
        Part("Figure 9: times of contact nodes", figure_9, timing=True),
        Part("Figures 10 and 11: stability charts", chart),
        Part("Figures 1 and 6: falling boxes", falling),
        Part("Figures 1 and 6: times", times, timing=True),
        Part("Figures 12 and 13: friction", friction),
        Part("Figures 3 and 14: a block in a wire", wrapping),
        Part("Figure 14: times", times_wrapped, timing=True),
        Part("Figure 15: a crane of ropes", carrying),
    ),
)
