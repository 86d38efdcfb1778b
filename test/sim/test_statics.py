"""Equilibrium, linear model and modes against closed forms, discrete chains by hand, and finite
differences of whole steps."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming
from scipy.optimize import brentq

from cable_sim import (
    Anchor,
    Body,
    Box,
    Cable,
    Drive,
    Joint,
    Scene,
    Simulator,
    Sphere,
    Surface,
    load_scene,
)
from cable_sim.control.methods.linearisation import linearise as linearise_crane
from cable_sim.cranes import crane_names, load_crane
from cable_sim.errors import ModelError, SpecError
from cable_sim.scenes.machines import load_machine
from cable_sim.sim.statics import Modes, equilibrium, linearise, modes
from cable_sim.spec import Elevation, Eye, Hybrid, Loose, Lumped

G = 9.81
SLOW = ("nehe_rope",)
"""Cranes whose ropes are many masses."""
AFLOAT = ("offshore_25t",)
"""Cranes on ships, which never rest."""
CRANES = [
    pytest.param(name, marks=pytest.mark.slow if stands_for in SLOW else ())
    for name, stands_for in crane_names().items()
    if name == stands_for and name not in AFLOAT
]


def ball(name: str, mass: float, z: float) -> Body:
    return Body(name, mass=mass, shape=Sphere(0.1), position=(0.0, 0.0, z))


def hinge(name: str, parent: str, child: str, z: float) -> Joint:
    return Joint(
        name, "hinge", parent=parent, child=child, point=(0.0, 0.0, z), axis=(0.0, 1.0, 0.0)
    )


def test_double_pendulum_has_the_modes_of_theory() -> None:
    """Two balls on hinges: M q'' + K q = 0 by hand, in absolute angles."""
    upper, lower, first, second = 2.0, 3.0, 1.0, 0.7
    scene = Scene(
        bodies=[ball("a", upper, -first), ball("b", lower, -first - second)],
        joints=[hinge("j", "world", "a", 0.0), hinge("k", "a", "b", -first)],
    )
    spin = 0.4 * 0.1**2
    coupling = lower * first * second
    mass = [
        [(upper + lower) * first**2 + spin * upper, coupling],
        [coupling, lower * second**2 + spin * lower],
    ]
    weight = np.diag([(upper + lower) * G * first, lower * G * second])
    own = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(mass, weight)).real))
    found = modes(scene)
    assert 2.0 * math.pi * found.frequencies == pytest.approx(own, rel=1e-9)
    assert found.damping_ratios == pytest.approx([0.0, 0.0], abs=1e-9)
    slow = found[0].bodies
    assert slow["b"][0] == pytest.approx(1.0)
    tilt = (own[0] ** 2 * mass[0][0] - weight[0, 0]) / (-(own[0] ** 2) * coupling)
    assert slow["a"][0] * (1.0 + second / first * tilt) == pytest.approx(1.0, rel=1e-9)


def test_load_on_a_rope_bounces_with_the_damping_of_the_rope() -> None:
    mass, length, ea, ratio = 100.0, 10.0, 1e5, 0.07
    load = Body("load", mass=mass, shape=Sphere(0.2), position=(0.0, 0.0, -length))
    rope = Cable(
        "rope", [Anchor("world"), Anchor("load")], ea=ea, damping_ratio=ratio, pretension=mass * G
    )
    found = modes(Scene(bodies=[load], cables=[rope]))
    unstretched = length / (1.0 + mass * G / ea)
    bounce = math.sqrt(ea / unstretched / mass) / (2.0 * math.pi)
    nearest = int(np.argmin(np.abs(found.frequencies - bounce)))
    assert found[nearest].frequency == pytest.approx(bounce, rel=1e-7)
    assert found[nearest].damping_ratio == pytest.approx(ratio, rel=1e-6)
    assert found[nearest].bodies["load"] == pytest.approx([0, 0, 1, 0, 0, 0], abs=1e-6)
    assert found.neutral == 3  # turns about the centre, where the rope ends
    assert found.linear.equilibrium.observation.cable("rope").tension == pytest.approx(mass * G)


def test_trolley_drives_its_pendulum() -> None:
    """y'' = -(g / l) (y - p) of the load at y below a trolley at p that a motor holds."""
    length = 3.0
    scene = Scene(
        bodies=[
            Body("trolley", mass=5.0, shape=Sphere(0.2)),
            Body("load", mass=2.0, inertia=(1e-9,) * 3, position=(0.0, 0.0, -length)),
        ],
        joints=[
            Joint("rail", "prismatic", child="trolley", axis=(1.0, 0.0, 0.0)),
            hinge("pin", "trolley", "load", 0.0),
        ],
        drives=[Drive("travel", on="rail")],
    )
    linear = linearise(scene)
    assert linear.drives == ("travel",)
    n = linear.motions.shape[1]
    load = np.concatenate([linear.body("load")[0], np.zeros(n)])
    trolley = np.concatenate([linear.body("trolley")[0], np.zeros(n)])
    square = G / length
    assert load @ linear.A @ linear.A == pytest.approx(-square * (load - trolley), rel=1e-6)
    assert load @ linear.A @ linear.B == pytest.approx([0.0], abs=1e-6)
    assert trolley @ linear.A @ linear.B == pytest.approx([1.0])
    with pytest.raises(SpecError, match=naming("'hook' trolley load")):
        linear.body("hook")


def whole_steps(found: Modes, dt: float, count: int) -> np.ndarray:
    """Eigenvalues [1/s] of ``count`` steps of a simulator, by central differences of them."""
    linear = found.linear
    rest = linear.equilibrium.snapshot
    rest.state.nodes.loss[:] = 0.0
    simulator = Simulator(linear.equilibrium.scene, dt)
    simulator.restore(rest)
    start = simulator.observe()
    held = len(linear.drives)
    shapes = np.concatenate([linear.body(name)[:, held:] for name in linear.bodies])
    k = shapes.shape[1]
    inverse = np.linalg.pinv(shapes)

    def read() -> np.ndarray:
        poses, speeds = [], []
        for name in linear.bodies:
            now, then = simulator.observe().body(name), start.body(name)
            w, x, y, z = now.orientation
            a, b, c, d = then.orientation
            turn = 2.0 * np.array(
                [
                    a * x - b * w + d * y - c * z,
                    a * y - c * w - d * x + b * z,
                    a * z - d * w + c * x - b * y,
                ]
            )
            poses += [*(now.position - then.position), *turn]
            speeds += [*now.velocity, *now.angular_velocity]
        return np.concatenate([inverse @ poses, inverse @ speeds])

    def after(motion: np.ndarray) -> np.ndarray:
        snapshot = linear.snapshot(np.concatenate([np.zeros(held), motion[:k]]))
        snapshot.state.nodes.loss[:] = 0.0
        speeds = (shapes @ motion[k:]).reshape(-1, 6)
        snapshot.state.bodies.velocity[1 : 1 + len(linear.bodies)] += speeds
        simulator.shift_bodies(snapshot, linear.bodies)
        simulator.restore(snapshot)
        simulator.step(count)
        return read()

    columns = []
    for i in range(2 * k):
        way = np.zeros(2 * k)
        way[i] = 1e-5 / np.abs(shapes[:, i % k]).max()
        columns.append((after(way) - after(-way)) / (2.0 * way[i]))
    return np.log(np.linalg.eigvals(np.stack(columns, axis=1)).astype(complex)) / (count * dt)


@pytest.mark.parametrize("name", ["tower_12t_4falls_hanging", "rtg_41t_hanging"])
def test_modes_are_those_of_whole_steps(name: str) -> None:
    """Reeving and portal; a step of h has a frequency w off by (h w)^2 / 12 or less."""
    dt = 2e-4
    found = modes(load_scene(name), dt)
    values = whole_steps(found, dt, 5)
    values = values[values.imag > 0.1]
    for mode in found:
        w = 2.0 * math.pi * mode.frequency
        own = w * complex(-mode.damping_ratio, math.sqrt(1.0 - mode.damping_ratio**2))
        nearest = values[np.argmin(np.abs(values - own))]
        assert abs(nearest - own) < w * (1e-5 + (w * dt) ** 2 / 6.0)


@pytest.fixture(scope="module")
def hanging() -> Modes:
    return modes(load_scene("tower_12t_4falls_hanging"))


def test_sway_of_a_tower_crane_is_that_of_its_linear_model(hanging: Modes) -> None:
    start = {"rig.start.state": "hanging", "rig.start.radius": 20.0, "rig.start.hook_depth": 40.0}
    crane = load_crane("tower_12t", start | {"reeving.n_falls": 4, "rig.load.mass": 12000.0})
    reduced = linearise_crane(crane, {"trolley": 20.0, "hoist": 40.0})
    sways = 2.0 * math.pi * hanging.frequencies[:2]
    assert sways == pytest.approx(reduced.frequencies, rel=2e-3)


@pytest.mark.slow
def test_ropes_that_oscillate_leave_the_load_its_sway(hanging: Modes) -> None:
    """The crane again with elevation cables, whose mass is a part in a hundred of the load's."""
    waving = modes(load_scene("tower_12t_4falls_hanging", model="elevation"))
    sways = [mode.frequency for mode in waving if abs(mode.bodies.get("load", [0])[0]) > 0.99]
    assert sways[:1] == pytest.approx(hanging.frequencies[:1], rel=5e-3)


def test_mode_put_into_a_simulator_swings_at_its_frequency(hanging: Modes) -> None:
    """A quarter of a period from the largest swing on it passes its rest."""
    mode = hanging[0]
    rest = hanging.linear.equilibrium
    snapshot = hanging.snapshot(0, 0.01)
    snapshot.state.nodes.loss[:] = 0.0
    simulator = rest.simulator()
    start = simulator.observe().body("load").position
    simulator.restore(snapshot)
    assert simulator.observe().body("load").position - start == pytest.approx(
        0.01 * mode.bodies["load"][:3], abs=1e-5
    )
    simulator.step(round(mode.period / 4.0 / rest.dt))
    assert simulator.observe().body("load").position - start == pytest.approx([0, 0, 0], abs=2e-5)


@pytest.mark.parametrize("name", CRANES)
def test_every_crane_has_an_equilibrium_and_stands_there(name: str) -> None:
    rest = equilibrium(load_machine(name).scene)
    assert rest.residual < 1e-5
    simulator = rest.simulator()
    lossy = Simulator(rest.scene).save().state.nodes.loss
    assert (rest.snapshot.state.nodes.loss == lossy).all()
    simulator.step(200)
    for body in rest.scene.bodies:
        now, then = simulator.observe().body(body.name), rest.observation.body(body.name)
        assert now.position == pytest.approx(then.position, abs=1e-6)


SEGMENTS = 40


def rope_of_masses(gravity: float, length: float) -> Scene:
    """A rope of 40 segments, EA 1 MN and 2 kg/m, between two points 20 m apart."""
    rope = Cable(
        "rope",
        [Anchor("world", (0.0, 0.0, 0.0)), Anchor("world", (20.0, 0.0, 0.0))],
        ea=1e6,
        length=length,
        lumped=Lumped(masses=SEGMENTS + 1, density=2.0),
    )
    return Scene(cables=[rope], gravity=(0.0, 0.0, -gravity))


def test_taut_chain_has_the_modes_of_a_discrete_string() -> None:
    """w_n = 2 sqrt(T / m l) sin(n pi / 2 N), twice each, with the mass of a segment."""
    tension = 1000.0
    length = 20.0 / (1.0 + tension / 1e6)
    found = modes(rope_of_masses(0.0, length))
    mass = 2.0 * length / SEGMENTS
    stiffness = tension / (20.0 / SEGMENTS)
    across = [
        2.0 * math.sqrt(stiffness / mass) * math.sin(n * math.pi / (2.0 * SEGMENTS))
        for n in (1, 1, 2, 2, 3, 3)
    ]
    assert 2.0 * math.pi * found.frequencies[:6] == pytest.approx(across, rel=1e-6)


def test_slack_chain_rests_as_a_catenary() -> None:
    """Every mass in balance by hand; the sag that of an elastic catenary, to 1 / N^2."""
    length = 22.0
    rest = equilibrium(rope_of_masses(G, length))
    points = rest.observation.cable("rope").curve
    spans = np.diff(points, axis=0)
    lengths = np.linalg.norm(spans, axis=1)
    own = length / SEGMENTS
    pulls = spans / lengths[:, None] * (1e6 * (lengths - own) / own)[:, None]
    weight = 2.0 * length / SEGMENTS * G
    assert np.diff(pulls, axis=0) == pytest.approx(
        np.tile([0.0, 0.0, weight], (SEGMENTS - 1, 1)), abs=1e-4
    )
    load = 2.0 * G

    def excess(shape: float) -> float:
        """Span of the elastic catenary with H = w a, less that of the rope [m]."""
        return shape * (load * length / 1e6 + 2.0 * math.asinh(length / (2.0 * shape))) - 20.0

    shape = brentq(excess, 1.0, 1e3)
    sag = shape * (math.hypot(1.0, length / (2.0 * shape)) - 1.0) + load * length**2 / 8e6
    assert -points[:, 2].min() == pytest.approx(sag, rel=1.0 / SEGMENTS**2)


def test_elevation_cable_has_the_modes_of_a_discrete_string() -> None:
    tension, span, points = 2000.0, 30.0, 31
    rope = Cable(
        "rope",
        [Anchor("world"), Anchor("world", (span, 0.0, 0.0))],
        ea=1e6,
        pretension=tension,
        elevation=Elevation(points=points, density=1.5, damping=0.2),
    )
    found = modes(Scene(cables=[rope], gravity=(0.0, 0.0, 0.0)))
    rate = math.sqrt(tension / 1.5) * (points - 1) / span
    across = [2.0 * rate * math.sin(n * math.pi / 2.0 / (points - 1)) for n in (1, 1, 2, 2)]
    assert 2.0 * math.pi * found.frequencies[:4] == pytest.approx(across, rel=1e-6)


def test_too_many_coordinates_are_refused() -> None:
    stones = [Body(f"stone{i}", mass=1.0, shape=Sphere(0.1)) for i in range(101)]
    with pytest.raises(ModelError, match=naming("606 coordinates 600")):
        equilibrium(Scene(bodies=stones))


def test_sagging_elevation_cable_stretches_as_it_swings() -> None:
    """Irvine & Caughey 1974: tan(w/2) = w/2 - 4 (w/2)^3 / L^2 of the first symmetric mode."""
    tension, span, density, ea = 2000.0, 30.0, 1.5, 1e6
    rope = Cable(
        "rope",
        [Anchor("world"), Anchor("world", (span, 0.0, 0.0))],
        ea=ea,
        pretension=tension,
        elevation=Elevation(points=61, density=density, damping=0.0, planar=True),
    )
    found = modes(Scene(cables=[rope]))
    steep = (density * G * span / tension) ** 2
    square = steep * ea / tension / (1.0 + steep / 8.0)

    def balance(half: float) -> float:
        return math.tan(half) - half + 4.0 * half**3 / square

    half = brentq(balance, 0.51 * math.pi, 1.49 * math.pi)
    symmetric = half / (math.pi * span) * math.sqrt(tension / density)
    antisymmetric = math.sqrt(tension / density) / span
    assert found.frequencies[:2] == pytest.approx([symmetric, antisymmetric], rel=2e-2)


SPRINGS = {"method": "springs", "friction": 0.0}


def light_rope(density: float, made: dict) -> Scene:
    """1 t on ten segments, half a metre too high."""
    load = Body("load", 1e3, shape=Sphere(0.2), position=(0.0, 0.0, -19.5))
    ends = (Anchor("world"), Anchor("load"))
    rope = Cable("rope", ends, ea=1e7, length=20.0, lumped=Lumped(11, density=density, **made))
    return Scene(bodies=[load], cables=[rope])


@pytest.mark.parametrize(
    ("density", "made"), [(1e-8, {}), (1e-6, {}), (1e-4, SPRINGS), (1e-4, {"method": "springs"})]
)
def test_masses_are_as_light_as_rounding_lets_them_be(density: float, made: dict) -> None:
    """What rounding of places leaves of accelerations is no motion."""
    found = equilibrium(light_rope(density, made)).simulator()
    stretched = (1e3 + 10.0 * density) * G * 20.0 / 1e7
    assert float(found.bodies["load"].position[2]) == pytest.approx(-20.0 - stretched, abs=1e-10)
    assert float(found.cables["rope"].tension) == pytest.approx(
        (1e3 + 20.0 * density) * G, rel=1e-6
    )


@pytest.mark.parametrize(
    ("density", "said"), [(1e-8, "eleven 'rope' 2e-08 kg"), (1e-12, "'rope' substeps")]
)
def test_masses_too_light_to_settle_are_named(density: float, said: str) -> None:
    with pytest.raises(ModelError, match=naming(said)):
        equilibrium(light_rope(density, SPRINGS))


def test_what_does_not_settle_is_named() -> None:
    falling = Body("stone", mass=1.0, shape=Sphere(0.1))
    with pytest.raises(ModelError, match=naming("settle body 'stone' 9.81 m/s")):
        equilibrium(Scene(bodies=[falling]))


@pytest.mark.parametrize(("name", "pull"), [("wire_over_cylinder", 9810.0), ("wire_on_wire", None)])
def test_scenes_with_hybrid_wires_rest_by_their_steps(name: str, pull: float | None) -> None:
    """Over a cylinder the pull is that of the weight, but for the wire's own."""
    rest = equilibrium(load_scene(name))
    assert rest.residual < 1e-5
    start = {body.name: rest.observation.body(body.name).position for body in rest.scene.bodies}
    if pull:
        assert rest.observation.cable("wire").tension == pytest.approx(pull, rel=3e-4)
    simulator = rest.simulator()
    assert simulator.time == 0.0
    simulator.step(500)
    for name, position in start.items():
        assert simulator.observe().body(name).position == pytest.approx(position, abs=1e-6)


def loaded_wire(density: float, load: float = 100.0, **wire) -> Scene:
    """A hybrid wire of 10 m that hangs from the world, with a ball at its end or nothing."""
    ends = Anchor("world"), Anchor("load") if load else Loose((0.0, 0.0, -10.0))
    hybrid = Hybrid(density=density, damping=0.0)
    cable = {"ea": 1e5, "length": 10.0, "damping_time": 0.0, "hybrid": hybrid} | wire
    bodies = [ball("load", load, -10.0)] if load else []
    return Scene(bodies=bodies, cables=[Cable("wire", ends, **cable)])


def test_a_load_on_a_light_wire_bounces_and_swings() -> None:
    """As on a spring with half of the wire's mass at its end."""
    found = modes(loaded_wire(1e-6))
    mass = 100.0 + 0.5 * 1e-5
    long = 10.0 * (1.0 + mass * G / 1e5)
    own = np.sqrt([G / long, G / long, 1e5 / 10.0 / mass])
    assert 2.0 * math.pi * found.frequencies == pytest.approx(own, rel=1e-6)
    assert found.linear.equilibrium.observation.cable("wire").tension == pytest.approx(mass * G)


@pytest.mark.parametrize("load", [20.0, 0.0])
def test_a_heavy_wire_has_the_modes_of_its_masses(load: float) -> None:
    """Those of its springs upright, and of T / l to both sides, by hand."""
    found = modes(loaded_wire(2.0, load=load))
    count = found.linear.equilibrium.scene.cables[0].lumped.masses - 1
    rest = 10.0 / count
    mass = np.full(count, 2.0 * rest)
    mass[-1] = load + rest
    tension = G * mass[::-1].cumsum()[::-1]

    def squares(springs: np.ndarray) -> np.ndarray:
        after = np.append(springs[1:], 0.0)
        matrix = np.diag(springs + after) - np.diag(springs[1:], 1) - np.diag(springs[1:], -1)
        return np.linalg.eigvals(matrix / mass[:, None]).real

    aside = squares(tension / (rest * (1.0 + tension / 1e5)))
    own = np.sqrt(np.sort([*aside, *aside, *squares(np.full(count, 1e5 / rest))]))
    assert count >= 4
    assert 2.0 * math.pi * found.frequencies == pytest.approx(own, rel=1e-6)


def test_a_wire_between_two_posts_decays_in_the_air() -> None:
    """All its masses feel c v m, so every mode has the damping ratio c / 2 w."""
    ends = Anchor("world"), Anchor("world", (8.0, 0.0, 0.0))
    hybrid = Hybrid(density=1.0, most=7, damping=0.3)
    wire = Cable("wire", ends, ea=1e5, length=8.4, damping_time=0.0, hybrid=hybrid)
    found = modes(Scene(cables=[wire]))
    assert len(found) == 3 * 7
    assert found.damping_ratios == pytest.approx(0.15 / (2.0 * math.pi * found.frequencies))


def test_a_hybrid_wire_swings_with_the_period_of_its_mode() -> None:
    """A load that is let go aside, in steps of the wire's own, to a thousandth."""
    scene = loaded_wire(0.5, load=20.0, damping_time=0.01)
    body = dataclasses.replace(scene.bodies[0], position=(0.1, 0.0, -10.0))
    simulator = Simulator(dataclasses.replace(scene, bodies=(body,)), 5e-3)
    aside = []
    for _ in range(4000):
        simulator.step()
        aside.append(simulator.observe().body("load").position[0])
    x = np.array(aside)
    up = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    crossings = up + x[up] / (x[up] - x[up + 1])
    period = (crossings[-1] - crossings[0]) / (len(up) - 1) * 5e-3
    assert len(up) == 3
    assert modes(scene, 5e-3)[0].period == pytest.approx(period, rel=1e-3)


def test_hybrid_scenes_that_never_rest_are_told() -> None:
    with pytest.raises(ModelError, match=naming("settle body 'block' moves m/s")):
        equilibrium(load_scene("wrapped_block"), dt=0.02)


def test_weights_that_run_until_one_meets_its_wheel_do_not_rest() -> None:
    """Unequal ones on a wheel that nothing holds; equal ones stand."""
    with pytest.raises(ModelError, match=naming("cable 'rope' runs nodes meet")):
        equilibrium(load_scene("heavy_atwood"))
    rest = equilibrium(load_scene("heavy_atwood", left=50.0, right=50.0))
    assert rest.observation.body("left").position[2] == pytest.approx(-5.25, abs=1e-3)
    assert rest.observation.cable("rope").tension == pytest.approx(50.0 * G)


@pytest.mark.parametrize(
    ("nodes", "wire", "why"),
    [
        ((Eye("world", (1.0, 0.0, 0.0)),), {}, "two ends"),
        ((), {"hybrid": Hybrid(density=1.0, bending=1.0)}, "bending"),
    ],
)
def test_wires_without_a_linear_model_are_refused(nodes, wire, why) -> None:
    scene = loaded_wire(1.0, **wire)
    first, last = scene.cables[0].nodes
    cable = dataclasses.replace(scene.cables[0], nodes=(first, *nodes, last))
    with pytest.raises(ModelError, match=naming(f"'wire' hybrid wire {why}")):
        linearise(dataclasses.replace(scene, cables=(cable,)))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wire_over_cylinder", "cable 'wire' hybrid wire touch obstacles"),
        ("chain_on_hook", "cable 'rope' stretch stiffness ea"),
    ],
)
def test_scenes_without_modes_are_refused(name: str, said: str) -> None:
    with pytest.raises(ModelError, match=naming(said)):
        modes(load_scene(name))


@pytest.mark.parametrize("above", [0.0, 0.02])
def test_box_on_soft_ground_swings_on_four_springs(above: float) -> None:
    """Friction holds its corners: it swings up and down, and rocks about two axes at its base."""
    k, m, a, sunk = 1e6, 100.0, 0.5, 100.0 * 9.81 / 4e6
    box = Body("box", m, shape=Box(1.0, 1.0, 1.0), position=(0, 0, a - sunk + above), collides=True)
    scene = Scene(bodies=[box], surfaces=[Surface(stiffness=k, damping_time=0.0)])
    assert equilibrium(scene).observation.body("box").position[2] == pytest.approx(
        a - sunk, abs=1e-9
    )
    found = modes(scene)
    rocking = math.sqrt((4.0 * k * a**2 - m * 9.81 * a) / (m / 6.0 + m * a**2))
    expected = np.array([rocking, rocking, math.sqrt(4.0 * k / m)]) / (2.0 * math.pi)
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-3)
