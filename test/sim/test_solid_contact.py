"""Bodies with ends or eyes of ropes stop at the obstacles that these touch; what is inside all the
same is told."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Anchor, Body, Box, Cable, Eye, Joint, Scene, Simulator, Sphere, load_scene
from cable_sim.errors import CableSimWarning, SpecError
from cable_sim.kernels.status import CONTACTS_FULL, END_INSIDE
from cable_sim.sim.sentences import explain
from cable_sim.spec import BoxContact, Collision, Cylinder, Elevation, Hybrid, Obstacle, Polyhedron

G = 9.81
KINDS = {
    "massless": {},
    "elevation": {"elevation": Elevation(1.0)},
    "hybrid": {"hybrid": Hybrid(density=1.0)},
}
PRISM = Polyhedron(
    tuple(
        (1.5 * math.sin(a), y, 1.5 * math.cos(a))
        for a in 2.0 * math.pi * np.arange(16) / 16
        for y in (-50.0, 50.0)
    )
)


def slack(body: str = "load", height: float = 20.0, **more) -> Cable:
    """A rope that does not pull, and says what stops the body at its end."""
    return Cable(
        "rope",
        (Anchor("world", (0.0, 0.0, height)), Anchor(body)),
        ea=1e5,
        length=3.0 * height,
        **{"touches": ("solid",)} | more,
    )


def on_top(
    shape, solid, mass: float = 1000.0, gravity=(0.0, 0.0, -G), dt: float = 1e-3, **more
) -> Simulator:
    """A body above an obstacle whose top is at zero height."""
    body = Body("load", mass, shape=shape, **{"position": (0.0, 0.0, 0.6)} | more)
    return Simulator(
        Scene(bodies=(body,), cables=(slack(),), obstacles=(solid,), gravity=gravity), dt=dt
    )


TABLE = Obstacle("solid", Box(4.0, 4.0, 1.0), position=(0.0, 0.0, -0.5), body_friction=0.5)


def test_an_obstacle_stops_bodies_without_cables_that_it_names() -> None:
    """A ball that nothing holds lies on it; one that it does not name falls through."""
    balls = tuple(
        Body(name, 10.0, shape=Sphere(0.2), position=(x, 0.0, 0.4))
        for name, x in (("named", -1.0), ("other", 1.0))
    )
    table = dataclasses.replace(TABLE, stops=("named",))
    simulator = Simulator(Scene(bodies=balls, obstacles=(table,)), dt=1e-3)
    simulator.step(1000)
    seen = simulator.observe()
    assert seen.body("named").position[2] == pytest.approx(0.2, abs=1e-5)
    assert seen.body("other").position[2] < -4.0


@pytest.mark.parametrize(("stops", "words"), [(("ball",), "'ball' shape"), (("bell",), "'bell'")])
def test_obstacles_stop_known_bodies_with_shapes(stops: tuple[str], words: str) -> None:
    with pytest.raises(SpecError, match=naming(words)):
        Scene(
            bodies=(Body("ball", 1.0, inertia=(1.0, 1.0, 1.0)),),
            obstacles=(dataclasses.replace(TABLE, stops=stops),),
        )


@pytest.mark.parametrize(
    ("shape", "height"),
    [(Sphere(0.2), 0.2), (Box(0.6, 0.4, 0.5), 0.25), (Cylinder(0.3, 0.5), 0.25), (None, 0.008)],
    ids=["sphere", "box", "cylinder", "point"],
)
def test_what_falls_on_a_table_lies_on_it(shape, height: float) -> None:
    """At its own height, one without shape at the rope's radius; borne with its weight; without
    creep or energy."""
    inertia = {} if shape else {"inertia": (10.0, 10.0, 10.0)}
    simulator = on_top(shape, TABLE, velocity=(0.0, 0.0, -3.0), **inertia)
    energy = simulator.observe().energy.total
    for _ in range(60):
        simulator.step(10)
        assert simulator.observe().energy.total < energy + 1e-6 * abs(energy)
    rest = simulator.observe()
    np.testing.assert_allclose(rest.body("load").position, (0.0, 0.0, height), atol=2e-6)
    np.testing.assert_allclose(
        rest.body("load").contact_force, (0.0, 0.0, 1000.0 * G), rtol=1e-6, atol=1e-3
    )
    simulator.step(2000)
    np.testing.assert_allclose(
        simulator.observe().body("load").position, rest.body("load").position, atol=1e-7
    )
    assert simulator.report.status == 0


@pytest.mark.parametrize("shape", [Sphere(0.2), None], ids=["sphere", "point"])
def test_contact_with_what_stops_is_read(shape) -> None:
    """Its force is the weight, and the impact has the speed of a fall, v^2 = 2 g (z - z_0)."""
    inertia = {} if shape else {"inertia": (10.0, 10.0, 10.0)}
    simulator = on_top(shape, TABLE, **inertia)
    simulator.step(1000)
    seen = simulator.observe()
    assert seen.contact("load", "solid").normal_force == pytest.approx(1000.0 * G, rel=1e-6)
    event = seen.events[0]
    assert {event.first, event.second} == {"load", "solid"} and event.begins
    fall = 0.6 - (0.2 if shape else 0.008)
    assert event.speed == pytest.approx(math.sqrt(2.0 * G * fall), abs=2.0 * G * 1e-3)


def test_with_a_collision_an_end_without_shape_is_stopped() -> None:
    """At the radius of its rope. What has a shape meets the table with that alone."""
    point = Body("load", 10.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, 0.3))
    ball = Body("ball", 10.0, shape=Sphere(0.2), position=(1.0, 0.0, 0.3))
    ropes = slack(), dataclasses.replace(slack("ball"), name="other")
    table = Obstacle("solid", Box(4.0, 4.0, 1.0), position=(0.0, 0.0, -0.5))
    simulator = Simulator(
        Scene(bodies=(point, ball), cables=ropes, obstacles=(table,), collision=Collision())
    )
    simulator.step(1000)
    seen = simulator.observe()
    assert seen.body("load").position[2] == pytest.approx(0.008, abs=1e-6)
    assert seen.body("ball").position[2] == pytest.approx(0.2, abs=1e-6)
    assert seen.contact("ball", "solid").points == 1
    ignored = Collision(ignore=[("load", "solid")])
    simulator = Simulator(
        Scene(bodies=(point, ball), cables=ropes, obstacles=(table,), collision=ignored)
    )
    simulator.step(1000)
    assert simulator.observe().body("load").position[2] < -4.0


def test_an_end_that_is_carried_round_does_not_sink_in() -> None:
    """A body that turns at 6 rad/s beside a table, its end on the top 0.5 m above its middle, would
    take the end h^2 w^2 0.5 / 2 = 0.23 mm down in a step of 5 ms."""
    spin, high, dt = 6.0, 0.5, 5e-3
    arm = np.array([-0.6, 0.0, high])
    speed = -np.cross((0.0, spin, 0.0), arm)
    body = Body(
        "load",
        100.0,
        inertia=(1e5, 1e5, 1e5),
        position=(2.5, 0.0, 0.008 - high),
        velocity=tuple(speed),
        angular_velocity=(0.0, spin, 0.0),
    )
    rope = Cable(
        "rope",
        (Anchor("world", (0.0, 0.0, 20.0)), Anchor("load", tuple(arm))),
        ea=1e5,
        length=60.0,
        touches=("solid",),
    )
    scene = Scene(bodies=(body,), cables=(rope,), obstacles=(TABLE,), gravity=(0.0, 0.0, 0.0))
    simulator = Simulator(scene, dt=dt)
    for _ in range(8):
        simulator.step()
        height = simulator.observe().cable("rope").node_position[-1, 2]
        # halfway between two poses of a step an arc is h^2 w^2 r / 8 off its chord
        arc = (dt * spin) ** 2 * np.linalg.norm(arm) / 8.0
        assert height == pytest.approx(0.008, abs=arc)


@pytest.mark.parametrize(
    ("slope", "speed"), [(0.4, 0.0), (0.6, G * (math.sin(0.6) - 0.5 * math.cos(0.6)))]
)
def test_a_box_sticks_or_slides_as_coulomb_says(slope: float, speed: float) -> None:
    """tan 0.4 = 0.42 holds with a friction of 0.5; at 0.6 rad it gets sin - 0.5 cos of g a
    second."""
    simulator = on_top(
        Box(0.6, 0.4, 0.2),
        TABLE,
        position=(-1.0, 0.0, 0.1),
        gravity=(G * math.sin(slope), 0.0, -G * math.cos(slope)),
    )
    simulator.step(1000)
    velocity = simulator.observe().body("load").velocity
    np.testing.assert_allclose(velocity, (speed, 0.0, 0.0), atol=2e-3)


@pytest.mark.parametrize(
    "shape",
    [Sphere(0.3), Box(0.5, 0.6, 0.4), Cylinder(0.2, 0.7)],
    ids=["sphere", "box", "cylinder"],
)
@pytest.mark.parametrize(
    "solid",
    [
        Box(0.8, 0.6, 1.0),
        Cylinder(0.4, 0.8),
        Polyhedron(
            ((0.6, 0, 0), (-0.6, 0, 0), (0, 0.6, 0), (0, -0.6, 0), (0, 0, 0.6), (0, 0, -0.6))
        ),
    ],
    ids=["box", "cylinder", "octahedron"],
)
def test_a_moving_obstacle_takes_the_opposite_impulse(shape, solid) -> None:
    """Askew, spinning, with friction: linear and angular momentum stay, energy falls."""
    load = Body(
        "load",
        30.0,
        shape=shape,
        position=(0.1, 0.2, 1.3),
        velocity=(0.1, 0.0, -4.0),
        angular_velocity=(1.0, 2.0, -1.0),
    )
    carrier = Body(
        "carrier",
        50.0,
        inertia=(4.0, 5.0, 6.0),
        orientation=(0.9, 0.2, 0.1, 0.3),
        angular_velocity=(0.5, 0.0, 1.0),
    )
    obstacle = Obstacle("solid", solid, body="carrier", body_friction=0.4)
    scene = Scene(
        bodies=(load, carrier), cables=(slack(),), obstacles=(obstacle,), gravity=(0.0, 0.0, 0.0)
    )
    simulator = Simulator(scene)
    before = momentum(simulator)
    energy = simulator.observe().energy.kinetic
    met = False
    for _ in range(40):
        simulator.step(10)
        met |= bool(simulator.observe().body("load").velocity[2] > -3.9)
    assert met
    np.testing.assert_allclose(momentum(simulator), before, atol=1e-8)
    assert simulator.observe().energy.kinetic < 0.95 * energy


def momentum(simulator: Simulator) -> np.ndarray:
    """Linear and angular momentum of the two bodies [kg m/s, kg m^2/s]."""
    model, state = simulator._model, simulator.save().state
    total = np.zeros(6)
    for b in (1, 2):
        mass, velocity = 1.0 / model.bodies.inverse_mass[b], state.bodies.velocity[b]
        w, x, y, z = state.bodies.orientation[b]
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        spin = turn @ model.bodies.inertia[b] @ turn.T @ velocity[3:]
        total += np.concatenate(
            [mass * velocity[:3], spin + np.cross(state.bodies.position[b], mass * velocity[:3])]
        )
    return total


def swinging(kind: str, dt: float = 1e-3, speed: float = 0.3, **more) -> Simulator:
    """A load of 1 t on 8 m that swings into a wall which its rope touches."""
    at = np.array([0.0, 0.0, 10.0]) + 8.0 * np.array(
        [math.sin(-math.radians(35.0)), 0.0, -math.cos(math.radians(35.0))]
    )
    load = Body("load", 1000.0, shape=Sphere(0.2), position=tuple(at), velocity=(0.0, speed, 0.0))
    damping = {"damping_time": 0.005} if kind == "hybrid" else {"damping_ratio": 0.02}
    rope = Cable(
        "rope",
        (Anchor("world", (0.0, 0.0, 10.0)), Anchor("load")),
        ea=1.1e7,
        length=8.0 * (1.0 - 800.0 * G / 1.1e7),
        touches=("wall",),
        **KINDS[kind],
        **damping,
    )
    wall = Obstacle("wall", Box(2.0, 4.0, 6.0), position=(2.2, 0.0, 3.0), **more)
    return Simulator(Scene(bodies=(load,), cables=(rope,), obstacles=(wall,)), dt=dt)


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
@pytest.mark.parametrize("kind", KINDS)
def test_a_load_swings_against_a_wall_that_its_rope_touches(kind: str, dt: float) -> None:
    """It stops at the wall: one that keeps 0.2 m off it; rope, tension and energy stay those of a
    swing."""
    simulator, flags, tension, path, energy = swinging(kind, dt), 0, 0.0, 0.0, []
    for _ in range(int(4.0 / dt / 4)):
        flags |= simulator.step(4).status
        seen = simulator.observe()
        tension = max(tension, seen.cable("rope").tension)
        path = max(path, seen.cable("rope").length)
        energy.append(seen.energy.total)
        assert seen.body("load").position[0] < 1.0 + 1e-3
    assert not flags & (END_INSIDE | CONTACTS_FULL)
    assert path < 8.2
    assert tension < 40e3
    assert max(energy) < energy[0] + 0.01 * 8.0 * 1000.0 * G


@pytest.mark.parametrize("kind", KINDS)
def test_an_end_inside_goes_straight_and_is_told(kind: str) -> None:
    """With the switch off the load swings into the wall; the rope is no longer for it than it
    was."""
    simulator, flags, path, tension, inside = swinging(kind, stops_bodies=False), 0, 0.0, 0.0, False
    for _ in range(700):
        flags |= simulator.step(4).status
        seen = simulator.observe()
        path = max(path, seen.cable("rope").length)
        tension = max(tension, seen.cable("rope").tension)
        inside |= bool(1.3 < seen.body("load").position[0] < 3.0)
    assert inside and flags & END_INSIDE and not flags & CONTACTS_FULL
    assert naming("inside obstacle").search(explain(flags))
    assert path < 8.3
    assert tension < 40e3


@pytest.mark.parametrize("kind", ["massless", "elevation"])
def test_a_block_on_falls_leans_on_a_wall_that_its_rope_touches(kind: str) -> None:
    """An eye. Pushed with 3 kN it stops at the wall, 0.2 m of it; the wall bears what the falls do
    not."""
    block = Body("block", 1000.0, shape=Sphere(0.2), position=(0.0, 0.0, 2.0))
    rope = Cable(
        "rope",
        (Anchor("world", (-0.2, 0.0, 12.0)), Eye("block"), Anchor("world", (0.2, 0.0, 12.0))),
        ea=1.1e7,
        pretension=4905.0,
        damping_ratio=0.02,
        touches=("wall",),
        **KINDS[kind],
    )
    wall = Obstacle("wall", Box(2.0, 4.0, 6.0), position=(2.0, 0.0, 3.0))
    simulator = Simulator(Scene(bodies=(block,), cables=(rope,), obstacles=(wall,)))
    simulator.push("block", (3000.0, 0.0, 0.0))
    flags, path = 0, 0.0
    for _ in range(150):
        flags |= simulator.step(40).status
        seen = simulator.observe()
        path = max(path, seen.cable("rope").length)
        assert seen.body("block").position[0] < 0.8 + 1e-4
    assert not flags & (END_INSIDE | CONTACTS_FULL) and path < 20.3
    force = seen.body("block").contact_force[0]
    assert force == pytest.approx(-(3000.0 - 0.8 / 10.0 * 1000.0 * G), rel=0.1)


@pytest.mark.parametrize("shape", [PRISM, Box(3.0, 100.0, 3.0)], ids=["prism", "box"])
@pytest.mark.parametrize("kind", ["massless", "hybrid"])
def test_a_prescribed_end_too_near_is_reported_without_a_detour(shape, kind: str) -> None:
    """Ends that slide down 8 mm too near: no way round the far ends of the solid, 50 m off."""
    ends = {"a": (-1.5, 0.0, 6.0), "b": (1.5, 4.0, 8.0)}
    bodies = [
        Body(
            name,
            shape=Box(0.01, 0.01, 0.01),
            position=at,
            motion="prescribed",
            velocity=(0.0, 0.0, -1.0),
        )
        for name, at in ends.items()
    ]
    layer = {"hybrid": Hybrid(density=0.1)} if kind == "hybrid" else {}
    nodes = Anchor("a"), Anchor("b")
    rope = Cable("rope", nodes, ea=1e3, pretension=100.0, touches=("solid",), contacts=64, **layer)
    simulator = Simulator(
        Scene(
            bodies=bodies,
            cables=(rope,),
            obstacles=(Obstacle("solid", shape),),
            gravity=(0.0, 0.0, 0.0),
        ),
        dt=0.01,
    )
    flags, longest = 0, 0.0
    for _ in range(200):
        flags |= simulator.step(5).status
        longest = max(longest, simulator.observe().cable("rope").length)
    assert flags & END_INSIDE and not flags & CONTACTS_FULL
    assert longest < 20.0


def pairs_of(scene: Scene) -> set[tuple[int, int]]:
    """Bodies and those that carry the solids that stop them."""
    pool = Simulator(scene)._model.pool
    pairs = divmod(pool.pair_key, max(pool.body.size, 1))
    return {tuple(pool.body[[i, j]].tolist()) for i, j in zip(*pairs, strict=True)}


def test_only_bodies_with_ends_or_eyes_are_stopped() -> None:
    """Not by their own obstacle, that of a neighbour across a joint, one in a contact, or one
    switched off."""
    load = Body("load", shape=Box(0.5, 0.5, 0.5), position=(0.0, 0.0, 1.0))
    other, floor = Body("other", shape=Sphere(0.1), position=(5.0, 0.0, 1.0)), TABLE
    both = Scene(bodies=(load, other), cables=(slack(),), obstacles=(floor,))
    assert pairs_of(both) == {(1, 0)}
    replaced = {"bodies": (load, other), "cables": (slack(),)}
    assert (
        pairs_of(
            Scene(
                **replaced,
                obstacles=(
                    Obstacle("solid", Box(1, 1, 1), body="load", position=(0.0, 0.0, -2.0)),
                ),
            )
        )
        == set()
    )
    across = Obstacle("solid", Box(1, 1, 1), body="other", position=(0.0, 0.0, -2.0))
    assert pairs_of(Scene(**replaced, obstacles=(across,))) == {(1, 2)}
    assert (
        pairs_of(
            Scene(**replaced, obstacles=(across,), joints=(Joint("j", "ball", "load", "other"),))
        )
        == set()
    )
    contact = BoxContact("load", ("solid",), friction=0.9)
    pool = Simulator(Scene(**replaced, obstacles=(floor,), contacts=(contact,)))._model.pool
    assert pool.pair_key.size == 1 and pool.material[:, 0] == [0.9]
    off = Obstacle("solid", Box(1, 1, 1), position=(0.0, 0.0, -3.0), stops_bodies=False)
    assert pairs_of(Scene(**replaced, obstacles=(off,))) == set()
    assert pairs_of(load_scene("elevation_over_platform")) == set()


def test_a_shape_that_starts_in_an_obstacle_is_told() -> None:
    """Its end is stopped all the same."""
    with pytest.warns(
        CableSimWarning, match=naming("body 'load' shape 0.1 m deep obstacle 'solid' cable 'rope'")
    ):
        simulator = on_top(Sphere(0.3), TABLE, position=(0.0, 0.0, 0.2))
    simulator.step(1000)
    assert simulator.observe().body("load").position[2] == pytest.approx(0.008, abs=1e-5)
    assert simulator.report.status == 0


def test_a_body_that_starts_in_what_stops_it_is_pushed_out() -> None:
    """It is told, and comes to rest on top."""
    body = Body("load", 100.0, shape=Box(0.4, 0.4, 0.4), position=(0.0, 0.0, 0.1))
    obstacle = Obstacle("solid", Box(2, 2, 1), position=(0.0, 0.0, -0.5), stops=("load",))
    with pytest.warns(CableSimWarning, match=naming("'load' shape 0.1 m deep pushes")):
        simulator = Simulator(Scene(bodies=(body,), obstacles=(obstacle,)))
    simulator.step(3000)
    assert simulator.observe().body("load").position[2] == pytest.approx(0.2, abs=1e-4)


def test_an_end_on_the_outline_of_its_body_never_gets_inside() -> None:
    """A box that falls on the corner that holds the rope rests off the table by the radius of the
    rope there."""
    body = Body(
        "load",
        100.0,
        shape=Box(0.4, 0.4, 0.4),
        position=(0.0, 0.0, 0.6),
        orientation=(0.8, 0.6, 0.0, 0.0),
    )
    rope = Cable(
        "rope",
        (Anchor("world", (0.0, 0.0, 20.0)), Anchor("load", (0.2, 0.2, -0.2))),
        ea=1e5,
        length=60.0,
        touches=("solid",),
    )
    simulator, flags = Simulator(Scene(bodies=(body,), cables=(rope,), obstacles=(TABLE,))), 0
    for _ in range(300):
        flags |= simulator.step(5).status
        assert simulator.observe().cable("rope").node_position[1, 2] > 0.008 - 2e-5
    assert flags == 0
