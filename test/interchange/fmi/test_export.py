"""Cranes as FMUs: the bits of LocalPlant, rollback, instances, and mistakes in words."""

import math
import zipfile

import numpy as np
import pytest
from messages import naming

pytest.importorskip("fmpy", reason="needs fmpy: pip install 'cable_sim[fmi]'")
pytest.importorskip("pythonfmu3", reason="needs pythonfmu3: pip install 'cable_sim[fmi]'")
from fmpy import read_model_description
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from fmu_tool import Instance, Tool

from cable_sim import CableSimError, ConfigError, LocalPlant, Scene, SpecError, load_crane
from cable_sim.control.feedback import Command
from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.interchange.fmi.export import export_fmu
from cable_sim.machine.external_wrenches import Push
from cable_sim.spec.wind import Steady

TOWER = "tower_12t"
CHANGES = {"rig.start.state": "hanging", "rig.load.mass": 3000.0}
NAMES = [
    *(f"axis.{axis}.{what}" for axis in ("slewing", "trolley", "hoist")
      for what in ("position", "velocity", "effort")),
    *(f"sway.{word}" for word in ("radial", "tangential", "radial_rate", "tangential_rate")),
    "sway.length",
    *(f"load.{what}.{k}" for what in ("position", "velocity") for k in "xyz"),
    "time",
]  # fmt: skip
"""Outputs in the order of a plant's feedback."""


@pytest.fixture(scope="module", params=[3, 2], ids=["fmi3", "fmi2"])
def tower(request, tmp_path_factory):
    """The tower crane as an FMU."""
    path = tmp_path_factory.mktemp("fmu") / "tower.fmu"
    tool = Tool(export_fmu(load_crane(TOWER, CHANGES), path, fmi=request.param))
    yield tool
    tool.close()


def commands(k):
    """Speeds of tick k, which change in every tick."""
    t = 0.01 * k
    return {
        "slewing": 0.05 * math.sin(0.3 * t),
        "trolley": 0.5 * math.sin(0.2 * t),
        "hoist": -0.3 * math.cos(0.25 * t),
    }


def numbers(seen):
    """A plant's feedback as NAMES has it."""
    axes = [number for state in seen.axes.values() for number in state]
    return [*axes, *seen.sway, *seen.load.position, *seen.load.velocity, seen.time]


def run(instance, first, last):
    """Outputs of the ticks from first to last."""
    rows = []
    for k in range(first, last):
        for axis, speed in commands(k).items():
            instance.set(f"command.{axis}.speed", speed)
        instance.step()
        rows.append(instance.reals(NAMES))
    return np.array(rows)


def plant_run(ticks):
    """The same of a plant."""
    plant = LocalPlant(load_crane(TOWER, CHANGES))
    plant.reset()
    return np.array([numbers(plant.step(commands(k))) for k in range(ticks)])


def test_sixty_seconds_with_a_rollback_have_the_bits_of_a_plant(tower) -> None:
    truth = plant_run(6000)
    instance = Instance(tower)
    first = run(instance, 0, 1000)
    saved = instance.save()
    data = instance.to_bytes(saved)
    run(instance, 1000, 1500)
    instance.restore(saved)
    rest = run(instance, 1000, 6000)
    assert np.concatenate([first, rest]).tobytes() == truth.tobytes()
    other = Instance(tower)
    run(other, 0, 7)
    other.from_bytes(data)
    assert run(other, 1000, 2000).tobytes() == truth[1000:2000].tobytes()


def test_instances_do_not_know_of_one_another(tower) -> None:
    truth = plant_run(100)
    several = [Instance(tower) for _ in range(3)]
    rows = [[], [], []]
    for k in range(100):
        for instance, own in zip(several, rows, strict=True):
            own.append(run(instance, k, k + 1)[0])
    for own in rows:
        assert np.array(own).tobytes() == truth.tobytes()
    instance = several[0]
    instance.fmu.reset()
    instance.fmu.setupExperiment(startTime=0.0) if tower.version == 2 else None
    instance.fmu.enterInitializationMode()
    instance.fmu.exitInitializationMode()
    instance.time = 0.0
    assert run(instance, 0, 20).tobytes() == truth[:20].tobytes()


def test_a_long_step_is_its_ticks(tower) -> None:
    short, long = Instance(tower), Instance(tower)
    for instance in (short, long):
        instance.set("command.trolley.speed", 0.4)
    for ticks in (5, 1, 100, 2):  # 100 are longer than a command holds without being renewed
        for _ in range(ticks):
            short.step()
        long.step(0.01 * ticks)
        assert long.reals(NAMES) == short.reals(NAMES)


def test_outputs_are_those_of_the_machine(tower) -> None:
    instance = Instance(tower)
    plant = LocalPlant(load_crane(TOWER, CHANGES))
    plant.reset()
    for _ in range(50):
        instance.set("command.trolley.speed", 0.5)
        instance.step()
        seen = plant.step({"slewing": 0.0, "trolley": 0.5, "hoist": 0.0})
    machine = plant.machine
    assert instance.get("tension.hoist_rope") == seen.pull
    assert instance.get("hook_load") == 2 * seen.pull
    for name, reading in seen.readings.items():
        assert instance.get(f"reading.{name}") == pytest.approx(reading, abs=0.0, nan_ok=True)
    pose = [instance.get(f"pose.load.{k}") for k in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    body = machine.seen.body("load")
    assert pose == [*body.position, *body.orientation]
    assert instance.get("limit.wind") == 0 and instance.get("status.stop_category") == -1


def test_the_start_time_is_the_tools(tower) -> None:
    instance = Instance(tower, start_time=100.0)
    instance.step()
    assert instance.get("time") == pytest.approx(100.01, abs=1e-12)


@pytest.mark.parametrize("mode", ["position", "effort"])
def test_an_axis_takes_its_other_modes(tower, mode) -> None:
    value = {"position": 21.0, "effort": 2000.0}[mode]
    instance = Instance(tower)
    plant = LocalPlant(load_crane(TOWER, CHANGES))
    plant.reset()
    number = {"position": 1, "effort": 2}[mode]
    instance.set("command.trolley.mode", number)
    instance.set(f"command.trolley.{mode}", value)
    for _ in range(100):
        instance.step()
        seen = plant.step({"slewing": 0.0, "trolley": Command(value, mode), "hoist": 0.0})
    assert instance.reals(NAMES) == numbers(seen)


def test_brake_stop_force_and_wind_act(tower) -> None:
    instance = Instance(tower)
    plant = LocalPlant(load_crane(TOWER, CHANGES))
    plant.reset()
    machine = plant.machine
    still = {"slewing": 0.0, "trolley": 0.5, "hoist": 0.0}

    def both(ticks, control):
        for _ in range(ticks):
            instance.step()
            if control is None:
                for axis, speed in still.items():
                    machine.command(axis, speed, brake=axis == "slewing")
                machine.pushes.give(Push("load", (300.0, 0.0, 0.0), (0.0,) * 3), machine.time)
                machine.tick()
                seen = plant.look()
            else:
                seen = plant.step(control)
        assert instance.reals(NAMES) == numbers(seen)

    instance.set("command.trolley.speed", 0.5)
    instance.set("command.slewing.brake", True)
    instance.set("command.force.x", 300.0)
    both(50, None)
    instance.set("command.slewing.brake", False)
    instance.set("command.force.x", 0.0)
    machine.pushes.give(Push("load", (0.0,) * 3, (0.0,) * 3), machine.time)
    instance.set("wind.speed", 8.0)
    instance.set("wind.direction", math.pi / 2)
    machine.wind = Steady(8.0, 90.0)
    both(50, still)
    instance.set("command.emergency_stop", True)
    machine.emergency_stop(True, 0)
    both(50, still)
    assert instance.get("status.stop_category") == 0
    assert instance.get("limit.estop") == 3  # tripped


def test_parameters_change_the_start(tower) -> None:
    given = {"load.mass": 2000.0, "start.trolley": 25.0, "seed": 7}
    instance = Instance(tower, given)
    changes = {"rig.load.mass": 2000.0, "rig.start.at.trolley": 25.0, "sensors.seed": 7}
    plant = LocalPlant(load_crane(TOWER, CHANGES | changes))
    seen = plant.reset()
    assert instance.reals(NAMES) == numbers(seen)
    for _ in range(20):
        instance.step()
        seen = plant.step(dict.fromkeys(("slewing", "trolley", "hoist"), 0.0))
    assert instance.reals(NAMES) == numbers(seen)
    assert instance.get("reading.trolley.position") == seen.readings["trolley.position"]
    other = Instance(tower)
    other.restore(instance.save())
    other.step()
    instance.step()
    assert other.reals(NAMES) == instance.reals(NAMES)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("crane", [TOWER, "rtg_41t", "nehe_rope", "lab_inteco"])
def test_fmpy_finds_no_problem(tmp_path, crane, fmi) -> None:
    path = export_fmu(crane, tmp_path / "crane.fmu", fmi=fmi)
    assert validate_fmu(str(path)) == []
    found = read_model_description(str(path)).coSimulation
    assert found.canGetAndSetFMUstate and found.canSerializeFMUstate
    assert found.canHandleVariableCommunicationStepSize
    assert not found.canBeInstantiatedOnlyOncePerProcess
    units = {one.name: one.unit for one in read_model_description(str(path)).modelVariables}
    assert units["command.trolley.speed" if crane != "nehe_rope" else "time"] in ("m/s", "s")


def test_two_cranes_run_in_one_process(tmp_path) -> None:
    tools = [Tool(export_fmu(name, tmp_path / f"{name}.fmu")) for name in (TOWER, "rtg_41t")]
    instances = [Instance(tool) for tool in tools]
    for instance in instances:
        instance.step()
    assert instances[0].get("axis.slewing.position") == 0.0
    assert instances[1].get("pose.container.z") > 0.0
    for tool in tools:
        tool.close()


def test_licences_come_along(tmp_path) -> None:
    for fmi, library in ((2, "pythonfmu"), (3, "pythonfmu3")):
        names = zipfile.ZipFile(export_fmu(TOWER, tmp_path / "t.fmu", fmi=fmi)).namelist()
        assert f"documentation/licenses/{library}-LICENSE" in names


@pytest.mark.parametrize("length", [0.015, 0.0, -0.01, math.nan])
def test_a_step_that_is_no_multiple_is_discarded(tower, length) -> None:
    instance = Instance(tower)
    before = instance.reals(NAMES)
    with pytest.raises(FMICallException, match="discard"):
        instance.step(length, time=0.0)
    assert naming("multiple 0.01 s").search(instance.messages[-1])
    instance.step(0.01, time=0.0)
    assert instance.reals(NAMES) != before


def test_a_step_from_another_time_is_discarded(tower) -> None:
    instance = Instance(tower)
    instance.step()
    with pytest.raises(FMICallException, match="discard"):
        instance.step(time=0.5)
    assert naming("0.5 s crane 0.01 s").search(instance.messages[-1])


def refused_step(instance, words):
    """Have a step be discarded, with words in the log, and nothing changed."""
    names = [name for name in NAMES if name in instance.tool.variables]
    before = instance.reals(names)
    with pytest.raises(FMICallException, match="discard"):
        instance.step()
    assert instance.reals(names) == before
    assert naming(words).search(" ".join(instance.messages))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("command.trolley.speed", math.nan, "command.trolley.speed nan finite"),
        ("command.trolley.speed", math.inf, "command.trolley.speed inf finite"),
        ("command.trolley.mode", 9, "command.trolley.mode 9 0 speed 1 position"),
        ("axis.trolley.position", 1.0, "axis.trolley.position output"),
        ("load.mass", 1.0, "load.mass fixed initialisation"),
    ],
)
def test_values_that_are_not_taken_are_told(tower, name, value, words) -> None:
    instance = Instance(tower)
    saved = instance.save()
    instance.set(name, value)
    assert naming(words).search(instance.messages[-1])
    refused_step(instance, words)
    if name.startswith("command."):
        instance.set(name, 0)
    else:
        instance.restore(saved)
    instance.step()


def test_a_reference_that_is_not_there_is_told(tower) -> None:
    instance = Instance(tower)
    get = instance.fmu.getReal if tower.version == 2 else instance.fmu.getFloat64
    assert get([9999]) == [0.0]
    refused_step(instance, "9999 known tower_12t")
    assert get([tower.variables["command.trolley.brake"].valueReference]) == [0.0]
    refused_step(instance, "command.trolley.brake real")


def test_parameters_that_can_not_be_are_told(tower) -> None:
    instance = Instance(tower, {"load.mass": -5.0})
    refused_step(instance, "rig.load.mass 0")


def test_a_mode_that_the_axis_lacks_is_told(tmp_path) -> None:
    tool = Tool(export_fmu("rtg_41t", tmp_path / "rtg.fmu"))
    instance = Instance(tool)
    instance.set("command.skew.mode", 2)
    refused_step(instance, "skew effort speed position lever")
    tool.close()


def test_a_force_beyond_what_a_push_may_be_is_told(tower) -> None:
    instance = Instance(tower)
    instance.set("command.force.x", 1e9)
    refused_step(instance, "load force")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("wind.speed", -2.0, "speed 0 -2.0"), ("command.stop_category", 7, "category 7 0 1")],
)
def test_a_change_that_is_refused_is_refused_again(tower, name, value, words) -> None:
    instance = Instance(tower)
    before = instance.get(name)
    instance.set(name, value)
    refused_step(instance, words)
    refused_step(instance, words)
    instance.set(name, before)
    instance.step()


def test_an_action_that_is_refused_is_a_warning(tower) -> None:
    instance = Instance(tower)
    instance.set("command.hook_on", True)
    instance.step()
    assert naming("hook_on").search(" ".join(instance.messages))
    assert instance.get("status.rejected") == 1


def test_a_state_of_another_fmu_is_refused(tower, tmp_path) -> None:
    other = Tool(export_fmu("rtg_41t", tmp_path / "rtg.fmu", fmi=tower.version))
    there = Instance(other)
    data = there.to_bytes(there.save())
    here = Instance(tower)  # FMPy brings messages of FMI 2 to the newest instance
    saved = here.save()
    here.from_bytes(data)
    refused_step(here, "state another FMU tower_12t")
    here.restore(saved)
    here.step()
    other.close()


@pytest.mark.parametrize("data", [b" ", b"nonsense", b"I1\n."])
def test_bytes_that_are_no_state_are_refused(tower, data) -> None:
    instance = Instance(tower)
    instance.from_bytes((0.0, data))
    refused_step(instance, "serialised state")


@pytest.mark.parametrize(
    ("module", "name"), [("os", "system"), ("cable_sim.shared_files", "os.system")]
)
def test_code_in_the_bytes_of_a_state_is_not_run(tower, tmp_path, module, name) -> None:
    instance = Instance(tower)
    proof = tmp_path / "ran"
    words = (bytes([0x8C, len(word)]) + word.encode() for word in (module, name))
    call = f"(S'touch {proof}'\ntR.".encode()
    instance.from_bytes((0.0, b"\x80\x04" + b"".join(words) + b"\x93" + call))
    refused_step(instance, "serialised state part")
    assert not proof.exists()


@pytest.mark.parametrize(
    ("crane", "given", "error", "words"),
    [
        ("towr", {}, ConfigError, "towr tower_12t"),
        (TOWER, {"fmi": 1}, SpecError, "fmi 1 2 3"),
        (TOWER, {"step": 0.0105, "dt": 0.01}, SpecError, "step 0.0105 multiple 0.01"),
        (TOWER, {"step": math.nan}, CableSimError, "step nan"),
        (TOWER, {"dt": -1.0}, CableSimError, "dt -1.0"),
    ],
)
def test_what_can_not_be_exported_is_told(tmp_path, crane, given, error, words) -> None:
    with pytest.raises(error, match=naming(words)):
        export_fmu(crane, tmp_path / "x.fmu", **given)
    assert not list(tmp_path.iterdir())


def test_a_crane_without_a_file_and_another_ending_are_refused(tmp_path) -> None:
    with pytest.raises(SpecError, match=naming("loaded crane file")):
        export_fmu(scene_machine(Scene()), tmp_path / "x.fmu")
    with pytest.raises(SpecError, match=naming("x.zip .fmu")):
        export_fmu(TOWER, tmp_path / "x.zip")
