"""Contact nodes that rest are left alone: what comes out is the same as if all were looked at."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from cable_sim import Simulator, load_scene
from cable_sim.kernels.cables.contact.contact_path import UNUSED
from cable_sim.kernels.cables.hybrid.segments import (
    DEMAND,
    DIAGONAL,
    FROZEN,
    IMPULSE,
    OFF,
    ROW,
    SLACK,
)

ROOT = Path(__file__).resolve().parents[2]
H = 1.0 / 60.0
LOOKED_AT = """
from dataclasses import replace
import numpy as np
import pytest
from cable_sim import Simulator, load_scene
from cable_sim.kernels.cables.contact import sliding
from cable_sim.kernels.cables.friction import edge_sliding
from cable_sim.kernels.cables.hybrid import wire_placement

def mark_all(first, slots, nodes):
    nodes.disturbed[first : first + slots + 2] = True

looks = [0]

def count(k, *rest):
    looks[0] += 1
    return slide_node(k, *rest)

def run():
    found = []
    for friction, speed in ((0.0, 1.0), (0.3, 1.0), (0.05, 0.0)):
        scene = load_scene("wire_over_cylinder", load=1e4, wire=1.0, facets=12, friction=friction)
        left, right = scene.bodies
        left = replace(left, velocity=(0.0, -speed, 0.0), mass=(1.0 if speed else 1.5) * left.mass)
        scene = replace(scene, bodies=(left, replace(right, velocity=(0.3, speed, 0.0))))
        simulator = Simulator(scene, dt=1.0 / 60.0)
        state = simulator._state
        for _ in range(8):
            simulator.step(2)
            here = (state.bodies.position[1:3], state.nodes.point, state.spans.tension_impulse)
            found.append([*np.concatenate([a.ravel() for a in here]), *state.nodes.friction_state])
    return np.array(found)

slide_node, sliding.slide_node = sliding.slide_node, count
found = run()
few = looks[0]
sliding.rests = lambda *_: False
edge_sliding.mark_ends_of_runs = wire_placement.mark_ends_of_runs = mark_all
expected = run()
assert np.ptp(expected[:, :6], axis=0).max() > 0.2
np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
print(few / (looks[0] - few))
"""
BOUND = """
import numpy as np
import pytest
from collections import namedtuple
from cable_sim.kernels.cables.contact import resting_nodes
from cable_sim.kernels.cables.friction import edge_sliding
Bodies = namedtuple("Bodies", "orientation")
Around = namedtuple("Around", "bodies")
Nodes = namedtuple("Nodes", "around body line direction")
rng = np.random.default_rng(3)
close = held = 0
for _ in range(3000):
    edge = rng.normal(size=3)
    edge /= np.linalg.norm(edge)
    tilt = rng.uniform(-0.8, 0.8, 2)
    across = np.cross(edge, rng.normal(size=(2, 3)))
    across /= np.linalg.norm(across, axis=1)[:, None]
    spans = np.sqrt(1.0 - tilt**2)[:, None] * across + tilt[:, None] * edge
    line = np.zeros((2, 9))
    line[1, 3:6] = edge
    mu = rng.uniform(0.05, 1.5)
    nodes = Nodes(Around(Bodies(None)), np.zeros(2, int), line, spans)
    says = resting_nodes.is_held(1, mu, nodes)
    a, b = -spans[0], spans[1]
    r = np.sqrt(1.0 - tilt**2)
    kink = 0.5 * np.linalg.norm(-across[0] + across[1])
    force, most = edge_sliding.side_force(0.0, mu, a @ edge, r[0], b @ edge, r[1], kink)
    assert not says or abs(force) <= most * (1.0 + 1e-12)
    held += abs(force) <= most
    close += says
print(close / held)
"""


def run_plain(code: str) -> str:
    """Run code with the kernels as plain Python, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_all_that_is_left_alone_would_have_stayed_the_same() -> None:
    """Loads swing along the cylinder, smooth and rough; one draws the wire over it."""
    assert float(run_plain(LOOKED_AT)) < 0.5


def test_the_last_span_ends_at_the_last_node_when_a_node_comes() -> None:
    """The load swings, and rope lies on more edges: unused room goes along with its end."""
    scene = load_scene("wire_over_cylinder", load=1e4, wire=1.0, facets=40)
    left, right = scene.bodies
    left = replace(left, velocity=(2.0, 0.0, 0.0))
    simulator = Simulator(replace(scene, bodies=(left, right)), dt=H)
    length, position = simulator._work.spans.length, simulator._work.nodes.position
    counts = []
    for _ in range(60):
        simulator.step(1)
        used = int((simulator._state.nodes.contact_solid != UNUSED).sum()) + 1
        np.testing.assert_array_equal(position[used], position[-1])
        spans = np.linalg.norm(np.diff(position[: used + 1], axis=0), axis=1)
        np.testing.assert_allclose(length[:used], spans, rtol=1e-12)
        counts.append(used)
    assert max(np.diff(counts)) > 0


def test_an_account_that_has_faded_is_gone() -> None:
    """It is zero, not the smallest of numbers, with which processors take long."""
    simulator = Simulator(load_scene("wire_over_cylinder", load=1e4, wire=1.0), dt=H)
    offsets = simulator._state.nodes.path_offset
    offsets[0] = -1e-3
    simulator.step(60)
    left = (1.0 + H * simulator._model.wires.fading[0]) ** -60
    assert -1e-3 * left < offsets.sum() < -0.5e-3 * left  # rope that moves takes up some
    simulator.step(2400)
    assert (offsets == 0.0).all()


def test_what_is_taken_for_held_is_held() -> None:
    """And most of what is held is taken for it."""
    assert float(run_plain(BOUND)) > 0.95


def test_the_rows_of_a_rough_wire_are_those_of_a_dense_system() -> None:
    """Masses, two loads, and segments between nodes that stick: impulses solve all rows at once."""
    scene = load_scene("wire_over_cylinder", load=20.0, wire=20.0, facets=20, friction=0.3)
    simulator = Simulator(scene, dt=H)
    simulator.step(60)
    segments = simulator._work.segments
    model = simulator._model
    count = int(segments.segment_count[0])
    number = segments.number[:count]
    row = segments.mark[:count, ROW]
    taut = np.flatnonzero(row > SLACK)
    assert (row == FROZEN).sum() >= 3 and (row >= 0).sum() == 2 and taut.size > 6
    jacobian = np.zeros((count, 12))
    inverse = np.zeros((12, 12))
    for b in (1, 2):
        at = slice(6 * b - 6, 6 * b)
        inverse[at, at][:3, :3] = model.bodies.inverse_mass[b] * np.eye(3)
        inverse[at, at][3:, 3:] = simulator._work.bodies.inverse_inertia[b]
        for i in np.flatnonzero(row >= 0):
            for e in range(*model.rows.entry_start[row[i] : row[i] + 2]):
                if model.rows.entry_body[e] == b:
                    jacobian[i, at] += simulator._work.rows.jacobian[e]
    matrix = np.diag(number[:, DIAGONAL]) + jacobian @ inverse @ jacobian.T
    for i in range(1, count):
        matrix[i, i - 1] = matrix[i - 1, i] = number[i, OFF]
    impulse = np.where(row > SLACK, number[:, IMPULSE], 0.0)
    velocity = simulator._work.bodies.next_velocity[1:3].ravel()
    free = velocity - inverse @ jacobian.T @ impulse
    demand = number[:, DEMAND] - jacobian @ free
    dense = np.linalg.solve(matrix[np.ix_(taut, taut)], demand[taut])
    np.testing.assert_allclose(dense, impulse[taut], rtol=1e-9)
