"""Loads lifted off the ground, beside the hoisting classes of EN 13001-2."""

from pathlib import Path

from validation.harness import Part, Study

from .lifting import classes

STUDY = Study(
    title="Hoisting classes of EN 13001-2",
    reference="EN 13001-2, Crane safety, General design, Part 2: Load actions; factors of its "
    "classes as quoted elsewhere, the standard itself was not read",
    folder=Path(__file__).parent,
    parts=(Part("A load is lifted off the ground", classes),),
)
