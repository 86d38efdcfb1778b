"""Radius rings: round what slews over ground, as far as it reaches, in pictures and on the page."""

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.rendering.bodies import extent
from cable_sim.rendering.camera import overview_camera
from cable_sim.rendering.ground import visible_ground
from cable_sim.rendering.rings import radius_rings
from cable_sim.spec import Body, Box, Drive, Joint, Scene, Surface

ARM = Body("arm", 100.0, shape=Box(8.0, 0.5, 0.5), position=(6.0, 1.0, 3.0))
GROUND = Surface("ground")


def arm_on(point=(2.0, 1.0, 3.0), axis=(0.0, 0.0, 2.0), surfaces=(GROUND,), drives=True):
    """An arm that reaches from its hinge to 8 m beyond it."""
    return Scene(
        bodies=(ARM,),
        joints=(Joint("turn", "hinge", "arm", point=point, axis=axis),),
        drives=(Drive("turn", "turn", max_effort=1e3),) if drives else (),
        surfaces=surfaces,
    )


def test_rings_go_as_far_as_the_body_reaches():
    (rings,) = radius_rings(arm_on())
    assert rings.center == pytest.approx([2.0, 1.0])
    assert (rings.step, rings.number) == (1.0, 8)
    (rings,) = radius_rings(load_crane("tower_12t").scene)
    assert (rings.step, rings.number) == (10.0, 7)


def test_rings_go_as_far_as_a_jib_that_is_level():
    """1.3 m and 55.65 m when it is level, of which the chart has 55 m."""
    (rings,) = radius_rings(load_crane("luffing_12t").scene)
    assert (rings.step, rings.number) == (10.0, 5)
    crane = load_crane("crawler_50t", {"rig.start.at.boom_hinge_deg": 80.0})
    (rings,) = radius_rings(crane.scene)
    assert (rings.step, rings.number) == (5.0, 6)


@pytest.mark.parametrize("name", ["tower_12t", "luffing_12t"])
def test_a_mast_that_bends_has_the_rings_of_a_rigid_one(name):
    (rigid,) = radius_rings(load_crane(name).scene)
    (soft,) = radius_rings(load_crane(name, {"crane.structure.mode": "flexible"}).scene)
    assert soft.center == pytest.approx(rigid.center, abs=1e-3)
    assert (soft.step, soft.number) == (rigid.step, rigid.number)


@pytest.mark.parametrize(
    "scene",
    [
        arm_on(surfaces=()),
        arm_on(axis=(0.0, 0.1, 1.0)),
        arm_on(drives=False),
        load_crane("rtg_41t").scene,
        load_crane("nehe_rope").scene,
    ],
    ids=["no ground", "tilted", "free", "gantry", "hand"],
)
def test_what_does_not_slew_over_ground_has_none(scene):
    assert radius_rings(scene) == ()


def test_the_ground_is_darker_on_the_rings_alone():
    scene = arm_on()
    whole = extent(scene)
    camera = overview_camera(whole, 800, 600)
    rings = radius_rings(scene)
    marked = visible_ground(camera, scene, whole, rings).colors
    darker = (visible_ground(camera, scene, whole).colors - marked).max(axis=-1)
    angle = np.linspace(0.0, 2.0 * np.pi, 36, endpoint=False)

    def seen(radius):
        """How much darker the ground is at a radius round the hinge, where it is in the picture."""
        places = np.column_stack(
            [2.0 + radius * np.cos(angle), 1.0 + radius * np.sin(angle), np.zeros(len(angle))]
        )
        u, v = camera.project(places)[:, :2].astype(int).T
        there = (u >= 0) & (u < 800) & (v >= 0) & (v < 600)
        assert there.sum() > 10
        return darker[v[there], u[there]]

    for radius in (2.0, 4.0):
        assert seen(radius).min() > 0.02
    for radius in (0.3, 2.5, 4.5):
        assert seen(radius).max() == 0.0
