"""The operator's ramp: full speed, then rest, as if nothing swayed.

It is the baseline of every other controller.
"""

from typing import Literal

from cable_sim.control.task import Law, Task, open_loop
from cable_sim.spec.quantities import spec


@spec
class Operator:
    """Each axis by its trapezoidal ramps, which end where the move ends, without any look at the
    load."""

    kind: Literal["operator"] = "operator"

    def start(self, task: Task) -> Law:
        """The planned moves."""
        return open_loop(task.planned, task.period)
