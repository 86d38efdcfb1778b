"""A node whose hoist rope goes slack, and goes on as a hybrid wire and back."""

from pathlib import Path

import numpy as np
import pytest
from messages import naming

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from cable_sim.msg import AxisCommand

from cable_sim.ros.interface import CABLE_MARKERS, CABLE_STATES, JOINT_STATES, axis_command

SPEED = 0.2
"""Speed of the hook [m/s]."""
WEIGHT = 9.81
"""Of the bob [N]."""
STIFFNESS = 9.3e3
"""Of the rope as long as the crane is high [N/m]; it bounds the snatch at the lift-off."""
LOOSE = 1.18
"""Length of the rope with which the bob stands on the floor [m]."""
FILE = Path(__file__).parents[2] / "config" / "lab_inteco.yaml"
CHANGES = {
    "limits: [0.15, 1.00]": "limits: [0.15, 1.195]",
    "{hoist: 0.50,": "{hoist: 1.10,",
    "    winch: hoist_winch": "    when_slack: hybrid\n    winch: hoist_winch",
}


@pytest.fixture
def slackening_crane(tmp_path):
    """A file of a crane whose bob stands on the floor at the end of its hoist."""
    text = FILE.read_text()
    for old, new in CHANGES.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = tmp_path / "slackening.yaml"
    path.write_text(text)
    return path


def seconds(message):
    """Stamp [s]."""
    return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec


def test_a_node_goes_on_through_changes_of_a_rope(start_node, probe, slackening_crane):
    """Its positions and tensions go on, and masses are drawn only while there are some."""
    node = start_node(crane_config=slackening_crane, diagnostics_period=0.1)
    joints, cables = probe.listen(JOINT_STATES), probe.listen(CABLE_STATES)
    markers = probe.listen(CABLE_MARKERS)
    probe.until(lambda: joints and cables and markers, "states of the rope")
    hoist = list(joints[-1].name).index("hoist")
    winch = probe.publisher(axis_command("hoist"))

    def drive(speed, done, what):
        command = AxisCommand(axis="hoist", value=speed)
        probe.until(done, lambda: f"{what}; {node.said()}", every=lambda: winch.publish(command))

    def drawn():
        return any("wire_nodes" in marker.ns for marker in markers[-1].markers)

    assert not drawn()
    drive(SPEED, lambda: naming("hoist_rope slack hybrid").search(node.said()), "hybrid")
    drive(SPEED, drawn, "masses of the rope")
    drive(-SPEED, lambda: naming("hoist_rope taut massless").search(node.said()), "massless")
    drive(-SPEED, lambda: joints[-1].position[hoist] < 1.1, "the bob in the air")
    probe.until(lambda: not drawn(), "no masses")
    times = np.array([seconds(message) for message in joints])
    assert (np.diff(times) > 0.0).all()
    places = np.array([message.position[hoist] for message in joints])
    assert (np.abs(np.diff(places)) < 1.1 * SPEED * np.diff(times) + 1e-6).all()
    ropes = [message.cables[0] for message in cables]
    pulls = np.array([rope.tension_winch for rope in ropes])
    loose = np.array([rope.length_paid_out for rope in ropes]) > LOOSE
    assert loose.any()
    assert pulls[loose].max() < 0.02 * WEIGHT  # that of the rope, which swings
    assert pulls.max() < WEIGHT + SPEED * np.sqrt(STIFFNESS * WEIGHT / 9.81)
    drive(0.0, lambda: abs(cables[-1].cables[0].tension_winch / WEIGHT - 1.0) < 0.01, "at rest")
    assert node.end() == 0
    assert "Traceback" not in node.said()
