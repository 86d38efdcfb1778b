"""Machines by name or file: cranes, and any scene with its drives as axes."""

from pathlib import Path

from cable_sim.cranes import crane_names, load_crane
from cable_sim.cranes.catalogue import crane_file, is_crane, labels
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.scenes.catalogue import CATALOGUE, load_scene
from cable_sim.spec.files import read_text
from cable_sim.spec.scene import MODEL_FILES


def load_machine(name_or_path: str | Path) -> Crane:
    """Return the crane or the scene of a catalogue name, or of a YAML or model file.

    A name that both catalogues have is the crane. Raises ConfigError, which names every mistake of
    the file and, for an unknown name, the known ones.
    """
    name = str(name_or_path)
    if name.lower().endswith(MODEL_FILES):
        return scene_machine(load_scene(name))
    path = crane_file(name_or_path)
    if name in CATALOGUE and name not in crane_names():
        return scene_machine(load_scene(name))
    if path.is_file() and not is_crane(path):
        return scene_machine(load_scene(path))
    scenes = (scene for scene in CATALOGUE if scene not in crane_names())
    read_text(path, [*labels(), *scenes])  # so that who has misspelt a name sees all
    return load_crane(name_or_path)
