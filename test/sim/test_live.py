"""Live views: equal to observations whatever changes a scene, without copies, and never written."""

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from live_scenes import KINDS, hovering, started
from messages import naming

from cable_sim import Body, Box, Joint, Scene, Simulator
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.sim.readings.picture import FIELDS
from cable_sim.sim.readings.quantities import READ

BODY = ("position", "orientation", "velocity", "angular_velocity", "contact_force")


VIEWS = {"bodies": "body", "joints": "joint", "cables": "cable", "drives": "drive"}
"""Kinds that have live views, with the word of an observation for one of them."""


def live(simulator: Simulator) -> dict[str, Any]:
    """Copies of all that live views show, of each object, then of all of a kind."""
    found: dict[str, Any] = {}
    for kind in VIEWS:
        group = getattr(simulator, kind)
        for name in getattr(simulator.names, kind):
            for key in READ[kind]:
                found[f"{kind}.{name}.{key}"] = np.copy(getattr(group[name], key))
        for key, part in vars(type(group)).items():
            if isinstance(part, property):
                found[f"{kind}.{key}"] = getattr(group, key).copy()
    for name in simulator.cables:
        found[f"{name}.tensions"] = simulator.cables[name].tensions.copy()
    for key in READ["bodies"]:
        found[f"bodies.{key}"] = getattr(simulator.bodies, key).copy()
    return found


def observed(simulator: Simulator) -> dict[str, Any]:
    """The same from an observation."""
    seen = simulator.observe()
    found: dict[str, Any] = {}
    for kind, word in VIEWS.items():
        for name in getattr(simulator.names, kind):
            view = getattr(seen, word)(name)
            found |= {f"{kind}.{name}.{key}": getattr(view, key) for key in READ[kind]}
        for key, part in vars(type(getattr(simulator, kind))).items():
            if isinstance(part, property):
                found[f"{kind}.{key}"] = getattr(seen, f"{word}_{key}")
    for i, name in enumerate(simulator.names.cables):
        segments = simulator.names.segments[i]
        spans = seen.span_tension[simulator.names.spans[i]]
        found[f"{name}.tensions"] = spans if segments is None else seen.segment_tension[segments]
    for key in READ["bodies"]:
        found[f"bodies.{key}"] = getattr(seen, f"body_{key}")
    return found


def assert_fresh(simulator: Simulator) -> None:
    """Live views come first: an observation would refresh them."""
    mine = live(simulator)
    theirs = observed(simulator)
    assert mine.keys() == theirs.keys()
    wrong = [key for key in mine if not np.array_equal(mine[key], theirs[key], equal_nan=True)]
    assert wrong == []


@pytest.mark.parametrize("kind", KINDS)
def test_live_views_equal_observations(kind: str) -> None:
    simulator = started(kind)
    for steps in (0, 1, 7, 100):
        simulator.step(steps)
        assert_fresh(simulator)
    kept = simulator.save()
    assert_fresh(simulator)
    simulator.step(20)
    assert_fresh(simulator)
    simulator.restore(kept)
    assert_fresh(simulator)
    simulator.reset()
    assert_fresh(simulator)


CHANGES: dict[str, Callable[[Simulator], object]] = {
    "push": lambda s: s.bodies["load"].push((10.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    "command": lambda s: s.drives["hoist"].command(-0.5, "speed"),
    "brake": lambda s: s.command("hoist", 0.0, brake=True),
    "wind": lambda s: s.set_wind((20.0, 0.0, 0.0)),
    "power": lambda s: s.set_drive("slewing", powered=False, brake_share=0.5),
    "unhook": lambda s: s.unhook("sling_1"),
    "hook": lambda s: s.hook("sling_1", reach=1.0),
    "part": lambda s: s.part("sling_2"),
    "retune": lambda s: s.retune(s.scene),
}


def test_live_views_are_fresh_after_every_change() -> None:
    simulator = started("tower_crane", 50)
    live(simulator)
    for change in CHANGES.values():
        change(simulator)
        assert_fresh(simulator)
        simulator.step(3)
        assert_fresh(simulator)


def test_live_views_follow_a_joint_that_is_locked() -> None:
    joint = Joint("pin", "hinge", "bar", point=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0))
    bar = Body("bar", 2.0, shape=Box(0.1, 0.1, 1.0), position=(0.3, 0.0, 0.5))
    simulator = Simulator(Scene(bodies=[bar], joints=[joint]))
    for change in (simulator.step, simulator.unlock, simulator.step, simulator.lock):
        live(simulator)
        change(20 if change == simulator.step else "pin")  # type: ignore[operator]
        assert_fresh(simulator)


def test_views_show_the_simulator_itself_and_are_read_only() -> None:
    simulator = hovering()
    body = simulator.bodies["load"]
    views = [getattr(body, key) for key in BODY]
    views += [simulator.cables["rope"].tensions, simulator.bodies.position]
    views += [simulator.bodies.velocity, simulator.cables.length_rate]
    for view in views:
        with pytest.raises(ValueError, match="read-only"):
            view[...] = 0.0
    kept = body.position
    before = kept.copy()
    simulator.step(10)
    assert body.position is kept and not np.array_equal(kept, before)
    assert np.shares_memory(kept, simulator.bodies.position)
    assert simulator.bodies["load"] is body and simulator.cables["rope"].slack in (True, False)


@pytest.mark.parametrize(
    "wrong",
    [(math.nan, 0, 0), (0, math.inf, 0), (1, 2), (1, 2, 3, 4), 3.0, None, "abc", ("1", 2, 3)]
    + [(10**400, 0, 0), np.zeros((3, 3)), (math.inf, -math.inf, 0), (1j, 0, 0)],
    ids=str,
)
def test_a_wrong_push_is_refused_and_changes_nothing(wrong: Any) -> None:
    simulator = hovering()
    load = simulator.bodies["load"]
    load.push((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    before = [array.tobytes() for array in arrays_of(simulator.save())]
    for force, torque in ((wrong, (0, 0, 0)), ((0, 0, 0), wrong)):
        with pytest.raises(CommandError, match="(?s)push 'load': .* three finite"):
            load.push(force, torque)
    with pytest.raises(CommandError, match="obeys forces"):
        load.move((1.0, 0.0, 0.0))
    assert [array.tobytes() for array in arrays_of(simulator.save())] == before


def test_numbers_may_be_as_large_as_they_can() -> None:
    load = hovering().bodies["load"]
    load.push((1.7e308, 1.7e308, -1.0))
    assert load._wrench[:3].tolist() == [1.7e308, 1.7e308, -1.0]


def test_unknown_names_list_the_known_ones() -> None:
    simulator = started("tower_crane")
    for group, known in (
        (simulator.bodies, "hook_block"),
        (simulator.cables, "hoist_rope"),
        (simulator.joints, "slewing"),
        (simulator.drives, "hoist"),
    ):
        with pytest.raises(SpecError, match=naming(f"'nix' {known}")):
            group["nix"]
        assert known in group and len(group) == len([*group])


def test_observations_can_not_be_changed() -> None:
    simulator = started("tower_crane", 10)
    seen = simulator.observe()
    for field in FIELDS:
        value = getattr(seen, field)
        assert not isinstance(value, np.ndarray) or not value.flags.writeable, field
    with pytest.raises(FrozenInstanceError):
        seen.time = 3.0  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del seen.time
    with pytest.raises(AttributeError, match="'nix'"):
        seen.nix  # noqa: B018
    with pytest.raises(AttributeError, match="nix"):
        seen.replaced(nix=1)
    assert {*FIELDS, "energy", "report"} <= {*dir(seen)}
    before = {field: np.copy(getattr(seen, field)) for field in FIELDS}
    simulator.step(10)
    simulator.observe()
    assert all(np.array_equal(getattr(seen, field), before[field]) for field in FIELDS)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))]
)
def test_copied_observations_are_alike_and_read_only(again: Callable[[Any], Any]) -> None:
    seen = started("tower_crane", 10).observe()
    assert len(seen.body_position)  # one field is made, the others are not
    seen = seen.replaced(steps=12)
    other = again(seen)
    assert other.steps == 12
    for field in FIELDS:
        value = getattr(other, field)
        assert np.array_equal(value, getattr(seen, field)), field
        assert not isinstance(value, np.ndarray) or not value.flags.writeable, field
    assert other.body("load").position.tolist() == seen.body("load").position.tolist()
