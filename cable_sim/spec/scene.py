"""The scene: everything that stands in the world, checked for names that do not fit together."""

from collections.abc import Iterable

from pydantic import model_validator

from cable_sim.spec.bodies import Body
from cable_sim.spec.cables import Cable, Winch
from cable_sim.spec.contacts import Surface
from cable_sim.spec.drives import Drive
from cable_sim.spec.joints import Joint
from cable_sim.spec.motions import Motion
from cable_sim.spec.quantities import WORLD, Vector, spec
from cable_sim.spec.visuals import Visual

GRAVITY = 9.81
"""Standard gravity as the crane literature rounds it [m/s^2]."""


@spec
class Scene:
    """Bodies, joints, drives, cables and surfaces under gravity.

    Parameters
    ----------
    bodies, joints, drives, cables, surfaces, motions, visuals: see their classes. Names are unique within
        each kind; winches, joints and drives share one space because drives and readings refer to them.
    gravity: acceleration [m/s^2]; ``(0, 0, 0)`` switches it off.
    name: shown in titles.
    """

    bodies: tuple[Body, ...] = ()
    joints: tuple[Joint, ...] = ()
    drives: tuple[Drive, ...] = ()
    cables: tuple[Cable, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    motions: tuple[Motion, ...] = ()
    visuals: tuple[Visual, ...] = ()
    gravity: Vector = (0.0, 0.0, -GRAVITY)
    name: str = "scene"

    @property
    def winches(self) -> tuple[Winch, ...]:
        """The winches of the cables, in the order of the cables."""
        return tuple(cable.winch for cable in self.cables if cable.winch is not None)

    @model_validator(mode="after")
    def _consistent(self) -> "Scene":
        for kind in ("bodies", "joints", "drives", "cables", "surfaces", "visuals", "winches"):
            _unique(kind, (item.name for item in getattr(self, kind)))
        bodies = [body.name for body in self.bodies]
        for joint in self.joints:
            _known(f"joint {joint.name!r}: child", joint.child, bodies)
            _known(f"joint {joint.name!r}: parent", joint.parent, [WORLD, *bodies])
        for cable in self.cables:
            for i, node in enumerate(cable.nodes):
                _known(f"cable {cable.name!r}: node {i}: body", node.body, [WORLD, *bodies])
        for visual in self.visuals:
            _known(f"visual {visual.name!r}: body", visual.body, [WORLD, *bodies])
        drivable = [j.name for j in self.joints if j.has_coordinate] + [w.name for w in self.winches]
        _unique("joints and winches", drivable)
        for drive in self.drives:
            _known(f"drive {drive.name!r}: on", drive.on, drivable)
        prescribed = [body.name for body in self.bodies if body.motion == "prescribed"]
        for motion in self.motions:
            known = [drive.name for drive in self.drives] if motion.values else prescribed
            _known("motion: of", motion.of, known)
        return self


def _unique(kind: str, names: Iterable[str]) -> None:
    """Refuse a name that stands twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{kind}: the name {name!r} stands twice")
        seen.add(name)


def _known(where: str, name: str, known: list[str]) -> None:
    """Refuse a reference to something that is not there."""
    if name not in known:
        raise ValueError(f"{where} {name!r} is not known; known are {', '.join(known) or 'none'}")
