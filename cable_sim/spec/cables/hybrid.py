"""Hybrid wires: their resolution, their mass, and their ground."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool

from cable_sim.spec.cables.cable_models import CableModel, refuse
from cable_sim.spec.cables.ground import Ground
from cable_sim.spec.quantities import Many, Name, NonNegative, Positive, Vector, spec

TORSION = ("gj", "twist_stiffness", "twist", "torque_factor")
"""Fields of ``Cable`` that make it carry torque."""


@spec
class Hybrid(CableModel):
    """Properties of a hybrid wire (Servin et al. 2011): masses when slack, massless when taut.

    Parameters
    ----------
    density: mass per length [kg/m]; the rope's when left out.
    most, least: masses between its ends, at most and at least. How many it has follows from tension
        and step: they go where they would not be stable, and come back when the tension allows. A
        wire that has them all moves them to where its rope is longest.
    finest: shortest length of rope between two masses [m]; None for the length over ``most`` + 1,
        or over twice ``least`` if that is shorter.
    edges: gets contact nodes on the edges of the solids that it touches; False leaves it to its
        masses to touch them, as in a conventional chain of bodies.
    damping: rate at which air takes the velocity of the masses away [1/s].
    bending: bending stiffness EI [N m^2]; a rope has between that of its wires, each E pi d^4 / 64,
        and that of a solid rod of its metal. Ends without a ``direction``, and crossings, are
        hinges. At eyes and on edges rope turns on the length between two masses, ``finest`` or the
        length over ``most`` + 1. Between masses such a wire pushes, too: a straight span does so
        once it was taut, and until it is shorter than its rope by 2 sqrt(EI / ``ea``), where it
        folds.
    ground: the plane that it lies on; None for none. It stops no rope that is pulled towards an end
        or eye under it.
    attaches: names of bodies that its ends may be attached to while the scene runs, beside those
        that they start on and the world.
    crosses: names of hybrid wires that it can't get through, whichever of the two says so; its own
        for itself. Where they meet they slide over one another.
    crossing_friction: coefficient of friction on wires that it crosses [-], by Coulomb's law; None
        for what the other one says, or no friction. Two that differ are refused.
    path: points on the way between its first and last node at the start [m], world frame, with
        the place of each eye among them, in order: its masses start along it, ``most`` of them;
        where these cut it short by more than 1 %, beside solids, a warning says so. Without points
        a slack wire between two nodes starts at rest, hanging or lying on its ``ground``; any other
        one, and one that would hang through a solid that it touches, straight and without masses.
    friction_law: of the wire on solids with friction: ``coulomb``, or ``hmr_2011``, that of the
        paper, to compare with.
    wound: its path goes around solids, and the wire starts drawn tight along it: contact nodes on
        the edges where it turns, and no masses. The path may be off the solids; in them by a
        quarter of the depth of their middle at most. A wire more than 1 % longer than its way is
        warned of. ``"laid"`` leaves it where the path leads it, as friction does. Where two wound
        parts of wires that may cross meet on a solid they start with a crossing, the one whose path
        is farther off above.
    """

    name: ClassVar[str] = "hybrid"
    has_masses: ClassVar[bool] = True
    adaptive: ClassVar[bool] = True
    spans_weigh: ClassVar[bool] = True
    twists_on_edges: ClassVar[bool] = True
    clamps: ClassVar[bool] = True

    density: Positive | None = None
    most: Annotated[int, Field(strict=True, ge=0, le=1000)] = 30
    least: Annotated[int, Field(strict=True, ge=0)] = 0
    finest: Positive | None = None
    edges: StrictBool = True
    damping: NonNegative = 0.1
    bending: NonNegative = 0.0
    ground: Ground | None = None
    attaches: Many[Name] = ()
    crosses: Many[Name] = ()
    crossing_friction: NonNegative | None = None
    path: Many[Vector] = ()
    friction_law: Literal["coulomb", "hmr_2011"] = "coulomb"
    wound: StrictBool | Literal["laid"] = False

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise ValueError(f"least: {self.least} is more than most, {self.most}")
        if self.crossing_friction and self.friction_law != "coulomb":
            raise ValueError(
                f"crossing_friction: {self.crossing_friction} acts by Coulomb's law; leave out "
                f"friction_law, {self.friction_law!r}"
            )
        if self.wound and len(self.path) < 2:
            raise ValueError("wound: needs the path around the solids, of two points at least")
        if self.wound and not self.edges:
            raise ValueError("wound: needs contact nodes on edges; leave out edges: False")
        if self.ground and (self.ground.repulsion or self.ground.absorption):
            raise ValueError(
                "ground: repulsion and absorption: the ground of a hybrid wire is hard; leave "
                "them out"
            )

    def check(self, cable: Any) -> None:
        """Refuse features that a hybrid wire lacks, and one without density."""
        refuse(cable, self.name, "a hybrid wire has masses and a length", "elevation", "driven")
        if any(node.kind == "loose" for node in cable.nodes):
            refuse(cable, "a loose end", "such a wire carries no torque", *TORSION)
        if cable.clamps and cable.measures_twist:
            raise ValueError(
                f"nodes.{cable.clamps[0]}: an anchor between the ends of a rope that carries "
                "torque: what twist does there is not modelled; let an end swivel, or leave gj, "
                "torque_factor or rope out"
            )
        refuse(cable, self.name, "give damping_time", "damping_ratio")
        reason = "its pieces need a stiffness that goes with their length; give ea"
        refuse(cable, self.name, reason, "stiffness")
        refuse(cable, self.name, "a hybrid wire never pushes", "pulls_only")
        if not cable.density:
            raise ValueError("hybrid: density: give the mass per length, or a rope that has one")
        if self.path and cable.length is None:
            raise ValueError(
                "hybrid: path: says where the masses start, not how long the wire is; give length"
            )
