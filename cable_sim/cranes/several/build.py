"""Several cranes in one world as one crane: its parts are theirs, with their crane's name before.

What crane ``east`` calls ``trolley`` is ``east_trolley`` here: body, axis, drive, joint, rope,
sensor alike. All stand on one ground, and each brings what stands around it, for every load to
stand on.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cable_sim.cranes.crane import Axis, Crane, RopeModels, WheelTurn
from cable_sim.cranes.parts.devices import prefixed_devices
from cable_sim.cranes.several.placing import Place, names_of, place_cable, place_scene, prefix_names
from cable_sim.cranes.several.shared_beam import BEAM, add_beam, holding_member
from cable_sim.cranes.several.spec import Member, Several, SharedRig
from cable_sim.errors import SpecError
from cable_sim.spec import Collision, Scene, Surface

Load = Callable[[str, Mapping[str, Any]], Crane]
"""Builder of a crane from a catalogue name or path, and changes."""
Rebuild = Callable[[Crane, Mapping[str, Any]], Crane]
"""Builder of a crane anew, with changes of its file."""


def build_several(spec: Several, name: str, load: Load, rebuild: Rebuild) -> Crane:
    """The cranes of a file as one, of the family of the first; ``load`` makes each of its own
    file, and ``rebuild`` makes one anew with changes of it.

    Raises ConfigError for a file that is wrong, and SpecError, which names the crane, for what does
    not fit together.
    """
    members = []
    own = {}
    for member in spec.crane.cranes:
        try:
            crane = load(member.crane, member.changes)
            if spec.rig and member.name in (lug.crane for lug in spec.rig.lugs):
                crane = holding_member(crane, spec.rig, member, rebuild)
            own[member.name] = crane.details
            members.append(_joining_crane(crane, member))
        except SpecError as error:
            raise SpecError(f"crane {member.name!r}: {error}") from None
    scene = _merge_scenes(
        [crane.scene for crane in members], [member.name for member in spec.crane.cranes], name
    )
    first = members[0]
    made = dataclasses.replace(
        first,
        name=name,
        scene=scene,
        axes=tuple(axis for crane in members for axis in crane.axes),
        ropes=tuple(rope for crane in members for rope in crane.ropes),
        suspensions=tuple(hung for crane in members for hung in crane.suspensions),
        wheels=_only_wheels([crane.wheels for crane in members]),
        twistlocks=None,
        slings=(),
        when_slack=tuple(pair for crane in members for pair in crane.when_slack),
        sprung=any(crane.sprung for crane in members),
        sensors=tuple(sensor for crane in members for sensor in crane.sensors),
        quantities=tuple(quantity for crane in members for quantity in crane.quantities),
        limiters=tuple(limiter for crane in members for limiter in crane.limiters),
        details=spec,
    )
    _check_alike("wind", [crane.wind for crane in members], list(own))
    if len(members) == 1:  # a machine has one spreader, and one set of slings to unhook
        made = dataclasses.replace(made, twistlocks=first.twistlocks, slings=first.slings)
    return _share_beam(made, spec.rig, own) if spec.rig else made


def _share_beam(crane: Crane, rig: SharedRig, own: Mapping[str, Any]) -> Crane:
    """The cranes with the beam on their hooks; ``own`` is what each is made of."""
    on_it = [lug.crane for lug in rig.lugs]
    hung = tuple(s._replace(load=BEAM) if s.name in on_it else s for s in crane.suspensions)
    return dataclasses.replace(crane, suspensions=hung, watched=BEAM, **add_beam(crane, rig, own))


def _joining_crane(crane: Crane, member: Member) -> Crane:
    """A crane in its place, with its name before those of its parts."""
    prefix = f"{member.name}_"
    grounds = {surface.name for surface in crane.scene.surfaces if surface.is_ground}
    names = names_of(crane.scene) - grounds
    place = Place(member.xy, member.heading_deg)
    scene = prefix_names(place_scene(crane.scene, place), prefix, names)
    ropes = prefix_names(crane.ropes, prefix, names)
    return dataclasses.replace(
        crane,
        scene=scene,
        axes=tuple(_axis(axis, member.name) for axis in crane.axes),
        ropes=ropes,
        watched=prefix_names(crane.watched, prefix, names),
        suspensions=tuple(
            prefix_names(s, prefix, names)._replace(name=member.name, ropes=ropes)
            for s in crane.suspensions
        ),
        cab=prefix_names(crane.cab, prefix, names),
        when_slack=tuple(
            RopeModels(*(prefix_names(place_cable(rope, place), prefix, names) for rope in pair))
            for pair in crane.when_slack
        ),
        wheels=_wheels(crane, place, prefix),
        twistlocks=prefix_names(crane.twistlocks, prefix, names),
        slings=prefix_names(crane.slings, prefix, names),
        **prefixed_devices(crane, prefix),
    )


def _axis(axis: Axis, crane: str) -> Axis:
    """An axis of a crane among several.

    None of them follows a velocity that names no crane.
    """
    return dataclasses.replace(
        axis,
        name=f"{crane}_{axis.name}",
        drive=f"{crane}_{axis.drive}",
        joint=f"{crane}_{axis.joint}",
        reading=f"{crane} {axis.reading or axis.name}",
        linear="",
    )


def _wheels(crane: Crane, place: Place, prefix: str) -> WheelTurn | None:
    """Wheels that turn, in the crane's place."""
    turn = crane.wheels
    if turn is None:
        return None
    names = (prefix + turn.carriage, prefix + turn.joint, prefix + turn.drive)
    return WheelTurn(*names, place.direction(turn.along), place.direction(turn.across))


def _only_wheels(wheels: Sequence[WheelTurn | None]) -> WheelTurn | None:
    """The wheels of the one crane whose wheels turn; SpecError when there are several."""
    turning = [turn for turn in wheels if turn]
    if len(turning) > 1:
        raise SpecError(
            "crane.wheels: of several cranes one may have wheels that turn; leave those of the "
            "others out"
        )
    return turning[0] if turning else None


def _merge_scenes(scenes: Sequence[Scene], cranes: Sequence[str], name: str) -> Scene:
    """One scene of several: their parts one after the other, common things once.

    SpecError where common things differ.
    """
    parts: dict[str, Any] = {"name": name}
    for field in dataclasses.fields(Scene):
        values = [getattr(scene, field.name) for scene in scenes]
        if field.name == "surfaces":
            parts["surfaces"] = _surfaces(values, cranes)
        elif field.name == "collision":
            parts["collision"] = _collision(values, cranes)
        elif field.default == ():
            parts[field.name] = tuple(thing for value in values for thing in value)
        elif field.name != "name":
            _check_alike(field.name, values, cranes)
            parts[field.name] = values[0]
    return Scene(**parts)


def _collision(each: Sequence[Collision | None], cranes: Sequence[str]) -> Collision | None:
    """The contact of all: what is told of each crane's own things counts."""
    told = [collision for collision in each if collision]
    _check_alike("collision", [collision and collision.default for collision in each], cranes)
    if not told:
        return None
    return Collision(
        told[0].default,
        tuple(pair for collision in told for pair in collision.pairs),
        tuple(names for collision in told for names in collision.ignore),
        tuple(name for collision in told for name in collision.pushed),
        tuple(pair for collision in told for pair in collision.watch),
        things=tuple(thing for collision in told for thing in collision.things),
    )


def _surfaces(each: Sequence[tuple[Surface, ...]], cranes: Sequence[str]) -> tuple[Surface, ...]:
    """The ground once, then all else that loads stand on."""
    grounds = [[_level(surface) for surface in surfaces if surface.is_ground] for surfaces in each]
    _check_alike("ground", grounds, cranes)
    return (
        *grounds[0],
        *(surface for surfaces in each for surface in surfaces if not surface.is_ground),
    )


def _level(ground: Surface) -> Surface:
    """The same ground, whichever of its points it was given by."""
    up = math.copysign(1.0, ground.normal[2])
    return dataclasses.replace(ground, point=(0.0, 0.0, ground.point[2]), normal=(0.0, 0.0, up))


def _check_alike(what: str, values: Sequence[Any], cranes: Sequence[str]) -> None:
    """Refuse cranes that can't stand in one world."""
    for value, crane in zip(values, cranes, strict=True):
        if value != values[0]:
            raise SpecError(
                f"{what}: cranes {cranes[0]!r} and {crane!r} share one world, but differ: "
                f"{values[0]} and {value}"
            )
