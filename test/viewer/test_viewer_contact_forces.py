"""Arrows of contact forces on the page: places, lengths, and room that is kept."""

import numpy as np
import pytest

from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import extent
from cable_sim.rendering.contact_arrows import ContactArrows
from cable_sim.scenes.machines import load_machine
from cable_sim.sim.readings.views import Contact
from cable_sim.viewer.drawing.contact_forces import ContactForces


def frame_with(*forces: tuple[float, float, float]) -> Frame:
    """Points along x at which the ground pushes something with these forces [N]."""
    force = -np.array(forces, dtype=float).reshape(-1, 3)
    places = np.arange(len(force))[:, None] * np.array([[1.0, 0.0, 0.0]])
    normal = np.tile((0.0, 0.0, -1.0), (len(force), 1))
    return Frame(0.0, {}, {}, {}, contacts=(Contact("it", "ground", places, force, normal, 0.0),))


def test_arrows_are_where_forces_act_as_long_as_they_are_large(api) -> None:
    crane = load_machine("sliding_box")
    whole = extent(crane.scene)
    arrows = ContactArrows(crane, whole)
    shown = ContactForces(api, arrows, whole)
    assert shown.update(frame_with((3.0, 4.0, 12.0), (0.0, 0.0, 5.0)))
    batch = api.nodes["/contact_forces/arrows"]
    scale = whole.scale / arrows.scale
    assert batch.batched_scales == pytest.approx(scale * np.array([12.0, 5.0, 5.0, 0.0]))
    assert batch.batched_positions[:, 0] == pytest.approx(whole.scale * np.array([0, 1, 0, 1]))
    along = [meshes.rotation_matrix(turn)[:, 2] for turn in batch.batched_wxyzs[[0, 2]]]
    np.testing.assert_allclose(along, [(0, 0, 1), (0.6, 0.8, 0)], atol=1e-6)
    assert shown.update(frame_with()) and not batch.batched_scales.any()
    assert api.nodes["/contact_forces/arrows"] is batch and not shown.update(frame_with())
