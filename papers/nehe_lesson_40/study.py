"""Tunca, "Rope Physics" (NeHe, lesson 40), and how finely a multibody chain can be divided (Servin
et al. 2011)."""

from pathlib import Path

from validation.harness import Part, Study

from .chart import chart
from .cost import timings
from .fall import fall
from .hang import hang
from .limit import limit

STUDY = Study(
    title="Rope Physics",
    reference="E. Tunca, Rope Physics, NeHe Productions OpenGL tutorials, lesson 40",
    folder=Path(__file__).parent,
    parts=(
        Part("Free fall", fall),
        Part("Static hang", hang),
        Part("Largest step", limit),
        Part("Servin 2011, figure 11a: resolution of a loaded chain", chart),
        Part("Times", timings, timing=True),
    ),
)
