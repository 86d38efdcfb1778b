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
from collections.abc import Iterator
from pathlib import Path

import pytest

from cable_sim.errors import CableSimError, CableSimWarning
from cable_sim.kernel_cache import KernelCache, advance_text, compiling_text
from cable_sim.kernels import jit
from cable_sim.spec import Scene

ROOT = Path(__file__).resolve().parents[1]
TINY = """
from cable_sim.kernels.jit import kernel


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


def start(program: Path, cache: Path | str, **options: object) -> subprocess.Popen[str]:
    """The program with a cache; what is written by Python itself stays out of the sources."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")
    }
    environment |= {
        "CABLE_SIM_CACHE": str(cache),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.Popen(
        [sys.executable, str(program)],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def outcome(program: Path, cache: Path | str, **options: object) -> tuple[int, str]:
    """How many kernels were in the cache, and all warnings; the results have to be right."""
    said, warned = start(program, cache, **options).communicate(timeout=300)
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
        assert f"{path} of the kernel cache is damaged" in warned
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
        with pytest.warns(CableSimWarning, match="twice of the kernel cache is damaged"):
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
    told = "the kernel cache .* can't be used .Not a directory.: every process compiles again"
    assert len(re.findall(told, warned)) == 1
    assert files(tmp_path) == sorted([tmp_path / "cache", program])


@pytest.mark.parametrize("place", ["file/one", "file/up/one", "folder/file"])
def test_a_file_in_the_way_is_told_once(place: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("file", "folder/file"):
        (tmp_path / name).touch()
    cache = KernelCache(tmp_path / place)
    with pytest.warns(CableSimWarning, match="can't be used") as warned:
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
    assert len(re.findall("can't be used .File too large.", warned)) == 1
    assert files(tmp_path / "cache") == []


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_to_read_alone_is_told(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    assert "can't be used (Permission denied)" in outcome(program, tmp_path / "cache")[1]


def test_without_a_home_there_is_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CABLE_SIM_CACHE", "~nobody_of_that_name/cache")
    with pytest.warns(CableSimWarning, match="can't be used .not an absolute path"):
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
    with pytest.raises(
        CableSimError, match=f"^{opened} may be written by others .mode {mode:o}.: [^.]*$"
    ):
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
    with pytest.raises(CableSimError, match=f"belongs to user {own}, not to you"):
        cache.load("twice", bytes.decode)


def test_a_cache_that_is_refused_ends_a_program(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    process = start(program, tmp_path / "cache")
    said, warned = process.communicate(timeout=300)
    assert (said, process.returncode) == ("", 1)
    assert "CableSimError: " in warned.splitlines()[-1]
    assert "whose files run as programs" in warned.splitlines()[-1]
    assert beside(program) == [program]


@pytest.mark.parametrize("place, beside", [("new/folder", True), ("file/folder", False)])
def test_a_second_process_compiles_where_both_share_a_cache(
    place: str, beside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cable_sim.sim import precompile

    (tmp_path / "file").touch()
    begun: list[str] = []
    monkeypatch.setattr(jit, "_kept", lambda: KernelCache(tmp_path / place))
    monkeypatch.setattr(precompile, "Simulator", lambda _: begun.append("step"))

    @contextlib.contextmanager
    def second_process() -> Iterator[None]:
        begun.append("beside")
        yield

    monkeypatch.setattr(precompile, "compile_beside", second_process)
    precompile.compile_step(Scene())
    assert begun == ["beside", "step"] * beside
    if beside:
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "step.run_world-0.nbc").touch()
        precompile.compile_step(Scene())
        assert len(begun) == 2, "one is cached"


def test_seconds_of_a_text_go_on_and_others_stay() -> None:
    text = compiling_text(40.4)
    assert text.endswith(": 40 s")
    assert advance_text(text, 3.3) == text.replace(": 40 s", ": 43 s")
    for other in ("", "ready after 40 s: tower_12t", "compiling: 40 m"):
        assert advance_text(other, 3.3) == other
