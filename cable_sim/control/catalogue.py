"""Scenarios by name or by file: those in ``config/scenarios``, and those that users keep
elsewhere."""

import os
from pathlib import Path

from cable_sim.control.matrix import Matrix, is_matrix, read_matrix
from cable_sim.control.scenario import Scenario, read_scenario
from cable_sim.errors import SpecError, suggestion
from cable_sim.shared_files import shared_folders
from cable_sim.spec.files import read_text
from cable_sim.spec.yaml_document import parse_document

FOLDER = "scenarios"
ENDINGS = (".yaml", ".yml")


def scenario_files() -> dict[str, Path]:
    """The files of the catalogue by name, matrices too; of equal names that of the first folder."""
    folders = [folder / FOLDER for folder in shared_folders("config")]
    files = [path for folder in folders for path in sorted(folder.glob("*.yaml")) if path.is_file()]
    return dict(sorted({path.stem: path for path in reversed(files)}.items()))


def scenario_file(name_or_path: str | Path) -> Path:
    """The file of a catalogue name; a path, known by its ending or a slash, is returned as it is.

    SpecError, which lists the known names, for a name that is not there.
    """
    text = str(name_or_path)
    if text.endswith(ENDINGS) or os.sep in text:
        return Path(text)
    files = scenario_files()
    if text not in files:
        raise SpecError(
            f"scenario {text!r} is not known{suggestion(text, files)}; known are "
            f"{', '.join(files) or 'none'}; or give a file"
        )
    return files[text]


def read_any(path: str | Path) -> Scenario | Matrix:
    """The scenario or the matrix of a YAML file, whichever it is; ConfigError for what is wrong
    with it."""
    document = parse_document(read_text(path, scenario_files()), str(path))
    return read_matrix(path) if is_matrix(document.data) else read_scenario(path)


def load_scenario(name_or_path: str | Path) -> Scenario:
    """The scenario of a name or file; ConfigError for a file that is wrong, SpecError for an
    unknown name or a matrix."""
    path = scenario_file(name_or_path)
    read = read_any(path)
    if isinstance(read, Matrix):
        raise SpecError(
            f"{name_or_path}: is a matrix of {len(read)} scenarios; give the name or file of a "
            "single one"
        )
    return read
