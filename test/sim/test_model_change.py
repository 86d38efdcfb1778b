"""Cables that change their model while they run: they go on as they lie, and so does all else."""

import math

import numpy as np
import pytest
from messages import naming
from scipy.optimize import fsolve

from cable_sim import Anchor, Body, Box, Cable, Eye, Scene, Simulator, Surface
from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.status import TOO_STEEP
from cable_sim.machine.machine import Machine
from cable_sim.machine.spawning import change_model
from cable_sim.spec import Drive, Drum, Elevation, Hybrid, Lumped, Obstacle, Winch

G = 9.81
DENSITY = 2.0
EA = 1e6
LAYER = Elevation(density=DENSITY, damping=2.0)
FINE = Hybrid(density=DENSITY, most=170, finest=0.18, damping=2.0)
"""It still has masses for the rope that is paid out later."""
SPAN = 20.0
SPEED = 1.0
"""Speed of the winch [m/s]."""


def suspended(rise: float = 0.0) -> Simulator:
    """A taut elevation cable between two points, on a winch at the first."""
    rope = Cable(
        "rope",
        [Drum("world"), Anchor("world", (SPAN, 0.0, rise))],
        ea=EA,
        length=math.hypot(SPAN, rise) * 1.002,
        damping_time=0.01,
        diameter=0.02,
        elevation=LAYER,
        winch=Winch("winch", 500.0),
    )
    return Simulator(
        Scene(cables=(rope,), drives=(Drive("hoist", "winch", max_effort=1e5),)), dt=2e-3
    )


def pay_out(simulator: Simulator, length: float) -> int:
    """Pay out up to a length of rope [m], and wait; return the status flags."""
    flags = 0
    left = length - simulator.cables["rope"].length_paid_out
    while abs(left) > 1e-9:
        speed = min(SPEED, abs(left) / simulator.dt)
        simulator.command("hoist", math.copysign(speed, left), "speed")
        flags |= simulator.step(max(1, int(abs(left) / speed / simulator.dt))).status
        left = length - simulator.cables["rope"].length_paid_out
    simulator.command("hoist", 0.0, "speed")
    return flags


def catenary(rise: float, length: float) -> tuple[float, float, float]:
    """Tensions at both ends of an elastic catenary [N], and its lowest height [m] (Irvine, Cable
    Structures)."""
    weight = DENSITY * G

    def misses(unknown: np.ndarray) -> list[float]:
        pull, lift = unknown
        far = lift - weight * length
        x = pull * length / EA + pull / weight * (math.asinh(lift / pull) - math.asinh(far / pull))
        z = (far**2 - lift**2) / (2.0 * EA * weight)
        z += (math.hypot(pull, far) - math.hypot(pull, lift)) / weight
        return [x - SPAN, z - rise]

    pull, lift = fsolve(misses, [0.4 * weight * length, 0.5 * weight * length], xtol=1e-12)
    far = lift - weight * length
    low = (pull - math.hypot(pull, lift)) / weight - lift**2 / (2.0 * EA * weight)
    return math.hypot(pull, lift), math.hypot(pull, far), low


@pytest.mark.parametrize("rise", [0.0, 4.0])
def test_a_rope_that_gets_slack_hangs_as_a_catenary(rise: float) -> None:
    """With 30 % of extra rope, where an elevation cable tells that it can't. Reeled in again, it
    pulls as one that never changed."""
    simulator = suspended(rise)
    alone = suspended(rise)
    chord = math.hypot(SPAN, rise)
    assert pay_out(simulator, 1.005 * chord) == 0
    simulator.change_model("rope", FINE)
    assert pay_out(simulator, 1.3 * chord) | simulator.step(4000).status == 0
    seen = simulator.observe().cable("rope")
    near, far, low = catenary(rise, 1.3 * chord)
    assert seen.tension == pytest.approx(near, rel=0.01)
    assert seen.tension_dead_end == pytest.approx(far, rel=0.01)
    assert seen.curve[:, 2].min() == pytest.approx(low, rel=0.01)
    assert pay_out(alone, 1.3 * chord) | alone.step(2000).status == TOO_STEEP
    assert alone.cables["rope"].tension < 0.9 * near
    assert pay_out(simulator, 1.005 * chord) == 0
    simulator.step(2000)
    simulator.change_model("rope", LAYER)
    for each in (simulator, alone):
        pay_out(each, 1.002 * chord)
        each.step(4000)
    assert simulator.cables["rope"].tension == pytest.approx(alone.cables["rope"].tension, rel=1e-3)


@pytest.mark.parametrize(("steps", "tremor", "jump"), [(4000, 5e-3, 0.3), (700, 0.04, 5.0)])
def test_tension_and_energy_go_on(steps: int, tremor: float, jump: float) -> None:
    """Of a rope of 160 J below its straight line, at rest and while it swings with 7 J: the polygon
    over its masses is not as low, and a curve takes half of their weights."""
    simulator = suspended()
    simulator.step(steps)
    for model in (FINE, LAYER):
        before = simulator.observe()
        energy = simulator.change_model("rope", model)
        after = simulator.observe()
        ropes = before.cable("rope"), after.cable("rope")
        assert after.time == before.time
        assert ropes[1].length_paid_out == ropes[0].length_paid_out
        assert ropes[1].curve[:, 2].min() == pytest.approx(ropes[0].curve[:, 2].min(), rel=0.02)
        assert energy == after.energy.total - before.energy.total
        assert abs(energy) < jump
        assert simulator.step().status == 0
        assert simulator.cables["rope"].tension == pytest.approx(ropes[0].tension, rel=tremor)
        simulator.step(50)


def test_a_few_masses_hold_the_tension_as_well() -> None:
    """The polygon over them is shorter than the curve, by a twentieth of the rope's stretch."""
    simulator = suspended()
    simulator.step(4000)
    before = simulator.cables["rope"].tension
    half_weight = 0.5 * DENSITY * G * simulator.observe().cable("rope").length_paid_out
    simulator.change_model("rope", Hybrid(density=DENSITY, most=4))
    simulator.step()
    assert len(simulator.observe().cable("rope").mass_position) == 4
    at_end = math.hypot(before, half_weight)  # an elevation cable reads the middle of its span
    assert simulator.cables["rope"].tension == pytest.approx(at_end, rel=6e-3)


def test_a_slack_massless_rope_falls_as_a_hybrid_wire() -> None:
    """It has no line of its own: it starts straight, without masses, and gains nothing."""
    simulator = suspended()
    simulator.change_model("rope", None)
    assert simulator.cables["rope"].slack
    assert simulator.change_model("rope", FINE) < 1e-9
    simulator.step(2000)
    assert len(simulator.observe().cable("rope").mass_position) > 10


def two_falls(model: Elevation | Hybrid | None) -> Scene:
    """Two loads on a rope each, one of them over an eye, and a ground."""
    bodies = [
        Body(name, 200.0, shape=Box(1, 1, 1), position=(x, 0, 3.0), collides=True)
        for name, x in (("load", 0.0), ("other", 5.0))
    ]
    ropes = [
        Cable(
            f"rope_{body.name}",
            [
                Anchor("world", (x - 6.0, 0, 10)),
                Eye("world", (x, 0, 10)),
                Anchor(body.name, (0, 0, 0.5)),
            ],
            ea=1e6,
            pretension=1962.0,
            damping_ratio=0.05,
            elevation=model if isinstance(model, Elevation) else None,
        )
        for body, x in zip(bodies, (0.0, 5.0), strict=True)
    ]
    return Scene(bodies=bodies, cables=ropes, surfaces=[Surface()])


def test_what_is_beside_goes_on_to_the_last_bits() -> None:
    """Another load on another rope, in both senses; handles and recordings go on, too."""
    simulator = Simulator(two_falls(LAYER))
    alone = Simulator(two_falls(LAYER))
    for each in (simulator, alone):
        each.push("other", (0.0, 50.0, 0.0))
    body = simulator.bodies["other"]
    rope = simulator.cables["rope_other"]
    reader = simulator.reader(["other.position", "rope_load.length_paid_out"])
    with simulator.record(["other.position", "rope_load.tension"], every=50) as recording:
        for model in (Hybrid(density=DENSITY), None, LAYER):
            simulator.step(100)
            simulator.change_model("rope_load", model)
        simulator.step(100)
    alone.step(400)
    np.testing.assert_allclose(body.position, alone.bodies["other"].position, rtol=0, atol=1e-10)
    assert rope.tension == pytest.approx(alone.cables["rope_other"].tension, rel=1e-7)
    *place, length = reader(simulator.observe())
    np.testing.assert_array_equal(place, body.position)
    assert length == simulator.cables["rope_load"].length_paid_out
    assert len(recording) == 9
    np.testing.assert_array_equal(recording["other.position"][-1], body.position)
    assert recording["rope_load.tension"][1:] == pytest.approx(1962.0, rel=0.2)


def test_a_rope_that_can_not_change_says_so() -> None:
    block = Obstacle("block", Box(1, 1, 1), position=(0, 0, -0.4))
    ends = [Anchor("world", (-3, 0, 0)), Anchor("world", (3, 0, 0))]
    bent = Cable("bent", ends, ea=1e5, pretension=500.0, touches=("block",))
    chain = Cable("chain", ends, length=8.0, lumped=Lumped(5, density=1.0))
    simulator = Simulator(Scene(cables=(bent, chain), obstacles=(block,)))
    with pytest.raises(CommandError, match=naming("'bent' bends 'block'")):
        simulator.change_model("bent", FINE)
    with pytest.raises(CommandError, match=naming("'chain' lumped")):
        simulator.change_model("chain", FINE)
    with pytest.raises(SpecError, match=naming("'rope' bent chain")):
        simulator.change_model("rope", FINE)
    with pytest.raises(SpecError, match=naming("density mass per length")):
        simulator.change_model("bent", Hybrid())
    assert simulator.step(10).status == 0


def test_a_law_keeps_the_models_of_its_scene() -> None:
    simulator = suspended()
    simulator.use_law(lambda time, inputs, outputs, memory: None)
    with pytest.raises(CommandError, match=naming("work end use_law")):
        simulator.change_model("rope", FINE)
    simulator.use_law(None)
    simulator.change_model("rope", FINE)
    assert simulator.scene.cables[0].model == FINE


def test_a_machine_goes_on_with_another_model_of_its_rope() -> None:
    machine = Machine(load_crane("tower_12t"))
    machine.tick(20)
    with pytest.raises(CommandError, match=naming("machine runs scene")):
        machine.simulator.change_model("hoist_rope", Hybrid())
    before = machine.observe()
    made = change_model(machine, "hoist_rope", Elevation(), "spook")
    after = made.observe()
    np.testing.assert_array_equal(after.body("load").position, before.body("load").position)
    assert after.cable("hoist_rope").tension == pytest.approx(
        before.cable("hoist_rope").tension, rel=1e-6
    )
    assert made.tick(20).cable("hoist_rope").tension > 0.0


def models(simulator: Simulator, length: float) -> tuple[list[str], int]:
    """Pay out up to a length of rope [m]; return the models that the rope has one after another,
    and the status flags."""
    found = [simulator.scene.cables[0].model.name]
    flags = 0
    left = length - simulator.cables["rope"].length_paid_out
    for _ in range(int(abs(left) / SPEED / simulator.dt / 16)):
        simulator.command("hoist", math.copysign(SPEED, left), "speed")
        flags |= simulator.step(16).status
        if simulator.scene.cables[0].model.name != found[-1]:
            found.append(simulator.scene.cables[0].model.name)
    return found, flags | pay_out(simulator, length)


def test_a_rope_switches_by_itself_where_it_gets_slack_and_back() -> None:
    """Once each way; slack it hangs as a catenary, and taut it pulls as one that never switched."""
    simulator = suspended()
    simulator.switch_when_slack("rope", FINE)
    rope = simulator.cables["rope"]
    assert models(simulator, 1.3 * SPAN) == (["elevation", "hybrid"], 0)
    assert simulator.step(4000).status == 0
    near, _, low = catenary(0.0, 1.3 * SPAN)
    assert rope.tension == pytest.approx(near, rel=0.01)
    assert simulator.observe().cable("rope").curve[:, 2].min() == pytest.approx(low, rel=0.01)
    assert models(simulator, 1.002 * SPAN) == (["hybrid", "elevation"], 0)
    alone = suspended()
    for each in (simulator, alone):
        each.step(4000)
    assert rope.tension == pytest.approx(alone.cables["rope"].tension, rel=1e-3)


def test_a_massless_rope_switches_as_well() -> None:
    simulator = suspended()
    simulator.change_model("rope", None)
    simulator.switch_when_slack("rope", FINE)
    assert models(simulator, 1.05 * SPAN)[0] == ["massless", "hybrid"]
    assert models(simulator, 1.002 * SPAN)[0] == ["hybrid", "massless"]


def test_a_rope_is_taut_at_half_of_what_makes_it_slack() -> None:
    """Beyond its straight way, not beyond the way over its masses."""
    simulator = suspended()
    simulator.switch_when_slack("rope", FINE, beyond=0.015)
    assert models(simulator, 1.014 * SPAN)[0] == ["elevation"]
    assert models(simulator, 1.016 * SPAN)[0] == ["elevation", "hybrid"]
    assert models(simulator, 1.0085 * SPAN)[0] == ["hybrid"]
    assert models(simulator, 1.0065 * SPAN)[0] == ["hybrid", "elevation"]


def test_switches_are_for_cables_that_no_machine_runs() -> None:
    simulator = suspended()
    with pytest.raises(CommandError, match=naming("beyond 0 above 0")):
        simulator.switch_when_slack("rope", FINE, beyond=0)
    with pytest.raises(SpecError, match="'rpe'"):
        simulator.switch_when_slack("rpe", FINE)
    simulator.switch_when_slack("rope", FINE)
    with pytest.raises(CommandError, match=naming("cables switch models")):
        simulator.plant()
    simulator.change_model("rope", FINE)  # by hand: it stays so
    with pytest.raises(CommandError, match=naming("'rope' hybrid")):
        simulator.switch_when_slack("rope", FINE)
    simulator.plant()
    with pytest.raises(CommandError, match=naming("machine runs scene")):
        simulator.switch_when_slack("rope", FINE)
