"""Balance of the energy of a scene that nothing drives: it must not rise.

It goes with readings (``observe.py``): whoever looks at a scene is told. With K, V and E the
kinetic, potential and elastic energy, G that of grounds and contacts, index 0 for the first reading
since the scene was last changed from outside,

    gained  = (K + V + E) - (K_0 + V_0 + E_0) - R,    R = max(G_0 - G, 0),
    at play = K_0 + |E_0| + V_0 - min V + R,

the last the work of the weight at most. What is pressed into grounds does not count: it was at play
before it went there, and after it came back. What they give back of the start is at play, R. The
status tells ENERGY_GAINED while

    gained > SHARE at play + ROUNDING (1 J + |V_0|).

Friction, dampers, contacts and catches lose energy rightly, and are not counted.
What no such cause explains is counted where it goes (``cables/massless/swing_losses.py``). With
more than that bound of it, or a rope that carries without tension for a step, the status tells
ENERGY_LOST.

What goes into heat covers what is gained later, so the balance is a lower bound.

Under ``spook`` a reading is of one instant. Under ``regularised`` the kinetic energy is that of
half a step before the pose, but what stiff rows hold is that of the pose. So the smaller one of K
and of its mean with the next reading counts, at the start the larger one: readings are judged where
the next step is read, too.

Of elevation cables counts what the model has: their kinetic energy without that of their ends, and
in place of their potential energy the work of gravity on their curves
(``cables/elevation/curve_work.py``). Where contact nodes come and go the points are others: from
the reading before to that after it the potential energy itself counts, for a rope of the same mass.

Drives, prescribed motions and carriages do work that is in no reading: scenes that have some are
not watched. Pushes and wind end a balance; it begins anew after them.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rows import SPOOK
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.balance import Balance
from cable_sim.kernels.records.world import Control

SHARE = 0.01
"""Part of the energy at play that a scene may gain [-]."""
ROUNDING = 1e-6
"""Part of the potential energy of the start, measured from the origin, that is rounding [-]."""
NEVER = -2
"""Number of the step of no reading."""
OWN = 0
WORK = 1
HEIGHT = 2
MASS = 3
LAYOUT = 4
"""Columns of ``balance.curves``."""


@kernel
def is_driven(control: Control) -> bool:
    """Return True if a force from outside or the wind may do work."""
    for i in range(3):
        if control.wind[i] != 0.0:
            return True
    wrench = control.bodies.wrench
    for b in range(wrench.shape[0]):
        for i in range(6):
            if wrench[b, i] != 0.0:
                return True
    return False


@kernel
def restart(balance_out: Balance) -> None:
    """Let the next reading be the start of a new balance."""
    balance_out.begun[0] = False
    balance_out.told[0] = False
    balance_out.told[1] = False
    balance_out.gained[0] = 0.0
    balance_out.at_play[0] = 0.0
    balance_out.last_step[0] = NEVER


@kernel
def judge(
    kinetic: float,
    potential: float,
    elastic: float,
    ground: float,
    losses: tuple[float, float],
    balance_out: Balance,
) -> None:
    """Compare the energies of a reading with those of the start, or take them for it."""
    start = balance_out.start
    if not balance_out.begun[0]:
        balance_out.begun[0] = True
        balance_out.lowest[0] = potential
        start[0] = kinetic
        start[1] = potential
        start[2] = elastic
        start[3] = ground
        start[4] = losses[0]
        start[5] = losses[1]
    balance_out.lowest[0] = min(balance_out.lowest[0], potential)
    returned = max(start[3] - ground, 0.0)
    at_play = start[0] + abs(start[2]) + start[1] - balance_out.lowest[0] + returned
    gained = kinetic + potential + elastic - start[0] - start[1] - start[2] - returned
    balance_out.at_play[0] = at_play
    balance_out.gained[0] = gained
    least = SHARE * at_play + ROUNDING * (1.0 + abs(start[1]))
    balance_out.told[0] = gained > least
    balance_out.told[1] = losses[0] - start[4] > least or losses[1] > start[5]


@kernel
def follow(
    stepper: int,
    steps: int,
    kinetic: float,
    potential: float,
    elastic: float,
    ground: float,
    losses: tuple[float, float],
    balance_out: Balance,
) -> None:
    """Add the energies of a reading after so many steps to a balance [J].

    ``losses`` are those of ``cables/massless/swing_losses.py``.
    """
    last = balance_out.last
    if steps < balance_out.last_step[0]:
        restart(balance_out)
    if stepper == SPOOK:
        judge(kinetic, potential, elastic, ground, losses, balance_out)
    elif steps == balance_out.last_step[0] + 1:
        mean = 0.5 * (last[0] + kinetic)
        timely = min(last[0], mean) if balance_out.begun[0] else max(last[0], mean)
        judge(timely, last[1], last[2], last[3], losses, balance_out)
    balance_out.last_step[0] = steps
    last[0] = kinetic
    last[1] = potential
    last[2] = elastic
    last[3] = ground


@kernel
def begins(steps: int, balance: Balance) -> bool:
    """Return True if a reading after so many steps is the first one of a balance."""
    return balance.last_step[0] < 0 or steps < balance.last_step[0]


@kernel
def update_curve(
    first: bool, work: float, height: float, mass: float, layout: float, curve_out: Floats
) -> None:
    """Update the part of an elevation cable in a balance."""
    if first:
        curve_out[OWN] = height
    elif layout == curve_out[LAYOUT] or curve_out[MASS] == 0.0:
        curve_out[OWN] -= work - curve_out[WORK]
    else:
        curve_out[OWN] += height - curve_out[HEIGHT] * mass / curve_out[MASS]
    curve_out[WORK] = work
    curve_out[HEIGHT] = height
    curve_out[MASS] = mass
    curve_out[LAYOUT] = layout
