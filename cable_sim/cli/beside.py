"""Loading of packages that lie beside ``cable_sim``, for the commands that run them."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from cable_sim.errors import CableSimError
from cable_sim.shared_files import import_folder, shared_folders


def package_beside(name: str) -> Callable[[str], Any]:
    """Return a function that imports a module of the package ``name`` by the module's name.

    Raises CableSimError if the package's folder is missing.
    """
    folder = next((path for path in shared_folders(name) if (path / "__init__.py").is_file()), None)
    if folder is None:
        raise CableSimError(
            f"the folder {name!r} is missing: it is part of the checkout and of the installed "
            f"package"
        )
    import_folder(folder, name)
    return lambda module: import_module(f"{name}.{module}")
