"""List of what a compiled model has and a scene does not."""

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from cable_sim.errors import Problem
from cable_sim.interchange.models.source import Source

HANDLED = ("mjDSBL_GRAVITY", "mjDSBL_CONTACT")
"""Flags that the scene follows."""


def note_left_out(source: Source) -> None:
    """Note all parts and values that no other module of this room takes or notes."""
    for kind, index, text in (*_of_joints(source), *_of_others(source)):
        source.note(kind, index, text)
    _note_options(source)


def _of_joints(source: Source) -> Iterator[tuple[str, int, str]]:
    """Yield what is left out of joints."""
    model = source.model
    for j in range(model.njnt):
        kind = mujoco.mjtJoint(model.jnt_type[j])
        at = int(model.jnt_dofadr[j])
        free = kind == mujoco.mjtJoint.mjJNT_FREE
        ball = kind == mujoco.mjtJoint.mjJNT_BALL
        values: dict[str, Any] = {"armature": model.dof_armature[at]}
        if free:
            values["damping"] = model.dof_damping[at]
        if free or ball:
            values["frictionloss"] = model.dof_frictionloss[at]
            values["stiffness"] = model.jnt_stiffness[j]
        if model.jnt_actfrclimited[j] and source.kind != "URDF":  # there it is a drive's
            values["actuatorfrcrange"] = model.jnt_actfrcrange[j][1]
        if ball and model.jnt_limited[j]:
            values["range"] = model.jnt_range[j][1]
        values |= _curves(model, "jnt_stiffnesspoly", j) | _curves(model, "dof_dampingpoly", at)
        for name, value in values.items():
            if value:
                yield "joint", j, f"{name} {value:g} is left out"


def _curves(model: Any, name: str, index: int) -> dict[str, float]:
    """Return the largest coefficient of higher order that newer releases of MuJoCo have."""
    table = getattr(model, name, None)
    if table is None or not np.any(table[index]):
        return {}
    return {name.partition("_")[2]: float(np.abs(table[index]).max())}


def _of_others(source: Source) -> Iterator[tuple[str, int, str]]:
    """Yield what is left out of bodies, geoms, tendons and actuators, and parts that have none."""
    model = source.model
    for b in range(1, model.nbody):
        if model.body_gravcomp[b]:
            yield "body", b, f"gravcomp {model.body_gravcomp[b]:g} is left out"
        if model.body_mocapid[b] >= 0:
            yield "body", b, "is moved by mocap; here it stands"
    for g in np.flatnonzero(model.geom_fluid[:, 0]).tolist():
        yield "geom", g, "fluidshape is left out"
    for t in range(model.ntendon):
        for name in ("frictionloss", "armature"):
            value = float(getattr(model, f"tendon_{name}", np.zeros(model.ntendon))[t])
            if value:
                yield "tendon", t, f"{name} {value:g} is left out"
        for name, value in _curves(model, "tendon_stiffnesspoly", t).items():
            yield "tendon", t, f"{name} {value:g} is left out"
    for a in range(model.nu):
        for name in ("armature", "damping"):
            values = getattr(model, f"actuator_{name}", None)
            if values is not None and np.any(values[a]):
                yield "actuator", a, f"{name} {np.max(values[a]):g} is left out"
    through = model.wrap_type == int(mujoco.mjtWrap.mjWRAP_SITE)
    around = model.wrap_type > int(mujoco.mjtWrap.mjWRAP_SITE)  # these name a site beside them
    used = {*model.wrap_objid[through].tolist(), *model.wrap_prm[around].astype(int).tolist()}
    for s in sorted({*range(model.nsite)} - used):
        yield "site", s, "is left out: no tendon runs through it"
    for kind, count in (
        ("sensor", model.nsensor),
        ("camera", model.ncam),
        ("light", model.nlight),
        ("pair", model.npair),
        ("flex", model.nflex),
        ("skin", model.nskin),
        ("plugin", model.nplugin),
    ):
        for index in range(count):
            yield kind, index, "is left out"


def _note_options(source: Source) -> None:
    """Note fluids, and switches that are off."""
    option = source.model.opt
    told = [
        f"{name} {value} is left out"
        for name, value in (("density", option.density), ("viscosity", option.viscosity))
        if value
    ]
    for name, flag in mujoco.mjtDisableBit.__members__.items():
        if name.startswith("mjDSBL_") and name not in HANDLED and option.disableflags & int(flag):
            told.append(f"flag {name.removeprefix('mjDSBL_').lower()}=disable is left out")
    source.notes += [Problem(str(source.path), 1, 1, "option", text) for text in told]
