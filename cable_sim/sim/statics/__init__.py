"""Statics and small oscillations of any scene: equilibrium, linear model, modes.

    from cable_sim.sim.statics import equilibrium, linearise, modes

Derivation: ``probe.py``.
"""

from cable_sim.sim.statics.linear_scene import LinearScene, linearise
from cable_sim.sim.statics.mode_shapes import Mode, Modes, modes, modes_of
from cable_sim.sim.statics.settling import Equilibrium, equilibrium

__all__ = [
    "Equilibrium",
    "LinearScene",
    "Mode",
    "Modes",
    "equilibrium",
    "linearise",
    "modes",
    "modes_of",
]
