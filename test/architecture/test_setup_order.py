"""What `scripts/setup` does in which order, with wheels of ROS 2 and on a distribution; what it
calls is feigned."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = r"""#!/usr/bin/env bash
# writes down what it is asked for; its venv has a python and a colcon like it, and a wheel's file
case $* in
  *_base_executable*) echo "$FEIGNED"; exit ;;
  *numpy*) echo numpy==2.0.0; exit ;;
  -V) echo Python 3.12.0; exit ;;
  *"pip --disable-pip-version-check config list") cat settings 2>/dev/null; exit ;;
  *"-m venv"*)
    cmake=.venv/share/one_msgs/cmake
    mkdir -p .venv/bin "$cmake"
    cp "$FEIGNED" .venv/bin/python
    cp "$FEIGNED" .venv/bin/colcon
    echo 'set(include "/opt/python/include")' >"$cmake/one__rosidl_generator_pyExport.cmake"
    ;;
esac
echo "${0##*/} $*" >>calls
"""
PIP = "python -m pip --disable-pip-version-check install "
PACKAGES = f"{PIP}--no-compile "
PINNED = "python -m uv pip install --python .venv/bin/python "
WARM = "python -m cable_sim.sim.precompile crane"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the scripts and no more than the names of other files."""
    checkout = tmp_path / "checkout"
    (checkout / "scripts").mkdir(parents=True)
    for name in ("setup", "stages.sh", "env.sh"):
        shutil.copy(ROOT / "scripts" / name, checkout / "scripts")
    empty = (
        "setup.py",
        "CMakeLists.txt",
        "package.xml",
        "requirements/core.txt",
        "cable_sim/kernels/jit.py",
        "msg/One.msg",
    )
    for name in empty:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).touch()
    for name, text in (("scripts/check_prerequisites", "#!/bin/sh\n"), ("feigned", PYTHON)):
        (checkout / name).write_text(text)
        (checkout / name).chmod(0o755)
    return checkout


def calls(checkout: Path, profile: str, distribution: bool) -> list[str]:
    """What a set-up asks of Python and of colcon."""
    prefix = checkout.parent / "distribution"
    (prefix / "share" / "rclpy").mkdir(parents=True, exist_ok=True)
    (prefix / "share" / "rclpy" / "package.xml").touch()
    feigned = str(checkout / "feigned")
    environment = {"PATH": os.environ["PATH"], "PYTHON": feigned, "FEIGNED": feigned}
    if distribution:
        environment["AMENT_PREFIX_PATH"] = str(prefix)
    (checkout / "calls").write_text("")
    command = [str(checkout / "scripts" / "setup"), profile]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    return (checkout / "calls").read_text().splitlines()


def in_order(said: list[str], *beginnings: str) -> None:
    """Each is said once, after the one before."""
    places = [[i for i, line in enumerate(said) if line.startswith(words)] for words in beginnings]
    assert [len(found) for found in places] == [1] * len(beginnings), said
    assert places == sorted(places), said


def test_with_ros_wheels_kernels_compile_after_the_core_install(checkout: Path) -> None:
    said = calls(checkout, "run", distribution=False)
    core = f"{PINNED}-r requirements/core.txt"
    in_order(said, "feigned -m venv .venv", f"{PACKAGES}-r requirements/installer.txt", core, WARM)
    in_order(
        said,
        core,
        f"{PINNED}-r requirements/ros.txt -r requirements/viewer.txt",
        "colcon ",
        f"{PIP}--no-deps --no-build-isolation -e .",
    )
    assert not any("distribution" in line for line in said)
    (wheel,) = (checkout / ".venv" / "share").glob("*/cmake/*")
    assert wheel.read_text() == 'set(include "")\n'
    assert calls(checkout, "run", distribution=False) == []
    (checkout / "cable_sim" / "kernels" / "jit.py").write_text("other")
    assert calls(checkout, "run", distribution=False) == [WARM]


def test_where_uv_gets_nowhere_pip_goes_on(checkout: Path) -> None:
    """It reads none of pip's settings, such as a company's index, and may not be there itself."""
    feigned = checkout / "feigned"
    refused = PYTHON.replace("  -V)", '  *"-m uv"*|*installer*) exit 1 ;;\n  -V)')
    assert refused != PYTHON
    feigned.write_text(refused)
    said = calls(checkout, "docs", distribution=False)
    assert said == [
        "feigned -m venv .venv",
        f"{PACKAGES}-r requirements/core.txt",
        f"{PACKAGES}-r requirements/docs.txt",
    ]


@pytest.mark.parametrize(
    ("settings", "by_uv"),
    [
        ("global.index-url='https://company.example/simple'", False),
        (":env:.no-index='1'", False),
        (":env:.find-links='wheels'", True),
    ],
)
def test_an_index_of_ones_own_is_read_by_pip_alone(
    checkout: Path, settings: str, by_uv: bool
) -> None:
    (checkout / "settings").write_text(settings + "\n")
    said = calls(checkout, "docs", distribution=False)
    installs = PINNED if by_uv else PACKAGES
    assert f"{installs}-r requirements/core.txt" in said
    assert any(line.startswith(PINNED) for line in said) == by_uv


def test_a_distribution_brings_ros_itself(checkout: Path) -> None:
    said = calls(checkout, "run", distribution=True)
    packages = f"{PACKAGES}-c build/distribution.txt -e .[viewer,plot,bag,plc]"
    in_order(said, "feigned -m venv --system-site-packages .venv", packages, WARM)
    in_order(said, packages, "colcon ")
    assert not any("requirements/" in line for line in said)
    assert (checkout / "build" / "distribution.txt").read_text() == "numpy==2.0.0\n"


@pytest.mark.parametrize(
    ("profile", "last"), [("test", "colcon "), ("lint", f"{PINNED}-r requirements/lint.txt")]
)
def test_what_needs_no_crane_that_runs_compiles_no_kernels(
    checkout: Path, profile: str, last: str
) -> None:
    said = calls(checkout, profile, distribution=False)
    in_order(said, *(f"{PINNED}-r requirements/{name}.txt" for name in ("core", "ros", "test")))
    assert said[-1].startswith(last) and WARM not in said


def test_documentation_needs_nothing_of_ros(checkout: Path) -> None:
    assert calls(checkout, "docs", distribution=False) == [
        "feigned -m venv .venv",
        f"{PACKAGES}-r requirements/installer.txt",
        f"{PINNED}-r requirements/core.txt",
        f"{PINNED}-r requirements/docs.txt",
    ]
