"""Cables made of masses: their number and their connections."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from cable_sim.spec.cables.cable_models import CableModel, refuse
from cable_sim.spec.cables.ground import Ground
from cable_sim.spec.quantities import Many, NonNegative, Positive, Vector, spec

REFUSED = (
    "driven",
    "winch",
    "touches",
    "hybrid",
    "elevation",
    "gj",
    "twist_stiffness",
    "twist",
    "torque_factor",
)
"""Fields of ``Cable`` that can't be combined with ``lumped``."""


@spec
class Lumped(CableModel):
    """Properties of a cable made of masses, which falls, swings, slacks, folds and lies on ground.

    Parameters
    ----------
    masses: number of masses, the two ends included; 3 or more.
    method: ``chain`` (distances held by constraints in linear time, stable at any stiffness,
        coupled to its bodies within the step), ``springs`` (explicit, with friction along the
        springs and bending) or ``tutorial`` (NeHe lesson 40: springs that push, friction in every
        direction, viscous ground).
    density: mass per length [kg/m]; the rope's when left out. Masses at attached ends have none of
        it; of a chain and of springs the others share all, a free end half as much as the rest. The
        tutorial's masses are equal, each that of a segment.
    segment_stiffness: of each spring [N/m], in place of the cable's ``ea`` over its segment; not of
        a chain.
    friction: of each spring [N s/m]; a chain has the cable's ``damping_time`` instead. None is
        0.3 sqrt(k m) for ``springs`` of stiffness k between masses m: 0.3 of the critical damping
        in the fastest motion of the masses, and none for the tutorial's. Without any, springs that
        only pull shake themselves apart under a heavy load.
    air_friction: of each mass [N s/m].
    bending: EI [N m^2]; of ``springs`` only.
    ground: the plane that it lies on; None for none.
    path: points on the way from the first node to the last at the start [m], world frame. Without
        them it starts in a straight line, or at rest when ``length`` is more than the distance of
        its ends: hanging, and lying on its ``ground``.
    largest_step: of the springs' integration [s]; None for nine tenths of the stable step. Not of a
        chain. A simulator step of exactly this size is one step, and two with the method
        ``tutorial``, as in its text.
    substeps: divides the simulator's step for the springs as often as needed; False refuses one
        that is too long.
    """

    name: ClassVar[str] = "lumped"
    has_masses: ClassVar[bool] = True

    masses: Annotated[int, Field(strict=True, ge=3, le=1_000_000)]
    method: Literal["chain", "springs", "tutorial"] = "chain"
    density: Positive | None = None
    segment_stiffness: Positive | None = None
    friction: NonNegative | None = None
    air_friction: NonNegative = 0.0
    bending: NonNegative = 0.0
    ground: Ground | None = None
    path: Many[Vector] = ()
    largest_step: Positive | None = None
    substeps: Annotated[bool, Field(strict=True)] = True

    def __post_init__(self) -> None:
        if self.method == "chain":
            for name in ("segment_stiffness", "friction", "bending", "largest_step"):
                if getattr(self, name):
                    raise ValueError(
                        f"{name}: {getattr(self, name)} together with method 'chain'; "
                        "springs have that"
                    )
        if self.method == "tutorial" and self.bending:
            raise ValueError(
                f"bending: {self.bending} together with method 'tutorial'; method "
                "'springs' has that"
            )
        if self.ground:
            _check_ground(self.method, self.ground)

    @property
    def segments(self) -> int:
        """Number of segments between its masses."""
        return self.masses - 1

    @property
    def carries_torque(self) -> bool:
        """Return False: masses have no orientation."""
        return False

    def check(self, cable: Any) -> None:
        """Refuse features that a cable made of masses lacks, and one without density or
        stiffness."""
        if len(cable.nodes) != 2 or any(node.kind == "drum" for node in cable.nodes):
            raise ValueError(
                f"nodes: {', '.join(node.kind for node in cable.nodes)} together with lumped; a "
                "cable made of masses runs from one anchor or loose end to another, over nothing "
                "and off no drum"
            )
        reason = "a cable made of masses has a fixed length and carries no torque"
        refuse(cable, self.name, reason, *REFUSED)
        reason = "give length and, of a chain, damping_time"
        refuse(cable, self.name, reason, "pretension", "damping_ratio")
        if self.density is None and not cable.rope:
            raise ValueError("lumped: density: give the mass per length, or a rope that has one")
        self._check_stiffness(cable)

    def _check_stiffness(self, cable: Any) -> None:
        """Refuse springs with a damping time, and those without or with a second stiffness."""
        if self.method == "chain":
            return
        if cable.damping_time is not None:
            raise ValueError(
                f"damping_time: {cable.damping_time} together with lumped springs; give "
                "their friction"
            )
        stiff = [name for name in ("ea", "stiffness", "rope") if getattr(cable, name) is not None]
        if (self.segment_stiffness is None) == (not stiff):
            beside = f" together with {stiff[0]}" if stiff else ""
            raise ValueError(
                f"lumped: segment_stiffness: {self.segment_stiffness}{beside}; springs need one "
                "stiffness"
            )


def _check_ground(method: str, ground: Ground) -> None:
    """Refuse a ground that the method does not support."""
    if method == "chain" and (ground.repulsion or ground.absorption):
        raise ValueError(
            "ground: repulsion and absorption together with method 'chain', whose ground is hard; "
            "leave them out"
        )
    if method != "chain" and ground.repulsion is None:
        raise ValueError(
            f"ground: repulsion: method {method!r} needs it; masses of 50 g lie well with 100 N/m"
        )
    if method == "tutorial" and ground.normal != (0.0, 0.0, 1.0):
        raise ValueError(
            f"ground: normal: {ground.normal} together with method 'tutorial', whose ground is "
            "level: (0, 0, 1)"
        )
