"""A double pendulum of a laboratory, released and recorded: Kaheman et al. 2022."""

from pathlib import Path

from validation.harness import Part, Study

from .hook import frequencies, large, small

STUDY = Study(
    title="The Experimental Multi-Arm Pendulum on a Cart: A Benchmark System for Chaos, Learning, "
    "and Control",
    reference="K. Kaheman, U. Fasel, J. J. Bramburger, B. Strom, J. N. Kutz and S. L. Brunton, "
    "arXiv:2205.06231, 2022",
    folder=Path(__file__).parent,
    parts=(
        Part("Two frequencies", frequencies),
        Part("Ten seconds of a small swing", small),
        Part("Two seconds of a large swing", large),
    ),
)
