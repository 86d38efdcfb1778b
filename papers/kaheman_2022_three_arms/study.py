"""A triple pendulum of a laboratory, released and recorded: Kaheman et al. 2022."""

from pathlib import Path

from validation.harness import Part, Study

from .arms import frequencies, swing

STUDY = Study(
    title="The Experimental Multi-Arm Pendulum on a Cart, with three arms",
    reference="K. Kaheman, U. Fasel, J. J. Bramburger, B. Strom, J. N. Kutz and S. L. Brunton, "
    "arXiv:2205.06231, 2022",
    folder=Path(__file__).parent,
    parts=(Part("Three frequencies", frequencies), Part("Six seconds of a swing", swing)),
)
