"""Printed tables of what sheaves cost: Wire Rope Users Manual, and two more."""

from pathlib import Path

from validation.harness import Part, Study

from .tackles import hauling, lead_line

STUDY = Study(
    title="Wire Rope Users Manual",
    reference="Wire Rope Technical Board, Wire Rope Users Manual, 4th edition, pages 86 to 88, as "
    "printed in the manual of the Terex RT700; T. Setnicka, Wilderness Search and Rescue, 1980",
    folder=Path(__file__).parent,
    parts=(
        Part("Lead line of a tackle of four parts", lead_line),
        Part("Hauling with three parts", hauling),
    ),
)
