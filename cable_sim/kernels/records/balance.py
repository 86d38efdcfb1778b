"""Record of the balance of a scene's energy."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints


class Balance(NamedTuple):
    """Balance of the energy of a scene that nothing drives, see
    ``kernels/multibody/balance.py``."""

    watched: Flags
    """(1,) nothing in the scene can drive it but forces from outside and wind."""
    told: Flags
    """(2,) the last reading had gained too much; cables had lost too much by then."""
    begun: Flags
    """(1,) there is a start."""
    gained: Floats
    """(1,) energy above that of the start at the last reading [J]."""
    at_play: Floats
    """(1,) energy that has been at play until then [J]."""
    start: Floats
    """(6,) kinetic, potential, elastic and ground energy at the start [J], and what cables had
    lost and dropped by then (``kernels/cables/massless/swing_losses.py``)."""
    lowest: Floats
    """(1,) least potential energy since then [J]."""
    last: Floats
    """(4,) energies of the last reading [J]."""
    last_step: Ints
    """(1,) number of its step, NEVER of ``kernels/multibody/balance.py`` for none."""
    curves: Floats
    """(c, 5) of each elevation cable: its part of the balance [J]; of the last reading work of
    gravity and potential energy [J], mass [kg], and layout of its spans."""
