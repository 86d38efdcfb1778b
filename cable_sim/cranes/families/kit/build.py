"""A crane of parts, from its file to a scene, at rest at its start.

Each part that moves is a body with the origin at its centre of mass; each hook is a body on its
ropes. A part without joint adds its places and its picture to the body that carries it. The ropes
are as tight as ``statics.py`` says.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from transforms3d.quaternions import mat2quat

from cable_sim.cranes.container.micro_motion import Wheels
from cable_sim.cranes.crane import Axis, Cab, Crane, Suspension, WheelTurn
from cable_sim.cranes.families.kit import beams
from cable_sim.cranes.families.kit.devices import kit_devices, reading_of
from cable_sim.cranes.families.kit.load import Lifted, lifted, twistlocks_of
from cable_sim.cranes.families.kit.look import BALL, COLORS, kit_aims, kit_visuals
from cable_sim.cranes.families.kit.reeving import (
    find_place,
    hauled_part,
    line_tie,
    ropes_on_winch,
    winch_name,
)
from cable_sim.cranes.families.kit.remarks import brake_of, warn_of_kit
from cable_sim.cranes.families.kit.solids import kit_collision, kit_solids
from cable_sim.cranes.families.kit.standing import Standing, stand, tip_of
from cable_sim.cranes.families.kit.statics import Rest
from cable_sim.cranes.families.kit.strands import Hung, node_point
from cable_sim.cranes.families.kit.tree import Array, Tree, vector
from cable_sim.cranes.families.kit.words.carriers import body_of, carriers, root_of
from cable_sim.cranes.families.kit.words.parts import TRADES
from cable_sim.cranes.families.kit.words.spec import Hook, KitAxis, KitFile
from cable_sim.cranes.parts.buffers import stops
from cable_sim.cranes.parts.drawn import STEEL, YELLOW
from cable_sim.cranes.rigging.falling_ropes import lay_falling_ropes, rope_when_slack
from cable_sim.cranes.rigging.reeving import fall_spans
from cable_sim.cranes.rigging.rig import drags, upright
from cable_sim.errors import SpecError
from cable_sim.spec import (
    Air,
    Beam,
    Body,
    Box,
    Cable,
    Carriage,
    Drive,
    Joint,
    Motion,
    Obstacle,
    Scene,
    Sphere,
    Wheel,
    Winch,
)
from cable_sim.spec.cables.nodes import Node
from cable_sim.spec.quantities import WORLD, Quaternion
from cable_sim.spec.scene import GRAVITY


def build_kit(file: KitFile, name: str = "kit") -> Crane:
    """The crane of a file, at rest. Raises SpecError when the parts do not fit together."""
    standing = stand(file)
    steel = tuple(beams.beams(standing))
    warn_of_kit(file, standing, steel)
    ropes = _ropes(file, standing, steel)
    load = lifted(file, standing)
    falling = [rope_when_slack(rope) for rope in ropes if file.ropes[rope.name].when_slack]
    plain = _scene(file, standing, steel, ropes, load, name)
    axes = tuple(_axis(file, standing, axis) for axis in file.axes)
    suspensions = tuple(_suspension(file, standing, hook) for hook in file.hooks)
    return Crane(
        name=name,
        family=file.crane.kind,
        axes=(*axes, *_slow_axes(file)),
        ropes=tuple(rope for hook in file.hooks.values() for rope in hook.ropes)
        or tuple(file.lines),
        watched=suspensions[0].load if suspensions else _last_body(file),
        suspensions=suspensions,
        cab=_cab(file),
        wheels=next((turn for *_, turn in _wheels(file, standing.tree)), None),
        twistlocks=twistlocks_of(file),
        slings=tuple(one.name for one in load.cables if one.name.startswith("sling_")),
        wind=file.wind.sum_of,
        sprung=file.crane.sprung,
        following={
            part: motion.poses
            for part, made in file.parts.items()
            if (motion := made.motion) and motion.poses
        },
        details=file,
        **lay_falling_ropes(plain, _lies_on(file), falling),
        **kit_devices(file, axes, {hung.hook: hung.n_falls for hung in suspensions}),
    )


def _scene(
    file: KitFile,
    standing: Standing,
    steel: tuple[Beam, ...],
    ropes: tuple[Cable, ...],
    load: Lifted,
    name: str,
) -> Scene:
    """Return the scene of a crane, with its beams, ropes and load."""
    return Scene(
        name=name,
        bodies=(*beams.bodies(standing, steel), *_bodies(file, standing), *load.bodies),
        joints=(*beams.joints(standing, steel), *_joints(file, standing, steel), *load.joints),
        cables=(*ropes, *load.cables, *_lines(file, standing)),
        drives=tuple(_drive(file, standing, axis) for axis in file.axes),
        surfaces=file.site.surfaces(),
        obstacles=(*file.site.obstacles(), *_decks(file), *kit_solids(file, standing.tree)),
        collision=kit_collision(file),
        visuals=(
            *kit_visuals(file, standing.tree),
            *beams.visuals(standing, steel),
            *file.site.visuals(),
        ),
        aims=kit_aims(file, standing.tree),
        motions=_motions(file),
        carriages=_carriages(file, standing.tree),
        air=Air(reference_height=file.wind.reference_height, exponent=file.wind.exponent),
    )


def _decks(file: KitFile) -> tuple[Obstacle, ...]:
    """Return the decks on which the load can stand."""
    if file.rig.load is None:
        return ()
    return tuple(
        part.deck.solid(name, part.centre) for name, part in file.parts.items() if part.deck
    )


def _bodies(file: KitFile, standing: Standing) -> tuple[Body, ...]:
    """Return parts that move, and hooks."""
    tree = standing.tree
    made = [
        Body(
            name,
            part.mass or 1.0,
            part.moments,
            position=vector(tree.centre(name)),
            orientation=_quaternion(tree.poses[name].turn),
            motion="prescribed" if part.motion else "dynamic",
            shape=part.shape,
            color=COLORS[part.color],
            drag=tuple(
                replace(drag, centre=vector(np.subtract(drag.centre, part.centre)))
                for drag in part.drag
            ),
        )
        for name, part in file.parts.items()
        if part.moves
    ]
    made += [_hook_body(name, hook, standing.hooks[name]) for name, hook in file.hooks.items()]
    return tuple(made)


def _hook_body(name: str, hook: Hook, hung: Hung) -> Body:
    """Return a block or spreader with the outline of its size, or a ball that can lie on the
    ground."""
    outline = Sphere(hook.ball.radius) if hook.ball else Box(*hook.size)
    spreader = hook.spreader
    return Body(
        name,
        hook.mass,
        spreader.inertia if spreader else outline.inertia(hook.mass),
        outline,
        position=vector(hung.centre),
        orientation=upright(hung.heading + hung.yaw),
        drawn=hook.ball is not None,
        drag=drags(hook.cd, spreader.areas if spreader else outline.areas),
        color=BALL if hook.ball else YELLOW if spreader else STEEL,
    )


def _quaternion(turn: Array) -> Quaternion:
    """Return a rotation matrix as a quaternion (w, x, y, z)."""
    w, x, y, z = mat2quat(turn).tolist()
    return w, x, y, z


def _joints(file: KitFile, standing: Standing, steel: Sequence[Beam]) -> tuple[Joint, ...]:
    """Return the joints; springs are wound up so that they hold what they carry at the start."""
    tree = standing.tree
    made = []
    rails = {beam.name: beams.rail_on(standing, beam) for beam in steel}
    for name, joint in tree.joints():
        rail = rails.get(tree.rail_of(name), ())
        low, high = joint.range
        q = tree.coordinates[joint.name]
        wound = standing.rest.effort[joint.name] / joint.stiffness if joint.stiffness else 0.0
        made.append(
            Joint(
                joint.name,
                joint.kind,
                name,
                rail[0][0] if rail else body_of(file.parts, file.parts[name].on),
                rail=rail,
                point=vector(tree.poses[name].origin),
                axis=vector(tree.axis(name)),
                position=min(max(q, low), high),
                lower=low,
                upper=high,
                stiffness=joint.stiffness,
                damping=joint.damping,
                dry_friction=joint.dry_friction,
                rest=q + wound if joint.stiffness else 0.0,
                **stops(joint.buffer),
            )
        )
    return tuple(made)


def _ropes(file: KitFile, standing: Standing, steel: Sequence[Beam]) -> tuple[Cable, ...]:
    """Return the ropes, as tight as what they hold needs."""
    touched = tuple(obstacle.name for obstacle in file.site.obstacles())
    return tuple(
        Cable(
            name=name,
            nodes=tuple(
                beams.put_on_beam(standing, steel, _tightened(node, standing.rest))
                for node in standing.nodes[name]
            ),
            rope=rope.laid,
            twist=_twist(file, standing, name),
            touches=touched,
            pretension=standing.rest.tension[name],
            damping_time=rope.damping_time,
            **rope.layers,
            winch=_winch(file, standing, name),
            cd=rope.cd,
        )
        for name, rope in file.ropes.items()
    )


def _twist(file: KitFile, standing: Standing, name: str) -> float:
    """Return the turns that the yaw of its hook at rest takes from a rope [rad]."""
    for hook, hung in standing.hooks.items():
        if hung.yaw and name in file.hooks[hook].ropes:
            return -hung.yaw * _falls_on(file, standing, name, hook)
    return 0.0


def _winch(file: KitFile, standing: Standing, name: str) -> Winch | None:
    """Return the winch of a rope; its drum has room for the rope down to the axis' upper limit."""
    rope = file.ropes[name]
    if rope.winch_mass is None:
        return None
    winch = winch_name(file, name)
    layers = None
    if rope.drum and rope.drum.layers:
        shared = ropes_on_winch(file, name)
        axis = next(axis for axis in file.axes.values() if axis.on in shared)
        _, lowest = axis.limits or (0.0, 0.0)
        hook, falls = _falls(file, standing, axis)
        depth = _depth(file, standing, hook) if hook else 0.0
        try:
            layers = rope.drum.wind_layers(rope.rope, falls * (lowest - depth), len(shared))
        except SpecError as error:
            raise SpecError(f"ropes.{name}.{error}") from None
    return Winch(winch, rope.winch_mass, drum=layers)


def _depth(file: KitFile, standing: Standing, hook: str) -> float:
    """Return the depth of a hook below its place at the start [m]."""
    height = standing.hooks[hook].centre[2] + file.hooks[hook].places["hook"][2]
    return float(tip_of(file, standing.tree, hook)[2] - height)


def _tightened(node: Node, rest: Rest) -> Node:
    """Return a node, of a wheel with friction with the tension behind it."""
    if not isinstance(node, Wheel):
        return node
    return replace(node, tension_behind=rest.tension[node.name])


def _lines(file: KitFile, standing: Standing) -> Iterator[Cable]:
    """Yield the lines."""
    ground = file.site.ground
    for name, line in file.lines.items():
        tie = line_tie(file, standing.tree, name)
        top = vector(node_point(standing.tree, standing.hooks, tie))
        yield line.cable(name, tie, top, file.site.level, ground.friction)


def _motions(file: KitFile) -> tuple[Motion, ...]:
    """Return the motions of parts that nothing holds up."""
    made = []
    for name, part in file.parts.items():
        if motion := part.motion:
            if motion.sea is not None and motion.rao is not None:
                made.append(motion.sea.motion(name, motion.rao, motion.ramp))
            elif motion.sines:
                made.append(Motion(name, sines=motion.sines, ramp=motion.ramp))
    return tuple(made)


def _lies_on(file: KitFile) -> tuple[str, ...]:
    """Return the bodies that slack ropes lie on."""
    return (*(name for name, hook in file.hooks.items() if hook.spreader), file.load_body)


def _carriages(file: KitFile, tree: Tree) -> tuple[Carriage, ...]:
    """Return the frames that carry the upper ends of a spreader's ropes, wheels that turn, and the
    current of a magnet."""
    made = [wheels.carriage(part) for part, wheels, _ in _wheels(file, tree)]
    if file.magnet:
        made.append(file.magnet.carriage(next(iter(file.hooks))))
    if file.spreader and file.spreader.micro:
        name, hook = next(iter(file.hooks.items()))
        body = body_of(file.parts, hook.below.rpartition(".")[0])
        point = vector(tip_of(file, tree, name))
        made = [*file.spreader.micro.carriages(body, tuple(hook.ropes), point), *made]
    return tuple(made)


def _slow_axes(file: KitFile) -> tuple[Axis, ...]:
    """Return the axes of micro-motion, of wheels that turn, and of a magnet."""
    micro = file.spreader.micro if file.spreader else None
    joints = (part.joint for part in file.parts.values() if part.joint)
    wheels = (joint.wheels.axis() for joint in joints if joint.wheels)
    magnet = (file.magnet.axis(),) if file.magnet else ()
    return (*(micro.axes() if micro else ()), *wheels, *magnet)


def _wheels(file: KitFile, tree: Tree) -> Iterator[tuple[str, Wheels, WheelTurn]]:
    """Yield the part on wheels that turn, those, and the way of its travel."""
    for name, part in file.parts.items():
        if part.joint and part.joint.wheels:
            joint = part.joint.name
            turn = part.joint.wheels.turn(joint, file.axis_on[joint], vector(tree.axis(name)))
            yield name, part.joint.wheels, turn


def _falls(file: KitFile, standing: Standing, axis: KitAxis) -> tuple[str, int]:
    """Return the hook on the rope of an axis and its falls of that rope; no hook and 1 else."""
    for name, hook in file.hooks.items():
        if axis.on in hook.ropes:
            return name, _falls_on(file, standing, axis.on, name)
    return "", 1


def _falls_on(file: KitFile, standing: Standing, rope: str, hook: str) -> int:
    """Return the number of falls of a rope that carry a hook."""
    upper = body_of(file.parts, file.hooks[hook].below.rpartition(".")[0])
    return len(fall_spans(standing.nodes[rope], upper, hook))


def _drive(file: KitFile, standing: Standing, name: str) -> Drive:
    """Return the drive of an axis, of a rope in terms of the rope."""
    axis = file.axes[name]
    _, falls = _falls(file, standing, axis)
    speed, acceleration = _pace(file, axis, falls)
    lag = {} if axis.lag is None else {"lag": axis.lag}
    return Drive(
        name,
        winch_name(file, axis.on) if axis.on in file.ropes else axis.on,
        max_effort=axis.effort,
        max_speed=speed,
        brake_effort=brake_of(axis),
        power=axis.power,
        brake_close_delay=axis.close_delay,
        brake_open_delay=axis.open_delay,
        **axis.control.of(acceleration, axis.tau) | lag,
    )


def _pace(file: KitFile, axis: KitAxis, falls: int = 1) -> tuple[float, float]:
    """Return the largest speed and acceleration of an axis, of its rope with so many falls."""
    speed = axis.v_empty if axis.v_empty and file.rig.load is None else axis.v_max
    return falls * speed, falls * axis.accel * (speed / axis.v_max)


def _axis(file: KitFile, standing: Standing, name: str) -> Axis:
    """Return an axis of a joint or of a rope."""
    axis = file.axes[name]
    part = file.part_on.get(axis.on)
    joint = file.parts[part].joint if part else None
    unit = joint.unit if joint else "m"
    winds = axis.on in file.ropes
    trade = axis.trade or ("deg/s" if unit == "rad" else "m/min")
    low, high = joint.range if joint else axis.limits or (-math.inf, math.inf)
    hook, falls = _falls(file, standing, axis)
    speed, acceleration = _pace(file, axis)
    return Axis(
        name,
        name,
        joint.name if joint else name,
        unit,
        axis.positive or ("paying out" if winds else "as the joint or wheel counts"),
        low,
        high,
        _speed(file, axis, hook) if axis.rated_power else speed,
        acceleration,
        trade,
        TRADES[trade][1] * (-1.0 if winds else 1.0),
        ratio=float(falls),
        zero=_zero(file, standing, axis, hook, falls) if winds else -_way(file, name),
        reading=reading_of(file, name, axis, hook),
        linear=_linear(file, standing.tree, axis, hook),
        control=axis.control,
        emergency_brake=axis.emergency_brake / brake_of(axis),
    )


def _speed(file: KitFile, axis: KitAxis, hook: str) -> float:
    """Return the largest speed of a hoist with a rated power, for hook and load of the file."""
    assert axis.rated_power is not None
    first = hook == next(iter(file.hooks))
    load = file.rig.load.mass if first and file.rig.load else 0.0
    return min(axis.v_max, axis.rated_power / ((file.hook_mass(hook) + load) * GRAVITY))


def _way(file: KitFile, name: str) -> float:
    """Return the way at the start of an axis on a wheel, whose rim starts at 0 [m]; 0 of others."""
    return file.rig.start.at.get(name, 0.0) if hauled_part(file, file.axes[name].on) else 0.0


def _zero(file: KitFile, standing: Standing, axis: KitAxis, hook: str, falls: int) -> float:
    """Return the rope for which an axis reads zero [m]: of a hook that beside its falls as long as
    its depth, by the rope's way at the start; of another rope all that is out then."""
    nodes = standing.nodes[axis.on]
    points = [node_point(standing.tree, standing.hooks, node) for node in nodes]
    way = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    if not hook:
        return way / (1.0 + standing.rest.tension[axis.on] / file.ropes[axis.on].rope.ea)
    return way - falls * _depth(file, standing, hook)


def _linear(file: KitFile, tree: Tree, axis: KitAxis, hook: str) -> str:
    """Return the direction in the world in which an axis moves a load at every pose, with its
    sign; empty if there is none."""
    part = file.part_on.get(axis.on, "")
    carrier = part or (file.hooks[hook].below.rpartition(".")[0] if hook else "")
    chain = [file.parts[name] for name in carriers(file.parts, carrier)] if carrier else []
    if not chain or root_of(file.parts, carrier) != WORLD:
        return ""
    if any(p.motion or p.free or (p.joint and p.joint.kind == "hinge") for p in chain):
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
        file.load_body if first and file.rig.load is not None else name,
        sum(len(fall_spans(standing.nodes[r], place.body, name)) for r in hook.ropes),
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
