"""Importing the package is light, and its public names exist."""

import ast
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from messages import naming

import cable_sim
import cable_sim.spec
from cable_sim.errors import ConfigError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "public_api.md"


def fresh(code: str) -> str:
    """What a new interpreter prints: in this one other tests have imported everything already."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("library", ["rclpy", "numba", "viser", "scipy", "matplotlib", "gymnasium"])
def test_importing_the_package_does_not_load(library):
    assert fresh(f"import sys, cable_sim; print({library!r} in sys.modules)").strip() == "False"


def test_saying_what_to_simulate_loads_neither_compiler_nor_ros():
    loaded = fresh("import sys, cable_sim.spec; print({'rclpy', 'numba'} & set(sys.modules))")
    assert loaded.strip() == "set()"


@pytest.mark.parametrize("name", cable_sim.__all__)
def test_public_name_exists(name):
    if name not in ("Control", "Law"):  # types of others, which have names of their own
        assert getattr(cable_sim, name).__name__ == name
    assert getattr(cable_sim, name) is vars(cable_sim)[name]


def test_page_and_dir_list_the_public_names():
    rows = [
        line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if line[:3] == "| `"
    ]
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == cable_sim.__all__
    assert dir(cable_sim) == sorted([*cable_sim.__all__, "__version__"])


def test_type_checkers_are_told_the_public_names():
    """Specs are told with a star, so that the list of their package counts."""
    tree = ast.parse(Path(cable_sim.__file__).read_text("utf-8"))
    (block,) = [part for part in tree.body if isinstance(part, ast.If) and part.orelse == []][:1]
    told = {}
    for line in block.body:
        if isinstance(line, ast.ImportFrom):
            for alias in line.names:
                names = cable_sim.spec.__all__ if alias.name == "*" else [alias.asname]
                told |= dict.fromkeys(names, line.module)
    assert told == cable_sim._MODULE_OF


def test_page_without_its_extra_names_the_line_that_installs_it():
    told = fresh(
        "import sys; sys.modules['viser'] = None\nimport cable_sim\n"
        "try: cable_sim.show\nexcept cable_sim.errors.CableSimError as error: print(error)"
    )
    assert naming("show viser pip install 'cable_sim[viewer]'").search(told)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        cable_sim.no_such_name  # noqa: B018


def test_config_error_survives_pickling():
    error = ConfigError(["a.yaml:1:2: mass: is negative", "a.yaml:3:1: is not YAML"])
    error = pickle.loads(pickle.dumps(error))
    assert str(error).splitlines() == list(error.problems)
