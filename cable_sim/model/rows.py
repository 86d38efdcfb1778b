"""The table of rows of a model that is being compiled, with their bodies and bounds."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.rows import SPEED, STABILISED

INFINITE = float("inf")
WIDE = 8
"""Number of movable bodies above which a row is eliminated last."""


@dataclass
class RowTable:
    """Rows in the order in which they are added; see ``kernels/rows.py`` for their meaning."""

    kind: list[int] = field(default_factory=list)
    one_sided: list[bool] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    compliance: list[float] = field(default_factory=list)
    damping_time: list[float] = field(default_factory=list)
    bodies: list[list[int]] = field(default_factory=list)
    limits: list[list[int]] = field(default_factory=list)
    mixed: list[int] = field(default_factory=list)

    def add(
        self,
        kind: int,
        bodies: list[int],
        *,
        lower: float = -INFINITE,
        upper: float = INFINITE,
        one_sided: bool = False,
        compliance: float = 0.0,
        damping_time: float = 0.0,
    ) -> int:
        """Add a row with an entry for every body except the world; return its index."""
        self.kind.append(kind)
        self.one_sided.append(one_sided)
        self.lower.append(0.0 if one_sided else lower)
        self.upper.append(upper)
        self.compliance.append(compliance)
        self.damping_time.append(damping_time)
        self.bodies.append([body for body in bodies if body != 0])
        self.limits.append([])
        return len(self.kind) - 1

    def add_contact(
        self,
        bodies: list[int],
        points: int = 1,
        *,
        compliance: float = 0.0,
        damping_time: float = 0.0,
    ) -> int:
        """Add the rows of a contact; return the first.

        Each point has one along the normal and two of friction.
        """
        first = len(self.kind)
        for _ in range(points):
            normal = self.add(
                STABILISED, bodies, one_sided=True, compliance=compliance, damping_time=damping_time
            )
            for _ in range(2):
                self.limits[self.add(SPEED, bodies)] = [normal]
        return first

    def starts(self, lists: list[list[int]]) -> NDArray[np.int64]:
        """Return the offsets of ragged lists, one more than there are lists."""
        return np.concatenate(
            [[0], np.cumsum([len(items) for items in lists], dtype=np.int64)]
        ).astype(np.int64)

    def order(self, movable: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return an elimination order with a small envelope.

        It is reverse Cuthill-McKee on the rows that share a movable body. Rows on many bodies, such
        as a cable through a string of beads, come last: amid the others they would widen the
        envelope of all that they touch.
        """
        count = len(self.kind)
        moved = [[body for body in bodies if movable[body]] for bodies in self.bodies]
        wide = [row for row, bodies in enumerate(moved) if len(bodies) > WIDE]
        pairs = [
            (row, body)
            for row, bodies in enumerate(moved)
            if len(bodies) <= WIDE
            for body in bodies
        ]
        if count < 2 or not pairs:
            return np.arange(count)
        if moved == count * [[pairs[0][1]]]:
            # every row touches every other one: the same order, without the sparse matrices
            return np.roll(np.arange(count), -1)
        from scipy.sparse import coo_array  # takes longer to load than a small scene to build
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        rows, bodies = np.array(pairs).T
        touches = coo_array(
            (np.ones(len(pairs)), (rows, bodies)), shape=(count, movable.size)
        ).tocsr()
        order = reverse_cuthill_mckee((touches @ touches.T).tocsr(), symmetric_mode=True).astype(
            np.int64
        )
        last = np.isin(order, wide)
        return np.concatenate([order[~last], order[last]])
