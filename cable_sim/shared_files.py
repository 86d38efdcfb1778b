"""Folders that belong to the package but lie beside it: in the source tree, with ROS or Python."""

import os
import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType


def shared_folders(name: str) -> list[Path]:
    """Return the existing folders of that name in source tree, ROS prefixes, Python, in order."""
    prefixes = [
        *filter(None, os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)),
        sys.prefix,
    ]
    source = Path(__file__).resolve().parents[1]
    folders = [source / name] if (source / "package.xml").is_file() else []
    folders += [Path(prefix) / "share" / "cable_sim" / name for prefix in prefixes]
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def import_folder(folder: Path, name: str) -> ModuleType:
    """Return a folder as a package of that name, which then can be imported from.

    A package of that name from another folder is forgotten, with all its modules.
    """
    known = sys.modules.get(name)
    if known is not None and [Path(path).resolve() for path in getattr(known, "__path__", ())] == [
        folder.resolve()
    ]:
        return known
    for stale in [word for word in sys.modules if word == name or word.startswith(f"{name}.")]:
        del sys.modules[stale]
    file = folder / "__init__.py"
    spec = (
        spec_from_file_location(name, file, submodule_search_locations=[str(folder)])
        if file.is_file()
        else ModuleSpec(name, None, is_package=True)
    )
    assert spec is not None
    spec.submodule_search_locations = [str(folder)]
    sys.modules[name] = package = module_from_spec(spec)
    if spec.loader is not None:
        spec.loader.exec_module(package)
    return package
