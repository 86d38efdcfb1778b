"""A cart that steps under a pendulum, at once and in two shaped parts: Schimmel 2021."""

from pathlib import Path

from validation.harness import Part, Study

from .cart import one, two

STUDY = Study(
    title="Residual swing after a step, plain and shaped",
    reference="E. Schimmel, laboratory 4 of the course ES214, 2021; "
    "github.com/evanrschimmel/ES214_Lab4",
    folder=Path(__file__).parent,
    parts=(Part("A step at once", one), Part("A step in two parts, half a second apart", two)),
)
