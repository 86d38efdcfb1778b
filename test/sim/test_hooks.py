"""Massless and elevation cables that are unhooked, hooked on and part."""

import dataclasses
import math

import numpy as np
import pytest
from messages import naming

from cable_sim import Anchor, Body, Box, Cable, Drive, Scene, Sheave, Simulator, Winch
from cable_sim.errors import CommandError, SpecError
from cable_sim.kernels.records.arrays import arrays_by_name, arrays_of
from cable_sim.kernels.status import WIRE_BROKE
from cable_sim.sim.sentences import explain
from cable_sim.spec import Drum, Elevation, Hybrid, Lumped, Obstacle

WEIGHT = 100.0 * 9.81


def hanging(position=(0.0, 0.0, -5.0), **options) -> Scene:
    """100 kg on a rope of 5 m from the world."""
    rope = Cable(
        "rope", [Anchor("world"), Anchor("load")], ea=1e6, **{"pretension": WEIGHT} | options
    )
    return Scene(
        bodies=[Body("load", 100.0, shape=Box(0.5, 0.5, 0.5), position=position)], cables=[rope]
    )


SCENES = {
    "massless": hanging(),
    "elevation": hanging(elevation=Elevation(density=0.5)),
    "twisted": hanging(gj=50.0, twist=2.0),
    "laid": hanging(torque_factor=0.09, diameter=0.02),
    "winch": Scene(
        bodies=hanging((0.5, 0.0, -5.0)).bodies,
        cables=[
            Cable(
                "rope",
                [Drum("world"), Sheave("load", efficiency=0.9), Anchor("world", (1, 0, 0))],
                ea=1e6,
                pretension=0.51 * WEIGHT,
                winch=Winch("drum", mass=50.0),
            )
        ],
        drives=[Drive("hoist", "drum")],
    ),
    "driven": Scene(
        bodies=hanging().bodies,
        cables=[Cable("rope", [Anchor("world"), Anchor("load")], driven=True)],
        drives=[Drive("reel", "rope")],
    ),
    "obstacle": Scene(
        bodies=hanging((2.0, 0.0, -5.0)).bodies,
        obstacles=[Obstacle("block", Box(1, 4, 1), position=(1.0, 0.0, -2.5))],
        cables=[Cable("rope", [Anchor("world"), Anchor("load")], ea=1e6, touches=("block",))],
    ),
}


@pytest.mark.parametrize("name", SCENES)
def test_unhooked_load_falls_freely(name: str) -> None:
    """From when it is let go, dv = -g t and nothing turns it, to rounding; no tension, no
    picture."""
    simulator = Simulator(SCENES[name])
    simulator.step(50)
    before = simulator.observe()
    assert before.cable("rope").span_tension.max() > 0.2 * WEIGHT
    assert not before.cable("rope").off
    simulator.unhook("rope")
    simulator.step(100)
    after = simulator.observe()
    change = after.body("load").velocity - before.body("load").velocity
    np.testing.assert_allclose(change, (0.0, 0.0, -0.981), atol=1e-9)
    np.testing.assert_allclose(
        after.body("load").angular_velocity,
        before.body("load").angular_velocity,
        rtol=1e-6,
        atol=1e-9,
    )
    view = after.cable("rope")
    assert view.off
    assert not view.parted
    assert view.slack
    assert (view.span_tension == 0.0).all()
    assert view.torque == 0.0
    assert len(view.severed) == len(view.curve) - 1
    assert len(view.contact_position) == 0
    assert after.energy.elastic == 0.0
    assert simulator.report.status == 0


@pytest.mark.parametrize("name", [name for name in SCENES if name not in ("driven", "obstacle")])
def test_hooked_on_again_it_carries_what_it_did(name: str) -> None:
    """Unhooked, held in its place for a while, hooked on: the same tensions and torque as if
    nothing had been."""
    simulator = Simulator(SCENES[name])
    simulator.step(1)
    snapshot, tension = simulator.save(), simulator.observe().cable("rope")
    simulator.unhook("rope")
    simulator.push("load", (0.0, 0.0, WEIGHT))
    simulator.step(20)
    simulator.restore(simulator.save()._replace(control=snapshot.control))
    for array, values in zip(arrays_of(simulator._state), arrays_of(snapshot.state), strict=True):
        if (
            array.shape[:1] == simulator._state.bodies.position.shape[:1]
        ):  # bodies back to where they were
            array[...] = values
    simulator.hook("rope", reach=0.01)
    simulator.step(1)
    view = simulator.observe().cable("rope")
    assert not view.off
    np.testing.assert_allclose(view.span_tension, tension.span_tension, rtol=0.05)
    assert view.torque == pytest.approx(tension.torque, rel=0.05, abs=1e-9)
    assert view.twist == pytest.approx(tension.twist, rel=1e-3, abs=1e-5)


def test_cable_over_an_obstacle_is_laid_over_it_again() -> None:
    """Hooked on where the block is in its way, it bends over its edge and holds the load."""
    simulator = Simulator(SCENES["obstacle"])
    simulator.step(1)
    bent = len(simulator.observe().cable("rope").contact_position)
    simulator.unhook("rope")
    simulator.step(20)
    path = simulator.observe().cable("rope")
    assert path.length < path.length_paid_out
    with pytest.raises(
        CommandError, match=naming("stretched 0 m")
    ):  # with the way over the edge it is longer
        simulator.hook("rope")
    simulator.hook("rope", reach=0.01)
    simulator.step(300)
    view = simulator.observe().cable("rope")
    assert bent == len(view.contact_position) > 0
    assert view.length == pytest.approx(view.length_paid_out, rel=1e-3)
    assert view.span_tension[0] > 0.5 * WEIGHT


def test_elevation_cable_sags_again() -> None:
    """Its curve is gone with the hook, and comes back: a level span of 20 m that ends in q l^2 / 8
    T, to 3 %."""
    rope = Cable(
        "rope",
        [Anchor("world"), Anchor("world", (20, 0, 0))],
        ea=1e7,
        pretension=500.0,
        elevation=Elevation(density=1.0, damping=4.0),
    )
    simulator = Simulator(Scene(cables=[rope]))
    sag = -simulator.observe().cable("rope").curve[:, 2].min()
    assert sag == pytest.approx(9.81 * 400.0 / 8.0 / 500.0, rel=0.03)
    simulator.unhook("rope")
    simulator.step(500)
    assert np.abs(simulator.observe().cable("rope").curve[:, 2]).max() == 0.0
    simulator.hook("rope")
    simulator.step(5000)
    assert -simulator.observe().cable("rope").curve[:, 2].min() == pytest.approx(sag, rel=0.03)


def test_hook_needs_its_path_within_length_and_reach() -> None:
    """5 m of rope on a path of 5.05 m after a fall: refused with both lengths, allowed with a
    reach; then it holds."""
    simulator = Simulator(hanging(length=5.0, pretension=0.0))
    simulator.unhook("rope")
    simulator.step(101)
    fallen = 5.0 + 0.5 * 9.81 * 0.101**2
    with pytest.raises(CommandError, match=naming("hook 'rope' path 5.05* m 5 stretched 0.05")):
        simulator.hook("rope", reach=0.05)
    simulator.hook("rope", reach=0.06)
    simulator.step(1000)
    assert -simulator.observe().body("load").position[2] < fallen + 0.05


def test_cable_parts_above_its_breaking_force() -> None:
    """A push that grows breaks it in the step in which it reads more, for good, with a status; the
    load falls."""
    simulator = Simulator(hanging(breaking_force=2.0 * WEIGHT, parts=True, damping_time=0.01))
    found, pull = 0, 0.0
    while not found and pull < 2.0 * WEIGHT:
        held = simulator.observe().cable("rope").span_tension[0]
        simulator.push("load", (0.0, 0.0, -pull))
        found = simulator.step(10).status
        pull += 5.0
    assert found == WIRE_BROKE
    assert "broke" in explain(found)
    assert held == pytest.approx(2.0 * WEIGHT, rel=0.02)
    assert simulator.report.exact
    view = simulator.observe().cable("rope")
    assert view.parted
    assert view.off
    speed = simulator.observe().body("load").velocity[2]
    simulator.push("load")
    assert simulator.step(100).status == 0
    assert simulator.observe().body("load").velocity[2] == pytest.approx(speed - 0.981, rel=1e-9)
    with pytest.raises(CommandError, match=naming("hook 'rope' parted good")):
        simulator.hook("rope")


def test_cable_without_parts_only_reports() -> None:
    simulator = Simulator(hanging(breaking_force=0.5 * WEIGHT))
    simulator.step(100)
    assert not simulator.observe().cable("rope").off


def test_one_of_two_ropes_parts() -> None:
    """Two falls carry a beam; one parts, and the other has all of it as the beam swings down."""
    ropes = [
        Cable(
            name,
            [Anchor("world", (x, 0, 5)), Anchor("beam", (x, 0, 0))],
            ea=1e6,
            pretension=0.5 * WEIGHT,
        )
        for name, x in (("left", -1.0), ("right", 1.0))
    ]
    beam = Body("beam", 100.0, shape=Box(2.0, 0.2, 0.2))
    simulator = Simulator(Scene(bodies=[beam], cables=ropes))
    simulator.step(10)
    simulator.part("left")
    simulator.step(1)
    seen = simulator.observe()
    inertia = beam.shape.inertia(100.0)[1]
    expected = WEIGHT / (
        1.0 + 100.0 / inertia
    )  # of a rigid rope: the acceleration at the other end is zero
    simulator.step(40)
    tensions = [
        simulator.step(1) and simulator.observe().cable("right").span_tension[0] for _ in range(60)
    ]
    assert np.mean(tensions) == pytest.approx(expected, rel=0.2)
    assert seen.cable("left").parted
    assert seen.body("beam").angular_velocity[1] < 0.0


def test_snapshot_brings_a_parted_cable_back() -> None:
    simulator = Simulator(SCENES["elevation"])
    simulator.step(100)
    snapshot = simulator.save()
    simulator.step(50)
    expected = simulator.observe().body_position
    simulator.restore(snapshot)
    simulator.part("rope")
    simulator.step(50)
    simulator.restore(snapshot)
    simulator.step(50)
    np.testing.assert_array_equal(simulator.observe().body_position, expected)


@pytest.mark.parametrize("name", SCENES)
def test_what_is_off_leaves_nothing_in_the_workspace(name: str) -> None:
    """Scratch filled with nonsense before every step changes nothing while a cable is off, and
    after."""
    ends = []
    for spoiled in (False, True):
        simulator = Simulator(SCENES[name])
        simulator.step(20)
        simulator.unhook("rope")
        for i in range(20):
            if i == 10:
                simulator.hook("rope", reach=0.1)
            for field, array in arrays_by_name(simulator._work).items():
                if spoiled and field != "bodies.inverse_inertia":
                    array[...] = np.nan if array.dtype == np.float64 else 1
            simulator.step()
        ends.append([array.tobytes() for array in arrays_of(simulator.save().state)])
    assert ends[0] == ends[1]


def test_what_belongs_to_others_is_refused() -> None:
    """Every sentence names the cable and the word that fits."""
    simulator = Simulator(hanging())
    for act, message in (
        (lambda: simulator.cut("rope", 1.0), "part unhook hook"),
        (lambda: simulator.hook("rope"), "hook 'rope' hooked"),
        (lambda: simulator.hook("rope", -1.0), "hooked"),
    ):
        with pytest.raises(CommandError, match=naming(message)):
            act()
    simulator.unhook("rope")
    with pytest.raises(CommandError, match=naming("unhook 'rope' hooked")):
        simulator.unhook("rope")
    with pytest.raises(CommandError, match=naming("reach nan")):
        simulator.hook("rope", math.nan)
    simulator.part("rope")
    with pytest.raises(CommandError, match=naming("part 'rope' parted")):
        simulator.part("rope")
    wire = Cable(
        "rope", [Anchor("world"), Anchor("load")], ea=1e6, length=5.0, hybrid=Hybrid(density=1.0)
    )
    wires = Simulator(dataclasses.replace(hanging(), cables=[wire]))
    with pytest.raises(CommandError, match=naming("unhook 'rope' hybrid wire release")):
        wires.unhook("rope")
    chain = Cable(
        "rope", [Anchor("world"), Anchor("load")], ea=1e6, length=5.0, lumped=Lumped(5, density=1.0)
    )
    with pytest.raises(CommandError, match=naming("part 'rope' masses")):
        Simulator(dataclasses.replace(hanging(), cables=[chain])).part("rope")
    with pytest.raises(SpecError, match=naming("parts breaking_force")):
        hanging(parts=True)
