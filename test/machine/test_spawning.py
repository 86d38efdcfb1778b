"""Loads that come and go: everything else goes on, to the last bit; a hook takes what is near."""

import dataclasses

import numpy as np
import pytest
from messages import naming
from transforms3d.quaternions import quat2mat

from cable_sim.control.catalogue import load_scenario
from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimWarning, CommandError, ModelError
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.machine.faults import Fault
from cable_sim.machine.machine import Machine
from cable_sim.machine.spawning import MOST, Load, Loads
from cable_sim.sim.readings.touching import shape_names
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Body, Box, Obstacle, Polyhedron, Scene, Surface

CRANES = "tower_12t", "rtg_41t", "two_towers"
AT_REST = Body("block", 500.0, shape=Box(1.0, 1.0, 1.0), position=(4.0, 9.0, 0.5), collides=True)


def block(name="block", position=(4.0, 9.0, 0.5), **changes):
    """A load on the ground, or elsewhere."""
    return Load(dataclasses.replace(AT_REST, name=name, position=tuple(position), **changes))


def busy(name):
    """A crane after a second of all motions, with a push, a fault and wind."""
    machine = Machine(load_crane(name))
    for axis in machine.crane.axes:
        machine.command(axis.name, 0.3 * axis.max_speed)
    machine.tick(100)
    machine.faults.inject(Fault("drive_derate", machine.crane.axes[0].name, 0.5))
    return machine


def alike(one, other):
    """Whether two nested records have the same bits."""
    return [a.tobytes() for a in arrays_of(one)] == [a.tobytes() for a in arrays_of(other)]


@pytest.mark.parametrize("name", CRANES)
def test_a_load_that_comes_and_goes_changes_no_bit(name):
    machine = busy(name)
    loads = Loads(machine.crane)
    before = machine.save()
    seen = machine.observe()
    with_one = loads.spawn(machine, block(), "spook")
    with_two = loads.spawn(with_one, block("other", (9.0, 9.0, 0.5)), "spook")
    after = with_two.observe()
    for body in machine.crane.scene.bodies:
        assert all(map(np.array_equal, after.body(body.name), seen.body(body.name))), body.name
    for cable in machine.crane.scene.cables:
        one, other = seen.cable(cable.name), after.cable(cable.name)
        assert np.array_equal(one.span_tension, other.span_tension), cable.name
    assert with_two.readings == machine.readings and with_two.orders == machine.orders
    assert with_two.faults.active == machine.faults.active and with_two.time == machine.time
    assert with_two.notices is machine.notices and after.report == seen.report
    with_other = loads.delete(with_two, "block", "spook")
    assert loads.names == ("other",) and "other" in with_other.simulator.names.bodies
    plain = loads.clear(with_other, "spook")
    assert plain.crane == machine.crane and loads.clear(plain, "spook") is plain
    back = plain.save()
    assert alike(back.simulator, before.simulator) and back.faults == before.faults
    unswitched = before.machine._replace(powered=back.machine.powered)
    assert alike(back.machine, unswitched) and alike(back.plc, before.plc)


def test_contacts_and_events_go_on_as_loads_come():
    """A load on the ground keeps its forces, and what has been told of its landing."""
    machine = Machine(load_crane("tower_12t", {"rig.start.state": "on_ground"}))
    machine.tick(50)
    before = machine.observe()
    loads = Loads(machine.crane)
    after = loads.spawn(machine, block(), "spook").observe()
    assert before.events and after.events == before.events
    pairs = zip(before.contact("ground", "load"), after.contact("ground", "load"), strict=True)
    assert all(np.array_equal(*pair) for pair in pairs) and before.contact("ground", "load").points


def test_the_crane_moves_on_as_without_the_load():
    """To rounding: rows are eliminated in another order."""
    machine = busy("tower_12t")
    other = Loads(machine.crane).spawn(machine, block(), "spook")
    machine.tick(100)
    other.tick(100)
    for body in machine.crane.scene.bodies:
        there = other.seen.body(body.name).position
        np.testing.assert_allclose(there, machine.seen.body(body.name).position, atol=1e-9)
    assert other.seen.body("block").position == pytest.approx((4.0, 9.0, 0.5), abs=1e-4)


@pytest.fixture(scope="module")
def beneath():
    """A tower crane whose own load is off the hook, and the place of the hook's underside."""
    machine = Machine(load_crane("tower_12t"))
    machine.let_go()
    machine.tick()
    hook = machine.seen.body("hook_block").position
    (shape,) = (b.shape for b in machine.crane.scene.bodies if b.name == "hook_block")
    return machine, hook - (0.0, 0.0, 0.5 * getattr(shape, "z", 0.0))


def test_a_hook_takes_the_nearest_load_and_lets_it_go(beneath):
    machine, hook = beneath
    loads = Loads(machine.crane)
    far = loads.spawn(machine, block("far", hook + (3.0, 0.0, 0.0)), "spook")
    with pytest.raises(CommandError, match=naming("load attached")):
        loads.let_go(far)
    with pytest.raises(CommandError, match=naming("top 'far' m 'hook_block' 0.5")):
        loads.attach(far)
    crane = loads.spawn(far, block("near", hook - (0.0, 0.1, 0.7)), "spook")
    assert loads.attach(crane) == "near"
    with pytest.raises(CommandError, match=naming("hook load attached")):
        loads.attach(crane)
    start = crane.observe().body("near").position
    crane.tick(300)
    hung = crane.seen.body("near").position
    assert hung[2] > start[2] - 0.2 and crane.seen.body("far").position[2] < 1.0
    pulls = [crane.tick().joint("hook_block_near").force[2] for _ in range(600)]
    assert abs(np.mean(pulls)) == pytest.approx(500.0 * 9.81, rel=0.01)
    assert loads.let_go(crane) == ("near",)
    crane.tick(50)
    assert crane.seen.body("near").position[2] < hung[2] - 0.5


def test_a_load_on_the_hook_goes_with_release_load(beneath):
    machine, hook = beneath
    loads = Loads(machine.crane)
    crane = loads.spawn(machine, block("near", hook - (0.0, 0.0, 0.7)), "spook")
    loads.attach(crane)
    assert crane.let_go() == ("hook_block_near",)


def test_what_can_not_be_spawned_changes_nothing():
    machine = Machine(load_crane("tower_12t"))
    loads = Loads(machine.crane)
    with pytest.raises(CommandError, match=naming("load attach")):
        loads.attach(machine)
    for load, words in (
        (block("load"), "'load' name taken"),
        (block(position=(4.0, 9.0, 0.3)), "0.2 m 'ground'"),
    ):
        with pytest.raises(CommandError, match=naming(words)):
            loads.spawn(machine, load, "spook")
    with pytest.raises(ModelError, match="positive definite"):
        loads.spawn(machine, block(inertia=(1.0, 1.0, -1.0)), "spook")
    assert loads.names == () and loads.with_loads(machine.crane) is machine.crane
    for name, words in (("trolley", "part crane"), ("blok", "none")):
        with pytest.raises(CommandError, match=naming(words)):
            loads.delete(machine, name, "spook")


def test_there_is_an_end_to_loads(monkeypatch):
    monkeypatch.setattr("cable_sim.machine.spawning.MOST", 1)
    assert MOST > 1
    machine = Machine(load_crane("lab_inteco"))
    loads = Loads(machine.crane)
    made = loads.spawn(machine, block(), "spook")
    with pytest.raises(CommandError, match=naming("1")):
        loads.spawn(made, block("second"), "spook")


def test_a_polyhedron_stands_on_its_corners():
    """A prism 0.3 m off its middle: the ground carries its weight, at its own underside."""
    corners = [(x, y, z + 0.3) for x in (-0.5, 0.5) for y in (-0.4, 0.4) for z in (-0.6, 0.6)]
    body = Body(
        "prism",
        80.0,
        inertia=(10.0, 10.0, 5.0),
        shape=Polyhedron(tuple(corners)),
        position=(0.0, 0.0, 0.31),
        collides=True,
    )
    simulator = Simulator(Scene(bodies=(body,), surfaces=(Surface("ground"),)))
    simulator.step(2000)
    seen = simulator.observe()
    assert seen.body("prism").position == pytest.approx((0.0, 0.0, 0.3), abs=1e-3)
    assert seen.body("prism").velocity == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_scenes_that_differ_otherwise_are_refused():
    one = Simulator(load_crane("tower_12t").scene)
    with pytest.raises(ModelError, match="differ"):
        one.continue_from(Simulator(load_crane("rtg_41t").scene))


def test_loads_meet_boxes_where_the_cranes_own_load_does():
    """Two containers on a stack of the yard; without the lower one the upper one comes down."""
    machine = Machine(load_crane("rtg_41t", {"rig.twistlocks": "locked"}))
    x, y, top = machine.crane.scene.surfaces[-1].point
    loads = Loads(machine.crane)
    half = 1.3
    for i, name in enumerate(("lower", "upper")):
        at = (x, y, top + half + 0.01 + 2.01 * half * i)
        box = block(name, at, shape=Box(2.4, 12.0, 2.0 * half), mass=4000.0)
        machine = loads.spawn(machine, box, "spook")
    seen = machine.tick(100)
    heights = [seen.body(name).position[2] - top for name in ("lower", "upper")]
    assert heights == pytest.approx([half, 3.0 * half], abs=2e-3)
    machine = loads.delete(machine, "lower", "spook")
    seen = machine.tick(150)
    assert seen.body("upper").position[2] - top == pytest.approx(half, abs=2e-3)
    with pytest.raises(CommandError, match=naming("1.* m 'upper'")):
        loads.spawn(machine, block("third", seen.body("upper").position), "spook")
    plain = loads.clear(machine, "spook")
    assert plain.crane.scene == load_crane("rtg_41t", {"rig.twistlocks": "locked"}).scene


@pytest.fixture(scope="module")
def vessel():
    """An offshore crane over the deck of a ship that heaves, after a while."""
    machine = Machine(load_scenario("offshore_lift").build())
    machine.tick(2500)
    return machine


def test_a_deck_that_moves_carries_a_spawned_load(vessel):
    """It follows the heave; the slots of the own load and of the new one go on as the load goes."""
    (deck,) = (o for o in vessel.crane.scene.obstacles if o.name.endswith("_deck"))
    place, _ = vessel.seen.body(deck.body)[:2]
    top = place[2] + deck.position[2] + 0.5 * deck.shape.z
    at = (place[0] - 12.0, place[1], top + 0.6)
    loads = Loads(vessel.crane)
    with pytest.raises(CommandError, match=naming(f"0.* m '{deck.name}'")):
        loads.spawn(vessel, block(position=(*at[:2], top)), "spook")
    machine = loads.spawn(vessel, block(position=at), "spook")
    before = vessel.seen.body("load").position
    np.testing.assert_array_equal(machine.observe().body("load").position, before)
    lowest, heights = [], []
    for _ in range(1000):
        seen = machine.tick()
        under, turn = seen.body(deck.body)[:2]
        own = quat2mat(turn).T @ (seen.body("block").position - under)
        lowest.append(own[2] - deck.position[2] - 0.5 * deck.shape.z)
        heights.append(seen.body("block").position[2])
    assert np.ptp(heights[200:]) > 0.5
    assert lowest[200:] == pytest.approx([0.5] * 800, abs=0.02)
    plain = loads.clear(machine, "spook")
    assert plain.crane == vessel.crane
    there = plain.tick(50).body("load").position
    np.testing.assert_allclose(there, machine.tick(50).body("load").position, atol=1e-6)


def test_a_hook_block_rests_on_a_spawned_load_until_it_holds_it():
    """On a crate that stands on the crane's own load; then takes it up, and drops it."""
    machine = Machine(load_crane("tower_12t"))
    machine.let_go()
    (hook,) = (body for body in machine.crane.scene.bodies if body.name == "hook_block")
    x, y, _ = machine.tick().body("load").position
    loads = Loads(machine.crane)
    low = machine.seen.body("hook_block").position - (0.0, 0.0, 0.4)
    with pytest.raises(CommandError, match=naming("'block' m 'hook_block'")):
        loads.spawn(machine, block(position=low), "spook")
    crate = block(shape=Box(1.0, 1.0, 0.4), position=(x, y, 1.21))
    machine = loads.spawn(machine, crate, "spook")
    for _ in range(1200):
        machine.command("hoist", 0.3)
        seen = machine.tick()
    under = seen.body("hook_block").position[2] - 0.5 * hook.shape.z
    assert under == pytest.approx(seen.body("block").position[2] + 0.2, abs=5e-3)
    assert seen.contact("block", "hook_block").normal_force > 0.9 * hook.mass * 9.81
    assert loads.attach(machine) == "block"
    assert machine.tick().contact("block", "hook_block").points == 0
    for _ in range(500):
        machine.command("hoist", -0.3)
        machine.tick()
    assert machine.seen.body("block").position[2] > 1.3
    loads.let_go(machine)
    for _ in range(1500):
        machine.command("hoist", 0.3)
        seen = machine.tick()
    under = seen.body("hook_block").position[2] - 0.5 * hook.shape.z
    assert under > seen.body("block").position[2]


def test_what_overlaps_at_the_start_stays_left_out_as_loads_come():
    """A slab that stands 0.3 m into the crane's own load would push it up by 0.1 m/s."""
    crane = load_crane("tower_12t")
    (load,) = (body for body in crane.scene.bodies if body.name == "load")
    slab = Obstacle("slab", Box(1.0, 1.0, 0.6), position=(*load.position[:2], 0.0))
    scene = dataclasses.replace(crane.scene, obstacles=(*crane.scene.obstacles, slab))
    with pytest.warns(CableSimWarning, match=naming("'load' 'slab' 0.3 m overlap")):
        machine = Machine(dataclasses.replace(crane, scene=scene))
    with pytest.warns(CableSimWarning, match=naming("overlap start")):
        machine = Loads(machine.crane).spawn(machine, block(), "spook")
    for _ in range(200):
        machine.tick()
    assert machine.seen.body("load").position[2] == pytest.approx(load.position[2], abs=1e-3)


def test_contacts_with_tables_go_on():
    """Of a block on the second of two tables, as another block comes, and as it goes again."""
    tables = tuple(
        Obstacle(name, Box(2.0, 2.0, 1.0), position=(x, 0.0, 0.5), stops=("block",))
        for name, x in (("first", 0.0), ("second", 5.0))
    )
    own = dataclasses.replace(AT_REST, position=(5.0, 0.0, 1.5), collides=False)
    new = dataclasses.replace(own, name="new", position=(0.0, 0.0, 3.0))
    both = tuple(dataclasses.replace(table, stops=("block", "new")) for table in tables)
    scene = Scene(bodies=(own,), obstacles=tables)
    alone = Simulator(scene)
    alone.step(50)
    other = Simulator(dataclasses.replace(scene, bodies=(own, new), obstacles=both))
    other.continue_from(alone)
    back = Simulator(scene)
    back.continue_from(other)
    for simulator in (alone, other, back):
        pool = simulator._state.pool
        pressed = pool.key[: pool.used[0]][pool.impulse[: pool.used[0], 0] > 0.0]
        found = [shape_names(key, simulator.names.shapes) for key in pressed.tolist()]
        assert found == [("block", "second")] * 4
    assert alike(alone.save(), back.save())
    alone.step(50)
    other.step(50)
    there = other.bodies["block"].position
    np.testing.assert_allclose(there, alone.bodies["block"].position, atol=1e-12)
