"""A laboratory gantry crane, driven and recorded: Napitupulu 2024."""

from pathlib import Path

from validation.harness import Part, Study

from .gantry import drive, free

STUDY = Study(
    title="Gantry crane of a laboratory, driven under ROS 2",
    reference="C. Napitupulu, github.com/Cristian-Napitupulu/gantry_crane_ws, recording "
    '"Step response 700 with random v1", 2024',
    folder=Path(__file__).parent,
    parts=(Part("Free swing after the stop", free), Part("Sway while the trolley drives", drive)),
)
