"""Contact nodes that slide and let go take back what a path seems to grow by."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

from cable_sim import Anchor, Body, Cable, Scene, Simulator
from cable_sim.kernels.cables.contact.contact_path import COLUMNS, DIRECTION, LOWER, POINT, UPPER
from cable_sim.kernels.cables.contact.edge_growth import bend, way_over_line, way_saved
from cable_sim.spec import Box, Cylinder, Obstacle

EDGE = 1.5
"""Half of the length of the edge [m]."""


def unit(*values):
    """A quaternion from rounded values."""
    return tuple(np.array(values) / np.linalg.norm(values))


def a_line(point, direction):
    """The line of a node, as ``nodes.line`` has it, (1, 9)."""
    line = np.zeros((1, COLUMNS))
    line[0, POINT : POINT + 3], line[0, DIRECTION : DIRECTION + 3] = point, direction
    line[0, LOWER], line[0, UPPER] = -EDGE, EDGE
    return line


def bent_rope(random):
    """A node's line, its place of least way, and its neighbours a and c on both sides (3,)."""
    turn = Rotation.random(random_state=random)
    a = np.array([random.uniform(-1, 1), -random.uniform(0.2, 2), -random.uniform(0.1, 1)])
    c = np.array([random.uniform(-1, 1), random.uniform(0.2, 2), -random.uniform(0.1, 1)])
    r, s = np.hypot(*a[1:]), np.hypot(*c[1:])
    p = np.array([(a[0] * s + c[0] * r) / (r + s), 0.0, 0.0])
    shift = random.normal(size=3)
    line = a_line(shift, turn.apply([1.0, 0.0, 0.0]))
    return line, *(shift + turn.apply(x) for x in (p, a, c)), turn


@pytest.mark.parametrize("seed", range(20))
def test_the_way_is_the_shortest_over_the_edge(seed):
    random = np.random.default_rng(seed)
    line, p, a, c, _ = bent_rope(random)
    c = c + random.normal(size=3)

    def way(z):
        at = line[0, POINT : POINT + 3] + z * line[0, DIRECTION : DIRECTION + 3]
        return np.linalg.norm(a - at) + np.linalg.norm(c - at)

    found = minimize_scalar(way, bounds=(-EDGE, EDGE), method="bounded", options={"xatol": 1e-9})
    assert way_over_line(line, a, c) == pytest.approx(found.fun, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_a_move_along_the_edge_unfolds(seed):
    """With x along the edge, b is x^2 sin^2 / 2 (l_a + l_c) and no longer x^2 sin^2 / 2 l_c."""
    random = np.random.default_rng(seed)
    line, p, a, c, _ = bent_rope(random)
    x = 1e-4
    along = line[0, DIRECTION : DIRECTION + 3]
    l_a, l_c = np.linalg.norm(a - p), np.linalg.norm(c - p)
    sine = np.linalg.norm(np.cross(along, c - p)) / l_c
    saved = way_saved(line, p, a, c, a, c + x * along)
    assert saved == pytest.approx(0.5 * (x * sine) ** 2 * (1 / l_c - 1 / (l_a + l_c)), rel=2e-3)


@pytest.mark.parametrize("seed", range(20))
def test_a_rope_off_its_edge_is_straight(seed):
    """Past the plane of edge and rope; before it the way is that over the edge."""
    random = np.random.default_rng(seed)
    line, p, a, c, turn = bent_rope(random)
    up = turn.apply([0.0, 0.0, 1.0])
    off = c + 4.0 * up
    stayed = np.linalg.norm(a - p) + np.linalg.norm(off - p)
    assert bend(line, a, c) * bend(line, a, off) < 0.0
    assert stayed - way_saved(line, p, a, c, a, off) == pytest.approx(np.linalg.norm(off - a))
    near = c + 1e-3 * up
    stayed = np.linalg.norm(a - p) + np.linalg.norm(near - p)
    assert stayed - way_saved(line, p, a, c, a, near) == pytest.approx(
        way_over_line(line, a, near), abs=1e-12
    )


@pytest.mark.filterwarnings("ignore:body 'load'. its shape starts")
@pytest.mark.parametrize("dt", [0.0106, 0.012, 1 / 60])
def test_a_load_that_comes_off_an_edge_gets_no_energy(dt):
    """One that tumbles off an inclined beam gained 10, 9 and 1 kJ, where 90 are at play."""
    load = Body(
        "load",
        2700.0,
        shape=Cylinder(0.39, 0.4),
        position=(1.763, 1.434, -2.692),
        orientation=unit(0.872, 0.465, 0.149, 0.036),
        velocity=(0.4, 0.485, -0.213),
        angular_velocity=(-0.677, 0.835, -1.032),
    )
    beam = Obstacle(
        "beam",
        Box(2.698, 0.38, 1.874),
        position=(1.514, 1.373, -2.695),
        orientation=unit(-0.166, 0.653, -0.003, -0.739),
        body_friction=0.8,
    )
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("load", (-0.239, 0.239, -0.256))),
        ea=2.45e7,
        pretension=2e4,
        damping_ratio=0.1,
        touches=("beam",),
    )
    simulator = Simulator(Scene(bodies=(load,), cables=(rope,), obstacles=(beam,)), dt=dt)
    start = simulator.observe().energy.total
    energies, contacts = [], []
    for _ in range(round(1.0 / dt)):
        simulator.step()
        seen = simulator.observe()
        energies.append(seen.energy.total)
        contacts.append(len(seen.cable("rope").contact_obstacle))
    assert max(contacts) == 1 and contacts[-1] == 0
    assert max(energies) < start
