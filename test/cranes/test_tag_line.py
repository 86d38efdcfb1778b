"""A rope tied to the load: it starts at rest, hangs with its weight on the load, and drags over the
ground."""

import numpy as np
import pytest

from cable_sim.control.lift_plans.time_series import slings_of
from cable_sim.cranes import load_crane
from cable_sim.errors import SpecError
from cable_sim.machine.machine import Machine

G = 9.81
TOWER = {"rig.start.state": "hanging", "rig.start.hook_depth": 40.0}
GANTRY = {"rig.start.state": "hanging", "rig.start.trolley": 1.6, "rig.start.depth": 13.6}
EMPTY = {**GANTRY, "rig.load": None, "rig.start.depth": 12.0}


def crane_with(name, changes, **tag):
    return load_crane(name, {**changes, "rig.tag_line": {"mass_per_metre": 0.3, **tag}})


@pytest.mark.parametrize(
    ("name", "changes", "body", "length"),
    [
        ("tower_12t", TOWER, "load", 15.0),
        ("rtg_41t", GANTRY, "container", 4.0),
        ("rtg_41t", EMPTY, "spreader", 6.0),
    ],
)
def test_it_hangs_straight_down_with_its_weight_at_the_top(name, changes, body, length) -> None:
    machine = Machine(crane_with(name, changes, length=length))
    crane = machine.crane
    start = machine.observe().cable("tag_line").curve.copy()
    place = machine.observe().body(body).position.copy()
    assert crane.watched == body and "tag_line" not in crane.ropes
    assert np.ptp(start[:, :2], axis=0) == pytest.approx([0.0, 0.0], abs=1e-9)
    assert start[0, 2] - start[-1, 2] == pytest.approx(length)
    for _ in range(100):
        seen = machine.tick()
    rope = seen.cable("tag_line")
    assert rope.tension == pytest.approx(0.3 * length * G, rel=2e-3)
    assert rope.tension_dead_end == pytest.approx(0.5 * 0.3 * length / 39.5 * G, rel=0.05)
    assert abs(seen.body(body).position[2] - place[2]) < 2e-5
    assert np.abs(rope.curve - start).max() < 0.01 and seen.report.status == 0


@pytest.mark.parametrize(
    ("name", "changes", "length", "carried"),
    [
        ("tower_12t", TOWER, 15.0, 15.0),
        ("tower_12t", TOWER, 90.0, 20.8),
        ("rtg_41t", GANTRY, 4.0, 4.0),
        ("rtg_41t", EMPTY, 90.0, 9.71),
    ],
)
def test_the_hoist_ropes_start_with_the_hanging_tag_line_weight(
    name, changes, length, carried
) -> None:
    tagged, plain = crane_with(name, changes, length=length), load_crane(name, changes)
    more = tagged.scene.cables[0].pretension - plain.scene.cables[0].pretension
    assert tagged.suspension.n_falls * more == pytest.approx(0.3 * carried * G, rel=2e-3)


@pytest.mark.parametrize("angle", [0.0, 100.0])
def test_what_is_too_long_lies_on_the_ground_away_from_the_load(angle: float) -> None:
    machine = Machine(
        crane_with("tower_12t", {**TOWER, "rig.start.slewing_angle_deg": angle}, length=30.0)
    )
    start = machine.observe().cable("tag_line").curve.copy()
    assert start[:, 2].min() == pytest.approx(0.0, abs=1e-12)
    radius = np.hypot(*start[:, :2].T)
    assert (np.diff(radius) > -1e-9).all() and radius[-1] > radius[0] + 8.0
    for _ in range(200):
        seen = machine.tick()
    rope, height = seen.cable("tag_line"), start[0, 2]
    assert rope.tension == pytest.approx(0.3 * height * G, rel=0.02)
    assert np.abs(rope.curve - start).max() < 0.1 and rope.curve[:, 2].min() > -1e-3


def test_a_standing_load_has_it_on_the_ground_at_rest() -> None:
    machine = Machine(crane_with("tower_12t", {"rig.start.slewing_angle_deg": 180.0}, length=12.0))
    start = machine.observe().cable("tag_line").curve.copy()
    for _ in range(200):
        seen = machine.tick()
    assert np.abs(seen.cable("tag_line").curve - start).max() < 0.02
    assert seen.body("load").position == pytest.approx([-20.0, 0.0, 0.5], abs=1e-3)


def test_it_drags_behind_the_load_by_its_friction() -> None:
    """The trolley moves in at a steady speed: the lying part follows, and pulls the load back by mu
    m g of itself."""
    deep = {"rig.start.state": "hanging", "rig.start.hook_depth": 60.0, "rig.start.radius": 40.0}
    machine = Machine(crane_with("tower_12t", deep, length=12.0, friction=0.6))
    first = machine.observe().cable("tag_line").curve.copy()
    pulls = []
    for tick in range(1500):
        machine.command("trolley", -0.8)
        seen = machine.tick()
        if tick >= 1000:
            pulls.append(seen.cable("tag_line").node_force[0])
    rope = seen.cable("tag_line")
    lying = rope.curve[:, 2] < 1e-3
    friction = 0.6 * 0.3 * (12.0 / 40) * (lying.sum() - 0.5) * G
    assert lying.sum() > 25 and rope.curve[-1, 0] < first[-1, 0] - 5.0
    assert np.mean(pulls, axis=0)[0] == pytest.approx(friction, rel=0.1)
    assert rope.curve[:, 2].min() > -1e-3 and seen.report.status == 0


def test_slings_are_what_the_load_hangs_on_and_no_tag_line() -> None:
    assert slings_of(crane_with("tower_12t", {}, length=10.0)) == tuple(
        f"sling_{i}" for i in (1, 2, 3, 4)
    )


def test_without_it_the_crane_is_as_it_was() -> None:
    for name in ("tower_12t", "rtg_41t"):
        assert "tag_line" not in [cable.name for cable in load_crane(name).scene.cables]


@pytest.mark.parametrize(
    ("tag", "words"), [({"length": 0.0}, "length"), ({"length": 5.0, "masses": 2}, "masses")]
)
def test_a_wrong_tag_line_is_refused(tag, words) -> None:
    with pytest.raises(SpecError, match=words):
        load_crane("tower_12t", {"rig.tag_line": tag})
