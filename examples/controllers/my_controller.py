"""A controller of your own: copy this file and my_scenario.yaml, and change them.

    cable-sim evaluate my_scenario.yaml --controller operator,custom   # in this folder, without ROS
    cable-sim control my_scenario.yaml --start-node                    # the same over ROS

The trolley is driven as planned, and a little faster to the side to which the load hangs back: with
the speed k theta on top, a load that hangs by L swings by

    theta'' + (k / L) theta' + (g / L) theta = 0,

so k = 2 zeta sqrt(g L) damps it with the damping ratio zeta. The trolley makes good slowly what it
has gone astray for that.
"""

import math

from cable_sim import Control, Feedback, Law, Task

G = 9.81


class MyController:
    """Damps the sway along the trolley's way, as the camera sees it.

    Parameters
    ----------
    damping: ratio zeta [-].
    recovery: speed per metre that the trolley is astray [1/s].
    """

    def __init__(self, damping: float = 0.2, recovery: float = 0.05) -> None:
        self.damping, self.recovery = damping, recovery

    def start(self, task: Task) -> Law:
        plan, ahead = task.planned["trolley"], 0.5 * task.period

        def law(seen: Feedback) -> Control:
            way, speed, _ = plan(seen.time + ahead)
            trolley, sway = seen.axes["trolley"], seen.readings["sway.radial"]
            if math.isnan(sway):  # before the camera's first picture
                sway = 0.0
            gain = 2.0 * self.damping * math.sqrt(G * task.length(seen.axes["hoist"].position))
            return {"trolley": speed + gain * sway + self.recovery * (way - trolley.position)}

        return law
