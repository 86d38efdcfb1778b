"""The scene of figure 10, written like an entry of the catalogue."""

from cable_sim import Anchor, Body, Box, Cable, Drive, Joint, Scene, Surface
from cable_sim.spec import Cylinder


def fishing_rod(
    speed: float = 5.0, climb: float = 3.0, line: float = 0.5, friction: float = 0.05, gravity: float = 10.0
) -> Scene:
    """A box on a line at the tip of a light rod: tossed away, reeled in over the ground, lifted.

    Servin and Lacoursiere 2007, section 5.3 and figure 10: a rod of 0.02 kg with one end on a ball joint 12 m up, a box
    of 1 kg, and a line that consists of its velocity driver alone, xi = 10 m/s/N and w = 0 m/s at first. The path grows
    at the rate w + xi T. The paper tells neither the length of the rod nor what the ground is like; here 2 m, and
    smooth.

    ``speed`` away and ``climb`` up of the box at the start [m/s], ``line`` out at the start [m], ``friction`` of the
    ground [-], ``gravity`` [m/s^2].
    """
    height, length, side = 12.0, 2.0, 0.3
    tip = height - length
    ends = (Anchor("rod", (0.0, 0.0, -0.5 * length)), Anchor("box", (0.0, 0.0, 0.5 * side)))
    return Scene(
        name="fishing_rod",
        bodies=(
            Body("rod", 0.02, shape=Cylinder(0.02, length), position=(0.0, 0.0, height - 0.5 * length)),
            Body(
                "box", 1.0, shape=Box(side, side, side), position=(0.0, 0.0, tip - line - 0.5 * side),
                velocity=(speed, 0.0, climb), collides=True,
            ),
        ),
        joints=(Joint("nail", "ball", "rod", point=(0.0, 0.0, height)),),
        cables=(Cable("line", ends, driven=True),),
        drives=(Drive("reel", "line", target=0.0, slip=10.0),),
        surfaces=(Surface("ground", friction=friction),),
        gravity=(0.0, 0.0, -gravity),
    )  # fmt: skip
