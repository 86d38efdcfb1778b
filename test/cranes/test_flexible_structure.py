"""Cranes of steel that bends: at rest from the start, deflection, frames, errors."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from messages import naming

from cable_sim import CableSimWarning, Machine, Simulator, SpecError, equilibrium, load_crane, modes
from cable_sim.cranes.parts.drawn import square_lattice
from cable_sim.ros.basis.frames import links, rotate_back
from cable_sim.ros.launch.ros2_control import description_with_control

FLEXIBLE = {"crane.structure.mode": "flexible"}
HEIGHT, EI = 63.5, 1.67e10
"""Of the mast of tower_12t [m, N m^2]."""
ROOT, JIB, JIB_EI, JIB_DENSITY = 1.15, 70.05, 2.36e9, 157.0
"""Of its jib: radius of the clamped end, length [m], N m^2, kg/m."""
SOIL = {"sway": 2e8, "rise": 1e9, "rocking": 8e9, "twist": 5e9}
CAMBER = 1.5e-3
"""Error of a camber over the sag that it takes back [-]: cells turn by up to 0.04 rad."""


def tower(**changes):
    """The tower crane on its mast, with a load that hangs."""
    return load_crane("tower_12t", FLEXIBLE | {"rig.start.state": "hanging"} | changes)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"rig.start.radius": 60.0, "rig.load.mass": 3000.0},
        {"rig.start.slewing_angle_deg": 70.0, "reeving.n_falls": 4},
        {"crane.hook_height": 75, "rig.start.hook_depth": 20.0},
        {"rig.start.state": "on_ground"},
        {"parts.mast.beam.soil": SOIL},
    ],
)
def test_crane_on_a_mast_that_bends_starts_at_rest(changes) -> None:
    """Its camber holds what the statics of the file say that it carries.

    The tip of a jib without camber sags by mu g L^4 / 8 EI and P a^2 (3 L - a) / 6 EI.
    """
    crane = tower(**changes)
    scene = crane.scene
    hung = sum(b.mass for b in scene.bodies if b.name in ("trolley", "hook_block", "load"))
    out = changes.get("rig.start.radius", 20.0) - ROOT
    sag = JIB_DENSITY * JIB**4 / 8.0 + hung * out**2 * (3.0 * JIB - out) / 6.0
    most = CAMBER * 9.81 * sag / JIB_EI
    simulator = Simulator(scene)
    simulator.step(3000)
    assert simulator.observe().report.status == 0
    for body in scene.bodies:
        moved = simulator.bodies[body.name].position - body.position
        assert np.abs(moved).max() < (most if body.name[:4] != "mast" else 0.1 * most), body.name


OTHERS = (
    "tower_5t luffing_12t overhead_32t grab_3t magnet_8t skip_2t rtg_41t crawler_50t mobile_32t"
)


@pytest.mark.parametrize("name", OTHERS.split())
def test_other_cranes_that_bend_start_at_rest(name: str) -> None:
    scene = load_crane(name, FLEXIBLE).scene
    simulator = Simulator(scene)
    simulator.step(3000)
    for body in scene.bodies:
        moved = simulator.bodies[body.name].position - body.position
        assert np.abs(moved).max() < 1e-3, body.name


def test_frames_follow_the_mast() -> None:
    """Nodes move freely in TF, and so does what slides on them; what slews turns on the mast."""
    found = {link.name: (link.parent, link.kind) for link in links(tower())}
    for name in ("mast_2", "jib_3", "trolley"):
        assert found[name] == ("base_link", "floating")
    assert found["slewing_axis"] == ("mast_3", "revolute")


@pytest.mark.parametrize("name", ["tower_12t", "overhead_32t"])
def test_description_has_every_axis_and_node(name: str) -> None:
    """The trolley has a coordinate of its own, as a hoist has."""
    crane = load_crane(name, FLEXIBLE)
    robot = ElementTree.fromstring(description_with_control(crane))
    joints = {joint.get("name") for joint in robot.findall("joint")}
    assert {axis.joint for axis in crane.axes} <= joints
    linked = {link.get("name") for link in robot.findall("link")}
    assert {body.name for body in crane.scene.bodies} <= linked


def test_heavier_load_bends_the_jib() -> None:
    """The trolley sinks past the jib's clamped end by P a^3 / 3 EI."""
    radius, more = 40.0, 1500.0
    scene = tower(**{"rig.start.radius": radius, "rig.load.mass": 2000.0}).scene
    sunk = []
    for mass in (2000.0, 2000.0 + more):
        bodies = [replace(b, mass=mass) if b.name == "load" else b for b in scene.bodies]
        seen = equilibrium(replace(scene, bodies=bodies)).observation
        jib, trolley = seen.body("jib"), seen.body("trolley")
        sunk.append(rotate_back(jib.orientation, trolley.position - jib.position)[2])
    right = more * 9.81 * (radius - ROOT) ** 3 / (3.0 * JIB_EI)
    assert sunk[0] - sunk[1] == pytest.approx(right, rel=2e-2)


@pytest.mark.parametrize(
    ("name", "part", "span", "stiffness"),
    [
        ("overhead_32t", "bridge", 25.5, 4.4e9),
        ("grab_3t", "bridge", 16.5, 1.5e9),
        ("rtg_41t", "gantry", 23.47, 5.5e9),
    ],
)
def test_heavier_trolley_bends_the_girders(
    name: str, part: str, span: float, stiffness: float
) -> None:
    """P L^3 / 48 EI in the middle."""
    start: dict[str, float | str] = {"rig.start.at.trolley": 0.0, "rig.start.at.hoist": 8.0}
    if name == "rtg_41t":
        start["rig.start.state"] = "hanging"
    scene = load_crane(name, FLEXIBLE | start).scene
    heights = []
    for more in (0.0, 1000.0):
        bodies = [replace(b, mass=b.mass + more * (b.name == "trolley")) for b in scene.bodies]
        seen = equilibrium(replace(scene, bodies=bodies)).observation
        heights.append(seen.body(f"{part}_2").position[2])
    right = 1000.0 * 9.81 * span**3 / (48.0 * stiffness)
    assert heights[0] - heights[1] == pytest.approx(right, rel=2e-2)


@pytest.mark.parametrize("out", [0.5, 3.0, 5.5])
def test_heavier_load_bends_both_sections_of_a_telescopic_boom(out: float) -> None:
    """A cantilever up to the place of the inner section, which is one from there on."""
    more, leans, length, outer, inner = 200.0, 40.0, 9.23, 2.3e8, 1.15e8
    start = {"rig.start.at.telescoping": out, "rig.start.at.luffing_deg": leans}
    scene = load_crane("mobile_32t", FLEXIBLE | start).scene
    heights = []
    for mass in (0.0, more):
        bodies = [replace(b, mass=b.mass + mass * (b.name == "load")) for b in scene.bodies]
        seen = equilibrium(replace(scene, bodies=bodies)).observation
        foot, tip = seen.body("boom"), seen.body("telescope_3")
        place = rotate_back(foot.orientation, tip.position - foot.position)
        heights.append(place[2])
    at = place[0] + 0.5 - out
    push = more * 9.81 * np.cos(np.radians(leans))
    sag = push * (out**3 / 3.0 + length * out**2 / 2.0) / outer
    turn = push * (out**2 / 2.0 + length * out) / outer
    bend = push * at**2 * (3.0 * length - at) / (6.0 * inner)
    assert heights[0] - heights[1] == pytest.approx(sag + turn * at + bend, rel=3e-2)


def test_a_lattice_boom_bends_aside() -> None:
    """Its ropes hold the head up, not aside: by q x^2 (6 L^2 - 4 L x + x^2) / 24 EI of its own
    weight, and F x^2 (3 L - x) / 6 EI of what hangs, where gravity pulls across."""
    scene = load_crane("crawler_50t", FLEXIBLE).scene
    across, reach, density, stiffness = 0.1, 30.0, 140.0, 8.5e8
    seen = equilibrium(replace(scene, gravity=(0.0, across, -9.81))).observation
    foot, head = seen.body("boom"), seen.body("boom_4")
    x = np.linalg.norm(head.position - foot.position) + 0.3
    hung = sum(b.mass for b in scene.bodies if b.name in ("hook_block", "load"))
    own = density * x**2 * (6.0 * reach**2 - 4.0 * reach * x + x**2) / (24.0 * stiffness)
    right = across * (own + hung * x**2 * (3.0 * reach - x) / (6.0 * stiffness))
    assert head.position[1] == pytest.approx(right, rel=3e-2)


def test_telescope_runs_out_along_the_bent_boom() -> None:
    machine = Machine(load_crane("mobile_32t", FLEXIBLE))
    start = machine.simulator.observe().joint("telescoping").position
    for _ in range(500):
        machine.command("telescoping", 0.2)
        seen = machine.tick()
        assert seen.report.status == 0
    assert seen.joint("telescoping").position > start + 0.5


def test_trolley_runs_out_along_the_bent_jib() -> None:
    """Its axis goes as that of the rigid crane, and it sinks with the jib."""
    machine = Machine(tower())
    for _ in range(500):
        machine.command("trolley", 1.0)
        machine.tick()
    seen = machine.simulator.observe()
    assert seen.report.status == 0
    assert seen.joint("trolley").position > 23.0


def test_outline_tells_that_the_mast_bends() -> None:
    assert "mast: bends" in tower().details.outline()


@pytest.mark.parametrize("rocking", [np.inf, 8e9, 2e9])
def test_heavier_load_turns_the_end_of_the_mast(rocking: float) -> None:
    """By M_0 (b sin(b L) / P + cos(b L) / k) under a moment M, b^2 = P / EI of the weight on it.

    M_0 = M / (cos(b L) - P sin(b L) / b k) is the moment at its foot, which turns soil by M_0 / k.
    """
    radius, more = 40.0, 1500.0
    soil = {"parts.mast.beam.soil": SOIL | {"rocking": rocking}} if rocking < np.inf else {}
    scene = tower(**{"rig.start.radius": radius, "rig.load.mass": 2000.0} | soil).scene
    bodies = [replace(b, mass=b.mass + more) if b.name == "load" else b for b in scene.bodies]
    seen = equilibrium(replace(scene, bodies=bodies)).observation
    w, _, y, _ = seen.body("jib").orientation
    weight = 9.81 * sum(b.mass for b in bodies if not b.name.startswith("mast"))
    weight += 9.81 * sum(b.mass for b in bodies if b.name.startswith("mast")) / 3.0
    wave = np.sqrt(weight / EI)
    sine, cosine = np.sin(wave * HEIGHT), np.cos(wave * HEIGHT)
    foot = more * 9.81 * radius / (cosine - weight * sine / (wave * rocking))
    turn = foot * (wave * sine / weight + cosine / rocking)
    assert 2.0 * np.arctan2(y, w) == pytest.approx(turn, rel=2e-2)


def test_tower_sways_below_half_a_hertz() -> None:
    """As measured towers do: Oliveira and Correia 2021."""
    rigid = [mode.frequency for mode in modes(load_crane("tower_12t").scene)]
    soft = [mode.frequency for mode in modes(load_crane("tower_12t", FLEXIBLE).scene)]
    tower_modes = [f for f in soft if min(abs(f - np.array(rigid))) > 0.02]
    assert 0.1 < min(tower_modes) < 0.5


def test_mast_that_is_near_to_buckling_is_told() -> None:
    """Of Euler's load pi^2 EI / 4 L^2."""
    with pytest.warns(CableSimWarning, match=naming("parts.mast.beam 1.224e+06 N")):
        tower(**{"parts.mast.beam.ei_y": 2.0e9})
    with pytest.raises(SpecError, match=naming("mast carries 6.119e+05 N")):
        tower(**{"parts.mast.beam.ei_y": 1.0e9})


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"parts.jib.on": "world"}, "parts.mast.beam 'mast'"),
        ({"parts.mast.points": {"top": [0.0, 0.0, 60.0]}}, "parts.mast.beam points wheels"),
        ({"parts.mast.beam.ei_y": 0.0}, "parts.mast.beam.ei_y 0.0"),
        ({"parts.jib.beam.span": [[9.0, 0.0, 0.9], [8.0, 0.0, 0.9]]}, "parts.jib.beam span 9.0"),
        ({"parts.mast.beam.span": [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0]]}, "parts.mast beam.span"),
        ({"parts.mast.beam.supported": True}, "parts.mast.beam supported"),
        (
            {"parts.mast.beam.soil": SOIL | {"rocking": 0.0}},
            "parts.mast.beam.soil beam.soil.rocking 0.0",
        ),
        ({"parts.jib.beam.soil": SOIL}, "parts.jib beam.soil"),
    ],
)
def test_wrong_beams_are_refused_by_name(changes, said: str) -> None:
    with pytest.raises(SpecError, match=naming(said)):
        tower(**changes)


def test_pieces_of_a_tapered_boom_are_as_wide_as_the_whole() -> None:
    """They grow over the ends of the boom, not of each piece."""
    long, side, taper = 29.6, 1.3, 4.0
    for cut in ((0.0, 0.1), (0.4, 0.6)):
        chords, _ = square_lattice((0, 0, 0), (long, 0, 0), side, taper, cut)
        points = np.array([point for bar in chords for point in bar])
        assert (points[:, 0].min(), points[:, 0].max()) == pytest.approx(
            (cut[0] * long, cut[1] * long)
        )
        grown = np.clip(points[:, 0] / taper, 0.2, 1.0)
        assert np.abs(points[:, 1]) == pytest.approx(0.5 * side * grown)


def test_a_ram_points_at_a_boom_that_bends() -> None:
    scene = load_crane("mobile_32t", FLEXIBLE).scene
    aims = {aim.name for aim in scene.aims}
    assert {visual.body for visual in scene.visuals if "aim" in visual.body} == aims != set()
