"""Masses and contact nodes of wires as balls, and where a scene that nobody drives is looked at
from first."""

from dataclasses import replace

import numpy as np
import pytest

from cable_sim.machine.pictures.frame import CablePicture, Frame
from cable_sim.rendering import bodies
from cable_sim.rendering import camera as look
from cable_sim.scenes.machines import load_machine
from cable_sim.viewer.drawing.ropes import to_linear_light
from cable_sim.viewer.drawing.wire_nodes import WireNodes

WHITE, PURPLE = (
    to_linear_light(np.array([1.0, 1.0, 1.0])).tolist(),
    to_linear_light(np.array([0.6, 0.15, 0.85])).tolist(),
)


@pytest.fixture(scope="module")
def demo():
    return load_machine("wire_over_cylinder")


@pytest.fixture
def nodes(api, demo):
    return WireNodes(api, demo.scene, bodies.extent(demo.scene))


def frame_with(masses, contacts, sticks=None, room: int = 12) -> Frame:
    """A wire whose curve has ``room`` points, with masses and contact nodes [m]."""
    marks = np.zeros(len(contacts), dtype=bool) if sticks is None else np.array(sticks)
    points = np.linspace((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), room)
    places = (np.reshape(part, (-1, 3)).astype(float) for part in (masses, contacts))
    picture = CablePicture(points, np.arange(room), np.ones(room - 1), False, *places, marks)
    return Frame(0.0, {}, {"wire": picture}, {})


def test_masses_are_white_contacts_purple_and_larger_if_sticking(api, demo, nodes):
    frame = frame_with([(1, 2, 3), (4, 5, 6)], [(0, 0, 1), (0, 0, 2)], [False, True])
    assert nodes.update(frame)
    balls, extent = api.nodes["/wire_nodes/balls"], bodies.extent(demo.scene)
    assert balls.batched_positions[:4] == pytest.approx(
        extent.scale * np.array([(1, 2, 3), (4, 5, 6), (0, 0, 1), (0, 0, 2)])
    )
    assert balls.batched_colors[:4].tolist() == [WHITE, WHITE, PURPLE, PURPLE]
    radius = balls.batched_scales[0]
    assert balls.batched_scales[:4] / radius == pytest.approx([1.0, 1.0, 1.0, 1.5])
    assert radius > 0.5 * extent.scale * demo.scene.cables[0].diameter, (
        "they hide the wire, not the wire them"
    )
    assert not balls.batched_scales[4:].any() and len(balls.batched_scales) == 12


def test_nodes_come_and_go_without_a_new_batch(api, nodes):
    assert nodes.update(frame_with([(1, 2, 3)], []))
    batch = api.nodes["/wire_nodes/balls"]
    assert not nodes.update(frame_with([(1, 2, 3)], [])), "nothing has changed"
    assert nodes.update(frame_with([], [(1, 2, 3)])), "another kind of node at the same place"
    assert batch.batched_colors[0].tolist() == PURPLE
    assert nodes.update(frame_with([], [])) and not batch.batched_scales.any()
    assert api.nodes["/wire_nodes/balls"] is batch
    nodes.update(frame_with([(1, 2, 3)], [], room=20))
    assert len(api.nodes["/wire_nodes/balls"].batched_scales) == 20
    nodes.update(frame_with(np.ones((5, 3)), [], room=2))
    assert len(api.nodes["/wire_nodes/balls"].batched_scales) == 5, (
        "more nodes than the curve has points yet"
    )


def test_broken_places_do_not_reach_the_page(api, nodes):
    nodes.update(frame_with([(np.nan, 0, 0), (4, 5, 6)], [(0, np.inf, 0)]))
    balls = api.nodes["/wire_nodes/balls"]
    assert (
        np.isfinite(balls.batched_positions).all() and np.count_nonzero(balls.batched_scales) == 1
    )


def test_scenes_without_such_wires_send_nothing(api, crane, frame_of):
    nodes = WireNodes(api, crane.scene, bodies.extent(crane.scene))
    assert not nodes.update(frame_of()) and not api.nodes


def test_an_undriven_scene_is_seen_from_above_and_from_the_side(demo, crane):
    """So that the wire shows on top of the cylinder, which the camera has to be higher than."""
    extent = bodies.extent(demo.scene)
    position, target = look.overview(extent, along=look.overview_direction(demo))
    forward = (target - position) / np.linalg.norm(target - position)
    assert position[2] > 1.0 + 0.5 and forward[0] < -0.25
    assert look.overview_direction(replace(demo, axes=crane.axes)) == look.AHEAD
    assert look.overview_direction(crane) == look.OBLIQUE
