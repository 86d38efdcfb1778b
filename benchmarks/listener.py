"""Somebody who listens to everything that a crane's node says, in a process of his own, until he is interrupted.

``python -m benchmarks.listener tower_12t`` on the node's ROS domain. Messages are taken as bytes: what it costs to read
them is no concern of the node's.
"""

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

    from cable_sim.ros.interface import published
    from cable_sim.ros.recorder import listen, spin
    from cable_sim.scenes.machines import load_machine

    rclpy.init()
    node = rclpy.create_node("benchmark_listener")
    listen(node, published(load_machine(crane)), lambda endpoint, data: None)
    executor = rclpy.executors.SingleThreadedExecutor()
    executor.add_node(node)
    spin(executor, threading.Event())


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except KeyboardInterrupt:
        pass
