"""One beam on two hooks: static equilibrium of cranes, slings and beam.

For the shares of the cranes see ``cranes/several/beam_shares.py``.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import FamilySpec, ask_family
from cable_sim.cranes.parts.drawn import STEEL
from cable_sim.cranes.rigging.falling_ropes import lay_falling_ropes
from cable_sim.cranes.several.beam_shares import Point
from cable_sim.cranes.several.placing import Place
from cable_sim.cranes.several.spec import Member, SharedRig
from cable_sim.errors import SpecError
from cable_sim.spec import Anchor, Body, Box, Cable, Obstacle, Segments, Visual
from cable_sim.spec.quantities import Quaternion, Vector
from cable_sim.spec.scene import GRAVITY

BEAM = "beam"
"""Name of the body."""
SMALL = 0.1
"""Size of the load, and height of its slings, that stand for a share of the beam [m].

The beam takes their place later.
"""


class Pose(NamedTuple):
    """Place of the beam's middle [m], and its rotation: x along it, to the second lug, z above."""

    middle: Vector
    orientation: Quaternion
    along: Vector
    above: Vector

    def point(self, at: Point) -> Vector:
        """Place in the world of a point along the beam and above its axis [m]."""
        x, y, z = (
            m + at[0] * a + at[1] * n
            for m, a, n in zip(self.middle, self.along, self.above, strict=True)
        )
        return (x, y, z)


def pose(rig: SharedRig) -> Pose:
    """The beam at the start."""
    heading = math.radians(rig.start.heading_deg)
    tilt = math.radians(rig.start.tilt_deg)
    c = math.cos(heading)
    s = math.sin(heading)
    cos = math.cos(tilt)
    sin = math.sin(tilt)
    (hc, hs), (tc, ts) = (
        (math.cos(0.5 * angle), math.sin(0.5 * angle)) for angle in (heading, tilt)
    )
    return Pose(
        (*rig.start.xy, rig.start.height),
        (hc * tc, -hs * ts, hc * ts, hs * tc),
        (c * cos, s * cos, -sin),
        (c * sin, s * sin, cos),
    )


def holding_member(
    crane: Crane,
    rig: SharedRig,
    member: Member,
    rebuild: Callable[[Crane, Mapping[str, Any]], Crane],
) -> Crane:
    """A member that holds its share of the beam with vertical falls, without the load of its own
    file.

    ``rebuild`` makes the crane anew with changes of its file. Raises SpecError for a crane that
    can't share a beam, and when the hook would have to be where the crane can't bring it.
    """
    i = [lug.crane for lug in rig.lugs].index(member.name)
    lug = rig.lugs[i]
    share = rig.shares(rig.start.tilt_deg)[i]
    point = Place(member.xy, member.heading_deg).to_local(pose(rig).point(lug.at))
    changes = ask_family(crane).beam_changes(share, SMALL, point, lug.sling)
    if changes is None:
        raise SpecError(
            "a beam is shared by hooks of cranes that slew, but this is a "
            f"{crane.family.replace('_', ' ')}"
        )
    return _without_load(rebuild(crane, changes))


def _without_load(crane: Crane) -> Crane:
    """Return a crane without its load, what holds it, and what lies on it."""
    scene = crane.scene
    load = crane.watched
    solids = {obstacle.name for obstacle in scene.obstacles if obstacle.body == load}

    def lift_off(cable: Cable) -> Cable:
        left = tuple(name for name in cable.touches if name not in solids)
        return dataclasses.replace(cable, touches=left)

    bare = dataclasses.replace(
        scene,
        bodies=tuple(body for body in scene.bodies if body.name != load),
        cables=tuple(
            lift_off(cable)
            for cable in scene.cables
            if all(node.body != load for node in cable.nodes)
        ),
        obstacles=tuple(o for o in scene.obstacles if o.name not in solids),
        visuals=tuple(visual for visual in scene.visuals if visual.body != load),
    )
    falling = tuple(pair._replace(slack=lift_off(pair.slack)) for pair in crane.when_slack)
    return dataclasses.replace(crane, scene=bare, when_slack=falling)


def add_beam(crane: Crane, rig: SharedRig, specs: Mapping[str, FamilySpec]) -> dict[str, Any]:
    """Return ``scene`` and ``when_slack`` of all cranes with the beam and its slings.

    ``specs`` are those of the members that hold it, by their names.
    """
    scene = crane.scene
    hooks = {hung.name: hung.hook for hung in reversed(crane.suspensions)}
    weights = [GRAVITY * share for share in rig.shares(rig.start.tilt_deg)]
    slings = tuple(
        Cable(
            f"{BEAM}_sling_{i}",
            (
                Anchor(hooks[lug.crane], specs[lug.crane].hook_point()),
                Anchor(BEAM, _beam_point(rig, lug.at)),
            ),
            ea=rig.rope.ea,
            pretension=weight,
            damping_ratio=rig.rope.damping_ratio,
            diameter=rig.rope.diameter,
            breaking_force=rig.rope.minimum_breaking_force,
        )
        for i, (lug, weight) in enumerate(zip(rig.lugs, weights, strict=True), start=1)
    )
    off = [lug.at for lug in rig.lugs if abs(lug.at[1]) > 0.5 * rig.beam.size[2]]
    bars = tuple((_beam_point(rig, (at[0], 0.0)), _beam_point(rig, at)) for at in off)
    radius = 0.1
    brackets = (Visual(f"{BEAM}_lugs", Segments(bars, radius), BEAM, color=STEEL),) if bars else ()
    shared = dataclasses.replace(
        scene,
        bodies=(*scene.bodies, _body(rig)),
        cables=(*scene.cables, *slings),
        obstacles=(*scene.obstacles, *_outline(rig)),
        visuals=(*scene.visuals, *brackets),
    )
    return lay_falling_ropes(shared, (BEAM,), crane.when_slack)


def _beam_point(rig: SharedRig, at: Point) -> Vector:
    """A point of the beam in its body's frame, whose origin is its centre of mass [m]."""
    return (at[0] - rig.beam.centre[0], 0.0, at[1] - rig.beam.centre[1])


def _body(rig: SharedRig) -> Body:
    """The beam: with its centre of mass in its middle a box, else that is on it."""
    beam = rig.beam
    at = pose(rig)
    box = Box(*beam.size)
    even = beam.centre == (0.0, 0.0)
    return Body(
        BEAM,
        beam.mass,
        box.inertia(beam.mass),
        box if even else None,
        position=at.point(beam.centre),
        orientation=at.orientation,
        color=beam.color,
    )


def _outline(rig: SharedRig) -> tuple[Obstacle, ...]:
    """Return the box of a beam whose body has no shape."""
    if rig.beam.centre == (0.0, 0.0):
        return ()
    x, y, z = _beam_point(rig, (0.0, 0.0))
    return (Obstacle(f"{BEAM}_shape", Box(*rig.beam.size), BEAM, (x, y, z), color=rig.beam.color),)
