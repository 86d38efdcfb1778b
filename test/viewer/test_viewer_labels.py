"""Labels of the picture: names that go with their bodies, and the width of the grid."""

import numpy as np
import pytest

from cable_sim.rendering.bodies import extent
from cable_sim.rendering.camera import overview_camera
from cable_sim.rendering.ground import grid_step
from cable_sim.scenes.machines import load_machine
from cable_sim.viewer.drawing.labels import LETTER, LINE, VIEW, Labels, readable


def test_every_body_has_its_name_where_it_is(api, crane, frame_of):
    whole = extent(crane.scene)
    labels = Labels(api, crane.scene, whole)
    named = {name: node for name, node in api.nodes.items() if "/bodies/" in name}
    assert [node.args[0] for node in named.values()] == ["upper", "trolley", "block", "load"]
    labels.update(frame_of(angle=0.5))
    turned = 20.0 * np.array([np.cos(0.5), np.sin(0.5)])
    place = api.nodes["/labels/bodies/trolley"].position / whole.scale
    assert place == pytest.approx((*turned, 30.0))
    before = api.nodes["/labels/bodies/upper"].position
    labels.update(frame_of(angle=0.5))
    assert api.nodes["/labels/bodies/upper"].position is before, "what stands is not sent again"


@pytest.mark.parametrize("name", ["sts_51t", "rope_crane", "two_towers", "wire_net"])
def test_names_do_not_hide_one_another_in_the_first_view(name):
    scene = load_machine(name).scene
    whole = extent(scene)
    kept = readable(scene.bodies, whole)
    assert scene.bodies[-1] in kept
    seen = overview_camera(whole, *VIEW).project(np.array([body.position for body in kept]))
    for i, body in enumerate(kept):
        for k in range(i):
            x, y = np.abs(seen[i] - seen[k])[:2]
            letters = 0.5 * (len(body.name) + len(kept[k].name))
            assert x > LETTER * letters or y > LINE, f"{body.name} and {kept[k].name}"


def test_the_grid_tells_its_width_at_a_line(api, crane):
    whole = extent(crane.scene)
    Labels(api, crane.scene, whole)
    label = api.nodes["/labels/ground"]
    step = grid_step(whole.radius)
    assert label.args[0] == f"grid {step:g} m"
    x, y, z = label.position / whole.scale
    assert (x / step - 0.5) % 1.0 == pytest.approx(0.0) and z == whole.ground
    assert y / step == pytest.approx(round(y / step))
