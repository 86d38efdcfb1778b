"""`cable-sim plot`: pictures, tables, files of other kinds, and runs of scenes."""

import sys
from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim.cli import main
from cable_sim.rendering.recording_plots import BINS, curve, part_of
from cable_sim.sim.readings.channels import Channel
from cable_sim.sim.recording.recording import Recording
from cable_sim.sim.recording.recording_files import read_recording

NONE = np.zeros(0, np.int64)
XYZ = ("x", "y", "z")


@pytest.fixture
def plot(capsys):
    """Runs the command in this process: exit status, output, errors."""

    def run(*words):
        with pytest.raises(SystemExit) as raised:
            main(["plot", *map(str, words)])
        said = capsys.readouterr()
        return raised.value.code, said.out, said.err

    return run


@pytest.fixture
def lift(tmp_path: Path) -> Path:
    """A recording of 5 s, with a vector and two units."""
    told = [("time", (), "s"), ("load.position", XYZ, "m"), ("rope.tension", (), "N")]
    made = Recording([Channel(name, parts, unit, NONE, 0) for name, parts, unit in told], 1)
    time = np.linspace(0.0, 5.0, 51)
    made.append(np.column_stack([time, time, -time, 0 * time, 100.0 + time**2]))
    path = tmp_path / "lift.npz"
    made.write(path)
    return path


def test_a_picture_has_axes_for_each_unit(plot, lift: Path) -> None:
    out = lift.with_name("lift.svg")
    assert plot(lift, "-o", out) == (0, f"{out}: 51 rows of load.position, rope.tension\n", "")
    drawn = out.read_text("utf-8")
    for word in ("[m]", "[N]", "load.position.x", "rope.tension", "time [s]"):
        assert drawn.count(f"<!-- {word} -->") == 1, word
    assert "axes_2" in drawn and "axes_3" not in drawn
    plot(lift, "load.position.y", "-o", lift.with_name("y.png"))
    assert lift.with_name("y.png").read_bytes().startswith(b"\x89PNG")


def test_without_a_picture_a_table_tells_the_channels(plot, lift: Path) -> None:
    status, told, _ = plot(lift, "rope.tension", "--from", "1", "--to", "3")
    assert status == 0 and "21 rows" in told and "load.position" not in told
    assert [*map(float, told.partition("rope.tension")[2].replace("│", " ").split()[1:5])] == [
        101.0,
        101.0,
        109.0,
        109.0,
    ]
    status, told, said = plot(lift, "--from", "9", "-o", lift.with_name("x.png"))
    assert status == 1 and "0 rows" in told and naming("drawn picture").search(said)
    assert not lift.with_name("x.png").exists()


def test_files_turn_into_other_files(plot, lift: Path) -> None:
    out = lift.with_name("part.csv")
    assert plot(lift, "rope.tension", "--to", "1", "-o", out)[0] == 0
    read = read_recording(out)
    assert read.columns == ("time", "rope.tension") and len(read) == 11
    assert read.rows.tolist() == read_recording(lift).rows[:11, [0, 4]].tolist()


def test_a_scene_runs_and_is_recorded(plot, tmp_path: Path) -> None:
    out = tmp_path / "swing.csv"
    words = ("pendulum", "ball.position", "cable.tension", "--for", "0.2", "--every", "20")
    assert plot(*words, "-o", out)[0] == 0
    assert read_recording(out).time.tolist() == pytest.approx(np.arange(0.0, 0.21, 0.02).tolist())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("lift.npz", "nix"), "channel 'nix' recorded time load.position"),
        (("lift.npz", "-o", "x.pdf"), "suffix '.pdf' .png .svg .csv"),
        (("lift.npz", "--for", "3"), "--for --every cranes scenes"),
        (("none.csv",), "none.csv file"),
        (("pendulum",), "name CHANNELs record"),
        (("pendulum", "nix"), "channel 'nix'"),
        (("lift.npz", "--from", "nan"), "Invalid value '--from'"),
    ],
)
def test_wrong_words_are_one_line(plot, lift: Path, monkeypatch, words, says) -> None:
    monkeypatch.chdir(lift.parent)
    status, _, said = plot(*words)
    assert status == 2 and naming(says).search(said) and said.count("\n") == 1


def test_curves_keep_extremes_and_break_where_time_goes_back() -> None:
    time = np.concatenate([np.arange(50_000.0), np.arange(20_000.0)])
    values = np.sin(1e-3 * time)
    values[12_345] = 7.0
    values[60_001] = -7.0
    drawn_time, drawn = curve(time, values)
    assert len(drawn) < 3 * BINS and np.nanmax(drawn) == 7.0 and np.nanmin(drawn) == -7.0
    gap = np.flatnonzero(np.isnan(drawn_time))
    assert len(gap) == 1 and drawn_time[gap[0] - 1] == 49_999.0 and drawn_time[gap[0] + 1] == 0.0
    assert drawn_time[-1] == 19_999.0
    short = curve(time[:100], values[:100])
    assert short[1].tolist() == values[:100].tolist()


def test_a_part_keeps_names_and_units(lift: Path) -> None:
    part = part_of(read_recording(lift), ["load.position.z", "time", "rope.tension"], 0.0, 2.0)
    assert part.columns == ("time", "load.position.z", "rope.tension")
    assert part.units == ("s", "m", "N") and len(part) == 21


def test_it_needs_matplotlib_for_pictures_alone(plot, lift: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert plot(lift)[0] == 0
