"""Arrows of contact forces: along and across the normal, at one scale, in pictures and messages."""

import dataclasses

import numpy as np
import pytest

from cable_sim import Body, Box, Scene, Simulator, Surface
from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.machine.bare import BareMachine
from cable_sim.rendering.bodies import Extent, crane_extent
from cable_sim.rendering.contact_arrows import (
    FRICTION_COLOR,
    NORMAL_COLOR,
    ContactArrows,
    arrow_mesh,
    arrows_of,
    newtons_per_metre,
)
from cable_sim.rendering.renderer import Renderer
from cable_sim.spec import Collision

G = 9.81
MASS = 20.0
SLOPE = 0.2


@pytest.fixture(scope="module")
def resting():
    """A box at rest on a slope, which stands for one on level ground under oblique gravity."""
    box = Body("box", MASS, shape=Box(1.0, 1.0, 0.5), position=(0.0, 0.0, 0.25))
    gravity = (G * np.sin(SLOPE), 0.0, -G * np.cos(SLOPE))
    told = Scene(
        bodies=(box,), surfaces=(Surface(friction=0.5),), collision=Collision(), gravity=gravity
    )
    machine = BareMachine(Simulator(told))
    machine.simulator.step(50)
    crane = scene_machine(told)
    return crane, machine.frame(machine.observe()), MASS * np.array(gravity)


def test_arrows_of_what_rests_add_up_to_its_weight(resting) -> None:
    _, frame, weight = resting
    arrows = arrows_of(frame.contacts, 10.0)
    (contact,) = frame.contacts
    assert len(arrows) == 8 and contact.first == "box"
    for color, expected in (
        (NORMAL_COLOR, (0.0, 0.0, -weight[2])),
        (FRICTION_COLOR, (-weight[0], 0.0, 0.0)),
    ):
        own = arrows[(arrows[:, 6:] == color).all(axis=1)]
        total = 10.0 * own[:, 3:6].sum(axis=0)
        np.testing.assert_allclose(total, expected, atol=1e-6 * MASS * G)
        np.testing.assert_allclose(own[:, 2], 0.0, atol=1e-4)
    assert contact.normal_force == pytest.approx(-weight[2], rel=1e-6)
    np.testing.assert_allclose(
        np.einsum("ij,ij->", contact.force, contact.normal), contact.normal_force
    )


def test_a_mesh_of_arrows_reaches_from_begin_to_end() -> None:
    way = np.array([3.0, -4.0, 12.0])
    arrows = np.array([[1.0, 2.0, 3.0, *way, *NORMAL_COLOR], [0.0] * 9])
    mesh = arrow_mesh(arrows)
    along = (mesh.vertices - arrows[0, :3]) @ way / 13.0
    assert along.min() == pytest.approx(0.0, abs=1e-9) and along.max() == pytest.approx(13.0)
    assert (mesh.colors[:, :3] == NORMAL_COLOR).all()
    assert len(arrow_mesh(arrows[1:]).vertices) == len(arrow_mesh(arrows[:0]).vertices) == 0


@pytest.mark.parametrize("mass", [1e-3, 0.7, 49.0, 50.0, 20e3, 3e8])
def test_a_scale_is_a_round_number_that_fits_the_weight(resting, mass: float) -> None:
    scene = resting[0].scene
    body = dataclasses.replace(scene.bodies[0], mass=mass)
    crane = scene_machine(dataclasses.replace(scene, bodies=(body,)))
    extent = Extent(np.zeros((0, 3)), np.zeros(3), 10.0, 0.0)
    scale = newtons_per_metre(crane, extent)
    length = mass * G / scale
    assert 3.0 * (1.0 - 1e-9) <= length <= 3.0 * 2.5 * (1.0 + 1e-9)
    assert float(f"{scale:.0e}"[0]) in (1, 2, 5) and scale == pytest.approx(float(f"{scale:.0e}"))


def test_pictures_show_arrows_only_where_they_are_wanted(resting) -> None:
    crane, frame, _ = resting
    extent = crane_extent(crane)
    arrows = ContactArrows(crane, extent)
    assert arrows.legend == f"1 m = {arrows.scale:g} N"
    arrows.scale = 50.0  # a quarter of the weight reaches through the box
    bare, shown = (
        Renderer(crane, extent, 200, 150, samples=1, arrows=given).draw(frame).astype(int)
        for given in (None, arrows)
    )
    new = (bare != shown).any(axis=2)
    red = (shown[..., 0] > shown[..., 1] + 60) & (shown[..., 0] > shown[..., 2] + 60)
    assert new.sum() > 20 and (red & new).any() and not (red & ~new).any()
