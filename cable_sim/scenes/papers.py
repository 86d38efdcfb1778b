"""Scenes of published papers, which lie in the folders of the papers beside the package."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

from cable_sim.shared_files import import_folder, shared_folders


def import_paper(folder: Path) -> ModuleType:
    """Return the folder of a paper as a package, from which its modules can be imported."""
    return import_folder(folder, f"cable_sim_paper_{folder.name}")


def load_paper_scenes() -> None:
    """Load the files ``*scenes.py`` of all papers, which fill the catalogue.

    Of two folders with a paper of one name the first counts.
    """
    files: dict[str, Path] = {}
    for papers in shared_folders("papers"):
        for file in sorted(papers.glob("*/*scenes.py")):
            files.setdefault(f"{file.parent.name}/{file.stem}", file)
    for file in files.values():
        import_module(f"{import_paper(file.parent).__name__}.{file.stem}")
