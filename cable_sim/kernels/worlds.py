"""Many worlds in one call, one after the other: all they share is the code.

A world is known by the addresses of its pins (``records/world.py``), and its step is called by its
address, as in ``driving.py``. No world reads what another one writes, and a workspace holds nothing
that a step depends on. So every world has the bits that it has alone, whatever runs beside it.
"""

from cable_sim.kernels import status
from cable_sim.kernels.driving import READ, RUN, SEE
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.pins import call
from cable_sim.kernels.records.arrays import Ints
from cable_sim.kernels.step import LOOK


@kernel
def step_worlds(begin: int, end: int, codes: Ints, moved: Ints, n: int, flags_out: Ints) -> None:
    """Take n steps with the worlds from ``begin`` to ``end``, but for those that had to stop."""
    for i in range(begin, end):
        if not flags_out[i] & status.STOPS:
            flags_out[i] = call(codes[RUN], moved[i], n)


@kernel
def see_worlds(begin: int, end: int, codes: Ints, moved: Ints, looked: Ints, fully: bool) -> None:
    """Compute the poses at the time of the velocities, and ``fully`` the readings, too."""
    for i in range(begin, end):
        call(codes[SEE], moved[i], 0)
        if fully:
            call(codes[RUN], looked[i], LOOK)
            call(codes[READ], looked[i], 0)
