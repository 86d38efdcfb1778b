"""Cables: their nodes and their properties."""

import math
from typing import Annotated

from pydantic import Field, StrictBool

from cable_sim.spec.cables.cable_models import MASSLESS, CableModel, is_given, refuse
from cable_sim.spec.cables.elevation import Elevation
from cable_sim.spec.cables.hybrid import Hybrid
from cable_sim.spec.cables.lumped import Lumped
from cable_sim.spec.cables.nodes import Node, Wheel
from cable_sim.spec.cables.rope_catalogue import NamedRope
from cable_sim.spec.cables.winches import Winch, check_wound
from cable_sim.spec.quantities import (
    Implied,
    ImpliedLimit,
    ImpliedPositive,
    Many,
    Name,
    NonNegative,
    Positive,
    Real,
    Vector,
    spec,
)

USUAL_DIAMETER = 0.016
"""Default diameter of a cable [m]."""
MOST_CONTACTS = 256
"""Largest number of edges that a cable may bend over between two nodes."""


@spec
class Cable:
    """A massless elastic cable over any number of nodes: it pulls, never pushes.

    Parameters
    ----------
    name: unique name.
    nodes: two or more; the first and last hold the ends, those between let the cable slide, or
        clamp it: an ``Anchor`` in a hybrid wire.
    ea: axial stiffness, modulus times metallic area [N]; the spring constant is ``ea / length``.
    stiffness: spring constant whatever the length [N/m]. Give ``ea`` or ``stiffness`` or ``rope``
        or, for an inextensible cable, none.
    length: unstretched length between the first and the last node [m]; left out, that of the path
        at the start, shortened so that the cable carries ``pretension``.
    pretension: tension at the start when ``length`` is left out [N].
    damping_ratio: of the bounce of what the cable carries, with all cables that carry it [-]; as
        built, whatever holds it at the start.
    damping_time: damping over stiffness of stretch and twist [s]; alternative to ``damping_ratio``.
    gj: torsional rigidity [N m^2]; the torsional spring constant c_t is ``gj / length``.
    twist_stiffness: c_t whatever the length [N m/rad]. Give ``gj`` or ``twist_stiffness`` or
        ``rope`` or, for a cable that no twist resists, none.
    twist: angle by which the cable is twisted at the start [rad], of any number of turns; positive
        when the last node's end is turned right-handed about the direction from the first node to
        the last.
    torque_factor: torque per tension and diameter of a laid rope k_t [-], M = c_t twist + k_t d T:
        positive for right-hand lay, which unlays under load, negative for left-hand lay; it needs
        the ``diameter``. Without torsional stiffness the torque k_t d T acts alone, whatever the
        twist.
    rope: a wire rope, or a rod of any material, or the name of one in the rope catalogue; it gives
        ``ea``, ``gj``, ``torque_factor`` with the sign of its lay, ``diameter``, ``breaking_force``
        and, unless a damping is given, ``damping_ratio``.
    driven: True makes a cable without length of its own: a drive on it says at which rate its path
        changes (the velocity driver of Servin and Lacoursiere 2007). It may resist twist with a
        ``twist_stiffness``.
    touches: names of the scene's obstacles that the cable runs over.
    contacts: of those, how many edges and faces at most between two neighbouring nodes; a cylinder
        has an edge for each of its facets, 32 or more all round.
    elevation: makes the spans sag and oscillate as their own mass and the tension make them; they
        start at rest in the curve that ``pretension`` allows, or straight without one.
    lumped: makes the cable of masses between its two nodes, anchors or ``Loose`` ends; it carries
        no torque.
    hybrid: makes it a hybrid wire, with as many masses as its tension allows; its ends may be
        ``Loose``. It carries torque while it is taut and has no masses; one with a loose end, or
        with masses at all times, never does.
    winch: pays the cable out at its first node.
    closed: True makes an endless rope: from the last node it goes on to the first, a wheel, on
        which it does not slip. All its nodes let it run.
    pulls_only: False makes it a rod, which pushes as well when it is shorter than its length, as
        the equations of Servin and Lacoursiere 2007 do.
    diameter: [m], for drawing, ``torque_factor``, wind, layers on a drum and wires that cross; the
        rope's, or 0.016, when left out.
    breaking_force: [N], for reports and colours, and where ``parts`` has it part; the rope's, or
        infinite, which is unknown, when left out.
    parts: True has it part for good where its tension over a step is above ``breaking_force``;
        hybrid wires always do.
    cd: drag coefficient of the wind across it, on its diameter [-]; about 1.2 for a wire rope, 0
        for none.
    color: red, green, blue in 0...1.

    An end that swivels frees the cable of all torque: of a rope's, and of its ``torque_factor``. So
    does a loose end.
    """

    name: Name
    nodes: Annotated[Many[Node], Field(min_length=2)]
    ea: Positive | None = None
    stiffness: Positive | None = None
    length: Positive | None = None
    pretension: NonNegative = 0.0
    damping_ratio: NonNegative | None = None
    damping_time: NonNegative | None = None
    gj: Positive | None = None
    twist_stiffness: Positive | None = None
    twist: Real = 0.0
    torque_factor: Real = 0.0
    rope: NamedRope | None = None
    driven: StrictBool = False
    touches: Many[Name] = ()
    contacts: Annotated[int, Field(strict=True, ge=1, le=MOST_CONTACTS)] = 16
    elevation: Elevation | None = None
    lumped: Lumped | None = None
    hybrid: Hybrid | None = None
    winch: Winch | None = None
    closed: StrictBool = False
    pulls_only: StrictBool = True
    diameter: ImpliedPositive = Implied(USUAL_DIAMETER)
    breaking_force: ImpliedLimit = Implied(math.inf)
    parts: StrictBool = False
    cd: NonNegative = 0.0
    color: Vector = (0.25, 0.25, 0.28)

    @property
    def model(self) -> CableModel:
        """Model of the cable: the one given, or the massless one."""
        return self.lumped or self.hybrid or self.elevation or MASSLESS

    @property
    def density(self) -> float:
        """Mass per length [kg/m]: that of the model, or the rope's; 0 if unknown."""
        if self.model.density is not None:
            return self.model.density
        return self.rope.mass_per_metre if self.rope else 0.0

    @property
    def wheels(self) -> tuple[Wheel, ...]:
        """The wheels that it runs over, from the first node to the last."""
        again = self.closed and self.nodes[-1] is self.nodes[0]
        nodes = self.nodes[:-1] if again else self.nodes
        return tuple(node for node in nodes if isinstance(node, Wheel))

    @property
    def route(self) -> tuple[Node, ...]:
        """Its nodes in the order in which it meets them: an endless rope ends on its first one."""
        return (*self.nodes, self.nodes[0]) if self.closed else tuple(self.nodes)

    @property
    def clamps(self) -> tuple[int, ...]:
        """Indices of the nodes between the ends that hold the rope."""
        inner = enumerate(self.nodes[1:-1], start=1)
        return tuple(i for i, node in inner if node.kind == "anchor")

    @property
    def axial_rigidity(self) -> float | None:
        """EA [N], given or the rope's; None for an inextensible cable or a given ``stiffness``."""
        return self.rope.ea if self.rope else self.ea

    @property
    def torsional_rigidity(self) -> float | None:
        """GJ [N m^2], given or the rope's; None if unknown or for a cable without torque."""
        if self.torque_free:
            return None
        return self.rope.gj if self.rope else self.gj

    @property
    def torque_arm(self) -> float:
        """Torque per tension k_t d [m], positive for right-hand lay; 0 for a torque-free cable."""
        if self.torque_free:
            return 0.0
        return self.rope.torque_arm if self.rope else self.torque_factor * self.diameter

    @property
    def loss_ratio(self) -> float | None:
        """Damping ratio [-], given or, without any damping, the rope's; None without both."""
        if self.made_of_masses:
            return None
        if self.rope and self.damping_ratio is None and self.damping_time is None:
            return self.rope.damping_ratio
        return self.damping_ratio

    @property
    def made_of_masses(self) -> bool:
        """Return True if the cable has masses of its own, always or at times."""
        return self.model.has_masses

    @property
    def feels_friction(self) -> bool:
        """Return True if obstacles with friction hold the cable back.

        They do not where it has no length of its own, or pushes.
        """
        return self.pulls_only and not self.driven

    @property
    def shows_nodes(self) -> bool:
        """Return True if masses or contact nodes come and go on the cable."""
        return self.model.adaptive or bool(self.touches)

    @property
    def swivels(self) -> bool:
        """Return True if an end turns freely, so that the cable carries no torque."""
        return any(getattr(node, "swivel", False) for node in self.nodes)

    @property
    def torque_free(self) -> bool:
        """Return True if the cable never carries torque.

        That is so if an end swivels or is loose, or if there are masses in it at all times.
        """
        loose = any(node.kind == "loose" for node in self.nodes)
        return loose or self.swivels or not self.model.carries_torque

    @property
    def twists(self) -> bool:
        """Return True if the cable resists twist."""
        return not self.torque_free and (
            self.twist_stiffness is not None or self.torsional_rigidity is not None
        )

    @property
    def measures_twist(self) -> bool:
        """Return True if the cable puts a torque on its ends.

        It then resists twist, or it is laid and pulls.
        """
        return self.twists or self.torque_arm != 0.0

    def __post_init__(self) -> None:
        _check_ends(self)
        _check_sheaves(self)
        _check_wheels(self)
        self.model.check(self)
        _check_driven(self)
        _check_stretch(self)
        _check_torsion(self)
        if self.touches and self.measures_twist and not self.model.twists_on_edges:
            raise ValueError(
                f"touches: {', '.join(self.touches)} together with a rope that carries torque: "
                "only a hybrid wire carries it over edges; make it hybrid, let an end swivel, or "
                "leave gj, torque_factor or rope out"
            )
        rope = self.rope
        if self.cd and isinstance(self.diameter, Implied) and not rope:
            raise ValueError(f"cd: {self.cd:g} is per diameter and length; give the diameter, too")
        for field, value in (
            ("diameter", rope.diameter if rope else USUAL_DIAMETER),
            ("breaking_force", rope.minimum_breaking_force if rope else math.inf),
        ):
            if isinstance(getattr(self, field), Implied):
                object.__setattr__(self, field, Implied(value))
        _check_drum(self)
        if self.parts and (self.made_of_masses or math.isinf(self.breaking_force)):
            why = "give the breaking_force, or a rope that has one"
            raise ValueError(
                "parts: "
                + ("together with lumped or hybrid; leave it out" if self.made_of_masses else why)
            )


def _check_ends(cable: Cable) -> None:
    """Refuse a node that slides at an end, and one that holds in between."""
    if cable.closed:
        _check_closed(cable)
        return
    last = len(cable.nodes) - 1
    for i, node in enumerate(cable.nodes):
        if node.kind == "loose" and (i not in (0, last) or not cable.made_of_masses):
            raise ValueError(
                f"nodes.{i}: loose: only the first and last node of a cable with ``lumped`` or "
                "``hybrid`` can be free"
            )
        if i in (0, last) and node.kind not in ("anchor", "drum", "loose"):
            raise ValueError(
                f"nodes.{i}: the first and last node hold the ends: anchor or drum, not {node.kind}"
            )
        if i not in (0, last) and node.kind not in ("anchor", "eye", "sheave", "wheel"):
            raise ValueError(
                f"nodes.{i}: a node between the ends lets the cable slide, or clamps it: eye, "
                f"sheave, wheel or anchor, not {node.kind}"
            )
    _check_clamps(cable)
    _check_directions(cable)


def _check_directions(cable: Cable) -> None:
    """Refuse a direction that no bending stiffness feels, and one without length."""
    for i, node in enumerate(cable.nodes):
        if node.kind != "anchor" or node.direction is None:
            continue
        if not (cable.model.clamps and cable.model.bending):
            raise ValueError(
                f"nodes.{i}: direction: {node.direction} needs a hybrid wire with bending; "
                "nothing else resists a turn there"
            )
        if not any(node.direction):
            raise ValueError(f"nodes.{i}: direction: {node.direction} has no direction")


def _check_clamps(cable: Cable) -> None:
    """Refuse anchors between the ends of cables with one tension, and such that swivel."""
    for i in cable.clamps:
        if not cable.model.clamps:
            raise ValueError(
                f"nodes.{i}: an anchor between the ends gives both sides tensions of their own, "
                f"which a {cable.model.name} cable has not; make it hybrid, or two cables that end "
                "there"
            )
        if getattr(cable.nodes[i], "swivel", False):
            raise ValueError(
                f"nodes.{i}: swivel: an anchor between the ends holds the rope; leave it out"
            )
        for beside in (i - 1, i + 1):
            other = cable.nodes[beside]
            same = other.kind == "anchor" and other.body == cable.nodes[i].body
            if same and cable.axial_rigidity is None:
                raise ValueError(
                    f"nodes.{i}: no force moves the anchors {min(i, beside)} and "
                    f"{max(i, beside)} of {other.body!r} apart, so that rope between them that "
                    "can't stretch has no tension of its own; give an ea"
                )


def _check_closed(cable: Cable) -> None:
    """Refuse an endless rope with an end, with a winch, or without a wheel to begin on."""
    refuse(cable, "closed", "an endless rope has no end to pay out", "winch")
    for i, node in enumerate(cable.nodes):
        if node.kind not in (("wheel",) if i == 0 else ("wheel", "eye", "sheave")):
            allowed = "begins on a wheel" if i == 0 else "runs over wheels, eyes and sheaves"
            raise ValueError(f"nodes.{i}: an endless rope {allowed}, not {node.kind}")
    names = [wheel.name for wheel in cable.wheels]
    if names[0] in names[1:]:
        raise ValueError(
            f"nodes.0: an endless rope begins on a shaft of its own, but {names[0]!r} comes again"
        )


def _check_sheaves(cable: Cable) -> None:
    """Refuse losses of a rope that pushes, and half a turn without a second tangent point on the
    same body, before the dead end."""
    for i, node in enumerate(cable.nodes):
        if node.kind == "sheave" and node.efficiency < 1.0:
            beside = f"nodes.{i}, a sheave with losses"
            refuse(cable, beside, "a rope that pushes has no friction", "pulls_only")
        if node.kind != "sheave" or not node.half_turn:
            continue
        second = cable.nodes[i + 1]
        if second.kind not in ("eye", "sheave"):
            raise ValueError(
                f"nodes.{i}: half_turn: the rope has to run off at the next node, an eye or a "
                f"sheave, not {second.kind}"
            )
        if second.kind == "sheave" and second.half_turn:
            raise ValueError(
                f"nodes.{i + 1}: half_turn: here the rope runs off the wheel of the node before; "
                "leave it out"
            )
        if second.body != node.body or second.position == node.position:
            raise ValueError(
                f"nodes.{i}: half_turn: the rope has to run off at another point of "
                f"{node.body!r}, not at {second.position} of {second.body!r}"
            )


def _check_wheels(cable: Cable) -> None:
    """Refuse wheels beside what they do not know: other models, losses, twist and obstacles."""
    if not cable.wheels:
        return
    where = f"wheel {cable.wheels[0].name!r}"
    if cable.model is not MASSLESS:
        raise ValueError(
            f"{cable.model.name}: together with {where}; wheels are for massless cables, a hybrid "
            "wire runs over an obstacle with friction on a body that turns"
        )
    refuse(cable, where, "no rope of its own runs over the wheel", "driven")
    refuse(cable, where, "what runs over a wheel bends over nothing else", "touches")
    refuse(cable, where, "a rope that pushes has no friction", "pulls_only")
    for i, node in enumerate(cable.nodes):
        if node.kind == "sheave" and (node.efficiency < 1.0 or node.half_turn):
            raise ValueError(
                f"nodes.{i}: a sheave with losses or half a turn together with {where}; make it a "
                "wheel, too"
            )
    for wheel in cable.wheels:
        if wheel.tension_behind is not None and (cable.length or cable.axial_rigidity is None):
            raise ValueError(
                f"wheel {wheel.name!r}: tension_behind: {wheel.tension_behind:g} needs an ea and "
                "no length of the cable"
            )
    if cable.measures_twist:
        raise ValueError(
            f"{where}: together with a rope that carries torque: what twist does on a wheel is not "
            "modelled; let an end swivel, or leave gj, torque_factor or rope out"
        )


def _check_stretch(cable: Cable) -> None:
    """Refuse two stiffnesses, dampings or lengths, and pretension without stiffness."""
    for first, second in (
        ("ea", "stiffness"),
        ("damping_ratio", "damping_time"),
        ("length", "pretension"),
    ):
        if is_given(cable, first):
            refuse(cable, f"{first} {getattr(cable, first)}", "give one of the two", second)
    if cable.rope:
        fields = ("ea", "stiffness", "gj", "twist_stiffness", "torque_factor")
        refuse(
            cable,
            "rope",
            "the rope says what the cable is made of; change the rope, or leave it out",
            *fields,
        )
    if cable.pretension and cable.axial_rigidity is None and cable.stiffness is None:
        raise ValueError(
            f"pretension: {cable.pretension} needs ea, stiffness or a rope; an inextensible cable "
            "has no pretension"
        )


def _check_driven(cable: Cable) -> None:
    """Refuse features that a cable without length of its own can't have."""
    if cable.driven:
        fields = ("ea", "stiffness", "rope", "length", "pretension", "winch", "damping_ratio")
        refuse(
            cable,
            "driven",
            "a driven cable has no length of its own, and so does not stretch",
            *fields,
        )
        refuse(
            cable, "driven", "a driven cable has no length of its own; give twist_stiffness", "gj"
        )
        refuse(
            cable,
            "driven",
            "this torque acts through the stretch, which a driven cable has not",
            "torque_factor",
        )


def _check_drum(cable: Cable) -> None:
    """Refuse layers of a rope without diameter, and too much or too little rope for them."""
    if cable.winch and cable.winch.drum:
        if isinstance(cable.diameter, Implied) and not cable.rope:
            raise ValueError(
                "winch.drum: its layers are as high as the rope is thick; give the cable its "
                "diameter"
            )
        check_wound(cable.winch.drum, cable.diameter)


def _check_torsion(cable: Cable) -> None:
    """Refuse two torsional stiffnesses, torsion beside a swivel, and twist without resistance."""
    if cable.gj is not None:
        refuse(cable, f"gj {cable.gj}", "give one of the two", "twist_stiffness")
    if cable.swivels:
        refuse(
            cable,
            "an end that swivels",
            "such a cable carries no torque",
            "gj",
            "twist_stiffness",
            "twist",
        )
    if cable.twist and not cable.twists:
        raise ValueError(
            f"twist: {cable.twist} needs gj, twist_stiffness or a rope; nothing resists the twist"
        )
    if cable.torque_factor and isinstance(cable.diameter, Implied):
        raise ValueError(
            f"torque_factor: {cable.torque_factor} is per tension and diameter; give the "
            "diameter, too"
        )
