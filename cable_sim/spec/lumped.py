"""Cables made of masses: their number, their connections, and their ground."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from cable_sim.spec.quantities import Many, NonNegative, Positive, Vector, spec


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

    @model_validator(mode="after")
    def _consistent(self) -> "Ground":
        if not any(self.normal):
            raise ValueError("normal: (0, 0, 0) has no direction")
        return self


@spec
class Lumped:
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
    friction: of each spring [N s/m]; a chain has the cable's ``damping_time`` instead.
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

    masses: Annotated[int, Field(strict=True, ge=3, le=1_000_000)]
    method: Literal["chain", "springs", "tutorial"] = "chain"
    density: Positive | None = None
    segment_stiffness: Positive | None = None
    friction: NonNegative = 0.0
    air_friction: NonNegative = 0.0
    bending: NonNegative = 0.0
    ground: Ground | None = None
    path: Many[Vector] = ()
    largest_step: Positive | None = None
    substeps: Annotated[bool, Field(strict=True)] = True

    @model_validator(mode="after")
    def _consistent(self) -> "Lumped":
        if self.method == "chain":
            for name in ("segment_stiffness", "friction", "bending", "largest_step"):
                if getattr(self, name):
                    raise ValueError(
                        f"{name}: {getattr(self, name)} beside method 'chain'; springs have that"
                    )
        if self.method == "tutorial" and self.bending:
            raise ValueError(
                f"bending: {self.bending} beside method 'tutorial'; method 'springs' has that"
            )
        if self.ground:
            _check_ground(self.method, self.ground)
        return self


def _check_ground(method: str, ground: Ground) -> None:
    """Refuse a ground that the method does not support."""
    if method == "chain" and (ground.repulsion or ground.absorption):
        raise ValueError(
            "ground: repulsion and absorption beside method 'chain', whose ground is hard; leave "
            "them out"
        )
    if method != "chain" and ground.repulsion is None:
        raise ValueError(
            f"ground: repulsion: method {method!r} needs it; masses of 50 g lie well with 100 N/m"
        )
    if method == "tutorial" and ground.normal != (0.0, 0.0, 1.0):
        raise ValueError(
            f"ground: normal: {ground.normal} beside method 'tutorial', whose ground is level: "
            "(0, 0, 1)"
        )
