"""A file's name says which idea is inside; these names say only that nobody found one."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "cable_sim"
EMPTY_NAMES = {"utils", "util", "common", "helpers", "helper", "core", "manager", "misc"}


def test_names_say_what_is_inside():
    named = [path for path in PACKAGE.rglob("*") if path.is_dir() or path.suffix == ".py"]
    assert [str(path) for path in named if path.stem in EMPTY_NAMES] == []
