"""The scene catalogue: one set of scenes for tests, papers, benchmarks, viewer and launch files."""

from cable_sim.scenes import (
    basics,
    cranes,
    hitches,
    networks,
    obstacles,
    ropes,
    servin_2007,
    servin_2011,
    servin_2011_crane,
    slings,
    wheels,
    wires,
    wrapped,
    yards,
)
from cable_sim.scenes.catalogue import CATALOGUE, load_scene, scene_names

__all__ = [
    "CATALOGUE",
    "basics",
    "cranes",
    "hitches",
    "load_scene",
    "networks",
    "obstacles",
    "ropes",
    "scene_names",
    "servin_2007",
    "servin_2011",
    "servin_2011_crane",
    "slings",
    "wheels",
    "wires",
    "wrapped",
    "yards",
]
