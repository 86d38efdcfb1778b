"""Start of ropes of masses: along their way if that is as long, else at rest by ``lying.py``.

Corners of a way are cut by the segments that go over them. So the masses of a rope that pushes go
along the way in steps of a segment's length, and what that leaves over hangs or lies on the last
straight part of it. A rope that only pulls is slack at its corners, which moves nothing.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from cable_sim.errors import ModelError
from cable_sim.model.basis.frames import Array, unit
from cable_sim.model.laying.hanging import Strand
from cable_sim.model.laying.lying import Plane, hang
from cable_sim.spec import Cable, Ground

EXACT = 1e-9
"""Part of its length by which a rope may be longer than its way and still start straight."""
UP = (0.0, 0.0, 1.0)


def rests_on(ground: Ground | None, sinks: float = 0.0) -> Plane | None:
    """Return the plane on which masses come to rest that sink into a soft ground by so much [m]."""
    if ground is None:
        return None
    normal = unit(ground.normal)
    return Plane(np.array(ground.point) - sinks * normal, normal, sinks)


def lay(cable: Cable, way: Array, strand: Strand, gravity: ArrayLike, plane: Plane | None) -> Array:
    """Return the points at which the segments of a rope begin and end (n, 3) [m].

    They are over the way points (m, 3) that are given. Raises ModelError for loose ends and way
    points below its ground, and for a rope that is too long to be at rest.
    """
    refuse_below(cable, way, plane)
    length = strand.segments * strand.length
    path = sum(map(math.dist, way[:-1], way[1:]))
    if len(way) == 2 and length > path * (1.0 + EXACT):
        tight = False
    else:
        points = points_along(way, np.linspace(0.0, 1.0, strand.segments + 1))
        shortest = float(np.linalg.norm(np.diff(points, axis=0), axis=1).min())
        tight = shortest >= strand.length * (1.0 - EXACT) or length < path * (1.0 - EXACT)
    if tight or (len(way) > 2 and not strand.pushes):
        return points
    weight = float(np.linalg.norm(gravity))
    up = (
        -np.asarray(gravity) / weight if weight else np.array(UP) if plane is None else plane.normal
    )
    held = all(
        cable.nodes[e].kind != "loose" or is_on_plane(way[e], plane, strand.length) for e in (0, -1)
    )
    strand = strand._replace(strain=strand.strain if held else 0.0)
    before = steps(way, strand.length)
    rest = strand._replace(segments=strand.segments - len(before) + 1)
    left = float(np.linalg.norm(way[-1] - before[-1]))
    found: Array | None
    if left >= rest.segments * rest.length * (1.0 - EXACT):
        found = np.linspace(before[-1], way[-1], rest.segments + 1)
    else:
        found = hang(before[-1], way[-1], rest, up, plane)
    if found is None:
        raise ModelError(
            f"cable {cable.name!r}: its length of {length:.6g} m, in {strand.segments} parts, has "
            f"no equilibrium on its path of {path:.6g} m; allowed are that length, more masses, "
            "or a path to lie on"
        )
    return np.concatenate([before[:-1], found])


def is_on_plane(point: Array, plane: Plane | None, length: float) -> bool:
    """Return True if a point lies on the ground or in it.

    The tolerance is a millionth of a segment's length [m].
    """
    return (
        plane is not None
        and float((point - plane.point) @ plane.normal) <= plane.sinks + 1e-6 * length
    )


def refuse_below(cable: Cable, way: Array, plane: Plane | None) -> None:
    """Refuse loose ends and way points below the ground of a cable; ends on bodies may be carried
    there."""
    if plane is None:
        return
    names = [f"node {n}" if cable.nodes[n].kind == "loose" else "" for n in (0, -1)]
    names[1:1] = [f"path point {i}" for i in range(len(way) - 2)]
    for name, height in zip(names, (way - plane.point) @ plane.normal, strict=True):
        if name and height < -EXACT * max(float(np.abs(way).max()), 1.0):
            what = name.replace("node 0", "its first, loose end").replace(
                "node -1", "its last, loose end"
            )
            raise ModelError(
                f"cable {cable.name!r}: {what} is {-height:.4g} m below its ground; lift it to 0 "
                "or more"
            )


def points_along(points: ArrayLike, places: Array) -> Array:
    """Return points at shares of the length of the way over ``points`` (n, 3) [m]."""
    way = np.asarray(points)
    beyond = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))])
    return np.column_stack([np.interp(places * beyond[-1], beyond, way[:, i]) for i in range(3)])


def steps(way: Array, length: float) -> Array:
    """Return points (n, 3) [m] that are ``length`` apart along a way.

    They go from the first way point to the first of them on the last straight part.
    """
    found = way[:1]
    for start, end in zip(way[:-2], way[1:-1], strict=True):
        found = np.concatenate([found, _subdivide(found[-1], start, end, length)])
    return (
        found
        if len(way) == 2
        else np.concatenate([found, _subdivide(found[-1], way[-2], way[-1], length)[:1]])
    )


def _subdivide(last: Array, start: Array, end: Array, length: float) -> Array:
    """Return points (n, 3) in steps from the ``last`` one on a straight part of a way.

    n may be 0.
    """
    reach = float(np.linalg.norm(end - start))
    if reach == 0.0:
        return np.zeros((0, 3))
    direction = (end - start) / reach
    arm = start - last
    nearest = float(arm @ direction)
    first = -nearest + math.sqrt(max(nearest**2 - float(arm @ arm) + length**2, 0.0))
    return start + np.outer(np.arange(first, reach + EXACT * length, length), direction)
