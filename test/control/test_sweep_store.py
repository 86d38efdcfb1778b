"""Results of a sweep: what has been added is found again, whatever happens in between."""

import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import naming
from sweep_cases import MATRIX, outcome

from cable_sim import atomic_files
from cable_sim.control.matrix import parse_matrix
from cable_sim.errors import CableSimError
from cable_sim_studies.sweeps.jobs import jobs_of

pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (extra `sweep`)")
store_room = pytest.importorskip("cable_sim_studies.sweeps.store")
Store = store_room.Store


def test_what_is_added_is_there_for_the_next_one(tmp_path):
    values = {"a": 0.1 + 0.2, "never": math.inf, "none": math.nan}
    with Store(tmp_path / "new" / "s") as store:
        store.add([outcome("1", **values), outcome("2", "failed")])
    store = Store(tmp_path / "new" / "s")
    assert store.finished_runs() == {"1": "done", "2": "failed"}
    done, failed = store.runs().to_pylist()
    assert done["a"] == 0.1 + 0.2 and done["never"] == math.inf and math.isnan(done["none"])
    assert failed["a"] is None and (failed["error"], failed["reason"]) == ("SpecError", "can't be")
    assert done["finished"].tzinfo is not None


OPERATIONS = st.one_of(
    st.just("fold"),
    st.just("reopen"),
    st.lists(
        st.tuples(
            st.sampled_from("abcdef"),
            st.sampled_from(["done", "failed"]),
            st.floats(allow_nan=False),
        )
    ),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(OPERATIONS, max_size=8))
def test_it_is_a_dictionary_whatever_is_done_to_its_files(operations):
    with tempfile.TemporaryDirectory() as folder:
        path, model = Path(folder), {}
        for operation in operations:
            with Store(path) as store:
                if operation == "fold":
                    store.fold()
                elif operation != "reopen":
                    store.add(outcome(run, status, value=value) for run, status, value in operation)
                    model |= {run: (status, value) for run, status, value in operation}
            rows = Store(path).runs().to_pylist()
            assert {row["run"]: (row["status"], row.get("value")) for row in rows} == model
            assert len(rows) == len(model)


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_a_file_that_is_not_finished_is_none(tmp_path, monkeypatch, call):
    def killed(*_):
        raise KeyboardInterrupt

    with Store(tmp_path) as store:
        store.add([outcome("1")])
        with monkeypatch.context() as patch:
            patch.setattr(atomic_files.os, call, killed)
            with pytest.raises(KeyboardInterrupt):
                store.add([outcome("2")])
        assert store.finished_runs() == {"1": "done"}
    assert not list((tmp_path / "runs").glob(".*.part"))
    with Store(tmp_path) as store:
        store.add([outcome("2")])
        assert store.finished_runs() == {"1": "done", "2": "done"}


def test_a_store_removes_its_own_leftovers_and_no_other_files(tmp_path):
    own = [tmp_path / ".plan.parquet.7.part", tmp_path / "runs" / ".000000003.parquet.7.part"]
    others = [tmp_path / ".thesis.tex.7.part", tmp_path / "runs" / ".notes.7.part"]
    (tmp_path / "runs").mkdir()
    for path in own + others:
        path.touch()
    with Store(tmp_path):
        assert not any(path.exists() for path in own) and all(path.exists() for path in others)


@pytest.mark.parametrize("survive", range(3))
def test_nothing_is_lost_when_folding_is_cut_short(tmp_path, monkeypatch, survive):
    """Killed before the first old file goes, or between two of them."""
    left = survive
    real = Path.unlink

    def unlink(path, **options):
        nonlocal left
        if not path.name.startswith("."):
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
        real(path, **options)

    with Store(tmp_path) as store:
        for run in "123":
            store.add([outcome(run, value=float(run))])
        store.add([outcome("2", "failed")])
        monkeypatch.setattr(Path, "unlink", unlink)
        with pytest.raises(KeyboardInterrupt):
            store.fold()
        monkeypatch.undo()
    with Store(tmp_path) as store:
        assert store.finished_runs() == {"1": "done", "2": "failed", "3": "done"}
        store.fold()
        assert store.finished_runs() == {"1": "done", "2": "failed", "3": "done"}
        assert len(list((tmp_path / "runs").iterdir())) == 1


def test_many_files_become_one(tmp_path, monkeypatch):
    monkeypatch.setattr(store_room, "MOST_FILES", 5)
    with Store(tmp_path) as store:
        for i in range(23):
            store.add([outcome(str(i))])
            assert len(list((tmp_path / "runs").iterdir())) < 5
        assert len(store.finished_runs()) == 23


def test_results_are_the_plan_with_outcomes(tmp_path):
    """Two cases that are the same have one run; what is wanted no more stays, and is in no
    result."""
    jobs = jobs_of(parse_matrix(MATRIX.replace("{load: 0.15}", "{load: 0.05}")))
    with Store(tmp_path) as store:
        store.add(
            [
                outcome(jobs[0].run, residual_sway_deg=1.5),
                outcome("former"),
                outcome(jobs[8].run, "failed"),
            ]
        )
        store.plan(jobs)
        path = store.publish()
        assert set(store.finished_runs()) == {jobs[0].run, "former", jobs[8].run}
    table = pq.read_table(path)
    cases = dict(
        zip(table["case"].to_pylist(), table["residual_sway_deg"].to_pylist(), strict=True)
    )
    assert cases == {
        "short-light-high": 1.5,
        "short-heavy-high": 1.5,
        "outside-light-high": None,
        "outside-heavy-high": None,
    }
    assert table["axis.way"].to_pylist() == ["short", "short", "outside", "outside"]
    assert table.schema.field("residual_sway_deg").metadata[b"unit"] == b"deg"
    assert table.schema.field("wall").metadata[b"unit"] == b"s"
    assert Store(tmp_path).planned_count() == 12


def test_one_writes_at_a_time(tmp_path):
    with Store(tmp_path):
        with pytest.raises(CableSimError, match=naming(f"{tmp_path} sweep")):
            Store(tmp_path).__enter__()
        assert Store(tmp_path).finished_runs() == {}  # but reading is free
    with Store(tmp_path):
        pass


def test_what_is_no_sweep_is_told(tmp_path):
    with pytest.raises(CableSimError, match=naming("sweep folder")):
        Store(tmp_path).results()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "000000001.parquet").write_bytes(b"nothing")
    with pytest.raises(CableSimError, match=naming("000000001.parquet damaged Parquet file")):
        Store(tmp_path).finished_runs()


def test_a_flipped_bit_is_told_or_changes_nothing(tmp_path):
    """Every eighth byte of the outcomes, with all its bits in turn."""
    with Store(tmp_path) as store:
        store.add(outcome(str(i), value=0.1 * i, other=1.0 / (i + 1)) for i in range(5))
    path = tmp_path / "runs" / "000000001.parquet"
    content, reference = path.read_bytes(), Store(tmp_path).runs().to_pydict()
    told = 0
    for place in range(0, len(content), 8):
        damaged = bytearray(content)
        damaged[place] ^= 1 << (place // 8 % 8)
        path.write_bytes(damaged)
        try:
            assert Store(tmp_path).runs().to_pydict() == reference, place
        except CableSimError as error:
            assert str(path) in str(error)
            told += 1
    assert told > 0.9 * len(content) / 8
    path.write_bytes(content[:-100])
    with pytest.raises(CableSimError, match=naming("000000001.parquet damaged")):
        Store(tmp_path).runs()


def test_files_without_a_checksum_are_still_read(tmp_path):
    with Store(tmp_path) as store:
        store.add([outcome("1")])
    (path,) = (tmp_path / "runs").iterdir()
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    assert Store(tmp_path).finished_runs() == {"1": "done"}


def test_a_damaged_manifest_is_told(tmp_path):
    from cable_sim_studies.commands import sweep

    for text in ("{", '{"matrix": "m"}', '{"matrix": "m", "sessions": [{}]}'):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(CableSimError, match=naming("manifest.json damaged")):
            sweep._sessions(tmp_path / "manifest.json")


def test_names_of_metrics_are_no_other_columns():
    from cable_sim.control.metrics import AxisMetrics, definitions

    own = {*store_room.OUTCOME.names, *store_room.PLAN.names}
    assert not own & {*definitions(), *AxisMetrics._fields}
