"""State, workspace and determinism: what a run may depend on."""

import numpy as np
import pytest
from messages import naming

from cable_sim import Body, Box, Scene, Simulator
from cable_sim.errors import CommandError, ModelError, StepError
from cable_sim.kernels.records.arrays import arrays_by_name, arrays_of
from cable_sim.scenes import load_scene

SCENES = [
    "tower_crane",
    "tower_12t_4falls_hanging",
    "atwood",
    "chain",
    "two_boxes",
    "sliding_box",
    "rope_over_block",
    "elevation_over_platform",
    "nehe_rope",
    "chain_on_hook",
    "stacked_boxes",
    "container_on_stack",
    "wire_over_cylinder",
    "slung_log",
    "hitch",
]


def started(name: str) -> Simulator:
    simulator = Simulator(load_scene(name))
    for drive in simulator.names.drives:
        simulator.command(drive, -0.3)
    simulator.step(300)
    return simulator


def test_another_scenes_snapshot_is_refused_without_effect() -> None:
    simulator = started("atwood")
    before = bits(simulator)
    with pytest.raises(CommandError, match=naming("snapshot scene 'atwood'")):
        simulator.restore(started("tower_crane").save())
    assert bits(simulator) == before


def test_steps_are_not_taken_back() -> None:
    simulator = started("atwood")
    before = bits(simulator)
    for count in (-1, -3):  # what kernels take for something else than steps
        with pytest.raises(CommandError, match=naming(f"count {count} 0 above")):
            simulator.step(count)
    simulator.step(0)
    assert bits(simulator) == before


def bits(simulator: Simulator) -> list[bytes]:
    return [array.tobytes() for array in arrays_of(simulator.save().state)]


@pytest.mark.parametrize("name", SCENES)
def test_restored_state_gives_the_same_bits(name: str) -> None:
    """Save, run, restore, run: the same bits; and in another simulator too."""
    simulator = started(name)
    snapshot = simulator.save()
    simulator.step(500)
    expected = bits(simulator)
    simulator.restore(snapshot)
    simulator.step(500)
    assert bits(simulator) == expected
    other = Simulator(load_scene(name))
    other.restore(snapshot)
    for _ in range(50):
        other.step(10)
        other.observe()
    assert bits(other) == expected


@pytest.mark.parametrize("name", SCENES)
def test_nothing_depends_on_the_workspace(name: str) -> None:
    """Scratch filled with NaN and nonsense before every step changes nothing."""
    simulator = started(name)
    snapshot = simulator.save()
    simulator.step(200)
    expected = bits(simulator)
    simulator.restore(snapshot)
    for _ in range(200):
        for field, array in arrays_by_name(simulator._work).items():
            if field != "bodies.inverse_inertia":  # zero for what is not dynamic: part of the model
                array[...] = np.nan if array.dtype == np.float64 else 1
        simulator.step()
    assert bits(simulator) == expected


@pytest.mark.parametrize("name", SCENES)
def test_steps_of_one_call_give_the_bits_of_single_ones(name: str) -> None:
    """From the start of a scene on, where most moves."""
    together, apart = (Simulator(load_scene(name)) for _ in range(2))
    for simulator in (together, apart):
        for drive in simulator.names.drives:
            simulator.command(drive, -0.3)
    together.step(100)
    for _ in range(100):
        apart.step()
    assert bits(together) == bits(apart)


def test_reset_goes_back_to_the_start() -> None:
    simulator = Simulator(load_scene("tower_crane"))
    before = bits(simulator)
    simulator.step(100)
    assert bits(simulator) != before
    simulator.reset()
    assert bits(simulator) == before


def test_model_can_not_be_written() -> None:
    simulator = Simulator(load_scene("atwood"))
    with pytest.raises(ValueError, match="read-only"):
        simulator._model.cables.length[0] = 3.0


def test_observation_can_not_be_written_and_does_not_change() -> None:
    simulator = Simulator(load_scene("atwood"))
    seen = simulator.observe()
    before = seen.body_position.copy()
    simulator.step(100)
    np.testing.assert_array_equal(seen.body_position, before)
    with pytest.raises(ValueError, match="read-only"):
        seen.body_position[0] = 0.0


def test_overflow_is_reported_and_the_last_good_state_is_kept() -> None:
    """A force that no number can hold: StepError with the time, and finite positions."""
    simulator = Simulator(
        Scene(bodies=[Body("a", mass=1e-300, shape=Box(1, 1, 1))], gravity=(0, 0, 0))
    )
    simulator.step(5)
    simulator.push("a", (1e300, 0.0, 0.0))
    with pytest.raises(StepError, match=r"t = 0\.005.*finite"):
        simulator.step(5)
    assert np.isfinite(simulator.observe().body_position).all()


@pytest.mark.parametrize("dt", [0.0, -1e-3, float("nan"), float("inf")])
def test_step_must_be_positive(dt: float) -> None:
    with pytest.raises(ModelError, match=naming("dt above 0")):
        Simulator(load_scene("atwood"), dt=dt)


def test_unknown_stepper_is_named_with_the_known_ones() -> None:
    with pytest.raises(ModelError, match=r"'euler'.*spook, regularised"):
        Simulator(load_scene("atwood"), stepper="euler")


@pytest.mark.parametrize("name", SCENES)
def test_report_says_how_well_a_step_was_solved(name: str) -> None:
    """Residual of the complementarity conditions below 1e-6 in motion."""
    report = started(name).report
    assert report.status == 0
    assert 0.0 <= report.residual < 1e-6
    assert report.iterations >= 1
