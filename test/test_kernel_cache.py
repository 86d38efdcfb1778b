"""The cache of compiled kernels: it is whole, the user's own, and beside the sources never.

Kernels are compiled in processes of their own, each of one multiplication.
"""

import contextlib
import os
import re
import resource
import signal
import stat
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from llvmlite.binding import get_host_cpu_features
from messages import naming

from cable_sim.errors import CableSimError, CableSimWarning
from cable_sim.kernel_cache import KernelCache, advance_text, compiling_text
from cable_sim.kernels import jit

ROOT = Path(__file__).resolve().parents[1]
TINY = """
import os
from pathlib import Path
from cable_sim.kernels import jit
from cable_sim.kernels.jit import kernel

jit.SHIPPED = Path(os.environ["SHIPPED"])


@kernel
def twice(x):
    return 2.0 * x


@kernel
def fourfold(x):
    return twice(twice(x))


if __name__ == "__main__":
    assert (twice(1.5), twice(2)) == (3.0, 4.0)
    print(fourfold(1.5), fourfold(2), sum(fourfold.stats.cache_hits.values()))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A file with kernels of its own."""
    path = tmp_path / "sources" / "tiny.py"
    path.parent.mkdir()
    path.write_text(TINY)
    return path


def start(
    program: Path,
    cache: Path | str,
    shipped: Path = Path("/nowhere"),
    numba: Mapping[str, str] = {},
    **options: object,
) -> subprocess.Popen[str]:
    """The program with a cache, shipped kernels and settings of numba; what is written by Python
    itself stays out of the sources."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")
    }
    environment |= {
        "CABLE_SIM_CACHE": str(cache),
        "SHIPPED": str(shipped),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(ROOT),
        **numba,
    }
    return subprocess.Popen(
        [sys.executable, str(program)],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def outcome(program: Path, cache: Path | str, *others: Any, **options: Any) -> tuple[int, str]:
    """How many kernels were in the cache, and all warnings; the results have to be right."""
    said, warned = start(program, cache, *others, **options).communicate(timeout=300)
    assert said.split()[:2] == ["6.0", "8.0"], warned
    assert beside(program) == [program]
    return int(said.split()[2]), warned


def beside(program: Path) -> list[Path]:
    """All files where the program's sources are."""
    return sorted(program.parent.rglob("*"))


def files(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def test_what_was_compiled_is_found_again(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "new" / "cache"
    assert outcome(program, cache) == (0, "")
    assert outcome(program, cache) == (2, "")
    assert {stat.S_IMODE(path.stat().st_mode) for path in (cache, *cache.iterdir())} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files(cache)} == {0o600}
    program.write_text(TINY.replace("2.0 * x", "x * 2.0"))
    assert outcome(program, cache) == (0, "")
    program.write_text(f"# Moved.\n{TINY}".replace("(x):", "(x):\n    'Double.'"))
    assert outcome(program, cache) == (2, "")


def test_a_damaged_file_is_told_and_made_anew(program: Path, tmp_path: Path) -> None:
    outcome(program, tmp_path / "cache")
    empty, cut, longer, bit = files(tmp_path / "cache")
    empty.write_bytes(b"")
    cut.write_bytes(cut.read_bytes()[:-5000])
    longer.write_bytes(longer.read_bytes() + b"0")
    data = bytearray(bit.read_bytes())
    data[len(data) // 2] ^= 1
    bit.write_bytes(data)
    hits, warned = outcome(program, tmp_path / "cache")
    assert hits == 0
    for path in (empty, cut, longer, bit):
        assert naming(f"{path} kernel cache damaged").search(warned)
    assert outcome(program, tmp_path / "cache") == (2, "")


def test_a_file_that_can_not_be_rebuilt_is_told(tmp_path: Path) -> None:
    """Whole, but of another Python: all that pickle raises."""
    cache = KernelCache(tmp_path / "cache" / "one")
    cache.save("twice", b"data")
    assert cache.load("twice", bytes.decode) == "data"
    for error in (
        EOFError(),
        TypeError("argument"),
        KeyError("name"),
        CableSimError("of a reader"),
    ):
        cache.save("twice", b"data")
        with pytest.warns(CableSimWarning, match=naming("kernel cache damaged")):
            assert cache.load("twice", lambda _, error=error: (_ for _ in ()).throw(error)) is None
        assert files(tmp_path) == []


def test_processes_that_compile_at_once_leave_a_whole_cache(program: Path, tmp_path: Path) -> None:
    both = [start(program, tmp_path / "cache") for _ in range(3)]
    for process in both:
        said, warned = process.communicate(timeout=300)
        assert (said.split()[:2], warned) == (["6.0", "8.0"], "")
    assert len(files(tmp_path / "cache")) == 4
    assert outcome(program, tmp_path / "cache") == (2, "")


def test_a_path_that_is_no_folder_is_told_once(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    hits, warned = outcome(program, tmp_path / "cache")
    assert hits == 0
    told = "kernel cache .*directory"
    assert len(re.findall(told, warned)) == 1
    assert files(tmp_path) == sorted([tmp_path / "cache", program])


@pytest.mark.parametrize("place", ["file/one", "file/up/one", "folder/file"])
def test_a_file_in_the_way_is_told_once(place: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("file", "folder/file"):
        (tmp_path / name).touch()
    cache = KernelCache(tmp_path / place)
    with pytest.warns(CableSimWarning, match="used") as warned:
        for _ in range(2):
            cache.save("twice", b"data")
            assert cache.load("twice", bytes.decode) is None
    assert len(warned) == 1


def test_a_full_disk_is_told_once_and_leaves_nothing(program: Path, tmp_path: Path) -> None:
    """No file may grow beyond what is less than any kernel."""

    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    hits, warned = outcome(program, tmp_path / "cache", preexec_fn=full)
    assert hits == 0
    assert len(re.findall("large", warned)) == 1
    assert files(tmp_path / "cache") == []


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_to_read_alone_is_told(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    assert "Permission" in outcome(program, tmp_path / "cache")[1]


def test_without_a_home_there_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CABLE_SIM_CACHE", "~nobody_of_that_name/cache")
    with pytest.warns(CableSimWarning, match="absolute"):
        KernelCache(jit.cache_directory()).save("twice", b"data")
    assert files(tmp_path) == []


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o702])
@pytest.mark.parametrize("place", ["root", "folder", "file"])
def test_what_others_may_write_is_refused(place: str, mode: int, tmp_path: Path) -> None:
    cache = KernelCache(tmp_path / "cache" / "one")
    cache.save("twice", b"data")
    opened = {"root": cache.folder.parent, "folder": cache.folder, "file": cache.folder / "twice"}[
        place
    ]
    opened.chmod(mode)
    with pytest.raises(CableSimError, match=f"^{opened} [^.]*written[^.]*mode {mode:o}[^.]*$"):
        cache.load("twice", bytes.decode)
    with pytest.raises(CableSimError) if place != "file" else contextlib.nullcontext():
        cache.save("twice", b"other")
    opened.chmod(0o700)
    assert cache.load("twice", bytes.decode) == ("other" if place == "file" else "data")


def test_what_others_own_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What belongs to the administrator, who may write everywhere anyway, is not."""
    cache = KernelCache(tmp_path / "cache" / "one")
    cache.save("twice", b"data")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    if own == 0:
        assert cache.load("twice", bytes.decode) == "data"
        os.chown(cache.folder, 1234, -1)
        own = 1234
        monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(CableSimError, match=naming(f"user {own}")):
        cache.load("twice", bytes.decode)


def test_a_cache_that_is_refused_ends_a_program(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    process = start(program, tmp_path / "cache")
    said, warned = process.communicate(timeout=300)
    assert (said, process.returncode) == ("", 1)
    assert "CableSimError: " in warned.splitlines()[-1]
    assert naming("files run programs").search(warned.splitlines()[-1])
    assert beside(program) == [program]


BASE = {
    "NUMBA_CPU_NAME": jit.shipped_processor(get_host_cpu_features().flatten()),
    "NUMBA_CPU_FEATURES": "",
}
"""Settings by which kernels are compiled that are to be shipped, for such processors as this."""


@pytest.fixture
def shipped(program: Path, tmp_path: Path) -> Path:
    """Folder of kernels that are shipped."""
    if not BASE["NUMBA_CPU_NAME"]:
        pytest.skip("no kernels are shipped for this processor")
    outcome(program, tmp_path / "shipped", numba=BASE)
    return tmp_path / "shipped"


def test_shipped_kernels_are_taken(program: Path, shipped: Path, tmp_path: Path) -> None:
    assert outcome(program, tmp_path / "cache", shipped) == (2, "")
    assert not (tmp_path / "cache").exists()
    for setting in BASE:  # numba is told for what to compile
        assert outcome(program, tmp_path / setting, shipped, {setting: BASE[setting]})[0] == 0
    program.write_text(TINY.replace("2.0 * x", "x * 2.0"))
    assert outcome(program, tmp_path / "cache", shipped) == (0, "")
    assert outcome(program, tmp_path / "cache", shipped) == (2, "")


def test_shipped_kernels_that_are_damaged_do_not_run(
    program: Path, shipped: Path, tmp_path: Path
) -> None:
    for path in files(shipped):
        data = bytearray(path.read_bytes())
        data[-100] ^= 1
        path.write_bytes(data)
    hits, warned = outcome(program, tmp_path / "cache", shipped)
    assert hits == 0
    assert warned.count("is damaged (its digest is wrong)") == 4
    assert outcome(program, tmp_path / "cache", shipped) == (2, "")


def test_shipped_kernels_that_others_may_write_do_not_run(
    program: Path, shipped: Path, tmp_path: Path
) -> None:
    for path in files(shipped):
        path.chmod(0o606)
    said, warned = start(program, tmp_path / "cache", shipped).communicate(timeout=300)
    assert said == ""
    assert naming("written 606 delete").search(warned.splitlines()[-1])


def test_who_may_write_the_program_may_write_what_is_shipped(tmp_path: Path) -> None:
    """pip leaves files to the group, where the system's default is so."""
    source = tmp_path / "source.py"
    source.touch()
    cache = KernelCache(tmp_path / "shipped" / "one", source=source)
    cache.save("twice", b"data")
    for path in (source, cache.folder / "twice", cache.folder, cache.folder.parent):
        path.chmod(path.stat().st_mode | 0o020)
    assert cache.find("twice", bytes.decode) == "data"
    source.chmod(0o644)
    with pytest.raises(CableSimError, match=naming("shipped written")):
        cache.find("twice", bytes.decode)
    source.chmod(0o664)
    (cache.folder / "twice").chmod(0o666)
    with pytest.raises(CableSimError, match=naming("written 666")):
        cache.find("twice", bytes.decode)


def test_the_best_shipped_processor_is_one_that_can_do_all() -> None:
    able = sorted(jit.PROCESSORS["x86-64-v3"])
    features = ",".join(f"+{name}" for name in able)
    assert jit.shipped_processor(f"{features},-avx512f") == "x86-64-v3"
    for name in able:
        found = jit.shipped_processor(f"{features},".replace(f"+{name},", f"-{name},"))
        assert found == ("" if name in jit.PROCESSORS["x86-64-v2"] else "x86-64-v2"), name
    assert jit.shipped_processor("") == ""


@pytest.mark.parametrize("place, beside", [("new/folder", True), ("file/folder", False)])
def test_a_second_process_compiles_where_both_share_a_cache(
    place: str, beside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cable_sim.sim import precompile

    (tmp_path / "file").touch()
    begun: list[str] = []

    class Process:
        """Second process."""

        def __init__(self, words: list[str], **_: object) -> None:
            begun.append(words[-1])

        def wait(self) -> None:
            begun.append("waited for")

        def kill(self) -> None:
            begun.append("ended")

    cache = KernelCache(tmp_path / place)
    monkeypatch.setattr(precompile, "cache_directory", lambda: tmp_path / place)
    monkeypatch.setattr(precompile.subprocess, "Popen", Process)
    with precompile.compile_beside():
        pass
    assert begun == []
    with precompile.compile_beside(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("observe.observe_world-0.nbc", "step.run_world-0.nbc", "step.run_world-1.nbc"):
            cache.load(name, bytes.decode)
            assert begun == [precompile.READING] * (beside and name.startswith("step"))
    assert begun == [precompile.READING, "waited for", "ended", "waited for"] * beside


def test_seconds_of_a_text_go_on_and_others_stay() -> None:
    text = compiling_text(40.4)
    assert text.endswith(": 40 s")
    assert advance_text(text, 3.3) == text.replace(": 40 s", ": 43 s")
    for other in ("", "ready after 40 s: tower_12t", "compiling: 40 m"):
        assert advance_text(other, 3.3) == other
