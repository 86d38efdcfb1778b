"""Logs as other programs write them, and those that are refused with their places."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import naming

from cable_sim import CableSimError, read_recording
from cable_sim.sim.readings.channels import Channel
from cable_sim.sim.recording.logs import read_log
from cable_sim.sim.recording.recording import Recording
from cable_sim.sim.recording.recording_files import NEVER_READ

COLUMNS = {"Zeit": "time [ms]", "Kran_Pos[mm]": "trolley.position [mm]", "Last": "pull [kN]"}


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "log.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "Zeit,Kran_Pos[mm],Last\n0,1500,10\n10,1501.5,10.5\n",
        "\ufeffZeit;Kran_Pos[mm];Last\r\n0;1500,0;10\r\n10;1501,5;10,5\r\n",
        "sep=;\nZeit;Kran_Pos[mm];Last\nms;mm;kN\n0;1500,0;10\n10;1501,5;10,5\n",
        "Zeit\tKran_Pos[mm]\tLast\n0\t1500\t10\n10\t1501.5\t10.5\n".encode("utf-16"),
        "# Prüfung\nZeit,Kran_Pos[mm],Last\n0,1500,10\n10,1501.5,10.5\n".encode("cp1252"),
    ],
    ids=["commas", "excel", "units", "utf16", "cp1252"],
)
def test_text_of_other_programs_is_read_in_si(tmp_path: Path, text: str | bytes) -> None:
    log = read_log(written(tmp_path, text), COLUMNS)
    assert log.columns == ("time", "trolley.position", "pull") and log.units == ("s", "m", "N")
    assert log.rows.tolist() == [[0.0, 1.5, 10e3], [0.01, 1.5015, 10500.0]]


def test_dates_with_zones_become_seconds(tmp_path: Path) -> None:
    text = "date,v [m/min],mode\n2026-03-01 08:00:00.5+01:00,60,a\n2026-03-01T07:00:02Z,30,a\n"
    log = read_log(written(tmp_path, text))
    assert log.time.tolist() == [0.0, 1.5] and log["v"].tolist() == [1.0, 0.5]
    assert log.zero == "2026-03-01T08:00:00.500000+01:00" and log.columns == ("time", "v")


def test_gaps_outliers_and_missing_samples_are_told(tmp_path: Path) -> None:
    rows = [f"{0.1 * k:.1f},{math.sin(0.1 * k):.6f},{k if k % 2 else ''}" for k in range(60)]
    rows[20] = "2.0,50.0,"
    del rows[30:40]
    log = read_log(written(tmp_path, "\n".join(["time,q,b", *rows])))
    told = "\n".join(log.findings)
    assert naming("1 1.1 2.9").search(told)
    assert naming("q 1 50 2").search(told)
    assert naming("b 25 50").search(told)
    assert np.isnan(log["b"][0]) and log["b"][1] == 1.0


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("time,q\n0,1\n1,NaN\n", "log.csv:3:3 q 'NaN' missing="),
        ("time;q\n0;1,5\n1;x\n", "log.csv:3:3 q 'x'"),
        ("time,a\n0,1\n2,1\n1,1\n", "log.csv:4:1 time 1 2"),
        ("time,a\n0,1\n0,1\n", "log.csv:3:1 time 0"),
        ("clock,a\n0,1\n", "log.csv 'clock' 'time [s]'"),
        ("time,a,a\n0,1,2\n", "log.csv 'a' twice"),
        ("time,t,a\n0,1,2\n", "log.csv 'time'"),
        ("time,a\n0,1,2\n", "log.csv:2 3 2"),
        ("time\n0\n", "log.csv numbers"),
        ("date,a\n2026-03-01,1\n1.3.2026,1\n", "log.csv:3:1 date '1.3.2026'"),
        ("", "log.csv"),
    ],
    ids=range(11),
)
def test_bad_logs_are_refused_with_their_place(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(CableSimError, match=naming(named)):
        read_log(written(tmp_path, text))


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({"Zeit": "time [ms]", "b": "x"}, "log.csv 'b' Zeit Last"),
        ({"Zeit": "time [mm]"}, "log.csv 'Zeit' 'mm'"),
        ({"Zeit": "time [ms]", "Last": "pull [kNm/x]"}, "log.csv 'Last' 'kNm/x' kN"),
        ({"Zeit": "time [ms]", "Last": "[kN]"}, "log.csv 'Last' '[kN]'"),
        ({"Last": "pull [kN]", "Zeit": "clock"}, "log.csv 'time [s]'"),
    ],
    ids=range(5),
)
def test_meanings_that_do_not_fit_are_named(
    tmp_path: Path, columns: dict[str, Any], named: str
) -> None:
    with pytest.raises(CableSimError, match=naming(named)):
        read_log(written(tmp_path, "Zeit,Last\n0,1\n"), columns)


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".mcap", ".parquet"])
def test_files_of_each_kind_give_the_same_log(tmp_path: Path, suffix: str) -> None:
    rows = np.array([[0.0, 1.0, 2.0], [0.5, 1.5, -3.25]])
    path = tmp_path / f"lift{suffix}"
    if suffix == ".parquet":
        pa = pytest.importorskip("pyarrow")
        pq = pytest.importorskip("pyarrow.parquet")
        names = ["time [s]", "a.position [m]", "pull [N]"]
        pq.write_table(pa.table(dict(zip(names, rows.T, strict=True))), path)
    else:
        if suffix == ".mcap":
            pytest.importorskip("mcap")
        units = {"time": "s", "a.position": "m", "pull": "N"}
        made = Recording([Channel(n, (), u, NEVER_READ, 0) for n, u in units.items()], 0)
        made.append(rows)
        made.write(path)
        assert read_recording(path).columns == made.columns
    log = read_log(path)
    assert log.columns == ("time", "a.position", "pull") and log.units == ("s", "m", "N")
    assert log.rows.tolist() == rows.tolist()


def test_a_bag_is_read_by_topic_and_field(tmp_path: Path) -> None:
    rosbag2 = pytest.importorskip("rosbags.rosbag2")
    from rosbags.typesys import Stores, get_typestore

    types = get_typestore(Stores.ROS2_JAZZY)
    names = types.types
    kind = names["sensor_msgs/msg/JointState"]
    with rosbag2.Writer(tmp_path / "bag", version=9) as bag:
        to = bag.add_connection("/joints", kind.__msgtype__, typestore=types)
        for k in range(3):
            stamp = names["builtin_interfaces/msg/Time"](sec=5, nanosec=k * 10_000_000)
            header = names["std_msgs/msg/Header"](stamp=stamp, frame_id="")
            numbers = np.array([1.0 * k, 2.0 * k])
            message = kind(header, ["slewing", "hoist"], numbers, numbers, np.zeros(0))
            bag.write(to, k * 10_000_000, types.serialize_cdr(message, kind.__msgtype__))
    log = read_log(tmp_path / "bag", {"/joints.position.hoist": "hoist.position [m]"})
    assert log.time == pytest.approx([5.0, 5.01, 5.02])
    assert log["hoist.position"].tolist() == [0.0, 2.0, 4.0]
