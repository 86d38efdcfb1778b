"""Scenes of cable robots: a platform on ropes, with a winch and a drive for each."""

import numpy as np
from numpy.typing import ArrayLike

from cable_sim.errors import SpecError
from cable_sim.interchange.robots.cable_robot import CableRobot
from cable_sim.interchange.robots.robot_statics import solve_tensions
from cable_sim.spec import Anchor, Body, Box, Cable, Drive, Scene, Winch
from cable_sim.spec.quantities import WORLD

PLATFORM = "platform"


def robot_scene(robot: CableRobot, pulls: ArrayLike | None = None) -> Scene:
    """Return a robot as a scene, at its start.

    The platform rests there with the pulls of :func:`solve_tensions`. Others are ``pulls`` (m,)
    [N]. Raises SpecError where no pulls hold it, and for pulleys: the ropes of a scene run through
    eyes.
    """
    for rope in robot.ropes:
        if rope.radius:
            told = "a scene has eyes in place of pulleys that swivel; give 0"
            raise SpecError(f"ropes.{rope.name}.radius: {rope.radius:g} m is not allowed: {told}")
    if pulls is None:
        pulls = solve_tensions(robot, robot.position, robot.orientation)
    pose = robot.position, robot.orientation
    body = Body(PLATFORM, robot.mass, robot.inertia, Box(*robot.size), *pose, collides=False)
    cables, drives = [], []
    for rope, pull in zip(robot.ropes, np.asarray(pulls, float).tolist(), strict=True):
        winch = Winch(f"{rope.name}_winch")
        nodes = [Anchor(WORLD, rope.frame), Anchor(PLATFORM, rope.platform)]
        cables.append(Cable(rope.name, nodes, ea=robot.ea, winch=winch, pretension=pull))
        drives.append(Drive(f"{rope.name}_drive", on=winch.name))
    return Scene(bodies=[body], cables=cables, drives=drives, gravity=robot.gravity)
