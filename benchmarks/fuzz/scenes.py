"""Random scenes that a careful user might build, of every kind of part that a scene can have.

A seed determines its scene. Masses, stiffnesses and steps span what cranes, robots and laboratories
have. Bodies start apart from each other and from obstacles, jointed ones at rest, and no cable
starts tighter than its path, so that the scene itself gives no reason to misbehave.
"""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from transforms3d.quaternions import rotate_vector

from cable_sim.errors import CableSimError
from cable_sim.spec import (
    Air,
    Anchor,
    Body,
    Box,
    BoxContact,
    Cable,
    Cylinder,
    Drag,
    Drive,
    Drum,
    Elevation,
    Eye,
    Ground,
    Hybrid,
    Joint,
    Loose,
    Lumped,
    Obstacle,
    Polyhedron,
    Scene,
    Sheave,
    Sphere,
    Surface,
    Winch,
)

Point = tuple[float, float, float]

STEPS = (5e-4, 1e-3, 1e-3, 1e-3, 2e-3, 5e-3, 1.0 / 60.0)
"""Steps of the simulator [s]; the usual millisecond most often."""
SPACING = 6.0
"""Distance of neighbouring bodies at the start [m], above their largest extent."""
SHORTEST_SPAN = 1.0
"""Least distance of neighbouring nodes at the start [m]."""
ACTS = ("part", "unhook", "cut", "release", "push")
"""Interventions in a running scene, as methods of the simulator."""


class Case(NamedTuple):
    """A scene with its step [s] and stepper, and interventions as (step, name of the act,
    operand)."""

    scene: Scene
    dt: float
    stepper: str
    acts: tuple[tuple[int, str, str], ...] = ()

    @property
    def passive(self) -> bool:
        """True if nothing feeds energy into the scene."""
        pushed = any(act == "push" for _, act, _ in self.acts)
        moved = any(body.motion == "prescribed" for body in self.scene.bodies)
        return not (self.scene.drives or pushed or moved or any(self.scene.air.wind))


class Draw:
    """Random numbers of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.random.random() < probability

    def choose(self, *options: Any) -> Any:
        """One of the options."""
        return self.random.choice(options)

    def vary(self, low: float, high: float) -> float:
        """A number of an even distribution."""
        return self.random.uniform(low, high)

    def scale(self, low: float, high: float) -> float:
        """A number whose logarithm is evenly distributed."""
        return math.exp(self.random.uniform(math.log(low), math.log(high)))

    def vector(self, size: float) -> Point:
        """Three numbers of at most the given size."""
        return (self.vary(-size, size), self.vary(-size, size), self.vary(-size, size))

    def orientation(self) -> tuple[float, float, float, float]:
        """A random unit quaternion (w, x, y, z)."""
        parts = [self.random.gauss(0.0, 1.0) for _ in range(4)]
        size = math.hypot(*parts)
        return (parts[0] / size, parts[1] / size, parts[2] / size, parts[3] / size)


def random_case(seed: int, steps: int) -> Case:
    """Return the case of a seed, with interventions within the given number of steps."""
    draw = Draw(seed)
    bodies = _bodies(draw)
    obstacles = _obstacles(draw)
    joints = _joints(draw, bodies)
    held = {name for joint in joints for name in (joint.child, joint.parent)}
    bodies = [_stop_body(body) if body.name in held else body for body in bodies]
    drives = [
        _joint_drive(draw, joint) for joint in joints if joint.has_coordinate and draw.chance(0.4)
    ]
    cables: list[Cable] = []
    for i in range(draw.choose(1, 1, 2, 3)):
        cable, drive = _cable(draw, f"cable_{i}", bodies, obstacles)
        if cable is not None:
            cables.append(cable)
            drives += [drive] if drive else []
    scene = Scene(
        bodies=tuple(bodies),
        joints=tuple(joints),
        drives=tuple(drives),
        cables=tuple(cables),
        surfaces=(Surface(friction=draw.choose(0.0, 0.5)),),
        obstacles=tuple(obstacles),
        contacts=_contacts(bodies),
        air=Air(wind=(draw.vary(-15.0, 15.0), 0.0, 0.0)) if draw.chance(0.1) else Air(),
        name=f"fuzz_{seed}",
    )
    stepper = draw.choose("spook", "spook", "regularised")
    return Case(scene, draw.choose(*STEPS), stepper, _acts(draw, scene, steps))


def _bodies(draw: Draw) -> list[Body]:
    """One to four bodies in a row above the ground."""
    return [_body(draw, i) for i in range(draw.choose(1, 2, 3, 4))]


def _stop_body(body: Body) -> Body:
    """A body that its joints do not contradict."""
    return replace(body, velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0))


def _body(draw: Draw, i: int) -> Body:
    kind = draw.choose("box", "box", "sphere", "cylinder")
    shapes: dict[str, Callable[[], Any]] = {
        "box": lambda: Box(draw.vary(0.4, 2.0), draw.vary(0.4, 2.0), draw.vary(0.4, 2.0)),
        "sphere": lambda: Sphere(draw.vary(0.2, 1.0)),
        "cylinder": lambda: Cylinder(draw.vary(0.2, 1.0), draw.vary(0.4, 2.0)),
    }
    more: dict[str, Any] = {}
    if draw.chance(0.3):
        more["velocity"] = draw.vector(1.0)
    if draw.chance(0.2):
        more["angular_velocity"] = draw.vector(1.0)
    if draw.chance(0.3):
        more["orientation"] = draw.orientation()
    if draw.chance(0.1):
        more["drag"] = (Drag(cd=draw.scale(0.1, 2.0)),)
    if draw.chance(0.05):
        more = {"motion": "prescribed", "velocity": draw.vector(0.5)}
    return Body(
        f"body_{i}",
        mass=draw.scale(10.0, 2e4),
        shape=shapes[kind](),
        position=(SPACING * i - 9.0, draw.vary(-3.0, 3.0), draw.vary(3.0, 8.0)),
        collides=kind != "cylinder" and draw.chance(0.7),
        **more,
    )


def _obstacles(draw: Draw) -> list[Obstacle]:
    """No obstacle or one, above all bodies and below where cables are hung up."""
    if draw.chance(0.65):
        return []
    shape = draw.choose(
        Box(draw.vary(0.5, 2.0), draw.vary(0.5, 2.0), draw.vary(0.5, 2.0)),
        Cylinder(draw.vary(0.25, 1.0), draw.vary(1.5, 6.0)),
        Polyhedron(tuple(draw.vector(1.0) for _ in range(8))),
    )
    place = (draw.vary(-8.0, 8.0), draw.vary(-1.0, 1.0), draw.vary(10.5, 12.0))
    turn = draw.orientation() if draw.chance(0.5) else (1.0, 0.0, 0.0, 0.0)
    return [
        Obstacle("solid", shape, position=place, orientation=turn, friction=draw.choose(0.0, 0.3))
    ]


def _joints(draw: Draw, bodies: list[Body]) -> list[Joint]:
    """Joints of some bodies with the world or a body before."""
    made = []
    for i, body in enumerate(bodies):
        if body.motion == "prescribed" or not draw.chance(0.3):
            continue
        kind = draw.choose("hinge", "hinge", "prismatic", "ball", "fixed")
        more: dict[str, Any] = {}
        if kind in ("hinge", "prismatic"):
            if draw.chance(0.4):
                more |= {"lower": -draw.vary(0.2, 2.0), "upper": draw.vary(0.2, 2.0)}
                if draw.chance(0.4):
                    more |= {"stop_compliance": draw.scale(1e-8, 1e-4), "stop_damping_time": 0.01}
            if draw.chance(0.2):
                more |= {"stiffness": draw.scale(1e2, 1e6), "damping": draw.scale(1.0, 1e4)}
        if draw.chance(0.2):
            more |= {"compliance": draw.scale(1e-9, 1e-5), "damping_time": draw.scale(1e-3, 0.1)}
        axis = draw.choose((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), draw.vector(1.0))
        shift = draw.vector(1.0)
        point = tuple(p + d for p, d in zip(body.position, shift, strict=True))
        parent = draw.choose("world", *(other.name for other in bodies[:i]))
        made.append(Joint(f"joint_{i}", kind, body.name, parent, point=point, axis=axis, **more))
    return made


def _joint_drive(draw: Draw, joint: Joint) -> Drive:
    mode = draw.choose("speed", "position", "effort")
    most = draw.scale(1e2, 1e6)
    target = draw.vary(-0.3, 0.3) * (most if mode == "effort" else 1.0)
    if mode == "position":
        target = min(max(target, joint.lower), joint.upper)
    more = {"max_speed": 2.0, "max_acceleration": draw.scale(0.1, 5.0)}
    if draw.chance(0.2):
        more |= {"lag": draw.scale(1e-2, 0.5), "brake_effort": draw.scale(1e2, 1e6)}
    return Drive(
        f"drive_{joint.name}", joint.name, mode=mode, target=target, max_effort=most, **more
    )


Made = tuple[Cable | None, Drive | None]
KINDS = (
    "elastic",
    "elastic",
    "inextensible",
    "stiffness",
    "torsion",
    "elevation",
    "elevation",
    "chain",
    "chain",
    "springs",
    "tutorial",
    "hybrid",
    "hybrid",
    "hybrid",
    "winch",
    "winch",
    "driven",
)


def _cable(draw: Draw, name: str, bodies: list[Body], obstacles: list[Obstacle]) -> Made:
    """A cable with its drive, if it needs one; None where nodes come too close or the spec refuses
    it."""
    kind = draw.choose(*KINDS)
    points = _route(
        draw, bodies, 2 if kind in ("chain", "springs", "tutorial") else draw.choose(2, 2, 3, 4)
    )
    spans = [math.dist(p, q) for (_, _, p), (_, _, q) in zip(points, points[1:], strict=False)]
    if min(spans) < SHORTEST_SPAN:
        return None, None
    drive = None
    fields: dict[str, Any] = _material(draw, kind)
    if kind == "driven":
        fields["driven"] = True
        drive = Drive(
            f"drive_{name}", name, target=draw.vary(-0.3, 0.3), max_effort=draw.scale(1e3, 1e5)
        )
    else:
        fields["length"] = sum(spans) * draw.choose(1.0, 1.0, 1.02, 1.2)
    if kind == "winch":
        fields["winch"] = Winch(f"winch_{name}", mass=draw.scale(100.0, 5000.0))
        if draw.chance(0.7):
            more = {"max_effort": draw.scale(1e3, 1e6), "max_acceleration": draw.vary(0.2, 1.5)}
            drive = Drive(f"drive_{name}", f"winch_{name}", target=draw.vary(-0.8, 0.8), **more)
    if (
        obstacles
        and kind in ("elastic", "inextensible", "winch", "elevation", "hybrid")
        and draw.chance(0.8)
    ):
        fields["touches"] = ("solid",)
        fields["contacts"] = 64
    try:
        return Cable(name, _nodes(draw, kind, points), **fields), drive
    except CableSimError:
        return None, None


def _route(draw: Draw, bodies: list[Body], count: int) -> list[tuple[str, Point, Point]]:
    """Nodes as (body, position in its frame, position in the world), one of them on a body at
    least."""
    route: list[tuple[str, Point, Point]] = []
    named = {body.name: body for body in bodies}
    for n in range(count):
        last = n == count - 1
        options = [name for name in named if not route or name != route[-1][0]] or list(named)
        held = last and all(body == "world" for body, _, _ in route)
        name = draw.choose(*options) if held else draw.choose("world", "world", *options)
        if name == "world":
            place = (draw.vary(-10.0, 10.0), draw.vary(-5.0, 5.0), draw.vary(14.0, 22.0))
            route.append((name, place, place))
        else:
            inside = draw.vector(0.2)
            turned = rotate_vector(inside, named[name].orientation)
            x, y, z = (float(p + d) for p, d in zip(named[name].position, turned, strict=True))
            route.append((name, inside, (x, y, z)))
    return route


def _nodes(draw: Draw, kind: str, points: list[tuple[str, Point, Point]]) -> tuple[Any, ...]:
    """Nodes of the spec for a route."""
    nodes: list[Any] = []
    for n, (body, place, _) in enumerate(points):
        end = n in (0, len(points) - 1)
        if n == 0 and kind == "winch":
            nodes.append(Drum(body, place))
        elif (
            end and body == "world" and kind in ("chain", "springs", "hybrid") and draw.chance(0.3)
        ):
            nodes.append(Loose(place))
        elif end:
            nodes.append(Anchor(body, place, swivel=kind == "torsion" and draw.chance(0.1)))
        elif kind == "hybrid" or draw.chance(0.4):
            nodes.append(Eye(body, place))
        else:
            nodes.append(Sheave(body, place, efficiency=draw.choose(1.0, 0.98, 0.95)))
    return tuple(nodes)


def _material(draw: Draw, kind: str) -> dict[str, Any]:
    """Fields of a cable that say what it is made of."""
    fields: dict[str, Any] = {}
    if kind not in ("inextensible", "stiffness", "driven", "tutorial"):
        fields["ea"] = draw.scale(1e5, 5e7)
    if kind in ("elastic", "elevation", "winch", "torsion"):
        fields["damping_ratio"] = draw.choose(0.0, 0.02, 0.1)
    special = {
        "stiffness": _stiffness,
        "torsion": _torsion,
        "elevation": _elevation,
        "chain": _chain,
        "springs": _springs,
        "tutorial": _tutorial,
        "hybrid": _hybrid,
    }
    return fields | (special[kind](draw, draw.vary(0.3, 5.0)) if kind in special else {})


def _stiffness(draw: Draw, _: float) -> dict[str, Any]:
    return {"stiffness": draw.scale(1e4, 1e7), "damping_time": draw.choose(0.0, 0.01)}


def _torsion(draw: Draw, _: float) -> dict[str, Any]:
    laid = {"torque_factor": draw.vary(-0.1, 0.1), "diameter": draw.scale(5e-3, 0.05)}
    return laid | {"gj": draw.scale(1.0, 1e3), "twist": draw.vary(-3.0, 3.0)}


def _elevation(draw: Draw, density: float) -> dict[str, Any]:
    scheme = draw.choose("explicit", "implicit")
    planar = draw.chance(0.3)
    layer = Elevation(density, draw.choose(5, 9, 33), draw.choose(0.0, 0.5), scheme, planar=planar)
    return {"elevation": layer}


def _chain(draw: Draw, density: float) -> dict[str, Any]:
    ground = draw.choose(None, Ground(friction=draw.choose(0.0, 0.5)))
    return {"lumped": Lumped(draw.choose(5, 20, 60), density=density, ground=ground)}


def _springs(draw: Draw, density: float) -> dict[str, Any]:
    ground = draw.choose(None, Ground(friction=0.5, repulsion=draw.scale(1e3, 1e5), absorption=1.0))
    layer = Lumped(
        draw.choose(5, 20), "springs", density, friction=draw.scale(0.1, 10.0), ground=ground
    )
    return {"ea": draw.scale(1e3, 1e5), "lumped": layer}


def _tutorial(draw: Draw, density: float) -> dict[str, Any]:
    ground = draw.choose(None, Ground(friction=0.2, repulsion=100.0, absorption=2.0))
    spring = draw.scale(1e2, 1e4)
    friction = draw.scale(0.1, 1.0)
    return {
        "lumped": Lumped(draw.choose(5, 20), "tutorial", density, spring, friction, ground=ground)
    }


def _hybrid(draw: Draw, density: float) -> dict[str, Any]:
    bending = draw.choose(0.0, 0.0, draw.scale(1.0, 1e3))
    ground = draw.choose(None, None, Ground(friction=draw.choose(0.0, 0.5)))
    damping = draw.choose(0.0, 0.1)
    layer = Hybrid(
        density, draw.choose(0, 8, 20, 20), damping=damping, bending=bending, ground=ground
    )
    return {"hybrid": layer, "damping_time": draw.choose(0.0, 0.005, 0.05)}


def _contacts(bodies: list[Body]) -> tuple[BoxContact, ...]:
    """Contacts of neighbouring boxes."""
    boxes = [body.name for body in bodies if body.shape is not None and body.shape.kind == "box"]
    return tuple(BoxContact(a, (b,)) for a, b in zip(boxes, boxes[1:], strict=False))


def _acts(draw: Draw, scene: Scene, steps: int) -> tuple[tuple[int, str, str], ...]:
    """No intervention, or one in the middle of the run."""
    if not draw.chance(0.2):
        return ()
    act = draw.choose(*ACTS)
    things = (
        [body.name for body in scene.bodies]
        if act == "push"
        else [cable.name for cable in scene.cables]
    )
    return ((steps // 2, act, draw.choose(*things)),) if things else ()
