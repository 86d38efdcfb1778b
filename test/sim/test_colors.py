"""The colour scale of tension: a part of plasma, which no steel and no colour vision hides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cable_sim.cranes.families.kit.look import COLORS as PAINTS
from cable_sim.sim.readings.colors import (
    FULL_SCALE_SHARE,
    SLACK_COLOR,
    STEEL_STRETCH,
    color_limits,
    tension_colors,
)
from cable_sim.spec import Anchor, Body, Box, Cable, Rope, Scene
from cable_sim.spec.scene import GRAVITY

SHARES = np.linspace(0.01, 1.0, 100)
SEEN_BY = {
    "all": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
"""Linear light as eyes see it: Machado, Oliveira and Fernandes 2009, severity 1."""


def lab(colors, eyes="all"):
    """Return CIE L*a*b* of sRGB colours (n, 3), as eyes see them."""
    rgb = np.atleast_2d(colors)
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    light = np.clip(light @ np.array(SEEN_BY[eyes]).T, 0.0, 1.0)
    xyz = light @ np.array(
        [[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]]
    )
    share = xyz / [0.9505, 1.0, 1.089]
    f = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16.0 / 116.0)
    x, y, z = f.T
    return np.stack([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)], axis=-1)


def test_scale_is_the_lower_part_of_plasma():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    plasma = matplotlib.colormaps["plasma"](0.6 * SHARES)[:, :3]
    assert np.abs(tension_colors(SHARES, 1.0) - plasma).max() < 0.03


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_lightness_grows_with_the_tension(eyes):
    lightness = lab(tension_colors(SHARES, 1.0), eyes)[:, 0]
    assert (np.diff(lightness) > 0.0).all()


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_ropes_stand_out_before_yellow_steel(eyes):
    """A difference of 10 is seen at a glance."""
    away = lab(tension_colors(SHARES, 1.0), eyes) - lab(PAINTS["yellow"], eyes)
    assert np.linalg.norm(away, axis=1).min() > 20.0


def test_slack_ropes_are_grey_and_the_scale_has_an_end():
    colors = tension_colors([0.0, 1.0, 50.0, 100.0, 500.0, float("nan")], 100.0)
    assert tuple(colors[0]) == tuple(colors[5]) == SLACK_COLOR
    assert tuple(colors[4]) == tuple(colors[3])
    assert (tension_colors([10.0, 90.0], 100.0, slack=True) == SLACK_COLOR).all()


@given(st.lists(st.floats(-1e6, 1e7), min_size=1, max_size=30), st.floats(1.0, 1e7))
def test_colors_are_always_colors(tension, scale):
    colors = tension_colors(tension, scale)
    assert colors.shape == (len(tension), 3) and (colors >= 0.0).all() and (colors <= 1.0).all()


@pytest.mark.parametrize(
    ("given", "mass", "limit", "reason"),
    [
        (
            {"breaking_force": 1.6e5, "ea": 1e7, "pretension": 1e3},
            1e3,
            4e4,
            "25 % of breaking force",
        ),
        ({"ea": 1e7, "pretension": 1e3}, 1e3, 3.6e4, "stretch of 0.36 %"),
        ({}, 1e3, 3.0 * 1e3 * GRAVITY, "3 × the weight that moves"),
        ({"stiffness": 1e5, "pretension": 2e4}, 1e3, 6e4, "3 × the weight that moves"),
        ({}, 0.0, 5e4, "that of a 20 mm rope"),
    ],
)
def test_colours_end_where_a_rope_has_its_limit(given, mass, limit, reason):
    bodies = [Body("load", mass, shape=Box(1.0, 1.0, 1.0))] if mass else []
    rope = Cable("rope", [Anchor("world"), Anchor("world", (0.0, 0.0, -5.0))], **given)
    assert color_limits(Scene(bodies=bodies, cables=[rope])) == {
        "rope": (pytest.approx(limit), reason)
    }


def test_elastic_limit_is_a_quarter_of_what_steel_ropes_bear():
    for name in ("6x36ws_iwrc", "18x7_rotation_resistant", "34x7_rotation_resistant"):
        rope = Rope(name, 0.016)
        assert STEEL_STRETCH * rope.ea == pytest.approx(
            FULL_SCALE_SHARE * rope.minimum_breaking_force, rel=0.07
        )
