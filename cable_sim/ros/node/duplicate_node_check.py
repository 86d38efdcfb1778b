"""Check for another node of the same name and namespace.

Both would publish on the same topics, and follow the same commands.
"""

import math
import time
from collections.abc import Callable

from rclpy.node import Node

from cable_sim.ros.basis.node_link import steady_timer

GRACE = 30.0
"""Time for which a duplicate must be listed before the warning [s].

A killed node stays listed for 20 s; a restart must not cause a warning.
"""
PERIOD = 5.0
"""Wall time between two checks [s]."""


class DuplicateNodeCheck:
    """Periodic check for a node of the same name, with one warning per occurrence.

    Parameters
    ----------
    node: node whose name is checked; its executor runs the check.
    tell: callback for the warning.
    grace: time for which the other one must be there [s].
    period: time between two checks [s].
    """

    def __init__(
        self, node: Node, tell: Callable[[str], None], grace: float = GRACE, period: float = PERIOD
    ) -> None:
        self._node = node
        self._tell = tell
        self._grace = grace
        self._since: float | None = None  # infinite once it has been told
        self._timer = steady_timer(node, period, self._look)

    def _look(self) -> None:
        """Count the nodes of this name."""
        mine = self._node.get_name(), self._node.get_namespace()
        if self._node.get_node_names_and_namespaces().count(mine) < 2:
            self._since = None
            return
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if now - self._since >= self._grace:
            self._since = math.inf
            name = self._node.get_fully_qualified_name()
            self._tell(
                f"another node is called {name}, too: their states mix, and both obey commands; "
                "give one a namespace (__ns:=)"
            )
