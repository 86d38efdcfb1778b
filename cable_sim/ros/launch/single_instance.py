"""Detection of a running simulator node, by its statistics and by a lock.

A node sends statistics ten times a second.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from cable_sim.ros import interface


def heard(
    timeout: float, namespace: str = "", given_up: Callable[[], bool] = lambda: False
) -> bool:
    """Return True if a node is heard within ``timeout`` [s].

    The wait ends early when ``given_up``, which is polled, returns True.
    """
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node(
        "cable_sim_presence", namespace=namespace, context=context, use_global_arguments=False
    )
    messages: list[object] = []
    endpoint = interface.SIM_STATS
    node.create_subscription(endpoint.type, endpoint.topic, messages.append, endpoint.qos)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    deadline = time.monotonic() + timeout
    try:
        while not messages and time.monotonic() < deadline and not given_up():
            executor.spin_once(timeout_sec=0.1)
        return bool(messages)
    finally:
        executor.shutdown(timeout_sec=1.0)
        node.destroy_node()
        context.try_shutdown()


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
