"""Lines of cables with more points than are drawn stay near their curves, also where most points
are not in use."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from rclpy.serialization import deserialize_message
from visualization_msgs.msg import Marker, MarkerArray

from cable_sim.machine.machine import Machine
from cable_sim.ros.publish.cable_markers import CableMarkers, spans_of
from cable_sim.scenes.machines import load_machine


def farthest(points, line):
    """Largest distance of points from a line [m]."""
    a, way = line[:-1], np.diff(line, axis=0)
    square = np.maximum((way**2).sum(axis=1), 1e-30)
    share = np.clip(((points[:, None] - a) * way).sum(axis=2) / square, 0.0, 1.0)
    return np.linalg.norm(points[:, None] - a - share[..., None] * way, axis=2).min(axis=1).max()


@pytest.mark.parametrize(
    "name", ["wrapped_block", "wire_over_beam", "elevation_over_platform", "boxes_on_wires"]
)
@pytest.mark.parametrize("most", [12, 30, 1000])
def test_a_line_stays_within_half_a_point_spacing_of_its_curve(name, most):
    crane = load_machine(name)
    machine, markers = Machine(crane), CableMarkers(crane, "", "world", most)
    markers.fill(machine.observe())
    for _ in range(20):  # contacts come and go, and with them the points that are in use
        seen = machine.tick()
    array = deserialize_message(markers.fill(seen), MarkerArray)
    for cable in crane.scene.cables:
        view = seen.cable(cable.name)
        strips = [
            m
            for m in array.markers
            if m.type == Marker.LINE_STRIP and m.ns == spans_of(cable.name, "")
        ]
        for strip, first, last in zip(strips, view.curve_nodes, view.curve_nodes[1:], strict=False):
            line = np.array([(p.x, p.y, p.z) for p in strip.points])
            span = view.curve[first : last + 1]
            np.testing.assert_array_equal(line[[0, -1]], span[[0, -1]])
            length = np.linalg.norm(np.diff(span, axis=0), axis=1).sum()
            whole = len(line) == len(span)
            assert farthest(span, line) <= (0.0 if whole else 0.5 * length / (len(line) - 1)) + 1e-9
