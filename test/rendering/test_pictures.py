"""Pictures and films in one line: of what, how large, and what is refused."""

import base64
import io

import numpy as np
import pytest
from messages import naming

import cable_sim
from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError
from cable_sim.machine.bare import BareMachine, machine_of, still_of
from cable_sim.machine.machine import Machine
from cable_sim.rendering.pictures import _frames, _ticking, film, picture

Image = pytest.importorskip("PIL.Image")
SMALL = {"width": 96, "height": 64}
RED = (1.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def scene():
    """A red ball that falls beside a second that hangs."""
    balls = [
        Body("falls", 1.0, shape=Sphere(0.5), position=(0.0, 0.0, 0.0), color=RED),
        Body("hangs", 1.0, shape=Sphere(0.5), position=(3.0, 0.0, -5.0)),
    ]
    return Scene(
        bodies=balls,
        cables=[Cable("rope", [Anchor("world", (3.0, 0, 0)), Anchor("hangs")], ea=1e6)],
    )


@pytest.fixture(scope="module")
def tower():
    return load_crane("tower_12t")


def red(pixels):
    """Rows in which a picture is red."""
    pixels = pixels.astype(int)
    return np.flatnonzero((pixels[:, :, 0] > pixels[:, :, 1:].max(axis=2) + 60).any(axis=1))


def test_picture_of_a_scene_is_that_of_its_simulator(scene):
    shown = scene.picture(**SMALL)
    assert shown.pixels.shape == (64, 96, 3) and red(shown.pixels).size
    simulator = Simulator(scene)
    assert (simulator.picture(**SMALL).pixels == shown.pixels).all()
    assert (cable_sim.picture(simulator, **SMALL).pixels == shown.pixels).all()
    simulator.step(500)
    assert red(simulator.picture(**SMALL).pixels).mean() > red(shown.pixels).mean() + 2


def test_notebooks_show_a_picture_as_a_png(scene, tmp_path):
    words, data = scene._repr_html_().split("base64,")
    assert words.startswith("<pre>Scene")
    png = base64.b64decode(data.removesuffix('">'))
    assert np.asarray(Image.open(io.BytesIO(png))).shape == (500, 800, 3)
    assert repr(scene.picture(**SMALL)) == "Picture, 96 x 64 pixels"
    shown = scene.picture(**SMALL)
    file = shown.save(tmp_path / "scene.png")
    assert (np.asarray(Image.open(file)) == shown.pixels).all()
    assert shown._repr_png_() == shown.png()
    with pytest.raises(CableSimError, match=naming("'.doc' picture's ending")):
        shown.save(tmp_path / "scene.doc")


def test_crane_and_its_machine_look_alike(tower):
    shown = tower.picture(**SMALL, look=(60.0, 20.0))
    assert (Machine(tower).picture(**SMALL, look=(60.0, 20.0)).pixels == shown.pixels).all()
    assert not (tower.picture(**SMALL).pixels == shown.pixels).all()
    assert (picture("tower_12t", **SMALL, look=(60.0, 20.0)).pixels == shown.pixels).all()


def test_film_runs_its_simulator_on(scene, tmp_path):
    simulator = Simulator(scene, dt=1e-3)
    simulator.step(100)
    made = simulator.film(tmp_path / "fall.gif", seconds=0.5, rate=10.0, **SMALL)
    assert simulator.time == pytest.approx(0.6)
    assert Image.open(made.path).n_frames == 6
    assert made._repr_html_().startswith('<img alt="fall.gif" src="data:image/gif;base64,')


def test_slow_motion_has_a_tick_for_every_picture(scene):
    """A film's interval is speed over rate: 2 ms here."""
    machine = _ticking(Simulator(scene, dt=1e-3), 0.002)
    times = [frame.time for frame in _frames(machine, 0.01, 0.002)]
    assert times == pytest.approx([0.0, 0.002, 0.004, 0.006, 0.008, 0.01])


def test_what_is_shown_is_the_very_one_that_was_given(scene, tower):
    simulator = Simulator(scene)
    machine = Machine(tower)
    assert machine_of(simulator).simulator is simulator
    assert machine_of(machine) is machine is still_of(machine)
    assert isinstance(machine_of(scene), Machine) and isinstance(still_of(scene), BareMachine)


@pytest.mark.parametrize(
    "options, told",
    [
        ({"width": 3}, "width 3 16 8192"),
        ({"height": 9000}, "height 9000"),
        ({"look": (0.0, 85.0)}, "0,85 angles"),
    ],
)
def test_impossible_pictures_are_refused(scene, options, told):
    with pytest.raises(CableSimError, match=naming(told)):
        scene.picture(**options)


@pytest.mark.parametrize(
    "options, told",
    [
        ({"seconds": 0.0}, "seconds 0.0"),
        ({"speed": float("nan")}, "speed nan"),
        ({"seconds": 1e6}, "pictures"),
        ({"path": "film.mp4"}, "film's name ends .webp .gif"),
    ],
)
def test_impossible_films_are_refused(scene, options, told):
    simulator = Simulator(scene)
    with pytest.raises(CableSimError, match=naming(told)):
        film(simulator, **options)
    assert simulator.time == 0.0


def test_what_can_not_be_shown_is_refused():
    with pytest.raises(CableSimError, match=naming("dict shown Scene")):
        picture({"bodies": []})
