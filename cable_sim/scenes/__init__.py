"""The scene catalogue: one set of scenes for tests, papers, benchmarks, viewer and launch files."""

from cable_sim.scenes import (
    basics,
    beams,
    cranes,
    hitches,
    networks,
    obstacles,
    ropes,
    slings,
    wheels,
    wires,
    yards,
)
from cable_sim.scenes.catalogue import CATALOGUE, load_scene, scene_names
from cable_sim.scenes.papers import load_paper_scenes

__all__ = [
    "CATALOGUE",
    "basics",
    "beams",
    "cranes",
    "hitches",
    "load_scene",
    "networks",
    "obstacles",
    "ropes",
    "scene_names",
    "slings",
    "wheels",
    "wires",
    "yards",
]

load_paper_scenes()
