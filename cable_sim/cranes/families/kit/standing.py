"""A crane of parts at its start: coordinates of its joints, places of what hangs, forces at rest.

A part that hangs in its ropes alone goes where it is at rest: its height and pitch are those for
which the forces of ``statics.py`` leave nothing over.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from cable_sim.cranes.families.kit.reeving import friction_wheels, hauled_part, line_tie, rope_nodes
from cable_sim.cranes.families.kit.references import hoist_axes
from cable_sim.cranes.families.kit.statics import Rest, check_signs, solve_rest
from cable_sim.cranes.families.kit.strands import UP, End, Hung, node_point, strands_of, turned
from cable_sim.cranes.families.kit.tree import Array, Tree, coordinates_at_start
from cable_sim.cranes.families.kit.words.carriers import carriers
from cable_sim.cranes.families.kit.words.spec import KitFile
from cable_sim.cranes.rigging.reeving import resting_yaw
from cable_sim.cranes.rigging.rig import (
    Hanging,
    Load,
    Slings,
    hang_from,
    stand_on,
    sunk_height,
    tie,
)
from cable_sim.errors import SpecError
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.scene import GRAVITY

CORNERS = 4
"""Corners of a box that stands on the ground."""
SETTLED = 1e-6
"""Force or moment over the weight that a part which hangs in its ropes may be left with [-, m]."""
SUNK = 0.01
"""Depth in the ground at which a load may hang at the start [m]: what its corners may sink in."""
CLEARANCE = 1e-4
"""Height of a load over the deck on which it stands at the start [m]."""


class Standing(NamedTuple):
    """A crane at its start: the tree of its parts, the nodes of its ropes, its hooks, the height of
    its load [m], and the forces at rest."""

    tree: Tree
    nodes: dict[str, tuple[Node, ...]]
    hooks: dict[str, Hung]
    load: float
    rest: Rest

    def pull_on(self, name: str) -> float:
        """Return what a rope pulls at its winch, or at the rim of a wheel, at rest [N]."""
        tension = self.rest.tension
        strands = [*tension]
        before = 0.0 if name in self.nodes else tension[strands[strands.index(name) - 1]]
        return abs(tension[name] - before)


def stand(file: KitFile) -> Standing:
    """Return the crane of a file at its start.

    Raises SpecError for forces that can't be, and for parts that their ropes can't hold.
    """
    coordinates = coordinates_at_start(file) | _surges(file)
    pads = [carriers(file.parts, name) for name, part in file.parts.items() if part.is_pad]
    carried = {name for chain in pads for name in chain}
    hung = [name for name, part in file.parts.items() if part.free and not part.stands]
    hung = [name for name in hung if name not in carried]
    if hung:
        coordinates |= _settle(file, coordinates, hung)
    standing = _stand_at(file, coordinates)
    _check_load(file, standing)
    _check_level(file, standing)
    rest = check_signs(standing.rest)
    return standing._replace(tree=_sunk(file, standing.tree, rest), rest=rest)


def _surges(file: KitFile) -> dict[str, float]:
    """Return the ways along x at which axes on wheels start, of the parts that they haul [m]."""
    tree = Tree(file.parts, coordinates_at_start(file))
    surges = {}
    for name, axis in file.axes.items():
        if part := hauled_part(file, axis.on):
            carrier = friction_wheels(file)[axis.on]
            wheel = tree.poses[carrier].point(file.parts[carrier].wheels[axis.on].at)
            way = file.rig.start.at.get(name, 0.0)
            surges[f"{part}.surge"] = math.copysign(way, way * (tree.poses[part].origin - wheel)[0])
    return surges


def _settle(file: KitFile, coordinates: Mapping[str, float], hung: list[str]) -> dict[str, float]:
    """Return height [m] and pitch [rad] of parts that hang in their ropes, off their ``at``."""
    from scipy.optimize import least_squares  # slow to import, and few parts hang in ropes

    names = [f"{name}.{word}" for name in hung for word in ("rise", "pitch")]

    def left(offsets: Array) -> Array:
        moved = {**coordinates, **dict(zip(names, offsets.tolist(), strict=True))}
        return _stand_at(file, moved).rest.left

    found = least_squares(left, np.zeros(len(names)), method="lm", xtol=1e-12, ftol=1e-12)
    weight = sum(file.parts[name].mass or 0.0 for name in hung) * GRAVITY
    places = [pose.origin for pose in Tree(file.parts, coordinates).poses.values()]
    # endlessly far below, ropes that are too loose would hold it
    farthest = float(np.abs(found.x[::2]).max())
    told = ""
    if np.abs(found.fun).max() > SETTLED * weight:
        told = f"{np.abs(found.fun).max():.3g} N or N m are left"
    elif farthest > float(np.ptp(places, axis=0).max()):
        told = f"it would be {farthest:.3g} m off"
    if told:
        raise SpecError(f"parts.{hung[0]}: its ropes can't hold it near its 'at': {told}")
    return dict(zip(names, found.x.tolist(), strict=True))


def _stand_at(file: KitFile, coordinates: Mapping[str, float]) -> Standing:
    """Return a crane at such coordinates, with the forces that would hold it there."""
    tree = Tree(file.parts, coordinates)
    nodes = {rope: rope_nodes(file, tree, rope) for rope in file.ropes}
    hooks = {}
    load = 0.0
    for i, hook in enumerate(file.hooks):
        hooks[hook], height = _hang(file, tree, hook, loaded=i == 0)
        load = height if i == 0 else load
        yaw = _resting_yaw(file, tree, hook, hooks[hook], nodes)
        hooks[hook] = hooks[hook]._replace(yaw=yaw)
    tree = Tree(file.parts, coordinates, {name: hung.pose for name, hung in hooks.items()})
    held = {joint.name for _, joint in tree.joints() if joint.stiffness}
    held |= {freedom.name for freedom in (*tree.beam_ends(), *tree.riders())}
    driven = [*(axis.on for axis in file.axes.values()), *held]
    strands = [
        strand
        for name, rope in file.ropes.items()
        for strand in strands_of(name, rope, tree, hooks, nodes[name])
    ]
    ties = [*_ties(file, tree, hooks)]
    return Standing(tree, nodes, hooks, load, solve_rest(tree, strands, hooks, driven, ties))


def _resting_yaw(
    file: KitFile, tree: Tree, name: str, hung: Hung, nodes: Mapping[str, tuple[Node, ...]]
) -> float:
    """Return the angle by which a rope that does not swivel turns its hook at rest [rad].

    0 for a hook on several ropes, whose torques are taken to hold one another.
    """
    (rope, *others) = file.hooks[name].ropes
    if others or file.ropes[rope].swivel:
        return 0.0
    points = np.array([node_point(tree, {name: hung}, node) - hung.centre for node in nodes[rope]])
    on_block = np.array([node.body == name for node in nodes[rope]])
    return resting_yaw(points, on_block, file.ropes[rope].rope, hung.weight)


def _ties(file: KitFile, tree: Tree, hooks: Mapping[str, Hung]) -> Iterator[End]:
    """Yield the ties of the lines."""
    for name, line in file.lines.items():
        tie = line_tie(file, tree, name)
        point = node_point(tree, hooks, tie)
        yield End(tie.body, point, line.hanging_weight(point[2] - file.site.level, GRAVITY) * UP)


def _sunk(file: KitFile, tree: Tree, rest: Rest) -> Tree:
    """Return the tree with its pads as deep in the ground as the forces on them need."""
    coordinates = dict(tree.coordinates)
    for name, force in rest.ground.items():
        joint = file.parts[name].joint
        assert joint is not None
        deep = force / (CORNERS * file.site.ground.stiffness)
        coordinates[joint.name] -= deep / float(tree.axis(name)[2])
    return Tree(file.parts, coordinates, tree.hooks)


def _hang(file: KitFile, tree: Tree, name: str, loaded: bool) -> tuple[Hung, float]:
    """Return a hook at rest, and the height of the load's centre of mass below it [m]."""
    hook = file.hooks[name]
    top = tip_of(file, tree, name)
    rig = file.rig
    depth = file.rig.start.at.get(hoist_axes(file)[name], 0.0)
    weight = file.hook_mass(name, full=True) * GRAVITY
    heading = heading_of(tree, hook.base)
    height = 0.0
    aside = np.zeros(3)
    if loaded and rig.load is not None:
        hanging = _load_heights(file, tree, rig.load, top, depth)
        depth = float(top[2]) - hanging.hook if rig.stands else depth
        height = hanging.load
    centre = top - np.array((0.0, 0.0, depth + hook.places["hook"][2]))
    if loaded and rig.load is None:
        weight += _tag_mass(file, float(centre[2])) * GRAVITY
    elif loaded and rig.load is not None and not rig.stands:
        weight += (rig.load.mass + _tag_mass(file, height)) * GRAVITY
        share = rig.load.mass * GRAVITY / weight
        aside = turned((share * rig.load.offset[0], share * rig.load.offset[1], 0.0), heading)
    tilts = hook.spreader is not None
    return Hung(centre, heading, weight, tilts=tilts, aside=aside), height


def _load_heights(file: KitFile, tree: Tree, load: Load, below: Array, depth: float) -> Hanging:
    """Return the heights of the first hook, ``depth`` below a point (3,) [m] unless the load says
    another, and of the load: one on slings, or one that a spreader holds."""
    rig = file.rig
    hook = float(below[2]) - depth
    if rig.slings is not None:
        return (
            _stand(file, tree, load, rig.slings, below)
            if rig.stands
            else hang_from(hook, load, rig.slings)
        )
    if not rig.stands:
        return Hanging(hook, hook - 0.5 * load.size[2])
    top = sunk_height(_clear_support(file, tree, below, load), load, file.site.ground)
    return Hanging(hook if file.load_is_loose else top, top - 0.5 * load.size[2])


def _check_load(file: KitFile, standing: Standing) -> None:
    """Raise SpecError for a load that hangs below what it could stand on, or stands too high, and
    for a spreader below what it could stand on."""
    load = file.rig.load
    name = next(iter(file.hooks), "")
    axis = file.axes.get(hoist_axes(file).get(name, ""))
    if (load is None and not file.spreader) or axis is None:
        return
    hook = file.hooks[name]
    top = tip_of(file, standing.tree, name)
    depth = float(top[2] - standing.hooks[name].centre[2] - hook.places["hook"][2])
    if load is not None and file.rig.stands and not file.load_is_loose:
        least = axis.limits[0] if axis.limits else 0.0
        if depth < least:
            told = f"is too high to stand under the raised hook, which would be {depth:g} m below"
            raise SpecError(f"rig.load.size: {told} {hook.below}; {least:g} m is the least")
        return
    support = _support(file, standing.tree, top)[0]
    half = 0.5 * load.size[2] if load else 0.0
    low = support - (standing.load - half if load else float(top[2]) - depth)
    if file.load_is_loose:
        low = standing.load + half - (float(top[2]) - depth)
    if low > SUNK:
        bare = load is None or file.load_is_loose
        what = f"{name} on what is below" if bare else "load on its support"
        told = f"must be at most {depth - low:g} ({what}), not {depth:g}"
        raise SpecError(f"rig.start.at.{hoist_axes(file)[name]}: {told}")


def _check_level(file: KitFile, standing: Standing) -> None:
    """Raise SpecError for a spreader that its ropes can't hold level."""
    for name, hook in file.hooks.items():
        left = float(np.abs(standing.rest.left).max(initial=0.0))
        if hook.spreader and left > SETTLED * standing.hooks[name].weight:
            told = f"can't hold the spreader level: {left:.3g} N or N m are left"
            raise SpecError(
                f"hooks.{name}.ropes: {told}; it takes three or more, around its middle"
            )


def _tag_mass(file: KitFile, load: float) -> float:
    """Return the mass of a tag line [kg] that a load, or an empty spreader, carries whose middle is
    at a height [m]."""
    tag = file.rig.tag_line
    if tag is None:
        return 0.0
    return tag.hanging_mass(load + tie(file.tied_to[1])[0][2] - file.site.level)


def _stand(file: KitFile, tree: Tree, load: Load, slings: Slings, below: Array) -> Hanging:
    """Return a load at rest on the deck below a point (3,) [m], or on the ground."""
    return stand_on(_clear_support(file, tree, below, load), load, slings, file.site.ground)


def _clear_support(file: KitFile, tree: Tree, below: Array, load: Load) -> float:
    """Return the height on which a load stands that is at a point (3,) in plan [m].

    On a deck, which is hard, it stands just not yet. Raises SpecError for one over nothing.
    """
    support, hard = _support(file, tree, below)
    if support == -math.inf:
        x, y, _ = below.tolist()
        told = f"'on_ground', and below the load at ({x:g}, {y:g}) m is nothing to stand on"
        raise SpecError(f"rig.start.state: {told}")
    if hard:
        support += load.mass * GRAVITY / (4.0 * file.site.ground.stiffness) + CLEARANCE
    return support


def _support(file: KitFile, tree: Tree, below: Array) -> tuple[float, bool]:
    """Return the height of what is below a point (3,) [m], and whether that is a deck."""
    for name, part in file.parts.items():
        if part.deck is not None:
            x, y, top = tree.poses[name].point(part.deck.at).tolist()
            a, b, _ = part.deck.size
            if abs(below[0] - x) <= 0.5 * a and abs(below[1] - y) <= 0.5 * b:
                return top, True
    return file.site.support_height(float(below[0]), float(below[1])), False


def tip_of(file: KitFile, tree: Tree, hook: str) -> Array:
    """Return the place below which a hook hangs in the world (3,) [m]."""
    part, _, place = file.hooks[hook].below.rpartition(".")
    return tree.poses[part].point(file.parts[part].places[place])


def heading_of(tree: Tree, part: str) -> float:
    """Return the direction of a part's x axis from above, anticlockwise from the world's [rad]."""
    x, y = tree.poses[part].turn[:2, 0].tolist()
    return math.atan2(y, x)
