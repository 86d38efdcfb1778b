"""Origin of a report: versions and date."""

import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version

from cable_sim import __version__


def provenance() -> str:
    """Return versions and date of the report."""
    versions = ", ".join(f"{name} {version_of(name)}" for name in ("numpy", "numba", "matplotlib"))
    return (
        f"cable_sim {__version__}, Python {platform.python_version()}, {versions}, "
        f"{date.today().isoformat()}"
    )


def version_of(package: str) -> str:
    """Return the installed version of a package, or that it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
