"""Every Jacobian against central differences of its gap, in poses turned and shifted at random."""

import dataclasses

import numpy as np
import pytest

from cable_sim.kernels import step
from cable_sim.kernels.multibody import joints
from cable_sim.kernels.multibody.bodies import WINCH
from cable_sim.kernels.multibody.drives import ON_CABLE
from cable_sim.kernels.multibody.rotation import compose, exp
from cable_sim.kernels.multibody.rows import INERTIA, SPEED
from cable_sim.kernels.records.arrays import copy_record
from cable_sim.model.cables.variants import find_contacts, run
from cable_sim.model.compile import compile_scene, workspace
from cable_sim.model.damping import dense_jacobian
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    BoxContact,
    Cable,
    Drive,
    Drum,
    Eye,
    Joint,
    Layers,
    Scene,
    Sheave,
    Sphere,
    Surface,
    Wheel,
    Winch,
)

STEP = 1e-6
BOX = Box(1.0, 0.7, 0.4)
BODIES = [
    Body(name, mass=2.0 + i, shape=BOX, position=(i, 0.3 * i, -i)) for i, name in enumerate("abc")
]
AXIS = (0.3, -0.5, 0.8)


def joint_scene(kind: str) -> Scene:
    joints_ = [
        Joint(
            "one",
            kind,
            child="a",
            point=(0.2, 0.1, 0.4),
            axis=AXIS,
            lower=-0.5,
            upper=0.4,
            stiffness=5.0 if kind in ("hinge", "prismatic") else 0.0,
            rest=0.1,
        ),
        Joint("two", kind, child="c", parent="b", point=(1.0, 0.5, -1.0), axis=AXIS, position=0.3),
    ]
    drives = [Drive("turn", on="two")] if joints_[1].has_coordinate else []
    return Scene(bodies=BODIES, joints=joints_, drives=drives)


CABLE = Cable(
    "rope",
    [
        Drum("a", (0.1, 0.2, 0.3)),
        Sheave("world", (0.0, 2.0, 3.0), efficiency=0.9),
        Eye("b", (0.2, 0.0, 0.1)),
        Sheave("c", (-0.2, 0.1, 0.1), efficiency=0.8),
        Sheave("b", (0.0, 0.3, 0.2), efficiency=0.95),
        Anchor("a", (0.5, 0.0, 0.1)),
    ],
    ea=1e5,
    length=1.0,
    winch=Winch("hoist"),
)
TWISTED = Cable(
    "rope",
    [
        Drum("a", (0.1, 0.2, 0.3)),
        Eye("world", (0.0, 2.0, 3.0)),
        Eye("b", (0.2, 0.0, 0.1)),
        Eye("b", (0.2, 0.3, 0.1)),
        Sheave("c", (-0.2, 0.1, 0.1), efficiency=0.8),
        Anchor("a", (0.5, 0.0, 0.1)),
    ],
    ea=1e5,
    gj=1e3,
    twist=1.5,
    torque_factor=0.09,
    diameter=0.5,
    length=1.0,
    winch=Winch("hoist"),
)
SECOND_LAYER = (0.55 + 0.1 * 3**0.5 / 2) / 0.55
"""Pitch radius of the second layer over that of the first, of 0.1 m of rope on a drum of 1 m."""
LAYERED = dataclasses.replace(
    CABLE,
    winch=Winch("hoist", drum=Layers(diameter=1.0, turns=4, layers=2, wound=20.0)),
    diameter=0.1,
)
DRIVEN = Cable(
    "line", [Anchor("a", (0.1, 0.2, 0.3)), Sheave("b", (0.2, 0.0, 0.1)), Anchor("c")], driven=True
)
WHEELED = Cable(
    "rope",
    [
        Drum("a", (0.1, 0.2, 0.3)),
        Wheel("one", "world", (0.5, 4.0, 3.0), 0.3, (0.2, 0.9, -0.3), friction=0.2, inertia=3.0),
        Wheel("two", "b", (0.2, 0.0, 0.1), 0.2, (0.1, -0.5, 0.8), friction=0.1),
        Eye("c", (-0.2, 3.1, 0.1)),
        Wheel("three", "b", (0.0, -4.3, 0.2), 0.1, (0.6, 0.1, 0.8), efficiency=0.9, inertia=2.0),
        Anchor("a", (0.5, 0.0, 3.1)),
    ],
    ea=1e5,
    length=18.0,
    winch=Winch("hoist"),
)
GROUND = Surface(point=(0.0, 0.0, -1.3), normal=(0.1, 0.2, 1.0))
CONTACTS = Scene(
    bodies=[
        Body("box", mass=1.0, shape=BOX, position=(0, 0, -1.1), collides=True),
        Body("ball", mass=1.0, shape=Sphere(0.5), position=(0, 0, -1.0), collides=True),
    ],
    surfaces=[GROUND],
)
SCENES = {kind: joint_scene(kind) for kind in ("fixed", "hinge", "prismatic", "ball")}
SCENES |= {"cable": Scene(bodies=BODIES, cables=[CABLE]), "contacts": CONTACTS}
SCENES |= {"layers": Scene(bodies=BODIES, cables=[LAYERED])}
SCENES |= {"wheels": Scene(bodies=BODIES, cables=[WHEELED])}
SCENES |= {"torsion": Scene(bodies=BODIES, cables=[TWISTED])}
STACKED = Scene(
    bodies=[
        Body("a", mass=1.0, shape=Box(1.0, 0.9, 0.8), position=(0, 0, 0)),
        Body("b", mass=2.0, shape=Box(0.5, 0.4, 0.3), position=(0.1, 0.1, 0.5)),
    ],
    contacts=[BoxContact("a", ["b"])],
)
CROSSED = Scene(
    bodies=[
        Body("a", mass=1.0, shape=Box(2.0, 0.2, 0.2), orientation=(0.924, 0.383, 0, 0)),
        Body(
            "b",
            mass=2.0,
            shape=Box(0.2, 2.0, 0.2),
            position=(0.1, 0.2, 0.25),
            orientation=(0.924, 0, 0.383, 0),
        ),
    ],
    contacts=[BoxContact("b", ["a"])],
)
SCENES |= {"stacked": STACKED, "crossed": CROSSED}
NODES = [Body(f"node_{i}", mass=2.0, shape=BOX, position=(3.0 * i, 1.0, 0.0)) for i in range(3)]


def rail_scene(at: float) -> Scene:
    """A carriage on a rail beside three bodies in a row."""
    slide = Joint(
        "slide",
        "prismatic",
        child="carriage",
        parent="node_0",
        point=(at, 0.6, 0.3),
        axis=(1, 0, 0),
        rail=[(node.name, (0.1, 0.2, -0.3)) for node in NODES],
        upper=0.2,
        stiffness=5.0,
        rest=0.1,
    )
    carriage = Body("carriage", mass=3.0, shape=BOX, position=(at + 0.2, 0.5, 0.1))
    drive = Drive("run", on="slide")
    return Scene(bodies=[*NODES, carriage], joints=[slide], drives=[drive])


SCENES |= {f"rail at {at}": rail_scene(at) for at in (1.0, 4.6, 7.5, -1.0)}
SCENES |= {"driven": Scene(bodies=BODIES, cables=[DRIVEN], drives=[Drive("reel", on="line")])}


DEEP = 1e-4
"""Overlap [m] from which on a point touches in all poses nearby."""
SPREAD = {"wheels": 0.2, "rail": 0.3, "contacts": 0.05, "stacked": 0.01, "crossed": 0.02}
"""Poses that touch stay near to their own; the boxes of ``stacked`` with the four corners of the
upper one."""


class Pose:
    """A scene in a random pose; gaps and rates of all its rows in poses nearby."""

    shares: np.ndarray | None = None
    marks: dict[tuple[int, int], int] | None = None

    def __init__(self, scene: Scene, seed: int, spread: float) -> None:
        random = np.random.default_rng(seed)
        self.model, _, self.state, self.control = compile_scene(scene)
        self.work = workspace(self.model)
        for b in np.flatnonzero(self.model.bodies.kind == 1):
            self.shift(self.state, b, spread * random.normal(size=6))

    def shift(self, state, b: int, by: np.ndarray) -> None:
        """Move a body by three lengths and a rotation vector, both in the world."""
        state.bodies.position[b] += by[:3]
        state.bodies.orientation[b] = compose(
            exp(tuple(by[3:])), tuple(state.bodies.orientation[b])
        )

    def shifted(self, b: int, by: np.ndarray):
        """A copy of the state with one body moved."""
        state = copy_record(self.state)
        self.shift(state, b, by)
        m = self.model
        joints.update_coordinates(m.joints, state.bodies, state.joints)
        return state

    def gaps(self, state) -> np.ndarray:
        """Gap of every row; of a drive its coordinate, of a sheave -s_i, the rope that has run over
        it; of a wheel with the share of rope of the pose."""
        run(self.model, state, self.control, self.work, 1e-3, step.LOOK)
        find_contacts(self.model, state, self.control, self.work)
        gaps = self.work.rows.gap.copy()
        self.fill_contact_gaps(gaps)
        for row, kind, on in zip(
            self.model.drives.row, self.model.drives.kind, self.model.drives.on, strict=True
        ):
            if kind == ON_CABLE:
                gaps[row] = -self.work.nodes.remaining_path_length[self.model.cables.node_start[on]]
            else:
                gaps[row] = state.joints.position[on]
        for c in range(self.model.cables.row.size):
            first, last = self.model.cables.node_start[c], self.model.cables.node_start[c + 1] - 1
            spans = self.work.spans.length[first:last]
            length = state.bodies.position[max(self.model.cables.winch[c], 0), 0]
            if self.model.cables.drum_layer.size > 0:
                length = CABLE.length + SECOND_LAYER * (length - CABLE.length)
            for k in range(first, last):
                if self.model.wheels.node.size > 0:
                    gaps = self.wheel_gaps(gaps, state)
                elif self.model.cables.node_row[k] >= 0:
                    gaps[self.model.cables.node_row[k]] = (
                        -length * spans[k - first :].sum() / spans.sum()
                    )
        return gaps

    def normals(self) -> np.ndarray:
        """Rows along the normals of the present contacts."""
        own, width = self.model.rows.own
        return np.arange(own, self.work.rows.used[0], width)

    def fill_contact_gaps(self, gaps: np.ndarray) -> None:
        """Fill the gaps of contacts, each in the row that it has at the pose itself."""
        pool, rows = self.work.pool, self.normals().tolist()
        marks = list(zip(pool.key.tolist(), pool.feature.tolist(), strict=True))[: len(rows)]
        self.marks = self.marks or dict(zip(marks, rows, strict=True))
        for mark, gap in zip(marks, pool.gap, strict=False):
            if mark in self.marks:
                gaps[self.marks[mark]] = gap

    def wheel_gaps(self, gaps: np.ndarray, state) -> np.ndarray:
        """Gaps with those of wheels: rope behind a wheel less its path, less the share of all."""
        m = self.model
        beyond = state.wheels.beyond + np.where(
            m.wheels.rotor >= 0, state.bodies.position[m.wheels.rotor, 0], 0.0
        )
        if self.shares is None:
            self.shares = self.work.wheels.share.copy()
        path = self.work.nodes.remaining_path_length[m.wheels.node]
        gaps[m.cables.node_row[m.wheels.node]] = beyond - path - self.shares * gaps[m.cables.row[0]]
        return gaps

    def difference(self, b: int, i: int) -> np.ndarray:
        """Central difference of all gaps along velocity component i of body b."""
        by = np.zeros(6)
        by[i] = STEP
        return (self.gaps(self.shifted(b, by)) - self.gaps(self.shifted(b, -by))) / (2.0 * STEP)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", SCENES)
def test_jacobian_is_the_derivative_of_the_gap(name: str, seed: int) -> None:
    """All rows of a scene; contacts stay near their pose because far points have no row, friction
    has no gap."""
    pose = Pose(SCENES[name], seed, SPREAD.get(name.partition(" ")[0], 0.6))
    gaps = pose.gaps(pose.shifted(1, np.zeros(6)))
    jacobian = dense_jacobian(pose.model, pose.work).reshape(pose.model.rows.kind.size, -1, 6)
    rows = pose.work.rows.active.copy()
    rows[pose.model.spans.stop_row[pose.model.spans.stop_row >= 0]] = (
        False  # filled only where spans are short
    )
    rows[pose.model.rows.kind == INERTIA] = False  # have no gap: see test_transverse.py
    rows[pose.model.rows.own[0] :] = False
    rows[pose.normals()[gaps[pose.normals()] < -DEEP]] = True
    if name == "hinge":  # the angle's rate is a . w only while the axes agree: see the next test
        on_coordinate = np.concatenate([pose.model.joints.stop_row, pose.model.joints.spring_row])
        rows[[*pose.model.drives.row, *on_coordinate[on_coordinate >= 0]]] = False
    checked = 0
    kinds = pose.model.bodies.kind
    for b in np.flatnonzero((kinds > 0) & (kinds <= WINCH)):
        for i in range(6 if pose.model.bodies.kind[b] == 1 else 1):
            np.testing.assert_allclose(jacobian[rows, b, i], pose.difference(b, i)[rows], atol=2e-8)
            checked += 1
    assert checked >= 6
    assert np.abs(jacobian[rows]).sum() > 1.0


@pytest.mark.parametrize("angle", [-2.5, -0.4, 0.0, 0.2, 3.0])
def test_hinge_coordinate_row_is_the_derivative_of_the_angle(angle: float) -> None:
    """Turned about its own axis, a hinge reads the angle, and its stop's and drive's rows are its
    derivative."""
    pose = Pose(SCENES["hinge"], 0, 0.0)
    axis = np.array(AXIS) / np.linalg.norm(AXIS)
    model, joint_point = pose.model, np.array([1.0, 0.5, -1.0])
    arm = joint_point - pose.state.bodies.position[3]
    pose.state.bodies.orientation[3] = exp(tuple(angle * axis))
    turned = (
        arm * np.cos(angle)
        + np.cross(axis, arm) * np.sin(angle)
        + axis * (axis @ arm) * (1 - np.cos(angle))
    )
    pose.state.bodies.position[3] = joint_point - turned
    state = pose.shifted(3, np.zeros(6))
    np.testing.assert_allclose(state.joints.position[1], 0.3 + angle, atol=1e-12)
    pose.gaps(state)
    jacobian = dense_jacobian(model, pose.work).reshape(model.rows.kind.size, -1, 6)[
        model.drives.row[0]
    ]
    for b in (2, 3):
        for i in range(3):
            np.testing.assert_allclose(
                jacobian[b, 3 + i], pose.difference(b, 3 + i)[model.drives.row[0]], atol=1e-8
            )


def test_friction_rows_are_tangential_at_the_contact_point() -> None:
    """J of the two friction rows is (t, r x t) with t1, t2, n orthonormal and r the arm of the
    point in the middle of the overlap."""
    pose = Pose(CONTACTS, 1, 0.02)
    pose.state.bodies.velocity[2, :3] = (0.5, 0.2, 0.0)
    gaps = pose.gaps(pose.state)
    ball = int(pose.normals()[-1])
    entries = pose.work.rows.jacobian[pose.model.rows.entry_start[ball + np.arange(3)]]
    axes = entries[:, :3]
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    arm = -(0.5 + 0.5 * gaps[ball]) * axes[0]
    np.testing.assert_allclose(entries[:, 3:], np.cross(arm, axes), atol=1e-12)
    sliding = np.array([0.5, 0.2, 0.0]) - axes[0] * (np.array([0.5, 0.2, 0.0]) @ axes[0])
    np.testing.assert_allclose(axes[1], sliding / np.linalg.norm(sliding), atol=1e-12)
    assert (pose.model.rows.kind[[ball + 1, ball + 2]] == SPEED).all()
