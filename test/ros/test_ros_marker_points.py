"""Lines of cables with more points than are wanted are thinned out, and stay near their curves."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from visualization_msgs.msg import Marker

from cable_sim.machine.machine import Machine
from cable_sim.ros.markers import CableMarkers, spans_of
from cable_sim.scenes.machines import load_machine


def looks(name, most):
    """The crane of a scene, what is seen of it after a tick, and its markers."""
    crane = load_machine(name)
    machine = Machine(crane)
    seen = machine.tick()
    return crane, seen, CableMarkers(crane, "", "world", most).fill(seen).markers


def lines(markers, cable):
    """Points (n, 3) of the strips of a cable, span by span."""
    strips = [m for m in markers if m.type == Marker.LINE_STRIP and m.ns == spans_of(cable, "")]
    return [np.array([(p.x, p.y, p.z) for p in strip.points]) for strip in strips], strips


def length_of(points):
    """Of a line [m]."""
    return np.linalg.norm(np.diff(points, axis=0), axis=1).sum()


def farthest(points, line):
    """Largest distance of points from a line [m]."""
    a, way = line[:-1], np.diff(line, axis=0)
    square = np.maximum((way**2).sum(axis=1), 1e-30)
    share = np.clip(((points[:, None] - a) * way).sum(axis=2) / square, 0.0, 1.0)
    return np.linalg.norm(points[:, None] - a - share[..., None] * way, axis=2).min(axis=1).max()


@pytest.mark.parametrize("name", ["nehe_rope", "elevation_over_platform", "boxes_on_wires", "tower_12t"])
@pytest.mark.parametrize("most", [2, 5, 30, 1000])
def test_no_line_has_more_points_and_those_it_has_are_of_the_curve(name, most):
    crane, seen, markers = looks(name, most)
    for cable in crane.scene.cables:
        view, (found, strips) = seen.cable(cable.name), lines(markers, cable.name)
        ends = view.curve_nodes
        assert len(found) == len(ends) - 1
        for points, first, last in zip(found, ends, ends[1:], strict=False):
            span = view.curve[first : last + 1]
            assert len(points) == min(most, len(span))
            assert all((span == point).all(axis=1).any() for point in points)
            np.testing.assert_array_equal(points[[0, -1]], span[[0, -1]])
            assert farthest(span, points) <= 0.51 * length_of(span) / (most - 1) * (most < len(span)) + 1e-9
        for strip in strips:
            assert len(strip.colors) in (0, len(strip.points))
        tubes = [m for m in markers if m.ns == f"tubes/{cable.name}"]
        assert len(tubes) == (2 if cable.lumped else 1) * sum(len(points) - 1 for points in found)


def test_a_thinned_rope_of_masses_has_the_colours_of_the_whole_one_where_it_has_points():
    crane, seen, whole = looks("nehe_rope", 1000)
    (thin,) = lines(looks("nehe_rope", 5)[2], "rope")[1]
    (full,) = lines(whole, "rope")[1]
    places = [next(k for k, p in enumerate(full.points) if p == point) for point in thin.points]
    assert [thin.colors[i] for i in range(4)] == [full.colors[k] for k in places[:4]]
    assert len(set(places)) == 5


def test_a_wire_that_has_parted_is_open_in_its_thinned_tubes_too():
    crane = load_machine("breaking_wire")
    machine = Machine(crane)
    markers = CableMarkers(crane, "", "world", 6)
    markers.fill(machine.tick())
    for _ in range(400):
        seen = machine.tick()
        if len(seen.cable("weak").severed):
            break
    hidden = [m.color.a == 0.0 for m in markers.fill(seen).markers if m.ns == "tubes/weak"]
    severed, curve = seen.cable("weak").severed, seen.cable("weak").curve
    assert len(severed)
    tubes = [m for m in markers.fill(seen).markers if m.ns == "tubes/weak"]
    ((points,), _) = lines(markers.fill(seen).markers, "weak")
    for m, (begin, end), off in zip(tubes, zip(points, points[1:], strict=False), hidden, strict=True):
        first, last = (np.flatnonzero((curve == p).all(axis=1)) for p in (begin, end))
        assert off == any(first.max() <= k < last.min() or k == first.max() for k in severed), m.id
