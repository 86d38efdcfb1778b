"""A model as MuJoCo's compiler has it, the names of its parts here, and what of it is left out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ConfigError, Problem

Array = NDArray[np.float64]

HIDDEN = 3
"""Least group of geoms that MuJoCo's viewer does not show at the start."""
MET = 1e-10
"""Largest error [m, rad] of connections at the start; more of it is moved away."""
ROUNDS = 50
"""Most rounds of Newton in which they are closed."""
OPEN = 1e-6
"""Error [m] above which what should be connected is refused."""


@dataclass
class Source:
    """A compiled model at its start, with the words that it is told about by.

    ``kind`` is its format: ``URDF``, ``SDF`` or ``MJCF``.
    ``lines`` returns the line of an element by its kind and name. ``notes`` grows with what is left
    out or said in another way; ``names`` are those that parts have in the scene.
    """

    path: Path
    spec: Any
    model: Any
    lines: Any
    kind: str
    data: Any = None
    notes: list[Problem] = field(default_factory=list)
    names: dict[tuple[str, int], str] = field(default_factory=dict)
    taken: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.data = mujoco.MjData(self.model)

    def given(self, kind: str, index: int) -> str:
        """Return the name of a part in the file, or an empty text."""
        return mujoco.mj_id2name(self.model, _OBJECTS[kind], index) or ""

    def name(self, kind: str, index: int, otherwise: str) -> str:
        """Return the name of a part in the scene, unique in its ``_POOLS``.

        It is made of the one in the file, or of ``otherwise`` where there is none. A name that a
        scene can't have is noted.
        """
        if (kind, index) not in self.names:
            given = self.given(kind, index)
            made = self.unique(kind, given or otherwise)
            self.names[kind, index] = made
            if given and made != given:
                self.note(kind, index, f"has the name {made!r} in the scene")
        return self.names[kind, index]

    def unique(self, kind: str, wanted: str) -> str:
        """Return a name near the wanted one that a scene can have and no other part has."""
        plain = re.sub(r"\W", "_", wanted, flags=re.ASCII)
        plain = plain if plain[:1].isalpha() else f"{kind}_{plain}".rstrip("_")
        plain = f"{plain}_{kind}" if plain == "world" else plain
        pool = _POOLS[kind]
        made, count = plain, 2
        while (pool, made) in self.taken:
            made, count = f"{plain}_{count}", count + 1
        self.taken.add((pool, made))
        return made

    def line(self, kind: str, index: int) -> int:
        """Return the line of a part in the file; 1 where it is not known."""
        return int(self.lines(kind, index, self.given(kind, index)))

    def note(self, kind: str, index: int, text: str) -> None:
        """Note what becomes of a part."""
        name = self.given(kind, index) or f"number {index}"
        self.notes.append(self.problem(kind, index, f"{kind} {name!r}", text))

    def problem(self, kind: str, index: int, what: str, text: str) -> Problem:
        """Return a problem at the line of a part."""
        return Problem(str(self.path), self.line(kind, index), 1, what, text)

    def refuse(self, kind: str, index: int, text: str) -> ConfigError:
        """Return the error about a part."""
        what = f"{kind} {self.given(kind, index) or index!r}"
        return ConfigError([self.problem(kind, index, what, text)])


_OBJECTS = {
    "body": mujoco.mjtObj.mjOBJ_BODY,
    "joint": mujoco.mjtObj.mjOBJ_JOINT,
    "geom": mujoco.mjtObj.mjOBJ_GEOM,
    "site": mujoco.mjtObj.mjOBJ_SITE,
    "tendon": mujoco.mjtObj.mjOBJ_TENDON,
    "actuator": mujoco.mjtObj.mjOBJ_ACTUATOR,
    "equality": mujoco.mjtObj.mjOBJ_EQUALITY,
    "sensor": mujoco.mjtObj.mjOBJ_SENSOR,
    "key": mujoco.mjtObj.mjOBJ_KEY,
    "camera": mujoco.mjtObj.mjOBJ_CAMERA,
    "light": mujoco.mjtObj.mjOBJ_LIGHT,
    "pair": mujoco.mjtObj.mjOBJ_PAIR,
    "flex": mujoco.mjtObj.mjOBJ_FLEX,
    "skin": mujoco.mjtObj.mjOBJ_SKIN,
    "plugin": mujoco.mjtObj.mjOBJ_PLUGIN,
}
"""MuJoCo's number of each kind of part."""
_POOLS = {
    **dict.fromkeys(("body", "geom"), "shapes"),
    **dict.fromkeys(("joint", "tendon", "equality"), "coordinates"),
    "actuator": "drives",
}
"""Kinds that share one space of names."""


def lines_of(spec: Any) -> dict[tuple[str, int], int]:
    """Return the line of each element of a compiled MJCF by kind and number."""
    kinds: dict[str, Iterable[Any]] = {
        "body": spec.bodies,
        "joint": spec.joints,
        "geom": spec.geoms,
        "site": spec.sites,
        "tendon": spec.tendons,
        "actuator": spec.actuators,
        "equality": spec.equalities,
        "sensor": spec.sensors,
        "key": spec.keys,
        "camera": spec.cameras,
        "light": spec.lights,
        "pair": spec.pairs,
        "flex": spec.flexes,
        "skin": spec.skins,
        "plugin": spec.plugins,
    }
    found = {}
    for kind, elements in kinds.items():
        for element in elements:
            numbers = re.search(r"line (\d+)", element.info)
            if numbers:
                found[kind, element.id] = int(numbers[1])
    return found


def has_coordinate(model: Any, j: int) -> bool:
    """Return True if a joint is a hinge or a slide."""
    # compared as MuJoCo's own type: ``in`` finds no number of numpy among its names
    kind = mujoco.mjtJoint(model.jnt_type[j])
    return kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


def place_at_start(source: Source, key: str) -> None:
    """Move the joints to the start: that of the keyframe ``key``, or MuJoCo's.

    Joints are moved into their limits, and connections are closed. Both are noted.
    """
    model, data = source.model, source.data
    if key:
        data.qpos = model.key(_known_key(source, key)).qpos
        data.qvel = model.key(key).qvel
        data.ctrl = model.key(key).ctrl
    before = np.array(data.qpos)
    _close(source)
    for j in range(model.njnt):
        at = model.jnt_qposadr[j]
        if has_coordinate(model, j) and abs(data.qpos[at] - before[at]) > MET:
            told = f"starts at {data.qpos[at]:g}, not {before[at]:g}, to close what is connected"
            source.note("joint", j, told)
    for j in range(model.njnt):
        at = model.jnt_qposadr[j]
        if not (has_coordinate(model, j) and model.jnt_limited[j]):
            continue
        inside = float(np.clip(data.qpos[at], *model.jnt_range[j]))
        if inside != data.qpos[at]:
            lower, upper = model.jnt_range[j]
            source.note(
                "joint",
                j,
                f"starts at {inside:g}: {data.qpos[at]:g} is outside its range {lower:g} ... "
                f"{upper:g}",
            )
            data.qpos[at] = inside
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)


def _known_key(source: Source, key: str) -> str:
    """Return the name of a keyframe; raise ConfigError, which lists them, if it is unknown."""
    known = [source.given("key", k) for k in range(source.model.nkey)]
    if key not in known:
        told = f"keyframe {key!r} is not known; known are {', '.join(known) or 'none'}"
        raise ConfigError([Problem(str(source.path), 1, 1, "", told)])
    return key


def _close(source: Source) -> None:
    """Move the joints the least way to where connections and welds are closed.

    Newton's method with the pseudo-inverse: dq = -J^+ r, r and J those of MuJoCo.
    """
    model, data = source.model, source.data
    closed = [e for e in range(model.neq) if why_no_joint(model, e) is None]
    for _ in range(ROUNDS if closed else 0):
        mujoco.mj_fwdPosition(model, data)
        rows = np.flatnonzero(np.isin(data.efc_id[: data.ne], closed))
        residual = data.efc_pos[rows]
        if not rows.size or np.abs(residual).max() < MET:
            return
        step = -np.linalg.pinv(_jacobian(model, data)[rows], rcond=1e-8) @ residual
        mujoco.mj_integratePos(model, data.qpos, step, 1.0)


def why_no_joint(model: Any, e: int) -> str | None:
    """Return the reason why an equality is no joint, or None if it is one."""
    kind = mujoco.mjtEq(model.eq_type[e])
    if not model.eq_active0[e]:
        return "it is not active"
    if kind not in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
        return f"{kind.name.removeprefix('mjEQ_').lower()} couples what no joint here does"
    ends = [int(model.eq_obj1id[e]), int(model.eq_obj2id[e])]
    if model.eq_objtype[e] == mujoco.mjtObj.mjOBJ_SITE:
        ends = [int(model.site_bodyid[end]) for end in ends]
    if any(model.body_mocapid[end] >= 0 for end in ends):
        return "it is to a mocap body, which is moved from outside"
    return None


def _jacobian(model: Any, data: Any) -> Array:
    """Return the Jacobian of all of MuJoCo's constraints (rows, nv)."""
    if not mujoco.mj_isSparse(model):
        return np.array(data.efc_J).reshape(data.nefc, model.nv)
    dense = np.zeros((data.nefc, model.nv))
    mujoco.mju_sparse2dense(
        dense, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind
    )
    return dense
