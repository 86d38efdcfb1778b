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

from cable_sim.errors import CableSimError
from cable_sim.ros import interface
from cable_sim.ros.basis.node_link import OwnNode


def hear_node(timeout: float, given_up: Callable[[], bool] = lambda: False) -> bool:
    """Return True if a node is heard within ``timeout`` [s].

    The wait ends early when ``given_up``, which is polled, returns True.
    """
    messages: list[object] = []
    endpoint = interface.SIM_STATS
    with closing(OwnNode("cable_sim_presence")) as link:
        link.node.create_subscription(endpoint.type, endpoint.topic, messages.append, endpoint.qos)
        link.take_until(lambda: messages or given_up(), timeout)
    return bool(messages)


def domain() -> str:
    """Return the ROS domain of this process."""
    return os.environ.get("ROS_DOMAIN_ID") or "0"


def claim() -> IO[bytes] | None:
    """Lock this user's single simulator on the ROS domain until the file is closed; None if taken.

    Listening alone is not enough: after a process died uncleanly discovery can take seconds. The
    file is this user's own and no link, because others may write in the temporary folder;
    CableSimError if it is neither.
    """
    path = Path(tempfile.gettempdir()) / f"cable_sim-{os.getuid()}-domain-{domain()}.lock"
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        file = open(os.open(path, flags, 0o600), "rb", buffering=0)
    except OSError as error:
        raise CableSimError(f"{path}: can't be locked: {error.strerror}; remove it") from None
    if os.fstat(file.fileno()).st_uid != os.getuid():
        file.close()
        raise CableSimError(f"{path}: can't be locked: it belongs to another user; remove it")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
