"""A rope made of masses that a hook drags over the ground."""

from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Anchor, Body, Cable, Ground, Loose, Lumped, Motion, Scene, Sphere


@scene
def chain_on_hook(
    masses: int = 61, load: float = 20.0, speed: float = 0.5, friction: float = 0.5
) -> Scene:
    """A heavy rope hangs from a hook and is dragged over the ground.

    The hook hangs on a massless cable from a trolley that sets off after half a second. Half of the
    6 m of rope hang on the hook, 29.4 N; the other half lies on the ground and, once it is dragged,
    pulls back by its friction.

    ``masses`` of the rope [-], ``load`` the hook's mass [kg], ``speed`` of the trolley [m/s],
    ``friction`` mu [-].
    """
    made = Lumped(
        masses,
        density=1.0,
        air_friction=0.002,
        ground=Ground(friction=friction),
        path=((0.0, 0.0, 0.0),),
    )
    return Scene(
        name="chain_on_hook",
        bodies=(
            Body("trolley", shape=Sphere(0.2), position=(0.0, 0.0, 8.0), motion="prescribed"),
            Body("hook", load, shape=Sphere(0.15), position=(0.0, 0.0, 3.15)),
        ),
        cables=(
            Cable(
                "fall",
                (Anchor("trolley"), Anchor("hook", (0.0, 0.0, 0.15))),
                ea=1e6,
                pretension=9.81 * (load + 3.0),
                damping_ratio=0.1,
            ),
            Cable(
                "rope", (Anchor("hook", (0.0, 0.0, -0.15)), Loose((-3.0, 0.0, 0.0))), lumped=made
            ),
        ),
        motions=(
            Motion(
                "trolley",
                times=(0.0, 0.5, 1.5),
                velocities=((0.0,) * 3, (0.0,) * 3, (speed, 0.0, 0.0)),
            ),
        ),
    )
