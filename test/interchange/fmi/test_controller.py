"""FMUs as controllers and drives of a scenario: the bits of the same law, and mistakes in words."""

import math
from dataclasses import replace

import pytest
from messages import naming

pytest.importorskip("fmpy", reason="needs fmpy: pip install 'cable_sim[fmi]'")
pytest.importorskip("pythonfmu3", reason="needs pythonfmu3: pip install 'cable_sim[fmi]'")
from pd import law, make_pd

from cable_sim.control.controllers.fmu import Fmu
from cable_sim.control.plants.plant import LocalPlant
from cable_sim.control.run import run
from cable_sim.control.scenario import Move, Scenario, read_scenario
from cable_sim.errors import CommandError, SpecError
from cable_sim.interchange.fmi.export import export_fmu
from cable_sim.spec.files import parse_spec, to_yaml
from cable_sim_studies.evaluation import scenarios_under
from cable_sim_studies.sweeps.identity import identity

INPUTS = {
    "wanted": "plan.trolley.position",
    "ahead": "plan.trolley.speed",
    "position": "axes.trolley.position",
}
SCENARIO = Scenario("lab_inteco", [Move("trolley", by=0.1)], watch=1.0)


@pytest.fixture(scope="module", params=[3, 2], ids=["fmi3", "fmi2"])
def pd(request, tmp_path_factory):
    return make_pd(tmp_path_factory.mktemp("pd"), request.param)


def fmu(path, **given):
    """Controller of the trolley."""
    given = {"inputs": INPUTS, "outputs": {"trolley": "speed"}} | given
    return Fmu(str(path), **given)


def end_of(done):
    """Coordinate of the trolley at the end [m]."""
    return done.position[-1][done.axes.index("trolley")]


class InPython:
    """The same controller without an FMU."""

    def __init__(self, gain):
        self.gain = gain

    def start(self, task):
        plan = task.planned["trolley"]
        half = 0.5 * task.period
        return lambda seen: {
            "trolley": law(seen, (plan(seen.time)[0], plan(seen.time + half)[1]), self.gain)
        }


@pytest.mark.parametrize("gain", [0.8, 2.5])
def test_an_fmu_commands_what_its_law_does(pd, gain) -> None:
    parameters = {} if gain == 0.8 else {"gain": gain}
    mine = run(replace(SCENARIO, controller=fmu(pd, parameters=parameters)))
    plain = replace(SCENARIO)
    object.__setattr__(plain, "controller", InPython(gain))
    assert not mine.same_as(run(plain))
    assert end_of(mine) == pytest.approx(mine.travels[0].target, abs=5e-3)


def test_a_scenario_names_its_fmu_beside_itself(pd, tmp_path) -> None:
    scenario = replace(SCENARIO, controller=fmu(pd.name))
    assert parse_spec(to_yaml(scenario), Scenario) == scenario
    (tmp_path / pd.name).write_bytes(pd.read_bytes())
    (tmp_path / "scenario.yaml").write_text(to_yaml(scenario))
    read = read_scenario(tmp_path / "scenario.yaml")
    assert not run(read).same_as(run(replace(SCENARIO, controller=fmu(pd))))
    before = identity(read)
    (tmp_path / pd.name).write_bytes(b"another")
    assert identity(read) != before


def test_an_fmu_is_a_drive_by_effort(pd) -> None:
    inputs = {"ahead": "plan.trolley.speed", "position": "axes.trolley.velocity"}
    drive = fmu(pd, inputs=inputs, outputs={"trolley.effort": "speed"}, parameters={"gain": 0.0})
    plant = LocalPlant.of(SCENARIO)
    task = SCENARIO.task(plant.crane, plant.reset(), plant.period)
    found = drive.start(task)(task.first)
    assert found["trolley"].mode == "effort"


def test_a_crane_may_be_the_controller_of_another(tmp_path) -> None:
    twin = export_fmu("lab_inteco", tmp_path / "twin.fmu")
    inputs = {"command.trolley.speed": "plan.trolley.speed"}
    controller = Fmu(str(twin), inputs=inputs, outputs={"trolley": "axis.trolley.velocity"})
    done = run(replace(SCENARIO, controller=controller))
    assert end_of(done) == pytest.approx(done.travels[0].target, abs=0.02)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"inputs": {"wanted": "plan.hoist.position"}},
            "plan.hoist.position plan.trolley.position",
        ),
        ({"inputs": {"wnted": "time"}}, "input wnted wanted ahead position"),
        ({"inputs": {"speed": "time"}}, "input speed wanted"),
        ({"outputs": {"trolley": "position"}}, "output position speed"),
        ({"outputs": {"trolly": "speed"}}, "axis trolly trolley"),
        ({"outputs": {"trolley.lever": "speed"}}, "mode lever speed position effort"),
        ({"parameters": {"gin": 1.0}}, "parameter gin gain"),
        ({"parameters": {"speed": 1.0}}, "parameter speed gain"),
    ],
)
def test_names_that_are_not_there_are_told(pd, given, words) -> None:
    with pytest.raises(SpecError, match=naming(words)):
        run(replace(SCENARIO, controller=fmu(pd, **given)))


def test_files_that_are_no_fmus_are_told(tmp_path) -> None:
    with pytest.raises(SpecError, match=naming("none.fmu file")):
        run(replace(SCENARIO, controller=fmu(tmp_path / "none.fmu")))
    wrong = tmp_path / "wrong.fmu"
    wrong.write_bytes(b"no zip")
    with pytest.raises(SpecError, match=naming("wrong.fmu read")):
        run(replace(SCENARIO, controller=fmu(wrong)))


def test_a_step_that_the_fmu_refuses_is_told(tmp_path) -> None:
    twin = export_fmu("lab_inteco", tmp_path / "twin.fmu", step=0.02)
    controller = Fmu(str(twin), outputs={"trolley": "axis.trolley.velocity"})
    with pytest.raises(CommandError, match=naming("twin.fmu discard multiple 0.02 s")):
        run(replace(SCENARIO, controller=controller))


def test_an_output_that_is_no_number_is_told(pd) -> None:
    mine = fmu(pd, inputs={}, parameters={"gain": 1e308, "wanted": 1e10})
    plant = LocalPlant.of(SCENARIO)
    task = SCENARIO.task(plant.crane, plant.reset(), plant.period)
    with pytest.raises(CommandError, match=naming("output speed inf")):
        mine.start(task)(task.first)


def test_an_invalid_reading_leaves_its_input(pd) -> None:
    plant = LocalPlant.of(SCENARIO)
    task = SCENARIO.task(plant.crane, plant.reset(), plant.period)
    found = fmu(pd, inputs={"ahead": "pull"}).start(task)
    first = found(task.first._replace(pull=0.25))["trolley"].value
    assert found(task.first._replace(pull=math.nan))["trolley"].value == first == 0.25


def test_a_kind_without_its_file_is_told() -> None:
    with pytest.raises(SpecError, match=naming("fmu file outputs")):
        list(scenarios_under(SCENARIO, ["fmu"]))
