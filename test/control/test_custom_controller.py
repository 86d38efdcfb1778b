"""Controllers of one's own: found by name, made with their settings, and told of their mistakes in
words."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from messages import naming

from cable_sim.control.controllers.custom import Custom
from cable_sim.control.matrix import read_matrix
from cable_sim.control.metrics import metrics_of
from cable_sim.control.run import run
from cable_sim.control.scenario import Move, Scenario, read_scenario
from cable_sim.errors import CableSimError, CommandError, ConfigError, SpecError
from cable_sim.spec.files import apply_changes, parse_spec, to_yaml

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "controllers" / "my_scenario.yaml"
SCENARIO = """crane: lab_inteco
moves:
  - {axis: trolley, by: 0.05}
watch: 0.05
controller: {kind: custom, name: "NAME", settings: SETTINGS}
"""
CLASS = """
class Mine:
    def __init__(self, speed=0.01):
        self.speed = speed

    def start(self, task):
        self.task = task
        return self.law

    def law(self, seen):
        return RETURNED
"""


@pytest.fixture(autouse=True)
def _modules():
    """No module of a test stays."""
    yield
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("mine", "pack", "my_controller")
    ]:
        del sys.modules[name]


def scenario(folder, text, name="mine:Mine", settings="{}", file="mine.py"):
    """A scenario in a folder, with a module that has this text."""
    folder.mkdir(exist_ok=True, parents=True)
    (folder / file).write_text(text)
    path = folder / "scenario.yaml"
    path.write_text(SCENARIO.replace("NAME", name).replace("SETTINGS", settings))
    return read_scenario(path)


def returning(what):
    """A class whose law returns that."""
    return CLASS.replace("RETURNED", what)


# What works


def test_a_class_beside_the_scenario_drives_with_its_settings(tmp_path):
    made = scenario(
        tmp_path / "here", returning("{'trolley': self.speed}"), settings="{speed: 0.02}"
    )
    result = run(made)
    assert (result.wanted[1:, result.axes.index("trolley")] == 0.02).all()
    assert str(tmp_path / "here") not in sys.path


def test_a_module_of_a_package_and_positions_of_axes(tmp_path):
    text = "from cable_sim.control.feedback import Command\n" + returning(
        "{'hoist': Command(0.31, 'position')}"
    )
    (tmp_path / "pack" / "age").mkdir(parents=True)
    (tmp_path / "pack" / "age" / "mine.py").write_text(text)
    result = run(scenario(tmp_path, "", "pack.age.mine:Mine"))
    hoist = result.axes.index("hoist")
    assert (
        result.by_place == ("hoist",) and result.velocity[-1, hoist] < 0.0
    )  # on its way up to there
    assert np.isnan(result.wanted[:, hoist]).all()  # which are speeds
    assert np.isnan(metrics_of(result).axes["hoist"].command_squared)


def test_a_folder_is_relative_to_the_scenario_and_round_trips(tmp_path):
    scenario(tmp_path / "laws", returning("{}"))
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO.replace("NAME", "mine:Mine").replace("SETTINGS", "{}, folder: laws"))
    made = read_scenario(path)
    assert made.controller.folder == str(tmp_path / "laws")
    assert parse_spec(to_yaml(made), Scenario) == made
    run(made)


def test_a_matrix_finds_it_beside_its_file_too(tmp_path):
    (tmp_path / "mine.py").write_text(returning("{'trolley': 0.03}"))
    path = tmp_path / "matrix.yaml"
    base = SCENARIO.replace("NAME", "mine:Mine").replace("SETTINGS", "{}").replace("\n", "\n  ")
    path.write_text(f"base:\n  {base}\naxes:\n  rope: {{nominal: {{}}}}\n")
    assert np.nanmax(run(read_matrix(path).case("nominal")).wanted) == 0.03


def test_two_scenarios_may_have_modules_of_one_name(tmp_path):
    one, other = (
        scenario(tmp_path / name, returning(f"{{'trolley': {speed}}}"))
        for name, speed in (("a", 0.01), ("b", 0.02))
    )
    for made, speed in ((one, 0.01), (other, 0.02), (one, 0.01)):
        assert np.nanmax(run(made).wanted) == speed


def test_a_module_that_others_use_is_not_taken_from_them(tmp_path):
    """Here the name is that of a module of Python."""
    import colorsys

    made = scenario(tmp_path, returning("{}"), "colorsys:Mine", file="colorsys.py")
    with pytest.raises(SpecError, match=naming("Mine colorsys")):
        run(made)
    assert sys.modules["colorsys"] is colorsys


def test_numpy_numbers_of_a_controller_become_python_floats(tmp_path):
    text = "import numpy as np\n" + returning("{'trolley': np.float32(0.5), 'hoist': np.int64(0)}")
    law = scenario(tmp_path, text).controller
    found = law.start(_task())(_task().first)
    assert found == {"trolley": 0.5, "hoist": 0.0} and {
        type(value) for value in found.values()
    } == {float}


def _task():
    """A task of the laboratory crane."""
    made = Scenario(crane="lab_inteco", moves=[Move("trolley", by=0.05)])
    crane = made.build()
    from cable_sim.control.plants.plant import LocalPlant

    return made.task(crane, LocalPlant(crane).reset(), 0.01)


# The example


def test_the_example_damps_as_its_docstring_says(tmp_path):
    """Of a pendulum with the damping ratio zeta each swing is exp(-pi zeta / sqrt(1 - zeta^2)) of
    the one before, and the trolley ends where it was to go. Camera and drive are late by 0.3 s of
    the 11 s of a swing."""
    zeta = 0.15
    settings = {"damping": zeta, "recovery": 0.0}
    result = run(
        apply_changes(
            read_scenario(EXAMPLE), {"controller.settings": settings, "watch": 20.0, "dt": 2e-3}
        )
    )
    sway = result.sway[result.time > result.travels[-1].ramps.end + 1.0, 0]
    tops = np.flatnonzero(np.diff(np.sign(np.diff(sway)))) + 1
    swings = np.abs(sway[tops[np.abs(sway[tops]) > 1e-3]])
    assert len(swings) >= 3
    assert swings[1:] / swings[:-1] == pytest.approx(
        math.exp(-math.pi * zeta / math.sqrt(1.0 - zeta**2)), rel=0.1
    )
    place = result.position[-1, result.axes.index("trolley")]
    assert place == pytest.approx(result.travels[-1].target, abs=0.2)


# What does not


@pytest.mark.parametrize(
    "text, name, settings, told",
    [
        ("", "other:Mine", "{}", "module 'other'"),
        ("", "mine.deeper:Mine", "{}", "module 'mine.deeper'"),
        ("import no_such_package", "mine:Mine", "{}", "'no_such_package' mine.py line 1"),
        ("def broken(:", "mine:Mine", "{}", "SyntaxError mine.py line 1"),
        ("\nx = 1 / 0", "mine:Mine", "{}", "ZeroDivisionError mine.py line 2"),
        (returning("{}"), "mine:Yours", "{}", "Yours *mine.py Mine"),
        ("Mine = 3", "mine:Mine", "{}", "Mine class 3"),
        (returning("{}"), "mine:Mine", "{sped: 1}", "settings 'sped' (speed=0.01)"),
        ("class Mine: pass", "mine:Mine", "{}", "method start(task)"),
        ("class Mine:\n def start(self, task): pass", "mine:Mine", "{}", "start(task) None law"),
        ("class Mine:\n def start(self): pass", "mine:Mine", "{}", "TypeError start() 1"),
    ],
)
def test_what_can_not_be_found_or_made_is_named(tmp_path, text, name, settings, told):
    with pytest.raises(SpecError, match=naming(f"controller {name} {told}")):
        run(scenario(tmp_path, text, name, settings))


@pytest.mark.parametrize(
    "returned, told",
    [
        ("None", "law None axis"),
        ("0.5", "law 0.5"),
        ("{'troley': 0.1}", "axis 'troley' gantry trolley hoist"),
        ("{'trolley': float('nan')}", "axis 'trolley' nan finite number"),
        ("{'trolley': '0.1'}", "axis 'trolley' '0.1' number"),
        ("{'trolley': True}", "axis 'trolley' True number"),
        ("{'trolley': [0.1]}", "axis 'trolley' [0.1] number"),
        ("{'trolley': Command(0.1, 'sped')}", "mode 'sped' speed position"),
        ("{'trolley': Command(float('inf'))}", "inf finite number"),
        ("{'trolley': seen.readings['no such']}", "KeyError mine.py line 11"),
    ],
)
def test_what_a_law_does_wrong_is_told_with_its_time(tmp_path, returned, told):
    text = "from cable_sim.control.feedback import Command" + returning(returned)
    with pytest.raises(CommandError, match=naming(f"controller mine:Mine 0 s {told}")):
        run(scenario(tmp_path, text))


def test_a_law_may_say_itself_what_is_wrong(tmp_path):
    text = "from cable_sim.errors import CableSimError\n" + returning("{}").replace(
        "return {}", "raise CableSimError('windy')"
    )
    with pytest.raises(CableSimError, match="^windy$"):
        run(scenario(tmp_path, text))


@pytest.mark.parametrize(
    "name", ["Mine", "mine:", ":Mine", "mine.py:Mine()", "my-module:Mine", "a b:Mine"]
)
def test_a_name_that_can_not_be_one_is_told_of_with_its_line(tmp_path, name):
    with pytest.raises(ConfigError, match=naming("scenario.yaml:5 module class")):
        scenario(tmp_path, "", name)
    with pytest.raises(SpecError, match=naming("module class")):
        Custom(name)
