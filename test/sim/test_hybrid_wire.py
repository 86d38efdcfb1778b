"""Hybrid wires: statics, what is conserved, slack and taut, masses that come and go, contact and
winches."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming
from scipy.optimize import brentq

from cable_sim import Simulator
from cable_sim.errors import ModelError, SpecError
from cable_sim.kernels.cables.contact.contact_path import MASSIVE
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Drive,
    Drum,
    Eye,
    Ground,
    Hybrid,
    Loose,
    Obstacle,
    Scene,
    Winch,
)

G = 9.81
FRAME = 1.0 / 60.0


def hung(length: float = 9.0, span: float = 8.0, **layer) -> Scene:
    """A wire between two anchors at the same height."""
    made = Hybrid(**{"density": 1.0, "most": 24, "damping": 1.0, **layer})
    ends = (Anchor("world"), Anchor("world", (span, 0.0, 0.0)))
    return Scene(cables=(Cable("wire", ends, ea=1e6, length=length, hybrid=made),))


def loaded(
    mass: float, density: float = 0.1, length: float = 10.0, ea: float = 1e6, **layer
) -> Scene:
    """A box on a wire, hung up where the wire is just not taut."""
    box = Body("box", mass=mass, shape=Box(0.5, 0.5, 0.5), position=(0.0, 0.0, -length - 0.25))
    wire = Cable(
        "wire",
        (Anchor("world"), Anchor("box", (0.0, 0.0, 0.25))),
        ea=ea,
        length=length,
        damping_time=0.05,
        hybrid=Hybrid(**{"density": density, "most": 20, **layer}),
    )
    return Scene(bodies=(box,), cables=(wire,))


def over_boxes(mass: float = 1000.0, **layer) -> Scene:
    """A box that falls on a slack wire between two anchors."""
    box = Body("box", mass=mass, shape=Box(1.0, 1.0, 1.0), position=(5.0, 0.0, 1.0))
    wire = Cable(
        "wire",
        (Anchor("world"), Anchor("world", (10.0, 0.0, 0.0))),
        ea=5e7,
        length=10.2,
        diameter=0.03,
        touches=("block",),
        contacts=12,
        hybrid=Hybrid(**{"density": 5.0, "most": 20, **layer}),
    )
    return Scene(
        bodies=(box,),
        obstacles=(Obstacle("block", Box(1.0, 1.0, 1.0), body="box"),),
        cables=(wire,),
    )


class Masses:
    """What the state of a simulator says of its one wire: holders, their masses [kg] and
    velocities.

    Rope on holders is that of half a step on, as all poses of the state.
    """

    def __init__(self, simulator: Simulator) -> None:
        state, model, cable = simulator._state, simulator._model, simulator.scene.cables[0]
        first, last = int(model.cables.node_start[0]), int(model.cables.node_start[1]) - 1
        inside = [k for k in range(first + 1, last) if state.nodes.contact_solid[k] == MASSIVE]
        self.nodes = [first, *inside, last]
        self.rest = np.array(
            [
                state.spans.rest_length[a:b].sum()
                for a, b in zip(self.nodes, self.nodes[1:], strict=False)
            ]
        )
        half = 0.5 * cable.density * np.array([0.0, *self.rest, 0.0])
        self.mass = half[:-1] + half[1:]
        self.velocity = state.nodes.velocity[self.nodes]
        self.position = simulator.observe().node_position[self.nodes]

    @property
    def momentum(self) -> np.ndarray:
        return self.mass @ self.velocity


def test_a_slack_wire_hangs_in_a_catenary() -> None:
    simulator = Simulator(hung(), FRAME)
    simulator.step(1200)
    wire = simulator.observe().cable("wire")
    u = brentq(lambda u: math.sinh(u) / u - 9.0 / 8.0, 1e-3, 5.0)
    a = 4.0 / u
    assert -wire.curve[:, 2].min() == pytest.approx(a * (math.cosh(u) - 1.0), rel=2e-3)
    assert len(wire.mass_position) == 24
    assert wire.tension == pytest.approx(a * G * math.cosh(u), rel=2e-3)


def test_every_mass_at_rest_is_in_balance() -> None:
    simulator = Simulator(hung(most=12, damping=2.0), FRAME)
    simulator.step(3000)
    holders = Masses(simulator)
    pull = simulator._state.spans.tension_impulse[holders.nodes[:-1], None] / FRAME
    along = np.diff(holders.position, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    force = np.diff(pull * along, axis=0) + holders.mass[1:-1, None] * (0.0, 0.0, -G)
    assert np.abs(force).max() < 1e-3 * holders.mass[1] * G


@pytest.mark.parametrize("mass", [1.0, 10.0, 1000.0, 1e5])
@pytest.mark.parametrize("density", [0.1, 10.0])
def test_a_load_hangs_where_statics_has_it(mass: float, density: float) -> None:
    ea = 1e4 * (mass + 10.0 * density)
    simulator = Simulator(loaded(mass, density, ea=ea), FRAME)
    simulator.step(1500)
    seen = simulator.observe()
    wire, own = seen.cable("wire"), 10.0 * density
    stretch = 10.0 * (mass + 0.5 * own) * G / ea
    assert -0.25 - 10.0 - seen.body("box").position[2] == pytest.approx(stretch, rel=0.01)
    assert wire.tension_dead_end == pytest.approx(mass * G, rel=1e-3)
    assert wire.tension == pytest.approx((mass + own) * G, rel=1e-3)
    assert simulator.report.status == 0


def test_a_wire_has_as_many_masses_as_its_tension_allows() -> None:
    counts = []
    for mass in (0.01, 10.0, 100.0, 1e4):
        simulator = Simulator(loaded(mass, density=1.0), FRAME)
        simulator.step(1500)
        counts.append(len(simulator.observe().cable("wire").mass_position))
    assert counts[0] > 10
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 0


def test_least_and_most_masses_are_kept() -> None:
    tight, loose = Simulator(loaded(1e4, least=3), FRAME), Simulator(hung(most=7), FRAME)
    for simulator in (tight, loose):
        simulator.step(600)
    assert len(tight.observe().cable("wire").mass_position) >= 3
    assert len(loose.observe().cable("wire").mass_position) == 7


@pytest.mark.parametrize(("least", "most"), [(10, 10), (7, 10), (5, 5)])
def test_a_load_leaves_the_least_number_of_masses(least: int, most: int) -> None:
    """Segments are halved, so ``finest`` has to leave room for halves that are not alike."""
    simulator = Simulator(loaded(1e4, density=1.0, least=least, most=most), FRAME)
    simulator.step(1200)
    assert least <= len(simulator.observe().cable("wire").mass_position) <= most


def test_a_wire_and_its_bodies_keep_their_momentum() -> None:
    bodies = (
        Body(
            "a",
            mass=200.0,
            shape=Box(0.3, 0.3, 0.3),
            velocity=(0.0, 3.0, 0.0),
            angular_velocity=(0.0, 2.0, 5.0),
        ),
        Body(
            "b",
            mass=500.0,
            shape=Box(0.4, 0.2, 0.3),
            position=(3.0, 0.0, 0.0),
            velocity=(-1.0, 0.0, 2.0),
        ),
    )
    ends = (Anchor("a", (0.15, 0.0, 0.0)), Anchor("b", (-0.2, 0.1, 0.0)))
    wire = Cable("wire", ends, ea=1e4, length=3.5, hybrid=Hybrid(density=0.6, most=12, damping=0.0))
    simulator = Simulator(Scene(bodies=bodies, cables=(wire,), gravity=(0.0, 0.0, 0.0)), FRAME)
    simulator.step()  # the masses of the ends join their bodies
    counts, before = set(), None
    for _ in range(300):
        state, holders = simulator._state, Masses(simulator)
        momentum = holders.momentum + np.array([200.0, 500.0]) @ state.bodies.velocity[1:3, :3]
        before = momentum if before is None else before
        assert momentum == pytest.approx(before, abs=1e-9)
        counts.add(len(holders.nodes))
        simulator.step()
    assert len(counts) > 3  # masses came and went all the while


def test_a_mass_on_a_circle_keeps_its_speed_and_pulls_as_it_must() -> None:
    ends = (Anchor("world"), Loose((2.0, 0.0, 0.0)))
    wire = Cable("wire", ends, ea=1e9, length=2.0, hybrid=Hybrid(density=1.0, most=0, damping=0.0))
    simulator = Simulator(Scene(cables=(wire,), gravity=(0.0, 0.0, 0.0)), FRAME)
    simulator._state.nodes.velocity[-1] = (0.0, 3.0, 0.0)
    for _ in range(600):
        simulator.step()
    seen, speed = simulator.observe(), np.linalg.norm(simulator._state.nodes.velocity[-1])
    assert speed == pytest.approx(3.0, rel=1e-3)
    assert np.linalg.norm(seen.cable("wire").node_position[-1]) == pytest.approx(2.0, rel=1e-4)
    assert seen.cable("wire").tension == pytest.approx(1.0 * 9.0 / 2.0, rel=0.01)


def test_a_falling_box_never_gains_energy() -> None:
    simulator, energies, slack, counts = Simulator(over_boxes(), FRAME), [], [], set()
    for _ in range(600):
        simulator.step()
        seen = simulator.observe()
        energies.append(seen.energy.total)
        slack.append(seen.cable("wire").slack or seen.energy.elastic < 1.0)
        counts.add(len(seen.cable("wire").mass_position))
    free = np.array(energies)[np.array(slack)]
    # what hung below the chord of its neighbours, where it went, is lifted to it: 51 kg of wire by
    # 0.1 m at most
    assert np.diff(free).max() < 51.0 * G * 0.1
    assert free[-1] < energies[0] - 5000.0
    assert 0 in counts and max(counts) >= 15


def test_a_taut_wire_over_a_box_is_a_massless_cable() -> None:
    wire = over_boxes().cables[0]
    plain = dataclasses.replace(wire, hybrid=None, damping_time=0.02)
    both = [
        dataclasses.replace(over_boxes(1e4), cables=(dataclasses.replace(c, damping_time=0.02),))
        for c in (wire, plain)
    ]
    heights = []
    for scene in both:
        simulator = Simulator(scene, FRAME)
        simulator.step(3000)
        heights.append(simulator.observe().body("box").position[2])
    assert heights[0] == pytest.approx(heights[1], abs=2e-3)


def test_a_loose_wire_falls_freely() -> None:
    ends = (Loose((0.0, 0.0, 5.0)), Loose((3.0, 0.0, 6.0)))
    simulator = Simulator(
        Scene(cables=(Cable("wire", ends, ea=1e5, hybrid=Hybrid(density=0.5, damping=0.0)),)), FRAME
    )
    simulator.step(30)
    t = 30 * FRAME
    drop = 0.5 * G * t * t
    assert simulator.observe().cable("wire").node_position[:, 2] == pytest.approx(
        [5.0 - drop, 6.0 - drop], abs=1e-12
    )


def test_a_wire_lies_on_the_ground() -> None:
    ends = (Loose((0.0, 0.0, 1.0)), Loose((3.0, 0.0, 1.5)))
    layer = Hybrid(density=0.5, ground=Ground(friction=0.5))
    simulator = Simulator(Scene(cables=(Cable("wire", ends, ea=1e5, hybrid=layer),)), FRAME)
    simulator.step(600)
    before = simulator.observe().cable("wire").curve
    simulator.step(60)
    after = simulator.observe().cable("wire").curve
    assert np.abs(after[:, 2]).max() < 1e-6
    assert after == pytest.approx(before, abs=1e-6)


def test_a_wire_lies_on_a_solid_and_does_not_get_into_it() -> None:
    ends = (Loose((-2.0, 0.1, 1.0)), Loose((2.5, -0.1, 1.0)))
    wire = Cable(
        "wire", ends, ea=1e5, touches=("table",), hybrid=Hybrid(density=0.5, most=24), diameter=0.02
    )
    table = Obstacle("table", Box(3.0, 3.0, 0.4), friction=0.6)
    simulator = Simulator(Scene(cables=(wire,), obstacles=(table,)), FRAME)
    for _ in range(400):
        simulator.step()
        curve = simulator.observe().cable("wire").curve
        on = (np.abs(curve[:, 0]) < 1.49) & (np.abs(curve[:, 1]) < 1.49)
        assert (curve[on, 2] > 0.2 - 1e-3).all() or (curve[on, 2] < -0.2).any()
    assert len(simulator.observe().cable("wire").contact_position) > 0


def test_a_winch_pays_out_rope_and_its_mass() -> None:
    scene = loaded(100.0)
    wire = dataclasses.replace(
        scene.cables[0],
        nodes=(Drum("world"), scene.cables[0].nodes[1]),
        winch=Winch("winch", mass=50.0),
    )
    drive = Drive("hoist", on="winch", max_effort=1e6)
    simulator = Simulator(dataclasses.replace(scene, cables=(wire,), drives=(drive,)), FRAME)
    for _ in range(3):
        for speed in (0.5, -0.7):
            simulator.command("hoist", speed)
            simulator.step(240)
            seen = simulator.observe().cable("wire")
            ahead = seen.length_paid_out + 0.5 * FRAME * seen.length_rate
            assert Masses(simulator).mass.sum() == pytest.approx(0.1 * ahead, rel=1e-6)
    seen = simulator.observe()
    assert seen.cable("wire").length_paid_out == pytest.approx(10.0 - 3 * 4.0 * 0.2, abs=0.05)
    below = -0.25 - seen.body("box").position[2]
    assert below == pytest.approx(
        seen.cable("wire").length_paid_out * (1.0 + 100.0 * G / 1e6), rel=5e-3
    )


def test_a_winch_holds_all_of_the_rope() -> None:
    """Its drive has the load and the whole rope to hold, though one end of the rope has the mass of
    a half."""
    scene = loaded(20.0, density=3.0, most=0)
    wire = dataclasses.replace(
        scene.cables[0],
        nodes=(Drum("world"), scene.cables[0].nodes[1]),
        winch=Winch("winch", mass=50.0),
    )
    simulator = Simulator(
        dataclasses.replace(
            scene, cables=(wire,), drives=(Drive("hoist", on="winch", max_effort=1e6),)
        ),
        FRAME,
    )
    simulator.command("hoist", 0.0)
    simulator.step(900)
    assert abs(simulator.observe().drive("hoist").effort) == pytest.approx(
        (20.0 + 3.0 * 10.0) * G, rel=1e-3
    )


def test_rope_runs_over_an_eye_with_its_masses() -> None:
    """Atwood's machine of wire: as much as goes up on one side comes down on the other, and the
    mass with it."""
    simulator = Simulator(over_eyes(10.0, 14.0, 0.01, most=10), FRAME)
    simulator.step(60)
    seen = simulator.observe()
    assert seen.body("light").velocity[2] == pytest.approx(4.0 / (24.0 + 0.106) * G, rel=0.01)
    assert seen.body("light").velocity[2] == pytest.approx(
        -seen.body("heavy").velocity[2], rel=1e-2
    )


def over_eyes(light: float, heavy: float, density: float, lift: float = 0.0, **layer) -> Scene:
    """Two weights on a wire over two eyes; the heavy one ``lift`` higher, the other lower by as
    much."""
    boxes = [
        Body(name, mass=mass, shape=Box(0.2, 0.2, 0.2), position=(x, 0.0, z - 5.1))
        for name, mass, x, z in (("light", light, -0.3, -lift), ("heavy", heavy, 0.3, lift))
    ]
    nodes = (
        Anchor("light", (0.0, 0.0, 0.1)),
        Eye("world", (-0.3, 0.0, 0.0)),
        Eye("world", (0.3, 0.0, 0.0)),
        Anchor("heavy", (0.0, 0.0, 0.1)),
    )
    made = Hybrid(**{"density": density, "most": 0, "damping": 0.0, **layer})
    return Scene(
        bodies=tuple(boxes), cables=(Cable("wire", nodes, ea=1e7, damping_time=0.05, hybrid=made),)
    )


@pytest.mark.parametrize("lift", [0.0, 1.5, -2.0])
def test_a_heavy_rope_runs_off_by_its_own_weight(lift: float) -> None:
    """Nothing but the rope's weight drives it: x'' = 2 rho g x / m, m all masses, in spite of one
    tension."""
    simulator = Simulator(over_eyes(3.0, 3.0, 1.0, lift), FRAME)
    before = simulator.observe().energy
    simulator.step(48)
    rate = math.sqrt(2.0 * G / (6.0 + 10.6))
    t = 48 * FRAME
    seen = simulator.observe()
    expected = -lift * math.cosh(rate * t)
    assert seen.body("light").position[2] + 5.1 == pytest.approx(expected, rel=0.02, abs=1e-3)
    moved = seen.body("light").position[2] + 5.1
    released = G * (moved**2 - lift**2)
    assert seen.energy.potential - before.potential == pytest.approx(-released, rel=2e-3, abs=1e-2)


def test_a_gripper_on_a_sliding_rope_tips_by_its_falls_weight() -> None:
    """As V = -rho g (s tilt)^2 has it, s half the distance of its eyes, and nothing else rights or
    tips it."""
    half, density, mass = 1.0, 1.0, 100.0
    nodes = (
        Anchor("world", (-half, 0.0, 0.0)),
        Eye("gripper", (-half, 0.0, 0.0)),
        Eye("gripper", (half, 0.0, 0.0)),
        Anchor("world", (half, 0.0, 0.0)),
    )
    start, shape = 1e-3, Box(2.2, 0.4, 0.2)
    gripper = Body(
        "gripper", mass, shape=shape, position=(0.0, 0.0, -6.0), angular_velocity=(0.0, start, 0.0)
    )
    layer = Hybrid(density=density, most=0, damping=0.0)
    wire = Cable("wire", nodes, ea=1e7, pretension=0.5 * mass * G, damping_time=0.05, hybrid=layer)
    simulator = Simulator(Scene(bodies=(gripper,), cables=(wire,)), FRAME)
    simulator.step(240)
    rate = math.sqrt(2.0 * density * G * half**2 / (mass * (shape.x**2 + shape.z**2) / 12.0))
    tilt = 2.0 * simulator.observe().body("gripper").orientation[2]
    assert tilt == pytest.approx(start / rate * math.sinh(rate * 4.0), rel=0.02)


def test_both_sides_of_a_heavy_rope_have_their_tensions() -> None:
    """At rest: at the load its weight; in the middle between, the mean."""
    simulator = Simulator(over_eyes(20.0, 20.0, 2.0), FRAME)
    simulator.step(600)
    seen = simulator.observe()
    wire, model = seen.cable("wire"), simulator._model
    assert wire.tension == pytest.approx(20.0 * G, rel=2e-3)
    assert seen.span_tension[model.cables.node_start[0] + 1] == pytest.approx(
        (20.0 + 2.0 * 5.0) * G, rel=5e-3
    )


def test_save_and_restore_make_the_same_bits_follow() -> None:
    simulator = Simulator(over_boxes(), FRAME)
    simulator.step(50)
    saved = simulator.save()
    runs = []
    for _ in range(2):
        simulator.restore(saved)
        simulator.step(100)
        runs.append([array.copy() for array in arrays_of(simulator._state)])
    for one, other in zip(*runs, strict=True):
        assert (one == other).all()


def test_what_a_hybrid_wire_cannot_be_is_refused() -> None:
    ends = (Anchor("world"), Anchor("world", (1.0, 0.0, 0.0)))
    with pytest.raises(SpecError, match=naming("density mass per length")):
        Cable("wire", ends, hybrid=Hybrid())
    with pytest.raises(SpecError, match=naming("least 5 most 3")):
        Hybrid(density=1.0, most=3, least=5)
    with pytest.raises(SpecError, match=naming("stiffness 3.0 hybrid")):
        Cable("wire", ends, stiffness=3.0, hybrid=Hybrid(density=1.0))


def test_ends_at_one_point_are_refused() -> None:
    with pytest.raises(ModelError, match=naming("'wire' nodes same point")):
        Simulator(hung(span=0.0), FRAME)


def test_a_path_that_cannot_be_is_refused() -> None:
    ends = (Anchor("world"), Anchor("world", (1.0, 0.0, 0.0)))
    made = Hybrid(density=1.0, path=((0.5, 0.0, 1.0),))
    with pytest.raises(SpecError, match=naming("path masses start long wire")):
        Cable("wire", ends, hybrid=made)
    through = Cable(
        "wire", (ends[0], Eye("world", (0.5, 0.0, 0.0)), ends[1]), length=3.0, hybrid=made
    )
    with pytest.raises(ModelError, match=naming("path behind point 0 nodes.1 0.5 0 0 place eye")):
        Simulator(Scene(cables=(through,)), FRAME)


def test_a_catch_stores_no_force_of_its_damper() -> None:
    """Masses that go while the rope is jerked taut: the force gamma de/dt of its damper is not
    stretch."""
    load = Body(
        "load", 3300.0, inertia=(500.0,) * 3, position=(0.6, 0.0, -5.8), velocity=(3.0, 0.0, -8.0)
    )
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("load")),
        ea=4.8e7,
        length=6.0,
        damping_time=0.005,
        hybrid=Hybrid(density=0.75, most=8),
    )
    simulator = Simulator(Scene(bodies=(load,), cables=(rope,)), dt=1e-3)
    read = []
    for _ in range(150):
        simulator.step()
        energy = simulator.observe().energy
        read.append((energy.elastic, energy.total))
    elastic, totals = np.transpose(read)
    assert elastic.max() > 8e4
    assert totals.max() - totals[0] < 100.0  # 1000 J with the damper's force taken for stretch
