"""The rope of NeHe's lesson 40."""

from cable_sim import cranes  # whose names load on first use: families take long
from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Body, Scene, Sphere


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
