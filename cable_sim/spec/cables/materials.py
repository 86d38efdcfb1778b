"""Materials of solid rods: modulus, Poisson's ratio and density by name."""

from typing import Literal, NamedTuple


class Material(NamedTuple):
    """An isotropic material in bulk at room temperature.

    ``modulus`` of elasticity [Pa], ``poisson_ratio`` [-], ``density`` [kg/m^3], ``source`` in
    words.
    """

    modulus: float
    poisson_ratio: float
    density: float
    source: str


MaterialName = Literal["steel", "aluminium", "nylon", "polyester", "rubber"]

MATERIALS: dict[str, Material] = {
    "steel": Material(
        200e9, 0.30, 7850.0, "Servin and Lacoursiere 2007, section 4.4.2; density of carbon steel"
    ),
    "aluminium": Material(
        69e9, 0.33, 2700.0, "alloy 6061-T6 in common tables (Engineering ToolBox)"
    ),
    "nylon": Material(
        2.8e9, 0.40, 1150.0, "nylon 6/6, moulded: 2 to 3.6 GPa (Engineering ToolBox)"
    ),
    "polyester": Material(
        3.4e9, 0.40, 1350.0, "PET, moulded: 2.8 to 4.1 GPa (Callister, table B.2); usual ratio"
    ),
    "rubber": Material(
        2.8e6, 0.48, 1100.0, "average of rubbers in common tables; soft ones have 1e6 Pa"
    ),
}
"""Materials of solid rods.

The plastics are those in bulk; ropes of drawn fibres differ.
"""

POISSON_RATIO = 0.3
"""Poisson's ratio of a rod without a named material [-]: that of most metals."""
