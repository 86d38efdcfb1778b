"""Several cables on one drum: it pays out as much of each, and its rotor feels the sum of their
tensions."""

import dataclasses

import numpy as np
import pytest
from messages import naming

from cable_sim import Anchor, Body, Box, Cable, Drive, Joint, Scene, Simulator, Winch
from cable_sim.spec import Drum

G = 9.81
EA = 1e6


def rope(name, x, winch, hang=5.0, body="load"):
    """A rope from a drum 5 m above the origin down to a point of a body; its weight keeps it
    ``hang`` long."""
    ends = (
        Drum("world", (x, 0.0, 5.0)),
        Anchor(body, (x if body == "load" else 0.0, 0.0, 5.0 - hang)),
    )
    return Cable(name, ends, ea=EA, damping_ratio=0.05, pretension=1000.0 * G / 2.0, winch=winch)


def beam(**changes):
    """A beam of 1 t on two ropes that run off one drum."""
    winch = Winch("winch", 400.0)
    parts = {
        "bodies": (Body("load", 1000.0, shape=Box(3.0, 0.2, 0.2)),),
        "cables": (rope("left", -1.0, winch), rope("right", 1.0, winch)),
        "drives": (Drive("hoist", "winch", max_acceleration=0.5),),
    }
    return Scene(**parts | changes)


def test_two_cables_with_equal_winches_have_one_coordinate():
    scene = beam()
    assert [winch.name for winch in scene.winches] == ["winch"]
    simulator = Simulator(scene)
    assert simulator.drives["hoist"].position == pytest.approx(
        5.0 / (1.0 + 500.0 * G / EA), rel=1e-12
    )


def test_a_drum_pays_out_ropes_equally_and_bears_both_tensions():
    simulator = Simulator(beam())
    before = simulator.observe()
    simulator.command("hoist", 0.2, "speed")
    simulator.step(8000)
    simulator.command("hoist", 0.0, "speed")
    simulator.step(8000)
    seen = simulator.observe()
    paid = [
        seen.cable(name).length_paid_out - before.cable(name).length_paid_out
        for name in ("left", "right")
    ]
    assert paid[0] == paid[1] > 1.4
    tensions = [seen.cable(name).tension for name in ("left", "right")]
    assert tensions == pytest.approx([500.0 * G] * 2, rel=1e-3)
    assert seen.drive("hoist").effort == pytest.approx(-sum(tensions), rel=1e-6)


def test_cables_of_unequal_length_keep_their_difference():
    winch = Winch("winch", 400.0)
    bodies = tuple(
        Body(n, 500.0, shape=Box(0.2, 0.2, 0.2), position=(x, 0.0, 5.0 - h))
        for n, x, h in (("load", 0.0, 5.0), ("other", 2.0, 3.0))
    )
    cables = tuple(
        Cable(
            name,
            (Drum("world", (x, 0.0, 5.0)), Anchor(body)),
            ea=EA,
            damping_ratio=0.05,
            pretension=500.0 * G,
            winch=winch,
        )
        for name, body, x in (("long", "load", 0.0), ("short", "other", 2.0))
    )
    simulator = Simulator(beam(bodies=bodies, cables=cables))
    start = simulator.observe()
    simulator.command("hoist", -0.1, "speed")
    simulator.step(5000)
    seen = simulator.observe()
    long, short = (seen.cable(name).length_paid_out for name in ("long", "short"))
    assert start.cable("short").length_paid_out == pytest.approx(
        3.0 / (1.0 + 500.0 * G / EA), rel=1e-12
    )
    assert long - short == pytest.approx(2.0 / (1.0 + 500.0 * G / EA), rel=1e-12)
    assert short < start.cable("short").length_paid_out - 0.4


def test_a_free_drum_takes_up_what_momentum_the_load_lacks():
    """m v_rope = M (g t - v): the impulse of both ropes. Without losses the energy stays, while
    load and rotor ring."""
    cables = tuple(dataclasses.replace(cable, damping_ratio=0.0) for cable in beam().cables)
    simulator = Simulator(beam(drives=(), cables=cables))
    start = simulator.observe()
    simulator.step(1000)
    seen = simulator.observe()
    falling = -seen.body("load").velocity[2]
    assert falling > 5.0
    assert 400.0 * seen.cable("left").length_rate == pytest.approx(
        1000.0 * (G * 1.0 - falling), rel=1e-9
    )
    assert seen.cable("left").tension == pytest.approx(seen.cable("right").tension, rel=1e-9)
    assert seen.energy.total == pytest.approx(start.energy.total, abs=3e-3 * seen.energy.kinetic)


def test_one_drum_is_what_drums_locked_together_would_be():
    """Two rotors of half the mass whose drives hold one speed: the same motion, and efforts that
    add up.

    The beam hangs unevenly, so the ropes pull differently.
    """
    places = (("left", -1.0), ("right", 0.5))
    together = beam(cables=tuple(rope(name, x, Winch("winch", 400.0)) for name, x in places))
    apart = beam(
        cables=tuple(rope(f"rope_{name}", x, Winch(name, 200.0)) for name, x in places),
        drives=tuple(Drive(f"hoist_{name}", name, max_acceleration=0.5) for name, _ in places),
    )
    one, two = Simulator(together), Simulator(apart)
    for simulator, drives in ((one, ("hoist",)), (two, ("hoist_left", "hoist_right"))):
        for drive in drives:
            simulator.command(drive, 0.3, "speed")
        simulator.push("load", (0.0, 50.0, 0.0))
        simulator.step(2000)
    a, b = one.observe(), two.observe()
    np.testing.assert_allclose(a.body_position, b.body_position, atol=1e-9)
    np.testing.assert_allclose(a.body("load").velocity, b.body("load").velocity, atol=1e-9)
    efforts = [b.drive(f"hoist_{name}").effort for name, _ in places]
    assert a.drive("hoist").effort == pytest.approx(sum(efforts), rel=1e-9)
    assert abs(efforts[0] - efforts[1]) > 100.0


def test_a_drum_with_a_joint_named_like_it_is_refused():
    from cable_sim.errors import SpecError

    with pytest.raises(SpecError, match=naming("joints winches name 'winch'")):
        beam(joints=(Joint("winch", "hinge", "load"),))


def test_the_scene_survives_its_file(tmp_path):
    from cable_sim.spec.files import parse_spec, to_yaml

    assert parse_spec(to_yaml(beam()), Scene) == beam()
