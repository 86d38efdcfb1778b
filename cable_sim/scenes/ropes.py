"""Ropes made of masses: the tutorial's, and one that a hook drags over the ground."""

from cable_sim import cranes  # whose names load on first use: families take long
from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Anchor, Body, Cable, Ground, Loose, Lumped, Motion, Scene, Sphere


@scene
def nehe_rope(
    masses: int | None = None,
    mass: float | None = None,
    spacing: float | None = None,
    stiffness: float | None = None,
) -> Scene:
    """The rope of NeHe's lesson 40, let go level from a hand that ``move`` moves.

    The rope of the file ``config/nehe_rope.yaml``, without the drives of its hand: springs with
    friction between masses, friction in the air, a soft ground 1.5 m below. At rest in the air the
    top spring is stretched by ``(masses - 1) mass g / stiffness``: 3.875 mm.

    ``masses`` with the held one [-], ``mass`` of each [kg], ``spacing`` [m], ``stiffness`` of a
    spring [N/m]; left out, as the file has them.
    """
    given = {"masses": masses, "mass": mass, "spacing": spacing, "stiffness": stiffness}
    changes = {f"lines.rope.{field}": value for field, value in given.items() if value is not None}
    return Scene(
        name="nehe_rope",
        bodies=(Body("hand", shape=Sphere(0.05), motion="prescribed"),),
        cables=cranes.load_crane("nehe_rope", changes).scene.cables,
    )


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
