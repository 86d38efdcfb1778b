"""Importing the package is light, and its public names exist."""

import pickle
import subprocess
import sys

import pytest

import cable_sim
from cable_sim.errors import ConfigError


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
    assert getattr(cable_sim, name).__name__ == name
    assert name in dir(cable_sim)


def test_there_are_few_public_names():
    assert set(cable_sim.__all__) == set(cable_sim._MODULE_OF)
    assert len(cable_sim.__all__) <= 18


def test_page_without_its_extra_names_the_line_that_installs_it():
    told = fresh(
        "import sys; sys.modules['viser'] = None\nimport cable_sim\n"
        "try: cable_sim.show\nexcept cable_sim.errors.CableSimError as error: print(error)"
    )
    assert told == "show: viser is not installed: pip install 'cable_sim[viewer]'\n"


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        cable_sim.no_such_name  # noqa: B018


def test_config_error_survives_pickling():
    error = ConfigError(["a.yaml:1:2: mass: is negative", "a.yaml:3:1: is not YAML"])
    error = pickle.loads(pickle.dumps(error))
    assert str(error).splitlines() == list(error.problems)
