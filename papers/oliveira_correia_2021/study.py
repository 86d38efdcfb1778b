"""Modes of tower cranes, measured on a building site: Oliveira and Correia 2021."""

from pathlib import Path

from validation.harness import Part, Study

from .towers import first_modes

STUDY = Study(
    title="Comparison of the seismic and wind analyses of two tower cranes",
    reference="C. S. Oliveira and P. M. B. Correia, 14 March 2021, doi:10.21595/jve.2021.21649; "
    "read: the abstract",
    folder=Path(__file__).parent,
    parts=(Part("First two modes of the tower", first_modes),),
)
