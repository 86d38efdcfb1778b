"""Names of a package that are loaded on first use, and no others."""

import gc
import sys

import pytest
from messages import naming

from cable_sim.lazy_names import load_lazily, load_module

MODULE = "lazily_loaded_by_a_test"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Loader of the name ``rope`` of a module that nobody has imported."""
    (tmp_path / f"{MODULE}.py").write_text("rope = object()\nhidden = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield load_lazily("cranes", {"rope": MODULE, "lost": MODULE})
    sys.modules.pop(MODULE, None)


def test_a_module_is_imported_when_its_name_is_used(load):
    assert MODULE not in sys.modules
    rope = load("rope")
    assert sys.modules[MODULE].rope is rope is load("rope")


@pytest.mark.parametrize("collects", [True, False])
def test_imports_collect_no_garbage(tmp_path, monkeypatch, collects):
    """Nor does one that fails leave collection other than it was."""
    (tmp_path / "collecting.py").write_text("import gc\nCOLLECTS = gc.isenabled()\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        assert load_module("collecting").COLLECTS is False
        with pytest.raises(ModuleNotFoundError):
            load_module("collecting.nothing")
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()
        sys.modules.pop("collecting", None)


@pytest.mark.parametrize("name", ["hidden", "boom"])
def test_other_names_are_refused_and_load_nothing(load, name):
    with pytest.raises(AttributeError, match=naming(f"module 'cranes' attribute '{name}'")):
        load(name)
    assert MODULE not in sys.modules


def test_a_name_that_its_module_lacks_is_an_attribute_error(load):
    with pytest.raises(AttributeError, match="lost"):
        load("lost")


def test_every_lazy_name_of_cranes_exists():
    from cable_sim import cranes

    for name in cranes.__all__:
        assert getattr(cranes, name).__name__ == name
