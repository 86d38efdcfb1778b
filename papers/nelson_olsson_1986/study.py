"""Measured periods of loads on one rope: Nelson and Olsson 1986, and two more."""

from pathlib import Path

from validation.harness import Part, Study

from .swing import cords, period

STUDY = Study(
    title="The pendulum - rich physics from a simple system",
    reference="R. A. Nelson and M. G. Olsson, Am. J. Phys. 54 (1986) 112-121; U. Pili and R. "
    "Violanda, Phys. Educ. 54 (2019) 043009; R. Hidayat et al., Phys. Educ. 58 (2023) 045005",
    folder=Path(__file__).parent,
    parts=(Part("Period of a ball on 3 m of wire", period), Part("Period over length", cords)),
)
