"""Twins of a scene: the same scene elsewhere, turned, mirrored, or in other units, and its readings
brought back.

A point x of the world becomes L S R x + d: R turns about z, S mirrors y, L is the unit of length, d
the way that the scene is moved. A quantity of the dimension kg^m m^l s^t is multiplied by M^m L^l
T^t. Frames of bodies are mirrored, not turned. ``TABLE`` has what is not a plain number: the fields
that random scenes use.
"""

import dataclasses
import math
import random
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from transforms3d.quaternions import axangle2quat, qmult

from benchmarks.fuzz.scenes import Case
from cable_sim.model.basis.frames import Array
from cable_sim.sim.observation import Observation
from cable_sim.spec import Joint, Scene

Units = tuple[int, int, int]

NUMBER, LENGTH, MASS, TIME = (0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1)
RATE, SPEED, ACCELERATION, FORCE = (0, 0, -1), (0, 1, -1), (0, 1, -2), (1, 1, -2)
STIFFNESS, FRICTION = (1, 0, -2), (1, 0, -1)
TABLE: dict[str, Units] = {
    "Air.density": (1, -3, 0),
    "Air.reference_height": LENGTH,
    "Body.mass": MASS,
    "Box.x": LENGTH,
    "Box.y": LENGTH,
    "Box.z": LENGTH,
    "BoxContact.damping_time": TIME,
    "BoxContact.stiffness": STIFFNESS,
    "Cable.breaking_force": FORCE,
    "Cable.damping_time": TIME,
    "Cable.diameter": LENGTH,
    "Cable.ea": FORCE,
    "Cable.gj": (1, 3, -2),
    "Cable.length": LENGTH,
    "Cable.pretension": FORCE,
    "Cable.stiffness": STIFFNESS,
    "Cylinder.length": LENGTH,
    "Cylinder.radius": LENGTH,
    "Drive.brake_close_delay": TIME,
    "Drive.brake_open_delay": TIME,
    "Drive.damping_time": TIME,
    "Drive.lag": TIME,
    "Drive.power": (1, 2, -3),
    "Drive.rise_time": TIME,
    "Drum.radius": LENGTH,
    "Elevation.damping": RATE,
    "Elevation.density": (1, -1, 0),
    "Elevation.shortest": LENGTH,
    "Ground.absorption": FRICTION,
    "Ground.repulsion": STIFFNESS,
    "Hybrid.bending": (1, 3, -2),
    "Hybrid.damping": RATE,
    "Hybrid.density": (1, -1, 0),
    "Hybrid.finest": LENGTH,
    "Joint.compliance": (-1, 0, 2),
    "Joint.damping_time": TIME,
    "Joint.stop_damping_time": TIME,
    "Lumped.air_friction": FRICTION,
    "Lumped.bending": (1, 3, -2),
    "Lumped.density": (1, -1, 0),
    "Lumped.friction": FRICTION,
    "Lumped.largest_step": TIME,
    "Lumped.segment_stiffness": STIFFNESS,
    "Sheave.radius": LENGTH,
    "Sphere.radius": LENGTH,
    "Surface.damping_time": TIME,
    "Surface.stiffness": STIFFNESS,
    "Surface.thickness": LENGTH,
    "Winch.mass": MASS,
    "Winch.rate": SPEED,
}
ALONG: dict[str, tuple[Units, int]] = {
    "Drive.brake_effort": (FORCE, 1),
    "Drive.max_acceleration": (ACCELERATION, -1),
    "Drive.max_deceleration": (ACCELERATION, -1),
    "Drive.max_effort": (FORCE, 1),
    "Drive.max_jerk": ((0, 1, -3), -1),
    "Drive.max_speed": (SPEED, -1),
    "Drive.slip": ((-1, 0, 1), -2),
    "Joint.damping": (FRICTION, 2),
    "Joint.lower": (LENGTH, -1),
    "Joint.position": (LENGTH, -1),
    "Joint.rest": (LENGTH, -1),
    "Joint.stiffness": (STIFFNESS, 2),
    "Joint.stop_compliance": ((-1, 0, 2), -2),
    "Joint.upper": (LENGTH, -1),
}
"""Units along a coordinate, and the power of the length that a turning one has beside them."""
TARGETS = {"speed": (SPEED, -1), "position": (LENGTH, -1), "effort": (FORCE, 1)}
POINTS = {"Body.position", "Ground.point", "Joint.point", "Obstacle.position", "Surface.point"}
VECTORS: dict[str, Units] = {
    "Air.wind": SPEED,
    "Body.velocity": SPEED,
    "Ground.normal": NUMBER,
    "Scene.gravity": ACCELERATION,
    "Surface.normal": NUMBER,
}
READ: dict[str, Units] = {
    "body_position": LENGTH,
    "body_velocity": SPEED,
    "body_angular_velocity": RATE,
    "body_orientation": NUMBER,
    "span_tension": FORCE,
    "segment_tension": FORCE,
    "cable_length_paid_out": LENGTH,
}
"""Arrays of an observation that twins share, with their units."""


class Twin(NamedTuple):
    """Other units, way moved [m], angle turned [rad], if mirrored, and a seed of noise.

    Noise moves points of the world and turns bodies by up to ``NOISE``; seed 0 has none.
    """

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    moved: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angle: float = 0.0
    mirrored: bool = False
    noise: int = 0


NOISE = 1e-12
"""Noise of points [m] and of orientations [-]: some roundings of a coordinate of a kilometre."""


class Translator:
    """Scenes in the words of a twin, and readings of the twin in those of the scene."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        cos, sin = math.cos(twin.angle), math.sin(twin.angle)
        self.hand = -1.0 if twin.mirrored else 1.0
        self.mirror = np.diag([1.0, self.hand, 1.0])
        self.turn = self.mirror @ np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
        self.random = random.Random(twin.noise)
        self.turning: dict[str, bool] = {}

    def case(self, case: Case) -> Case:
        """Return the twin of a case."""
        self.turning = {joint.name: joint.kind == "hinge" for joint in case.scene.joints}
        scene = self._spec(case.scene)
        return case._replace(scene=scene, dt=case.dt * self.twin.time)

    def factor(self, units: Units) -> float:
        """Return the factor of a quantity of a dimension [-]."""
        m, length, t = units
        return float(self.twin.mass**m * self.twin.length**length * self.twin.time**t)

    def readings(self, seen: Observation) -> dict[str, Array]:
        """Return the readings of a twin in the frame and units of the scene."""
        read = {name: getattr(seen, name) / self.factor(units) for name, units in READ.items()}
        moved = np.array(self.twin.moved) / self.twin.length
        read["body_position"] = (read["body_position"] - moved) @ self.turn
        read["body_velocity"] = read["body_velocity"] @ self.turn
        read["body_angular_velocity"] = self.hand * read["body_angular_velocity"] @ self.turn
        back = axangle2quat((0.0, 0.0, 1.0), -self.twin.angle)
        flipped = read["body_orientation"] * (1.0, self.hand, 1.0, self.hand)
        whole = [qmult(back, q) for q in flipped] if self.twin.angle else flipped
        read["body_orientation"] = np.reshape(whole, (-1, 4))
        return read

    def _spec(self, made: Any) -> Any:
        """Return a spec, or a tuple of them, in the words of the twin."""
        if isinstance(made, tuple) and made and dataclasses.is_dataclass(made[0]):
            return tuple(self._spec(part) for part in made)
        if not dataclasses.is_dataclass(made) or isinstance(made, type):
            return made
        kind = type(made).__name__
        names = [field.name for field in dataclasses.fields(made)]
        fields = {
            name: self._field(made, f"{kind}.{name}", name, getattr(made, name)) for name in names
        }
        changed = {name: value for name, value in fields.items() if value is not None}
        return replace(made, **changed)

    def _field(self, made: Any, path: str, name: str, value: Any) -> Any:
        """Return the twin's value of a field; None leaves what it is."""
        if value is None:
            return None
        if path in TABLE:
            return float(value) * self.factor(TABLE[path])
        if path in ALONG or path == "Drive.target":
            (m, length, t), more = TARGETS[made.mode] if path == "Drive.target" else ALONG[path]
            return float(value) * self.factor((m, length + more * self._turns(made), t))
        if path in VECTORS:
            return self.vector(value, VECTORS[path])
        if path in POINTS or (name == "position" and getattr(made, "body", "world") == "world"):
            return self._point(value)
        return self._oddity(made, path, value)

    def _oddity(self, made: Any, path: str, value: Any) -> Any:
        """Return what has a rule of its own, or a spec within a spec."""
        if path == "Body.angular_velocity":
            return self._axial(value, RATE)
        if path == "Joint.axis":
            return (self.vector if made.kind == "prismatic" else self._axial)(value, NUMBER)
        if path == "Polyhedron.corners":
            return tuple(self._local(corner, LENGTH) for corner in value)
        if path.endswith(".position"):
            return self._local(value, LENGTH)
        if path in ("Body.orientation", "Obstacle.orientation"):
            return self._orientation(value)
        if path in ("Cable.twist", "Cable.torque_factor"):
            return self.hand * value
        return self._spec(value) if isinstance(value, tuple) or hasattr(value, "__dict__") else None

    def _turns(self, made: Any) -> bool:
        """Return True for a hinge and what drives one."""
        return made.kind == "hinge" if isinstance(made, Joint) else self.turning.get(made.on, False)

    def vector(self, value: Any, units: Units) -> Any:
        """Return a vector of the world of a dimension in the words of the twin."""
        return tuple((self.factor(units) * (self.turn @ np.array(value))).tolist())

    def _axial(self, value: Any, units: Units) -> Any:
        return tuple((self.hand * self.factor(units) * (self.turn @ np.array(value))).tolist())

    def _local(self, value: Any, units: Units) -> Any:
        return tuple((self.factor(units) * (self.mirror @ np.array(value))).tolist())

    def _point(self, value: Any) -> Any:
        place = self.twin.length * (self.turn @ np.array(value)) + self.twin.moved
        return self._noisy(place)

    def _noisy(self, values: Array) -> Any:
        """Return values with the noise of the twin."""
        most = NOISE if self.twin.noise else 0.0
        return tuple(float(value + self.random.uniform(-most, most)) for value in values)

    def _orientation(self, value: Any) -> Any:
        turned = np.array(value)
        if self.twin.angle:
            turned = qmult(axangle2quat((0.0, 0.0, 1.0), self.twin.angle), turned)
        return self._noisy(turned * (1.0, self.hand, 1.0, self.hand))


def rigid_joints(scene: Scene) -> Scene:
    """Return a scene without compliance of joints.

    One number says that of ways and of turns, so no unit of length scales both.
    """
    joints = tuple(replace(joint, compliance=0.0, damping_time=0.0) for joint in scene.joints)
    return replace(scene, joints=joints)


def without_friction(scene: Scene) -> Scene:
    """Return a scene whose bodies slide without friction on all that they touch."""
    smooth: dict[str, Any] = {
        name: tuple(replace(part, friction=0.0) for part in getattr(scene, name))
        for name in ("surfaces", "obstacles", "contacts")
    }
    return replace(scene, **smooth)
