"""Another node of the same name in the same namespace: both publish on the same topics, and obey
the same commands."""

import time
from collections.abc import Callable

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node

GRACE = 30.0
"""A node that was killed stays listed for 20 s [s]; who restarts it at once should not be warned of
it."""
PERIOD = 5.0
"""Wall time between two looks [s]."""


class Namesake:
    """Looks for one now and then, and tells of it once, as often as one comes.

    Parameters
    ----------
    node: whose name it is; its executor looks.
    tell: takes the warning.
    grace: how long the other one has to be there [s].
    period: between two looks [s].
    """

    def __init__(
        self, node: Node, tell: Callable[[str], None], grace: float = GRACE, period: float = PERIOD
    ) -> None:
        self._node, self._tell, self._grace = node, tell, grace
        self._since: float | None = None
        self._told = False
        # not the node's own clock, which with use_sim_time is what it publishes itself
        self._timer = node.create_timer(
            period, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    def _look(self) -> None:
        """Count who is called so."""
        mine = self._node.get_name(), self._node.get_namespace()
        if self._node.get_node_names_and_namespaces().count(mine) < 2:
            self._since, self._told = None, False
            return
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if not self._told and now - self._since >= self._grace:
            self._told = True
            name = self._node.get_fully_qualified_name()
            self._tell(
                f"another node is called {name}, too: states mix, and both obey; give one a "
                "namespace (__ns:=)"
            )
