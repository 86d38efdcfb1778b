"""A crane of parts, from its file to a scene, at rest at its start.

Each part that moves is a body with the origin at its centre of mass; each hook is a body on its
ropes. A part without joint adds its places and its picture to the body that carries it. The ropes
are as tight as ``statics.py`` says.
"""

import math
import warnings
from typing import NamedTuple

import numpy as np
from transforms3d.quaternions import mat2quat

from cable_sim.cranes.crane import Axis, Cab, Crane, Suspension
from cable_sim.cranes.families.kit.devices import kit_devices
from cable_sim.cranes.families.kit.look import COLORS, kit_visuals
from cable_sim.cranes.families.kit.parts import TRADES
from cable_sim.cranes.families.kit.reeving import count_falls, find_place, rope_nodes, winch_name
from cable_sim.cranes.families.kit.references import hoist_axes
from cable_sim.cranes.families.kit.spec import KitAxis, KitFile
from cable_sim.cranes.families.kit.statics import Hung, Rest, node_point, solve_rest
from cable_sim.cranes.families.kit.tree import (
    Array,
    Tree,
    body_of,
    carriers,
    coordinates_at_start,
    vector,
)
from cable_sim.cranes.parts.axes import Motion as Pace
from cable_sim.cranes.parts.buffers import stops
from cable_sim.cranes.parts.drives import axis_drive
from cable_sim.cranes.rigging.rig import (
    Hanging,
    Load,
    Slings,
    air_of,
    drags,
    hang_from,
    load_body,
    sling_cables,
    stand_on,
)
from cable_sim.errors import CableSimWarning
from cable_sim.spec import (
    Body,
    Box,
    Cable,
    Drag,
    Drive,
    Elevation,
    Joint,
    Motion,
    Obstacle,
    Scene,
    Winch,
)
from cable_sim.spec.nodes import Node
from cable_sim.spec.quantities import Quaternion, Vector
from cable_sim.spec.scene import GRAVITY

CORNERS = 4
"""Corners of a box that stands on the ground."""
BRAKE_FACTOR = 1.5
"""What a closed brake holds over the drive's largest effort, where the file does not say [-]."""
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


def build_kit(file: KitFile, name: str = "kit") -> Crane:
    """The crane of a file, at rest. Raises SpecError when the parts do not fit together."""
    standing = stand(file)
    _warn(file, standing)
    scene = Scene(
        name=name,
        bodies=_bodies(file, standing),
        joints=_joints(file, standing),
        cables=(*_ropes(file, standing), *_slings(file)),
        drives=tuple(_drive(file, standing, axis) for axis in file.axes),
        surfaces=file.site.surfaces(),
        obstacles=(*file.site.obstacles(), *_decks(file)),
        visuals=(*kit_visuals(file), *file.site.visuals()),
        motions=_motions(file),
        air=air_of(file.wind),
    )
    axes = tuple(_axis(file, standing, axis) for axis in file.axes)
    suspensions = tuple(_suspension(file, standing, hook) for hook in file.hooks)
    return Crane(
        name=name,
        family=file.crane.kind,
        scene=scene,
        axes=axes,
        ropes=tuple(rope for hook in file.hooks.values() for rope in hook.ropes),
        watched=suspensions[0].load if suspensions else _last_body(file),
        suspensions=suspensions,
        cab=_cab(file),
        slings=tuple(sling.name for sling in _slings(file)),
        wind=file.wind.sum_of,
        details=file,
        **kit_devices(file, axes, {hung.hook: hung.n_falls for hung in suspensions}),
    )


def stand(file: KitFile) -> Standing:
    """Return the crane of a file at its start."""
    tree = Tree(file.parts, coordinates_at_start(file))
    nodes = {rope: rope_nodes(file, tree, rope) for rope in file.ropes}
    hooks = {}
    load = 0.0
    for i, hook in enumerate(file.hooks):
        hooks[hook], height = _hang(file, tree, hook, loaded=i == 0)
        load = height if i == 0 else load
    held = {joint.name for _, joint in tree.joints() if joint.stiffness}
    driven = [*(axis.on for axis in file.axes.values()), *held]
    rest = solve_rest(tree, nodes, hooks, driven)
    return Standing(_sunk(file, tree, rest), nodes, hooks, load, rest)


def _sunk(file: KitFile, tree: Tree, rest: Rest) -> Tree:
    """Return the tree with its pads as deep in the ground as the forces on them need."""
    coordinates = dict(tree.coordinates)
    for name, force in rest.ground.items():
        joint = file.parts[name].joint
        assert joint is not None
        deep = force / (CORNERS * file.site.ground.stiffness)
        coordinates[joint.name] -= deep / float(tree.axis(name)[2])
    return Tree(file.parts, coordinates)


def _hang(file: KitFile, tree: Tree, name: str, loaded: bool) -> tuple[Hung, float]:
    """Return a hook at rest, and the height of the load's centre of mass below it [m]."""
    hook = file.hooks[name]
    top = tip_of(file, tree, name)
    rig = file.rig
    weight = hook.mass * GRAVITY
    depth = file.rig.start.at.get(hoist_axes(file)[name], 0.0)
    height = 0.0
    if loaded and rig.load is not None and rig.slings is not None:
        if rig.start.state == "on_ground":
            hanging = _stand(file, tree, rig.load, rig.slings, top)
            depth = float(top[2]) - hanging.hook
        else:
            hanging = hang_from(float(top[2]) - depth, rig.load, rig.slings)
            weight += rig.load.mass * GRAVITY
        height = hanging.load
    centre = top - np.array((0.0, 0.0, depth + hook.places["hook"][2]))
    return Hung(centre, heading_of(tree, hook.base), weight), height


def _stand(file: KitFile, tree: Tree, load: Load, slings: Slings, below: Array) -> Hanging:
    """Return a load at rest on the deck below a point (3,) [m], or on the ground.

    On a deck, which is hard, it stands just not yet.
    """
    for name, part in file.parts.items():
        if part.deck is not None:
            x, y, top = tree.poses[name].point(part.deck.at).tolist()
            a, b, _ = part.deck.size
            if abs(below[0] - x) <= 0.5 * a and abs(below[1] - y) <= 0.5 * b:
                sinking = load.mass * GRAVITY / (4.0 * file.site.ground.stiffness)
                return stand_on(top + sinking + CLEARANCE, load, slings, file.site.ground)
    support = file.site.support_height(float(below[0]), float(below[1]))
    return stand_on(support, load, slings, file.site.ground)


def _decks(file: KitFile) -> tuple[Obstacle, ...]:
    """Return the decks on which the load can stand."""
    if file.rig.load is None:
        return ()
    return tuple(
        part.deck.solid(name, part.centre) for name, part in file.parts.items() if part.deck
    )


def tip_of(file: KitFile, tree: Tree, hook: str) -> Array:
    """Return the place below which a hook hangs in the world (3,) [m]."""
    part, _, place = file.hooks[hook].below.rpartition(".")
    return tree.poses[part].point(file.parts[part].places[place])


def heading_of(tree: Tree, part: str) -> float:
    """Return the direction of a part's x axis from above, anticlockwise from the world's [rad]."""
    x, y = tree.poses[part].turn[:2, 0].tolist()
    return math.atan2(y, x)


def _warn(file: KitFile, standing: Standing) -> None:
    """Warn of joints that their drives or brakes can't hold at the start."""
    for name, axis in file.axes.items():
        load = abs(standing.rest.effort.get(axis.on, standing.rest.tension.get(axis.on, 0.0)))
        for what, limit in (("effort", axis.effort), ("brake", _brake(axis))):
            if load > limit:
                told = f"axes.{name}.{what}: {limit:g} is less than the {load:.4g} that it holds"
                warnings.warn(f"{told} at the start", CableSimWarning, stacklevel=3)


def _brake(axis: KitAxis) -> float:
    """Return what the closed brake of an axis holds [N m or N]."""
    return axis.brake or BRAKE_FACTOR * axis.effort


def _bodies(file: KitFile, standing: Standing) -> tuple[Body, ...]:
    """Parts that move, hooks, and the load."""
    tree = standing.tree
    made = [
        Body(
            name,
            part.mass or 1.0,
            part.moments,
            position=vector(tree.centre(name)),
            orientation=_quaternion(tree.poses[name].turn),
            motion="prescribed" if part.motion else "dynamic",
            shape=Box(*part.size) if part.stands and part.size else None,
            collides=part.stands,
            color=COLORS[part.color],
            drag=tuple(_drag(drag, part.centre) for drag in part.drag),
        )
        for name, part in file.parts.items()
        if part.moves
    ]
    for name, hook in file.hooks.items():
        hung = standing.hooks[name]
        made.append(
            Body(
                name,
                hook.mass,
                Box(*hook.size).inertia(hook.mass),
                position=vector(hung.centre),
                orientation=_upright(hung.heading),
                drag=drags(hook.cd, Box(*hook.size).areas),
            )
        )
    if file.rig.load is not None:
        first = next(iter(standing.hooks.values()))
        x, y, _ = first.centre.tolist()
        made.append(load_body(file.rig.load, (x, y, standing.load), _upright(first.heading)))
    return tuple(made)


def _drag(drag: Drag, centre: Vector) -> Drag:
    """Return a patch of a part in the frame of its body."""
    return Drag(drag.cd, drag.areas, vector(np.subtract(drag.centre, centre)))


def _quaternion(turn: Array) -> Quaternion:
    """Return a rotation matrix as a quaternion (w, x, y, z)."""
    w, x, y, z = mat2quat(turn).tolist()
    return w, x, y, z


def _upright(heading: float) -> Quaternion:
    """Return the orientation of a body that is turned about the vertical [rad]."""
    return math.cos(0.5 * heading), 0.0, 0.0, math.sin(0.5 * heading)


def _joints(file: KitFile, standing: Standing) -> tuple[Joint, ...]:
    """Return the joints; springs are wound up so that they hold what they carry at the start."""
    tree = standing.tree
    made = []
    for name, joint in tree.joints():
        low, high = joint.range
        q = tree.coordinates[joint.name]
        wound = standing.rest.effort[joint.name] / joint.stiffness if joint.stiffness else 0.0
        made.append(
            Joint(
                joint.name,
                joint.kind,
                name,
                body_of(file.parts, file.parts[name].on),
                point=vector(tree.poses[name].origin),
                axis=vector(tree.axis(name)),
                position=min(max(q, low), high),
                lower=low,
                upper=high,
                stiffness=joint.stiffness,
                damping=joint.damping,
                rest=q + wound if joint.stiffness else 0.0,
                **stops(joint.buffer),
            )
        )
    return tuple(made)


def _ropes(file: KitFile, standing: Standing) -> tuple[Cable, ...]:
    """Return the ropes, as tight as what they hold needs."""
    return tuple(
        Cable(
            name=name,
            nodes=standing.nodes[name],
            rope=rope.rope,
            pretension=standing.rest.tension[name],
            elevation=Elevation() if rope.model == "elevation" else None,
            winch=Winch(winch_name(file, name), rope.winch_mass) if rope.winch_mass else None,
            cd=rope.cd,
        )
        for name, rope in file.ropes.items()
    )


def _slings(file: KitFile) -> tuple[Cable, ...]:
    """Return the slings from the first hook to the load."""
    rig = file.rig
    if rig.load is None or rig.slings is None:
        return ()
    name, hook = next(iter(file.hooks.items()))
    return sling_cables(rig.load, rig.slings, name, hook.places["hook"])


def _motions(file: KitFile) -> tuple[Motion, ...]:
    """Return the motions of parts that nothing holds up."""
    made = []
    for name, part in file.parts.items():
        if motion := part.motion:
            if motion.sea is not None and motion.rao is not None:
                made.append(motion.sea.motion(name, motion.rao, motion.ramp))
            else:
                made.append(Motion(name, sines=motion.sines, ramp=motion.ramp))
    return tuple(made)


def _falls(file: KitFile, standing: Standing, axis: KitAxis) -> tuple[str, int]:
    """Return the hook on the rope of an axis and its falls of that rope; no hook and 1 else."""
    for name, hook in file.hooks.items():
        if axis.on in hook.ropes:
            part = hook.below.rpartition(".")[0]
            upper = body_of(file.parts, part)
            return name, count_falls(standing.nodes[axis.on], upper, name)
    return "", 1


def _drive(file: KitFile, standing: Standing, name: str) -> Drive:
    """Return the drive of an axis, of a rope in terms of the rope."""
    axis = file.axes[name]
    _, falls = _falls(file, standing, axis)
    return axis_drive(
        name,
        winch_name(file, axis.on) if axis.on in file.ropes else axis.on,
        Pace(falls * axis.v_max, falls * axis.accel, axis.control),
        tau=axis.tau,
        effort=axis.effort,
        brake=_brake(axis),
        power=axis.power,
        brake_close_delay=axis.close_delay,
        brake_open_delay=axis.open_delay,
    )


def _axis(file: KitFile, standing: Standing, name: str) -> Axis:
    """Return an axis of a joint or of a rope."""
    axis = file.axes[name]
    joint = next((j for _, j in standing.tree.joints() if j.name == axis.on), None)
    unit = joint.unit if joint else "m"
    trade = axis.trade or ("deg/s" if unit == "rad" else "m/min")
    low, high = joint.range if joint else axis.limits or (-math.inf, math.inf)
    hook, falls = _falls(file, standing, axis)
    return Axis(
        name,
        name,
        joint.name if joint else name,
        unit,
        axis.positive or ("paying out" if joint is None else "as the joint counts"),
        low,
        high,
        axis.v_max,
        axis.accel,
        trade,
        TRADES[trade][1] * (1.0 if joint else -1.0),
        ratio=float(falls),
        zero=0.0 if joint else _zero(file, standing, axis, hook, falls),
        reading=_reading(file, axis, hook) if joint is None else "",
        linear=_linear(file, standing.tree, axis, hook),
        control=axis.control,
    )


def _reading(file: KitFile, axis: KitAxis, hook: str) -> str:
    """Return what instruments call the coordinate of an axis on a rope."""
    told = f"{hook} below {file.hooks[hook].below}" if hook else f"{axis.on} paid out"
    return told.replace("_", " ").replace(".", " ")


def _zero(file: KitFile, standing: Standing, axis: KitAxis, hook: str, falls: int) -> float:
    """Return the rope for which an axis reads zero [m]: of a hook that beside its falls as long as
    its depth, by the rope's way at the start; of another rope all that is out then."""
    nodes = standing.nodes[axis.on]
    points = [node_point(standing.tree, standing.hooks, node) for node in nodes]
    way = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    if not hook:
        return way / (1.0 + standing.rest.tension[axis.on] / file.ropes[axis.on].rope.ea)
    height = standing.hooks[hook].centre[2] + file.hooks[hook].places["hook"][2]
    return way - falls * float(tip_of(file, standing.tree, hook)[2] - height)


def _linear(file: KitFile, tree: Tree, axis: KitAxis, hook: str) -> str:
    """Return the direction in the world in which an axis moves a load at every pose, with its
    sign; empty if there is none."""
    part = next((name for name, joint in tree.joints() if joint.name == axis.on), "")
    carrier = part or (file.hooks[hook].below.rpartition(".")[0] if hook else "")
    chain = [file.parts[name] for name in carriers(file.parts, carrier)] if carrier else []
    if not chain or any(p.motion or p.free or (p.joint and p.joint.kind == "hinge") for p in chain):
        return ""
    direction = tree.axis(part) if part else np.array((0.0, 0.0, -1.0))
    i = int(np.argmax(np.abs(direction)))
    if abs(direction[i]) < 1.0 - 1e-9:
        return ""
    return ("-" if direction[i] < 0.0 else "") + "xyz"[i]


def _suspension(file: KitFile, standing: Standing, name: str) -> Suspension:
    """Return what hangs on a hook: on the first one the load."""
    hook = file.hooks[name]
    first = name == next(iter(file.hooks))
    place = find_place(file, standing.tree, hook.below)
    return Suspension(
        hook.base,
        place.body,
        name,
        "load" if first and file.rig.load is not None else name,
        sum(count_falls(standing.nodes[rope], place.body, name) for rope in hook.ropes),
        name="" if first else name.removesuffix("_hook").removesuffix("_block"),
        ropes=hook.ropes,
        trolley_point=place.position,
    )


def _cab(file: KitFile) -> Cab | None:
    """Return the driver's place."""
    if file.cab is None:
        return None
    eyes = np.subtract(file.cab.eyes, file.parts[file.cab.part].centre)
    return Cab(file.cab.part, vector(eyes))


def _last_body(file: KitFile) -> str:
    """Return the last part that moves; empty without one."""
    return next((name for name in reversed(file.parts) if file.parts[name].moves), "")
