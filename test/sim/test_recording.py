"""Recordings: rows of a Python loop of steps and observations, to the last bit; and their files."""

import contextlib
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from live_scenes import KINDS, hovering, row_of, seen_of, started
from messages import naming

from cable_sim import Body, Scene, Simulator, Sphere, Surface
from cable_sim.errors import CableSimError, CommandError, ModelError, SpecError, StepError
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.scenes import load_scene
from cable_sim.sim import driving
from cable_sim.sim.readings.channels import Channel
from cable_sim.sim.recording.recording import Recording
from cable_sim.sim.recording.recording_files import read_recording
from cable_sim.spec import Collision, Touch

SUFFIXES = (".csv", ".npz", ".mcap")
FLAGS = (".slack", ".saturated", ".open", ".brake_closed")


def names_of(simulator: Simulator) -> list[str]:
    """Full names of all channels that observations show too, the time first."""
    return [*seen_of(simulator.observe())]


def by_hand(simulator: Simulator, channels: list[str], every: int, steps: int) -> list[list[float]]:
    """The rows of a Python loop that steps one by one."""
    rows = []
    for taken in range(1, steps + 1):
        simulator.step()
        if taken % every == 0:
            rows.append(row_of(simulator, channels))
    return rows


def bits(simulator: Simulator) -> list[bytes]:
    return [array.tobytes() for array in arrays_of(simulator.save())]


@pytest.mark.parametrize("kind", KINDS)
def test_present_values_are_those_of_an_observation(kind: str) -> None:
    """While a recording runs, and without a trace in it or in what follows; but flags."""
    simulator = started(kind, 20)
    recording = simulator.record(["time"], 5)
    channels = [name for name in names_of(simulator) if not name.endswith(FLAGS)]
    before = bits(simulator)
    numbers = simulator.reader(channels)(simulator.observe())
    assert numbers == row_of(simulator, channels)
    assert len(recording) == 1 and bits(simulator) == before
    with pytest.raises(SpecError, match="'nix'"):
        simulator.reader(["nix"])


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_those_of_a_python_loop(kind: str, every: int) -> None:
    """Of calls of odd lengths, and all kinds of channels; and what follows is the same."""
    simulator = started(kind, 20)
    other = started(kind, 20)
    channels = names_of(other)
    recording = simulator.record(channels, every)
    expected = [row_of(other, channels), *by_hand(other, channels, every, 44)]
    for count in (1, 2, 0, 3, 17, 21):
        simulator.step(count)
    assert recording.rows.tolist() == expected
    assert bits(simulator) == bits(other)


def test_reports_are_those_of_plain_steps() -> None:
    simulator = started("tower_crane")
    other = started("tower_crane")
    simulator.record(["energy"], 5)
    for count in (1, 13, 0, 40):
        assert simulator.step(count) == other.step(count)
        assert simulator.report == other.report


def test_rows_go_on_through_restore_and_reset() -> None:
    simulator = hovering()
    other = hovering()
    channels = ["time", "bodies.load.position", "cables.rope.tension"]
    expected = [row_of(other, channels)]
    recording = simulator.record(channels[1:], 4)
    kept = simulator.save()

    def both(count: int) -> None:
        simulator.step(count)
        for _ in range(count):
            other.step()
            if other.observe().steps % 4 == 0:
                expected.append(row_of(other, channels))

    both(10)
    simulator.restore(kept)
    other.restore(kept)
    both(7)
    simulator.reset()
    other.reset()
    both(9)
    assert recording.rows.tolist() == expected
    assert (np.diff(recording.time) <= 0.0).sum() == 2


def test_a_full_tape_is_emptied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "TAPE", 30)
    simulator = hovering()
    recording = simulator.record(["load.position", "energy"], 2)
    simulator.step(101)
    plain = hovering()
    monkeypatch.undo()
    expected = plain.record(["load.position", "energy"], 2)
    plain.step(101)
    assert len(recording) == 51
    assert recording.rows.tobytes() == expected.rows.tobytes()


def test_a_recording_stops_and_another_begins() -> None:
    simulator = hovering()
    with simulator.record(["load.position.z"]) as first:
        simulator.step(3)
        with pytest.raises(CommandError, match=naming("recording runs")):
            simulator.record(["energy"])
    simulator.step(5)
    second = simulator.record(["energy"], 2)
    first.stop()  # that has ended, and ends no other one
    simulator.step(4)
    assert len(first) == 4 and first["load.position.z"].shape == (4,)
    assert second.time.tolist() == pytest.approx([0.008, 0.010, 0.012])
    assert second["energy"].shape == (3, 4)
    assert second["energy.kinetic"].tolist() == second["energy"][:, 0].tolist()


def test_rows_before_a_step_that_fails_are_kept() -> None:
    """And the run goes on after a reset."""
    simulator = hovering()
    recording = simulator.record(["load.velocity"])
    simulator.step(5)
    simulator.bodies["load"].push((1e12, 0.0, 0.0))
    with pytest.raises(StepError, match="'load'"):
        simulator.step(10)
    assert len(recording) == 6 and np.isfinite(recording.rows).all()
    simulator.reset()
    simulator.step(2)
    assert len(recording) == 8 and recording.time[-1] == pytest.approx(0.002)


def test_rows_of_a_recording_can_not_be_written() -> None:
    simulator = hovering()
    recording = simulator.record(["load.position"])
    simulator.step(5)
    for view in (recording.rows, recording.time, recording["load.position"]):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1.0
    kept = recording.rows
    before = kept.copy()
    simulator.step(100)
    assert np.array_equal(kept, before) and len(recording) == 106


@pytest.mark.parametrize(
    ("channels", "every", "error", "says"),
    [
        (["load.positon"], 1, SpecError, "load.position"),
        (["load"], 1, SpecError, "'load' load.position load.orientation"),
        (["nothing_like"], 1, SpecError, "known"),
        ("load.position", 1, SpecError, "'load.position' list names"),
        (None, 1, SpecError, "None list names"),
        ([3], 1, SpecError, "channel 3"),
        ([["load"]], 1, SpecError, "known"),
        (["energy", "energy"], 1, SpecError, "'energy.kinetic' recorded 2 times"),
        (["load.position", "load.position.z"], 1, SpecError, "'load.position.z' recorded 2"),
        (["energy"], 0, CommandError, "every 0 1"),
        (["energy"], -3, CommandError, "every -3"),
        (["energy"], 10**30, CommandError, "every 1000000000000000000000000000000"),
    ],
)
def test_wrong_recordings_are_refused(channels: Any, every: Any, error: Any, says: str) -> None:
    simulator = hovering()
    with pytest.raises(error, match=naming(says)):
        simulator.record(channels, every)
    with pytest.raises(TypeError):
        simulator.record(["energy"], 2.5)  # type: ignore[arg-type]
    assert len(simulator.record(["energy"])) == 1  # none is left running


def test_a_sparse_scene_is_not_recorded() -> None:
    simulator = Simulator(load_scene("net"), solver="sparse")
    with pytest.raises(ModelError, match=naming("solver 'sparse' knows recording")):
        simulator.record(["energy"])


def test_an_unknown_series_names_the_known_ones() -> None:
    recording = hovering().record(["load.position", "energy"])
    with pytest.raises(SpecError, match=naming("'nix' recorded time load.position")):
        recording["nix"]
    assert recording.columns[:3] == ("time", "load.position.x", "load.position.y")
    assert recording.units[:2] == ("s", "m")


CRANE = started("tower_crane", 5)
NAMES = names_of(CRANE)[1:]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(NAMES), unique=True, max_size=8), st.integers(1, 5))
def test_any_list_of_channels_can_be_recorded(channels: list[str], every: int) -> None:
    CRANE.reset()
    with CRANE.record(channels, every) as recording:
        CRANE.step(11)
    assert len(recording) == 1 + 11 // every
    CRANE.step(10 - (11 % every))
    CRANE.reset()
    CRANE.step(11 - 11 % every)
    assert recording.rows[-1].tolist() == row_of(CRANE, ["time", *channels])


def filled() -> Recording:
    """A recording with a reset in it, and with names and values of all kinds."""
    simulator = hovering()
    recording = simulator.record(["load.position", "rope.slack", "energy", "load.velocity.x"])
    simulator.step(20)
    simulator.reset()
    simulator.step(3)
    recording.append(np.array([[1.0, *[math.nan] * 9], [2.0, *[-math.inf] * 9]]))
    recording.append(np.array([[1e9, -0.0, 5e-324, 0.1 + 0.2, math.inf, *[1e308] * 5]]))
    return recording


def same(one: Recording, other: Recording) -> bool:
    rows = np.array_equal(one.rows, other.rows, equal_nan=True)
    signs = np.array_equal(np.signbit(one.rows), np.signbit(other.rows))
    return rows and signs and (one.columns, one.units) == (other.columns, other.units)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_hold_recordings_exactly(suffix: str, tmp_path: Path) -> None:
    if suffix == ".mcap":
        pytest.importorskip("mcap", reason="needs mcap (extra `bag`)")
    recording = filled()
    path = tmp_path / f"lift{suffix}"
    recording.write(path)
    recording.write(str(path).replace("lift", "again").replace(suffix, suffix.upper()))
    read = read_recording(path)
    assert same(read, recording) and read.every == 0
    assert same(read_recording(tmp_path / f"again{suffix.upper()}"), recording)
    assert [c.name for c in read.channels] == [c.name for c in recording.channels]
    assert read["load.position"].shape == (27, 3)
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"again{suffix.upper()}", path.name]


def bouncing() -> Simulator:
    """A ball that falls 0.2 m and bounces without loss, every 0.4 s."""
    ball = Body("ball", 1.0, shape=Sphere(0.1), position=(0.0, 0.0, 0.3))
    told = Scene(
        bodies=(ball,),
        surfaces=(Surface(),),
        collision=Collision(pairs=[("ball", "ground", Touch(restitution=1.0))]),
    )
    return Simulator(told, dt=1e-3)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_files_have_the_touches_since_the_recording_began(suffix: str, tmp_path: Path) -> None:
    if suffix == ".mcap":
        pytest.importorskip("mcap", reason="needs mcap (extra `bag`)")
    simulator = bouncing()
    simulator.step(300)
    assert len(simulator.observe().events) == 2
    with simulator.record(["ball.position"]) as run:
        simulator.step(500)
        simulator.step(500)
    simulator.step(1000)
    begins = [event for event in run.events if event.begins]
    gap = 2.0 * np.sqrt(2.0 * 0.2 / 9.81)
    assert [event.time for event in begins] == pytest.approx([1.5 * gap, 2.5 * gap], abs=3e-3)
    assert [event.speed for event in begins] == pytest.approx([np.sqrt(0.4 * 9.81)] * 2, rel=1e-2)
    assert all({event.first, event.second} == {"ball", "ground"} for event in run.events)
    assert len(run.events) == 4 and run.lost_events == 0
    run.write(tmp_path / f"bounces{suffix}")
    read = read_recording(tmp_path / f"bounces{suffix}")
    assert read.events == run.events and same(read, run)
    if suffix == ".csv":
        events = tmp_path / "bounces.events.csv"
        events.write_text(events.read_text().replace("True", "true"))
        with pytest.raises(SpecError, match=naming("bounces.events.csv 'true'")):
            read_recording(tmp_path / "bounces.csv")
        simulator.record(["time"]).write(tmp_path / "bounces.csv")
        assert not (tmp_path / "bounces.events.csv").exists(), "those of the earlier one"


def test_events_that_nobody_saw_are_counted() -> None:
    """Between two looks at a scene there may be more than are kept; a reset has none."""
    simulator = bouncing()
    run = simulator.record(["time"], every=1000)
    room = len(simulator._state.pool.event)
    simulator._state.pool.events[0] = room + 7
    simulator.step(1)
    assert len(run.events) == room and run.lost_events == 7
    simulator.reset()
    simulator.step(300)
    assert len(run.events) == room + 2 and run.lost_events == 7


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_strange_names_and_no_rows_are_held_too(suffix: str, tmp_path: Path) -> None:
    if suffix == ".mcap":
        pytest.importorskip("mcap", reason="needs mcap (extra `bag`)")
    none = np.zeros(0, np.int64)
    told = [("time", "s"), ('a "b", [c]\n/d.tension', "N"), ("ü.position.x", "m"), ("x", "-")]
    empty = Recording([Channel(name, (), unit, none, 0) for name, unit in told], 1)
    path = tmp_path / f"x{suffix}"
    empty.write(path)
    assert same(read_recording(path), empty)
    empty.append(np.arange(8.0).reshape(2, 4))
    empty.write(path)
    assert same(read_recording(path), empty)


def test_messages_carry_unit_and_simulated_time(tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader", reason="needs mcap (extra `bag`)")
    simulator = hovering()
    recording = simulator.record(["load.position", "rope.tension"], 10)
    simulator.step(20)
    recording.write(tmp_path / "x.mcap")
    with (tmp_path / "x.mcap").open("rb") as file:
        found = [*reader.make_reader(file).iter_messages(topics=["load.position"])]
    schema, channel, message = found[-1]
    told = json.loads(schema.data)["properties"]
    assert channel.message_encoding == "json" and channel.metadata == {"unit": "m"}
    assert [*told] == ["x", "y", "z"] and told["x"]["unit"] == "m"
    assert [m.log_time for _, _, m in found] == [0, 10_000_000, 20_000_000]
    assert [*json.loads(message.data).values()] == recording["load.position"][-1].tolist()


def test_other_suffixes_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    recording = filled()
    for name in ("x.xlsx", "x", ".csv"):
        with pytest.raises(SpecError, match=naming(".csv .npz .mcap")):
            recording.write(tmp_path / name)
        with pytest.raises(SpecError, match=naming(".csv .npz .mcap")):
            read_recording(tmp_path / name)
    with pytest.raises(FileNotFoundError) as raised:
        recording.write(tmp_path / "none" / "x.csv")
    assert raised.value.filename == str(tmp_path / "none" / "x.csv")
    assert [*tmp_path.iterdir()] == []


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "x.npz"
    recording = filled()
    recording.write(path)
    before = path.read_bytes()
    with path.open("rb") as reading:  # goes on with the file that it has
        recording.write(path)
        recording.append(recording.rows[:1])
        recording.write(path)
        assert reading.read() == before != path.read_bytes()
    before = path.read_bytes()

    def torn(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", torn)
    with pytest.raises(OSError, match=naming("space x.npz")):
        recording.write(path)
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_files_are_refused(suffix: str, tmp_path: Path) -> None:
    if suffix == ".mcap":
        pytest.importorskip("mcap", reason="needs mcap (extra `bag`)")
    path = tmp_path / f"x{suffix}"
    filled().write(path)
    whole = path.read_bytes()
    for damaged in (
        b"",
        b"nonsense\n1,2\n",
        b"time [s],x [m]\n1,2,3\n4,5,6\n",
        whole[: len(whole) // 3],
        whole[:-20],
    ):
        path.write_bytes(damaged)
        with pytest.raises(SpecError, match=r"x\..*: .*recording|numbers"):
            read_recording(path)
    with pytest.raises(FileNotFoundError):
        read_recording(tmp_path / f"none{suffix}")


def test_a_frame_has_time_as_its_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    recording = filled()
    with contextlib.suppress(ModuleNotFoundError):
        import pandas

        frame = recording.frame()
        assert frame.index.name == "time" and [*frame.columns] == [*recording.columns[1:]]
        assert np.array_equal(frame.to_numpy(), recording.rows[:, 1:], equal_nan=True)
        assert frame.attrs["units"]["load.position.x"] == "m"
        recording.write(tmp_path / "x.csv")
        assert pandas.read_csv(tmp_path / "x.csv").shape == recording.rows.shape
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(CableSimError, match=naming("pandas installed pip install")):
        recording.frame()


def test_mcap_where_it_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in ("mcap", "mcap.reader", "mcap.writer"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(CableSimError, match=naming("pip install 'cable_sim[bag]' .csv")):
        filled().write(tmp_path / "x.mcap")
    assert [*tmp_path.iterdir()] == []


def test_room_for_rows_grows_as_they_come() -> None:
    recording = hovering().record(["energy.kinetic"])
    for k in range(5):
        recording.append(np.full((k, 2), float(k)))
    assert recording.rows[1:, 1].tolist() == [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]
