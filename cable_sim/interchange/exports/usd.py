"""Pictures of scenes as USD: an Xform with a mesh for each body, and curves for the ropes."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom

from cable_sim.rendering.bodies import body_meshes, pose_of
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Scene

ROOT = "/scene"


def write_stage(scene: Scene, path: Path) -> None:
    """Write a scene at its start to a ``.usda`` or ``.usdc`` file, in metres, z upward.

    OSError names a file that can't be written.
    """
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, ROOT).GetPrim())
    for name, mesh in body_meshes(scene).items():
        _add_mesh(stage, f"{ROOT}/{_word(name)}", mesh, *pose_of(scene, name))
    seen = Simulator(scene).observe()
    for cable in scene.cables:
        curve = seen.cable(cable.name).curve
        rope = UsdGeom.BasisCurves.Define(stage, f"{ROOT}/{_word(cable.name)}")
        rope.CreateTypeAttr(UsdGeom.Tokens.linear)
        rope.CreateCurveVertexCountsAttr([len(curve)])
        rope.CreatePointsAttr(curve.tolist())
        rope.CreateWidthsAttr([cable.diameter])
        rope.SetWidthsInterpolation(UsdGeom.Tokens.constant)
        rope.CreateDisplayColorAttr([cable.color])
    path.open("ab").close()  # an error of its own, where it can't be written
    stage.Export(str(path))


def _add_mesh(stage: Any, where: str, mesh: Any, position: Any, orientation: Any) -> None:
    """Add the mesh of a body at its pose."""
    body = UsdGeom.Xform.Define(stage, where)
    body.AddTranslateOp().Set(Gf.Vec3d(*map(float, position)))
    w, *xyz = map(float, orientation)
    body.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(w, *xyz))
    made = UsdGeom.Mesh.Define(stage, f"{where}/solids")
    made.CreatePointsAttr(np.asarray(mesh.vertices).tolist())
    made.CreateFaceVertexCountsAttr([3] * len(mesh.faces))
    made.CreateFaceVertexIndicesAttr(np.ravel(mesh.faces).tolist())
    made.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    made.CreateDisplayColorAttr(mesh.colors[:, :3].tolist())
    made.CreateDisplayOpacityAttr(mesh.colors[:, 3].tolist())
    for primvar in (made.GetDisplayColorPrimvar(), made.GetDisplayOpacityPrimvar()):
        primvar.SetInterpolation(UsdGeom.Tokens.vertex)


def _word(name: str) -> str:
    """Return a name of ours as one of USD's: letters, digits and underscores."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    return word if word[0].isalpha() or word[0] == "_" else f"_{word}"
