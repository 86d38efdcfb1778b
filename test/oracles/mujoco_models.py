"""The same scene in this engine and in MuJoCo, run side by side: both are made from one ``Scene``.

The subset: free rigid bodies with the inertia of their shape or principal moments of their own,
undamped elastic cables over anchors and eyes (a sheave of efficiency 1 is one), that pull only or
push as well. A cable becomes a
spatial tendon through sites, which is a spring: ``springlength`` is (0, L) for a cable that only
pulls, (L, L) for one that pushes. MuJoCo sees no constraint (``nefc`` is 0), so neither its solver
nor its soft contacts take part.
"""

from typing import NamedTuple
from xml.etree import ElementTree as Xml

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim import Body, Cable, Scene, Simulator

Array = NDArray[np.float64]


class Track(NamedTuple):
    """Samples of a run: positions (s, b, 3) [m], rotation matrices (s, b, 3, 3), tensions (s, c)
    [N]."""

    position: Array
    rotation: Array
    tension: Array


class Pace(NamedTuple):
    """The largest values of a run: elastic frequency [rad/s], speed [m/s], spin [rad/s], rate of a
    tension [N/s]."""

    frequency: float
    speed: float
    spin: float
    tension_rate: float


def engine_track(
    scene: Scene, dt: float, every: float, count: int, stepper: str = "spook"
) -> Track:
    """This engine at the times ``every``, 2 ``every``, ...

    A tension is the mean over a step, at its middle, so that of an instant is the mean of the steps
    before and after it.
    """
    simulator = Simulator(scene, dt=dt, stepper=stepper)
    stride, samples = round(every / dt), []
    simulator.step(stride)
    for _ in range(count):
        seen = simulator.observe()
        assert simulator.step().status == 0
        after = simulator.observe()
        tensions = [
            0.5 * (seen.cable(cable.name).tension + after.cable(cable.name).tension)
            for cable in scene.cables
        ]
        samples.append((seen.body_position, [_matrix(q) for q in seen.body_orientation], tensions))
        simulator.step(stride - 1)
    return Track(*(np.array(values) for values in zip(*samples, strict=True)))


def mujoco_track(scene: Scene, dt: float, every: float, count: int) -> tuple[Track, Pace]:
    """MuJoCo, Runge-Kutta of fourth order, at the same times; and how fast it all goes."""
    model, data = _started(scene, dt)
    samples, paces = [], []
    for _ in range(count):
        mujoco.mj_step(model, data, round(every / dt))
        mujoco.mj_forward(model, data)
        assert data.nefc == 0
        poses = data.qpos.reshape(-1, 7)
        samples.append(
            (poses[:, :3].copy(), [_matrix(q) for q in poses[:, 3:]], _tensions(model, data))
        )
        paces.append(_pace(model, data))
    return Track(*(np.array(values) for values in zip(*samples, strict=True))), Pace(
        *np.max(paces, axis=0)
    )


def _started(scene: Scene, dt: float) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Model and data at the start of the scene; a free joint turns in its body's frame."""
    model = mujoco.MjModel.from_xml_string(to_mjcf(scene, dt))
    data = mujoco.MjData(model)
    for i, body in enumerate(scene.bodies):
        data.qvel[6 * i : 6 * i + 3] = body.velocity
        data.qvel[6 * i + 3 : 6 * i + 6] = _matrix(body.orientation).T @ body.angular_velocity
    mujoco.mj_forward(model, data)
    return model, data


def _tensions(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """Force of every tendon's spring: none within its range of lengths [N]."""
    lower, upper = model.tendon_lengthspring.T
    return model.tendon_stiffness * (data.ten_length - np.clip(data.ten_length, lower, upper))


def _pace(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[float, float, float, float]:
    """Of this instant; the frequency is that of the fastest stretching mode, the largest root of K
    J M^-1 J^T."""
    jacobian = np.zeros((model.ntendon, model.nv))
    mujoco.mju_sparse2dense(
        jacobian, data.ten_J, model.ten_J_rownnz, model.ten_J_rowadr, model.ten_J_colind
    )
    response, root = np.zeros_like(jacobian), np.sqrt(model.tendon_stiffness)
    mujoco.mj_solveM(model, data, response, jacobian)
    frequency = np.sqrt(np.linalg.eigvalsh(root[:, None] * (jacobian @ response.T) * root)[-1])
    linear, angular = np.linalg.norm(data.qvel.reshape(-1, 2, 3), axis=2).max(axis=0)
    return frequency, linear, angular, np.abs(model.tendon_stiffness * data.ten_velocity).max()


def to_mjcf(scene: Scene, dt: float) -> str:
    """The scene as a MuJoCo file, without velocities, which MJCF has no place for."""
    assert not (scene.joints or scene.drives or scene.surfaces or scene.motions)
    root = Xml.Element("mujoco")
    Xml.SubElement(
        root, "option", timestep=repr(dt), integrator="RK4", gravity=_text(scene.gravity)
    )
    world = Xml.SubElement(root, "worldbody")
    elements = {"world": world} | {body.name: _body(body, world) for body in scene.bodies}
    tendons = Xml.SubElement(root, "tendon")
    for cable in scene.cables:
        _tendon(cable, tendons, elements)
    return Xml.tostring(root, encoding="unicode")


def _body(body: Body, world: Xml.Element) -> Xml.Element:
    """A free body about its centre of mass."""
    assert body.motion == "dynamic" and not body.collides
    element = Xml.SubElement(
        world, "body", name=body.name, pos=_text(body.position), quat=_text(body.orientation)
    )
    moments = body.inertia if body.inertia is not None else body.shape.inertia(body.mass)
    Xml.SubElement(
        element, "inertial", pos="0 0 0", mass=repr(body.mass), diaginertia=_text(moments)
    )
    Xml.SubElement(element, "freejoint")
    return element


def _tendon(cable: Cable, tendons: Xml.Element, elements: dict[str, Xml.Element]) -> None:
    """Sites on the nodes' bodies and a spring through them."""
    assert cable.length is not None and not (
        cable.winch or cable.damping_time or cable.damping_ratio
    )
    assert all(getattr(node, "efficiency", 1.0) == 1.0 for node in cable.nodes)
    stiffness = cable.stiffness or cable.ea / cable.length
    shortest = 0.0 if cable.pulls_only else cable.length
    tendon = Xml.SubElement(
        tendons, "spatial", stiffness=repr(stiffness), springlength=_text((shortest, cable.length))
    )
    for k, node in enumerate(cable.nodes):
        Xml.SubElement(
            elements[node.body], "site", name=f"{cable.name}_{k}", pos=_text(node.position)
        )
        Xml.SubElement(tendon, "site", site=f"{cable.name}_{k}")


def _matrix(quaternion: ArrayLike) -> Array:
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quaternion, dtype=float))
    return matrix.reshape(3, 3)


def _text(values: ArrayLike) -> str:
    """Numbers as MJCF has them."""
    return " ".join(repr(float(value)) for value in values)
