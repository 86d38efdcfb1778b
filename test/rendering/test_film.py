"""Films: as many pictures as there are frames, with figures below; of scenes, of plans, of
recordings."""

from dataclasses import replace

import numpy as np
import pytest
from messages import naming
from PIL import Image, ImageSequence

from cable_sim.cli import main
from cable_sim.cli.filming import _direction
from cable_sim.cranes import load_crane
from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.machine.machine import Machine
from cable_sim.rendering.caption import add_caption, figures
from cable_sim.rendering.film import Look, write_film
from cable_sim.scenes.machines import load_machine
from cable_sim.spec import Scene


@pytest.fixture
def film(capsys, monkeypatch, tmp_path):
    """Runs ``cable-sim film`` in an empty folder: exit status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        with pytest.raises(SystemExit) as raised:
            main(["film", *map(str, words)])
        said = capsys.readouterr()
        return raised.value.code, said.out, said.err

    return run


def pictures(path):
    """The pictures of a film (n, h, w, 3), and their times [ms]."""
    with Image.open(path) as image:
        shown = [
            (np.asarray(one.convert("RGB")), one.info["duration"])
            for one in ImageSequence.Iterator(image)
        ]
    return np.stack([picture for picture, _ in shown]), [time for _, time in shown]


SMALL = ("--width", 96, "--height", 64, "--rate", 10)


@pytest.mark.parametrize("ending", ["webp", "gif"])
def test_a_film_of_a_scene(film, tmp_path, ending):
    path = tmp_path / f"swing.{ending}"
    status, output, errors = film("pendulum", "--for", 0.5, "--out", path, *SMALL)
    assert status == 0, errors
    assert naming(f"{path} 6 pictures 0.6 s 1").search(output)
    shown, times = pictures(path)
    assert shown.shape[0] == 6 and shown.shape[2:] == (96, 3) and shown.shape[1] > 64
    assert times == [100] * 5 + [1000]
    assert all(picture.std() > 5.0 for picture in shown), "none is blank"
    assert np.abs(shown[0].astype(int) - shown[-1]).max() > 60, "the ball swings"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_film_of_a_plan_is_as_long_as_the_plan(film, tmp_path):
    plan = tmp_path / "up.csv"
    plan.write_text("# crane: tower_12t\ntime,motion,speed\n0,hoist,6\n1,hoist,0\n2,hoist,0\n")
    status, output, errors = film(plan, "--speed", 4, *SMALL)
    assert status == 0 and naming("6 pictures 0.6 s 4 times").search(output), errors
    assert sum(pictures(tmp_path / "film.webp")[1]) == 1500, "pictures that are the same may be one"


def test_it_begins_and_ends_where_it_is_told(film, tmp_path):
    status, output, errors = film("pendulum", "--start", 1, "--for", 0.2, *SMALL)
    assert status == 0 and "3 pictures" in output, errors


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nix",), "names"),
        (("nix.csv",), "nix.csv:1:1 such"),
        (("pendulum", "-o", "film.mp4"), "film.mp4 film's name ends .webp .gif"),
        (("pendulum", "-o", "nowhere/film.gif"), "folder nowhere"),
        (("pendulum", "--look", "12"), "angles [deg] 120,10"),
        (("pendulum", "--look", "12,90"), "angles [deg] 120,10"),
        (("pendulum", "--crane", "tower_12t"), "--crane tower_12t recordings plans"),
        (("pendulum", "--rate", "0"), "--rate"),
        (("pendulum", "--for", "inf"), "Invalid value '--for' inf finite number"),
        (("pendulum", "--speed", "nan"), "Invalid value '--speed'"),
        (("pendulum", "--for", "1e4", "--speed", "1"), "125000 pictures 5000"),
    ],
)
def test_wrong_wishes_are_one_line_and_status_2(film, tmp_path, words, says):
    status, _, errors = film(*words)
    assert status == 2 and naming(says).search(errors) and len(errors.strip().splitlines()) == 1, (
        errors
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("look", "along"),
    [("0,0", (1.0, 0.0, 0.0)), ("90,0", (0.0, 1.0, 0.0)), ("-90, 30", (0.0, -(0.75**0.5), -0.5))],
)
def test_the_look_is_an_azimuth_and_an_angle_below_level(look, along):
    assert _direction(look) == pytest.approx(along)


def test_a_film_that_breaks_off_leaves_the_old_one(tmp_path):
    machine = Machine(load_machine("pendulum"))
    path, frame = tmp_path / "film.gif", machine.frame(machine.observe())
    path.write_bytes(b"old")

    def tell(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_film(path, machine.crane, [frame, frame], Look(96, 64), tell)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_the_figures_are_those_of_the_frame():
    machine = Machine(load_crane("tower_12t"))
    frame = machine.frame(machine.observe())
    told = {figure.label: figure.value.strip() for figure in figures(machine.crane, frame, 8.0)}
    x, y, z = frame.poses[machine.crane.suspension.hook][0]
    assert told["hook  radius"] == f"{np.hypot(x, y):.1f} m" and told["height"] == f"{z:.1f} m"
    assert told["angle"] == "0\N{DEGREE SIGN}" and told[""] == "0:00 \N{MULTIPLICATION SIGN}8"
    assert (
        told["pull"]
        == f"{max(frame.cables[rope].tension.max() for rope in machine.crane.ropes) / 1e3:.1f} kN"
    )
    later = figures(machine.crane, replace(frame, time=83.97))
    assert later[0].value == "1:23.9"


def test_a_scene_of_nothing_has_figures_too():
    machine = Machine(scene_machine(Scene()))
    frame = machine.frame(machine.observe())
    picture = add_caption(np.full((64, 96, 3), 255, dtype=np.uint8), figures(machine.crane, frame))
    assert picture.shape[0] > 64 and picture[64:].std() > 5.0 and (picture[:64] == 255).all()
