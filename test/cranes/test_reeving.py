"""Reeving: number of falls, level runs, forces in balance on trolley and hook block, and the
block's yaw."""

import dataclasses
import math

import numpy as np
import pytest

from cable_sim.cranes import load_crane
from cable_sim.cranes.rigging.reeving import fall_spans, resting_yaw, uprightness, yaw_torque
from cable_sim.spec import Drum, Sheave

N_FALLS = pytest.mark.parametrize("n", [2, 4])


def tower(n, swivel=False):
    """The hoist rope of a tower crane."""
    changes = {"reeving.n_falls": n, "reeving.swivel": swivel}
    return load_crane("tower_12t", changes).scene.cables[0]


def origins(radius, depth=40.0):
    """Frames of a crane whose block has its axle that far below the trolley sheaves."""
    return {
        "jib": (0.0, 0.0, 0.0),
        "trolley": (radius, 0.0, 0.0),
        "hook_block": (radius, 0.0, -depth - 0.4),
    }


def path_points(nodes, at):
    """Return the points of the path (n, 3) [m], with the bodies upright at their origins [m]."""
    return np.array([np.add(at[node.body], node.position) for node in nodes])


def seen_from_block(nodes, depth=40.0):
    """The path from the block's centre of mass, and what of it is on the block."""
    at = origins(20.0, depth)
    points = path_points(nodes, at) - at["hook_block"]
    return points, np.array([node.body == "hook_block" for node in nodes])


def pulls(nodes, points, body):
    """Force and torque about the body's origin that a rope of unit tension exerts on a body."""
    force, torque = np.zeros(3), np.zeros(3)
    for i, node in enumerate(nodes):
        if node.body != body:
            continue
        for j in (i - 1, i + 1):
            if 0 <= j < len(nodes):
                along = points[j] - points[i]
                pull = along / np.linalg.norm(along)
                force += pull
                torque += np.cross(node.position, pull)
    return force, torque


@N_FALLS
def test_the_falls_are_counted_from_the_path(n):
    assert len(fall_spans(tower(n).nodes)) == n


@N_FALLS
def test_trolleying_does_not_lift_the_hook(n):
    nodes = tower(n).nodes
    lengths = []
    for radius in (2.8, 20.0, 69.5):
        points = path_points(nodes, origins(radius))
        lengths.append(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    assert lengths == pytest.approx([lengths[0]] * 3, rel=1e-12)


@pytest.mark.parametrize(("n", "across"), [(2, 0.4), (4, 1.2 + 3 * 0.4)])
def test_rope_outside_the_falls_is_level_plus_crossings(n, across):
    nodes = tower(n).nodes
    lengths = np.linalg.norm(np.diff(path_points(nodes, origins(20.0)), axis=0), axis=1)
    outside = lengths.sum() - lengths[list(fall_spans(nodes))].sum()
    assert outside == pytest.approx(80.0 + across, rel=1e-12)
    assert isinstance(nodes[0], Drum)
    assert nodes[0].position[0] == pytest.approx(-10.0)


@N_FALLS
def test_the_level_runs_are_level_and_straight(n):
    nodes = tower(n).nodes
    points = path_points(nodes, origins(20.0))
    on_top = [p for p, node in zip(points, nodes, strict=True) if node.body != "hook_block"]
    assert all(p[2] == 0.0 for p in on_top)
    first, last = points[2] - points[0], points[-1] - points[-2]
    assert first[1] == first[2] == last[1] == last[2] == 0.0
    assert first[0] > 0.0
    assert last[0] > 0.0


@N_FALLS
def test_even_tension_pulls_trolley_and_block_only_vertically(n):
    nodes = tower(n).nodes
    points = path_points(nodes, origins(20.0))
    force, _ = pulls(nodes, points, "trolley")
    assert force[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert -n < force[2] < -0.999 * n
    force, torque = pulls(nodes, points, "hook_block")
    assert force[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert 0.999 * n < force[2] < n
    assert torque == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


@N_FALLS
def test_holding_tension_balances_a_weight(n):
    nodes = tower(n).nodes
    points = path_points(nodes, origins(20.0, depth=3.0))
    tension = 1000.0 / uprightness(points, fall_spans(nodes))
    force, _ = pulls(nodes, path_points(nodes, origins(20.0, depth=3.0)), "hook_block")
    assert tension * force[2] == pytest.approx(1000.0, rel=1e-12)
    assert tension > 1000.0 / n  # the falls are not quite upright


@pytest.mark.parametrize(("n", "wheels"), [(2, 4), (4, 6)])
def test_every_wheel_has_its_loss_once(n, wheels):
    nodes = tower(n).nodes
    sheaves = [node for node in nodes if isinstance(node, Sheave)]
    assert len(sheaves) == wheels
    assert {node.efficiency for node in sheaves} == {0.98}


@N_FALLS
def test_a_swivel_sits_at_the_dead_end_and_nowhere_else(n):
    nodes = tower(n, swivel=True).nodes
    assert [getattr(node, "swivel", False) for node in nodes] == [False] * (len(nodes) - 1) + [True]
    assert not any(getattr(node, "swivel", False) for node in tower(n).nodes)


@pytest.mark.parametrize(("n", "spread"), [(2, 1.2 * 0.4), (4, 1.2 * 0.4 + 0.4**2)])
def test_yaw_torque_by_hand(n, spread):
    """Falls of 60 m turned by 0.3 rad: W spread sin(yaw) / (4 h) back, with spread four times the
    mean of p . q.

    The rope's own: n k_t d T onward, and n^2 GJ / L yaw back.
    """
    cable, weight, h, yaw = tower(n), 50e3, 60.0, 0.3
    path = seen_from_block(cable.nodes, h)
    dead = dataclasses.replace(cable.rope, torque_factor=0.0, torsional_rigidity=1e-9)
    soft = cable.rope
    restoring = weight * spread * math.sin(yaw) / (4.0 * h)
    assert yaw_torque(*path, dead, weight, yaw) == pytest.approx(-restoring, rel=1e-3)
    assert yaw_torque(*path, dead, weight, -yaw) == pytest.approx(restoring, rel=1e-3)
    length = 80.0 + n * h + {2: 0.4, 4: 2.4}[n]
    own = 0.0076 * 0.016 * weight - n**2 * soft.gj / length * yaw
    assert yaw_torque(*path, soft, weight, yaw) == pytest.approx(own - restoring, rel=2e-3)


@N_FALLS
def test_at_the_resting_yaw_the_torques_are_in_balance(n):
    cable = tower(n)
    path = seen_from_block(cable.nodes)
    rope = dataclasses.replace(cable.rope, construction="6x36ws_iwrc")
    yaw = resting_yaw(*path, rope, 50e3)
    assert 0.2 < yaw < 0.6
    assert yaw_torque(*path, rope, 50e3, 0.0) > 50.0
    assert yaw_torque(*path, rope, 50e3, yaw) == pytest.approx(0.0, abs=1e-9)
    assert resting_yaw(*path, dataclasses.replace(rope, torque_factor=0.0), 50e3) == pytest.approx(
        0.0
    )
