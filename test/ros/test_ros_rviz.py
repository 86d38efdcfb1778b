"""Markers and transforms of real nodes by RViz' rules: a crane of each kind in one graph, all
moving; with the slow tests every crane of the catalogue."""

import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from rclpy.serialization import deserialize_message
from rviz_rules import Display, Frames
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.cranes.catalogue import ALIASES, crane_names
from cable_sim.ros import interface
from cable_sim.ros.publish.cable_markers import spans_of
from cable_sim.scenes.machines import load_machine

ARRAYS = 8
"""So many arrays of cable markers of each crane are looked at, the first ones before it moves."""

START_DEADLINE = 300.0
WIRES = "boxes_on_wires"
"""Its wires have masses and contacts that come and go."""
KINDS = ["lab_gantry", "nehe_rope", "offshore_25t", "rtg_41t", "tower_12t", "two_towers", WIRES]
ALL = [name for name in crane_names() if name not in ALIASES]

PARAMETERS = {
    "publish_clock": "false",
    "real_time_factor": 0.05,
    "joint_state_rate": 0.0,
    "cable_state_rate": 0.0,
    "marker_rate": 5.0,
    "command_timeout": 60.0,
}
"""Slow, and what is not looked at left out, so that many nodes share two processors."""


def heard_raw(probe, endpoint):
    """A list into which an endpoint's messages come as bytes: many nodes say much, and taking it
    apart can wait."""
    got = []
    probe.node.create_subscription(
        endpoint.type, endpoint.topic, got.append, endpoint.qos, raw=True
    )
    return got


def read(messages, kind):
    """Messages of that kind from bytes."""
    return [deserialize_message(data, kind) for data in messages]


class Ear:
    """What one node says for RViz."""

    def __init__(self, probe, crane):
        self.crane = load_machine(crane)
        told = (interface.CABLE_MARKERS, interface.SCENE_MARKERS)
        self.cables, self.scene = (
            heard_raw(probe, e._replace(topic=f"/{crane}/{e.topic}")) for e in told
        )

    def complaints(self, frames):
        """What RViz would have said."""
        scene, cables = Display(frames), Display(frames, moves=True, from_start=False)
        found = [
            complaint for array in read(self.scene, MarkerArray) for complaint in scene.take(array)
        ]
        found += [
            complaint
            for array in read(self.cables, MarkerArray)
            for complaint in cables.take(array)
        ]
        return found, set(cables.shown), set(scene.shown)


@pytest.fixture(
    scope="module",
    params=[pytest.param(KINDS, id="kinds"), pytest.param(ALL, id="all", marks=pytest.mark.slow)],
)
def heard(request, start_node, probe):
    """All nodes at once; what each said about markers, and all transforms."""
    said, nodes = {name: Ear(probe, name) for name in request.param}, []
    moving, fixed = heard_raw(probe, interface.TF), heard_raw(probe, interface.TF_STATIC)
    for name in said:
        nodes.append(
            start_node(
                "-r", f"__ns:=/{name}", crane_config=name, frame_prefix=f"{name}/", **PARAMETERS
            )
        )

    def all_said(count):
        assert all(node.alive() for node in nodes), [node.said() for node in nodes]
        return all(len(ear.cables) >= count and ear.scene for ear in said.values())

    probe.until(lambda: all_said(2), "markers of every node", START_DEADLINE)
    for name, ear in said.items():
        commands = probe.publisher(
            interface.JOINT_COMMANDS._replace(topic=f"/{name}/joint_commands")
        )
        axes = ear.crane.axes
        commands.publish(
            JointState(name=[a.joint for a in axes], velocity=[0.2 * a.max_speed for a in axes])
        )
    before = max(len(ear.cables) for ear in said.values())  # of a node that started early
    probe.until(lambda: all_said(before + ARRAYS), f"{ARRAYS} more arrays of every node", 60.0)
    assert {node.end() for node in nodes} == {0}, [node.said() for node in nodes]
    return said, read(moving, TFMessage), read(fixed, TFMessage)


@pytest.fixture(scope="module")
def frames(heard):
    """All frames of the graph; tf2 takes every transform."""
    made, (_, moving, fixed) = Frames(), heard
    complaints = [c for message in fixed for c in made.take(message, static=True)]
    complaints += [c for message in moving for c in made.take(message)]
    assert complaints == []
    return made


def test_rviz_shows_every_crane_and_its_cables_without_complaint(heard, frames):
    for name, ear in heard[0].items():
        found, cables, scene = ear.complaints(frames)
        assert found == [], name
        for cable in ear.crane.scene.cables:
            assert (spans_of(cable.name, f"{name}/"), 0) in cables
        assert {ns for ns, _ in scene} >= {
            f"{name}/{body.name}" for body in ear.crane.scene.bodies if body.shape
        }
        for body in ear.crane.scene.bodies:
            assert frames.problem(f"{name}/{body.name}", 0.0) == ""


def test_the_cables_of_every_crane_move(heard):
    for name in heard[0].keys() - {WIRES}:
        cables = heard[0][name].cables
        first, last = read((cables[0], cables[-1]), MarkerArray)
        points = [
            {(m.ns, m.id): m.points for m in array.markers if m.points} for array in (first, last)
        ]
        assert points[0].keys() == points[1].keys(), name
        assert any(points[0][key] != points[1][key] for key in points[0]), name


def test_who_subscribes_is_told_to_forget_what_was_there(heard):
    """Of one node at least: on a busy machine the first arrays may come before the listener is
    ready."""
    arrays = (array for ear in heard[0].values() for array in read(ear.cables, MarkerArray))
    assert any(array.markers[0].action == Marker.DELETEALL for array in arrays)
