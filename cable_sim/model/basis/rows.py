"""The table of rows of a model that is being compiled, with their bodies and bounds."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

INFINITE = float("inf")
WIDE = 8
"""Number of movable bodies above which a row is eliminated last."""


@dataclass
class RowTable:
    """Rows in the order in which they are added; see ``kernels/multibody/rows.py`` for their
    meaning."""

    kind: list[int] = field(default_factory=list)
    one_sided: list[bool] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    compliance: list[float] = field(default_factory=list)
    damping_time: list[float] = field(default_factory=list)
    bodies: list[list[int]] = field(default_factory=list)
    limits: list[list[int]] = field(default_factory=list)
    mixed: list[int] = field(default_factory=list)
    pool: int = 0
    """Rows of the pool of contacts, which are added last."""

    @property
    def own(self) -> int:
        """Number of the rows that are not of the pool of contacts."""
        return len(self.kind) - self.pool

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

    def order(self, movable: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return an elimination order with a small envelope.

        It is reverse Cuthill-McKee on the rows that share a movable body. Rows on many bodies, such
        as a cable through a string of beads, come last: amid the others they would widen the
        envelope of all that they touch.
        """
        own = self._order_own(movable)
        return np.concatenate([own, np.arange(self.own, len(self.kind))])

    def _order_own(self, movable: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the order of the rows that are not of the pool of contacts."""
        own = self.bodies[: self.own]
        moved = [[body for body in bodies if movable[body]] for bodies in own]
        wide = [row for row, bodies in enumerate(moved) if len(bodies) > WIDE]
        narrow = [sorted(set(bodies)) if len(bodies) <= WIDE else [] for bodies in moved]
        if not any(narrow):
            return np.arange(len(narrow))
        order = _narrow_order(narrow)
        last = np.isin(order, wide)
        return np.concatenate([order[~last], order[last]])


def _narrow_order(bodies: list[list[int]]) -> NDArray[np.int64]:
    """Return the reverse Cuthill-McKee order of rows on some bodies each.

    It is the order of SciPy down to every tie. To load ``scipy.sparse`` takes an eighth of a
    crane's start.
    """
    rows: dict[int, list[int]] = {}
    for row, touched in enumerate(bodies):
        for body in touched:
            rows.setdefault(body, []).append(row)
    near = [[*dict.fromkeys(row for body in touched for row in rows[body])] for touched in bodies]
    degree = [len(found) + bool(found) for found in near]  # a row itself counts twice
    seen = [False] * len(bodies)
    order: list[int] = []
    for seed in np.argsort(np.array(degree, np.int32)).tolist():
        waiting = deque([] if seen[seed] else [seed])
        seen[seed] = True
        while waiting:
            row = waiting.popleft()
            order.append(row)
            fresh = [other for other in reversed(near[row]) if not seen[other]]
            for other in fresh:
                seen[other] = True
            waiting += sorted(fresh, key=degree.__getitem__)
    return np.array(order[::-1], np.int64)
