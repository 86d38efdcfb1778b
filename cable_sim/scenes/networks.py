"""Many bodies: the chain and the net."""

import math
from typing import Any

from cable_sim.errors import SpecError
from cable_sim.scenes.catalogue import scene
from cable_sim.spec import Anchor, Body, Cable, Cylinder, Joint, Scene, Sphere
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY


@scene
def chain(n: int = 8, length: float = 0.5, mass: float = 2.0) -> Scene:
    """A chain of rods on ball joints, held at one end and let go level.

    Energy is conserved; the centre of mass starts to fall as a rigid rod of the whole length would.

    ``n`` rods, ``length`` [m] and ``mass`` [kg] of each.
    """
    if n < 1:
        raise SpecError(f"chain: n must be at least 1, not {n}")
    lying = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
    names = ["world", *(f"rod_{i}" for i in range(1, n + 1))]
    return Scene(
        name="chain",
        bodies=tuple(
            Body(
                name,
                mass,
                shape=Cylinder(0.03, length),
                position=((i + 0.5) * length, 0.0, 0.0),
                orientation=lying,
            )
            for i, name in enumerate(names[1:])
        ),
        joints=tuple(
            Joint(f"joint_{i + 1}", "ball", child, parent, point=(i * length, 0.0, 0.0))
            for i, (parent, child) in enumerate(zip(names, names[1:], strict=False))
        ),
    )


@scene
def net(
    rows: int = 6,
    columns: int = 6,
    spacing: float = 0.5,
    mass: float = 1.0,
    sag: float = 0.2,
    ea: float | None = 1e5,
) -> Scene:
    """A net held at its corners, let go with all cables taut: small balls joined to their
    neighbours by cables.

    It is the network of Servin et al. 2011, figures 7 and 8: the worst case for an envelope,
    because every elimination order leaves a band as wide as the net. It starts on a parabolic
    surface on which a net held at its sides would be in equilibrium, with that net's tension ``m g
    a / (4 d (1/(rows-1)^2 + 1/(columns-1)^2))`` in elastic cables, a the spacing, d the sag in
    metres; held at its corners only, it contracts and swings.

    ``rows``, ``columns`` of knots [-], their ``spacing`` in plan [m], ``mass`` of a ball [kg],
    ``sag`` of the middle over the sides' length [-], ``ea`` of the cables [N], None for
    inextensible ones.
    """
    if min(rows, columns) < 2:
        raise SpecError(f"net: rows and columns must be at least 2, not {rows} and {columns}")
    points = _net_points(rows, columns, spacing, sag)
    corners = {(i, j) for i in (0, rows - 1) for j in (0, columns - 1)}

    def end(at: tuple[int, int]) -> Anchor:
        return Anchor("world", points[at]) if at in corners else Anchor("ball_{}_{}".format(*at))

    steps = 1.0 / (rows - 1) ** 2 + 1.0 / (columns - 1) ** 2
    pull = mass * GRAVITY * spacing / (4.0 * sag * spacing * max(rows - 1, columns - 1) * steps)
    material: dict[str, Any] = {"ea": ea, "pretension": pull, "damping_time": 0.02} if ea else {}
    pairs = [((i, j), (i, j + 1)) for i in range(rows) for j in range(columns - 1)]
    pairs += [((i, j), (i + 1, j)) for i in range(rows - 1) for j in range(columns)]
    return Scene(
        name="net",
        bodies=tuple(
            Body("ball_{}_{}".format(*at), mass, shape=Sphere(0.05), position=point)
            for at, point in points.items()
            if at not in corners
        ),
        cables=tuple(
            Cable("cable_{}_{}_{}_{}".format(*a, *b), (end(a), end(b)), **material)
            for a, b in pairs
            if not {a, b} <= corners
        ),
    )


def _net_points(
    rows: int, columns: int, spacing: float, sag: float
) -> dict[tuple[int, int], Vector]:
    """Return the knots on the parabolic surface through the corners, row by row [m]."""
    depth = sag * spacing * max(rows - 1, columns - 1)
    points = {}
    for i in range(rows):
        for j in range(columns):
            u = i / (rows - 1)
            v = j / (columns - 1)
            z = -2.0 * depth * (u * (1.0 - u) + v * (1.0 - v))
            points[i, j] = (i * spacing, j * spacing, z)
    return points
