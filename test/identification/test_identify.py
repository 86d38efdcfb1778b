"""Cranes identified from recordings that other cranes have made, with noise of their sensors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import naming

from cable_sim import Crane, Recording, load_crane
from cable_sim.errors import CableSimError, CommandError, SpecError
from cable_sim.machine.machine import Machine
from cable_sim.sim.readings.channels import Channel
from cable_sim.sim.recording.recording_files import NEVER_READ
from cable_sim_studies.identification import fitting, structure
from cable_sim_studies.identification.comparison import Comparison, Lift, accuracies_of
from cable_sim_studies.identification.identify import identify
from cable_sim_studies.identification.parameters import Parameter, parse_parameter, settle
from cable_sim_studies.identification.replaying import replay
from cable_sim_studies.identification.validation import validate

HANGING: dict[str, Any] = {"rig.start.state": "hanging", "rig.start.hook_depth": 40.0}
SIGNALS = ("hoist.position", "hoist_rope.pull", "hoist_rope.lead")
MASS = "rig.load.mass"
LOSS = "reeving.sheave_efficiency"
MODULUS = "hoist_rope.modulus"


def table(**columns: Any) -> Recording:
    """Recording of columns; two underscores in a name are a dot."""
    names = [name.replace("__", ".") for name in columns]
    units = ["s", *("m" if name.endswith("position") else "m/s" for name in names[1:])]
    made = Recording(
        [Channel(n, (), u, NEVER_READ, 0) for n, u in zip(names, units, strict=True)], 0
    )
    made.append(np.column_stack([*columns.values()]))
    return made


def orders(end: float = 6.0) -> Recording:
    """Commands that lower, lift and let the load bounce."""
    time = np.arange(0.0, end, 0.01)
    speed = np.where((time > 0.5) & (time < 2.0), 0.5, 0.0)
    return table(time=time, hoist__command=np.where((time > 3.0) & (time < 4.5), -0.5, speed))


def crane(**changes: Any) -> Crane:
    return load_crane("tower_12t", HANGING | changes)


@pytest.fixture(scope="module")
def lift() -> Recording:
    """Recording of a crane with a load of 4300 kg, whose sheaves lose more than the file says."""
    return replay(crane(**{MASS: 4300.0, LOSS: 0.97}), orders(), SIGNALS, noise=True)


def test_a_run_under_commands_is_that_of_a_machine_by_hand() -> None:
    given = orders(2.0)
    run = replay(crane(), given, ["hoist_rope.pull", "hoist.position"])
    exact = {"load_pin.noise": 0.0, "load_pin.quantum": 0.0, "encoder.quantum": 0.0}
    machine = Machine(crane(**{f"sensors.{path}": value for path, value in exact.items()}))
    for row in range(len(given) - 1):
        machine.command("hoist", float(given["hoist.command"][row]))
        machine.tick()
        now = machine.readings
        assert run["hoist_rope.pull"][row + 1] == now["hoist_rope.pull"]
        assert run["hoist.position"][row + 1] == now["hoist.position"]
    assert len(run) == len(given) and np.isnan(run["hoist.position"][0])


def test_mass_and_loss_are_found_within_their_bands(lift: Recording) -> None:
    found = identify(crane(), lift, [MASS, LOSS], signals=SIGNALS)
    assert found[MASS].low < 4300.0 < found[MASS].high
    assert found[LOSS].low < 0.97 < found[LOSS].high
    assert found[MASS].sigma < 1.0 and found[LOSS].sigma < 1e-4
    assert found.is_explained and found.sentences == () and found.starts == (1, 1)
    assert found.crane == crane(**{MASS: found[MASS].value, LOSS: found[LOSS].value})


def test_a_bounce_out_of_phase_is_found_by_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    time = np.arange(0.0, 20.0, 0.01)
    stop = table(time=time, hoist__command=np.where((time > 0.5) & (time < 1.5), 0.5, 0.0))
    bounce = replay(crane(**{MODULUS: 6e10}), stop, ["hoist_rope.pull"], noise=True)
    bounds = f"{MODULUS}=3.5e10..1.6e11"
    found = identify(crane(), bounce, [bounds], starts=1)
    assert found.is_explained and found[MODULUS].low < 6e10 < found[MODULUS].high
    monkeypatch.setattr(fitting, "BEGINNINGS", ())
    assert not identify(crane(), bounce, [bounds], starts=1).is_explained


def test_a_loss_that_is_left_out_is_told_by_the_residuals(lift: Recording) -> None:
    found = identify(crane(**{LOSS: 1.0}), lift, [MASS], signals=SIGNALS, starts=1)
    assert not found.is_explained
    pull = next(test for test in found.tests if test.signal == "hoist_rope.lead")
    assert pull.excess > 100.0 and pull.chance < 1e-6
    assert any("hoist_rope.lead" in hint and "hoist" in hint for hint in pull.hints)


def test_a_camera_slower_than_the_rows_accuses_no_right_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time = np.arange(0.0, 20.0, 0.01)
    go = table(time=time, trolley__command=np.where((time > 1.0) & (time < 5.0), 0.6, 0.0))
    seen = replay(crane(), go, ["sway.radial"], noise=True)
    assert all(test.is_explained for test in validate(crane(), seen).tests)
    monkeypatch.setattr(structure, "samples_a_row", lambda piece, accuracy: 1.0)
    assert not any(test.is_explained for test in validate(crane(), seen).tests)


def test_lag_and_offset_of_a_sensor_need_no_runs(lift: Recording) -> None:
    late = orders()
    rows = np.column_stack([late.rows, *(lift[name] for name in SIGNALS)])
    rows[3:, 3] = lift["hoist_rope.pull"][:-3] + 40.0
    shifted = Recording(lift.channels, 0)
    shifted.append(rows)
    errors = ["lag.hoist_rope.pull", "offset.hoist_rope.pull"]
    true = crane(**{MASS: 4300.0, LOSS: 0.97})
    found = identify(true, shifted, errors, signals=SIGNALS)
    assert found["lag.hoist_rope.pull"].value == pytest.approx(0.03, abs=1e-3)
    assert found["offset.hoist_rope.pull"].value == pytest.approx(40.0, abs=3.0)
    assert found.runs == 1 and found.crane == true


def test_what_was_run_before_a_crash_is_not_run_again(lift: Recording, tmp_path: Path) -> None:
    def fall(step: Any) -> None:
        if step.number == 3:
            raise KeyboardInterrupt

    once: dict[str, Any] = {"signals": SIGNALS, "starts": 1}
    with pytest.raises(KeyboardInterrupt):
        identify(crane(), lift, [MASS], store=tmp_path, progress=fall, **once)
    begun = len(list(tmp_path.glob("*.npz")))
    after = identify(crane(), lift, [MASS], store=tmp_path, **once)
    whole = identify(crane(), lift, [MASS], **once)
    assert begun > 2 and after.runs == whole.runs - begun
    assert after.estimates == whole.estimates
    assert identify(crane(), lift, [MASS], store=tmp_path, **once).runs == 0


def test_derivatives_are_those_of_the_residuals(lift: Recording) -> None:
    base = crane(**{MASS: 4300.0})
    accuracies = accuracies_of(base, [Lift(lift)], SIGNALS, {})
    settled = settle(base, [MASS, "lag.hoist.position", Parameter(LOSS, sigma=0.01)], SIGNALS)
    comparison = Comparison(base, [Lift(lift)], settled, accuracies)
    at = np.array([4300.0, 0.01, 0.975])
    slopes = comparison.jacobian(at)
    steps = np.array([20.0, 1e-3, 5e-5])
    for i, step in enumerate(steps):
        move = np.eye(3)[i] * step
        central = comparison.residuals(at + move) - comparison.residuals(at - move)
        error = np.linalg.norm(central / (2.0 * step) - slopes[:, i])
        assert error < 0.03 * np.linalg.norm(slopes[:, i])
    assert comparison.residuals(at)[-1] == pytest.approx((0.975 - 0.98) / 0.01)
    comparison.close()


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ([], "parameters"),
        ([MASS, MASS], "rig.load.mass"),
        (["rig.load.mas"], "rig.load.mas mass"),
        (["rig.start.state"], "hanging"),
        (["hoist_rope.modulus"], "hoist_rope.modulus"),
        (["rig.load.mass=5000..6000"], "rig.load.mass 4000 5000..6000"),
        (["rig.load.mass=-5..6000"], "rig.load.mass -5.0"),
        (["rig.load.mass=6000..5000"], "rig.load.mass 6000..5000"),
        (["rig.load.mass=1.."], "rig.load.mass=1.."),
        (["lag.hoist.speed"], "hoist.speed hoist.position"),
        (["rig.load.mass~0"], "rig.load.mass sigma 0"),
    ],
)
def test_parameters_that_do_not_fit_are_named(wanted: list[str], named: str) -> None:
    with pytest.raises(SpecError, match=naming(named)):
        settle(crane(), wanted, SIGNALS)


def test_bounds_end_where_the_file_does() -> None:
    made = settle(crane(), [LOSS, MASS], SIGNALS)
    assert made[0].high == pytest.approx(1.0, abs=1e-6) and made[0].low == pytest.approx(0.245)
    assert (made[1].low, made[1].high, made[1].start) == (1000.0, 16000.0, 4000.0)
    assert parse_parameter("a.b=-1e3..2.5~.5") == Parameter("a.b", -1000.0, 2.5, 0.5)


def test_recordings_that_cannot_be_compared_are_refused(lift: Recording) -> None:
    time = np.array([0.0, 1.0, 1.0])
    zero = np.zeros(3)
    with pytest.raises(CommandError, match=naming("hoist.command")):
        identify(crane(), table(time=time, hoist__position=zero), [MASS])
    with pytest.raises(SpecError, match=naming("hoist.position")):
        identify(crane(), table(time=time, hoist__command=zero), [MASS])
    with pytest.raises(SpecError, match=naming("sway")):
        identify(crane(), lift, [MASS], signals=["sway"])
    both = table(time=time, hoist__command=zero, hoist__position=zero)
    with pytest.raises(SpecError, match=naming("1 s 2")):
        identify(crane(), both, [MASS], signals=["hoist.position"])
    time = np.arange(3.0)
    wrong = Recording([lift.channels[i] for i in (0, 1, 3)], 0)
    wrong.channels = (*wrong.channels[:2], wrong.channels[2]._replace(unit="kg"))
    wrong.append(lift.rows[:, [0, 1, 3]])
    with pytest.raises(SpecError, match=naming("hoist_rope.pull kg N")):
        identify(crane(), wrong, [MASS])
    with pytest.raises(SpecError, match=naming("crab")):
        replay(crane(), table(time=time, crab__command=zero))
    with pytest.raises(CableSimError, match=naming("mode sped")):
        replay(crane(), table(time=time, hoist__command__sped=zero))


def test_the_results_are_written_and_read_back(lift: Recording, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = identify(crane(), lift, [MASS], signals=SIGNALS, starts=1)
    paths = found.save(tmp_path)
    assert load_crane(paths[0]).scene == found.crane.scene
    figures = json.loads(paths[1].read_text("utf-8"))
    assert figures["parameters"][0]["value"] == found[MASS].value
    text = paths[2].read_text("utf-8")
    assert text.count("<figure>") == 3 and MASS in text and f"{found[MASS].value:.5g}" in text
    header = paths[3].read_text("utf-8").splitlines()[0]
    assert "hoist_rope.pull.residual [" in header
