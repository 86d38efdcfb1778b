"""Measured periods of a rod on two threads that turns about the vertical: Cheung 2022."""

from pathlib import Path

from validation.harness import Part, Study

from .skew import large, small

STUDY = Study(
    title="How does the length of the filars in a bifilar pendulum affect its period?",
    reference="Y. L. Cheung, International Baccalaureate, 2022; github.com/abc8747/ibo",
    folder=Path(__file__).parent,
    parts=(
        Part("Period over the length of the falls", small),
        Part("Period at a large amplitude", large),
    ),
)
