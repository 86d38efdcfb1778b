"""Wires that cross, and wires that break."""

from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Anchor, Body, Box, Cable, Hybrid, Scene, Sphere, Visual


@scene
def wire_on_wire(mass: float = 50.0, other: float = 50.0, friction: float = 0.0) -> Scene:
    """A wire with a ball at either end falls across a taut one and hangs over it.

    ``mass`` and ``other`` are those of the balls [kg]: unequal ones run the wire over the other.
    ``friction`` is that of the wires on each other [-].
    """
    balls = tuple(
        Body(name, mass=m, shape=Sphere(0.12), position=(0.0, y, -2.0))
        for name, y, m in (("left", -0.6, mass), ("right", 0.6, other))
    )
    across = Hybrid(
        density=0.5, most=12, path=((0.0, 0.0, 0.6),), crosses=("rail",), crossing_friction=friction
    )
    posts = Anchor("world", (-5.0, 0.0, 0.0)), Anchor("world", (5.0, 0.0, 0.0))
    return Scene(
        name="wire_on_wire",
        bodies=balls,
        visuals=tuple(
            Visual(f"post_{i}", Box(0.2, 0.2, 5.0), position=(x, 0.0, -2.5))
            for i, x in enumerate((-5.1, 5.1))
        ),
        cables=(
            Cable(
                "rail",
                posts,
                ea=2e5,
                length=10.0,
                damping_time=0.1,
                hybrid=Hybrid(density=0.5, most=12),
            ),
            Cable(
                "across",
                (Anchor("left"), Anchor("right")),
                ea=1e5,
                length=5.5,
                damping_time=0.1,
                hybrid=across,
            ),
        ),
    )


@scene
def breaking_wire(mass: float = 200.0, breaking_force: float = 12000.0) -> Scene:
    """A box hangs on two wires and falls on the slack one of them, which breaks at its breaking
    force; the other holds.

    ``mass`` of the box [kg], ``breaking_force`` of the wire that breaks [N].
    """
    box = Body("box", mass=mass, shape=Box(0.6, 0.6, 0.6), position=(0.0, 0.0, -2.0))
    made = Hybrid(density=0.5, most=20, damping=0.3)
    return Scene(
        name="breaking_wire",
        bodies=(box,),
        visuals=(
            Visual("post", Box(0.2, 0.2, 8.0), position=(0.0, 1.0, -4.0)),
            Visual("arm", Box(0.2, 1.2, 0.2), position=(0.0, 0.5, 0.1)),
        ),
        cables=(
            Cable(
                "weak",
                (Anchor("world", (-0.2, 0.0, 0.0)), Anchor("box", (-0.2, 0.0, 0.3))),
                ea=4e5,
                length=4.0,
                damping_time=0.02,
                breaking_force=breaking_force,
                hybrid=made,
            ),
            Cable(
                "strong",
                (Anchor("world", (0.2, 0.0, 0.0)), Anchor("box", (0.2, 0.0, 0.3))),
                ea=4e5,
                length=6.0,
                damping_time=0.02,
                hybrid=made,
            ),
        ),
    )
