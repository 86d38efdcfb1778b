"""Labels of the picture: names that go with their bodies, and the width of the grid."""

import numpy as np
import pytest

from cable_sim.rendering.bodies import extent
from cable_sim.rendering.ground import grid_step
from cable_sim.viewer.labels import Labels


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


def test_the_grid_tells_its_width_at_a_line(api, crane):
    whole = extent(crane.scene)
    Labels(api, crane.scene, whole)
    label = api.nodes["/labels/ground"]
    step = grid_step(whole.radius)
    assert label.args[0] == f"grid {step:g} m"
    x, y, z = label.position / whole.scale
    assert (x / step - 0.5) % 1.0 == pytest.approx(0.0) and z == whole.ground
    assert y / step == pytest.approx(round(y / step))
