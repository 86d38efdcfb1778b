"""A file's name says which idea is inside; these names say only that nobody found one."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = tuple(ROOT / name for name in ("cable_sim", "cable_sim_studies", "validation"))
EMPTY_NAMES = {"utils", "util", "common", "helpers", "helper", "core", "manager", "misc"}


def test_names_say_what_is_inside():
    found = [path for folder in FOLDERS for path in folder.rglob("*")]
    named = [path for path in found if path.is_dir() or path.suffix == ".py"]
    assert [str(path) for path in named if path.stem in EMPTY_NAMES] == []
