"""Bodies that move by poses: exactly where they are told, for ever, and what hangs on them."""

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import naming
from scipy.interpolate import CubicSpline

from cable_sim import Anchor, Body, Box, Cable, Motion, Scene, Simulator
from cable_sim.errors import CableSimWarning, SpecError
from cable_sim.spec import Rao, Sea, Sine, read_motion
from cable_sim.spec.files import parse_spec, to_yaml

G = 9.81
NONE = (0.0,) * 6


def ship(position: tuple[float, float, float] = (0.0, 0.0, 0.0), heading: float = 0.0) -> Body:
    turned = (math.cos(heading / 2.0), 0.0, 0.0, math.sin(heading / 2.0))
    return Body(
        "ship",
        1e6,
        shape=Box(40.0, 10.0, 5.0),
        motion="prescribed",
        position=position,
        orientation=turned,
    )


def matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrix of a quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def about(axis: int, angle: float) -> np.ndarray:
    """Rotation matrix about an axis."""
    c, s = math.cos(angle), math.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[[j, j, k, k], [j, k, j, k]] = c, -s, s, c
    return turn


@pytest.mark.parametrize("stepper", ["spook", "regularised"])
def test_body_is_at_its_pose_after_an_hour(stepper: str) -> None:
    """Rates alone drift by minutes of arc; poses by rounding, in the frame of the start."""
    amplitude = (0.4, 0.3, 1.2, 0.10, 0.05, 0.2)
    heading = 0.5
    motion = Motion("ship", sines=[Sine(0.7, amplitude), Sine(1.1, (0.0, 0.0, 0.5, 0.05, 0, 0))])
    scene = Scene(bodies=[ship((5.0, 6.0, 7.0), heading)], motions=[motion])
    simulator = Simulator(scene, dt=0.05, stepper=stepper)
    simulator.step(3600 * 20 - 7)
    t = simulator.time
    x = math.sin(0.7 * t) * np.array(amplitude)
    x += math.sin(1.1 * t) * np.array([0.0, 0.0, 0.5, 0.05, 0.0, 0.0])
    seen = simulator.observe().body("ship")
    base = about(2, heading)
    assert seen.position == pytest.approx(np.array([5.0, 6.0, 7.0]) + base @ x[:3], abs=1e-9)
    turned = base @ about(2, x[5]) @ about(1, x[4]) @ about(0, x[3])
    assert matrix(seen.orientation) == pytest.approx(turned, abs=1e-9)
    rate = 0.7 * math.cos(0.7 * t) * np.array(amplitude[:3])
    rate += 1.1 * math.cos(1.1 * t) * np.array([0.0, 0.0, 0.5])
    near = 1e-3 if stepper == "spook" else 0.05
    assert seen.velocity == pytest.approx(base @ rate, abs=near)


def test_table_is_followed_by_its_spline_and_held_behind() -> None:
    times = (0.0, 0.5, 1.5, 2.0)
    heights = (0.0, 0.1, -0.2, 0.3)
    poses = tuple((0.0, 0.0, z, 0.0, 0.0, 0.0) for z in heights)
    scene = Scene(bodies=[ship()], motions=[Motion("ship", times=times, poses=poses)])
    simulator = Simulator(scene, dt=0.01)
    spline = CubicSpline(times, heights, bc_type="natural")
    for _ in range(30):
        simulator.step(10)
        height = float(spline(min(simulator.time, 2.0)))
        assert simulator.bodies["ship"].position[2] == pytest.approx(height, abs=1e-12)
    assert simulator.bodies["ship"].velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


def test_snapshot_goes_on_with_the_same_bits() -> None:
    sine = Sine(0.9, (0.0, 0.0, 1.0, 0.1, 0.0, 0.0), (0.0, 0.0, 1.0, 0.5, 0.0, 0.0))
    simulator = Simulator(Scene(bodies=[ship()], motions=[Motion("ship", sines=[sine], ramp=3.0)]))
    simulator.step(500)
    kept = simulator.save()
    simulator.step(700)
    first = simulator.observe().body("ship")
    simulator.restore(kept)
    simulator.step(700)
    second = simulator.observe().body("ship")
    assert (first.position == second.position).all()
    assert (first.orientation == second.orientation).all()


@pytest.mark.parametrize(
    ("period", "ea", "length", "ratio", "amplified"),
    [
        (10.0, 2e7, 100.0, 0.20, 1.0407),
        (3.0, 1e7, 300.0, 1.61, 0.6332),
        (5.5, 1e7, 300.0, 0.88, 4.2641),
    ],
)
def test_heave_of_a_load_below_a_heaving_tip(
    period: float, ea: float, length: float, ratio: float, amplified: float
) -> None:
    """sqrt(1 + (2 z r)^2) / sqrt((1 - r^2)^2 + (2 z r)^2), z = 0.02, within 0.1 %."""
    mass, losses, dt = 20000.0, 0.02, 0.01
    w = 2.0 * math.pi / period
    rope = Cable(
        "rope",
        [Anchor("ship"), Anchor("load", (0.0, 0.0, 1.0))],
        ea=ea,
        damping_ratio=losses,
        pretension=mass * G,
    )
    load = Body("load", mass, shape=Box(2.0, 2.0, 2.0), position=(0.0, 0.0, -length - 1.0))
    heave = Motion("ship", sines=[Sine(w, (0.0, 0.0, 1.0, 0.0, 0.0, 0.0))], ramp=20.0)
    simulator = Simulator(Scene(bodies=[ship(), load], cables=[rope], motions=[heave]), dt=dt)
    natural = math.sqrt(ea / (length / (1.0 + mass * G / ea)) / mass)
    assert w / natural == pytest.approx(ratio, abs=5e-3)
    simulator.step(round((20.0 + 8.0 / (losses * natural)) / dt))
    with simulator.record(["load.position.z"]) as recording:
        simulator.step(round(3.0 * period / dt))
    t = recording.time
    waves = np.stack([np.cos(w * t), np.sin(w * t), np.ones_like(t)], axis=1)
    c, s, _ = np.linalg.lstsq(waves, recording["load.position.z"].ravel(), rcond=None)[0]
    r, z = w / natural, losses
    theory = math.hypot(1.0, 2 * z * r) / math.hypot(1.0 - r * r, 2 * z * r)
    assert theory == pytest.approx(amplified, rel=1e-4)
    assert math.hypot(c, s) == pytest.approx(theory, rel=1e-3)


def test_motion_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ship.csv"
    path.write_text("# measured\ntime,z,roll\n0,0,0\n1,0.5,0.1\n2,0,-0.1\n")
    motion = read_motion(path, "ship")
    assert motion.times == (0.0, 1.0, 2.0)
    assert motion.poses[1] == (0.0, 0.0, 0.5, 0.1, 0.0, 0.0)
    for text, said in (
        ("time,heave\n0,0\n", "ship.csv:1 column 'heave' time x y"),
        ("time,z\n0,0\n1,up\n", "ship.csv:3 z 'up' finite number"),
        ("time,z\n0\n", "ship.csv:2 1 values 2 columns"),
        ("z,roll\n0,0\n", "ship.csv:1 column time"),
        ("time;z\n0,5;1.5\n", "ship.csv:2 time '0,5' finite number"),
        ("time,z\n[s]\n0,0\n", "ship.csv:2 1 values 2 columns"),
        ("time,roll\ns,gon\n0,0\n", "ship.csv:1 roll unit 'gon' rad"),
        ("", "empty"),
    ):
        path.write_text(text)
        with pytest.raises(SpecError, match=naming(said)):
            read_motion(path, "ship")


@pytest.mark.parametrize(
    "text",
    [
        "\ufefftime,z,roll\n0,0,0\n1,0.5,0.25\n",
        "time\tz\troll\n0\t0\t0\n1\t0.5\t0.25\n",
        "time;z;roll\n0;0;0\n1;0.5;0.25\n",
        "time;z;roll\n0;0;0\n1,0;0,5;0,25\n",
        "time,z,roll\n[ms],(cm),rad\n0,0,0\n1000,50,0.25\n",
    ],
)
def test_motion_files_as_other_programs_write_them(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ship.csv"
    path.write_text(text, encoding="utf-8")
    motion = read_motion(path, "ship")
    assert motion.times == (0.0, 1.0)
    assert motion.poses == (NONE, (0.0, 0.0, 0.5, 0.25, 0.0, 0.0))


def test_motion_file_of_a_log_with_columns_and_start(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("Epoch,Heave,Roll,Mode\n1651399200,0,0,DP\n1651399201,0.5,90,DP\n")
    columns = {"Epoch": "time", "Heave": "z", "Roll": ("roll", "deg")}
    motion = read_motion(path, "ship", columns=columns, start="first")
    assert motion.times == (0.0, 1.0)
    assert motion.poses[1] == (0.0, 0.0, 0.5, math.pi / 2.0, 0.0, 0.0)
    assert read_motion(path, "ship", columns=columns, start=1651399200.5, ramp=1.0).times == (
        -0.5,
        0.5,
    )
    for wrong, said in (
        ({"columns": {"Sway": "y"}}, "log.csv:1 column 'Sway' Epoch Heave"),
        ({"columns": {**columns, "Roll": ("roll", "gon")}}, "'gon' rad"),
        ({"columns": {**columns, "Roll": "z"}}, "column 'z'"),
        ({"columns": {**columns, "Mode": "y"}}, "log.csv:2 Mode 'DP' finite number"),
        ({"columns": columns, "start": "last"}, "start 'last' 'first'"),
    ):
        with pytest.raises(SpecError, match=naming(said)):
            read_motion(path, "ship", **wrong)


def test_headings_of_a_motion_file_go_the_short_way(tmp_path: Path) -> None:
    """A ship that turns by 2 degrees through north, to and fro, and one that yaws beyond 180."""
    path = tmp_path / "ship.csv"
    path.write_text("time,yaw\ns,deg\n0,359\n1,1\n2,358\n3,179\n4,-179\n")
    found = [math.degrees(pose[5]) for pose in read_motion(path, "ship", ramp=1.0).poses]
    assert found == pytest.approx([-1.0, 1.0, -2.0, -181.0, -179.0])
    path.write_text("time,yaw\n0,0.1\n1,0.7\n")
    assert [pose[5] for pose in read_motion(path, "ship", ramp=1.0).poses] == [0.1, 0.7]


def test_a_unit_beside_that_of_the_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "ship.csv"
    path.write_text("time,roll\ns,deg\n0,0\n1,3\n")
    with pytest.warns(CableSimWarning, match=naming("roll read rad file deg")):
        read_motion(path, "ship", columns={"roll": ("roll", "rad")})


@pytest.mark.parametrize(
    "columns", [{"z": ("z",)}, {"z": ("z", "m", "x")}, {"z": None}, {"z": ("z", 3)}, ["z"]], ids=str
)
def test_columns_without_a_meaning_are_refused(tmp_path: Path, columns: Any) -> None:
    path = tmp_path / "ship.csv"
    path.write_text("time,z\n0,0\n1,1\n")
    with pytest.raises(SpecError, match=naming("ship.csv:1 columns")):
        read_motion(path, "ship", columns=columns)


def test_motion_files_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=naming("None readable text")):
        read_motion(None, "ship")  # type: ignore[arg-type]
    path = tmp_path / "ship.csv"
    path.write_text("time,z\n0,0\n1,1\n")
    with pytest.raises(SpecError, match=naming("start True 'first' finite")):
        read_motion(path, "ship", start=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("time,roll\n0,0\n1,3\n", "roll 3 rad unit"),
        ("time,z\n1651399200,0\n1651399201,1\n", "1651399200 s 1651399201"),
        ("time,z\n-9,0\n-8,1\n", "-9 s -8"),
    ],
)
def test_motion_files_that_are_hardly_meant_so_warn(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "ship.csv"
    path.write_text(text)
    with pytest.warns(CableSimWarning, match=naming(said)):
        read_motion(path, "ship")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_motion(
            path,
            "ship",
            columns={"z": "z"} if "z" in text else {"roll": ("roll", "rad")},
            start=0.0,
        )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"sines": [Sine(1.0, (0, 0, 1, 0, 0, 0), (0, 0, 1, 0, 0, 0))]}, "z 0.8415"),
        ({"times": (0.0,), "poses": (NONE,), "velocities": ((0, 0, 0),)}, "neither"),
        ({"times": (0.0, 1.0), "poses": (NONE,)}, "2 times values 1"),
        ({"times": (0.0,), "velocities": ((0, 0, 0),), "ramp": 1.0}, "ramp 1 s poses"),
        ({}, "values drive"),
    ],
)
def test_motions_that_contradict_themselves_are_refused(fields: dict, said: str) -> None:
    with pytest.raises(SpecError, match=naming(said)):
        Motion("ship", **fields)


def test_sea_has_its_height_and_the_vessel_its_response() -> None:
    """Variance H^2 / 16, the peak where it is told, and a sea of its own for each seed."""
    sea = Sea(2.5, 8.0, peakedness=3.3, seed=4)
    w, a, _ = np.array(sea.waves()).T
    assert (a**2).sum() / 2.0 == pytest.approx(2.5**2 / 16.0)
    density = a**2 / np.gradient(w)
    assert w[np.argmax(density)] == pytest.approx(2.0 * math.pi / 8.0, rel=0.1)
    assert sea.waves() == Sea(2.5, 8.0, peakedness=3.3, seed=4).waves()
    assert sea.waves() != Sea(2.5, 8.0, peakedness=3.3, seed=5).waves()
    mean = math.sqrt((a**2).sum() / (a**2 * w**2).sum())
    assert 2.0 * math.pi * mean == pytest.approx(8.0 * 0.78, rel=0.03)  # T_z = 0.78 T_p
    rao = Rao(
        (0.1, 1.0, 4.0),
        ((0, 0, 1, 0, 0, 0), (0, 0, 1, 0.1, 0, 0), NONE),
        phases=(NONE, (0, 0, -0.5, 1.0, 0, 0), NONE),
    )
    sine = sea.motion("ship", rao).sines[0]
    response = rao.respond(sine.frequency)
    assert sine.amplitude[2] == pytest.approx(a[0] * abs(response[2]))
    with pytest.raises(SpecError, match=naming("wave moves 'ship'")):
        sea.motion("ship", Rao((0.1, 0.2), (NONE, NONE)))


def test_motion_by_poses_survives_its_text() -> None:
    sea = Sea(1.0, 6.0, components=3).motion("ship", Rao((0.1, 9.0), ((0, 0, 1, 0, 0, 0),) * 2))
    scene = Scene(bodies=[ship()], motions=[sea])
    assert parse_spec(to_yaml(scene), Scene) == scene
