"""Crane words (jib, trolley, reeving, falls) and how they become a scene.

The names below are loaded on first use, because the families take long to load.
"""

from typing import TYPE_CHECKING

from cable_sim.lazy_names import load_lazily

if TYPE_CHECKING:
    from cable_sim.cranes.catalogue import crane_names, load_crane, register_family
    from cable_sim.cranes.crane import Axis, Crane
    from cable_sim.spec.cables.ropes import Rope, standard_rope

__all__ = ["Axis", "Crane", "Rope", "crane_names", "load_crane", "register_family", "standard_rope"]

if not TYPE_CHECKING:  # with it, type checkers would believe in any name
    __getattr__ = load_lazily(
        __name__,
        {
            "Axis": "cable_sim.cranes.crane",
            "Crane": "cable_sim.cranes.crane",
            "Rope": "cable_sim.spec.cables.ropes",
            "crane_names": "cable_sim.cranes.catalogue",
            "load_crane": "cable_sim.cranes.catalogue",
            "register_family": "cable_sim.cranes.catalogue",
            "standard_rope": "cable_sim.spec.cables.ropes",
        },
    )

    def __dir__():
        """Return the names that the package has, loaded or not, for tools such as Sphinx."""
        return __all__
