"""Garcia-Fernandez et al., "Elevation Cable Modeling for Interactive Simulation of Cranes"
(2008)."""

from pathlib import Path

from validation.harness import Part, Study

from .collision import figure_6
from .cost import timings
from .detection import two_levels
from .drawing import figure_7
from .energy import figure_8, pendulum
from .liftoff import figure_9
from .strings import frequencies, lag, sag
from .suspension import accounts, stability

STUDY = Study(
    title="Elevation Cable Modeling for Interactive Simulation of Cranes",
    reference=(
        "I. García-Fernández, M. Pla-Castells and R. J. Martínez-Durá, Elevation Cable Modeling "
        "for Interactive "
        "Simulation of Cranes, Eurographics/ACM SIGGRAPH Symposium on Computer Animation, 2008"
    ),
    folder=Path(__file__).parent,
    parts=(
        Part("Section 3.2: the string", frequencies),
        Part("Section 3.2: sag", sag),
        Part("Equation 7: ends that move", lag),
        Part("Section 4.1: stability", stability),
        Part("Section 4.1: energy of straightened waves", accounts),
        Part("Figure 6: a collision", figure_6),
        Part("Section 4.2: two levels of detection", two_levels),
        Part("Figure 7: drawing", figure_7),
        Part("Figure 8: energy of the hook", figure_8),
        Part("Section 5.1: pendulum frequency", pendulum),
        Part("Figure 9: lift-off", figure_9),
        Part("Section 5.3: times", timings, timing=True),
    ),
)
