"""Cameras of a crane: one at the trolley above each hook, and one at the driver's eyes."""

import numpy as np

from cable_sim.cranes.crane import Crane, Suspension
from cable_sim.machine.pictures.frame import Frame
from cable_sim.rendering import meshes
from cable_sim.rendering.bodies import Array, body_meshes
from cable_sim.rendering.camera import Camera
from cable_sim.rendering.meshes import Mesh

HOOK, CAB = "hook_camera", "cab_camera"
BESIDE = 0.5
"""Distance of a hook camera outward from the falls, in half lengths of the trolley [-]."""
AT_TIP = (0.5, 0.0, 0.0)
"""Distance outward, aside and up from the tip of a jib, where that carries the falls [m]."""


class OnboardCameras:
    """The cameras of a crane, with pictures of one size.

    A hook camera moves with the trolley, at the height of its underside, and is level: it looks
    straight down. The trolley's x axis, outward on a jib, is up in the picture. The cab's camera
    follows the hook, as the driver does.

    Parameters
    ----------
    crane: the crane.
    width, height: size of the pictures [pixels].

    Attributes
    ----------
    names: ``hook_camera`` where a load hangs on falls, and ``cab_camera`` where there is a cab. The
        hook camera of a further crane among several has its name before: ``west/hook_camera``.
    """

    def __init__(self, crane: Crane, width: int, height: int) -> None:
        self._crane = crane
        self._size = width, height
        drawn = body_meshes(crane.scene)
        self._hooks: dict[str, tuple[Suspension, Array]] = {}
        for hung in crane.suspensions:
            name = HOOK if hung is crane.suspension else f"{hung.name}/{HOOK}"
            self._hooks[name] = hung, _offset(hung, drawn.get(hung.trolley))
        has_cab = crane.cab is not None and crane.suspension is not None
        self.names = (*self._hooks, *((CAB,) if has_cab else ()))

    def camera(self, name: str, frame: Frame) -> Camera:
        """Return the camera of that name as it stands in a frame; KeyError for an unknown one."""
        if name == CAB and name in self.names:
            return Camera(*driver_view(self._crane, frame), *self._size)
        hung, offset = self._hooks[name]
        position, orientation = frame.poses[hung.trolley]
        turn = meshes.rotation_matrix(orientation)
        x, y = turn[:2, 0] / np.linalg.norm(turn[:2, 0])
        level = np.array([[x, -y, 0.0], [y, x, 0.0], [0.0, 0.0, 1.0]])
        eye = np.asarray(position) + turn @ np.array(hung.trolley_point) + level @ offset
        return Camera(eye, eye - (0.0, 0.0, 1.0), *self._size, up=(float(x), float(y), 0.0))


def _offset(hung: Suspension, trolley: Mesh | None) -> Array:
    """Return a hook camera's place from where the falls begin: outward, aside and up [m]."""
    if trolley is None or any(hung.trolley_point):
        return np.array(AT_TIP)
    reach = float(np.abs(trolley.vertices[:, 0]).max())
    return np.array([BESIDE * reach, 0.0, trolley.vertices[:, 2].min()])


def driver_view(crane: Crane, frame: Frame) -> tuple[Array, Array]:
    """Return the positions of the driver's eyes and of their target [m].

    The target is on the falls, nearer to the hook than to the trolley.
    """
    assert crane.cab and crane.suspension
    hook = np.asarray(frame.poses[crane.suspension.hook][0])
    trolley = np.asarray(frame.poses[crane.suspension.trolley][0])
    looked_at = hook + 0.3 * (trolley - hook)
    if crane.cab.body not in frame.poses:
        return trolley + np.array([0.0, -2.0, -1.5]), looked_at
    position, orientation = frame.poses[crane.cab.body]
    turn = meshes.rotation_matrix(orientation)
    return np.asarray(position) + turn @ np.array(crane.cab.eyes), looked_at
