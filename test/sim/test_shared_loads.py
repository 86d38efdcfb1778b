"""Slings that cannot stretch on a rigid load: each has the share of equally soft ropes, in every
step.

Oracle: of all tensions T >= 0 that hold hooks and load, those with the least sum of L T^2, for a
stretch energy of L T^2 / 2 EA each.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls
from transforms3d.quaternions import quat2mat

from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator, Sphere, equilibrium
from cable_sim.kernels.status import LOST_PIVOT

G = 9.81
STEPS = [2.5e-4, 1e-3, 1e-2, 1 / 60]
STEPPERS = ["spook", "regularised"]
LOAD = 4000.0
HOOK = 200.0


def ring(count: int, random: np.random.Generator | None = None) -> list[tuple[float, ...]]:
    """Return corners of a load around its middle: a regular polygon, or one at random."""
    turns = 2.0 * math.pi * (np.arange(count) + 0.5) / count
    radii = np.full(count, 1.8)
    if random is not None:
        turns = turns + random.uniform(-0.3, 0.3, count)
        radii = random.uniform(0.6, 2.5, count)
    heights = np.full(count, 0.5) if random is None else random.uniform(-0.4, 0.5, count)
    return [
        (r * math.cos(a), r * math.sin(a), z) for r, a, z in zip(radii, turns, heights, strict=True)
    ]


def slung(hooks: list[tuple[float, list]], load: float = LOAD) -> Scene:
    """Return a load on slings from hooks above it, at x, to the given corners of each."""
    bodies = [Body("load", load, shape=Box(3.0, 2.0, 1.0), position=(0.0, 0.0, -13.5))]
    cables = []
    for i, (x, corners) in enumerate(hooks):
        bodies.append(Body(f"hook_{i}", HOOK, shape=Sphere(0.2), position=(x, 0.0, -10.0)))
        cables.append(Cable(f"hoist_{i}", [Anchor("world", (x, 0.0, 0.0)), Anchor(f"hook_{i}")]))
        cables += [
            Cable(f"sling_{i}_{k}", [Anchor(f"hook_{i}"), Anchor("load", corner)])
            for k, corner in enumerate(corners)
        ]
    return Scene(bodies=bodies, cables=cables)


def least_tensions(scene: Scene) -> dict[str, float]:
    """Return the tensions at rest with the least stretch energy of equal ropes."""
    place = {body.name: np.array(body.position) for body in scene.bodies}
    columns, lengths = [], []
    for cable in scene.cables:
        near, far = (
            place.get(node.body, np.zeros(3)) + np.array(node.position) for node in cable.nodes
        )
        along = (far - near) / np.linalg.norm(far - near)
        lengths.append(np.linalg.norm(far - near))
        column = {name: np.zeros(6) for name in place}
        for node, point, pull in ((cable.nodes[0], near, along), (cable.nodes[1], far, -along)):
            if node.body in place:
                column[node.body] += [*pull, *np.cross(point - place[node.body], pull)]
        columns.append(np.concatenate(list(column.values())))
    weight = np.concatenate([[0.0, 0.0, G * body.mass, 0.0, 0.0, 0.0] for body in scene.bodies])
    roots = np.sqrt(np.array(lengths) / max(lengths))
    balance = 1e5 * np.array(columns).T / roots
    shares, _ = nnls(np.vstack([balance, np.eye(roots.size)]), np.r_[1e5 * weight, 0.0 * roots])
    return {cable.name: t for cable, t in zip(scene.cables, shares / roots, strict=True)}


def tensions(simulator: Simulator) -> np.ndarray:
    names = [cable.name for cable in simulator.scene.cables]
    return np.array([float(simulator.cables[name].tension) for name in names])


def scenes() -> dict[str, Scene]:
    random = np.random.default_rng(49)
    found = {str(count): slung([(0.0, ring(count))]) for count in (3, 4, 6, 8)}
    for count in (3, 4, 6, 8):
        found[f"{count} askew"] = slung([(0.0, ring(count, random))])
    near, far = ring(4), ring(4, random)
    shifted = [[(x + at, y, z) for x, y, z in some] for at, some in ((-4.0, near), (3.0, far))]
    found["two hooks"] = slung([(-4.0, shifted[0]), (3.0, shifted[1])])
    return found


SCENES = scenes()


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("name", SCENES)
def test_slings_at_rest_share_as_equal_ropes_do(name: str, dt: float, stepper: str) -> None:
    scene = SCENES[name]
    right = np.array(list(least_tensions(scene).values()))
    if name == "4":
        each = LOAD * G / (4.0 * math.cos(math.atan2(1.8, 3.0)))
        np.testing.assert_allclose(right, [(LOAD + HOOK) * G, *4 * [each]], rtol=1e-9)
    simulator = Simulator(scene, dt=dt, stepper=stepper)
    seen = [simulator.observe().tension(cable.name) for cable in scene.cables]
    np.testing.assert_allclose(seen, right, rtol=1e-6, atol=1e-6 * LOAD)
    for _ in range(300):
        assert simulator.step().status == 0
        np.testing.assert_allclose(tensions(simulator), right, rtol=1e-6, atol=1e-6 * LOAD)
        assert simulator.report.residual < 1e-6


@pytest.mark.parametrize("name", ["4", "6 askew", "two hooks"])
def test_equilibrium_and_the_sparse_solver_share_alike(name: str) -> None:
    scene = SCENES[name]
    right = np.array(list(least_tensions(scene).values()))
    found = equilibrium(scene).observation
    seen = [found.tension(cable.name) for cable in scene.cables]
    np.testing.assert_allclose(seen, right, rtol=1e-6, atol=1e-6 * LOAD)
    simulator = Simulator(scene, solver="sparse")
    for _ in range(20):
        assert simulator.step().status == 0
        np.testing.assert_allclose(tensions(simulator), right, rtol=1e-6, atol=1e-6 * LOAD)


def test_equilibrium_of_a_load_that_hangs_askew_shares_as_well() -> None:
    """Its middle is not below the hook at the start."""
    scene = slung([(0.0, [(x + 0.4, y, z) for x, y, z in ring(4)])])
    found = equilibrium(scene)
    seen = np.array([found.observation.tension(f"sling_0_{k}") for k in range(4)])
    points = [np.array(cable.nodes[1].position) for cable in scene.cables[1:]]
    hook = found.observation.body("hook_0").position
    load = found.observation.body("load")
    turn = quat2mat(load.orientation)
    ends = [load.position + turn @ point for point in points]
    pulls = np.array([(hook - end) / np.linalg.norm(hook - end) for end in ends])
    np.testing.assert_allclose(pulls.T @ seen, (0.0, 0.0, LOAD * G), atol=1e-4 * LOAD)
    apart = np.linalg.svd(pulls.T)[2][-1]
    lengths = np.linalg.norm(np.array(ends) - hook, axis=1)
    assert abs(apart @ (lengths * seen)) < 1e-6 * (lengths * seen).max()


@pytest.mark.parametrize("stepper", STEPPERS)
@pytest.mark.parametrize("dt", [1e-3, 1e-2, 1 / 60])
def test_slings_share_while_the_load_swings(dt: float, stepper: str) -> None:
    """Four slings have one way to pull against each other: L T has nothing of it."""
    scene = slung([(0.0, ring(4, np.random.default_rng(3)))])
    spin = np.array([0.05, -0.11, 0.0])
    bodies = [
        replace(body, velocity=tuple(np.cross(spin, body.position)), angular_velocity=tuple(spin))
        for body in scene.bodies
    ]
    simulator = Simulator(replace(scene, bodies=bodies), dt=dt, stepper=stepper)
    points = [np.array(cable.nodes[1].position) for cable in scene.cables[1:]]
    lengths = np.linalg.norm(np.array(points) - (0.0, 0.0, 3.5), axis=1)
    pulls = ((0.0, 0.0, 3.5) - np.array(points)) / lengths[:, None]
    apart = np.linalg.svd(pulls.T)[2][-1]
    for _ in range(round(3.0 / dt)):
        assert simulator.step().status == 0
        seen = tensions(simulator)[1:]
        assert seen.min() > 0.0
        assert abs(apart @ (lengths * seen)) < 1e-6 * (lengths * seen).max()


@pytest.mark.parametrize("dt", [1e-3, 1 / 60])
@pytest.mark.parametrize("spare", [1e-3, 1e-6])
def test_a_sling_that_is_longer_carries_nothing(spare: float, dt: float) -> None:
    """A millimetre or a micrometre that a real rope would stretch is slack of a rigid one."""
    scene = slung([(0.0, ring(4))])
    length = math.hypot(1.8, 3.0) + spare
    cables = [*scene.cables[:-1], replace(scene.cables[-1], length=length)]
    simulator = Simulator(replace(scene, cables=cables), dt=dt)
    each = LOAD * G / (2.0 * math.cos(math.atan2(1.8, 3.0)))
    simulator.step(300)
    np.testing.assert_allclose(
        tensions(simulator)[1:], (each, 0.0, each, 0.0), rtol=1e-3, atol=1e-3 * each
    )


@pytest.mark.parametrize("share", [1.0, 1e-5])
def test_what_hangs_beside_heavier_things_shares_alike(share: float) -> None:
    """The softness is that of a scene in which masses differ by a million."""
    scene = slung([(0.0, ring(4))], load=LOAD * share)
    hooks = [replace(body, mass=min(body.mass, 100.0 * LOAD * share)) for body in scene.bodies]
    heavy = Body("heavy", 1e6 * share, shape=Sphere(0.5), position=(5.0, 0.0, -9.0))
    rope = Cable("rope", [Anchor("world", (5.0, 0.0, 0.0)), Anchor("heavy")])
    scene = replace(scene, bodies=[*hooks, heavy], cables=[*scene.cables, rope])
    right = np.array(list(least_tensions(scene).values()))
    simulator = Simulator(scene)
    for _ in range(100):
        assert simulator.step().status == 0
        np.testing.assert_allclose(tensions(simulator), right, rtol=1e-6, atol=1e-6 * LOAD * share)


@pytest.mark.parametrize("solver", ["envelope", "sparse"])
def test_ropes_that_contradict_each_other_are_told(solver: str) -> None:
    """A body between two ropes whose other ends go apart: no speed satisfies both."""
    bodies = [
        Body("above", 1.0, shape=Sphere(0.1), velocity=(0.0, 0.0, 0.1), motion="prescribed"),
        Body("body", 10.0, shape=Sphere(0.1), position=(0.0, 0.0, -2.0)),
        Body("below", 1.0, shape=Sphere(0.1), position=(0.0, 0.0, -4.0), motion="prescribed"),
    ]
    ropes = [
        Cable("up", [Anchor("above"), Anchor("body")]),
        Cable("down", [Anchor("body"), Anchor("below")]),
    ]
    simulator = Simulator(Scene(bodies=bodies, cables=ropes), solver=solver)
    assert simulator.step(10).status & LOST_PIVOT
    assert "contradict" in simulator.explain()
    bodies[0] = replace(bodies[0], velocity=(0.0, 0.0, 0.0))
    assert Simulator(Scene(bodies=bodies, cables=ropes), solver=solver).step(10).status == 0
