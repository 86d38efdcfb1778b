"""The command ``cable-sim fmu``."""

import pytest
from messages import naming

pytest.importorskip("fmpy", reason="needs fmpy: pip install 'cable_sim[fmi]'")
pytest.importorskip("pythonfmu3", reason="needs pythonfmu3: pip install 'cable_sim[fmi]'")
from fmpy import read_model_description

from cable_sim.cli import main


def told(*words):
    """Exit status of the command."""
    with pytest.raises(SystemExit) as end:
        main(["fmu", *words])
    return end.value.code


def starts(path):
    """Start values of a description."""
    return {one.name: one.start for one in read_model_description(str(path)).modelVariables}


def test_it_writes_the_crane_that_it_is_told(tmp_path, capsys) -> None:
    out = tmp_path / "deep" / "tower.fmu"
    change = ("--change", "rig.start.at.trolley=30.0", "--load-mass", "2500")
    assert told("tower_12t", "-o", str(out), "--fmi", "2", "--step", "0.02", *change) in (0, None)
    assert naming("tower.fmu FMI 2 0.02 s").search(capsys.readouterr().out)
    description = read_model_description(str(out))
    assert description.fmiVersion == "2.0"
    assert description.defaultExperiment.stepSize == "0.02"
    assert float(starts(out)["load.mass"]) == 2500.0
    assert float(starts(out)["start.trolley"]) == 30.0


def test_the_name_of_the_crane_is_the_default(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert told("lab_inteco") in (0, None)
    assert read_model_description("lab_inteco.fmu").fmiVersion == "3.0"


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["towr_12t"], "towr_12t tower_12t"),
        (["tower_12t", "--fmi", "1"], "fmi 1 2 3"),
        (["tower_12t", "--step", "0.0015"], "step 0.0015 multiple 0.001"),
        (["tower_12t", "--change", "rig.lod.mass=3"], "rig.lod"),
        (["tower_12t", "-o", "tower.zip"], "tower.zip .fmu"),
        (["fishing_rod"], "fishing_rod"),
    ],
)
def test_mistakes_end_it_with_2(tmp_path, monkeypatch, capsys, words, names) -> None:
    monkeypatch.chdir(tmp_path)
    assert told(*words) == 2
    assert naming(names).search(capsys.readouterr().err)
    assert not list(tmp_path.iterdir())
