"""Cable-driven parallel robots: kinematics, statics, workspace, scenes. Rotors, and their pilot."""

from cable_sim.interchange.robots.cable_robot import (
    CableRobot,
    Reach,
    RobotRope,
    find_pose,
    reach,
    robot_scene,
)
from cable_sim.interchange.robots.robot_statics import (
    Workspace,
    find_workspace,
    solve_tensions,
    wrench_margin,
)
from cable_sim.interchange.robots.rotors import ArduPilotLink, Rotor, Rotors, hover_share

__all__ = [
    "ArduPilotLink",
    "CableRobot",
    "Reach",
    "RobotRope",
    "Rotor",
    "Rotors",
    "Workspace",
    "find_pose",
    "find_workspace",
    "hover_share",
    "reach",
    "robot_scene",
    "solve_tensions",
    "wrench_margin",
]
