"""Cables that run over obstacles."""

import math

from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Anchor, Body, Box, Cable, Elevation, Obstacle, Scene, Sphere


@scene
def rope_over_block(
    length: float = 6.0, mass: float = 200.0, angle: float = 0.7, width: float = 0.6
) -> Scene:
    """A load swings on a rope that catches on a block beside it, bends over its edges and comes
    free again.

    As with Galileo's interrupted pendulum the load comes to the height from which it was let go on
    either side.

    ``length`` of the rope [m], ``mass`` [kg], ``angle`` from the vertical at which it is let go
    [rad], ``width`` of the block [m].
    """
    position = (length * math.sin(angle), 0.0, -length * math.cos(angle))
    block = Obstacle(
        "block", Box(width, 3.0, width), position=(-0.5 * width - 0.1, 0.0, -0.45 * length)
    )
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("load")),
        ea=1e6,
        length=length,
        damping_ratio=0.05,
        touches=("block",),
    )
    return Scene(
        name="rope_over_block",
        bodies=(Body("load", mass, shape=Sphere(0.25), position=position),),
        obstacles=(block,),
        cables=(rope,),
    )


@scene
def elevation_over_platform(
    span: float = 30.0, tension: float = 1500.0, height: float = -0.9
) -> Scene:
    """A heavy rope that hangs between two posts and lies on a platform in their middle.

    ``span`` between the posts [m], ``tension`` with which it would hang free [N], ``height`` of the
    platform above the posts [m]; the rope alone would sag by ``rho g span^2 / (8 tension)``.
    """
    platform = Obstacle(
        "platform", Box(0.2 * span, 4.0, 1.0), position=(0.5 * span, 0.0, height - 0.5)
    )
    rope = Cable(
        "rope",
        (Anchor("world"), Anchor("world", (span, 0.0, 0.0))),
        ea=1e6,
        pretension=tension,
        elevation=Elevation(2.0),
        touches=("platform",),
    )
    return Scene(name="elevation_over_platform", obstacles=(platform,), cables=(rope,))
