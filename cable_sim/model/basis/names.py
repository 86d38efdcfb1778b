"""Names and indices: the only dictionary from the user's words to the rows of the arrays."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError

KINDS = "bodies", "joints", "drives", "cables", "winches", "surfaces", "carriages", "wheels"
"""Kinds of things that have a name."""


@dataclass(frozen=True)
class Names:
    """Names of a model's things, each tuple in the order of the arrays.

    ``spans`` and ``nodes`` hold, for each cable, the slice of the span and node arrays that is its
    own. ``curves`` holds, for each of its spans, the slice of its points among those of all waves,
    None if it stays straight. ``segments`` is the slice of the segments of a cable made of masses,
    None of others. ``own`` nodes of a cable are counted from its first; between two of them there
    is room for contact nodes. ``touches`` are the obstacles of all cables, one after the other.
    ``shapes`` are the things with a shape that touch others; ``contacts`` are the pairs of them
    that may touch, none in a scene with a ``collision``. ``wheel_spans`` are the spans before and
    behind each wheel. ``watched`` are the pairs whose force is watched, as ``one/other``.
    """

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    drives: tuple[str, ...]
    cables: tuple[str, ...]
    winches: tuple[str, ...]
    surfaces: tuple[str, ...]
    carriages: tuple[str, ...]
    wheels: tuple[str, ...]
    nodes: tuple[slice, ...]
    spans: tuple[slice, ...]
    own: tuple[NDArray[np.int64], ...] = field(compare=False)
    touches: tuple[str, ...]
    curves: tuple[tuple[slice | None, ...], ...]
    segments: tuple[slice | None, ...]
    contacts: tuple[tuple[str, str], ...]
    wheel_spans: tuple[tuple[int, ...], ...]
    shapes: tuple[str, ...]
    watched: tuple[str, ...]
    _index: dict[tuple[str, str], int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = {(kind, name): i for kind in KINDS for i, name in enumerate(getattr(self, kind))}
        object.__setattr__(self, "_index", index)

    def check_pair(self, one: str, other: str) -> None:
        """Raise SpecError for things that never touch because the scene names other pairs.

        The error lists the known pairs.
        """
        if self.contacts or not self.shapes:
            if not {(one, other), (other, one)} & set(self.contacts):
                known = ", ".join(f"{a} and {b}" for a, b in self.contacts) or "none"
                raise SpecError(f"contacts: {one!r} and {other!r} are no pair; known are {known}")

    def index(self, kind: str, name: str) -> int:
        """Return the row of ``name`` among the ``kind`` (``"bodies"``, ``"joints"``, ...).

        Raises SpecError, which lists the known names, if there is none.
        """
        try:
            return self._index[kind, name]
        except KeyError:
            known = ", ".join(getattr(self, kind)) or "none"
            raise SpecError(f"{kind}: {name!r} is not known; known are {known}") from None
