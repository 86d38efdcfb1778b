"""Version of the package, which ``package.xml`` alone defines."""

import re
from pathlib import Path

MODULE = Path(__file__).resolve()
UNKNOWN = "0.0.0"
"""Version of a copy of the package without ``package.xml`` and metadata."""


def installed_version(module: Path = MODULE) -> str:
    """Return the version in the ``package.xml`` that belongs to ``module``, else in pip's metadata.

    The file stands beside the package in a checkout, and in ``share/cable_sim`` of the same prefix
    where colcon has installed it.
    """
    shared = (folder / "share" / "cable_sim" for folder in module.parents)
    for folder in (module.parents[1], *shared):
        path = folder / "package.xml"
        found = _parse_version(path.read_text(encoding="utf-8")) if path.is_file() else ""
        if found:
            return found
    return _metadata()


def _parse_version(text: str) -> str:
    """Return the version in a ``package.xml``; an empty text if it is another package's.

    A regular expression is used, because an XML parser would take longer to load.
    """
    name, told = (
        re.search(rf"<{tag}>\s*([^<\s]+)\s*</{tag}>", text) for tag in ("name", "version")
    )
    return told[1] if name and told and name[1] == "cable_sim" else ""


def _metadata() -> str:
    """Return the version in the metadata of pip."""
    from importlib.metadata import PackageNotFoundError, version  # takes as long as all else here

    try:
        return version("cable_sim")
    except PackageNotFoundError:
        return UNKNOWN
