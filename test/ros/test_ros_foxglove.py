"""Foxglove's server, fed from the node's topics as its bridge does it: a client that knows nothing
of ROS reads them by the definitions that come with them, and drives the crane."""

import json
import struct

import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
pytest.importorskip("foxglove", reason="needs foxglove-sdk (extra `test`)")
pytest.importorskip("websockets", reason="needs websockets (extra `viewer`)")

import foxglove
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from sensor_msgs.msg import JointState
from websockets.sync.client import connect

from cable_sim.ros import interface
from cable_sim.ros.message_types import define, type_name, typestore

SHOWN = (
    interface.JOINT_STATES,
    interface.CABLE_STATES,
    interface.CABLE_MARKERS,
    interface.TF,
    interface.DIAGNOSTICS,
)
ARRIVED = struct.Struct("<BIQ")
"""Head of a message to a client: kind, subscription, time of its log [ns]."""
SENT = struct.Struct("<BI")
"""Head of a message of a client: kind and channel."""


@pytest.fixture
def server(node, probe):
    """Foxglove's server with the node's topics, which passes on commands of joints."""
    types = typestore()
    out = probe.publisher(interface.JOINT_COMMANDS)

    class Listener(foxglove.ServerListener):
        def on_message_data(self, client, channel, data):
            out.publish(bytes(data))

    made = foxglove.start_server(
        port=0,
        capabilities=[foxglove.Capability.ClientPublish],
        supported_encodings=["cdr"],
        server_listener=Listener(),
    )
    ears = []
    for endpoint in SHOWN:
        name = type_name(endpoint.type)
        define(types, name)
        text = types.generate_msgdef(name, ros_version=2)[0]
        schema = foxglove.Schema(name=name, encoding="ros2msg", data=text.encode())
        channel = foxglove.Channel(
            f"/{endpoint.topic.lstrip('/')}", schema=schema, message_encoding="cdr"
        )
        ears.append(
            probe.node.create_subscription(
                endpoint.type, endpoint.topic, channel.log, endpoint.qos, raw=True
            )
        )
    yield made
    for ear in ears:
        probe.node.destroy_subscription(ear)
    made.stop()


class Client:
    """Client of the server, without ROS."""

    def __init__(self, port):
        self.socket = connect(
            f"ws://127.0.0.1:{port}", subprotocols=["foxglove.sdk.v1"], max_size=None
        )
        self.channels, self.newest = {}, {}
        self.types = get_typestore(Stores.EMPTY)

    def take(self):
        """Take what has come, and subscribe to what is new."""
        for _ in range(200):
            try:
                message = self.socket.recv(timeout=0.0)
            except TimeoutError:
                return
            if isinstance(message, bytes):
                _, number, _ = ARRIVED.unpack_from(message)
                self.newest[self.channels[number]["topic"]] = number, message[ARRIVED.size :]
                continue
            for channel in json.loads(message).get("channels", []):
                self.channels[channel["id"]] = channel
                self.types.register(get_types_from_msg(channel["schema"], channel["schemaName"]))
                ids = {"id": channel["id"], "channelId": channel["id"]}
                self.socket.send(json.dumps({"op": "subscribe", "subscriptions": [ids]}))

    def read(self, topic):
        """Return the newest message of a topic."""
        number, data = self.newest[topic]
        return self.types.deserialize_cdr(data, self.channels[number]["schemaName"])

    def advertise(self, topic, kind):
        """Say that messages of a topic will come, as channel 1."""
        channel = {"id": 1, "topic": topic, "encoding": "cdr", "schemaName": kind}
        self.socket.send(json.dumps({"op": "advertise", "channels": [channel]}))

    def send(self, data):
        """Send a message on channel 1."""
        self.socket.send(SENT.pack(1, 1) + data)


def test_foxglove_shows_a_crane_and_drives_it(server, probe):
    from rclpy.serialization import serialize_message

    client = Client(server.port)
    topics = {f"/{endpoint.topic.lstrip('/')}" for endpoint in SHOWN}
    probe.until(lambda: client.newest.keys() >= topics, "all topics", every=client.take)
    assert client.read("/cable_states").cables[0].tension_winch > 0.0
    assert client.read("/cable_markers").markers

    client.advertise("/joint_commands", "sensor_msgs/msg/JointState")
    command = serialize_message(JointState(name=["trolley"], velocity=[0.5]))

    def drive():
        client.send(command)
        client.take()

    def moves():
        states = client.read("/joint_states")
        return states.velocity[states.name.index("trolley")] > 0.4

    probe.until(moves, "the trolley moves", every=drive)
    client.socket.close()
