"""How Gymnasium gets to know the environments: by the name of the module, or by importing it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from messages import naming

pytest.importorskip("gymnasium", reason="needs the extra `rl`")
import gymnasium

from cable_sim.environments import ENVIRONMENTS

ROOT = Path(__file__).resolve().parents[2]


def fresh(code: str) -> str:
    """What a new interpreter prints; it must have nothing to complain of."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_import_registers_environments_without_slow_modules() -> None:
    code = "import sys, cable_sim.environments, gymnasium;"
    code += "print([name for name in gymnasium.registry if name.startswith('cable_sim/')]);"
    code += "print({'numba', 'pydantic', 'scipy', 'matplotlib'} & set(sys.modules))"
    assert fresh(code).splitlines() == [str(list(ENVIRONMENTS)), "set()"]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_name_of_the_module_is_enough(name: str) -> None:
    env = gymnasium.make(f"cable_sim.environments:{name}", dt=0.005)
    assert env.spec.id == name
    assert env.unwrapped.settings.dt == 0.005
    env.close()


def test_without_gymnasium_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None\ntry:\n import cable_sim.environments\n"
    code += "except ModuleNotFoundError as error: print(error)"
    assert naming("gymnasium pip install 'cable_sim[rl]'").search(fresh(code))
