"""Drag of moving air on bodies and ropes: closed forms, a recurrence by hand, and that it never
puts energy in."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from transforms3d.quaternions import quat2mat

from cable_sim import Anchor, Body, Box, Cable, Joint, Scene, Simulator, Sphere
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.records.arrays import arrays_by_name, arrays_of
from cable_sim.spec import Air, Cylinder, Drag, Elevation, Hybrid, Loose, Lumped

G, RHO = 9.81, 1.25


def test_a_box_falls_with_its_terminal_velocity_at_last() -> None:
    """v = v_t tanh(g t / v_t), v_t = sqrt(2 m g / (rho cd A))."""
    box = Body("box", 30.0, shape=Box(1.0, 2.0, 0.5), drag=(Drag(1.1),))
    simulator = Simulator(Scene(bodies=(box,)), dt=2e-3)
    terminal = math.sqrt(2.0 * 30.0 * G / (RHO * 1.1 * 2.0))
    for t in (0.5, 1.0, 2.0, 30.0):
        simulator.step(round((t - simulator.time) / simulator.dt))
        fallen = -simulator.observe().body("box").velocity[2]
        assert fallen == pytest.approx(terminal * math.tanh(G * t / terminal), rel=2e-3)
    assert fallen == pytest.approx(terminal, rel=1e-9)


@pytest.mark.parametrize(
    ("shape", "areas"),
    [
        (Box(2.0, 3.0, 5.0), (15.0, 10.0, 6.0)),
        (Sphere(2.0), (4.0 * math.pi,) * 3),
        (Cylinder(1.5, 4.0), (12.0, 12.0, 2.25 * math.pi)),
    ],
)
def test_areas_of_shapes(shape, areas) -> None:
    assert shape.areas == pytest.approx(areas)


def by_hand(
    h: float, wind: np.ndarray, body: Body, rotation: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """Velocities after a step of the drag on all patches of a free body, which is so turned."""
    total = np.zeros(6)
    inverse = rotation @ np.diag(1.0 / np.array(body.inertia)) @ rotation.T
    for drag in body.drag:
        arm = rotation @ np.array(drag.centre)
        u = wind - v[:3] - np.cross(v[3:], arm)
        force = rotation @ (
            0.5 * RHO * drag.cd * np.array(drag.areas) * np.linalg.norm(u) * (rotation.T @ u)
        )
        total += h * np.concatenate([force / body.mass, inverse @ np.cross(arm, force)])
    return v + total


def test_off_centre_patches_follow_the_hand_made_recurrence() -> None:
    """Two patches on a body that tumbles: linear and angular momentum of 20 steps, to rounding.

    The drag is that of the middle of the step, which is what the state holds.
    """
    drags = (
        Drag(1.3, (2.0, 0.5, 1.0), (0.4, -0.3, 0.7)),
        Drag(0.9, (0.0, 1.5, 0.2), (-1.0, 0.2, 0.1)),
    )
    body = Body(
        "b",
        2.0,
        inertia=(0.7, 0.9, 1.3),
        orientation=(0.5, 0.1, -0.7, 0.4),
        velocity=(1.0, -2.0, 0.5),
        angular_velocity=(0.8, 2.0, -1.0),
        drag=drags,
    )
    wind, h = np.array([6.0, -3.0, 1.0]), 1e-3
    simulator = Simulator(
        Scene(bodies=(body,), gravity=(0.0, 0.0, 0.0), air=Air(wind=tuple(wind))), dt=h
    )
    for _ in range(20):
        middle = simulator.save().state.bodies
        rotation = quat2mat(middle.orientation[1])
        expected = by_hand(h, wind, body, rotation, middle.velocity[1])
        momentum = rotation @ np.diag(body.inertia) @ rotation.T @ expected[3:]
        simulator.step()
        after = simulator.observe().body("b")
        turned = quat2mat(after.orientation)
        assert after.velocity == pytest.approx(expected[:3], abs=1e-12)
        assert turned @ np.diag(body.inertia) @ turned.T @ after.angular_velocity == pytest.approx(
            momentum, abs=1e-12
        )


def test_air_takes_energy_from_a_feather_at_any_step() -> None:
    """A kilogram with a hundred square metres on a light arm, in steps of 0.1 s: the explicit rule
    would explode."""
    body = Body(
        "b",
        1.0,
        inertia=(0.1, 0.1, 0.1),
        velocity=(30.0, -20.0, 10.0),
        angular_velocity=(3.0, 5.0, -2.0),
        drag=(
            Drag(1.2, (100.0, 80.0, 60.0), (0.5, 0.2, 0.0)),
            Drag(1.2, (50.0, 0.0, 0.0), (-0.5, 0.0, 0.3)),
        ),
    )
    wind = np.array([5.0, 0.0, 0.0])
    simulator = Simulator(
        Scene(bodies=(body,), gravity=(0.0, 0.0, 0.0), air=Air(wind=(5.0, 0.0, 0.0))), dt=0.1
    )
    energies = []
    for _ in range(100):
        seen = simulator.observe().body("b")
        energies.append(
            0.5 * np.sum((seen.velocity - wind) ** 2) + 0.05 * np.sum(seen.angular_velocity**2)
        )
        simulator.step()
    assert (np.diff(energies) < 0.0).all()
    assert energies[-1] < 0.02 * energies[0]


def hung(
    angle: float, mass: float = 500.0, length: float = 10.0, dt: float = 1e-3, **rope: object
) -> Simulator:
    """A box with its centre on a rope of that angle from the vertical to x, in a wind of 15 m/s, in
    balance."""
    place = (length * math.sin(angle), 0.0, -length * math.cos(angle))
    pull = mass * G / math.cos(angle)
    box = Body("box", mass, shape=Box(1.5, 2.0, 2.0), position=place, drag=(Drag(1.2),))
    cable = Cable(
        "rope",
        (Anchor("world", (0.0, 0.0, 0.0)), Anchor("box", (0.0, 0.0, 0.0))),
        ea=2e6,
        pretension=pull,
        damping_ratio=0.2,
        **rope,
    )
    return Simulator(Scene(bodies=(box,), cables=(cable,), air=Air(wind=(15.0, 0.0, 0.0))), dt=dt)


def sway(simulator: Simulator) -> float:
    """Angle of the rope [rad]."""
    x, _, z = simulator.observe().body("box").position
    return math.atan2(x, -z)


def test_steady_sway_is_drag_over_weight() -> None:
    """tan = 1/2 rho cd A U^2 / (m g): a box that is hung there stays."""
    angle = math.atan(0.5 * RHO * 1.2 * 4.0 * 15.0**2 / (500.0 * G))
    simulator = hung(angle)
    for _ in range(4):
        simulator.step(500)
        assert sway(simulator) == pytest.approx(angle, rel=2e-5)


@pytest.mark.parametrize(("direction", "factor"), [(1, 1.0), (0, 2.0)])
def test_wind_damps_a_pendulum(direction: int, factor: float) -> None:
    """Small swings across the wind decay with k U / 2 m, along it with twice that where k U^2 is
    small; k in kg/m."""
    mass, wind, k = 1000.0, 5.0, 0.5 * RHO * 2.0 * 8.0
    box = Body(
        "box",
        mass,
        shape=Sphere(0.5),
        position=(0.0, 0.0, -2.0),
        drag=(Drag(2.0, (8.0, 8.0, 0.0)),),
        velocity=tuple(0.02 * (i == direction) for i in range(3)),
    )
    cable = Cable("rope", (Anchor("world", (0.0, 0.0, 0.0)), Anchor("box", (0.0, 0.0, 0.0))))
    blown = Scene(
        bodies=(box,),
        cables=(cable,),
        air=Air(wind=(wind, 0.0, 0.0)),
        gravity=(-k * wind**2 / mass, 0, -G),
    )
    simulator = Simulator(
        blown, dt=2e-3
    )  # gravity leans against the wind, so that the box hangs straight
    speeds = []
    for _ in range(15000):
        simulator.step()
        speeds.append(simulator.observe().body("box").velocity[direction])
    peaks = [i for i in range(1, 14999) if speeds[i - 1] < speeds[i] >= speeds[i + 1]]
    rate = math.log(speeds[peaks[0]] / speeds[peaks[-1]]) / ((peaks[-1] - peaks[0]) * 2e-3)
    assert rate == pytest.approx(factor * k * wind / (2.0 * mass), rel=0.01)


def test_wind_grows_with_height_by_a_power() -> None:
    """What one step gives a body at 40 m and at 10 m; below the ground it is calm."""
    air = Air(wind=(8.0, 0.0, 0.0), exponent=0.2, reference_height=10.0)
    bodies = tuple(
        Body(
            f"b{i}",
            1e4,
            shape=Box(1.0, 1.0, 1.0),
            position=(0.0, 3.0 * i, float(z)),
            drag=(Drag(1.0),),
        )
        for i, z in enumerate((10, 40, -5))
    )
    simulator = Simulator(Scene(bodies=bodies, gravity=(0.0, 0.0, 0.0), air=air), dt=1e-3)
    simulator.step()
    low, high, below = simulator.observe().body_velocity[:, 0]
    assert low == pytest.approx(1e-3 * 0.5 * RHO * 64.0 / 1e4, rel=1e-6)
    assert high / low == pytest.approx(4.0**0.4, rel=1e-6)
    assert below == 0.0


def test_a_straight_rope_gives_half_of_its_drag_to_its_end() -> None:
    """Moments about the upper end: D cos(a) + 1/2 f l cos^2(a) = m g sin(a), the rope's own drag
    across it."""
    load, rope = 0.5 * RHO * 1.2 * 4.0 * 225.0, 0.5 * RHO * 1.2 * 0.2 * 225.0
    angle = brentq(
        lambda a: (
            load * math.cos(a) + 0.5 * rope * 10.0 * math.cos(a) ** 2 - 500.0 * G * math.sin(a)
        ),
        0,
        1,
    )
    assert angle > 1.2 * math.atan(load / (500.0 * G))
    simulator = hung(angle, cd=1.2, diameter=0.2)
    for _ in range(4):
        simulator.step(500)
        assert sway(simulator) == pytest.approx(angle, rel=5e-4)


@pytest.mark.parametrize("made", ["chain", "springs", "hybrid"])
def test_a_rope_that_hangs_in_the_wind_is_straight(made: str) -> None:
    """Drag across against weight across: f cos^2(a) = rho g sin(a) for each piece of it, wherever
    on the rope."""
    drag, density, length = 0.5 * RHO * 1.2 * 0.02 * 12.0**2, 0.4, 6.0
    angle = brentq(lambda a: drag * math.cos(a) ** 2 - density * G * math.sin(a), 0.0, 1.5)
    out = np.array([math.sin(angle), 0.0, -math.cos(angle)])
    layer = (
        {"lumped": Lumped(9, made, density=density, friction=5.0 if made == "springs" else 0.0)}
        if (made != "hybrid")
        else {
            "hybrid": Hybrid(
                density=density, most=8, least=8, damping=0.0, path=(tuple(0.5 * length * out),)
            )
        }
    )
    cable = Cable(
        "rope",
        (Anchor("world", (0.0, 0.0, 0.0)), Loose(tuple(length * out))),
        ea=1e4,
        length=length,
        diameter=0.02,
        cd=1.2,
        **layer,
    )
    simulator = Simulator(Scene(cables=(cable,), air=Air(wind=(12.0, 0.0, 0.0))), dt=1e-3)
    for _ in range(5):
        simulator.step(400)
        places = simulator.observe().cable("rope").curve[1:]
        found = np.arctan2(places[:, 0], -places[:, 2])
        assert found == pytest.approx(np.full(found.size, angle), abs=5e-3)
    simulator.set_wind((0.0, 0.0, 0.0))
    simulator.step(500)
    assert simulator.observe().cable("rope").curve[-1, 0] < 0.95 * length * math.sin(angle)


def strung(**rope: object) -> Simulator:
    """A rope along y from one frame to another, which the world holds."""
    frames = tuple(
        Body(name, 100.0, inertia=(50.0, 50.0, 50.0), position=(0.0, y, 0.0)) for name, y in SIDES
    )
    held = tuple(Joint(f"{name}_held", "fixed", name, point=(0.0, y, 0.0)) for name, y in SIDES)
    cable = Cable(
        "rope",
        tuple(Anchor(name, (0.0, 0.0, 0.0)) for name, _ in SIDES),
        ea=1e6,
        pretension=4000.0,
        damping_ratio=0.1,
        diameter=0.03,
        cd=1.2,
        **rope,
    )
    return Simulator(
        Scene(bodies=frames, joints=held, cables=(cable,), air=Air(wind=(20.0, 0.0, 0.0))), dt=1e-3
    )


SIDES = (("left", -20.0), ("right", 20.0))


@pytest.mark.parametrize(
    "rope", [{}, {"elevation": Elevation(points=17, density=2.0, damping=4.0)}]
)
def test_what_holds_a_rope_feels_all_of_its_drag(rope) -> None:
    """f l = 360 N to the side on both joints, mean over the last second."""
    simulator, felt = strung(**rope), []
    simulator.step(6000 if rope else 1000)
    for _ in range(100):
        simulator.step(10)
        seen = simulator.observe()
        felt.append(-sum(seen.joint(f"{name}_held").force[0] for name, _ in SIDES))
    assert np.mean(felt) == pytest.approx(0.5 * RHO * 1.2 * 0.03 * 400.0 * 40.0, rel=2e-3)


def test_a_curve_hangs_out_of_the_wind() -> None:
    """The string sags in the plane of weight and drag: to the side over down is f over rho g."""
    simulator = strung(elevation=Elevation(points=17, density=2.0, damping=4.0))
    simulator.step(8000)
    x, _, z = simulator.observe().cable("rope").curve[8]
    assert x / -z == pytest.approx(0.5 * RHO * 1.2 * 0.03 * 400.0 / (2.0 * G), rel=5e-3)


def vane(angle: float, locked: bool) -> Simulator:
    """A jib with side areas on a hinge, its far arm heavier in the wind than its near one; wind of
    20 km/h along x."""
    arms = (
        Drag(1.0, (0.0, 40.0, 0.0), (35.0, 0.0, 0.0)),
        Drag(1.0, (0.0, 29.0, 0.0), (-12.5, 0.0, 0.0)),
    )
    turned = (math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle))
    jib = Body("jib", 45e3, inertia=(2e5, 2.8e7, 2.8e7), orientation=turned, drag=arms)
    ring = Joint("ring", "fixed" if locked else "hinge", "jib")
    return Simulator(
        Scene(bodies=(jib,), joints=(ring,), air=Air(wind=(20.0 / 3.6, 0.0, 0.0))), dt=0.02
    )


def test_a_free_jib_starts_in_light_wind_and_settles_downwind() -> None:
    simulator = vane(1.2, locked=False)
    start = simulator.observe().joint("ring").position
    simulator.step(500)
    assert simulator.observe().joint("ring").position < start - 1e-2
    simulator.step(75000)
    seen = simulator.observe().body("jib")
    heading = quat2mat(seen.orientation)[:, 0]
    assert heading == pytest.approx([1.0, 0.0, 0.0], abs=0.02)


def test_a_locked_jib_feels_the_moment_of_its_areas() -> None:
    """Across the wind: 1/2 rho U^2 sum A x, which is 20 kN m at 20 km/h."""
    simulator = vane(0.5 * math.pi, locked=True)
    simulator.step(10)
    moment = 0.5 * RHO * (20.0 / 3.6) ** 2 * (40.0 * 35.0 - 29.0 * 12.5)
    assert simulator.observe().joint("ring").torque[2] == pytest.approx(moment, rel=1e-3)


def windy(solver: str = "envelope") -> Simulator:
    """Everything that the wind can blow on."""
    box = Body("box", 50.0, shape=Box(1.0, 1.0, 1.0), drag=(Drag(1.2),))
    ropes = (
        Cable(
            "a",
            (Anchor("world", (0, 0, 5)), Anchor("box", (0, 0, 0.5))),
            ea=1e5,
            diameter=0.02,
            cd=1.2,
            pretension=300.0,
            elevation=Elevation(points=9, density=0.5),
        ),
        Cable(
            "b",
            (Anchor("box", (0.5, 0, 0)), Loose((2.0, 0, 0))),
            ea=1e4,
            diameter=0.02,
            cd=1.2,
            lumped=Lumped(7, density=0.3),
        ),
    )
    air = Air(wind=(9.0, 4.0, 0.0), exponent=0.1)
    return Simulator(Scene(bodies=(box,), cables=ropes, air=air), 1e-3, solver=solver)


def test_a_restored_state_repeats_whatever_the_workspace_holds() -> None:
    """The wind is part of what is saved, and nothing else of it than that."""
    simulator = windy()
    simulator.set_wind((12.0, -3.0, 1.0))
    simulator.step(100)
    snapshot = simulator.save()
    simulator.step(50)
    expected = [array.tobytes() for array in arrays_of(simulator.save().state)]
    simulator.set_wind((0.0, 0.0, 0.0))
    simulator.step(5)
    simulator.restore(snapshot)
    for _ in range(50):
        for field, array in arrays_by_name(simulator._work).items():
            if field != "bodies.inverse_inertia":
                array[...] = np.nan if array.dtype == np.float64 else 1
        simulator.step()
    assert [array.tobytes() for array in arrays_of(simulator.save().state)] == expected


def test_both_solvers_take_the_same_wind() -> None:
    ours, other = windy(), windy("sparse")
    for simulator in (ours, other):
        simulator.step(200)
    assert other.observe().body_position == pytest.approx(ours.observe().body_position, abs=1e-9)


@pytest.mark.parametrize("wrong", [(1.0, 2.0), (math.nan, 0.0, 0.0), (math.inf, 0.0, 0.0), 5.0])
def test_a_wind_that_is_none_is_refused(wrong) -> None:
    simulator = windy()
    before = simulator.save().control.wind
    with pytest.raises(CommandError, match="wind: .*three finite numbers"):
        simulator.set_wind(wrong)
    assert (simulator.save().control.wind == before).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Body("b", 1.0, inertia=(1, 1, 1), drag=(Drag(),)), ["'b'", "drag.0: areas"]),
        (lambda: Drag(0.0), ["cd", "greater than 0"]),
        (lambda: Drag(1.0, (1.0, -1.0, 0.0)), ["areas", "-1"]),
        (lambda: Air(exponent=3.0), ["exponent", "0 ... 1", "3"]),
        (
            lambda: Cable("r", (Anchor("world"), Anchor("b")), cd=1.2),
            ["'r'", "cd: 1.2", "diameter"],
        ),
    ],
)
def test_drag_that_can_not_be_is_refused(make, words) -> None:
    with pytest.raises(SpecError) as error:
        make()
    assert all(word in str(error.value) for word in words), str(error.value)
