"""A hoist axis on a drum with layers: the hook's depth and speed whatever layer the rope leaves
from."""

import numpy as np
import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import SpecError
from cable_sim.kernels.multibody.drums import drum_coordinate
from cable_sim.kernels.status import DRUM_EMPTY, DRUM_FULL
from cable_sim.machine.machine import Machine
from cable_sim.machine.rigging.drum_kinematics import DrumKinematics

FOUR = {
    "reeving.n_falls": 4,
    "rig.start.state": "hanging",
    "rig.start.hook_depth": 55.0,
    "rig.load.mass": 1000.0,
    "reeving.sheave_efficiency": 1.0,
}


@pytest.fixture(scope="module")
def lift():
    """The tower crane on four falls hoisting by 45 m with 0.4 m/s: what the axis says, what the
    drum says, the hook."""
    machine = Machine(load_crane("tower_12t", FOUR), dt=5e-3, substeps=4)
    rows = []
    for _ in range(5600):
        machine.command("hoist", -0.4)
        seen = machine.tick()
        rope, state = seen.cable("hoist_rope"), machine.axis_state(seen, "hoist")
        depth = seen.body("trolley").position[2] - seen.body("hook_block").position[2]
        drive = seen.drive("hoist")
        rows.append(
            (
                state.position,
                state.velocity,
                rope.length_paid_out,
                rope.length_rate,
                depth,
                drive.velocity,
            )
        )
    return machine, np.array(rows), seen


def test_the_axis_reads_the_rope_that_is_paid_out(lift):
    machine, rows, _ = lift
    axis = machine.crane.axis("hoist")
    np.testing.assert_allclose(rows[:, 0], (rows[:, 2] - axis.zero) / axis.ratio, atol=1e-9)
    np.testing.assert_allclose(rows[:, 1], rows[:, 3] / axis.ratio, atol=1e-9)
    assert np.ptp(rows[:, 0] - rows[:, 4]) < 0.03  # a shorter rope is stretched by less


def test_the_hook_keeps_its_speed_from_layer_to_layer(lift):
    """With each layer the drive turns slower by R_j / R_1, R_j = 250 mm + j x 13.86 mm."""
    _, rows, seen = lift
    assert rows[-1, 0] < 11.0
    np.testing.assert_allclose(
        rows[200:-1, 1], -0.4, rtol=0.06
    )  # the next layer is 5.5 % faster until the drive knows
    assert (
        np.mean(np.abs(rows[200:-1, 1] + 0.4) < 4e-4) > 0.97
    )  # its speed loop takes some tenths of a second to
    drum = rows[200:, 5] / rows[200:, 1] / 4.0
    steady = np.unique(np.round(drum[np.abs(np.diff(drum, append=0.0)) < 1e-9], 6))
    radii = 0.25 + 0.5 * np.sqrt(3.0) * 0.016 * np.arange(5)
    assert set(np.round(0.25 / radii[1:4], 6)) <= set(steady)
    assert not seen.report.status & (DRUM_FULL | DRUM_EMPTY)


def test_a_position_is_the_hooks_whatever_the_layer():
    machine = Machine(
        load_crane("tower_12t", FOUR | {"rig.start.hook_depth": 30.0}), dt=5e-3, substeps=4
    )
    for _ in range(2500):
        machine.command("hoist", 12.0, "position")
        seen = machine.tick()
    assert machine.axis_state(seen, "hoist").position == pytest.approx(12.0, abs=1e-3)


@pytest.mark.parametrize("depth", [6.0, 30.0, 55.0])
def test_the_encoder_reads_the_hooks_depth_whatever_the_layer(depth):
    """Its quantum is a millimetre; the drum's turns alone would be wrong by decimetres."""
    machine = Machine(
        load_crane("tower_12t", FOUR | {"rig.start.hook_depth": depth}), dt=5e-3, substeps=4
    )
    for _ in range(500):
        machine.command("hoist", -0.3 if depth > 10.0 else 0.3)
        seen = machine.tick()
    told, true = machine.readings["hoist.position"], machine.axis_state(seen, "hoist").position
    assert told == pytest.approx(true, abs=6e-4) and abs(true - depth) > 2.0


def test_effort_is_the_pull_of_the_falls():
    """At rest the drive holds T R_j / R_1, and the axis says n T."""
    machine = Machine(load_crane("tower_12t", FOUR | {"rig.start.hook_depth": 8.0}))
    for _ in range(100):
        seen = machine.tick()
    state, tension = machine.axis_state(seen, "hoist"), seen.cable("hoist_rope").tension
    assert state.effort == pytest.approx(-4.0 * tension, rel=1e-6)
    assert seen.drive("hoist").effort / tension < -1.1


@pytest.mark.parametrize("layers", [None, 5])
def test_coordinate_and_rope_lead_to_each_other(layers):
    crane = load_crane("tower_12t", FOUR | {"drum.layers": layers})
    axis = crane.axis("hoist")
    machine = Machine(crane)
    start = machine.simulator.drives["hoist"].position
    reel = DrumKinematics(crane.scene, axis, start)
    axes = machine.running.pin.records.axes
    rows = axes.layers[crane.axes.index(axis)].tolist()
    assert reel.at(start)[0] == pytest.approx(start, rel=1e-12)
    for q in start + np.linspace(-180.0, 30.0, 43):
        rope = reel.at(q)[0]
        assert drum_coordinate(rope, *rows, axes.layer) == pytest.approx(q, abs=1e-9)
        slope = (reel.at(q + 1e-6)[0] - reel.at(q - 1e-6)[0]) / 2e-6
        assert reel.ratio(q) == pytest.approx(slope, rel=1e-6)
        if layers is None:
            assert reel.at(q)[0] == pytest.approx(q, abs=1e-12)


def test_a_drum_that_does_not_hold_the_rope_is_refused():
    with pytest.raises(SpecError, match=naming("drum 2 layers 28.8 turns hold 93.* m rope")):
        load_crane("tower_12t", FOUR | {"drum.layers": 2, "rig.start.hook_depth": 20.0})
    with pytest.raises(SpecError, match=naming("width missing drum 2 layers")):
        load_crane("tower_12t", {"drum.layers": 2, "drum.width": None})
