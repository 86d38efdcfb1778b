"""Loads by name, which can be spawned beside any crane."""

from cable_sim.spec import Body, Box, Sphere

STEEL = 7850.0
CONCRETE = 2400.0
"""Densities [kg/m^3]."""
ORANGE = (0.80, 0.36, 0.12)
GREY = (0.66, 0.66, 0.64)

LOADS = {
    load.name: load
    for load in (
        # ISO 668 and usual tare masses
        Body("container_20ft", 2300.0, shape=Box(6.058, 2.438, 2.591), collides=True, color=ORANGE),
        Body(
            "container_40ft", 3800.0, shape=Box(12.192, 2.438, 2.591), collides=True, color=ORANGE
        ),
        Body("concrete_block", CONCRETE, shape=Box(1.0, 1.0, 1.0), collides=True, color=GREY),
        # EN 13698-1, loaded
        Body("pallet", 1000.0, shape=Box(1.2, 0.8, 1.0), collides=True, color=(0.62, 0.46, 0.28)),
        Body("steel_ball", 0.2681 * STEEL, shape=Sphere(0.4), collides=True, color=GREY),
    )
}
"""Loads at the origin, by name. The ball has a volume of 4/3 pi 0.4^3 = 0.2681 m^3."""
