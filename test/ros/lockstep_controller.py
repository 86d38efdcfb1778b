"""A controller in lockstep with a node, as a program:
`python lockstep_controller.py MODE TICKS FILE`.

It answers every state of the crane with a command that depends on all that it has read, to the last
bit, and writes down every message that came, as it came over the wire. In mode ``command`` its
answer lets time pass, in mode ``service`` it calls ``~/step``.
"""

import math
import pickle
import sys
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from cable_sim.cranes import load_crane
from cable_sim.ros import interface
from cable_sim.ros.basis.messages import nanoseconds

DEADLINE = 300.0
TOPICS = (
    interface.JOINT_STATES,
    interface.CABLE_STATES,
    interface.SWAY_STATE,
    interface.GROUND_TRUTH,
    interface.LOAD_CELL,
    interface.HOOK_IMU,
    interface.WIND,
    interface.LOAD_MOMENT,
    interface.LIMITS,
)


class Controller:
    """Node, state and notes."""

    def __init__(self, mode, ticks):
        self.node = rclpy.create_node("controller")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.heard = {endpoint.topic: [] for endpoint in TOPICS}
        self.newest, self.answered, self.integral, self.step = {}, -1, 0.0, None
        self.mode, self.ticks = mode, ticks
        deep = QoSProfile(depth=1000)
        for endpoint in TOPICS:
            self.node.create_subscription(
                endpoint.type, endpoint.topic, self.taking(endpoint), deep, raw=True
            )
        commands = interface.JOINT_COMMANDS
        self.commands = self.node.create_publisher(commands.type, commands.topic, commands.qos)
        self.stepper = self.node.create_client(Trigger, "cable_sim/step")
        self.joints = [axis.joint for axis in load_crane("tower_12t").axes]

    def taking(self, endpoint):
        """What to do with the bytes of a topic."""

        def take(raw):
            if not self.heard[endpoint.topic] or self.heard[endpoint.topic][-1] != raw:
                self.heard[endpoint.topic].append(bytes(raw))
            self.newest[endpoint.topic] = deserialize_message(raw, endpoint.type)

        return take

    def ready(self):
        """Whether the present state has come, all that goes out with every tick of it, and was not
        answered yet."""
        every = (interface.JOINT_STATES, interface.CABLE_STATES, interface.HOOK_IMU)
        if len(self.newest) < len(TOPICS):
            return False
        stamps = {nanoseconds(self.newest[endpoint.topic].header.stamp) for endpoint in every}
        return len(stamps) == 1 and min(stamps) > self.answered

    def answer(self):
        """Command all axes by what was read."""
        states = self.newest["joint_states"]
        imu, cable = self.newest["hook_imu"], self.newest["cable_states"].cables[0]
        seconds = nanoseconds(states.header.stamp) * 1e-9
        self.integral += 1e-3 * imu.linear_acceleration.x + 1e-9 * cable.tension_winch
        command = JointState(name=self.joints)
        command.header.stamp = states.header.stamp
        wish = [
            0.2 * math.sin(2.0 * seconds + i) - 0.01 * states.velocity[i]
            for i in range(len(self.joints))
        ]
        command.velocity = [value + 1e-3 * math.tanh(self.integral) for value in wish]
        self.answered = nanoseconds(states.header.stamp)
        self.commands.publish(command)
        if self.mode == "service":
            self.step = self.stepper.call_async(Trigger.Request())

    def run(self):
        """Answer so many states."""
        end, done = time.monotonic() + DEADLINE, 0
        while done < self.ticks:
            if time.monotonic() > end:
                raise SystemExit(f"after {done} ticks nothing more came")
            self.executor.spin_once(timeout_sec=0.1)
            if self.commands.get_subscription_count() == 0 or (self.step and not self.step.done()):
                continue
            if self.step and not self.step.result().success:
                raise SystemExit(self.step.result().message)
            if self.ready():
                self.answer()
                done += 1


if __name__ == "__main__":
    mode, ticks, path = sys.argv[1:4]  # then, what is for ROS
    rclpy.init()
    controller = Controller(mode, int(ticks))
    controller.stepper.wait_for_service(DEADLINE)
    controller.run()
    with open(path, "wb") as file:
        pickle.dump(controller.heard, file)
    rclpy.shutdown()
