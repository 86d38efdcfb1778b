"""Every example runs from start to end and says something; the numbers that it prints are sane."""

import contextlib
import io
import os
import re
import runpy
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))


def run_here(path: Path) -> str:
    """What an example prints that runs in this process, where all is loaded."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(str(path), run_name="__main__")
    return out.getvalue()


@cache
def run(path: Path) -> str:
    """What an example prints; each runs once, and the first in a process of its own."""
    if path != EXAMPLES[0]:
        return run_here(path)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    }
    done = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=240,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize(
    "path",
    [*EXAMPLES, *sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))],
    ids=lambda path: path.stem,
)
def test_example_has_a_picture_and_a_line_in_both_lists(path: Path) -> None:
    name, file = path.stem, path.relative_to(ROOT).as_posix()
    assert 500 < (ROOT / "docs" / "images" / "examples" / f"{name}.webp").stat().st_size < 20_000
    for page, up in (("README.md", ""), ("docs/tutorials/examples.md", "../")):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert f"images/examples/{name}.webp)" in text
        assert f"]({up}{up}{file})" in text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path) -> None:
    """No traceback, some output, no NaN in it."""
    output = run(path)
    assert len(output.splitlines()) >= 3
    assert not re.search(r"\bnan\b|\binf\b", output)


def test_hello_ends_with_the_weight_on_the_rope() -> None:
    tension = float(re.findall(r"tension +([\d.]+) kN", run(EXAMPLES[0]))[-1])
    assert tension == pytest.approx(9.81, rel=0.02)


def test_snapshot_gives_the_same_bits() -> None:
    first, second, third = re.findall(r"y = (\S+) m", run(ROOT / "examples" / "04_snapshot.py"))
    assert second == third != first


def test_what_theory_says_comes_out() -> None:
    """The accelerations of the textbook, and the energy that the regularised stepper leaves."""
    masses, steppers = (
        run(ROOT / "examples" / name) for name in ("01_atwood_with_losses.py", "02_steppers.py")
    )
    pairs = re.findall(r"([\d.]+) m/s\^2, textbook +([\d.]+) m/s", masses)
    pairs += re.findall(
        r"energy ([\d.]+) of the first, by theory ([\d.]+)$", steppers, re.MULTILINE
    )
    assert len(pairs) == 9
    assert all(float(ours) == pytest.approx(float(theirs), abs=2e-3) for ours, theirs in pairs)
