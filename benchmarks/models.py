"""Models of other programs beside MuJoCo: masses, inertias, frames of joints, and a passive swing.

``python -m benchmarks.models FOLDER...`` reads every URDF, SDF and MJCF file that it finds there,
and writes a table as JSON. Joints start at random within their ranges. Masses, inertias and frames
are compared at the start. The swing of 2 s has the damping and the springs of hinges, slides and
balls. What a scene has in another way, or not at all, is off in both: contact, limits, friction,
armature, drives, tendons, equalities, fluids. MuJoCo takes Runge-Kutta steps of a tenth of ours;
where these diverge, because it damps explicitly, implicit ones of a fiftieth.
"""

import argparse
import json
import math
import os
import time
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

from benchmarks.results import FOLDER, machine
from cable_sim import CableSimError, Scene, Simulator, read_model
from cable_sim.interchange.models.bodies import Carriers, build_bodies, carried_inertia
from cable_sim.interchange.models.read import open_model
from cable_sim.interchange.models.source import Source, has_coordinate, place_at_start

SECONDS = 2.0
STEPS = (1e-3, 2.5e-4, 1e-4)
"""Steps of ours [s]; the first one whose swing agrees counts, or the last."""
ASIDE = 1e-7
"""Difference of starts [m or rad] by which MuJoCo's own sensitivity is measured."""
AGREES = 1e-3
"""Largest distance of a centre of mass [m] that agrees."""
CALM = 5.0
"""Damping over inertia of joints [1/s] where a swing without it is chaotic."""
SAMPLES = 20
OFF = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY", "ACTUATION", "GRAVITY")
"""Flags of MuJoCo that are switched off for the swing; gravity is set to the scene's instead."""


class Agreement(NamedTuple):
    """A model read and compared.

    ``mass``, ``inertia`` and ``frame`` are the largest relative errors [-] and distance [m]; swing
    is the largest distance of a centre of mass [m] in a run with steps of ``dt`` [s]. ``lever`` is
    how far MuJoCo's own run goes apart for each metre or radian by which it starts elsewhere:
    where it is in the hundreds the swing is chaotic. ``damped`` is the distance, in place of
    ``swing``, if hinges and slides of both get a damping of CALM times their inertia.
    """

    name: str
    bodies: int
    joints: int
    notes: int
    mass: float
    inertia: float
    frame: float
    swing: float
    lever: float
    damped: float
    dt: float
    seconds: float


def compare(path: Path, seed: int = 0, steps: Iterable[float] = STEPS) -> Agreement:
    """Read a model at a random start, and compare it with MuJoCo."""
    begin = time.perf_counter()
    source, *_ = open_model(path)
    start = random_start(source, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scene, notes = read_model(path, start=start, contact=False)
    kept = Kept(path, start)
    errors = statics(scene, kept)
    swing, lever, damped, dt = math.inf, math.nan, math.nan, 0.0
    for dt in steps:
        swing, lever = passive_swing(kept, scene.gravity, dt, seed)
        if swing < AGREES:
            break
    else:
        damped, _ = passive_swing(kept, scene.gravity, dt, seed, CALM)
    counts = len(scene.bodies), len(scene.joints), len(notes)
    seconds = time.perf_counter() - begin
    name = "/".join(path.parts[-2:])
    return Agreement(name, *counts, *errors, swing, lever, damped, dt, seconds)


class Kept:
    """A model at the start, an MJCF read by MuJoCo alone, with the names of its parts here."""

    def __init__(self, path: Path, start: dict[str, float]) -> None:
        source, *_ = open_model(path)
        if source.kind == "MJCF":
            source.model = mujoco.MjModel.from_xml_path(str(path))
            source.data = mujoco.MjData(source.model)
        for name, value in start.items():
            source.data.qpos[source.model.joint(name).qposadr[0]] = value
        place_at_start(source, "")
        self.source = source
        self.bodies, self.joints = build_bodies(source, Carriers(source))
        self.names = dict(source.names)


def random_start(source: Source, seed: int) -> dict[str, float]:
    """Return random coordinates of the named hinges and slides, within their ranges."""
    model = source.model
    draw = np.random.default_rng(seed)
    start = {}
    for j in range(model.njnt):
        name = source.given("joint", j)
        if not name or not has_coordinate(model, j):
            continue
        middle = float(model.qpos0[model.jnt_qposadr[j]])
        lower, upper = model.jnt_range[j] if model.jnt_limited[j] else (middle - 0.5, middle + 0.5)
        start[name] = float(draw.uniform(max(lower, middle - 1.0), min(upper, middle + 1.0)))
        if lower > middle + 1.0 or upper < middle - 1.0:
            start[name] = 0.5 * float(lower + upper)
    return start


def statics(scene: Scene, kept: Kept) -> tuple[float, float, float]:
    """Return the largest errors of masses and inertias [-], and of frames of joints [m]."""
    source = kept.source
    model, data = source.model, source.data
    bodies = {body.name: body for body in scene.bodies}
    joints = {joint.name: joint for joint in scene.joints}
    carriers = Carriers(source)
    masses, inertias, frames = [0.0], [0.0], [0.0]
    for (kind, i), name in kept.names.items():
        if kind == "body" and name in bodies:
            own = np.array(bodies[name].inertia)
            true = carried_inertia(source, carriers, i)
            masses.append(abs(bodies[name].mass / model.body_mass[i] - 1.0))
            inertias.append(float(np.abs(own - true).max() / np.abs(true).max()))
            frames.append(float(np.abs(np.subtract(bodies[name].position, data.xipos[i])).max()))
        if kind == "joint":
            axis = 0.0 if joints[name].kind == "ball" else joints[name].axis - data.xaxis[i]
            frames.append(float(np.abs(np.subtract(joints[name].point, data.xanchor[i])).max()))
            frames.append(float(np.abs(axis).max()))
    return max(masses), max(inertias), max(frames)


def passive_swing(
    kept: Kept, gravity: Any, dt: float, seed: int, calm: float = 0.0
) -> tuple[float, float]:
    """Return the largest distance of a centre of mass from MuJoCo's in ``SECONDS`` [m], and lever.

    All coordinates start with random rates. ``calm`` is damping over inertia of joints [1/s], which
    is added for good.
    """
    source = kept.source
    model, data = source.model, source.data
    for j in filter(lambda j: has_coordinate(model, j), range(model.njnt)):
        at = model.jnt_dofadr[j]
        model.dof_damping[at] += calm * model.dof_M0[at]
    rates = np.random.default_rng(seed).uniform(-1.0, 1.0, model.nv)
    slides = model.jnt_type == int(mujoco.mjtJoint.mjJNT_SLIDE)
    rates[model.jnt_dofadr[slides]] *= 0.2
    data.qvel = rates
    mujoco.mj_fwdVelocity(model, data)
    source.names, source.taken = {}, set()
    bodies, joints = build_bodies(source, Carriers(source))
    free: dict[str, Any] = {"lower": -math.inf, "upper": math.inf, "dry_friction": 0.0}
    joints = [replace(one, **free) if one.has_coordinate else one for one in joints]
    wanted = {name: i for (kind, i), name in source.names.items() if kind == "body"}
    moving = [body.name for body in bodies if body.name in wanted]
    stride = round(SECONDS / SAMPLES / dt)
    simulator = Simulator(Scene(bodies=bodies, joints=joints, gravity=gravity), dt=dt)
    ours = []
    for _ in range(SAMPLES):
        simulator.step(stride)
        seen = simulator.observe()
        ours.append([seen.body(name).position for name in moving])
    for integrator, finer in (("RK4", 10), ("IMPLICITFAST", 50)):
        theirs = _mujoco_swing(source, gravity, integrator, dt / finer, stride * finer)
        if theirs is not None:
            numbers = [wanted[name] for name in moving]
            if not moving:
                return 0.0, 0.0
            away = np.array(ours).reshape(SAMPLES, -1, 3) - theirs[:, numbers]
            aside = _mujoco_swing(source, gravity, integrator, dt / finer, stride * finer, ASIDE)
            apart = math.inf if aside is None else np.linalg.norm(aside - theirs, axis=2).max()
            return float(np.linalg.norm(away, axis=2).max()), float(apart / ASIDE)
    return math.nan, math.nan


def _mujoco_swing(
    source: Source, gravity: Any, integrator: str, dt: float, stride: int, aside: float = 0.0
) -> np.ndarray | None:
    """Return the centres of mass (samples, bodies, 3) of MuJoCo [m]; None where it diverges.

    All coordinates start ``aside`` by so much [rad or m].
    """
    model = source.model
    mujoco.set_mju_user_warning(lambda _: None)  # it writes a file of what diverges else
    for name in ("dof_armature", "body_gravcomp", "tendon_stiffness", "tendon_damping"):
        getattr(model, name)[:] = 0.0
    for name in ("jnt_stiffnesspoly", "dof_dampingpoly", "actuator_damping", "actuator_armature"):
        getattr(model, name)[:] = 0.0
    for j in range(model.njnt):
        if not has_coordinate(model, j):
            model.jnt_stiffness[j] = 0.0
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
            at = model.jnt_dofadr[j]
            model.dof_damping[at : at + 6] = 0.0
    option = model.opt
    option.density = option.viscosity = 0.0
    for word in OFF[:-1]:
        option.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{word}"))
    option.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    option.gravity = gravity
    option.timestep = dt
    option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    data = mujoco.MjData(model)
    mujoco.mj_setConst(model, data)  # it keeps the inertia of simple bodies, with their armature
    data.qpos, data.qvel = source.data.qpos, source.data.qvel
    mujoco.mj_integratePos(model, data.qpos, np.full(model.nv, aside), 1.0)
    found = []
    for _ in range(SAMPLES):
        mujoco.mj_step(model, data, stride)
        mujoco.mj_kinematics(model, data)
        found.append(np.array(data.xipos))
    bad = sum(int(one.number) for one in data.warning[int(mujoco.mjtWarning.mjWARN_BADQPOS) :])
    return None if bad else np.array(found)


def main() -> None:
    """Compare all models of some folders, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--match", default="", help="part of the path of the files")
    options = parser.parse_args()
    suffixes = (".urdf", ".sdf", ".xml")
    files = [
        path
        for folder in options.folders
        for path in ([folder] if folder.is_file() else sorted(folder.rglob("*")))
        if path.suffix in suffixes and options.match in str(path)
    ]
    about = machine()
    day = about["date"][:16].replace(":", "").replace(" ", "_")
    target = FOLDER / f"{day}_models.json"
    rows: list[Agreement] = []
    failed: list[dict[str, str]] = []
    for path in files:
        try:
            rows.append(compare(path))
        except (CableSimError, ValueError) as error:
            failed.append({"name": path.name, "why": str(error).rpartition(os.sep)[2]})
            print(f"{path.name}: {failed[-1]['why'][:160]}", flush=True)
            continue
        one = rows[-1]
        table = {"machine": about, "read": [row._asdict() for row in rows], "refused": failed}
        target.write_text(json.dumps(table, indent=1) + "\n")
        print(
            f"{one.name:40s} {one.bodies:4d} bodies {one.joints:4d} joints  mass {one.mass:.0e}  "
            f"inertia {one.inertia:.0e}  frame {one.frame:.0e}  swing {one.swing:.1e} m at "
            f"{one.dt:g} s, lever {one.lever:.1g}, damped {one.damped:.1e}, {one.seconds:.1f} s",
            flush=True,
        )
    agree = sum(min(one.swing, one.damped) < AGREES for one in rows)
    print(f"{len(rows)} of {len(files)} read, {agree} swing alike: {target}")


if __name__ == "__main__":
    main()
