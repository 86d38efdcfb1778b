"""Cable robots: pulleys by another way, poses there and back, pulls against programmes of scipy."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from messages import naming
from scipy.optimize import LinearConstraint, linprog, minimize
from transforms3d.quaternions import axangle2quat, qmult, quat2mat

from cable_sim import (
    Anchor,
    Body,
    Cable,
    ConfigError,
    Scene,
    Simulator,
    SpecError,
    Wheel,
    equilibrium,
)
from cable_sim.cli import app
from cable_sim.interchange.robots import (
    CableRobot,
    RobotRope,
    find_pose,
    find_workspace,
    reach,
    robot_scene,
    solve_tensions,
    wrench_margin,
)
from cable_sim.spec.files import to_yaml

CORNERS = [*product((-1.0, 1.0), (-1.0, 1.0))]


def suspended(radius: float = 0.0, **fields) -> CableRobot:
    """Eight ropes from a frame of 8 m x 6 m x 5 m to a platform of 1 m, crossed as in COGIRO."""
    ropes = []
    for k, (x, y) in enumerate(CORNERS):
        for side, (dx, dy, dz) in enumerate([(0.5, -0.5, 0.4), (-0.5, 0.5, -0.3)]):
            hook = (dx * x, dy * y, dz)
            frame = (4.0 * x - 0.1 * side, 3.0 * y, 5.0 - 0.2 * side)
            ropes.append(RobotRope(f"rope_{k}_{side}", frame, hook, radius))
    given = {"mass": 100.0, "inertia": (10, 10, 15), "lower": 20.0, "upper": 2000.0, "ea": 1e6}
    return CableRobot(ropes=tuple(ropes), **(given | fields))


def turned(*angles: float):
    """An orientation by small angles about x, y and z."""
    vector = np.array(angles)
    return axangle2quat(vector, np.linalg.norm(vector))


def lies_around(rope: RobotRope, point, angle: float):
    """Arm and place where a rope leaves its pulley, its direction, and its length, by the angle."""
    k = np.array(rope.swivel) / np.linalg.norm(rope.swivel)
    level = (point - rope.frame) - k * ((point - rope.frame) @ k)
    e = level / np.linalg.norm(level)
    middle = np.array(rope.frame) + rope.radius * e
    leaves = middle + rope.radius * (np.sin(angle) * k - np.cos(angle) * e)
    length = rope.radius * angle + float(np.linalg.norm(point - leaves))
    return leaves - middle, leaves, np.cos(angle) * k + np.sin(angle) * e, length


def test_a_rope_leaves_its_pulley_along_the_tangent() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        swivel = tuple(random.normal(size=3))
        rope = RobotRope("rope", (0.1, -0.2, 3.0), (0, 0, 0), 0.15, swivel)
        robot = CableRobot(ropes=(rope,), mass=1.0, inertia=(1, 1, 1))
        point = np.array(rope.frame) + 2.0 * np.cross(random.normal(size=3), swivel)
        point += random.normal() * np.array(swivel)
        found = reach(robot, point)
        arm, leaves, along, length = lies_around(rope, point, found.angles[0])
        assert found.lengths[0] == pytest.approx(length, abs=1e-12)
        assert (point - leaves) @ arm == pytest.approx(0.0, abs=1e-12)
        assert (point - leaves) @ along > 0.0  # it goes on as it came around
        assert found.ways[0] == pytest.approx(-along, abs=1e-12)


def test_the_solver_lays_a_rope_around_the_same_pulley() -> None:
    """A wheel of a scene with its axis where the swivel has turned it, to 1e-9."""
    robot = suspended(0.12)
    place = np.array([0.7, -0.4, 2.0])
    found = reach(robot, place)
    for i, rope in enumerate(robot.ropes[:4]):
        point = place + np.array(rope.platform)
        level = (point - rope.frame) * (1, 1, 0)
        e = level / np.linalg.norm(level)
        axis = np.cross((0, 0, 1), e)
        middle = tuple(np.array(rope.frame) + 0.12 * e)
        wheel = Wheel("wheel", "world", middle, 0.12, tuple(axis), friction=0.0)
        below = tuple(np.array(rope.frame) - (0, 0, 2.0))
        bob = Body("bob", 1.0, (1, 1, 1), position=tuple(point), motion="prescribed")
        cable = Cable("rope", [Anchor("world", below), wheel, Anchor("bob")], ea=1e6, pretension=10)
        seen = Simulator(Scene(bodies=[bob], cables=[cable])).observe()
        assert seen.cable("rope").length - 2.0 == pytest.approx(found.lengths[i], abs=1e-9)
        assert seen.wheel("wheel").wrap == pytest.approx(found.angles[i], abs=1e-9)


@pytest.mark.parametrize("radius", [0.0, 0.12])
def test_the_structure_matrix_is_that_of_finite_differences(radius: float) -> None:
    robot, place, turn = suspended(radius), np.array([0.5, 0.3, 2.0]), turned(0.1, -0.2, 0.15)
    now = reach(robot, place, turn)
    for k in range(6):
        moved = []
        for h in (-1e-6, 1e-6):
            way = h * np.eye(6)[k]
            step = axangle2quat(way[3:], abs(h)) if k > 2 else (1.0, 0.0, 0.0, 0.0)
            moved.append(reach(robot, place + way[:3], qmult(step, turn)).lengths)
        slope = (moved[1] - moved[0]) / 2e-6
        assert -now.structure[k] == pytest.approx(slope, abs=2e-9)


@pytest.mark.parametrize("radius", [0.0, 0.12])
def test_poses_come_back_from_their_lengths(radius: float) -> None:
    robot, random = suspended(radius), np.random.default_rng(1)
    for _ in range(20):
        place = random.uniform((-2, -1.5, 1), (2, 1.5, 3.5))
        turn = turned(*random.uniform(-0.3, 0.3, 3))
        lengths = reach(robot, place, turn).lengths
        near, about = place + random.uniform(-0.3, 0.3, 3), turned(*random.uniform(-0.1, 0.1, 3))
        found, angle = find_pose(robot, lengths, near, about)
        assert found == pytest.approx(place, abs=1e-9)
        assert quat2mat(angle) == pytest.approx(quat2mat(turn), abs=1e-9)


def test_pulls_balance_nearest_to_the_middle_of_bounds() -> None:
    """As a quadratic programme of scipy has them."""
    robot, random = suspended(), np.random.default_rng(2)
    bounded = 0
    for _ in range(25):
        place = random.uniform((-2.0, -1.5, 1), (2.0, 1.5, 3.0))
        wrench = robot.weight + random.uniform(-1, 1, 6) * (300, 300, 300, 50, 50, 50)
        try:
            pulls = solve_tensions(robot, place, wrench=wrench)
        except SpecError:
            assert wrench_margin(robot, place, wrench=wrench) < 1e-6
            continue
        matrix = reach(robot, place).structure
        assert matrix @ pulls + wrench == pytest.approx(np.zeros(6), abs=1e-6)
        assert pulls.min() >= robot.lower and pulls.max() <= robot.upper
        assert wrench_margin(robot, place, wrench=wrench) > -1e-6
        bounded += bool(min(pulls.min() - robot.lower, robot.upper - pulls.max()) < 1e-6)
        best = minimize(
            lambda t: 0.5 * np.sum((t - 1010.0) ** 2) / 1e4,
            pulls,
            jac=lambda t: (t - 1010.0) / 1e4,
            method="trust-constr",
            bounds=[(robot.lower, robot.upper)] * 8,
            constraints=[LinearConstraint(matrix, -wrench, -wrench)],
            options={"gtol": 1e-9, "xtol": 1e-12, "maxiter": 2000},
        )
        far = [np.linalg.norm(t - 1010.0) for t in (pulls, best.x)]
        assert far[0] <= far[1] * (1.0 + 1e-6)
    assert bounded > 3


def test_the_margin_is_that_of_linear_programmes() -> None:
    """By how far pulls reach along each direction, and whether all corners of the box are held."""
    robot, random = suspended(), np.random.default_rng(3)
    size = max(np.linalg.norm(rope.platform) for rope in robot.ropes)
    scale = np.repeat([1.0, 1.0 / size], 3)
    signs = set()
    for _ in range(12):
        place = random.uniform((-3.0, -2.5, 0.5), (3.0, 2.5, 4.5))
        box = random.uniform(0, 1, 6) * (200, 200, 200, 40, 40, 40) * random.choice([1, 8])
        matrix = reach(robot, place).structure
        margin = wrench_margin(robot, place, box=box)
        held = []
        for corner in product((-1.0, 1.0), repeat=6):
            goal = -(robot.weight + np.array(corner) * box)
            bounds = [(robot.lower, robot.upper)] * 8
            held.append(linprog(np.zeros(8), A_eq=matrix, b_eq=goal, bounds=bounds).status == 0)
        assert all(held) == (margin >= 0.0)
        signs.add(margin >= 0.0)
        direction = random.normal(size=6)
        direction /= np.linalg.norm(direction)
        worst = -scale * robot.weight - direction * max(margin, 0.0) * 0.999
        if margin > 0.0:  # a ball of that radius around the box is held as well
            corner = worst - scale * box * np.sign(direction)
            done = linprog(np.zeros(8), A_eq=scale[:, None] * matrix, b_eq=corner, bounds=bounds)
            assert done.status == 0
    assert signs == {True, False}


def test_the_workspace_ends_where_ropes_can_not_pull_up() -> None:
    robot = suspended()
    heights = [(0.0, 0.0, z) for z in (1.0, 2.0, 3.0, 6.0)]
    found = find_workspace(robot, heights)
    assert found.feasible.tolist() == [True, True, True, False]
    heavy = find_workspace(replace(robot, mass=2000.0), heights)
    assert not heavy.feasible.any() and (heavy.margins < found.margins).all()


@pytest.mark.parametrize("radius", [0.0, 0.12])
def test_the_platform_rests_in_the_solver_under_these_pulls(radius: float) -> None:
    robot, place, turn = suspended(radius), (0.6, -0.4, 2.0), turned(0.05, 0.02, -0.1)
    there = replace(robot, position=place, orientation=tuple(turn))
    simulator = Simulator(robot_scene(there), dt=1e-3)
    simulator.step(2000)
    seen = simulator.observe()
    assert seen.body("platform").position == pytest.approx(place, abs=1e-9)
    pulls = solve_tensions(robot, place, turn)
    tensions = [seen.cable(rope.name).tension for rope in robot.ropes]
    assert tensions == pytest.approx(pulls, rel=1e-6)
    # with one rope let out the platform moves, so that the ropes did hold it
    simulator = Simulator(robot_scene(there, [*pulls[:-1], 2.0 * pulls[-1]]), dt=1e-3)
    simulator.step(300)
    assert np.linalg.norm(simulator.bodies["platform"].position - place) > 1e-6


@pytest.mark.parametrize("radius", [0.0, 0.12])
def test_the_solver_finds_the_pose_of_other_lengths(radius: float) -> None:
    """Its equilibrium with ropes of the unstretched lengths of another pose; pulleys swivel."""
    robot = replace(suspended(radius, ea=1e8), position=(0.0, 0.0, 2.0))
    place, turn = (0.3, -0.2, 2.2), tuple(turned(0.03, -0.02, 0.05))
    pulls = solve_tensions(robot, place, turn)
    lengths = (reach(robot, place, turn).lengths + 1.0) / (1.0 + pulls / robot.ea)
    scene = robot_scene(robot)
    cables = [
        replace(cable, length=length, pretension=0.0)
        for cable, length in zip(scene.cables, lengths.tolist(), strict=True)
    ]
    body = equilibrium(replace(scene, cables=cables)).observation.body("platform")
    assert body.position == pytest.approx(place, abs=1e-9)
    assert quat2mat(body.orientation) == pytest.approx(quat2mat(turn), abs=1e-9)


def test_what_can_not_be_is_told(tmp_path) -> None:
    robot = suspended(0.12)
    with pytest.raises(SpecError, match=naming("pulls 20 2000 N [0.0, 0.0, 8.0]").pattern):
        solve_tensions(robot, (0, 0, 8.0))
    with pytest.raises(SpecError, match=naming("ropes.rope_0_0 pulley").pattern):
        reach(robot, np.array(robot.ropes[0].frame) - robot.ropes[0].platform + (0.1, 0, 0))
    three = replace(suspended(), ropes=suspended().ropes[:3])
    with pytest.raises(SpecError, match=naming("3 6 coordinates").pattern):
        find_pose(three, reach(three, (0, 0, 2)).lengths, (0, 0, 2))
    text = "mass: 10\ninertia: [1, 1, 1]\nlower: 50\nupper: 20\n"
    text += "ropes:\n- {name: a, frame: [0, 0, 1], platform: [0, 0, 0]}\n"
    (tmp_path / "robot.yaml").write_text(text)
    with pytest.raises(ConfigError, match=naming("robot.yaml lower 50 20").pattern):
        CableRobot.from_file(tmp_path / "robot.yaml")
    (tmp_path / "robot.yaml").write_text(text.replace("upper: 20", "upper: 200"))
    assert CableRobot.from_file(tmp_path / "robot.yaml").ropes[0].frame == (0.0, 0.0, 1.0)


def test_two_ropes_pull_as_in_the_closed_form() -> None:
    """A point on two ropes at the angles a and b: t = m g cos b / sin (a + b), and so on."""
    ropes = [RobotRope("left", (-3, 0, 4), (0, 0, 0)), RobotRope("right", (2, 0, 4), (0, 0, 0))]
    robot = CableRobot(ropes=tuple(ropes), mass=50.0, inertia=(1, 1, 1), lower=1.0, upper=5000.0)
    pulls = solve_tensions(robot, (0, 0, 1))
    a, b = math.atan2(3.0, 3.0), math.atan2(3.0, 2.0)
    weight = 50.0 * 9.81
    expected = (weight * math.cos(b) / math.sin(a + b), weight * math.cos(a) / math.sin(a + b))
    assert pulls == pytest.approx(expected, rel=1e-9)


def test_the_command_imports_a_robot_as_a_scene_at_rest(tmp_path) -> None:
    robot = replace(suspended(), position=(0.5, 0.0, 2.0))
    (tmp_path / "robot.yaml").write_text(to_yaml(robot))
    with pytest.raises(SystemExit) as done:
        app(["import", str(tmp_path / "robot.yaml"), "-o", str(tmp_path / "scene.yaml")])
    assert done.value.code == 0
    scene = Scene.from_file(tmp_path / "scene.yaml")
    assert len(scene.cables) == len(scene.drives) == 8
    simulator = Simulator(scene)
    simulator.step(500)
    assert simulator.bodies["platform"].position == pytest.approx((0.5, 0.0, 2.0), abs=1e-9)
