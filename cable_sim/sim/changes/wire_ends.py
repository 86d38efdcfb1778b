"""Cutting of hybrid wires, release and attachment of their ends: changes of state between steps."""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import CommandError, unknown
from cable_sim.kernels.cables.contact.contact_path import MASSIVE, UNUSED
from cable_sim.model.basis.frames import rotation
from cable_sim.sim.running import SceneOperations
from cable_sim.spec import Cable
from cable_sim.spec.quantities import WORLD

Array = NDArray[np.float64]
End = Literal["first", "last"]
ENDS = ("first", "last")
ROUNDING = 1e-9
"""Part by which the rope of a wire may fall short of its length, as sums of its pieces do."""


class WireEnds(SceneOperations):
    """Operations on the hybrid wires of a running scene."""

    def cut(self, cable: str, place: float) -> None:
        """Cut a hybrid wire in the next step, at a ``place`` along the rope from its start [m].

        The start is the first node.
        """
        n, c, _ = self._wire(cable)
        length = float(
            self._state.spans.rest_length[slice(*self._model.cables.node_start[c : c + 2])].sum()
        )
        if not (math.isfinite(place) and 0.0 <= place <= (1.0 + ROUNDING) * length):
            raise CommandError(
                f"cut {cable!r} at {place} m: it has {length:.6g} m of rope; 0 to that is allowed"
            )
        self._state.wires.cut_place[n] = min(place, length)
        self._running.intervene()

    def release(self, cable: str, end: End = "last") -> None:
        """Release the ``first`` or ``last`` end of a hybrid wire.

        It is a free mass with the velocity of its body then; the twist is lost.
        """
        _, c, made = self._wire(cable)
        k = self._end(c, end)
        state = self._state
        if end == "first" and made.winch:
            raise CommandError(
                f"release {cable!r}, first: its winch {made.winch.name!r} holds it; cut it instead"
            )
        if state.nodes.contact_solid[k] == MASSIVE:
            raise CommandError(f"release {cable!r}, {end}: it is free already")
        place = self._place(k)
        b = state.nodes.body[k]
        velocity, spin = np.split(state.bodies.velocity[b], 2)
        state.nodes.velocity[k] = velocity + np.cross(spin, place - state.bodies.position[b])
        self._set_end(c, k, 0, -1, MASSIVE, place)
        state.nodes.held_direction[k] = 0.0
        state.cables.twist_expected[c] = math.inf
        self._running.intervene()

    def attach(
        self, cable: str, body: str, position: ArrayLike | None = None, end: End = "last"
    ) -> None:
        """Attach a free end of a hybrid wire to a body.

        The end stays where it is, or goes to a near ``position`` (3,) in the body's frame [m].
        Raises CommandError, and changes nothing, for an end that is not free and a position out of
        reach. The body must be the world, the one that the end started on, or one of the wire's
        ``attaches``.
        """
        n, c, made = self._wire(cable)
        k = self._end(c, end)
        state = self._state
        if state.nodes.contact_solid[k] != MASSIVE:
            raise CommandError(f"attach {cable!r}, {end}: it is attached already; release it first")
        own = made.nodes[0 if end == "first" else -1].body
        allowed = tuple(dict.fromkeys((own, *made.model.attaches, WORLD)))
        if body not in allowed:
            raise CommandError(
                f"attach {cable!r} to {body!r}: allowed are {', '.join(map(repr, allowed))}; "
                "others have to be named in the attaches of its hybrid"
            )
        b = 0 if body == WORLD else self.names.index("bodies", body) + 1
        here = self._place(k)
        point = (here - state.bodies.position[b]) @ rotation(state.bodies.orientation[b])
        reach = float(self._model.wires.finest[n])
        if position is None:
            self._refuse_far(cable, body, point, reach)
        else:
            point = self._attachment_near(cable, point, position, reach)
        span = self._neighbour(c, k)
        before = math.dist(here, self._place(span[0]))
        self._set_end(c, k, b, self._slot(n, b), UNUSED, point)
        longer = math.dist(self._place(k), self._place(span[0])) - before
        state.nodes.path_offset[span[1]] += max(
            longer, 0.0
        )  # its path at once got longer; no jerk, see ``hybrid.py``
        self._running.intervene()

    def _refuse_far(self, cable: str, body: str, point: Array, reach: float) -> None:
        """Refuse to attach an end to a body that is not beside it, judged by the body's shape."""
        shape = None if body == WORLD else self.scene.bodies[self.names.index("bodies", body)].shape
        away = float(np.linalg.norm(point)) - (shape.outreach if shape else math.inf)
        if away > reach:
            raise CommandError(
                f"attach {cable!r}: {body!r} is {away:.3g} m from its end; bring it to "
                f"{reach:.3g} m"
            )

    def _attachment_near(self, cable: str, here: Any, wanted: Any, reach: float) -> Any:
        """Return the attachment point on a body, unless it is out of reach."""
        point = np.asarray(wanted, dtype=float)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise CommandError(f"attach {cable!r}: position {wanted!r} is not three finite numbers")
        away = math.dist(point, here)
        if away > reach:
            raise CommandError(
                f"attach {cable!r}: that point is {away:.3g} m from its end; bring it within "
                f"{reach:.3g} m first"
            )
        return point

    def _wire(self, name: str) -> tuple[int, int, Cable]:
        """Return the rows of a hybrid wire among the wires and the cables, and its spec."""
        c = self.names.index("cables", name)
        if not self._model.cables.wire[c]:
            raise CommandError(
                f"cable {name!r} is no hybrid wire: only these can be cut, released and attached; "
                "part, unhook and hook are for others"
            )
        return int(np.flatnonzero(self._model.wires.cable == c)[0]), c, self.scene.cables[c]

    def _end(self, c: int, end: str) -> int:
        """Return the node of an end of cable c."""
        if end not in ENDS:
            name = self.names.cables[c]
            raise CommandError(f"cable {name!r}: {unknown('end', end, ENDS)}")
        return int(
            self._model.cables.node_start[c]
            if end == "first"
            else self._model.cables.node_start[c + 1] - 1
        )

    def _slot(self, n: int, body: int) -> int:
        """Return the row entry of a body in the rows of wire n; -1 for the world."""
        if body == 0:
            return -1
        m = self._model
        first = int(m.rows.entry_start[m.wires.row[m.wires.row_start[n]]])
        return m.rows.entry_body[first : first + int(m.wires.bodies[n])].tolist().index(body)

    def _place(self, k: int) -> Array:
        """Return the position of node k in the world [m]."""
        state = self._state
        b = int(self._state.nodes.body[k])
        return np.asarray(
            state.bodies.position[b] + rotation(state.bodies.orientation[b]) @ state.nodes.point[k]
        )

    def _neighbour(self, c: int, k: int) -> tuple[int, int]:
        """Return the node next to the end k of cable c, and the span between them."""
        first = int(self._model.cables.node_start[c])
        if k == first:
            return k + 1, k
        near = k - 1
        own = {first + int(i) for i in self.names.own[c]}
        while near not in own and self._state.nodes.contact_solid[near] == UNUSED:
            near -= 1
        return near, near

    def _set_end(self, c: int, k: int, body: int, slot: int, touch: int, point: Any) -> None:
        """Set the end k of cable c; unused contact nodes go to the last node."""
        state = self._state
        first = k if k == self._model.cables.node_start[c] else self._neighbour(c, k)[0] + 1
        for node in range(first, k + 1):
            state.nodes.body[node] = body
            state.nodes.row_entry[node] = slot
            state.nodes.point[node] = point
        state.nodes.contact_solid[k] = touch
