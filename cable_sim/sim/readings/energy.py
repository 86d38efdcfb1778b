"""Energies of a scene, and the balance of one that nothing drives."""

from typing import NamedTuple


class Energy(NamedTuple):
    """Energies of the whole scene [J]; the zero of the potential energy is the world's origin.

    ``elastic`` is that of cables, springs and buffers. ``ground`` is that of soft contacts: of
    bodies with surfaces and boxes, and of ropes made of masses with soft grounds.
    """

    kinetic: float
    potential: float
    elastic: float
    ground: float = 0.0

    @property
    def total(self) -> float:
        """Sum of the four energies [J]."""
        return self.kinetic + self.potential + self.elastic + self.ground


class EnergyBalance(NamedTuple):
    """Balance of the energy of a scene that nothing drives, since it was last changed from outside.

    ``gained`` [J] is the energy of all but the grounds above that of the start, ``at_play`` [J] the
    kinetic and elastic energy of the start and the work of the weight at most. Both are those of
    the last reading that could be judged (``kernels/multibody/balance.py``), and 0 for a scene with
    drives, prescribed motions, pushes or wind.
    """

    gained: float
    at_play: float
