"""Control by energy: the law takes energy from what is off, and can add none, whatever its bounds
and the swing.

The reduced crane, on a rope of constant length l, with the deflection d of its load (d_x, d_y), the
way e from its target to its trolley, and the trolley's acceleration a as the input. The swing's
energy over the mass, that of ``crane_model.py``, changes by the trolley's work alone, E' = -a . d'.
So with the generalised place

    xi = e - lambda d,        xi' = e' - lambda d',

and two increasing functions f and h through zero, component by component, the function

    V = lambda E + |e'|^2 / 2 + sum of the integrals of f from 0 to xi  >= 0

has

    V' = -lambda a . d' + e' . a + f(xi) . xi' = xi' . (a + f(xi)),

and the law

    a = -f(xi) - h(xi')        gives        V' = -xi' . h(xi') <= 0.

It is exact for any swing, in both directions, and also where f and h are bounded; and V' stays 0
only where all is at rest. With xi' = 0 the acceleration -f(xi) is constant, so is e' because V
bounds it; thus xi = 0, and d' = e' / lambda is constant; a free load that moves so hangs still.
What the law brings to rest is a point beside the trolley, on the side away from the load. After an
idea of N. Sun and Y. Fang (IEEE Trans. Ind. Electron. 59, 2012), there with forces as inputs.

*Gains.* f(xi) = w^2 k_p xi and h(xi') = w k_d xi', until they reach their shares of the axis'
acceleration. For small swings, with time in 1 / w, the closed loop is

    p^4 + k_d (1 + lambda) p^3 + (1 + k_p (1 + lambda)) p^2 + k_d p + k_p = 0,

which is (p^2 + 2 zeta b p + b^2)^2 for

    b^2 = 1 / (1 + 4 zeta^2),    k_p = b^4,    k_d = 4 zeta b^3,    lambda = 4 zeta^2.

That is what a proof for any swing costs: whatever the gains, w^2 times the coefficient of p^2
follows from the others, so that the slowest of the four poles is at -w / sqrt(5) at best, with
zeta = 1 and all four there. With zeta = 0.5 they are at -0.354 w +- 0.612 i w, and the load is
within 5 % after about 15 / w, where the regulator of ``lqr.py`` takes 10.

While a move is on, e and d are what is off: then, and while hoisting, the proof holds to first
order only.
"""

from typing import Literal, NamedTuple

from cable_sim.control.methods.axis_tracker import AxisTracker
from cable_sim.control.methods.tracking import Following, Off, Tracking
from cable_sim.control.task import Law, Task
from cable_sim.spec.quantities import Fraction, spec

PULL = 0.4
BRAKE = 0.6
"""Shares of the axis' acceleration that f and h have at most."""


class EnergyGains(NamedTuple):
    """k_p, k_d and lambda [-], for the damping ratio zeta of the closed loop."""

    place: float
    rate: float
    coupling: float

    @classmethod
    def of(cls, damping: float) -> "EnergyGains":
        """Those of a damping ratio zeta [-]; see the head of the file."""
        squared = 1.0 / (1.0 + 4.0 * damping**2)
        return cls(squared**2, 4.0 * damping * squared**1.5, 4.0 * damping**2)

    def terms(self, off: Off, frequency: float, most: float) -> tuple[float, float, float]:
        """f(xi), xi' [m/s] and h(xi') for an axis with that largest acceleration; all but xi' in
        m/s^2."""
        place = off.way - self.coupling * off.swing
        rate = off.speed - self.coupling * off.swing_rate
        pull = PULL * most
        brake = BRAKE * most
        f = min(max(frequency * frequency * self.place * place, -pull), pull)
        return f, rate, min(max(frequency * self.rate * rate, -brake), brake)


@spec
class Energy(Following):
    """Feedback by energy, about shaped moves.

    Parameters
    ----------
    damping: ratio zeta of the closed loop for small swings [-].
    """

    kind: Literal["energy"] = "energy"
    damping: Fraction = 0.5

    def start(self, task: Task) -> Law:
        """The law of a task; see :class:`~cable_sim.control.methods.tracking.Tracking`."""
        gains = EnergyGains.of(self.damping)

        def correct(lane: AxisTracker, off: Off, frequency: float, time: float) -> float:
            f, _, h = gains.terms(off, frequency, lane.most)
            return -f - h

        return Tracking(task, self).law(correct)
