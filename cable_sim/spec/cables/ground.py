"""Ground under a single cable."""

from cable_sim.spec.quantities import NonNegative, Positive, Vector, spec


@spec
class Ground:
    """A plane under a cable made of masses, for that cable alone.

    Parameters
    ----------
    point: of the plane [m].
    normal: upward; any length.
    friction: Coulomb's mu [-]; of the ``tutorial`` its viscous slide friction of each mass [N s/m].
    repulsion: of a mass in the ground [N/m]; springs need it, and a chain's ground is hard.
    absorption: of a mass that sinks in [N s/m]; springs only.
    """

    point: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)
    friction: NonNegative = 0.0
    repulsion: Positive | None = None
    absorption: NonNegative = 0.0

    def __post_init__(self) -> None:
        if not any(self.normal):
            raise ValueError("normal: (0, 0, 0) has no direction")
