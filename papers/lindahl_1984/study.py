"""A mooring chain in a tank whose upper end goes round in circles: Lindahl 1984."""

from pathlib import Path

from validation.harness import Part, Study

from .chain import fast, slow

STUDY = Study(
    title="Dynamic model experiment of a mooring cable",
    reference="J. Lindahl, Chalmers University of Technology, 1984; in L. Bergdahl, J. Palm, C. "
    "Eskilsson and J. Lindahl, J. Mar. Sci. Eng. 3, 2015; recordings: github.com/Qxp-git/MoodyAPI",
    folder=Path(__file__).parent,
    parts=(Part("Circles of 3.5 s", slow), Part("Circles of 1.25 s, with snap loads", fast)),
)
