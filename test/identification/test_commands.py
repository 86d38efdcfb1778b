"""The commands ``identify``, ``validate`` and ``log``, from a log to the changed file and pages."""

from pathlib import Path

import pytest
from messages import naming
from test_identify import LOSS, MASS, SIGNALS, crane, orders
from typer.testing import CliRunner

from cable_sim import load_crane
from cable_sim.cli.app import app
from cable_sim.errors import SpecError
from cable_sim_studies.identification.replaying import replay
from cable_sim_studies.identification.validation import Tolerance, parse_tolerance, validate

SET = ("--set", "rig.start.state=hanging", "--set", "rig.start.hook_depth=40.0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a log of a crane with 4300 kg, as a machine with other names and units has it."""
    made: Path = tmp_path_factory.mktemp("lifts")
    lift = replay(crane(**{MASS: 4300.0}), orders(), SIGNALS, noise=True)
    head = "ms;Order[m/min];Depth[mm];Pull[kN];Lead[kN]"
    rows = lift.rows * (1e3, 60.0, 1e3, 1e-3, 1e-3)
    text = "\n".join(";".join(f"{v:.6f}" for v in row).replace("nan", "") for row in rows[1:])
    (made / "lift.csv").write_text(f"{head}\n{text}\n".replace(".", ","), "utf-8")
    return made


def called(*words: str) -> tuple[int, str]:
    """Exit status and output of a command."""
    columns = ("ms=time [ms]", "Order[m/min]=hoist.command", "Depth[mm]=hoist.position")
    more = ("Pull[kN]=hoist_rope.pull", "Lead[kN]=hoist_rope.lead")
    mapped = [word for one in (*columns, *more) for word in ("--column", one)]
    done = CliRunner().invoke(app, [*words, *mapped], catch_exceptions=False)
    return done.exit_code, done.output


def test_a_crane_is_identified_from_a_foreign_log(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    log = str(folder / "lift.csv")
    status, told = called("log", "describe", log)
    assert status == 0 and naming("hoist_rope.pull N").search(told)
    words = ("identify", "tower_12t", log, "-p", f"{MASS}=3000..5000", "-o", str(tmp_path), *SET)
    status, told = called(*words)
    found = load_crane(tmp_path / "tower_12t.yaml").details.rig.load.mass
    assert status == 0 and found == pytest.approx(4300.0, abs=2.0) and MASS in told
    kept = len(list((tmp_path / "runs").glob("*.npz")))
    assert called(*words)[0] == 0 and len(list((tmp_path / "runs").glob("*.npz"))) == kept > 2
    page = tmp_path / "page.html"
    check = ("validate", str(tmp_path / "tower_12t.yaml"), str(folder), "-o", str(page))
    assert called(*check, "--tolerance", "hoist_rope.pull=2 %")[0] == 0
    assert called(*check, "--tolerance", "hoist_rope.pull=1.0")[0] == 1
    assert page.read_text("utf-8").count("<figure>") == 3


def test_a_wrong_loss_is_beyond_its_tolerance() -> None:
    lift = replay(crane(), orders(), SIGNALS)
    good = validate(crane(), lift, {"hoist_rope.lead": "0.1 %"}, signals=SIGNALS)
    bad = validate(crane(**{LOSS: 0.95}), lift, {"hoist_rope.lead": "0.1 %"}, signals=SIGNALS)
    assert good.is_kept and not bad.is_kept
    assert max(one.worst for one in good.errors) < 1e-9
    wrong = [one.signal for one in bad.errors if not one.is_kept]
    assert wrong == ["hoist_rope.lead"]


@pytest.mark.parametrize("text", ["", "0", "-1", "2%%x", "inf", "NaN %"])
def test_tolerances_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(SpecError):
        parse_tolerance(text)


def test_tolerances_have_values_and_shares() -> None:
    assert parse_tolerance("2 %") == Tolerance(0.02, True)
    assert parse_tolerance("50") == Tolerance(50.0, False)
    with pytest.raises(SpecError, match=naming("sway hoist.position")):
        validate(crane(), replay(crane(), orders(1.0), SIGNALS), {"sway": "1"})
