"""Filters of simulation_interfaces that select entities: name, category, tags and bounds."""

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import regex

from cable_sim.errors import unknown
from cable_sim.machine.pictures.extents import Block, extents
from cable_sim.ros.basis.messages import vector_of
from cable_sim.ros.services.simulation_answers import Code, Refusal
from cable_sim.sim.observation import Observation
from cable_sim.spec import Scene

EMPTY, BOX, CONVEX_HULL, SPHERE = range(4)
"""Types of bounds."""
ANY, ALL = range(2)
"""Modes of a filter of tags."""
CATEGORIES = (0, 1, 2, 4, 5)
"""All categories of the standard."""

LONGEST = 1000
"""Largest number of characters of a regular expression."""
PATIENCE = 0.2
"""Longest processor time of a match [s].

Some expressions would practically never end, and other requests wait meanwhile.
"""
UNSUPPORTED = re.compile(r"\(\?(?:[\w-]*x|R|[+-]?\d|&|P>)")
"""Unsupported groups of regular expressions.

With the flag x numbers can be written so that they are not found. Groups that call one another need
unlimited memory.
"""
LARGEST = 100_000
"""Largest length of an expression times all its repetition counts [characters].

So much of it can be in memory.
"""


class EntityFilters:
    """Filters over the bodies of a scene, with ``categories`` and ``tags`` by name."""

    def __init__(
        self, scene: Scene, categories: Mapping[str, int], tags: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._categories = categories
        self._tags = tags
        self._extents = extents(scene)

    def choose(self, filters: Any, seen: Observation) -> list[str]:
        """Return the names that pass all filters, in the scene's order.

        Refusal for an invalid filter.
        """
        wanted = [category.category for category in filters.categories]
        others = sorted(set(wanted) - set(CATEGORIES))
        if others:
            raise Refusal(unknown("categories:", others[0], map(str, CATEGORIES)))
        names = [
            name for name, category in self._categories.items() if not wanted or category in wanted
        ]
        names = self._tagged_names(filters.tags, matching_names(filters.filter, names))
        return self._names_within(filters.bounds, names, seen)

    def _tagged_names(self, tags: Any, names: list[str]) -> list[str]:
        """Return the names with any or all of the tags."""
        if tags.filter_mode not in (ANY, ALL):
            raise Refusal(f"tags: filter_mode {tags.filter_mode} is not known; 0 any, 1 all")
        wanted = set(tags.tags)
        if not wanted:
            return names
        if tags.filter_mode == ALL:
            return [name for name in names if wanted <= set(self._tags[name])]
        return [name for name in names if wanted & set(self._tags[name])]

    def _names_within(self, bounds: Any, names: list[str], seen: Observation) -> list[str]:
        """Return the names that share a point with the bounds, which are in the world's frame."""
        if bounds.type == EMPTY:
            return names
        if bounds.type not in (BOX, SPHERE):
            raise Refusal(
                f"bounds: type {bounds.type} is not supported; 1 box and 3 sphere",
                Code.FEATURE_UNSUPPORTED,
            )
        points = np.array([*map(vector_of, bounds.points)]).reshape(-1, 3)
        if len(points) != 2 or not np.isfinite(points).all():
            raise Refusal(f"bounds: {points.tolist()} are not two points of finite numbers")
        if bounds.type == BOX:
            room = Block(points.mean(axis=0), np.eye(3), 0.5 * np.abs(points[1] - points[0]))
            return [
                name
                for name in names
                if any(part.overlaps(room) for part in self._parts(name, seen))
            ]
        centre = points[0]
        radius = float(points[1, 0])
        if radius < 0.0:
            raise Refusal(f"bounds: a radius of {radius:g} m is not allowed; 0 or above")
        return [
            name
            for name in names
            if any(part.meets_ball(centre, radius) for part in self._parts(name, seen))
        ]

    def _parts(self, name: str, seen: Observation) -> list[Block]:
        """Return the boxes that a body takes up now."""
        body = seen.body(name)
        return [part.move(body.position, body.orientation) for part in self._extents[name]]


def matching_names(pattern: str, names: list[str]) -> list[str]:
    """Return the names in which a regular expression is found; all, without one.

    The syntax is that of the ``regex`` package. It has the constructs of POSIX' extended
    expressions, such as classes ``[[:alpha:]]``, and matching can time out. But it times out only
    after all repetitions have been written out.
    """
    if not pattern:
        return names
    if len(pattern) > LONGEST:
        raise Refusal(f"filter: {len(pattern)} characters are too many; at most {LONGEST}")
    if UNSUPPORTED.search(pattern):
        words = f"filter: {pattern!r} has the flag x or calls a group"
        raise Refusal(f"{words}; neither is supported")
    size = len(pattern) * math.prod(max(int(count), 1) for count in re.findall(r"\{(\d+)", pattern))
    if size > LARGEST:
        words = (
            f"filter: {pattern!r} repeats too much: {len(pattern)} characters times all its "
            "numbers of times"
        )
        raise Refusal(f"{words}; at most {LARGEST} in all")
    try:
        found = regex.compile(pattern)
        return [name for name in names if found.search(name, timeout=PATIENCE, concurrent=True)]
    except regex.error as error:
        raise Refusal(f"filter: {pattern!r} is no regular expression: {error}") from None
    except (TimeoutError, RecursionError, MemoryError, OverflowError):
        raise Refusal(f"filter: {pattern!r} takes too long to match") from None
