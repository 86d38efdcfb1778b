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


def check_for_duplicates(
    node: Node, tell: Callable[[str], None], grace: float = GRACE, period: float = PERIOD
) -> None:
    """Call ``tell`` with a warning, once per occurrence, while another node has the same name.

    The node's executor looks every ``period``; the other one must be there for ``grace`` [s].
    """
    since: float | None = None  # infinite once it has been told

    def look() -> None:
        nonlocal since
        mine = node.get_name(), node.get_namespace()
        if node.get_node_names_and_namespaces().count(mine) < 2:
            since = None
            return
        now = time.monotonic()
        since = now if since is None else since
        if now - since >= grace:
            since = math.inf
            name = node.get_fully_qualified_name()
            tell(
                f"another node is called {name}, too: their states mix, and both obey commands; "
                "give one a namespace (__ns:=)"
            )

    steady_timer(node, period, look)
