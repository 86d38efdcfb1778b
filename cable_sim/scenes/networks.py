"""Many bodies: the chain and the net."""

import math
from typing import Any, NamedTuple

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


Knot = tuple[int, int]
"""Row and column of a knot."""


class Net(NamedTuple):
    """Net of rows and columns, held at its corners: the places [m] of its knots, row by row."""

    rows: int
    columns: int
    places: dict[Knot, Vector]

    @property
    def held(self) -> set[Knot]:
        """Corners, or both ends of a single row."""
        return {(i, j) for i in (0, self.rows - 1) for j in (0, self.columns - 1)}

    @property
    def pairs(self) -> list[tuple[Knot, Knot]]:
        """Pairs of neighbours, without those of two held knots unless there is no other."""
        rows = range(self.rows)
        columns = range(self.columns)
        along = [((i, j), (i, j + 1)) for i in rows for j in columns[:-1]]
        across = [((i, j), (i + 1, j)) for i in rows[:-1] for j in columns]
        pairs = along + across
        return pairs if len(pairs) == 1 else [pair for pair in pairs if not {*pair} <= self.held]

    def balls(self, mass: float, radius: float) -> tuple[Body, ...]:
        """Return a ball of that mass [kg] and radius [m] for each knot that is not held."""
        return tuple(
            Body(_ball(at), mass, shape=Sphere(radius), position=place)
            for at, place in self.places.items()
            if at not in self.held
        )

    def end(self, at: Knot) -> Anchor:
        """Return the end of a cable at a knot."""
        return Anchor("world", self.places[at]) if at in self.held else Anchor(_ball(at))


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
    knots = Net(rows, columns, _net_points(rows, columns, spacing, sag))
    steps = 1.0 / (rows - 1) ** 2 + 1.0 / (columns - 1) ** 2
    pull = mass * GRAVITY * spacing / (4.0 * sag * spacing * max(rows - 1, columns - 1) * steps)
    material: dict[str, Any] = {"ea": ea, "pretension": pull, "damping_time": 0.02} if ea else {}
    return Scene(
        name="net",
        bodies=knots.balls(mass, 0.05),
        cables=tuple(
            Cable("cable_{}_{}_{}_{}".format(*a, *b), (knots.end(a), knots.end(b)), **material)
            for a, b in knots.pairs
        ),
    )


def _ball(at: Knot) -> str:
    """Return the name of the ball at a knot."""
    return "ball_{}_{}".format(*at)


def _net_points(rows: int, columns: int, spacing: float, sag: float) -> dict[Knot, Vector]:
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
