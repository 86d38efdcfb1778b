"""Crane words (jib, trolley, reeving, falls) and how they become a scene."""

from cable_sim.cranes.catalogue import crane_names, load_crane, register_family
from cable_sim.cranes.crane import Axis, Crane
from cable_sim.cranes.families.gantry.build import build_gantry
from cable_sim.cranes.families.gantry.spec import GantryCrane
from cable_sim.cranes.families.tower.build import build_tower
from cable_sim.cranes.families.tower.spec import TowerCrane
from cable_sim.spec.ropes import Rope, standard_rope

__all__ = [
    "Axis",
    "Crane",
    "GantryCrane",
    "Rope",
    "TowerCrane",
    "build_gantry",
    "build_tower",
    "crane_names",
    "load_crane",
    "register_family",
    "standard_rope",
]
