"""Hoist ropes that are hybrid wires only while they are slack: a load lands, the hook goes on down,
and the load is lifted again."""

import dataclasses
from itertools import product
from typing import Any

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import Crane, load_crane
from cable_sim.errors import CommandError, ModelError, SpecError
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.kernels.status import TOO_STEEP
from cable_sim.machine.faults import Fault, targets
from cable_sim.machine.machine import Machine
from cable_sim.machine.rigging import slack_ropes
from cable_sim.machine.spawning import Load, Loads, change_model
from cable_sim.sim.batch.batch import BatchSimulator
from cable_sim.spec import Body, Box, Elevation
from cable_sim.spec.wind import Steady

SPEED = 0.3
"""Speed of the hook [m/s], if the drive is as fast."""
DEPTH = {"tower_12t": 57.297, "overhead_32t": 7.895, "rtg_41t": 18.3, "sts_51t": 36.8}
"""Depth of the hook with the load 0.4 m over the ground [m]."""
WAY = {"tower_12t": 3.4, "overhead_32t": 2.9, "rtg_41t": 1.2, "sts_51t": 1.9}
"""Way of the hook until the ropes are slack [m]: to the ground, the length of slings, and on."""
MASSLESS = ("massless",)
ELEVATION = ("elevation",)
HYBRID = ("hybrid",)


def changes(
    name: str, model: str = "massless", when_slack: str | None = "hybrid"
) -> dict[str, Any]:
    """Return the changes of a file whose load hangs a little over the ground."""
    if name == "overhead_32t":
        ropes = {"ropes.main_rope.model": model, "ropes.main_rope.when_slack": when_slack}
        return ropes | {"rig.start.at.hoist": DEPTH[name]}
    depth = "rig.start.hook_depth" if name.startswith("tower") else "rig.start.depth"
    given = {"reeving.model": model, "reeving.when_slack": when_slack}
    given |= {"rig.start.state": "hanging", depth: DEPTH[name]}
    if name.startswith("tower"):  # the drum has rope for a hook on the ground that is taut
        given["rig.load.size"] = (2.0, 2.0, 4.0)
    return given


def alike(one: Any, other: Any) -> bool:
    """Return True if two nested records have the same bits."""
    return [a.tobytes() for a in arrays_of(one)] == [a.tobytes() for a in arrays_of(other)]


class Lift:
    """A crane whose hook goes down and up again, and what happens to its ropes."""

    def __init__(self, crane: Crane) -> None:
        self.machine = Machine(crane)
        for limiter in crane.limiters:  # one stops the hoist at a slack rope
            assert self.machine.plc is not None
            self.machine.plc.bypass(limiter.name, True)
        self.first = crane.ropes[0]
        self.flags = 0
        self.models = [self.model]
        self.rest(1.0)
        self.start = self.place

    @property
    def model(self) -> tuple[str, ...]:
        """Models of the ropes of the first hook."""
        hung = self.machine.crane.suspension
        assert hung is not None
        names = self.machine.crane.falls(hung)
        cables = self.machine.simulator.scene.cables
        return tuple(sorted({cable.model.name for cable in cables if cable.name in names}))

    @property
    def place(self) -> float:
        """Depth of the hook at taut ropes [m]."""
        return self.machine.axis_state(self.machine.seen, "hoist").position

    def tick(self, speed: float) -> None:
        """Take a tick with a speed of the hook [m/s]."""
        self.machine.command("hoist", speed)
        self.flags |= self.machine.tick().report.status
        if self.model != self.models[-1]:
            self.models.append(self.model)

    def rest(self, time: float) -> float:
        """Let the hook stand for a time [s]; return the mean tension at the drum [N]."""
        pulls = []
        for _ in range(round(100 * time)):
            self.tick(0.0)
            pulls.append(self.machine.seen.cable(self.first).tension)
        return float(np.mean(pulls))

    def go(self, way: float) -> None:
        """Bring the hook so far below its start [m]."""
        hook = self.machine.crane.axis("hoist")
        fastest = min(SPEED, hook.max_speed)
        while abs(left := self.start + way - self.place) > 2e-3:
            self.tick(float(np.clip(left, -fastest, fastest)))
            assert self.machine.time < 120.0

    def load(self) -> Any:
        """Return the position of the load [m]."""
        return self.machine.observe().body(self.machine.crane.watched).position


def lifted(name: str, model: str) -> tuple[Lift, float, Any]:
    """Return a lift that has landed, slackened and lifted a load, its tension, and its place."""
    lift = Lift(load_crane(name, changes(name, model)))
    lift.go(WAY[name])
    lift.rest(1.0)
    assert lift.machine.seen.cable(lift.first).tension < 1500.0
    lift.go(0.0)
    lift.rest(2.0)
    return lift, lift.rest(2.0), lift.load()


QUICK = {("tower_12t", "massless"), ("tower_12t", "elevation"), ("rtg_41t", "elevation")}
"""Crane and model of a change that is tried at every run: of one rope, and of four."""


@pytest.mark.parametrize(
    ("name", "model"),
    [
        pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow)
        for case in product(DEPTH, ("massless", "elevation"))
    ],
)
def test_a_slack_rope_falls_and_lifts_as_before(
    name: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the same crane whose ropes keep their model. A fall of an elevation cable tells that it is
    too slack, with and without a change."""
    lift, tension, place = lifted(name, model)
    assert lift.models == [(model,), HYBRID, (model,)]
    monkeypatch.setattr(slack_ropes, "SLACK", np.inf)
    alone, expected, there = lifted(name, model)
    assert alone.models == [(model,)]
    assert lift.flags in (0, alone.flags & TOO_STEEP)
    assert tension == pytest.approx(expected, rel=0.01)
    np.testing.assert_allclose(place, there, atol=0.01)


def slackened(crane: Crane | None = None) -> Lift:
    """Return a lift of a tower crane whose load stands, and whose rope is a hybrid wire."""
    lift = Lift(crane or load_crane("tower_12t", changes("tower_12t")))
    lift.go(WAY["tower_12t"])
    assert lift.models == [MASSLESS, HYBRID]
    return lift


def test_all_else_goes_on_through_a_change() -> None:
    """Commands, faults, counters, a recording, a reader, and handles."""
    lift = Lift(load_crane("tower_12t", changes("tower_12t")))
    machine = lift.machine
    machine.faults.inject(Fault("sheave_seizure", "hoist_rope/1", 0.7))
    machine.command("trolley", 99.0)
    machine.wind = Steady(3.0)
    rope = machine.simulator.cables["hoist_rope"]
    read = machine.simulator.reader(["hoist_rope.length_paid_out", "load.position"])
    order = machine.orders["trolley"]
    counts = dict(machine.counts)
    with machine.simulator.record(["load.position"], every=10) as recording:
        lift.go(WAY["tower_12t"])
    seen = machine.seen
    assert lift.models == [MASSLESS, HYBRID]
    assert machine.notices[-1].startswith("hoist_rope slack: hybrid ")
    assert [fault.name for fault in machine.faults.active] == ["sheave_seizure hoist_rope/1"]
    assert machine.orders["trolley"]._replace(stale=False) == order
    assert {"stale": 1, **counts} == machine.counts
    assert machine.wind == (Steady(3.0),)
    assert len(recording) == 1 + (seen.steps - 1000) // 10
    assert read(seen) == [rope.length_paid_out, *machine.simulator.bodies["load"].position]


def test_a_seized_sheave_stays_so_in_both_models() -> None:
    """It takes 30 % of the tension of the rope that runs over it, and the others 2 % each."""
    lift = slackened()
    lift.machine.faults.inject(Fault("sheave_seizure", "hoist_rope/1", 0.5))
    lift.go(0.0)
    lift.tick(-0.05)
    assert lift.models[-1] == MASSLESS
    spans = lift.machine.seen.cable("hoist_rope").span_tension
    assert spans[1] == pytest.approx(0.5 * spans[0], rel=0.05)


def test_a_reset_and_a_snapshot_bring_models_along() -> None:
    """Each has the bits that the machine had."""
    crane = load_crane("tower_12t", changes("tower_12t"))
    start = Machine(crane).save()
    lift = slackened(crane)
    machine = lift.machine
    saved = machine.save()
    lift.rest(0.2)
    once = machine.save()
    machine.reset()
    assert lift.model == MASSLESS and machine.crane == crane
    assert alike(machine.save().simulator, start.simulator)
    machine.restore(saved)
    assert lift.model == HYBRID
    lift.rest(0.2)
    assert alike(machine.save().simulator, once.simulator)


def test_a_spawned_load_and_new_limits_stay_through_changes() -> None:
    lift = slackened()
    loads = Loads(lift.machine.crane)
    block = Body("block", 500.0, shape=Box(1.0, 1.0, 1.0), position=(4, 9, 0.5), collides=True)
    lift.machine = loads.spawn(lift.machine, Load(block), "spook")
    assert lift.model == HYBRID
    assert targets(lift.machine.crane)["rope"][0] == "hoist_rope"  # as before
    weaker = {"drives.slewing.torque_max": 5e4}
    file = load_crane("tower_12t", changes("tower_12t") | weaker)
    lift.machine.retune(loads.with_loads(file))
    assert lift.model == HYBRID
    lift.go(0.0)
    assert lift.models[-1] == MASSLESS and lift.flags == 0
    assert "block" in lift.machine.simulator.names.bodies
    assert lift.machine.crane.scene.drives == file.scene.drives
    lift.machine = loads.delete(lift.machine, "block", "spook")
    lift.machine.reset()
    assert lift.machine.crane.scene == file.scene


def test_a_slack_rope_breaks_and_keeps_its_model() -> None:
    lift = slackened()
    lift.machine.faults.inject(Fault("rope_break", "hoist_rope"))
    lift.rest(0.5)
    stands = lift.load()
    lift.go(0.0)
    np.testing.assert_allclose(lift.load(), stands, atol=1e-3)
    assert lift.models == [MASSLESS, HYBRID]
    assert naming("unhooked parted").search(" ".join(lift.machine.notices))


def test_a_rope_that_bends_over_an_edge_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is noted once."""
    lift = slackened()
    monkeypatch.setattr(slack_ropes, "SLACK", 1.0)
    lift.machine.simulator.check_line = refuse  # type: ignore[method-assign]
    lift.rest(0.5)
    assert lift.model == HYBRID
    assert list(lift.machine.notices).count("bends over 'edge'") == 1


def test_a_rope_that_can_not_change_keeps_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until a reset, after which it is as in its file; nothing is lost meanwhile."""
    lift = slackened()
    rest = lift.machine.save()
    monkeypatch.setattr(lift.machine, "go_on_as", refuse)
    lift.go(0.0)
    assert lift.models == [MASSLESS, HYBRID]
    assert lift.load()[2] == pytest.approx(2.4, abs=0.02)
    kept = "hoist_rope taut, but kept as before until a reset: bends over 'edge'"
    assert list(lift.machine.notices).count(kept) == 1
    monkeypatch.undo()
    lift.machine.reset()
    assert lift.model == MASSLESS
    lift.machine.restore(rest)
    assert lift.model == HYBRID


def test_worlds_of_a_batch_can_not_change() -> None:
    with pytest.raises(ModelError, match=naming("when_slack worlds batch")):
        BatchSimulator(load_crane("tower_12t", changes("tower_12t")), 2)


def refuse(*_: Any) -> None:
    """Refuse to read a line."""
    raise CommandError("bends over 'edge'")


@pytest.mark.parametrize("name", [*DEPTH, "lab_inteco"])
def test_slack_ropes_are_those_of_a_hybrid_crane(name: str) -> None:
    """They lie on the same, and the crane has the same bodies."""
    part = "ropes.main_rope" if name == "overhead_32t" else "reeving"
    whole = load_crane(name, {f"{part}.model": "hybrid"})
    crane = load_crane(name, {f"{part}.when_slack": "hybrid"})
    wires = [cable for cable in whole.scene.cables if cable.model.adaptive]
    assert [pair.slack for pair in crane.when_slack] == wires
    plain = load_crane(name)
    assert crane.scene.cables == plain.scene.cables
    assert crane.scene.bodies == whole.scene.bodies


def test_a_model_chosen_by_hand_stays() -> None:
    lift = Lift(load_crane("tower_12t", changes("tower_12t")))
    lift.machine = change_model(lift.machine, "hoist_rope", Elevation(), "spook")
    lift.go(WAY["tower_12t"])
    assert lift.model == ELEVATION and lift.machine.plain


def test_cranes_side_by_side_change_each_for_itself() -> None:
    """On one site, and on one beam, which the ropes lie on."""
    members = [
        dataclasses.replace(member, changes=member.changes | {"reeving.when_slack": "hybrid"})
        for member in load_crane("tandem_lift").details.crane.cranes
    ]
    crane = load_crane("tandem_lift", {"crane.cranes": members})
    assert [pair.taut.name for pair in crane.when_slack] == ["head_hoist_rope", "tail_hoist_rope"]
    assert all(pair.slack.touches == ("beam_solid",) for pair in crane.when_slack)
    (beam,) = (solid for solid in crane.scene.obstacles if solid.name == "beam_solid")
    assert beam.body == "beam"
    assert not beam.stops_bodies
    assert Machine(crane).tick(10).report.status == 0


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("tower_12t", {"reeving.when_slack": "elevation"}, "when_slack 'hybrid'"),
        ("rtg_41t", {"reeving.model": "hybrid"}, "when_slack hybrid model"),
        ("lab_inteco", {"reeving.model": "hybrid"}, "when_slack hybrid model"),
        ("cableway_20t", {"ropes.haul_rope.when_slack": "hybrid"}, "massless hybrid"),
    ],
)
def test_a_wrong_file_is_told(name: str, given: dict[str, Any], told: str) -> None:
    first = {"reeving.when_slack": "hybrid"} if "reeving.model" in given else {}
    with pytest.raises(SpecError, match=naming(told)):
        load_crane(name, first | given)
