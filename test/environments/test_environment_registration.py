"""How Gymnasium gets to know the environments: as a plug-in, by the name of the module, by importing it."""

import ast
import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("gymnasium", reason="needs the extra `rl`")
import gymnasium

from cable_sim.environments import ENVIRONMENTS

ROOT = Path(__file__).resolve().parents[2]


def fresh(code: str, *folders: Path) -> str:
    """What a new interpreter prints, with these folders on its path; it must have nothing to complain of."""
    path = os.pathsep.join(map(str, (*folders, ROOT, os.environ.get("PYTHONPATH", ""))))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def plugins() -> list[str]:
    """What setup.py declares to Gymnasium."""
    tree = ast.parse((ROOT / "setup.py").read_text())
    (declared,) = (
        ast.literal_eval(keyword.value)
        for node in ast.walk(tree) if isinstance(node, ast.Call)
        for keyword in node.keywords if keyword.arg == "entry_points"
    )  # fmt: skip
    return declared["gymnasium.envs"]


def test_gymnasium_finds_them_by_itself_and_loads_nothing_for_it(tmp_path: Path) -> None:
    """In an interpreter that has the package's metadata, as an installation writes them."""
    metadata = tmp_path / "cable_sim_plugin-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: cable_sim_plugin\nVersion: 0\n")
    entries = configparser.ConfigParser()
    entries["gymnasium.envs"] = dict(line.split(" = ") for line in plugins())
    with (metadata / "entry_points.txt").open("w") as file:
        entries.write(file)
    code = "import sys, gymnasium; print([n for n in gymnasium.registry if n.startswith('cable_sim')]);"
    code += "print({'numba', 'pydantic', 'scipy'} & set(sys.modules))"
    assert fresh(code, tmp_path).splitlines() == [str(list(ENVIRONMENTS)), "set()"]
    code = "import cable_sim.environments, gymnasium; print(sum(n.startswith('cable_sim') for n in gymnasium.registry))"
    assert fresh(code, tmp_path).strip() == str(len(ENVIRONMENTS))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_name_of_the_module_is_enough(name: str) -> None:
    env = gymnasium.make(f"cable_sim.environments:{name}", dt=0.005)
    assert env.spec.id == name
    assert env.unwrapped.settings.dt == 0.005
    env.close()


def test_without_gymnasium_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None\ntry:\n import cable_sim.environments\n"
    code += "except ModuleNotFoundError as error: print(error)"
    assert fresh(code).strip() == "gymnasium is not installed: pip install 'cable_sim[rl]'"
