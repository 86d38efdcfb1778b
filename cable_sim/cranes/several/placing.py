"""A crane in a world with others: moved, turned about the vertical, and its parts named as its
own."""

import dataclasses
import math
from collections.abc import Collection
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from cable_sim.errors import SpecError
from cable_sim.spec import Cable, Joint, Motion, Obstacle, Scene, Surface, Visual
from cable_sim.spec.cables.nodes import Drum, Node, Sheave, Wheel
from cable_sim.spec.quantities import WORLD, Quaternion, Vector

T = TypeVar("T")
OF_BODIES = ("position", "orientation", "velocity", "angular_velocity")
"""Fields of bodies that are in the world."""
RIGHT_ANGLE = 1e-9
"""Least sine of an angle that is none of 0, 90, 180 and 270 degrees."""


class Place(NamedTuple):
    """Place of a crane's origin in the world [m], and its heading, anticlockwise from above
    [deg]."""

    xy: tuple[float, float] = (0.0, 0.0)
    heading_deg: float = 0.0

    @property
    def turn(self) -> tuple[float, float]:
        """Cosine and sine of the heading, exact for right angles."""
        angle = math.radians(self.heading_deg)
        cos = math.cos(angle)
        sin = math.sin(angle)
        if min(abs(cos), abs(sin)) < RIGHT_ANGLE:
            return float(round(cos)), float(round(sin))
        return cos, sin

    def direction(self, v: Vector) -> Vector:
        """A vector of the crane's frame in the world."""
        cos, sin = self.turn
        return (cos * v[0] - sin * v[1], sin * v[0] + cos * v[1], v[2])

    def point(self, p: Vector) -> Vector:
        """A point of the crane's frame in the world [m]."""
        x, y, z = self.direction(p)
        return (x + self.xy[0], y + self.xy[1], z)

    def to_local(self, p: Vector) -> Vector:
        """A point of the world in the crane's frame [m]."""
        cos, sin = self.turn
        x = p[0] - self.xy[0]
        y = p[1] - self.xy[1]
        return (cos * x + sin * y, cos * y - sin * x, p[2])

    def orientation(self, q: Quaternion) -> Quaternion:
        """A quaternion (w, x, y, z) to the crane's frame as one to the world."""
        half = 0.5 * math.radians(self.heading_deg)
        c = math.cos(half)
        s = math.sin(half)
        w, x, y, z = q
        return (c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w)


def prefix_names(thing: T, prefix: str, names: Collection[str]) -> T:
    """A copy of a spec in which each of the ``names`` has the prefix, wherever it stands.

    A field that takes certain words only, such as a kind, holds none of the names.
    """
    if isinstance(thing, str):
        return prefix + thing if thing in names else thing  # type: ignore[return-value]
    if isinstance(thing, tuple):
        items = [prefix_names(item, prefix, names) for item in thing]
        if all(new is old for new, old in zip(items, thing, strict=True)):
            return thing
        return type(thing)(*items) if hasattr(thing, "_fields") else tuple(items)  # type: ignore[return-value]
    if not dataclasses.is_dataclass(thing):
        return thing
    words = _literals(type(thing))
    old = {
        field.name: getattr(thing, field.name)
        for field in dataclasses.fields(thing)
        if field.name not in words
    }
    new = {field: prefix_names(value, prefix, names) for field, value in old.items()}
    changed = {field: value for field, value in new.items() if value is not old[field]}
    return dataclasses.replace(thing, **changed) if changed else thing  # type: ignore[type-var]


def names_of(scene: Scene) -> set[str]:
    """All names that things of a scene have."""
    kinds = (
        value
        for field in dataclasses.fields(scene)
        if isinstance(value := getattr(scene, field.name), tuple)
    )
    things = [thing for kind in kinds for thing in kind]
    return {thing.name for thing in (*things, *scene.winches) if hasattr(thing, "name")}


def place_scene(scene: Scene, place: Place) -> Scene:
    """The scene moved and turned. Level ground without end stays where it is.

    Raises SpecError for a rectangle to stand on at a heading that is no multiple of 90 degrees: its
    sides lie along the axes of the world.
    """
    if place == Place():
        return scene
    return dataclasses.replace(
        scene,
        bodies=tuple(_placed(b, place, *OF_BODIES) for b in scene.bodies),
        joints=tuple(_joint(joint, place) for joint in scene.joints),
        cables=tuple(place_cable(cable, place) for cable in scene.cables),
        surfaces=tuple(_surface(surface, place) for surface in scene.surfaces),
        obstacles=tuple(_place_standing(obstacle, place) for obstacle in scene.obstacles),
        visuals=tuple(_place_standing(visual, place) for visual in scene.visuals),
        motions=tuple(_motion(motion, place) for motion in scene.motions),
        carriages=tuple(_placed(c, place, "point", "axis") for c in scene.carriages),
    )


def _literals(cls: type) -> set[str]:
    """Fields that take certain words only."""
    return {
        name
        for name, hint in get_type_hints(cls).items()
        if get_origin(hint) is Literal and get_args(hint)
    }


def _placed(thing: T, place: Place, *fields: str) -> T:
    """Return a spec with these fields taken to the world: points, a turn, or else directions."""
    kinds: dict[str, Any] = {
        "position": place.point,
        "point": place.point,
        "orientation": place.orientation,
    }
    moved = {name: kinds.get(name, place.direction)(getattr(thing, name)) for name in fields}
    return dataclasses.replace(thing, **moved)  # type: ignore[type-var]


def _joint(joint: Joint, place: Place) -> Joint:
    """Return a joint, placed with the directions of its compliances."""
    across = () if joint.across is None else ("across",)
    return _placed(joint, place, "point", "axis", *across)


def place_cable(cable: Cable, place: Place) -> Cable:
    """A cable whose parts in the world are placed: nodes, loose ends, the path of its masses, their
    ground."""
    layers: dict[str, Any] = {}
    for name in ("lumped", "hybrid"):
        layer = getattr(cable, name)
        if layer is not None:
            ground = layer.ground
            if ground:
                ground = _placed(ground, place, "point", "normal")
            path = tuple(place.point(point) for point in layer.path)
            layers[name] = dataclasses.replace(layer, path=path, ground=ground)
    return dataclasses.replace(
        cable, nodes=tuple(_node(node, place) for node in cable.nodes), **layers
    )


def _node(node: Node, place: Place) -> Node:
    """A node in the world, or one on a body, which stays."""
    if node.body != WORLD:
        return node
    turns = ("axis",) if isinstance(node, (Sheave, Wheel, Drum)) else ()
    return _placed(node, place, "position", *turns)


def _surface(surface: Surface, place: Place) -> Surface:
    """A plane or a rectangle."""
    if surface.is_ground:
        return surface
    extent = surface.extent
    cos, sin = place.turn
    if sin and cos and math.isfinite(min(extent)):
        raise SpecError(
            f"heading_deg: must be a multiple of 90, not {place.heading_deg:g}, because the sides "
            f"of {surface.name!r} lie along the world's x and y; leave that surface out, or turn "
            "the crane's slewing angle instead"
        )
    turned = dataclasses.replace(surface, extent=extent[::-1] if sin else extent)
    return _placed(turned, place, "point", "normal")


Standing = TypeVar("Standing", Obstacle, Visual)


def _place_standing(thing: Standing, place: Place) -> Standing:
    """Return a standing thing in the world, placed; one on a body stays there."""
    return _placed(thing, place, "position", "orientation") if thing.body == WORLD else thing


def _motion(motion: Motion, place: Place) -> Motion:
    """Return the clocked motion of a body, turned by the heading."""
    return dataclasses.replace(
        motion,
        velocities=tuple(place.direction(v) for v in motion.velocities),
        angular_velocities=tuple(place.direction(v) for v in motion.angular_velocities),
    )
