"""Beams against closed forms of Euler and Bernoulli, the elastica, and rigid rods."""

import dataclasses

import numpy as np
import pytest
from messages import naming
from scipy.integrate import quad
from scipy.optimize import brentq
from slow_cases import slow_but

from cable_sim import (
    Air,
    Anchor,
    Beam,
    Body,
    Cable,
    Joint,
    Scene,
    Simulator,
    Sphere,
    equilibrium,
    modes,
)
from cable_sim.errors import SpecError
from cable_sim.scenes.beams import bending_crane

G = 9.81
LONG, EI_Y, EI_Z, EA, MU = 24.0, 3e8, 5e8, 2e10, 120.0
CANTILEVER = np.array((1.8751041, 4.6940911, 7.8547574, 10.9955407))


def beam(**changes) -> Beam:
    """A slender beam of 24 m along x, without damping."""
    usual = {"start": (0, 0, 0), "end": (LONG, 0, 0), "ei_y": EI_Y, "ei_z": EI_Z, "ea": EA}
    return Beam("beam", **(usual | {"density": MU, "damping_ratio": 0.0} | changes))


def clamped(one: Beam, gravity=(0.0, 0.0, -G), tip: float = 0.0) -> Scene:
    """A beam clamped at its start, with a small heavy body at the end of its axis."""
    joints = [*one.joints, Joint("clamp", "fixed", one.at(0.0)[0], point=one.start)]
    bodies = list(one.bodies)
    if tip:
        bodies.append(Body("tip", tip, shape=Sphere(0.05), position=one.end))
        joints.append(Joint("to_tip", "fixed", "tip", one.at(1.0)[0], point=one.end))
    return Scene(bodies=bodies, joints=joints, gravity=gravity)


def frequencies(scene: Scene) -> np.ndarray:
    """Angular frequencies of the modes [rad/s], the slowest first."""
    return 2.0 * np.pi * np.sort([mode.frequency for mode in modes(scene)])


def nearest(found: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Errors of the frequencies that are nearest to the right ones, relative."""
    return np.array([found[np.argmin(np.abs(found - w))] / w - 1.0 for w in right])


def test_cantilever_has_its_first_modes_in_both_planes() -> None:
    """beta^2 sqrt(EI / mu) / L^2; the fourth mode is the least exact."""
    found = frequencies(clamped(beam(elements=12), (0, 0, 0)))
    for stiffness in (EI_Y, EI_Z):
        right = (CANTILEVER / LONG) ** 2 * np.sqrt(stiffness / MU)
        errors = np.abs(nearest(found, right))
        assert errors[:3].max() < 5e-3
        assert errors[3] < 1e-2


def test_four_cells_are_right_for_the_first_mode() -> None:
    found = frequencies(clamped(beam(elements=4), (0, 0, 0)))
    right = (CANTILEVER[:1] / LONG) ** 2 * np.sqrt(EI_Y / MU)
    assert np.abs(nearest(found, right)) < 1e-3


def test_beam_on_two_supports_has_its_first_modes() -> None:
    """(k pi / L)^2 sqrt(EI / mu), up and down on hinges, one of which slides along."""
    one = beam(elements=12, ei_z=100.0 * EI_Y, ea=100.0 * EA)
    ends = one.at(0.0)[0], one.at(1.0)[0]
    cart = Body("cart", 1e-3, inertia=(1e-3, 1e-3, 1e-3), position=one.end)
    joints = [
        Joint("left", "hinge", ends[0], point=one.start, axis=(0, 1, 0)),
        Joint("right", "hinge", ends[1], "cart", point=one.end, axis=(0, 1, 0)),
        Joint("slide", "prismatic", "cart", point=one.end, axis=(1, 0, 0)),
    ]
    scene = Scene(
        bodies=[*one.bodies, cart], joints=[*one.joints, *joints], gravity=(0.0, 0.0, 0.0)
    )
    right = (np.arange(1, 5) * np.pi / LONG) ** 2 * np.sqrt(EI_Y / MU)
    errors = np.abs(nearest(frequencies(scene), right))
    assert errors[:3].max() < 5e-3
    assert errors[3] < 1e-2


def test_cantilever_twists_and_stretches_in_its_time() -> None:
    """pi / 2 L of the wave speeds: sqrt(EA / mu), and sqrt(GJ / I), with I = mu (EI + EI) / EA."""
    found = frequencies(clamped(beam(elements=12, gj=2e8), (0, 0, 0)))
    waves = np.sqrt((EA / MU, 2e8 * EA / (MU * (EI_Y + EI_Z))))
    assert np.abs(nearest(found, 0.5 * np.pi / LONG * waves)).max() < 2e-3


@pytest.mark.parametrize("elements", slow_but([1, 5], [1, 2, 5, 12]))
def test_tip_sinks_by_its_load_with_any_number_of_cells(elements: int) -> None:
    """P L^3 / 3 EI, beside the same beam without the load."""
    heights = [
        equilibrium(clamped(beam(elements=elements), tip=tip)).observation.body("tip").position[2]
        for tip in (1e-3, 400.0)
    ]
    assert heights[0] - heights[1] == pytest.approx(400 * G * LONG**3 / (3 * EI_Y), rel=1e-3)


def test_beam_sags_under_its_weight() -> None:
    """mu g L^4 / 8 EI."""
    seen = equilibrium(clamped(beam(elements=8), tip=1e-3)).observation
    assert -seen.body("tip").position[2] == pytest.approx(MU * G * LONG**4 / (8 * EI_Y), rel=1e-3)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_footing_gives_along_and_about_its_axes(axis: int) -> None:
    """P / k and P L^2 / k beside P L^3 / 3 EI; the axes are y, z, x."""
    eased = np.full(6, 1e-12)
    about = {0: 4, 1: 3, 2: 5}[axis]  # along y it turns about z, and the other way round
    eased[axis], eased[about] = 1e-6, 2e-8
    one = beam(elements=3)
    pull = np.zeros(3)
    pull[(axis + 1) % 3] = 1.0
    found = []
    for tip in (1e-3, 400.0):
        scene = clamped(one, tip=tip, gravity=tuple(G * pull))
        joints = (*scene.joints[:3], one.footing(tuple(eased)), *scene.joints[4:])
        seen = equilibrium(dataclasses.replace(scene, joints=joints)).observation
        found.append(pull @ seen.body("tip").position)
    bends = {0: LONG**3 / (3.0 * EI_Z), 1: LONG**3 / (3.0 * EI_Y), 2: LONG / EA}[axis]
    lever = 0.0 if axis == 2 else eased[about] * LONG**2
    assert found[1] - found[0] == pytest.approx(400 * G * (bends + eased[axis] + lever), rel=1e-3)


@pytest.mark.parametrize("end", [(LONG, 0, 0), (0, 0, LONG), (12.0, -8.0, 6.0)])
def test_beam_with_camber_is_straight_under_what_it_carries(end) -> None:
    """With its weight, a body at the tip and a moment of a second one off the axis."""
    up = (0.0, 0.0, 1.0) if end[0] else (1.0, 0.0, 0.0)
    tip, aside, off = 900.0, 300.0, np.array((1.0, 2.0, 0.5))
    moment = np.cross(off, (0.0, 0.0, -aside * G))
    carries = ((0.0, 0.0, -(tip + aside) * G), tuple(moment))
    one = beam(end=end, up=up, elements=5, carries=carries)
    scene = clamped(one, tip=tip)
    more = Body("aside", aside, shape=Sphere(0.1), position=tuple(np.add(end, off)))
    held = Joint("beside", "fixed", "aside", "tip", point=end)
    scene = dataclasses.replace(scene, bodies=(*scene.bodies, more), joints=(*scene.joints, held))
    simulator = Simulator(scene)
    simulator.step(2000)
    straight = {body.name: body.position for body in scene.bodies}
    for body in scene.bodies:
        there = simulator.bodies[body.name].position
        assert there == pytest.approx(straight[body.name], abs=2e-5)


@pytest.mark.parametrize(("load", "elements"), [(3000.0, 4), (8000.0, 9)])
def test_bending_crane_starts_at_rest(load: float, elements: int) -> None:
    scene = bending_crane(load, elements)
    simulator = Simulator(scene, dt=1e-3)
    for _ in range(10):
        simulator.step(100)
        seen = simulator.observe()
        for body in scene.bodies:
            assert seen.body(body.name).position == pytest.approx(body.position, abs=5e-5)
        for cable in scene.cables:
            assert seen.cable(cable.name).tension == pytest.approx(cable.pretension, rel=5e-4)


@pytest.mark.parametrize("wind", [(0.0, 30.0, 0.0), (30.0, 0.0, 0.0)])
def test_wind_across_bends_a_beam(wind) -> None:
    """q c w L^4 / 8 EI with q = 0.625 v^2 across, and nothing along."""
    scene = clamped(beam(cd_width=0.8, elements=8), (0.0, 0.0, 0.0), tip=1e-3)
    seen = equilibrium(dataclasses.replace(scene, air=Air(wind=wind))).observation
    right = 0.625 * wind[1] ** 2 * 0.8 * LONG**4 / (8.0 * EI_Z)
    assert seen.body("tip").position[1] == pytest.approx(right, rel=1e-3)


def elastica(load: float) -> tuple[float, float]:
    """Tip of a cantilever of L = EI = 1 under a dead load across it, by its integrals.

    With the slope a at the tip: theta'^2 = 2 P (sin a - sin theta).
    """

    def along(slope: float, weight) -> float:
        """Integral of a weight of theta over the beam, free of the pole at the tip."""

        def integrand(u: float) -> float:
            theta = slope - u * u
            sine = np.sin(slope) - np.sin(theta)
            rate = u / np.sqrt(sine) if u > 1e-9 else 1.0 / np.sqrt(np.cos(slope))
            return 2.0 * weight(theta) * rate / np.sqrt(2.0 * load)

        return quad(integrand, 0.0, np.sqrt(slope))[0]

    slope = brentq(lambda a: along(a, lambda _: 1.0) - 1.0, 1e-3, 1.5)
    return along(slope, np.cos), along(slope, np.sin)


@pytest.mark.parametrize("load", slow_but([1.0], [0.305, 1.0]))
def test_beam_bends_far_as_the_elastica(load: float) -> None:
    """To 10 and 30 % of its length."""
    tip = load * EI_Y / LONG**2 / G
    one = beam(elements=12, density=0.01 * tip / LONG)
    there = equilibrium(clamped(one, tip=tip)).observation.body("tip").position / LONG
    x, down = elastica(load * (1.0 + 0.01 * 3.0 / 8.0))
    assert down > (0.1 if load < 0.5 else 0.29)
    assert there[2] == pytest.approx(-down, rel=5e-3)
    assert 1.0 - there[0] == pytest.approx(1.0 - x, rel=1e-2)


@pytest.mark.parametrize("elements", [1, 3, 8])
def test_nodes_have_mass_and_inertia_of_the_rod(elements: int) -> None:
    """mu L in the middle, and mu L^3 / 12 with the cross section's part."""
    one = beam(elements=elements)
    mass = np.array([node.mass for node in one.bodies])
    place = np.array([node.position[0] for node in one.bodies])
    own = sum(node.inertia[1] for node in one.bodies)
    assert mass.sum() == pytest.approx(MU * LONG)
    assert mass @ place == pytest.approx(MU * LONG * LONG / 2.0)
    about_middle = mass @ (place - 0.5 * LONG) ** 2 + own
    assert about_middle == pytest.approx(MU * LONG**3 / 12.0 + MU * LONG * EI_Y / EA)


def test_beam_bends_alike_in_any_direction() -> None:
    """The tip in the beam's own axes, for a beam that is turned with its gravity."""
    rng = np.random.default_rng(5)
    force = np.array((0.5, 1.0, -1.0)) * G
    places = []
    for _ in range(4):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
        turned = beam(end=tuple(turn[:, 0] * LONG), up=tuple(turn[:, 2]), elements=4)
        seen = equilibrium(clamped(turned, tuple(turn @ force), tip=800.0)).observation
        places.append(turn.T @ seen.body("tip").position)
    assert np.ptp(places, axis=0) == pytest.approx(0.0, abs=1e-8)
    assert places[0][1] > 0.5 * -places[0][2] * EI_Y / EI_Z


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_bending_keeps_its_energy(dt: float) -> None:
    """Of a heavy tip let go, in all its modes, for 10 s."""
    simulator = Simulator(clamped(beam(elements=4), tip=2000.0), dt=dt)
    start = simulator.observe().energy.total
    for _ in range(round(10.0 / dt / 5.0)):
        simulator.step(5)
        seen = simulator.observe()
        assert seen.energy.total == pytest.approx(start, abs=1e-6 * 2000.0 * G)
    assert seen.report.status == 0


def test_bending_dies_away_by_its_ratio() -> None:
    """exp(-2 pi zeta) a period, of the first mode."""
    zeta = 0.02
    scene = clamped(beam(elements=4, damping_ratio=zeta), (0, 0, 0))
    mode = min(modes(scene), key=lambda one: one.frequency)
    assert mode.damping_ratio == pytest.approx(zeta, rel=1e-2)


def test_load_swings_slower_from_a_soft_mast() -> None:
    """Two degrees: m x'' + k x = T s / l beside M (x'' + s'') + M g s / l = 0."""
    mast, hung, long = 1500.0, 1000.0, 9.0
    one = beam(start=(0, 0, 0), end=(0, 0, LONG), up=(1, 0, 0), density=1.0, elements=4)
    scene = clamped(one, tip=mast)
    load = Body("load", hung, shape=Sphere(0.1), position=(0, 0, LONG - long))
    rope = Cable("rope", [Anchor("tip"), Anchor("load")])
    scene = dataclasses.replace(scene, bodies=(*scene.bodies, load), cables=(rope,))
    for stiffness in (EI_Y, EI_Z):
        stiff = 3.0 * stiffness / LONG**3 - 1.2 * (mast + hung) * G / LONG
        matrix = np.array(((stiff + hung * G / long, -hung * G / long), (-G / long, G / long)))
        matrix[0] /= mast
        right = np.sqrt(np.sort(np.linalg.eigvals(matrix).real))
        assert np.abs(nearest(frequencies(scene), right)).max() < 5e-3


@pytest.mark.parametrize("share", [0.2, 0.5, 1.1])
def test_load_on_a_mast_makes_it_softer_until_it_buckles(share: float) -> None:
    """k = P / (tan(b L) / b - L), b^2 = P / EI, of Euler's column: below zero beyond pi / 2 L."""
    load = share * np.pi**2 * EI_Y / (4.0 * LONG**2)
    one = beam(start=(0, 0, 0), end=(0, 0, LONG), up=(1, 0, 0), density=0.5, damping_ratio=0.005)
    found = modes(clamped(one, tip=load / G))
    wave = np.sqrt(load / EI_Y)
    square = load / (np.tan(wave * LONG) / wave - LONG) / (load / G)
    if share < 1.0:
        assert (2.0 * np.pi * found[0].frequency) ** 2 == pytest.approx(square, rel=1e-2)
        assert max(found.rates, default=0.0) < 1e-6
    else:
        assert max(found.rates) == pytest.approx(np.sqrt(-square), rel=5e-2)


@pytest.mark.parametrize(
    "changes, thing",
    [
        ({"end": (0, 0, 0)}, ("end", (0.0, 0.0, 0.0))),
        ({"ei_y": 0.0}, ("ei_y", 0.0)),
        ({"up": (2.0, 0.0, 0.0)}, ("up", (2.0, 0.0, 0.0))),
        ({"ei_y": 1e13}, ("ei_y", 77.5)),
        ({"elements": 0}, ("elements", 0)),
    ],
)
def test_impossible_beams_are_refused_by_name(changes, thing) -> None:
    with pytest.raises(SpecError, match=naming(f"beam {thing[0]} {thing[1]}")):
        beam(**changes)


@pytest.mark.parametrize("fraction", [-0.2, 1.5, float("nan")])
def test_place_off_the_beam_is_refused(fraction: float) -> None:
    with pytest.raises(SpecError, match=naming(f"beam {fraction} 0 1")):
        beam().at(fraction)


SIX = (1e-6,) * 6


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"exerts": SIX}, "exerts compliance 0.0"),
        ({"exerts": SIX, "compliance": 1e-6, "open": True}, "exerts open fixed"),
        ({"exerts": SIX, "compliance": 1e-6}, "across exerts"),
        ({"compliance": SIX}, "across six"),
        ({"compliance": SIX, "kind": "hinge"}, "compliance hinge"),
        ({"compliance": SIX, "across": (0, 0, 2)}, "across (0.0, 0.0, 2.0)"),
        ({"compliance": SIX[:5]}, "compliance 6 5"),
        ({"compliance": -1.0}, "compliance: 0 -1.0;"),
        ({"axis": (0, 0, 0)}, "axis (0.0, 0.0, 0.0)"),
        (
            {"exerts": (0, 0, 0, 0, 3e5, 0), "compliance": SIX, "across": (1, 0, 0)},
            "exerts 300000.0 0.3 0.2",
        ),
    ],
)
def test_impossible_elastic_joints_are_refused_by_name(changes, said: str) -> None:
    with pytest.raises(SpecError, match=naming(f"'j' {said}")):
        Joint(**({"name": "j", "kind": "fixed", "child": "a", "axis": (0, 0, 1)} | changes))
