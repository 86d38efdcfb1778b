"""Whether a simulator node is there: listens for its statistics, which it sends ten times a second, paused or not."""

import time
from collections.abc import Callable

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from cable_sim.ros import interface


def heard(timeout: float, namespace: str = "", given_up: Callable[[], bool] = lambda: False) -> bool:
    """Whether a node is heard within ``timeout`` [s]; ``given_up`` is asked all the while, and ends it early."""
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("cable_sim_presence", namespace=namespace, context=context, use_global_arguments=False)
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
