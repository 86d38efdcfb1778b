"""Garcia-Fernandez et al., "A Mixed Model for Real-Time, Interactive Simulation of a Cable"
(2007)."""

from pathlib import Path

from validation.harness import Part, Study

from .cost import timings
from .forms import slopes
from .growth import growth
from .instability import instability
from .spring import forces, spring

STUDY = Study(
    title="A Mixed Model for Real-Time, Interactive Simulation of a Cable Passing Through Several "
    "Pulleys",
    reference=(
        "I. García-Fernández, M. Pla-Castells and R. J. Martínez-Durá, A Mixed Model for "
        "Real-Time, Interactive "
        "Simulation of a Cable Passing Through Several Pulleys, ICNAAM 2007, pp. 212-215"
    ),
    folder=Path(__file__).parent,
    parts=(
        Part("Equation 1: spring and damping", spring),
        Part("Cable and pulleys: forces", forces),
        Part("Equation 4: sloping spans", slopes),
        Part("Equation 4: neglected terms", growth),
        Part("Simulation results: the chain's instability", instability),
        Part("Simulation results: times", timings, timing=True),
    ),
)
