"""Detection of a running simulator node, by its statistics and by a lock.

A node sends statistics ten times a second.
"""

import fcntl
import os
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import IO

from cable_sim.ros import interface
from cable_sim.ros.client.node_link import OwnNode


def hear_node(
    timeout: float, namespace: str = "", given_up: Callable[[], bool] = lambda: False
) -> bool:
    """Return True if a node is heard within ``timeout`` [s].

    The wait ends early when ``given_up``, which is polled, returns True.
    """
    messages: list[object] = []
    endpoint = interface.SIM_STATS
    with closing(OwnNode("cable_sim_presence", namespace)) as link:
        link.node.create_subscription(endpoint.type, endpoint.topic, messages.append, endpoint.qos)
        link.take_until(lambda: messages or given_up(), timeout)
    return bool(messages)


def domain() -> str:
    """Return the ROS domain of this process."""
    return os.environ.get("ROS_DOMAIN_ID") or "0"


def claim() -> IO[str] | None:
    """Lock this user's single simulator on the ROS domain until the file is closed; None if taken.

    Listening alone is not enough: after a process died uncleanly discovery can take seconds.
    """
    file = (Path(tempfile.gettempdir()) / f"cable_sim-{os.getuid()}-domain-{domain()}.lock").open(
        "a"
    )
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
