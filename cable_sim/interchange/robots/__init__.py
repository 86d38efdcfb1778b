"""Cable-driven parallel robots: kinematics, statics, workspace, scenes. Rotors, and their pilots.

The names below are loaded on first use, because one of them wants a package of its own.
"""

from typing import TYPE_CHECKING

from cable_sim.lazy_names import load_lazily

if TYPE_CHECKING:
    from cable_sim.interchange.robots.ardupilot_link import ArduPilotLink
    from cable_sim.interchange.robots.cable_robot import (
        CableRobot,
        Reach,
        RobotRope,
        find_pose,
        reach,
    )
    from cable_sim.interchange.robots.px4_link import Px4Link
    from cable_sim.interchange.robots.robot_scenes import robot_scene
    from cable_sim.interchange.robots.robot_statics import (
        Workspace,
        find_workspace,
        solve_tensions,
        wrench_margin,
    )
    from cable_sim.interchange.robots.rotors import Rotor, Rotors, hover_share

_NAMES = {
    "ardupilot_link": "ArduPilotLink",
    "cable_robot": "CableRobot Reach RobotRope find_pose reach",
    "px4_link": "Px4Link",
    "robot_scenes": "robot_scene",
    "robot_statics": "Workspace find_workspace solve_tensions wrench_margin",
    "rotors": "Rotor Rotors hover_share",
}

__all__ = [
    "ArduPilotLink",
    "CableRobot",
    "Px4Link",
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

if not TYPE_CHECKING:  # with it, type checkers would believe in any name
    __getattr__ = load_lazily(
        __name__,
        {
            name: f"{__name__}.{module}"
            for module, names in _NAMES.items()
            for name in names.split()
        },
    )

    def __dir__():
        """Return the names that the package has, loaded or not, for tools such as Sphinx."""
        return __all__
