"""The operator's ramp: full speed, then rest, as if nothing swayed. What every other controller is compared with."""

from typing import Literal

from cable_sim.control.feedback import Control, Feedback
from cable_sim.control.task import Law, Task, speeds_of
from cable_sim.spec.quantities import spec


@spec
class Operator:
    """Each axis by its trapezoidal ramps, without any look at the load."""

    kind: Literal["operator"] = "operator"

    def start(self, task: Task) -> Law:
        """Speeds of the planned moves, in the middle of the coming tick."""
        plans, ahead = task.planned, 0.5 * task.period

        def law(seen: Feedback) -> Control:
            return speeds_of(plans, seen.time + ahead)

        return law
