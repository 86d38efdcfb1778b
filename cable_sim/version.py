"""The version of the package, which is written down in ``package.xml`` and nowhere else."""

import re
from pathlib import Path

MODULE = Path(__file__).resolve()
UNKNOWN = "0.0.0"
"""Of a package that was copied to where neither the file nor metadata are."""


def installed_version(module: Path = MODULE) -> str:
    """What the ``package.xml`` that belongs to ``module`` says, else the metadata that pip wrote.

    The file stands beside the package in a checkout, and in ``share/cable_sim`` of the same prefix
    where colcon has installed it.
    """
    shared = (folder / "share" / "cable_sim" for folder in module.parents)
    for folder in (module.parents[1], *shared):
        path = folder / "package.xml"
        found = _told_by(path.read_text(encoding="utf-8")) if path.is_file() else ""
        if found:
            return found
    return _metadata()


def _told_by(text: str) -> str:
    """The version in a ``package.xml``, empty if it is another package's; an XML parser would take
    longer to load."""
    name, told = (
        re.search(rf"<{tag}>\s*([^<\s]+)\s*</{tag}>", text) for tag in ("name", "version")
    )
    return told[1] if name and told and name[1] == "cable_sim" else ""


def _metadata() -> str:
    """The version that pip knows."""
    from importlib.metadata import PackageNotFoundError, version  # takes as long as all else here

    try:
        return version("cable_sim")
    except PackageNotFoundError:
        return UNKNOWN
