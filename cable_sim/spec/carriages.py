"""Carriages: movable frames on a body that carry ends and sheaves of cables, for skew and trim."""

from collections.abc import Sequence
from typing import Literal

from cable_sim.errors import unknown
from cable_sim.spec.bodies import Body
from cable_sim.spec.cables.cables import Cable
from cable_sim.spec.quantities import Many, Misplaced, Name, Positive, Real, Vector, spec


@spec
class Carriage:
    """A slowly moving frame on a body, with the nodes of cables that are on that body.

    It stands at 0 at the start, and is commanded like a drive that nothing can hold up, by speed or
    position. It is for creep speeds; ``kernels/multibody/carriages.py`` says what is left out.

    Parameters
    ----------
    name: unique name, also among drives.
    kind: ``turn`` about the axis or ``slide`` along it.
    body: that it moves on.
    cables: whose nodes on that body it carries; massless or elevation cables that run over no
        obstacle. A node on several carriages goes through them in the scene's order. Without cables
        it is a position and no more.
    axis: in the world at the start; its length does not matter.
    point: of the axis of a turn, in the world at the start [m].
    lower, upper: ends of its range [rad or m].
    max_speed: [rad/s or m/s].
    """

    name: Name
    kind: Literal["turn", "slide"]
    body: str
    cables: Many[Name]
    lower: Real
    upper: Real
    max_speed: Positive
    axis: Vector = (0.0, 0.0, 1.0)
    point: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not any(self.axis):
            raise ValueError("axis can't be zero")
        if not self.lower <= 0.0 <= self.upper:
            raise ValueError(
                f"lower, upper: {self.lower:g} ... {self.upper:g} must have 0 in it, where it "
                "starts"
            )


def check_carriages(
    carriages: Sequence[Carriage], bodies: Sequence[Body], cables: Sequence[Cable]
) -> None:
    """Refuse a carriage on an unknown body, and one of a cable that it can't carry."""
    known = {cable.name: cable for cable in cables}
    for g, carriage in enumerate(carriages):
        where = f"carriage {carriage.name!r}"
        names = [body.name for body in bodies]
        if carriage.body not in names:
            raise Misplaced(
                ("carriages", g, "body"), f"{where}: {unknown('body', carriage.body, names)}"
            )
        for name in carriage.cables:
            cable = known.get(name)
            if cable is None:
                why = f"is not known; known are {', '.join(known) or 'none'}"
            elif cable.model.segments or (cable.touches and not cable.model.adaptive):
                why = "is made of masses or meets obstacles, and so can't be carried"
            elif all(node.body != carriage.body for node in cable.nodes):
                why = f"has no node on {carriage.body!r}"
            else:
                continue
            raise Misplaced(("carriages", g, "cables"), f"{where}: cable {name!r} {why}")
