"""Catalogue of papers: folders with a ``study.py``, of the source tree or installed."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

from cable_sim.errors import CableSimError
from cable_sim.scenes.papers import import_paper
from cable_sim.shared_files import shared_folders
from validation.harness.study import Study


def paper_folders() -> list[Path]:
    """Return the folders with papers that exist."""
    return shared_folders("papers")


def paper_names() -> tuple[str, ...]:
    """Return the names of all papers, in order."""
    return tuple(
        sorted(
            {path.parent.name for folder in paper_folders() for path in folder.glob("*/study.py")}
        )
    )


def load_study(name: str) -> Study:
    """Return the study of a paper; CableSimError lists the known ones for an unknown name."""
    module = paper_module(name, "study")
    study = getattr(module, "STUDY", None)
    if not isinstance(study, Study):
        raise CableSimError(f"{module.__file__} has no STUDY")
    return study


def paper_module(name: str, module: str) -> ModuleType:
    """Return a module of a paper's folder; CableSimError, which lists all, for an unknown name."""
    found = (folder / name for folder in paper_folders() if name in paper_names())
    folder = next((path for path in found if (path / "study.py").is_file()), None)
    if folder is None:
        raise CableSimError(
            f"paper {name!r} is not known; known are {', '.join(paper_names()) or 'none'}"
        )
    return import_module(f"{import_paper(folder).__name__}.{module}")
