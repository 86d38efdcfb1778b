"""The other side of ros2_control's topics: sends and reads as the plugin JointStateTopicSystem
does, as a process.

    python topic_system.py URDF

takes topics, joints, interfaces and the threshold from the tag ``<ros2_control>`` of the
description. At 100 Hz it takes states and sends the commands that it was last given, as a line of
JSON on its standard input: values by joint, null for a joint that no controller claims, as all are
at the start. Its states go to standard output, a line of JSON a cycle.

What it keeps to, as in the plugin's source: commands on a reliable topic of depth 1, states from a
best-effort one of depth 5. A command holds all joints by name, and in each of the arrays the values
of those joints that have that interface, and no others. Nothing is sent while commands differ from
states by no more than the threshold, all together; NaN does differ. States that are not finite
leave the last ones.
"""

import json
import math
import sys
import threading
import xml.etree.ElementTree as ElementTree

import rclpy
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState

KINDS = ("position", "velocity", "effort")


class TopicSystem:
    """Commands and states of joints, and the topics that they go by."""

    def __init__(self, node, tag):
        self.node = node
        given = {param.get("name"): param.text for param in tag.find("hardware").iter("param")}
        self.threshold = float(given.get("trigger_joint_command_threshold", "1e-5"))
        self.commanded = {
            joint.get("name"): [i.get("name") for i in joint.iter("command_interface")]
            for joint in tag.iter("joint")
        }
        self.states = {joint: dict.fromkeys(KINDS, math.nan) for joint in self.commanded}
        self.commands = dict.fromkeys(self.commanded, math.nan)
        self.latest = JointState()
        self.publisher = node.create_publisher(
            JointState, given["joint_commands_topic"], QoSProfile(depth=1)
        )
        node.create_subscription(
            JointState, given["joint_states_topic"], self.hear, qos_profile_sensor_data
        )
        node.create_timer(0.01, self.cycle)

    def hear(self, message):
        self.latest = message

    def cycle(self):
        self.read()
        self.write()
        finite = {
            name: {k: v for k, v in state.items() if math.isfinite(v)}
            for name, state in self.states.items()
        }
        print(json.dumps(finite), flush=True)

    def read(self):
        for i, name in enumerate(self.latest.name):
            for kind in KINDS:
                values = getattr(self.latest, kind)
                if name in self.states and values and math.isfinite(values[i]):
                    self.states[name][kind] = values[i]

    def write(self):
        apart = sum(
            abs(self.states[joint][kind] - self.commands[joint])
            for joint, kinds in self.commanded.items()
            for kind in kinds
        )
        if apart <= self.threshold:
            return
        message = JointState()
        message.header.stamp = self.node.get_clock().now().to_msg()
        for joint, kinds in self.commanded.items():
            message.name.append(joint)
            for kind in kinds:
                getattr(message, kind).append(self.commands[joint])
        self.publisher.publish(message)

    def obey(self, line):
        for joint, value in json.loads(line).items():
            self.commands[joint] = math.nan if value is None else value


def main():
    rclpy.init()
    node = rclpy.create_node("topic_system")
    system = TopicSystem(node, ElementTree.parse(sys.argv[1]).getroot().find("ros2_control"))
    threading.Thread(target=lambda: [system.obey(line) for line in sys.stdin], daemon=True).start()
    rclpy.spin(node)


if __name__ == "__main__":
    main()
