"""Scenes from models of other programs: URDF, xacro, SDF and MJCF."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np

from cable_sim.errors import ConfigError, Problem
from cable_sim.interchange.models.bodies import (
    Carriers,
    build_bodies,
    build_connections,
    build_loops,
)
from cable_sim.interchange.models.drives import build_drives
from cable_sim.interchange.models.files import ROOTS, line_of, parse, problem, text_of
from cable_sim.interchange.models.left_out import note_left_out
from cable_sim.interchange.models.ropes import Ropes
from cable_sim.interchange.models.sdf import Loop, spec_of_sdf
from cable_sim.interchange.models.shapes import Shapes, build_shapes
from cable_sim.interchange.models.source import (
    Array,
    Source,
    has_coordinate,
    lines_of,
    place_at_start,
)
from cable_sim.interchange.models.urdf import drives_of_urdf, spec_of_urdf
from cable_sim.spec import Scene

SINGULAR = 1e-9
"""Least moment of inertia over the largest one of a tensor that counts as positive [-]."""
POINT = 1e-12
"""Largest moment over the mass of what is a point [m^2]."""
LEAST = 1e-3
"""Least moment over the largest one that another tensor gets [-]."""
BALL = 4e-7
"""Least moment over the mass that it gets, of a ball of 1 mm [m^2]."""


class ImportedModel(NamedTuple):
    """A scene, and notes on what of its file is left out or said in another way.

    Each note has the file, the line of the element, its kind and name, and what becomes of it.
    """

    scene: Scene
    notes: tuple[Problem, ...]


def read_model(
    path: str | Path,
    keyframe: str = "",
    start: Mapping[str, float] | None = None,
    contact: bool = True,
) -> ImportedModel:
    """Return the scene of a URDF, xacro, SDF or MJCF file; the root element tells which it is.

    Parameters
    ----------
    path: of the file.
    keyframe: of an MJCF file, at which the scene starts; left out, MuJoCo's start.
    start: coordinates of hinges and slides at the start, by the name of the joint [rad or m].
    contact: False leaves all contact out.

    Raises ConfigError with file, line and what is allowed, and CableSimError, which names it,
    without a package of the extra ``models``. MuJoCo's handler of warnings is reset.
    """
    source, text, loops = open_model(Path(path))
    _set_start(source, start or {})
    place_at_start(source, keyframe)
    carriers = Carriers(source)
    bodies, joints = build_bodies(source, carriers)
    joints += [*build_connections(source, carriers), *build_loops(source, carriers, loops)]
    flags = source.model.opt.disableflags
    touches = contact and not flags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    shapes = build_shapes(source, carriers, touches)
    ropes = Ropes(source, carriers, shapes.obstacles)
    ropes.build()
    drives = build_drives(source, ropes)
    drives += drives_of_urdf(source, text) if source.kind == "URDF" else []
    note_left_out(source)
    scene = _scene(source, shapes, ropes, bodies=bodies, joints=joints, drives=drives)
    notes = sorted(source.notes, key=lambda note: (note.line, note.field))
    return ImportedModel(scene, tuple(notes))


def open_model(path: Path) -> tuple[Source, str, list[Loop]]:
    """Return a compiled model, its text, and joints that close its loops.

    Raises as :func:`read_model`.
    """
    text = text_of(path)
    root = parse(path, text)
    kind = ROOTS.get(root.tag)
    if kind is None:
        known = ", ".join(f"{tag} ({name})" for tag, name in ROOTS.items())
        raise problem(path, 1, "", f"root element {root.tag!r} is not known; known are {known}")
    notes: list[Problem] = []
    loops: list[Loop] = []
    warned: list[str] = []  # instead of in a file MUJOCO_LOG.TXT, where MuJoCo writes them else
    mujoco.set_mju_user_warning(warned.append)
    try:
        if kind == "MJCF":
            spec = mujoco.MjSpec.from_file(str(path))
        elif kind == "URDF":
            spec, notes = spec_of_urdf(path, text)
        else:
            spec, notes, loops = spec_of_sdf(path, text)
        model = _compile(path, spec, notes, text)
    except ValueError as error:
        raise _explain(path, text, str(error)) from None
    finally:
        mujoco.set_mju_user_warning(None)
    notes += [_explain(path, text, told).problems[0] for told in warned]
    known_lines = lines_of(spec)

    def line(part: str, index: int, name: str) -> int:
        tag = {"body": "link"}.get(part, part) if kind != "MJCF" else part
        return known_lines.get((part, index)) or (line_of(text, tag, name) if name else 1)

    if model.nbody == 1 and not model.ngeom:
        raise problem(path, 1, "", "has no links and no shapes")
    return Source(path, spec, model, line, kind, notes=notes), text, loops


def _compile(path: Path, spec: Any, notes: list[Problem], text: str) -> Any:
    """Return the compiled model, its tensors made such as a body may have, which is noted.

    Moments that are not above 0 are raised to LEAST of the largest one, or those of a ball of 1 mm.
    Where two do not make up for the third, both get half of what lacks.
    """
    for body in spec.bodies:
        if not body.explicitinertial or not body.mass > 0.0:
            continue
        moments, axes = np.array(body.inertia), None
        if np.isfinite(body.fullinertia).all():
            xx, yy, zz, xy, xz, yz = body.fullinertia
            moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        raised = _raised(moments, body.mass)
        if np.array_equal(raised, moments):
            continue
        if axes is None:
            body.inertia = raised
        else:
            fitted = axes @ np.diag(raised) @ axes.T
            body.fullinertia = [*np.diag(fitted), fitted[0, 1], fitted[0, 2], fitted[1, 2]]
        line = max(line_of(text, tag, body.name) for tag in ("link", "body"))
        told = f"moments {moments.tolist()} are no body's; {raised.tolist()} here"
        notes.append(Problem(str(path), line, 1, f"body {body.name!r}", told))
    return spec.compile()


def _raised(moments: Array, mass: float) -> Array:
    """Return principal moments (3,) that a body of a mass may have [kg m^2]."""
    largest = max(float(moments.max()), 0.0)
    if moments.min() <= max(SINGULAR * largest, POINT * mass):
        moments = np.maximum(moments, max(LEAST * largest, BALL * mass))
    low, middle, high = np.argsort(moments)
    lacking = moments[high] - moments[low] - moments[middle]
    if lacking > 0.0:
        moments = np.array(moments)
        moments[[low, middle]] += 0.5 * lacking + SINGULAR * moments[high]
    return moments


def _explain(path: Path, text: str, message: str) -> ConfigError:
    """Return MuJoCo's error or warning with the place that it names."""
    line = re.search(r"line (\d+)", message)
    name = re.search(r"(?:[nN]ame|joint) '([^']*)'", message)
    at = int(line[1]) if line else 1
    if not line and name:
        at = max(line_of(text, tag, name[1]) for tag in ("link", "joint", "model"))
    first, *more = message.strip().splitlines()
    told = "; ".join([first.removeprefix("Error: "), *more[:1]])
    if "mjMINVAL" in told:
        told = f"a link that moves has no mass or inertia; give it an inertial ({told})"
    return problem(path, at, f"{name[1]!r}" if name else "", told)


def _set_start(source: Source, start: Mapping[str, float]) -> None:
    """Set the coordinates of joints by name; raise ConfigError for another one."""
    model = source.model
    known = {source.given("joint", j): j for j in range(model.njnt) if has_coordinate(model, j)}
    for name, value in start.items():
        if name not in known:
            told = f"start: {name!r} is no hinge or slide; known are {', '.join(known) or 'none'}"
            raise problem(source.path, 1, "", told)
        source.data.qpos[model.jnt_qposadr[known[name]]] = value


def _scene(source: Source, shapes: Shapes, ropes: Ropes, **parts: Any) -> Scene:
    """Return the scene of all parts."""
    option = source.model.opt
    weightless = option.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    return Scene(
        **parts,
        cables=ropes.cables,
        surfaces=shapes.surfaces,
        obstacles=[*shapes.obstacles, *ropes.obstacles],
        visuals=shapes.visuals,
        collision=shapes.collision,
        gravity=(0.0, 0.0, 0.0) if weightless else tuple(option.gravity.tolist()),
        name=source.spec.modelname or source.path.stem,
    )
