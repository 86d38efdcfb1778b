"""Ropes hauled and lowered over bars, measured: Delaney, Physics for Roping Technicians."""

from pathlib import Path

from validation.harness import Part, Study

from .bars import angles, one_run

STUDY = Study(
    title="Physics for Roping Technicians",
    reference="R. Delaney, Ropelab, 2022, page 90, as quoted on github.com/pawsen/pawsen.github.io "
    "(content/post/20240718193848-friction_devices.md)",
    folder=Path(__file__).parent,
    parts=(
        Part("75 kg over a tube: raise, rest, lower", one_run),
        Part("A quarter turn foretells half a turn", angles),
    ),
)
