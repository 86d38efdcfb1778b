"""Measured harmonics of strings under tension: Ali, Broggi and Cantarini."""

from pathlib import Path

from validation.harness import Part, Study

from .strings import density, harmonics, length, tension

STUDY = Study(
    title="Propagazione delle onde su una corda vibrante",
    reference="M. Ali, D. Broggi and G. Cantarini, laboratory report; "
    "github.com/giiulia/LabI-Dynamics-Thermodynamics, Vibrating_string",
    folder=Path(__file__).parent,
    parts=(
        Part("Harmonics", harmonics),
        Part("Frequency over tension", tension),
        Part("Frequency over length", length),
        Part("Frequency over mass per length", density),
    ),
)
