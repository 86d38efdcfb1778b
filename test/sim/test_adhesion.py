"""Adhesion of faces, such as of a lifting magnet, against statics."""

import dataclasses
import math

import numpy as np
import pytest
from collision_scenes import BALL, LYING, STEPS, G
from messages import naming

from cable_sim import Body, Box, Carriage, Obstacle, Scene, Simulator, Surface
from cable_sim.errors import SpecError
from cable_sim.spec import Collision, Cylinder, Heightfield, Polyhedron, Touch

F = 2000.0
MASS = 100.0


def hung(shape=None, gravity=(0.0, 0.0, -G), at=(0.0, 0.0), carriages=(), **touch) -> Scene:
    """A body below a magnet that never moves, of the face 1 m x 0.6 m at the height 0."""
    shape = shape or Box(0.8, 0.4, 0.1)
    down = shape.radius if shape.kind != "box" else 0.5 * shape.z
    magnet = Body("magnet", motion="prescribed", shape=Box(1.0, 0.6, 0.2), position=(0, 0, 0.1))
    turn = LYING if shape.kind == "cylinder" else (1.0, 0.0, 0.0, 0.0)
    load = Body("load", MASS, shape=shape, position=(*at, -down), orientation=turn)
    touch = Touch(**{"friction": 0.3, "adhesion": F, **touch})
    collision = Collision(things=[("magnet", touch)])
    return Scene([magnet, load], collision=collision, gravity=gravity, carriages=carriages)


def fall(scene: Scene, dt: float = 1e-3, time: float = 0.2, force=(0.0, 0.0, 0.0)) -> np.ndarray:
    """Return the way of the load in a time [m]."""
    simulator = Simulator(scene, dt=dt)
    before = simulator.observe().body("load").position.copy()
    for _ in range(round(time / dt)):
        simulator.push("load", force)
        assert simulator.step().status == 0
    return simulator.observe().body("load").position - before


@pytest.mark.parametrize("dt", STEPS)
@pytest.mark.parametrize("touch", [{}, {"stiffness": 1e7, "damping_time": 0.005}])
@pytest.mark.parametrize("share", [0.2, 0.99, 1.01, 3.0])
def test_a_face_holds_its_force_and_no_more(share, touch, dt) -> None:
    pull = share * F - MASS * G  # beside the weight
    way = fall(hung(**touch), dt, force=(0.0, 0.0, -pull))[2]
    if share < 1.0:
        assert way == pytest.approx(0.0, abs=1e-6 + 1.1 * F / (4.0 * touch.get("stiffness", 1e12)))
    else:
        falls = share * F / MASS  # once they are apart, after 0.05 s at most
        assert 0.5 * falls * 0.15**2 < -way < 0.5 * falls * 0.2 * (0.2 + dt)


@pytest.mark.parametrize("rise", [0.0, 2.0, 8.0])
def test_a_magnet_that_rises_holds_mass_times_gravity_and_rise(rise) -> None:
    for part, holds in ((0.99, True), (1.01, False)):
        scene = hung(gravity=(0.0, 0.0, -(G + rise)), adhesion=MASS * (G + rise) / part)
        assert (abs(fall(scene, time=0.5)[2]) < 1e-6) == holds


@pytest.mark.parametrize("part", [0.98, 1.02])
def test_friction_holds_what_presses_the_faces(part) -> None:
    most = 0.3 * (F - MASS * G)
    across = part * most
    way = fall(hung(), force=(across * math.cos(0.4), across * math.sin(0.4), 0.0))
    speed = np.hypot(*way[:2])
    slid = max(across - most, 0.0) / MASS * 0.5 * 0.2**2
    assert speed == pytest.approx(slid, rel=0.02, abs=1e-7)
    assert abs(way[2]) < 1e-6


@pytest.mark.parametrize("aside", [0.1, 0.3])
def test_a_load_off_the_middle_parts_where_it_pulls_most(aside) -> None:
    # the face is 1 m long; the load of 0.8 m lies under it by a length b about the middle of that
    low, high = max(aside - 0.4, -0.5), min(aside + 0.4, 0.5)
    half, lever = 0.5 * (high - low), aside - 0.5 * (high + low)
    most = F / (1.0 + lever / half)  # of the two points there, F / 2
    for part, holds in ((0.98, True), (1.02, False)):
        scene = hung(at=(aside, 0.0), gravity=(0.0, 0.0, -part * most / MASS))
        assert (abs(fall(scene, time=0.5)[2]) < 1e-4) == holds


@pytest.mark.parametrize("degrees", [0.2, 5.0, 45.0])
def test_an_edge_holds_nothing(degrees) -> None:
    turn = math.radians(degrees)
    down = 0.05 * math.cos(turn) + 0.4 * math.sin(turn)
    magnet, load = hung().bodies
    leaning = dataclasses.replace(
        load,
        position=(0.0, 0.0, -down),
        orientation=(math.cos(0.5 * turn), 0.0, math.sin(0.5 * turn), 0.0),
    )
    scene = dataclasses.replace(hung(adhesion=5.0 * MASS * G), bodies=[magnet, leaning])
    assert fall(scene, time=0.5)[2] == pytest.approx(-0.5 * G * 0.5**2, rel=0.01)


@pytest.mark.parametrize(("shape", "share"), [(BALL, 0.25), (Cylinder(0.1, 0.5), 0.5)])
def test_a_line_holds_half_and_a_point_a_quarter(shape, share) -> None:
    for part, holds in ((0.98, True), (1.02, False)):
        scene = hung(shape, gravity=(0.0, 0.0, -part * share * F / MASS))
        assert (abs(fall(scene, time=0.5)[2]) < 1e-4) == holds


def test_a_face_of_three_points_holds_all() -> None:
    corners = [(0.3 * math.cos(a), 0.3 * math.sin(a)) for a in (0.5, 0.5 + 2.0944, 0.5 + 4.18879)]
    prism = Polyhedron(tuple((x, y, z) for x, y in corners for z in (-0.05, 0.05)))
    for part, holds in ((0.99, True), (1.01, False)):
        scene = hung(gravity=(0.0, 0.0, -part * F / MASS))
        magnet, load = scene.bodies
        load = dataclasses.replace(load, shape=prism, inertia=(2.0, 2.0, 4.0))
        scene = dataclasses.replace(scene, bodies=[magnet, load])
        assert (abs(fall(scene, time=0.5)[2]) < 1e-6) == holds


def test_readings_tell_the_pressure_and_the_force_of_both() -> None:
    simulator = Simulator(hung())
    simulator.step(100)
    seen = simulator.observe()
    touch = seen.contact("magnet", "load")
    assert touch.points == 4
    assert touch.normal_force == pytest.approx(F - MASS * G, rel=1e-9)
    assert touch.force == pytest.approx([0.0, 0.0, MASS * G], rel=1e-6, abs=1e-6)
    assert seen.body("load").contact_force == pytest.approx(touch.force, rel=1e-9, abs=1e-9)


def test_a_switch_takes_and_lets_go_and_events_tell() -> None:
    switch = Carriage("current", "slide", "magnet", (), 0.0, 1.0, 10.0)
    held = hung(switch="current", carriages=[switch])
    below = Body("table", motion="prescribed", shape=Box(2.0, 2.0, 0.2), position=(0, 0, -0.2))
    simulator = Simulator(dataclasses.replace(held, bodies=(*held.bodies, below)))
    simulator.step(100)
    assert simulator.observe().contact("table", "load").normal_force == pytest.approx(MASS * G)
    current = simulator.drives["current"]
    for share in (1.0, 0.6):  # the table carries nothing, and then still nothing
        current.command(share, "position")
        simulator.step(200)
        seen = simulator.observe()
        assert seen.contact("magnet", "load").normal_force == pytest.approx(
            share * F - MASS * G + seen.contact("table", "load").normal_force, rel=1e-6
        )
    alone = Simulator(held)
    alone.drives["current"].command(1.0, "position")
    alone.step(100)
    fallen = alone.observe()
    assert fallen.body("load").position[2] < -0.05, "the current has come too late"
    assert [event.begins for event in fallen.events] in ([], [True, False])


def test_parting_takes_energy_and_joining_gives_none() -> None:
    for speed in (0.1, 0.4, 2.0):
        scene = hung(gravity=(0.0, 0.0, 0.0))
        magnet, load = scene.bodies
        free = dataclasses.replace(magnet, motion="dynamic", mass=300.0)
        moving = dataclasses.replace(load, velocity=(0.0, 0.0, -speed))
        simulator = Simulator(dataclasses.replace(scene, bodies=[free, moving]))
        assert simulator.step(500).status == 0, "no energy is gained"
        seen = simulator.observe()
        momentum = 300.0 * seen.body("magnet").velocity + MASS * seen.body("load").velocity
        assert momentum == pytest.approx([0.0, 0.0, -MASS * speed], abs=1e-9)
        kinetic = 0.5 * 300.0 * seen.body("magnet").velocity[2] ** 2
        kinetic += 0.5 * MASS * seen.body("load").velocity[2] ** 2
        assert kinetic <= 0.5 * MASS * speed**2


def test_soft_faces_give_their_energy_to_the_damper() -> None:
    stiffness = 1e7
    scene = hung(gravity=(0.0, 0.0, 0.0), stiffness=stiffness, damping_time=0.005)
    simulator = Simulator(scene)
    simulator.step(500)
    energy = simulator.observe().energy.total
    assert energy == pytest.approx(-(F**2) / (8.0 * stiffness) - F * 1e-5, rel=1e-3)


def test_an_unsaid_surface_never_sticks() -> None:
    scene = hung(adhesion=1e6)
    ground = Surface(point=(0.0, 0.0, -0.1))
    magnet = dataclasses.replace(scene.bodies[0], motion="dynamic", mass=10.0)
    alone = dataclasses.replace(magnet, position=(0.0, 0.0, 0.0))
    simulator = Simulator(dataclasses.replace(scene, bodies=[alone], surfaces=[ground]))
    simulator.step(100)
    seen = simulator.observe()
    assert seen.contact("ground", "magnet").normal_force == pytest.approx(10.0 * G, rel=1e-6)


@pytest.mark.parametrize(
    ("touch", "told"),
    [
        ({"switch": "nothing"}, "switch 'nothing' is not known|there is no|nothing"),
        ({"adhesion": 0.0, "switch": "current"}, "switch: 'current' needs an adhesion above 0"),
        ({"adhesion": -1.0}, "adhesion"),
    ],
)
def test_what_no_magnet_can_be_is_refused(touch, told) -> None:
    with pytest.raises(SpecError, match=told):
        hung(**touch)


def test_unknown_and_repeated_things_are_refused() -> None:
    scene = hung()
    surfaces = [Surface(name="ground", point=(0.0, 0.0, -1.0))]
    for names, told in (
        (["magnett"], "'magnett' magnet load"),
        (["ground"], "'ground' magnet load"),
        (["magnet", "magnet"], "magnet here"),
    ):
        with pytest.raises(SpecError, match=naming(told)):
            things = [(name, Touch(adhesion=F)) for name in names]
            dataclasses.replace(scene, surfaces=surfaces, collision=Collision(things=things))


def test_a_switch_from_none_to_all_is_wanted() -> None:
    wide = Carriage("current", "slide", "magnet", (), lower=-1.0, upper=5.0, max_speed=1.0)
    with pytest.raises(SpecError, match=naming("'current' -1 5 0 1")):
        hung(carriages=[wide], switch="current")


def test_a_hill_of_many_parts_holds() -> None:
    """A box that lies on its level side is pulled up by less, then by more."""
    heights = np.zeros((9, 9))
    heights[0, 0] = 1.0
    hill = Obstacle("hill", Heightfield(8.0, 8.0, heights, depth=1.0))
    load = Body("load", MASS, shape=Box(0.8, 0.4, 0.1), position=(1.0, 1.0, 0.05))
    collision = Collision(things=[("hill", Touch(adhesion=F))])
    scene = Scene([load], obstacles=[hill], collision=collision, gravity=(0.0, 0.0, 0.0))
    assert abs(fall(scene, force=(0.0, 0.0, 0.9 * F))[2]) < 1e-6
    assert fall(scene, force=(0.0, 0.0, 1.1 * F))[2] > 0.1
