"""An FMU in a tool that is no Python program: one in C, with the Python of these tests."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from messages import naming

pytest.importorskip("fmpy", reason="needs fmpy: pip install 'cable_sim[fmi]'")
pytest.importorskip("pythonfmu3", reason="needs pythonfmu3: pip install 'cable_sim[fmi]'")
import fmpy
from fmu_tool import Tool

from cable_sim import LocalPlant, load_crane
from cable_sim.interchange.fmi.export import export_fmu

HERE = Path(__file__).parent
PYTHON = Path(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("LDLIBRARY"))


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """The tool."""
    compiler = shutil.which("cc")
    if not compiler or PYTHON.suffix != ".so":
        pytest.skip("needs a C compiler and a Python with a shared library")
    program = tmp_path_factory.mktemp("host") / "host"
    headers = Path(fmpy.__file__).parent / "c-code"
    command = [compiler, "-I", headers, "-o", program, HERE / "host.c", "-ldl"]
    subprocess.run(command, check=True)
    return program


def test_a_program_in_c_gets_the_same_bits(host, tmp_path) -> None:
    tool = Tool(export_fmu("tower_12t", tmp_path / "tower.fmu"))
    library = next(Path(tool.folder).glob("binaries/x86_64-linux/*.so"))
    references = {name: str(one.valueReference) for name, one in tool.variables.items()}
    speed, place = references["command.trolley.speed"], references["axis.trolley.position"]
    command = [host, library, f"{tool.folder}/resources/", speed, "0.5", place, "200"]
    alone = subprocess.run(command, capture_output=True, text=True)
    assert alone.returncode == 2 and naming("undefined symbol: *Py*").search(alone.stderr)
    packages = sysconfig.get_path("purelib")
    paths = f"{HERE.parents[2]}:{packages}"
    env = os.environ | {"LD_PRELOAD": str(PYTHON), "PYTHONPATH": paths}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    plant = LocalPlant(load_crane("tower_12t"))
    plant.reset()
    for _ in range(200):
        seen = plant.step({"slewing": 0.0, "trolley": 0.5, "hoist": 0.0})
    assert float(done.stdout) == seen.axes["trolley"].position
    tool.close()
