"""A rope in a hand: the tutorial's numbers, axes as a machine's, a file whose mistakes are told in
their place."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.cranes.rigging.rig import lay_down
from cable_sim.errors import ConfigError, SpecError
from cable_sim.machine.machine import Machine
from cable_sim.scenes import load_scene
from cable_sim.spec import Anchor, Body, Cable, Ground, Loose, Lumped, Scene, Sphere

CONFIG = Path(__file__).parents[2] / "config" / "nehe_rope.yaml"
SOFT = {
    "lines.rope.method": "chain",
    "lines.rope.stiffness": None,
    "lines.rope.friction": 0.0,
    "lines.rope.largest_step": None,
}
CHAIN = {
    **SOFT,
    "lines.rope.repulsion": None,
    "lines.rope.absorption": 0.0,
    "lines.rope.start": "hanging",
}
G = 9.81


def run(machine: Machine, seconds: float, **speeds: float):
    """Repeat commands for a while; the last observation."""
    for _ in range(round(seconds / machine.tick_time)):
        for axis, speed in speeds.items():
            machine.command(axis, speed)
        seen = machine.tick()
    return seen


def test_the_file_has_the_numbers_of_the_tutorial() -> None:
    """Those of its application; scene ``nehe_rope`` has the same rope."""
    made = Lumped(
        80,
        "tutorial",
        density=0.05 / 0.05,
        segment_stiffness=1e4,
        friction=0.2,
        air_friction=0.02,
        ground=Ground((0.0, 0.0, -1.5), friction=0.2, repulsion=100.0, absorption=2.0),
        largest_step=0.002,
    )
    ends = (Anchor("hand"), Loose((79 * 0.05, 0.0, 0.0)))
    rope = Cable("rope", ends, length=79 * 0.05, lumped=made, diameter=0.03)
    assert load_crane("nehe_rope").scene.cables == (rope,)
    hand = Body("hand", shape=Sphere(0.05), motion="prescribed")
    assert load_scene("nehe_rope") == Scene(name="nehe_rope", bodies=(hand,), cables=(rope,))
    assert load_scene("nehe_rope", masses=40, mass=0.1).cables[0].density == 2.0


def test_nothing_hangs_on_falls_so_there_is_no_sway() -> None:
    machine = Machine(load_crane("nehe_rope"))
    frame = machine.frame(machine.tick())
    assert machine.crane.suspension is None and machine.crane.cab is None
    assert frame.sway is None and frame.hook_yaw is None
    assert list(frame.axes) == ["x", "y", "z"] and set(frame.poses) == {
        "guide_x",
        "guide_y",
        "hand",
    }
    picture = frame.cables["rope"]
    assert len(picture.points) == len(picture.nodes) == len(picture.tension) + 1 == 80


@pytest.mark.parametrize(("axis", "column"), [("x", 0), ("y", 1), ("z", 2)])
def test_each_axis_moves_the_hand_along_itself_up_to_its_reach(axis: str, column: int) -> None:
    machine = Machine(load_crane("nehe_rope"))
    seen = run(machine, 0.5, **{axis: 2.0})
    moved = seen.body("hand").position
    assert moved[column] == pytest.approx(2.0 * 0.5 - 2.0**2 / (2 * 15.0), rel=0.02)
    assert np.abs(np.delete(moved, column)).max() < 1e-6
    assert machine.axis_state(seen, axis).position == pytest.approx(moved[column], abs=1e-9)
    seen = run(machine, 3.0, **{axis: 3.0})
    assert seen.body("hand").position[column] == pytest.approx(3.0, abs=0.05)


def test_the_hand_feels_the_rope_as_effort_of_its_drives() -> None:
    """It carries itself and what hangs; and accelerates itself, its guides and the rope's first
    pieces sideways."""
    machine = Machine(load_crane("nehe_rope", {**CHAIN, "rig.start.at.z": 3.0}))
    seen = run(machine, 1.0)
    assert seen.cable("rope").tension == pytest.approx(79 * 0.05 * G, rel=1e-6)
    assert machine.axis_state(seen, "z").effort == pytest.approx((1.0 + 79 * 0.05) * G, rel=1e-3)
    assert machine.axis_state(seen, "x").effort == pytest.approx(0.0, abs=1e-6)
    assert machine.axis_state(run(machine, 0.1, x=3.0), "x").effort > 1.2 * 15.0


def test_dragging_takes_the_friction_of_what_lies() -> None:
    """The hand near the ground pulls the rope along: mu times the weight that it does not carry.

    Rigid segments catch what they lift, so the pull goes up and down, and is some percent more.
    """
    low = {"rig.start.at.x": -2.0, "rig.start.at.z": -1.45, "axes.x.accel": 2.0}
    rough = {"site.ground.friction": 0.5}
    machine = Machine(load_crane("nehe_rope", {**CHAIN, **low, **rough}))
    seen = run(machine, 5.0, x=-0.0)
    end = seen.cable("rope").curve[-1].copy()
    run(machine, 0.8, x=-0.5)
    pulls = []
    for _ in range(100):
        seen = run(machine, machine.tick_time, x=-0.5)
        pulls.append([machine.axis_state(seen, axis).effort for axis in ("x", "z")])
    along, up = np.mean(pulls, axis=0)
    carried = up - 1.0 * G
    assert 0.0 < carried < 0.2 * 79 * 0.05 * G
    assert along == pytest.approx(-0.5 * (79 * 0.05 * G - carried), rel=0.07)
    assert (
        seen.cable("rope").curve[-1, 0] < end[0] - 0.3
        and seen.cable("rope").curve[:, 2].min() > -1.5 - 1e-3
    )


@pytest.mark.parametrize("height", [0.0, 0.1, 0.3, 2.95, 3.0, 9.0])
def test_a_laid_down_rope_has_masses_evenly_along_its_length(height: float) -> None:
    top, pieces = (1.0, 2.0, height - 1.0), 20
    path, end = lay_down(top, 6.0, pieces, -1.0, (0.6, 0.8))
    corners = np.array([top, *path, end])
    lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    assert lengths.sum() == pytest.approx(6.0, abs=1e-12)
    np.testing.assert_allclose(
        np.cumsum(lengths) / 0.3, np.round(np.cumsum(lengths) / 0.3), atol=1e-9
    )
    assert corners[:, 2].min() == pytest.approx(max(-1.0, top[2] - 6.0))
    away = (corners[:, :2] - top[:2]) @ (0.8, -0.6)
    np.testing.assert_allclose(away, 0.0, atol=1e-12)


@pytest.mark.parametrize("start", ["level", "hanging"])
@pytest.mark.parametrize(
    "changes", [{}, CHAIN, {"lines.rope.method": "springs", "lines.rope.largest_step": None}]
)
def test_every_method_starts_where_it_stays_calm(changes: dict, start: str) -> None:
    """No jump in the first step: nothing is pulled or pushed apart at the start."""
    machine = Machine(load_crane("nehe_rope", {**changes, "lines.rope.start": start}))
    before = machine.observe().cable("rope").curve.copy()
    machine.simulator.step(10)
    seen = machine.observe().cable("rope")
    assert np.abs(seen.curve - before).max() < 0.5 * G * 0.011**2 + 1e-4
    assert np.abs(seen.span_tension).max() < 45.0


@pytest.mark.parametrize(
    ("old", "new", "field", "words"),
    [
        ("masses: 80 ", "masses: 2 ", "lines.rope.masses", ["3 or more", "2"]),
        ("    mass: 0.05 ", "    mass: -1.0 ", "lines.rope.mass", ["greater than 0", "-1"]),
        (
            "method: tutorial ",
            "method: wire ",
            "lines.rope.method",
            ["'tutorial', 'springs' or 'chain'", "'wire'"],
        ),
        (
            "method: tutorial ",
            "method: chain ",
            "lines.rope.stiffness",
            ["10000", "'chain'", "springs and tutorial"],
        ),
        (
            "  stiffness: 1.0e4 ",
            "  bending: 1.0 ",
            "lines.rope.bending",
            ["1", "'tutorial'", "only springs"],
        ),
        ("  stiffness: 1.0e4 ", "  # ", "lines.rope", ["stiffness", "'tutorial'"]),
        ("y: 0.0, z: 0.0}", "y: 4.0, z: 0.0}", "rig.start.at.y", ["-3 ... 3", "4"]),
        ("tie: hand.palm ", "tie: hand.plam ", "lines.rope.tie", ["'plam'", "known: palm"]),
        ("tie: hand.palm ", "tie: reach.edge ", "lines.rope.tie", ["'edge'", "known: none"]),
        ("  repulsion: 100.0 ", "  # ", "lines.rope", ["repulsion", "'tutorial'"]),
    ],
)
def test_a_mistake_of_the_file_is_told_in_its_place(tmp_path, old, new, field, words) -> None:
    text = CONFIG.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = tmp_path / "my_rope.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_crane(path)
    (problem,) = caught.value.problems
    assert problem.field == field and all(word in problem.problem for word in words), str(problem)
    line = path.read_text(encoding="utf-8").splitlines()[problem.line - 1]
    name = field.rpartition(".")[2]
    assert line.strip().startswith(f"{name}:") or f" {name}:" in line or field == "lines.rope"


def test_a_chain_on_a_soft_ground_is_refused() -> None:
    with pytest.raises(SpecError, match=naming("repulsion 100 method 'chain'")):
        load_crane("nehe_rope", SOFT)


def test_a_line_needs_its_tie_above_the_ground() -> None:
    with pytest.raises(SpecError, match=naming("lines.rope tie hand.palm 0.5 m below")):
        load_crane("nehe_rope", {"site.level": 0.5})
    edge = {"parts.reach.points": {"edge": (0.0, 0.0, 0.0)}, "lines.rope.tie": "reach.edge"}
    with pytest.raises(SpecError, match=naming("'reach' move")):
        load_crane("nehe_rope", edge)


def test_former_paths_stand_for_the_present_ones() -> None:
    old = {"rope.method": "springs", "hand.max_speed": 2.0, "ground.height": -2.0}
    speeds = {f"axes.{name}.v_max": 2.0 for name in "xyz"}
    new = {"lines.rope.method": "springs", "site.level": -2.0, **speeds}
    assert load_crane("nehe_rope", old) == load_crane("nehe_rope", new) != load_crane("nehe_rope")


def test_a_part_carries_what_hangs_of_a_line() -> None:
    """A hand on a spring holds 2 m of chain at rest; what lies on the ground does not count."""
    hand = load_crane("nehe_rope").details.parts["hand"]
    axes = {name: load_crane("nehe_rope").details.axes[name] for name in "xy"}
    on_spring = dataclasses.replace(hand.joint, stiffness=500.0)
    changes = {**CHAIN, "site.level": -2.0, "axes": axes, "parts.hand.joint": on_spring}
    machine = Machine(load_crane("nehe_rope", changes))
    (spring,) = [joint for joint in machine.crane.scene.joints if joint.name == "z"]
    assert 500.0 * spring.rest == pytest.approx((1.0 + 2.0) * G, rel=1e-9)
    assert run(machine, 1.0).body("hand").position[2] == pytest.approx(0.0, abs=2e-3)
