"""What a prompt and a notebook show of the objects that most programs hold: few lines that tell."""

import inspect
import re

import numpy as np
import pytest
from messages import naming

import cable_sim.spec
from cable_sim import (
    BatchSimulator,
    LocalPlant,
    Machine,
    Recording,
    Scene,
    Simulator,
    load_crane,
    load_scene,
)
from cable_sim.errors import CableSimError, SpecError
from cable_sim.pictured import MOST, listed, table
from cable_sim.sim.readings.channels import TIME, Channel


@pytest.fixture(scope="module")
def crane():
    return load_crane("tower_12t", {"rig.start.state": "hanging"})


@pytest.fixture(scope="module")
def simulator():
    """A pendulum after 25 steps of 2 ms."""
    simulator = Simulator(load_scene("pendulum"), dt=2e-3)
    simulator.step(25)
    return simulator


def recording(rows):
    """Two channels: the time, and twice the time in m."""
    none = np.zeros(0, np.int64)
    made = Recording([Channel(TIME, (), "s", none, 0), Channel("ball.x", (), "m", none, 0)], 1)
    made.append(np.array([[0.1 * row, 0.2 * row] for row in range(rows)]).reshape(-1, 2))
    return made


def lines(shown):
    """Lines of what a prompt shows: at most five, none long."""
    found = repr(shown).splitlines()
    assert 1 <= len(found) <= 5 and max(map(len, found)) <= 200
    return found


def test_a_crane_tells_its_axes_and_loads(crane):
    first, axes, loads, _ = lines(crane)
    assert "'tower_12t'" in first and f"{len(crane.scene.cables)} cables" in first
    assert axes == "axes: slewing [rad], trolley [m], hoist [m]"
    assert naming("loads 'load' 2 falls").search(loads)


def test_a_scene_tells_its_parts(crane):
    text = lines(crane.scene)
    assert text[1].startswith("bodies: jib, trolley") and "hoist_rope" in text[2]
    assert lines(Scene()) == ["Scene 'scene': empty"]
    assert lines(load_scene("pendulum"))[0] == "Scene 'pendulum': 1 body, 1 cable"


@pytest.mark.parametrize("name", ["net", "chain_on_hook", "rtg_41t"])
def test_large_scenes_stay_short(name):
    lines(load_crane(name).scene if name == "rtg_41t" else load_scene(name))


def test_a_simulator_tells_time_step_and_status(simulator):
    assert naming("Simulator 'pendulum' 0.05 s, 0.002 s, spook envelope").search(
        lines(simulator)[0]
    )
    assert "well" in lines(simulator)[-1]


def test_an_observation_tells_tensions(simulator):
    seen = simulator.observe()
    shown = lines(seen)
    assert shown[2] == f"tensions: cable {seen.cable('cable').tension:.4g} N"
    assert "t = 0.05 s, step 25" in shown[0] and f"{seen.energy.total:.6g} J" in shown[-1]
    html = seen._repr_html_()
    for name in seen.names.bodies:
        assert f"<td>{name}</td><td>{seen.body(name).position[0]:.6g}</td>" in html


def test_a_machine_tells_where_its_axes_are(crane):
    machine = Machine(crane)
    assert "trolley 20 m" in lines(machine)[1]
    assert naming("limits ok").search(lines(machine)[2])
    machine.emergency_stop(True)
    assert lines(machine)[2] == "limits: estop tripped"


def test_a_plant_is_shown_as_its_machine(crane):
    plant = LocalPlant(crane)
    assert lines(plant)[1:] == lines(plant.machine) and "0.01 s" in lines(plant)[0]
    small = {"width": 96, "height": 64}
    assert (plant.picture(**small).pixels == plant.machine.picture(**small).pixels).all()
    shown = plant._repr_html_()
    assert shown.startswith("<pre>LocalPlant") and 'src="data:image/png;base64,iVBOR' in shown


def test_a_batch_tells_its_worlds():
    batch = BatchSimulator(load_scene("pendulum"), 3)
    assert naming("BatchSimulator 3 worlds 'pendulum'").search(lines(batch)[0])
    assert lines(batch)[-1] == "0 stopped"


def test_a_recording_tells_its_rows_and_channels():
    head, channels = lines(recording(5))
    assert naming("Recording 5 rows 0 0.4 s").search(head) and channels == "time [s], ball.x [m]"
    row = "<td>ball.x</td><td>m</td><td>0</td><td>0</td><td>0.8</td><td>0.8</td>"
    assert row in recording(5)._repr_html_()
    assert naming("Recording 0 rows").search(lines(recording(0))[0])
    assert "<pre>" in recording(0)._repr_html_()


def test_a_recording_is_drawn_in_one_line(tmp_path):
    pytest.importorskip("matplotlib")
    drawn = recording(20).plot()
    assert drawn.pixels.ndim == 3 and drawn.pixels.std() > 1.0
    assert drawn.save(tmp_path / "x.png").stat().st_size > 1000
    assert not np.array_equal(drawn.pixels, recording(10).plot(["ball.x"]).pixels)


def test_what_can_not_be_drawn_is_told(monkeypatch):
    with pytest.raises(CableSimError, match="two rows"):
        recording(1).plot()
    with pytest.raises(SpecError, match=naming("'nix' recorded")):
        recording(5).plot(["nix"])
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(CableSimError, match=naming("plot matplotlib installed pip install")):
        recording(5).plot()


@pytest.mark.parametrize("name", cable_sim.spec.__all__)
def test_help_on_a_spec_tells_types_without_rules(name):
    kind = getattr(cable_sim, name)
    if isinstance(kind, type):
        shown = str(inspect.signature(kind))
        assert "Annotated" not in shown and "FieldInfo" not in shown and len(shown) < 3000


def test_many_names_are_counted():
    assert listed("abc") == "a, b, c"
    assert re.fullmatch(r"0(, \d)+ and 3 more", listed(str(i) for i in range(MOST + 3)))


def test_tables_show_any_text_as_it_is():
    assert table(["<a>"], [[1.23456789, "b&c"]]) == (
        "<table><tr><td>&lt;a&gt;</td></tr><tr><td>1.23457</td><td>b&amp;c</td></tr></table>"
    )
