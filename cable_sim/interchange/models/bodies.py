"""Bodies and joints of a compiled model.

*Frames.* A body here has its origin at the centre of mass and keeps the axes of the link: with the
place p, turn R of a link in the world, the centre c and the principal axes A of its inertia D in
the link's frame

    position = p + R c,     orientation = R,     inertia = A D A^T.

*Groups.* Links that no joint parts move as one. One without mass is only a frame: what is on it
goes to another one of its group, the carrier. Carriers of the world's group stand, as prescribed
bodies do; every other link with mass is fixed to the carrier by a joint.

*Several joints of one link* are one after the other, parent's side first. The scene joins two
bodies by one joint, so there are bodies between, with SHARE of the link's mass and inertia.
"""

from collections.abc import Iterable
from typing import Any

import mujoco
import numpy as np

from cable_sim.errors import Problem
from cable_sim.interchange.models.source import OPEN, Array, Source, why_no_joint
from cable_sim.spec import Body, Joint
from cable_sim.spec.quantities import WORLD

SHARE = 1e-7
"""Mass and inertia of a body between two joints of one link, over those of the link [-]."""
KINDS = {
    mujoco.mjtJoint.mjJNT_HINGE: "hinge",
    mujoco.mjtJoint.mjJNT_SLIDE: "prismatic",
    mujoco.mjtJoint.mjJNT_BALL: "ball",
}
"""Our kind of each of MuJoCo's joints but the free one."""


class Carriers:
    """The bodies of the scene that carry what is on each link."""

    def __init__(self, source: Source) -> None:
        self._source = source
        model = source.model
        self.body_of: list[int] = []
        for b in range(model.nbody):
            root = int(model.body_weldid[b])
            group = [k for k in range(model.nbody) if model.body_weldid[k] == root]
            heavy = [k for k in group if model.body_mass[k] > 0.0]
            alone = heavy[0] if heavy and root else 0
            self.body_of.append(b if b in heavy else alone)

    def name(self, b: int) -> str:
        """Return the name of the body that carries a link."""
        carrier = self.body_of[b]
        return self._source.name("body", carrier, f"body_{carrier}") if carrier else WORLD

    def place(self, b: int, position: Array, turn: Array) -> tuple[Any, Any]:
        """Return position [m] and quaternion of a world frame in the frame of a link's body."""
        data = self._source.data
        carrier = self.body_of[b]
        if not carrier:
            return tuple(position.tolist()), quaternion(turn)
        own = data.xmat[carrier].reshape(3, 3)
        return tuple((own.T @ (position - data.xipos[carrier])).tolist()), quaternion(own.T @ turn)


def quaternion(turn: Array) -> Any:
    """Return the quaternion (w, x, y, z) of a rotation matrix (3, 3)."""
    found = np.empty(4)
    mujoco.mju_mat2Quat(found, np.ascontiguousarray(turn).reshape(9))
    return tuple(found.tolist())


def build_bodies(source: Source, carriers: Carriers) -> tuple[list[Body], list[Joint]]:
    """Return the bodies of the links, and the joints between them."""
    bodies: list[Body] = []
    joints: list[Joint] = []
    model = source.model
    for b in range(1, model.nbody):
        root = int(model.body_weldid[b])
        if carriers.body_of[b] != b:
            _note_frame(source, carriers, b)
        else:
            bodies.append(_body(source, carriers, b, stands=root == 0))
        if b == root:
            more, found = _joints(source, carriers, b)
            bodies += more
            joints += found
    for b in range(1, model.nbody):
        root = int(model.body_weldid[b])
        if root and carriers.body_of[b] == b != carriers.body_of[root]:
            joints.append(_fixed(source, carriers, b, carriers.name(root)))
    return bodies, joints


def _note_frame(source: Source, carriers: Carriers, b: int) -> None:
    """Note a link without mass, unless nothing else is said of it."""
    source.note("body", b, f"has no mass; what is on it is on {carriers.name(b)!r}")


def tensor(source: Source, b: int) -> Array:
    """Return the inertia (3, 3) of a link about its centre of mass in its axes [kg m^2]."""
    axes = np.empty(9)
    mujoco.mju_quat2Mat(axes, source.model.body_iquat[b])
    turn = axes.reshape(3, 3)
    found = turn @ np.diag(source.model.body_inertia[b]) @ turn.T
    return np.asarray(0.5 * (found + found.T))


def carried_inertia(source: Source, carriers: Carriers, b: int) -> Array:
    """Return the inertia (3, 3) of a link with those of links without mass on it [kg m^2]."""
    found = tensor(source, b)
    own = source.data.xmat[b].reshape(3, 3)
    for k, carrier in enumerate(carriers.body_of):
        if carrier == b != k and source.model.body_inertia[k].any():
            turn = own.T @ source.data.xmat[k].reshape(3, 3)
            found = found + turn @ tensor(source, k) @ turn.T
    return np.asarray(0.5 * (found + found.T))


def _body(source: Source, carriers: Carriers, b: int, stands: bool) -> Body:
    """Return the body of a link."""
    model, data = source.model, source.data
    moves = bool(data.qvel.any()) and not stands
    rates = np.zeros(6)  # turn, then way
    if moves:
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, b, rates, 0)
    return Body(
        name=carriers.name(b),
        mass=float(model.body_mass[b]),
        inertia=carried_inertia(source, carriers, b).tolist(),
        position=tuple(data.xipos[b].tolist()),
        orientation=tuple(data.xquat[b].tolist()),
        velocity=tuple(rates[3:].tolist()),
        angular_velocity=tuple(rates[:3].tolist()),
        motion="prescribed" if stands else "dynamic",
    )


def _joints(source: Source, carriers: Carriers, b: int) -> tuple[list[Body], list[Joint]]:
    """Return the joints of a link to its parent, and the light bodies between them."""
    model = source.model
    first = int(model.body_jntadr[b])
    numbers = list(range(first, first + int(model.body_jntnum[b]))) if first >= 0 else []
    numbers = [j for j in numbers if model.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE]
    parent = carriers.name(int(model.body_parentid[b]))
    bodies, joints = [], []
    for j in numbers:
        name = source.name("joint", j, f"{carriers.name(b)}_joint")
        child = carriers.name(b)
        if j != numbers[-1]:
            light = _between(source, carriers, b, j, name)
            bodies.append(light)
            child = light.name
        joints.append(_joint(source, j, name, child, parent))
        parent = child
    return bodies, joints


def _between(source: Source, carriers: Carriers, b: int, j: int, name: str) -> Body:
    """Return the light body behind joint j of a link."""
    carrier = carriers.body_of[b]
    moment = SHARE * float(np.trace(tensor(source, carrier)))
    way, turn = _rates_between(source, b, j)
    return Body(
        source.unique("body", f"{name}_side"),
        SHARE * float(source.model.body_mass[carrier]),
        3 * (moment,),
        position=source.data.xanchor[j].tolist(),
        velocity=tuple(way.tolist()),
        angular_velocity=tuple(turn.tolist()),
    )


def _rates_between(source: Source, b: int, last: int) -> tuple[Array, Array]:
    """Return velocity [m/s] and turn [rad/s] behind joint ``last`` of a link, at its anchor.

    Each joint k from the first on adds a_k dq_k to the turn, and to the velocity
    a_k dq_k x (x - x_k) if it is a hinge, a_k dq_k if it is a slide.
    """
    model, data = source.model, source.data
    place = data.xanchor[last]
    parent = int(model.body_parentid[b])
    rates = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, parent, rates, 0)
    turn, way = rates[:3], rates[3:] + np.cross(rates[:3], place - data.xipos[parent])
    for k in range(int(model.body_jntadr[b]), last + 1):
        rate = data.xaxis[k] * data.qvel[model.jnt_dofadr[k]]
        if model.jnt_type[k] == mujoco.mjtJoint.mjJNT_SLIDE:
            way = way + rate
        else:
            turn, way = turn + rate, way + np.cross(rate, place - data.xanchor[k])
    return way, turn


def _joint(source: Source, j: int, name: str, child: str, parent: str) -> Joint:
    """Return joint j between two bodies."""
    model, data = source.model, source.data
    kind = KINDS[mujoco.mjtJoint(model.jnt_type[j])]
    dof, at = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
    fields: dict[str, Any] = {
        "point": data.xanchor[j].tolist(),
        "axis": data.xaxis[j].tolist(),
        "damping": float(model.dof_damping[dof]),
    }
    if kind != "ball":
        fields |= {
            "position": float(data.qpos[at]),
            "stiffness": float(model.jnt_stiffness[j]),
            "rest": float(model.qpos_spring[at]),
            "dry_friction": float(model.dof_frictionloss[dof]),
        }
        if model.jnt_limited[j]:
            fields |= dict(zip(("lower", "upper"), model.jnt_range[j].tolist(), strict=True))
    return Joint(name, kind, child, parent, **fields)  # type: ignore[arg-type]


def _fixed(source: Source, carriers: Carriers, b: int, parent: str) -> Joint:
    """Return the joint that fixes a link with mass to the carrier of its group."""
    child = carriers.name(b)
    name = source.unique("joint", f"{child}_fixed")
    return Joint(name, "fixed", child, parent, point=source.data.xpos[b].tolist())


def build_connections(source: Source, carriers: Carriers) -> list[Joint]:
    """Return the joints of the equalities that a joint can say: connect and weld.

    Raises ConfigError for one that is open at the start by more than ``OPEN``.
    """
    model, data = source.model, source.data
    joints = []
    for e in range(model.neq):
        kind = mujoco.mjtEq(model.eq_type[e])
        if why := why_no_joint(model, e):
            source.note("equality", e, f"is left out: {why}")
        else:
            open_by = max(
                (float(abs(data.efc_pos[r])) for r in range(data.ne) if data.efc_id[r] == e),
                default=0.0,
            )
            if open_by > OPEN:
                raise source.refuse(
                    "equality",
                    e,
                    f"is open by {open_by:.3g} m at the start; {OPEN:g} m are allowed: give a "
                    "keyframe in which it is closed",
                )
            joints.append(_connection(source, carriers, e, kind))
    return [joint for joint in joints if joint is not None]


def _connection(source: Source, carriers: Carriers, e: int, kind: Any) -> Joint | None:
    """Return the joint of a connect or weld, or None between two links of one group."""
    model, data = source.model, source.data
    is_weld = kind == mujoco.mjtEq.mjEQ_WELD
    one, other = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if model.eq_objtype[e] == mujoco.mjtObj.mjOBJ_SITE:
        point = data.site_xpos[one]
        one, other = int(model.site_bodyid[one]), int(model.site_bodyid[other])
    else:
        offset = model.eq_data[e][3:6] if is_weld else model.eq_data[e][:3]
        base = other if is_weld else one
        point = data.xpos[base] + data.xmat[base].reshape(3, 3) @ offset
    child, parent = carriers.name(one), carriers.name(other)
    if child == parent:
        source.note("equality", e, f"is left out: both sides are on {child!r}")
        return None
    child, parent = (parent, child) if child == WORLD else (child, parent)
    name = source.name("equality", e, f"{child}_{'weld' if is_weld else 'connect'}")
    return Joint(name, "fixed" if is_weld else "ball", child, parent, point=point.tolist())


def build_loops(source: Source, carriers: Carriers, loops: Iterable[Any]) -> list[Joint]:
    """Return the joints that close loops of SDF, which MuJoCo's tree has no place for.

    Their limits, springs, damping and friction are left out, which is noted.
    """
    numbers = {source.given("body", b): b for b in range(source.model.nbody)}
    joints = []
    for loop in loops:
        b = numbers[loop.child]
        turn = source.data.xmat[b].reshape(3, 3)
        child, parent = carriers.name(b), carriers.name(numbers[loop.parent])
        name = source.unique("joint", loop.name)
        point = source.data.xpos[b] + turn @ loop.point
        axis = (turn @ loop.axis).tolist()
        joints.append(Joint(name, loop.kind, child, parent, point=point.tolist(), axis=axis))
        line = source.lines("joint", -1, loop.name)
        told = "closes a loop: limits, damping and friction are left out"
        source.notes.append(Problem(str(source.path), line, 1, f"joint {loop.name!r}", told))
    return joints
