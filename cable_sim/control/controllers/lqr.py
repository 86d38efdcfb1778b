"""A linear-quadratic regulator about planned moves.

It makes the integral of

    e^2 + q s^2 + r (a / w^2)^2,        w^2 = g / l,

least, with way e and swing s of what is off and the acceleration a that it adds. With speeds over w
and accelerations over w^2 all cranes and lengths are one system (``regulator.py``), which has one
gain K:

    a = -w^2 (K_1 e + K_3 s) - w (K_2 e' + K_4 s').

So the gain follows the length of the rope by itself, and the regulator is about as quick as the
load swings. The way e counts at most as much as would ask for the axis' whole acceleration, or a
far place would be approached faster than the axis can brake.
"""

from typing import Literal

import numpy as np

from cable_sim.control.methods.axis_tracker import AxisTracker
from cable_sim.control.methods.regulator import SCALED, regulator
from cable_sim.control.methods.tracking import Following, Off, Tracking
from cable_sim.control.task import Law, Task
from cable_sim.spec.quantities import NonNegative, Positive, spec


@spec
class Lqr(Following):
    """Feedback of way, speed, swing and its rate, about shaped moves.

    Parameters
    ----------
    effort: weight r of the acceleration [-]; with less it acts faster and more roughly.
    swing: weight q of the swing over that of the way [-].
    """

    kind: Literal["lqr"] = "lqr"
    effort: Positive = 1.5
    swing: NonNegative = 1.0

    @property
    def gain(self) -> tuple[float, float, float, float]:
        """K [-], of (e, e' / w, s, s' / w) to -a / w^2."""
        way, speed, swing, rate = regulator(
            *SCALED, np.diag([1.0, 0.0, self.swing, 0.0]), self.effort
        ).tolist()
        return way, speed, swing, rate

    def start(self, task: Task) -> Law:
        """The law of a task; see :class:`~cable_sim.control.methods.tracking.Tracking`."""
        k_way, k_speed, k_swing, k_rate = self.gain

        def correct(lane: AxisTracker, off: Off, frequency: float, time: float) -> float:
            stiffness = frequency * frequency
            far = lane.most / (stiffness * k_way)
            near = min(max(off.way, -far), far)
            wanted = stiffness * (k_way * near + k_swing * off.swing)
            return -wanted - frequency * (k_speed * off.speed + k_rate * off.swing_rate)

        return Tracking(task, self).law(correct)
