"""Scenes of cable robots: a platform on ropes from winches, over pulleys that swivel.

A pulley is a wheel on a body that turns about the swivel axis, and the rope turns it towards the
platform. Its winch is LEAD before it, along the axis. Its own weight tips a pulley whose axis is
not upright, which the closed forms leave out.
"""

import numpy as np
from numpy.typing import ArrayLike

from cable_sim.interchange.robots.cable_robot import Array, CableRobot, RobotRope, reach
from cable_sim.interchange.robots.robot_statics import solve_tensions
from cable_sim.spec import Anchor, Body, Box, Cable, Drive, Eye, Joint, Scene, Wheel, Winch
from cable_sim.spec.quantities import WORLD, Vector

PLATFORM = "platform"
LEAD = 1.0
"""Length of rope between a winch and its pulley or eye [m]."""
MASS = 1.0
"""Mass of a pulley [kg]; it turns as a ball of its radius."""


def robot_scene(robot: CableRobot, pulls: ArrayLike | None = None) -> Scene:
    """Return a robot as a scene, at its start.

    The platform rests there with the pulls of :func:`solve_tensions`. Others are ``pulls`` (m,)
    [N]. Raises SpecError where no pulls hold it.
    """
    pose = robot.position, robot.orientation
    if pulls is None:
        pulls = solve_tensions(robot, *pose)
    found = reach(robot, *pose)
    bodies = [Body(PLATFORM, robot.mass, robot.inertia, Box(*robot.size), *pose, collides=False)]
    cables, drives, joints = [], [], []
    each = zip(robot.ropes, np.asarray(pulls, float).tolist(), found.toward, strict=True)
    for rope, pull, toward in each:
        axis = np.array(rope.swivel) / np.linalg.norm(rope.swivel)
        over: Eye | Wheel = Eye(WORLD, rope.frame)
        if rope.radius:
            body, hinge, over = _pulley(rope, axis, toward)
            bodies.append(body)
            joints.append(hinge)
        nodes = [Anchor(WORLD, _vector(rope.frame - LEAD * axis)), over]
        nodes.append(Anchor(PLATFORM, rope.platform))
        winch = Winch(f"{rope.name}_winch")
        cables.append(Cable(rope.name, nodes, ea=robot.ea, winch=winch, pretension=pull))
        drives.append(Drive(f"{rope.name}_drive", on=winch.name))
    return Scene(bodies=bodies, joints=joints, cables=cables, drives=drives, gravity=robot.gravity)


def _pulley(rope: RobotRope, axis: Array, toward: Array) -> tuple[Body, Joint, Wheel]:
    """Return the body of a pulley, the hinge that it swivels on, and its wheel."""
    name = f"{rope.name}_pulley"
    moment = 0.4 * MASS * rope.radius**2
    middle = _vector(rope.frame + rope.radius * toward)
    body = Body(name, MASS, (moment, moment, moment), position=middle)
    hinge = Joint(f"{rope.name}_swivel", "hinge", name, point=rope.frame, axis=_vector(axis))
    turns = _vector(np.cross(axis, toward))
    wheel = Wheel(f"{rope.name}_wheel", name, (0.0, 0.0, 0.0), rope.radius, turns, friction=0.0)
    return body, hinge, wheel


def _vector(values: Array) -> Vector:
    """Return three numbers as a spec has them."""
    x, y, z = values.tolist()
    return x, y, z
