"""Packing of rails: the nodes of slides that run along several bodies, from their start poses."""

from typing import Any

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import floats, ints
from cable_sim.model.basis.frames import Array, triad
from cable_sim.spec import Joint, Scene

ASIDE = 1e-6
"""Distance of a rail's point from the line of the others, over the rail's length, that is nothing
[-]."""


def joint_bodies(joint: Joint, index: BodyIndex) -> list[int]:
    """Return the rows of the bodies of a joint: the child, then the parent or the rail's nodes."""
    holders = [name for name, _ in joint.rail] or [joint.parent]
    return [index.row[name] for name in (joint.child, *holders)]


def pack_rails(scene: Scene, index: BodyIndex) -> dict[str, Any]:
    """Return the model arrays of the rails of all joints.

    The rail of a joint is through its point, parallel to the line of the points on the bodies.
    """
    stations, points, axes, bodies, start = [], [], [], [], [0]
    for joint in scene.joints:
        if joint.rail:
            frame = triad(joint.axis, joint.across)
            places, offset = _lay(joint, index, frame)
            for (name, point), place in zip(joint.rail, places, strict=True):
                own = index.rotation[index.row[name]]
                bodies.append(index.row[name])
                points.append(np.asarray(point) + offset @ own)
                axes.append(frame[[0, 2]] @ own)
                stations.append(place)
        start.append(len(bodies))
    return {
        "joints.rail_start": ints(start),
        "joints.rail_body": ints(bodies),
        "joints.rail_station": np.array(stations, dtype=np.float64),
        "joints.rail_point": floats(points, 3),
        "joints.rail_axes": floats(axes, 2, 3),
    }


def coordinate_offset(joint: Joint, index: BodyIndex) -> float:
    """Return the coordinate that reads at the first point of a joint's frame or rail [rad or m]."""
    if not joint.rail:
        return joint.position
    first = index.to_world(*joint.rail[0])
    return joint.position - float((joint.point - first) @ triad(joint.axis)[2])


def _lay(joint: Joint, index: BodyIndex, frame: Array) -> tuple[Array, Array]:
    """Return the stations of a rail [m], and how far the rail is aside of its points (3,) [m]."""
    line = np.array([index.to_world(*place) for place in joint.rail])
    places = (line - line[0]) @ frame[2]
    aside = np.linalg.norm(line - line[0] - np.outer(places, frame[2]), axis=1)
    wrong = int(np.argmax(aside))
    if aside[wrong] > ASIDE * abs(places[-1]):
        raise ModelError(
            f"joint {joint.name!r}: rail: {joint.rail[wrong][0]!r} is {aside[wrong]:.3g} m off the "
            "line through the first point along the axis; a rail starts straight"
        )
    if (np.diff(places) <= 0.0).any():
        raise ModelError(
            f"joint {joint.name!r}: rail: its points are at {np.round(places, 3).tolist()} m along "
            "the axis; allowed are places that increase"
        )
    way = joint.point - line[0]
    return places, way - (way @ frame[2]) * frame[2]
