"""A controller of your own as a ROS node: copy it, and change the law.

    cable-sim node tower_12t --ros-args -p lockstep:=command        # in another terminal
    python my_ros_controller.py --ros-args -p target:=25.0

One subscription and one publisher are all that it needs. It answers each state with one message
that has the state's
stamp: so it works in lockstep, where time waits for the answer, and in real time.
"""

import math

import rclpy
from cable_sim.msg import Feedback
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState


class MyController(Node):
    """Brings the trolley to a target [m] and damps the sway by camera."""

    def __init__(self) -> None:
        super().__init__("my_controller")
        self.target: float = self.declare_parameter("target", 25.0).value
        self.gain: float = self.declare_parameter("gain", 7.0).value  # m/s per rad
        self.command: JointState | None = None
        self.commands = self.create_publisher(JointState, "joint_commands", 1)
        self.subscription = self.create_subscription(Feedback, "feedback", self.answer, 10)

    def answer(self, seen: Feedback) -> None:
        """Answer a state; one that is sent again, because its answer was lost or somebody came
        late, as before."""
        if self.command is None or seen.header.stamp != self.command.header.stamp:
            self.command = JointState(name=["trolley"], velocity=[self.speed(seen)])
            self.command.header.stamp = seen.header.stamp
        self.commands.publish(self.command)

    def speed(self, seen: Feedback) -> float:
        """The law: the trolley's speed [m/s]."""
        trolley = dict(zip(seen.axis, seen.position, strict=True))["trolley"]
        sway = dict(zip(seen.reading, seen.value, strict=True))["sway.radial"]
        speed = min(max(0.3 * (self.target - trolley), -0.8), 0.8)
        return (
            speed if math.isnan(sway) else speed + self.gain * sway
        )  # it is before the camera's first picture


def main() -> None:
    """Answer until Ctrl-C."""
    rclpy.init()
    node = MyController()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RuntimeError:  # Ctrl-C in the middle of a call
        if rclpy.ok():
            raise
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
