"""Somebody who listens to everything that a crane's node says, in a process of his own, until he is
interrupted.

``python -m benchmarks.listener tower_12t`` on the node's ROS domain. Messages are taken as bytes:
what it costs to read them is no concern of the node's.
"""

import signal
import subprocess
import sys
import threading

COMMAND = (sys.executable, "-m", "benchmarks.listener")


def start(crane: str) -> "subprocess.Popen[bytes]":
    """A listener to a crane; to be ended by SIGINT."""
    return subprocess.Popen([*COMMAND, crane])


def main(crane: str) -> None:
    """Listen."""
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    from cable_sim.ros.bags.recorder import listen, spin
    from cable_sim.ros.interface import published_endpoints
    from cable_sim.scenes.machines import load_machine

    ended = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: ended.set())
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node("benchmark_listener")
    listen(node, published_endpoints(load_machine(crane)), lambda endpoint, data: None)
    executor = rclpy.executors.SingleThreadedExecutor()
    executor.add_node(node)
    spin(executor, ended)


if __name__ == "__main__":
    main(sys.argv[1])
