"""Cable-driven parallel robots: kinematics, statics, workspace, and their scenes."""

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

__all__ = [
    "CableRobot",
    "Reach",
    "RobotRope",
    "Workspace",
    "find_pose",
    "find_workspace",
    "reach",
    "robot_scene",
    "solve_tensions",
    "wrench_margin",
]
