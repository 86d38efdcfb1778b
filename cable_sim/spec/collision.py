"""Contact of everything that has a shape with everything else."""

import math
from itertools import combinations
from typing import Annotated

from pydantic import Field

from cable_sim.spec.quantities import PLAIN, Limit, Many, Name, NonNegative, Positive, spec

Share = Annotated[float, PLAIN, Field(strict=True, ge=0.0, le=1.0)]


@spec
class Touch:
    """Way in which two shapes touch.

    Parameters
    ----------
    friction: Coulomb coefficient [-], alike in all directions.
    restitution: speed after an impact over that before [-].
    threshold: approach [m/s] above which there is restitution.
    rolling, drilling: largest couple against rolling, and about the normal, over the normal force
        [m].
    stiffness: of one touching point [N/m]; infinite is hard.
    damping_time: damping over stiffness [s]; two steps at least.
    push_out: largest speed at which an overlap goes that nothing has pressed in [m/s].
    adhesion: pull that parts two faces which lie on each other [N], shared by their points. A
        cylinder on its side has half of it, a ball a quarter, an edge none.
    switch: name of a carriage whose position, 0 to 1, is the part of the adhesion that is there;
        left out, all of it is.
    """

    friction: NonNegative = 0.5
    restitution: Share = 0.0
    threshold: NonNegative = 0.05
    rolling: NonNegative = 0.0
    drilling: NonNegative = 0.0
    stiffness: Limit = math.inf
    damping_time: NonNegative = 0.0
    push_out: Positive = 0.1
    adhesion: NonNegative = 0.0
    switch: Name | None = None

    def __post_init__(self) -> None:
        if self.switch and not self.adhesion:
            raise ValueError(f"switch: {self.switch!r} needs an adhesion above 0; give one [N]")


@spec
class Collision:
    """Contact of all bodies, obstacles and surfaces of a scene that have a shape.

    Left out by themselves are bodies that a closed joint connects, or that fixed joints hold
    together, but for those in ``pairs``; and shapes that overlap by more than 2 mm at the start, of
    which a CableSimWarning tells names and depths.

    Parameters
    ----------
    default: of pairs without an entry in ``pairs``; with a surface they have its friction.
    pairs: two names, and how these touch.
    ignore: two or more names each that never touch one another.
    pushed: names of bodies and solids that leave all that they overlap at the start, at
        ``push_out``.
    watch: two names each, whose normal force is the channel ``one/other.normal_force``.
    room: most points where shapes touch at a time; None: eight for each shape on a body, up to
        512. Without room a contact is left out, which the status tells.
    things: names of bodies and solids, and how everything but surfaces touches these, unless there
        is an entry in ``pairs``; of two, the later one counts.
    """

    default: Touch = Touch()
    pairs: Many[tuple[Name, Name, Touch]] = ()
    ignore: Many[Annotated[tuple[Name, ...], Field(min_length=2)]] = ()
    pushed: Many[Name] = ()
    watch: Many[tuple[Name, Name]] = ()
    room: Annotated[int, Field(strict=True, ge=1)] | None = None
    things: Many[tuple[Name, Touch]] = ()

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """Pairs of names that are told something of."""
        return (*((a, b) for a, b, _ in self.pairs), *self.ignored)

    @property
    def touches(self) -> tuple[Touch, ...]:
        """All ways of touching that it names."""
        return (self.default, *(t for _, t in self.things), *(t for _, _, t in self.pairs))

    @property
    def ignored(self) -> tuple[tuple[str, str], ...]:
        """Pairs of names that never touch."""
        return tuple(pair for names in self.ignore for pair in combinations(names, 2))

    def __post_init__(self) -> None:
        seen: set[frozenset[str]] = set()
        for pair in map(frozenset, self.named):
            if pair in seen:
                raise ValueError(f"{' and '.join(sorted(pair))}: this pair stands here twice")
            seen.add(pair)
        names = [name for name, _ in self.things]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"things: {twice}: stands here twice")
