"""Spatial tendons of a compiled model as ropes over eyes and wheels.

A tendon is a path of length L through sites and around geoms, whose force f pulls for f < 0:

    spring:    f = k (hi - L) above hi,  k (lo - L) below lo,  less its damping times dL/dt
    range:     L <= upper, as a soft constraint
    actuator:  a force on L

A rope of stiffness k and length hi is the spring for lo = 0, a rod that for lo = hi. An
inextensible rope of length ``upper`` is the range. A driven cable is what an actuator acts on. A
tendon that has several of them becomes several ropes on one path.

*Geoms.* A rope that wraps a cylinder at the start runs over a wheel of that size without friction,
whose plane is that of the path; a ball gets a wheel in the plane of the path at the start. A wheel
turns about n, with the radius r and the direction v of the rope where it comes to it,
(r x v) . n > 0. A cylinder that a rope may only come to touch, or that a driven cable wraps, is an
obstacle. *Pulleys* of divisor 1 between two sites of one body leave out the length between these.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from cable_sim.interchange.models.bodies import Carriers
from cable_sim.interchange.models.source import Array, Source
from cable_sim.spec import Anchor, Cable, Cylinder, Eye, Obstacle, Wheel
from cable_sim.spec.quantities import WORLD

FLEET = 1e-3
"""Distance from the plane of a wheel, over its radius, from which on it is noted [-]."""
Wrap = mujoco.mjtWrap


class _Unsayable(Exception):
    """Reason why a tendon can't be a rope."""


@dataclass
class Path:
    """The path of a tendon: its nodes, and what it may touch beside them.

    ``skipped`` is the length between sites that the tendon does not count [m].
    """

    nodes: list[Any] = field(default_factory=list)
    touches: list[str] = field(default_factory=list)
    skipped: float = 0.0


class Ropes:
    """The ropes of a model, and the obstacles that they need beside those of its shapes."""

    def __init__(self, source: Source, carriers: Carriers, known: list[Obstacle]) -> None:
        self._source = source
        self._carriers = carriers
        self._known = {obstacle.name for obstacle in known}
        self.cables: list[Cable] = []
        self.obstacles: list[Obstacle] = []

    def build(self) -> None:
        """Add the ropes of springs and ranges of all spatial tendons."""
        model = self._source.model
        driven = {
            int(model.actuator_trnid[a][0])
            for a in range(model.nu)
            if model.actuator_trntype[a] == mujoco.mjtTrn.mjTRN_TENDON
        }
        for t in range(model.ntendon):
            if model.wrap_type[model.tendon_adr[t]] == Wrap.mjWRAP_JOINT:
                self._source.note(
                    "tendon", t, "is left out: it is a sum of joints, and no rope in space"
                )
                continue
            try:
                found = self._passive(t)
            except _Unsayable as reason:
                self._source.note("tendon", t, f"is left out: {reason}")
                continue
            if not found and t not in driven:
                self._source.note("tendon", t, "is left out: nothing pulls in it")
            self.cables += found

    def drive(self, t: int, name: str) -> str | None:
        """Add a driven cable along a spatial tendon for the drive of a name; return its name.

        It is None for a tendon that can't be a rope.
        """
        model = self._source.model
        if model.wrap_type[model.tendon_adr[t]] == Wrap.mjWRAP_JOINT:
            return None
        try:
            path = self._path(t, driven=True)
        except _Unsayable as reason:
            self._source.note("tendon", t, f"is left out: {reason}")
            return None
        made = self._source.unique("tendon", self._source.given("tendon", t) or f"{name}_rope")
        self.cables.append(self._cable(t, made, path, driven=True))
        return made

    def _passive(self, t: int) -> list[Cable]:
        """Return the ropes of the spring and the range of a tendon."""
        source, model = self._source, self._source.model
        stiffness = float(model.tendon_stiffness[t])
        damping = float(model.tendon_damping[t])
        lower, upper = model.tendon_range[t].tolist()
        found = []
        if stiffness > 0.0:
            found.append(self._spring(t, stiffness, damping))
        elif damping > 0.0:
            source.note("tendon", t, f"damping {damping:g} is left out: it has no stiffness")
        if model.tendon_limited[t]:
            path = self._path(t, driven=False)
            if lower > 0.0:
                source.note("tendon", t, f"range: the least length {lower:g} is left out")
            length = max(upper, float(source.data.ten_length[t])) + path.skipped
            if length > upper + path.skipped:
                source.note("tendon", t, f"has the length {length:g} of the start, not {upper:g}")
            name = source.unique("tendon", f"{source.given('tendon', t)}_limit") if found else ""
            name = name or source.name("tendon", t, f"tendon_{t}")
            found.append(self._cable(t, name, path, length=length))
        return found

    def _spring(self, t: int, stiffness: float, damping: float) -> Cable:
        """Return the rope of a tendon's spring."""
        source = self._source
        shortest, longest = source.model.tendon_lengthspring[t].tolist()
        if longest <= 0.0:
            raise _Unsayable(f"springlength {longest:g}: a rope has a length above 0")
        path = self._path(t, driven=False)
        pushes = shortest == longest and not any(node.kind == "wheel" for node in path.nodes)
        if shortest > 0.0 and not pushes:
            source.note("tendon", t, f"pulls only: that it pushes below {shortest:g} is left out")
        return self._cable(
            t,
            source.name("tendon", t, f"tendon_{t}"),
            path,
            stiffness=stiffness,
            damping_time=damping / stiffness if damping else None,
            length=longest + path.skipped,
            pulls_only=not pushes,
        )

    def _cable(self, t: int, name: str, path: Path, **fields: Any) -> Cable:
        """Return a cable on the path of a tendon."""
        model = self._source.model
        color = np.clip(model.tendon_rgba[t][:3], 0.0, 1.0).tolist()
        nodes = [*path.nodes]
        for i, node in enumerate(nodes):
            if node.kind == "wheel":
                made = self._source.unique("tendon", node.name)
                nodes[i] = Wheel(**{**vars(node), "name": made})
        width = 2.0 * float(model.tendon_width[t])
        return Cable(name, nodes, touches=path.touches, diameter=width, color=color, **fields)

    def _path(self, t: int, driven: bool) -> Path:
        """Return the path of a tendon."""
        source, model = self._source, self._source.model
        path = Path()
        first = int(model.tendon_adr[t])
        entries = range(first, first + int(model.tendon_num[t]))
        for w in entries:
            kind, number = model.wrap_type[w], int(model.wrap_objid[w])
            if kind == Wrap.mjWRAP_PULLEY:
                self._skip(path, w, w in (entries[0], entries[-1]))
            elif kind == Wrap.mjWRAP_SITE:
                b = int(model.site_bodyid[number])
                position, _ = self._carriers.place(b, source.data.site_xpos[number], np.eye(3))
                path.nodes.append(Eye(self._carriers.name(b), position))
            else:
                self._wrap(path, t, w, number, driven)
        for end in (0, -1):
            path.nodes[end] = Anchor(path.nodes[end].body, path.nodes[end].position)
        return path

    def _skip(self, path: Path, w: int, outside: bool) -> None:
        """Note the length between the sites on both sides of a pulley."""
        source, model = self._source, self._source.model
        if outside:
            return
        divisor = float(model.wrap_prm[w])
        sites = [int(model.wrap_objid[k]) for k in (w - 1, w + 1)]
        on = {self._carriers.name(int(model.site_bodyid[site])) for site in sites}
        if divisor != 1.0 or len(on) > 1:
            what = f"divisor {divisor:g}" if divisor != 1.0 else f"sites on {' and '.join(on)}"
            raise _Unsayable(f"a pulley with {what}; allowed are divisor 1 and sites on one body")
        path.skipped += math.dist(*(source.data.site_xpos[site] for site in sites))

    def _wrap(self, path: Path, t: int, w: int, g: int, driven: bool) -> None:
        """Add a geom that a tendon wraps to its path."""
        source, model = self._source, self._source.model
        side = int(model.wrap_prm[w])
        name = source.given("geom", g) or f"number {g}"
        ball = model.wrap_type[w] == Wrap.mjWRAP_SPHERE
        b = int(model.geom_bodyid[g])
        if side >= 0 and _inside(source, g, side):
            source.note("tendon", t, f"geom {name!r}: wrapping from inside is left out")
            return
        points = self._touched(t, g)
        if points is not None and not driven:
            path.nodes.append(self._wheel(t, g, points, ball))
        elif ball:
            source.note("tendon", t, f"geom {name!r}: a ball that it may touch is left out")
        else:
            path.touches.append(self._obstacle(g, b))

    def _touched(self, t: int, g: int) -> Array | None:
        """Return the points (4, 3) before, on and behind a geom that a tendon wraps, or None."""
        data = self._source.data
        first = int(data.ten_wrapadr[t])
        objects = data.wrap_obj.reshape(-1)[first : first + int(data.ten_wrapnum[t])]
        on = np.flatnonzero(objects == g)
        if not on.size:
            return None
        points = data.wrap_xpos.reshape(-1, 3)[first : first + len(objects)]
        return np.array(points[on[0] - 1 : on[0] + 3])

    def _wheel(self, t: int, g: int, points: Array, ball: bool) -> Wheel:
        """Return the wheel of a geom between points of the path."""
        source, model, data = self._source, self._source.model, self._source.data
        center, radius = data.geom_xpos[g], float(model.geom_size[g][0])
        turning = np.cross(points[1] - center, points[1] - points[0])
        axis = data.geom_xmat[g].reshape(3, 3)[:, 2]
        axis = turning / np.linalg.norm(turning) if ball else axis * np.sign(turning @ axis)
        center = center + axis * ((points[1:3].mean(axis=0) - center) @ axis)
        off = float(np.abs((points - center) @ axis).max())
        name = source.given("geom", g) or f"wheel_{g}"
        if off > FLEET * radius:
            source.note(
                "tendon", t, f"geom {name!r}: it runs {off:.3g} m off the plane of its wheel"
            )
        b = int(model.geom_bodyid[g])
        position, _ = self._carriers.place(b, center, np.eye(3))
        way, _ = self._carriers.place(b, center + axis, np.eye(3))
        along = tuple(np.subtract(way, position).tolist())
        return Wheel(name, self._carriers.name(b), position, radius, along, friction=0.0)

    def _obstacle(self, g: int, b: int) -> str:
        """Return the name of the obstacle of a cylinder, which is made if there is none."""
        source, model, data = self._source, self._source.model, self._source.data
        name = source.names.get(("geom", g), "")
        if name in self._known:
            return name
        made = source.unique("geom", f"{name}_wrap")
        self._known.add(made)
        source.names["geom", g] = made
        radius, half = model.geom_size[g][:2].tolist()
        place = self._carriers.place(b, data.geom_xpos[g], data.geom_xmat[g].reshape(3, 3))
        shape = Cylinder(radius, 2.0 * half)
        self.obstacles.append(
            Obstacle(made, shape, self._carriers.name(b), *place, stops_bodies=False, drawn=False)
        )
        return made


def _inside(source: Source, g: int, side: int) -> bool:
    """Return True if the site on whose side a tendon wraps is inside of the geom."""
    away = source.data.site_xpos[side] - source.data.geom_xpos[g]
    radius = float(source.model.geom_size[g][0])
    axis = source.data.geom_xmat[g].reshape(3, 3)[:, 2]
    if source.model.geom_type[g] == mujoco.mjtGeom.mjGEOM_CYLINDER:
        away = away - axis * (away @ axis)
    return bool(np.linalg.norm(away) < radius)


__all__ = ["WORLD", "Path", "Ropes"]
