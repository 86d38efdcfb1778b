"""Cables made of masses in the engine: beside dense linear algebra, momentum, weights, and what is
refused."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import quat2mat

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere, Winch, load_scene
from cable_sim.errors import ModelError, SpecError, StepError
from cable_sim.kernels.records.arrays import arrays_by_name
from cable_sim.spec import Drive, Elevation, Eye, Ground, Loose, Lumped

G = 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)
INERTIA = (0.7, 0.9, 1.3)


def between(ea: float | None = 2000.0, motion: str = "dynamic", **made: object) -> Scene:
    """A slack chain between two bodies, off their centres, that turn and move."""
    spin = {"velocity": (0.3, -0.4, 0.2), "angular_velocity": (1.0, 2.0, -1.5)}
    return Scene(
        bodies=(
            Body("a", 2.0, inertia=INERTIA, **spin),
            Body(
                "b",
                3.0,
                inertia=INERTIA,
                position=(2.0, 0.3, 0.1),
                motion=motion,
                velocity=(-0.5, 0.1, 0.6),
            ),
        ),
        cables=(
            Cable(
                "rope",
                (Anchor("a", (0.2, 0.1, -0.1)), Anchor("b", (-0.1, 0.2, 0.3))),
                ea=ea,
                length=2.4,
                lumped=Lumped(9, density=0.8, **made),
            ),
        ),
    )


def shaken(simulator: Simulator, seed: int = 1, amount: float = 0.1) -> None:
    """Give all masses velocities, and displacements of some ``amount`` [m]."""
    snapshot, random = simulator.save(), np.random.default_rng(seed)
    snapshot.state.particles.position[1:-1] += amount * random.normal(size=(7, 3))
    snapshot.state.particles.velocity[1:-1] += random.normal(size=(7, 3))
    simulator.restore(snapshot)


def dense_step(
    simulator: Simulator, scene: Scene, h: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Velocities of the bodies and of the masses, and the impulses, from the whole system at once.

    Unknowns: six of each body, three of each of the 7 masses; 8 segments by eq. 7-10 of Servin et
    al. 2011 with the sign of eq. 8 corrected; stiff ones calmed as ``chain.py`` has it, and the
    part b of the rate at the start damped. Poses are those of the state, half a step ahead.
    """
    state = simulator.save().state
    cable = scene.cables[0]
    x, v, count = state.particles.position, state.particles.velocity, 9
    inverse, velocity = np.zeros((33, 33)), np.zeros(33)
    turns = [quat2mat(state.bodies.orientation[i + 1]) for i in range(2)]
    for i, body in enumerate(scene.bodies):
        moves = body.motion == "dynamic"
        linear, angular = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        inverse[linear, linear] = moves / body.mass * np.eye(3)
        inverse[angular, angular] = turns[i] @ np.diag(moves / np.array(INERTIA)) @ turns[i].T
        velocity[6 * i : 6 * i + 6] = state.bodies.velocity[i + 1]
    w = 8.0 / (0.8 * 2.4)
    inverse[12:, 12:], velocity[12:] = w * np.eye(21), v[1:-1].ravel()
    falling = np.zeros(33)
    falling[14::3] = -h * G
    velocity_map = np.zeros((3 * count, 33))
    velocity_map[3:-3, 12:] = np.eye(21)
    for node, (i, rows) in zip(cable.nodes, ((0, slice(0, 3)), (1, slice(-3, None))), strict=True):
        rx, ry, rz = turns[i] @ node.position
        cross = np.array([[0.0, rz, -ry], [-rz, 0.0, rx], [ry, -rx, 0.0]])  # w x r = (-[r]x) w
        velocity_map[rows, 6 * i : 6 * i + 3], velocity_map[rows, 6 * i + 3 : 6 * i + 6] = (
            np.eye(3),
            cross,
        )
        if scene.bodies[i].motion == "dynamic":  # half a segment moves with the point
            own = slice(6 * i, 6 * i + 6)
            point = velocity_map[rows, own]
            down = np.array([0.0, 0.0, -h * G])
            weight = np.append(scene.bodies[i].mass * down, np.zeros(3)) + point.T @ down / (
                2.0 * w
            )
            inverse[own, own] = np.linalg.inv(
                np.linalg.inv(inverse[own, own]) + point.T @ point / (2.0 * w)
            )
            falling[own] = inverse[own, own] @ weight
    points = x.copy()
    points[[0, -1]] = [
        state.bodies.position[i + 1] + turns[i] @ node.position
        for i, node in enumerate(cable.nodes)
    ]
    reach = np.diff(points, axis=0)
    length = np.linalg.norm(reach, axis=1)
    jacobian = np.zeros((8, 27))
    for k in range(8):
        jacobian[k, 3 * k : 3 * k + 3], jacobian[k, 3 * k + 3 : 3 * k + 6] = (
            reach[k] / length[k],
            -reach[k] / length[k],
        )
    jacobian = jacobian @ velocity_map
    compliance = 0.3 / cable.ea if cable.ea else 0.0
    moves = w * np.array([1.0, *[2.0] * 6, 1.0])
    calming = 0.25 * (np.sqrt(3.0) - 1.0) * h * (1.0 - 0.25 * compliance / (2.0 * h**2 * moves))
    gamma = np.maximum(calming, 0.0) if cable.ea else np.full(8, 2.0 * h)
    early = 0.5 * np.minimum(1.0, 0.25 * compliance / (h * (h + gamma) * 2.0 * moves))
    weight = 1.0 / (1.0 + 4.0 * (1.0 - early) * gamma / h)
    softness = 4.0 * compliance * weight / h**2
    rate = jacobian @ velocity
    rhs = weight * ((1.0 - 4.0 * early * gamma / h) * rate - 4.0 * (0.3 - length) / h)
    free = velocity + falling
    system = jacobian @ inverse @ jacobian.T + np.diag(softness)
    impulse = np.linalg.solve(system, rhs - jacobian @ free)
    after = free + inverse @ jacobian.T @ impulse
    return after[:12], after[12:], impulse


@pytest.mark.parametrize("solver", ["envelope", "sparse"])
@pytest.mark.parametrize("motion", ["dynamic", "prescribed"])
@pytest.mark.parametrize(
    ("ea", "amount", "seed"),
    [(2000.0, 0.1, 1), (2000.0, 0.0, 1), (None, 0.1, 1), (None, 0.1, 7), (None, 0.0, 1)],
)
def test_a_condensed_chain_is_the_dense_system(
    ea: float | None, amount: float, seed: int, motion: str, solver: str
) -> None:
    """Positions, velocities of all and tensions to 1e-9, also of a rigid chain: a coupling through
    a body is exact.

    Crumpled, the chain hardly couples its ends, with either sign (seed 7 has the other one); in the
    curve in which it hangs it does.
    """
    h, scene = 0.01, between(ea, motion)
    rod = dataclasses.replace(scene.cables[0], pulls_only=False)
    scene = dataclasses.replace(scene, cables=(rod,))
    simulator = Simulator(scene, dt=h, solver=solver)
    shaken(simulator, seed, amount)
    before = simulator.save().state.particles.position.copy()
    bodies, masses, impulse = dense_step(simulator, scene, h)
    simulator.step()
    state, seen = simulator.save().state, simulator.observe()
    np.testing.assert_allclose(
        seen.body_velocity.ravel(), bodies.reshape(2, 6)[:, :3].ravel(), atol=1e-9
    )
    np.testing.assert_allclose(state.particles.velocity[1:-1].ravel(), masses, atol=1e-9)
    np.testing.assert_allclose(
        state.particles.position[1:-1], before[1:-1] + h * masses.reshape(-1, 3), atol=1e-9
    )
    np.testing.assert_allclose(state.particles.segment_impulse[:-1], impulse, rtol=1e-9)
    np.testing.assert_allclose(seen.cable("rope").span_tension[1:-1], impulse[1:-1] / h, rtol=1e-9)


def total(simulator: Simulator, scene: Scene) -> np.ndarray:
    """Momentum of bodies and masses, and of momentum about the origin."""
    seen, model, state = simulator.observe(), simulator._model, simulator.save().state
    momentum, moment = np.zeros(3), np.zeros(3)
    for i, body in enumerate(scene.bodies):
        momentum += body.mass * seen.body_velocity[i]
        moment += np.cross(seen.body_position[i], body.mass * seen.body_velocity[i])
        moment += 0.4 * body.mass * 0.1**2 * seen.body_angular_velocity[i]
    pushes = model.ropes.particle_mass[:, None] * state.particles.velocity
    return np.concatenate(
        [momentum + pushes.sum(axis=0), moment + np.cross(state.particles.position, pushes).sum(0)]
    )


@pytest.mark.parametrize("made", [{}, {"method": "springs", "friction": 0.5}])
def test_bodies_and_rope_keep_their_momentum(made: dict) -> None:
    """Two balls on a rope without weight or air: momentum and angular momentum to rounding, with
    either method."""
    scene = Scene(
        bodies=(
            Body("a", 2.0, shape=Sphere(0.1), velocity=(0.3, -0.4, 0.2)),
            Body("b", 3.0, shape=Sphere(0.1), position=(2.0, 0.3, 0.1), velocity=(-0.5, 0.1, 0.6)),
        ),
        cables=(
            Cable(
                "rope",
                (Anchor("a"), Anchor("b")),
                ea=2000.0,
                length=2.1,
                lumped=Lumped(9, density=0.8, **made),
            ),
        ),
        gravity=WEIGHTLESS,
    )
    simulator = Simulator(scene, dt=1e-3)
    shaken(simulator)
    start = total(simulator, scene)
    simulator.step(2000)
    np.testing.assert_allclose(total(simulator, scene), start, atol=1e-11)


def hanging(load: float, masses: int, ea: float | None = 1e6, **made: object) -> Scene:
    """A load on 10 m of rope of 1 kg/m, straight down."""
    return Scene(
        bodies=(Body("load", load, shape=Sphere(0.2), position=(0.0, 0.0, -10.2)),),
        cables=(
            Cable(
                "rope",
                (Anchor("world"), Anchor("load", (0.0, 0.0, 0.2))),
                ea=ea,
                damping_time=None if made else 0.02,
                lumped=Lumped(masses, density=1.0, **made),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("load", "ea", "masses"), [(1.0, 1e6, 11), (100.0, 1e6, 11), (1e5, 1e9, 5)]
)
def test_a_heavy_load_on_a_chain(load: float, ea: float, masses: int) -> None:
    """Up to 10,000 times the rope's weight: the weights above and below, and the static stretch."""
    simulator = Simulator(hanging(load, masses, ea), dt=0.01 if load < 1e3 else 1e-3)
    simulator.step(2000)
    seen = simulator.observe().cable("rope")
    assert seen.tension == pytest.approx((load + 10.0) * G, rel=1e-3)
    assert seen.tension_dead_end == pytest.approx(load * G, rel=1e-3)
    np.testing.assert_allclose(
        seen.node_force[:, 2], (-seen.tension, seen.tension_dead_end), rtol=1e-6
    )
    assert seen.length == pytest.approx(10.0 * (1.0 + (load + 5.0) * G / ea), rel=1e-5)
    assert not seen.slack and seen.length_paid_out == 10.0
    assert seen.curve.shape[0] == len(seen.span_tension) + 1 and list(seen.curve_nodes) == [
        0,
        len(seen.curve) - 1,
    ]


def test_a_load_on_springs() -> None:
    """Comes to rest by friction under the same weights."""
    simulator = Simulator(
        hanging(20.0, 11, 1e4, method="springs", friction=2000.0, air_friction=0.1), dt=1e-3
    )
    simulator.step(8000)
    seen = simulator.observe().cable("rope")
    assert seen.tension == pytest.approx(30.0 * G, rel=1e-4)
    assert seen.length == pytest.approx(10.0 * (1.0 + 25.0 * G / 1e4), rel=1e-4)


def test_a_chain_between_two_points_hangs_as_a_catenary() -> None:
    """It starts in it, and stays: the horizontal tension is that of the catenary, and energy hardly
    changes."""
    ends = (Anchor("world"), Anchor("world", (6.0, 0.0, 1.0)))
    scene = Scene(cables=(Cable("rope", ends, length=8.0, lumped=Lumped(81, density=2.0)),))
    simulator = Simulator(scene, dt=1e-3)
    before = simulator.observe().cable("rope").curve
    assert np.linalg.norm(np.diff(before, axis=0), axis=1).sum() == pytest.approx(8.0, rel=1e-3)
    simulator.step(1000)
    seen = simulator.observe().cable("rope")
    np.testing.assert_allclose(seen.curve, before, atol=0.02)
    ratio = math.sqrt(8.0**2 - 1.0) / 6.0
    u = next(u for u in np.linspace(0.01, 5.0, 100_000) if math.sinh(u) / u >= ratio)
    assert abs(seen.node_force[0, 0]) == pytest.approx(2.0 * G * 6.0 / (2.0 * u), rel=0.03)
    assert -seen.node_force[:, 2].sum() == pytest.approx(16.0 * G, rel=0.03)


def test_a_rope_thrown_flies_as_a_stone() -> None:
    """Both ends loose."""
    scene = Scene(
        cables=(
            Cable("rope", (Loose((0, 0, 5)), Loose((1, 0, 5))), lumped=Lumped(11, density=1.0)),
        )
    )
    simulator = Simulator(scene, dt=1e-3)
    simulator.step(500)
    seen = simulator.observe()
    np.testing.assert_allclose(
        seen.cable("rope").node_position[:, 2], 5.0 - 0.5 * G * 0.5**2, rtol=1e-12
    )
    assert seen.cable("rope").node_force.tolist() == [[0.0] * 3] * 2
    assert seen.energy.kinetic == pytest.approx(0.5 * (0.5 * G) ** 2)


def test_what_drags_a_rope_over_the_ground_feels_its_friction() -> None:
    """A hand at a constant speed at the height of the ground: mu m g, once the rope is straight."""
    scene = Scene(
        bodies=(Body("hand", shape=Sphere(0.1), motion="prescribed", velocity=(0.5, 0.0, 0.0)),),
        cables=(
            Cable(
                "rope",
                (Anchor("hand"), Loose((-3.0, 0.0, 0.0))),
                lumped=Lumped(31, density=1.0, ground=Ground(friction=0.4)),
            ),
        ),
    )
    simulator = Simulator(scene, dt=1e-3)
    simulator.step(1000)
    assert simulator.observe().cable("rope").tension == pytest.approx(0.4 * 3.0 * G, rel=0.02)


def test_a_hook_carries_the_hanging_rope_and_drags_the_rest() -> None:
    """Half of 6 kg hangs, straight down; then the rest follows the trolley."""
    simulator = Simulator(load_scene("chain_on_hook"), dt=1e-3)
    simulator.step(500)
    seen = simulator.observe()
    np.testing.assert_allclose(
        seen.cable("rope").node_force[0], (0.0, 0.0, -3.0 * G), rtol=0.01, atol=0.3
    )
    assert seen.cable("fall").tension == pytest.approx(23.0 * G, rel=0.01)
    simulator.step(9500)
    seen = simulator.observe()
    rope = seen.cable("rope")
    assert (
        rope.curve[-1, 0] > -1.5
        and seen.body("hook").position[0] < seen.body("trolley").position[0]
    )
    assert rope.length == pytest.approx(6.0, abs=1e-3) and rope.curve[:, 2].min() > -1e-3
    assert seen.report.status == 0


def test_readings_beside_another_cable() -> None:
    """Other cables beside a rope made of masses keep their own readings, tensions stand between the
    masses."""
    seen = Simulator(load_scene("chain_on_hook")).observe()
    assert len(seen.cable("fall").span_tension) == 1 and list(seen.cable("fall").tension_nodes) == [
        0,
        1,
    ]
    assert len(seen.cable("rope").span_tension) == 60 and list(
        seen.cable("rope").tension_nodes
    ) == list(range(61))


TWO = (Anchor("world"), Loose((1.0, 0.0, 0.0)))
MADE = Lumped(5, density=1.0)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"nodes": (Anchor("world"), Eye("world"), Loose())}, "nodes anchor eye loose lumped"),
        ({"winch": Winch("w")}, "winch lumped fixed length"),
        ({"touches": ("box",)}, "touches lumped"),
        ({"twist": 1.0}, "twist 1.0 lumped"),
        ({"elevation": Elevation(1.0)}, "elevation lumped"),
        ({"ea": 1.0, "pretension": 3.0}, "pretension 3.0 lumped length"),
        ({"lumped": Lumped(5)}, "lumped density mass per length"),
        ({"lumped": Lumped(5, "springs", 1.0)}, "segment_stiffness None"),
        ({"lumped": Lumped(5, "springs", 1.0, 9.0), "ea": 3.0}, "segment_stiffness 9.0 ea"),
        ({"lumped": None}, "nodes.1 loose first last"),
    ],
)
def test_what_does_not_go_together_is_refused(fields: dict, complaint: str) -> None:
    with pytest.raises(SpecError, match=naming(complaint)):
        Cable(**{"name": "rope", "nodes": TWO, "lumped": MADE, **fields})


@pytest.mark.parametrize(
    ("build", "complaint"),
    [
        (lambda: Lumped(2), "masses 2"),
        (lambda: Lumped(5, friction=0.1), "friction 0.1 method 'chain'"),
        (lambda: Lumped(5, "tutorial", bending=0.1), "bending 0.1 method 'tutorial'"),
        (lambda: Lumped(5, "springs", ground=Ground()), "repulsion method 'springs'"),
        (lambda: Lumped(5, ground=Ground(repulsion=3.0)), "ground hard"),
        (lambda: Ground(normal=(0, 0, 0)), "direction"),
        (
            lambda: Scene(
                cables=(Cable("rope", TWO, lumped=MADE),), drives=(Drive("d", on="rope"),)
            ),
            "drive 'd'",
        ),
    ],
)
def test_specs_explain_what_is_wrong(build, complaint: str) -> None:
    with pytest.raises(SpecError, match=naming(complaint)):
        build()


def test_what_a_soft_ground_holds_is_no_stretch_of_the_rope() -> None:
    """A rope that lies: energy of the ground k d^2 / 2 a mass with k d = m g, next to nothing in
    the springs."""
    layer = Lumped(
        11, "springs", density=1.0, friction=5.0, ground=Ground(repulsion=500.0, absorption=40.0)
    )
    rope = Cable("rope", (Loose((0.0, 0.0, 0.0)), Loose((1.0, 0.0, 0.0))), ea=1e3, lumped=layer)
    simulator = Simulator(Scene(cables=(rope,)), dt=1e-3)
    simulator.step(5000)
    energy = simulator.observe().energy
    weights = simulator._model.ropes.particle_mass * 9.81
    assert energy.ground == pytest.approx((weights**2).sum() / (2.0 * 500.0), rel=1e-3)
    assert energy.elastic < 1e-3 * energy.ground
    assert energy.total == energy.kinetic + energy.potential + energy.elastic + energy.ground


def springs(**fields: object) -> Scene:
    made = Lumped(
        80,
        "tutorial",
        density=1.0,
        segment_stiffness=1e4,
        friction=0.2,
        air_friction=0.02,
        **fields,
    )
    return Scene(cables=(Cable("rope", (Anchor("world"), Loose((3.95, 0.0, 0.0))), lumped=made),))


def test_a_step_too_long_for_springs_is_refused_or_divided() -> None:
    """The limit is in the message: 2.216 ms."""
    with pytest.raises(ModelError, match=naming("step 0.0166667 s stable 0.002216")):
        Simulator(springs(substeps=False), dt=1.0 / 60.0)
    with pytest.raises(ModelError, match=naming("largest_step 0.003 s stable 0.002216")):
        Simulator(springs(largest_step=0.003), dt=1.0 / 60.0)
    simulator = Simulator(springs(), dt=1.0 / 60.0)
    simulator.step(120)
    assert simulator.observe().cable("rope").length < 4.2


def test_springs_on_a_light_body_are_refused() -> None:
    with pytest.raises(ModelError, match=naming("shake body 'load' steps 0.1 s below")):
        Simulator(hanging(0.5, 11, 1e4, method="springs"), dt=0.1)


def test_overflowing_springs_are_reported_and_the_state_kept() -> None:
    simulator = Simulator(springs(), dt=1e-3)
    snapshot = simulator.save()
    snapshot.state.particles.velocity[40] = 1e200
    simulator.restore(snapshot)
    with pytest.raises(StepError, match="finite"):
        simulator.step(5)
    assert np.isfinite(simulator.observe().cable("rope").curve).all()


@pytest.mark.parametrize("solver", ["envelope", "sparse"])
@pytest.mark.parametrize("speed", [1e160, 1e300])
def test_an_overflowing_chain_is_reported_and_the_state_kept(speed: float, solver: str) -> None:
    """Its hand is moved so fast that distances overflow when they are squared."""
    nodes = (Anchor("hand"), Loose((1.0, 0.0, 0.0)))
    cable = Cable("rope", nodes, lumped=Lumped(11, density=1.0))
    hand = Body("hand", shape=Sphere(0.1), motion="prescribed")
    assert_state_is_kept(Simulator(Scene(bodies=(hand,), cables=(cable,)), solver=solver), speed)


@pytest.mark.parametrize("solver", ["envelope", "sparse"])
def test_an_overflowing_free_chain_is_reported_and_state_kept(solver: str) -> None:
    """It has no row that anything else could notice it by."""
    cable = Cable("rope", (Loose(), Loose((1.0, 0.0, 0.0))), lumped=Lumped(11, density=1.0))
    simulator = Simulator(Scene(cables=(cable,)), solver=solver)
    snapshot = simulator.save()
    snapshot.state.particles.velocity[4] = 1e300
    simulator.restore(snapshot)
    assert_state_is_kept(simulator)


def test_an_infinite_load_leaves_its_chains_impulses_unchanged() -> None:
    simulator = Simulator(between(), dt=1e-3)
    simulator.step(3)
    simulator._control.bodies.wrench[1, 2] = np.inf
    assert_state_is_kept(simulator)


def assert_state_is_kept(simulator: Simulator, speed: float = 0.0) -> None:
    """A step of the next few fails, and leaves what the one before left."""
    if speed:
        simulator.move("hand", (speed, 0.0, 0.3 * speed))
    with pytest.raises(StepError, match="finite|1e5 m/s"):
        for _ in range(4):
            before = simulator.save()
            simulator.step()
    after = arrays_by_name(simulator.save().state)
    for name, kept in arrays_by_name(before.state).items():
        np.testing.assert_array_equal(after[name], kept, err_msg=name)
        assert np.isfinite(kept).all(), name


def test_way_points_lead_the_rope() -> None:
    """Down, then along the ground: the path's length is the rope's."""
    made = Lumped(61, density=1.0, path=((0.0, 0.0, 0.0),))
    scene = Scene(
        cables=(Cable("rope", (Anchor("world", (0, 0, 3)), Loose((-3, 0, 0))), lumped=made),)
    )
    seen = Simulator(scene).observe().cable("rope")
    assert seen.length == pytest.approx(6.0) and seen.length_paid_out == 6.0
    np.testing.assert_allclose(seen.curve[30], 0.0, atol=1e-12)
    with pytest.raises(ModelError, match=naming("nodes same point")):
        Simulator(Scene(cables=(Cable("rope", (Anchor("world"), Anchor("world")), lumped=MADE),)))
