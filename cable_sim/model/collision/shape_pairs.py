"""Packing of pairs of shapes: materials of their own, pairs that joints hold, pairs watched."""

from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError
from cable_sim.kernels.collision.candidates import IGNORED
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import ints, offsets
from cable_sim.model.collision.collision import Piece
from cable_sim.model.collision.contacts import Touching
from cable_sim.spec import Scene
from cable_sim.spec.quantities import WORLD


def pack_shape_pairs(
    scene: Scene, touching: Touching, index: BodyIndex, pieces: list[Piece]
) -> dict[str, Any]:
    """Return the arrays of pairs of shapes."""
    return {
        **pack_pairs(name_pairs(scene, touching, index, pieces), len(pieces)),
        **_pack_holds(scene),
        "pool.watch": _watched(scene, pieces),
    }


def pack_pairs(named: dict[tuple[int, int], int], count: int) -> dict[str, Any]:
    """Return the arrays of pairs of shapes i < j, of ``count``, with a material of their own."""
    keys = ints(i * count + j for i, j in named)
    order = np.argsort(keys)
    values = ints([*named.values()])
    return {"pool.pair_key": keys[order], "pool.pair_material": values[order]}


def _pack_holds(scene: Scene) -> dict[str, Any]:
    """Return the arrays of the joints that hold pairs of shapes together."""
    holds = _list_holds(joined_bodies(scene))
    return {
        "pool.hold_start": offsets(holds),
        "pool.hold_joint": ints(j for joints in holds for j in joints),
    }


def _watched(scene: Scene, pieces: list[Piece]) -> NDArray[np.int64]:
    """Return the pairs of shapes that are watched, with the number of the pair of names.

    Raises ModelError for a name without a shape that touches.
    """
    found = []
    for k, pair in enumerate(scene.collision.watch if scene.collision else ()):
        some, others = ([i for i, p in enumerate(pieces) if p.name == name] for name in pair)
        for name, own in zip(pair, (some, others), strict=True):
            if not own:
                raise ModelError(f"collision: watch: {name!r} has no shape that touches")
        found += [(i, j, k) for i, j in product(some, others)]
    return ints(found, 3)


def _list_holds(joined: dict[tuple[str, str], tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the sets of joints that hold bodies together, each once."""
    return list(dict.fromkeys(filter(None, joined.values())))


def name_pairs(
    scene: Scene, touching: Touching, index: BodyIndex, pieces: list[Piece]
) -> dict[tuple[int, int], int]:
    """Return the materials of pairs of shapes that have their own."""
    collision = scene.collision
    first = 1 + len(scene.surfaces) + len(collision.things if collision else ())
    last = 0 if collision is None else first + len(collision.pairs)
    place = {touch: m for m, touch in enumerate(touching.touches, start=last)}
    named = {pair: place[known.touch] for pair, known in touching.name_pairs().items()}
    if collision is None:
        return named
    on_body: dict[int, list[int]] = {}
    of_name: dict[str, list[int]] = {}
    for i, piece in enumerate(pieces):
        on_body.setdefault(piece.body, []).append(i)
        of_name.setdefault(piece.name, []).append(i)
    found: dict[tuple[int, int], int] = {}

    def note(some: list[int], others: list[int], material: int) -> None:
        for i, j in product(some, others):
            pair = min(i, j), max(i, j)
            if pair in named or (i != j and IGNORED not in {pieces[k].material for k in pair}):
                found[pair] = material

    joined = joined_bodies(scene)
    holds = {joints: IGNORED - 1 - k for k, joints in enumerate(_list_holds(joined))}
    for (one, other), joints in joined.items():
        own, others = on_body.get(index.row[one], []), on_body.get(index.row[other], [])
        note(own, others, holds.get(joints, IGNORED))
    for a, b in collision.ignored:
        note(of_name.get(a, []), of_name.get(b, []), IGNORED)
    for m, (a, b, _) in enumerate(collision.pairs):
        note(of_name.get(a, []), of_name.get(b, []), first + m)
    return named | found


def joined_bodies(scene: Scene) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return the pairs of bodies that joints connect, and the numbers of these.

    What joints fix together at the start is one thing; two bodies of it have the joints between
    them, or none. A joint to the world connects with no shape there.
    """
    group = {body.name: body.name for body in scene.bodies} | {WORLD: WORLD}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for joint in scene.joints:
        if joint.kind == "fixed" and not joint.open:
            group[root(joint.child)] = root(joint.parent)
    members: dict[str, list[str]] = {}
    for name in group:
        members.setdefault(root(name), []).append(name)
    fixed = (pair for names in members.values() for pair in combinations(sorted(names), 2))
    found: dict[tuple[str, str], tuple[int, ...]] = dict.fromkeys(fixed, ())
    for j, joint in enumerate(scene.joints):
        some, others = [joint.parent], [joint.child]
        roots = {root(joint.parent), root(joint.child)}
        if len(roots) == 2 and root(WORLD) not in roots:
            some, others = (members[root(name)] for name in (joint.parent, joint.child))
        for a, b in product(some, others):
            if WORLD not in (a, b):
                pair = min(a, b), max(a, b)
                found[pair] = (*found.get(pair, ()), j)
    return found
