"""Cable models: the questions that each of them answers, so that nobody asks which one it is."""

from collections.abc import Sequence
from typing import Any, ClassVar

from cable_sim.spec.cables.ground import Ground


class CableModel:
    """Model of a cable: this one massless, the others as subclasses and fields of ``Cable``.

    A subclass says what is different. Whoever has a cable asks ``cable.model``.
    """

    name: ClassVar[str] = "massless"
    """Name of the field of ``Cable`` that chooses the model."""
    has_masses: ClassVar[bool] = False
    """True for one with masses of its own, always or at times."""
    adaptive: ClassVar[bool] = False
    """True for one whose masses and contact nodes come and go with its tension."""
    spans_weigh: ClassVar[bool] = False
    """True for one whose spans have weight and inertia."""
    twists_on_edges: ClassVar[bool] = False
    """True for one that carries its torque over the edges of obstacles."""
    clamps: ClassVar[bool] = False
    """True for one that anchors may hold between its ends."""

    density: float | None = None
    """Mass per length [kg/m]; None for the rope's."""
    segment_stiffness: float | None = None
    """Stiffness of each of its segments [N/m]; None for that of the cable."""
    bending: float = 0.0
    """Bending stiffness [N m^2]."""
    damping: float = 0.0
    """Rate at which air takes the velocity of its masses or spans away [1/s]."""
    ground: Ground | None = None
    """The plane that it lies on; None for none."""
    attaches: Sequence[str] = ()
    """Names of the bodies that its ends may be attached to, beside those of its end nodes."""
    crosses: Sequence[str] = ()
    """Names of the cables that it can't get through."""
    friction_law: str = "coulomb"
    """Law of its friction."""
    crossing_friction: float | None = None
    """Coefficient of friction on these; None leaves it to the other one to tell."""

    @property
    def segments(self) -> int:
        """Number of segments that it always consists of, each with a tension of its own.

        It is 0 for a cable with one tension in each span between two nodes.
        """
        return 0

    @property
    def carries_torque(self) -> bool:
        """Return True if it can carry torque."""
        return True

    def check(self, cable: Any) -> None:
        """Raise ValueError for fields of the cable that can't be combined with the model."""


MASSLESS = CableModel()
"""Model of a cable for which no other is given."""


def is_given(cable: Any, name: str) -> bool:
    """Return True if the field differs from its default."""
    return bool(getattr(cable, name) != cable.__dataclass_fields__[name].default)


def refuse(cable: Any, beside: str, reason: str, *names: str) -> None:
    """Raise ValueError for the first of the fields that is given."""
    for name in names:
        if is_given(cable, name):
            value = getattr(cable, name)
            shown = f"{value} " if isinstance(value, float) else ""
            raise ValueError(f"{name}: {shown}together with {beside}; {reason}")
