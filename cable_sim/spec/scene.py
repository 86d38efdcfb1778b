"""Scenes: all objects of the world, checked for names that do not fit together."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from os import PathLike, fspath
from typing import Any

from cable_sim.errors import SpecError, unknown, warn
from cable_sim.pictured import Pictured, listed
from cable_sim.spec.air import Air
from cable_sim.spec.bodies import Body
from cable_sim.spec.boxes import BoxContact
from cable_sim.spec.cables.cables import Cable
from cable_sim.spec.cables.nodes import Wheel
from cable_sim.spec.cables.winches import Winch
from cable_sim.spec.carriages import Carriage, check_carriages
from cable_sim.spec.collision import Collision
from cable_sim.spec.contacts import Surface
from cable_sim.spec.drives import Drive
from cable_sim.spec.files import read_spec
from cable_sim.spec.joints import Joint
from cable_sim.spec.motions.motions import Motion
from cable_sim.spec.obstacles import Obstacle
from cable_sim.spec.quantities import WORLD, Many, Misplaced, Vector, spec
from cable_sim.spec.shapes.shapes import Box
from cable_sim.spec.visuals import Aim, Visual

Path = tuple[str | int, ...]
"""Path of a value in a scene: names of fields, numbers of items."""

MODEL_FILES = (".urdf", ".xacro", ".sdf", ".world", ".xml", ".mjcf")
"""Endings of models of other programs, which ``Scene.from_file`` reads."""
GRAVITY = 9.81
"""Standard gravity [m/s^2], rounded as in the crane literature."""


@spec
class Scene(Pictured):
    """Bodies, joints, drives, cables and surfaces under gravity.

    Parameters
    ----------
    bodies, joints, and all that follows up to carriages: see their classes. Names are unique within
        each kind; joints, winches and wheels share one space, and a name that a drive is on stands
        for one joint, winch or cable only. Cables with equal winches are on one drum.
    collision: contact of everything that has a shape with everything else; without it bodies touch
        what their ``collides``, ``contacts`` and ``stops`` name.
    gravity: acceleration [m/s^2]; ``(0, 0, 0)`` switches it off.
    air: how dense it is and how it blows on bodies and cables that it drags at.
    name: shown in titles.
    """

    bodies: Many[Body] = ()
    joints: Many[Joint] = ()
    drives: Many[Drive] = ()
    cables: Many[Cable] = ()
    surfaces: Many[Surface] = ()
    obstacles: Many[Obstacle] = ()
    contacts: Many[BoxContact] = ()
    motions: Many[Motion] = ()
    visuals: Many[Visual] = ()
    aims: Many[Aim] = ()
    carriages: Many[Carriage] = ()
    collision: Collision | None = None
    gravity: Vector = (0.0, 0.0, -GRAVITY)
    air: Air = Air()
    name: str = "scene"

    @classmethod
    def from_file(cls, path: "str | PathLike[str]") -> "Scene":
        """Return the scene of a YAML file, or of a model: URDF, xacro, SDF or MJCF.

        What a model has and the scene has not is a CableSimWarning; ``cable_sim.read_model``
        returns it line by line, and starts elsewhere. Raises ConfigError with file and line, and
        CableSimError, which says what to install, if a package that reads models is missing.
        """
        if not fspath(path).lower().endswith(MODEL_FILES):
            return read_spec(fspath(path), cls)
        scene, notes = import_module("cable_sim").read_model(path)
        if notes:
            told = listed(f"{note.field} in line {note.line} {note.problem}" for note in notes)
            warn(f"{fspath(path)}: not all of it is as it was: {told}; read_model lists all", 2)
        return scene

    def __repr__(self) -> str:
        named = (("bodies", self.bodies), ("cables", self.cables), ("drives", self.drives))
        lines = [f"{kind}: {listed(one.name for one in those)}" for kind, those in named if those]
        return "\n".join([f"Scene {self.name!r}: {self.counts}", *lines])

    @property
    def counts(self) -> str:
        """Numbers of bodies, joints, drives, cables and obstacles, as far as there are any."""
        kinds = {"bodies": "body", "joints": "joint", "drives": "drive", "cables": "cable"}
        numbers = [
            (len(getattr(self, kind)), one, kind)
            for kind, one in (kinds | {"obstacles": "obstacle"}).items()
        ]
        told = [
            f"{number} {one if number == 1 else kind}" for number, one, kind in numbers if number
        ]
        return ", ".join(told) or "empty"

    @property
    def winches(self) -> tuple[Winch, ...]:
        """The winches, in the order of the first cables on them; then the rims of wheels."""
        on_cables = (cable.winch for cable in self.cables)
        rims = (wheel.rotor for cable in self.cables for wheel in cable.wheels)
        return tuple(dict.fromkeys(winch for winch in (*on_cables, *rims) if winch is not None))

    @property
    def drawn(self) -> tuple[Visual, ...]:
        """All drawn objects that are no body's own shape: visuals, and obstacles.

        An obstacle that is its body's shape is left out: displays choose one of two coincident
        faces by chance.
        """
        own = [
            (body.name, body.shape, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)) for body in self.bodies
        ]
        solids = (
            Visual(o.name, o.shape, o.body, o.position, o.orientation, o.color)
            for o in self.obstacles
            if o.drawn and (o.body, o.shape, o.position, o.orientation) not in own
        )
        return (*self.visuals, *solids)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cables", _touch_all(self.cables, self.obstacles))
        for kind in ("bodies", "joints", "drives", "cables", "surfaces", "carriages"):
            _check_unique(
                kind, ((item.name, (kind, i)) for i, item in enumerate(getattr(self, kind)))
            )
        _check_solids(self)
        coordinates: list[tuple[str, Path]] = []
        coordinates += [
            (joint.name, ("joints", i))
            for i, joint in enumerate(self.joints)
            if joint.has_coordinate
        ]
        coordinates += [
            (cable.winch.name, ("cables", i, "winch"))
            for i, cable in _first_on_winches(self.cables)
        ]
        coordinates += _first_on_shafts(self.cables)
        _check_unique("joints and winches", coordinates)
        _check_bodies(self)
        _check_drives(self)
        moved: list[tuple[str, Path]] = [
            (drive.name, ("drives", d)) for d, drive in enumerate(self.drives)
        ]
        moved += [(carriage.name, ("carriages", g)) for g, carriage in enumerate(self.carriages)]
        _check_unique("drives and carriages", moved)
        check_carriages(self.carriages, self.bodies, self.cables)
        _check_contacts(self)
        for c, cable in enumerate(self.cables):
            _check_drives_of(
                cable, c, [drive.name for drive in self.drives if drive.on == cable.name]
            )
        prescribed = [body.name for body in self.bodies if body.motion == "prescribed"]
        for m, motion in enumerate(self.motions):
            known = [drive.name for drive in self.drives] if motion.values else prescribed
            _check_known(("motions", m, "of"), "motion: of", motion.of, known)


def _first_on_winches(cables: Sequence[Cable]) -> list[tuple[int, Any]]:
    """Return number and cable of the first one on each drum.

    Refuses a winch that differs from one of the same name, and ropes of different diameters in the
    layers of one drum.
    """
    first: dict[str, tuple[int, Any]] = {}
    for i, cable in enumerate(cables):
        if cable.winch is None:
            continue
        _, other = first.setdefault(cable.winch.name, (i, cable))
        for field in ("mass", "rate", "drum"):
            given = getattr(cable.winch, field)
            known = getattr(other.winch, field)
            if given != known:
                said, before = (
                    f"{value:g}" if isinstance(value, float) else value for value in (given, known)
                )
                raise Misplaced(
                    ("cables", i, "winch", field),
                    f"cable {cable.name!r}: winch {cable.winch.name!r}: {field} is {said}, but "
                    f"{before} for cable "
                    f"{other.name!r}; cables on one drum have equal winches, and another drum "
                    "needs another name",
                )
        if cable.winch.drum and cable.diameter != other.diameter:
            raise Misplaced(
                ("cables", i, "diameter"),
                f"cable {cable.name!r}: diameter is {cable.diameter:g}, but {other.diameter:g} "
                "for cable "
                f"{other.name!r} on the same drum; layers on one drum are of ropes of one diameter",
            )
    return list(first.values())


def _first_on_shafts(cables: Sequence[Cable]) -> list[tuple[str, Path]]:
    """Return name and path of the first wheel on each shaft.

    Refuses a wheel that differs from one of the same name.
    """
    first: dict[str, tuple[Path, Any]] = {}
    for i, cable in enumerate(cables):
        for n, wheel in enumerate(cable.nodes):
            if not isinstance(wheel, Wheel):
                continue
            path: Path = ("cables", i, "nodes", n)
            _, other = first.setdefault(wheel.name, (path, wheel))
            for field in ("radius", "inertia", "rate"):
                given, known = getattr(wheel, field), getattr(other, field)
                if given != known:
                    raise Misplaced(
                        (*path, field),
                        f"cable {cable.name!r}: wheel {wheel.name!r}: {field} is {given}, but "
                        f"{known} for another wheel of that name; wheels of one name are on one "
                        "shaft, and another shaft needs another name",
                    )
    return [(name, path) for name, (path, _) in first.items()]


def _check_solids(scene: Scene) -> None:
    """Refuse obstacles of one name, and drawn ones with the name of a visual."""
    named: list[tuple[str, Path]] = [
        (o.name, ("obstacles", i)) for i, o in enumerate(scene.obstacles)
    ]
    _check_unique("visuals and obstacles", named)
    shown = [place for place, o in zip(named, scene.obstacles, strict=True) if o.drawn]
    visuals = [(v.name, ("visuals", i)) for i, v in enumerate(scene.visuals)]
    _check_unique("visuals and obstacles", [*visuals, *shown])


def _check_bodies(scene: Scene) -> None:
    """Refuse a joint, node or visual on an unknown body."""
    bodies = {body.name: body for body in scene.bodies}
    world = {WORLD: None} | bodies
    obstacles = {obstacle.name: obstacle for obstacle in scene.obstacles}
    for j, joint in enumerate(scene.joints):
        _check_known(("joints", j, "child"), f"joint {joint.name!r}: child", joint.child, bodies)
        _check_known(("joints", j, "parent"), f"joint {joint.name!r}: parent", joint.parent, world)
        for body, _ in joint.rail:
            _check_known(("joints", j, "rail"), f"joint {joint.name!r}: rail", body, bodies)
    for c, cable in enumerate(scene.cables):
        for n, node in enumerate(cable.nodes):
            where = f"cable {cable.name!r}: node {n}: body"
            _check_known(("cables", c, "nodes", n, "body"), where, node.body, world)
        model = cable.model.name
        for body in cable.model.attaches:
            where = f"cable {cable.name!r}: {model}: attaches"
            _check_known(("cables", c, model, "attaches"), where, body, bodies)
        for touched in cable.touches:
            _check_known(
                ("cables", c, "touches"), f"cable {cable.name!r}: touches", touched, obstacles
            )
    for o, obstacle in enumerate(scene.obstacles):
        _check_known(
            ("obstacles", o, "body"), f"obstacle {obstacle.name!r}: body", obstacle.body, world
        )
        for stopped in obstacle.stops:
            where = f"obstacle {obstacle.name!r}: stops"
            _check_known(("obstacles", o, "stops"), where, stopped, bodies)
            if bodies[stopped].shape is None:
                raise Misplaced(
                    ("obstacles", o, "stops"),
                    f"{where}: body {stopped!r} has no shape; a body needs one to be stopped by it",
                )
    _check_crossings(scene)
    _check_drawn(scene)


def _check_crossings(scene: Scene) -> None:
    """Refuse crossings of unknown wires, two frictions of one pair, and friction on no wire."""
    wires = {cable.name: cable.model for cable in scene.cables if cable.model.adaptive}
    crossed: set[str] = set()
    for c, cable in enumerate(scene.cables):
        path = ("cables", c, cable.model.name)
        where = f"cable {cable.name!r}: {cable.model.name}: "
        for other in cable.model.crosses:
            _check_known((*path, "crosses"), f"{where}crosses", other, wires)
            stated = [wires[name].crossing_friction for name in (cable.name, other)]
            if None not in stated and stated[0] != stated[1]:
                raise Misplaced(
                    (*path, "crossing_friction"),
                    f"{where}crossing_friction: {stated[0]} contradicts the {stated[1]} of "
                    f"{other!r}, which it crosses; leave one out, or state the same",
                )
            _check_friction_law(scene, (cable.name, other), max(mu or 0.0 for mu in stated), path)
            crossed |= {cable.name, other}
    for c, cable in enumerate(scene.cables):
        if cable.model.crossing_friction is not None and cable.name not in crossed:
            raise Misplaced(
                ("cables", c, cable.model.name, "crossing_friction"),
                f"cable {cable.name!r}: {cable.model.name}: crossing_friction: it crosses no wire; "
                "name one in crosses",
            )


def _check_friction_law(scene: Scene, pair: tuple[str, str], mu: float, path: Path) -> None:
    """Refuse friction of a pair of wires that cross if one of them has another law than
    Coulomb's."""
    for cable in scene.cables:
        law = cable.model.friction_law
        if mu > 0.0 and cable.name in pair and law != "coulomb":
            raise Misplaced(
                (*path, "crossing_friction"),
                f"cable {cable.name!r}: {cable.model.name}: friction_law: {law!r}, but its "
                f"friction of {mu} on a wire that it crosses is Coulomb's; leave out either",
            )


def _check_drawn(scene: Scene) -> None:
    """Refuse an aim or a visual on an unknown body, and an aim with the name of another thing."""
    bodies = [body.name for body in scene.bodies]
    named: list[tuple[str, Path]] = [(name, ("bodies", i)) for i, name in enumerate(bodies)]
    for a, aim in enumerate(scene.aims):
        named.append((aim.name, ("aims", a)))
        for field in ("body", "at"):
            path = ("aims", a, field)
            _check_known(path, f"aim {aim.name!r}: {field}", getattr(aim, field), bodies)
    _check_unique("bodies and aims", named)
    known = [WORLD, *(name for name, _ in named)]
    for v, visual in enumerate(scene.visuals):
        _check_known(("visuals", v, "body"), f"visual {visual.name!r}: body", visual.body, known)


def _touch_all(cables: Sequence[Cable], obstacles: Sequence[Obstacle]) -> tuple[Cable, ...]:
    """Return the cables with the obstacles for all ropes among what they touch.

    Warns of cables that can't touch any.
    """
    found = []
    for cable in cables:
        bodies = {node.body for node in cable.nodes if node.body != WORLD}
        more = [o.name for o in obstacles if o.ropes == "all" and o.body not in bodies]
        more = [name for name in more if name not in cable.touches]
        try:
            found.append(replace(cable, touches=(*cable.touches, *more)) if more else cable)
        except SpecError as error:
            warn(f"obstacle {', '.join(map(repr, more))} is for all ropes, but {error}", 2)
            found.append(cable)
    return tuple(found)


def _check_collision(scene: Scene) -> None:
    """Refuse names that a collision does not know, and what it takes the place of."""
    if scene.collision is None:
        return
    known = [body.name for body in scene.bodies]
    known += [obstacle.name for obstacle in scene.obstacles]
    known += [surface.name for surface in scene.surfaces]
    own = scene.collision
    for names in (*own.named, *((name,) for name in own.pushed), *own.watch):
        for name in names:
            _check_known(("collision",), f"collision: {' and '.join(names)}", name, known)
    shaped = [body.name for body in scene.bodies if body.shape]
    shaped += [obstacle.name for obstacle in scene.obstacles]
    for name, _ in own.things:
        _check_known(("collision",), "collision.things", name, shaped)
    carriages = {carriage.name: carriage for carriage in scene.carriages}
    for switch in filter(None, (touch.switch for touch in own.touches)):
        _check_known(("collision",), "collision: switch", switch, list(carriages))
        lower, upper = carriages[switch].lower, carriages[switch].upper
        if not 0.0 <= lower <= upper <= 1.0:
            raise Misplaced(
                ("collision",),
                f"collision: switch {switch!r}: its range {lower:g} ... {upper:g} must be within "
                "0 ... 1",
            )
    rewrite = "collision.pairs takes two names and how they touch: [[one, other, {friction: 0.4}]]"
    if scene.contacts:
        raise Misplaced(
            ("contacts",),
            "contacts: in a scene with a collision boxes touch by themselves; leave them out; "
            f"{rewrite}",
        )
    usual = Obstacle("usual", Box(1.0, 1.0, 1.0)).body_friction
    for i, obstacle in enumerate(scene.obstacles):
        if obstacle.body_friction != usual:
            raise Misplaced(
                ("obstacles", i, "body_friction"),
                f"obstacle {obstacle.name!r}: body_friction counts in scenes without a collision; "
                f"{rewrite}",
            )


def _check_contacts(scene: Scene) -> None:
    """Refuse contacts of other things than boxes, of two boxes on one body, and repeated pairs."""
    _check_collision(scene)
    carrier = {o.name: o.body for o in scene.obstacles if o.shape.kind == "box"}
    carrier |= {
        body.name: body.name
        for body in scene.bodies
        if body.shape is not None and body.shape.kind == "box"
    }
    seen: set[frozenset[str]] = set()
    for c, contact in enumerate(scene.contacts):
        _check_known(("contacts", c, "box"), "contact: box", contact.box, list(carrier))
        for other in contact.others:
            path = ("contacts", c, "others")
            where = f"contact of {contact.box!r}: others"
            _check_known(path, where, other, list(carrier))
            if carrier[other] == carrier[contact.box]:
                raise Misplaced(path, f"{where}: {other!r} is on the same body, {carrier[other]!r}")
            if frozenset((contact.box, other)) in seen:
                raise Misplaced(path, f"{where}: {other!r} and {contact.box!r} are a pair already")
            seen.add(frozenset((contact.box, other)))


def _check_drives(scene: Scene) -> None:
    """Refuse a drive on an unknown name, or on a name that two things have."""
    named = {
        "joint": [joint.name for joint in scene.joints],
        "winch": [winch.name for winch in scene.winches],
        "cable": [cable.name for cable in scene.cables],
    }
    known = (
        [joint.name for joint in scene.joints if joint.has_coordinate]
        + named["winch"]
        + named["cable"]
    )
    for d, drive in enumerate(scene.drives):
        path = ("drives", d, "on")
        where = f"drive {drive.name!r}: on"
        kinds = [kind for kind, names in named.items() if drive.on in names]
        if len(kinds) > 1:
            both = " and ".join(f"a {kind}" for kind in kinds)
            raise Misplaced(
                path, f"{where} {drive.on!r} can mean {both} of that name; rename all but one"
            )
        _check_known(path, where, drive.on, known)
        if any(joint.name == drive.on and joint.open for joint in scene.joints):
            raise Misplaced(path, f"{where} {drive.on!r}: a joint that starts open takes no drive")


def _check_drives_of(cable: Cable, c: int, drives: list[str]) -> None:
    """Refuse a driven cable without a drive, and a cable with several.

    ``drives`` are the names of its drives.
    """
    where = f"cable {cable.name!r}: driven"
    if cable.driven and not drives:
        raise Misplaced(
            ("cables", c, "driven"), f"{where} needs a drive on {cable.name!r}, but there is none"
        )
    if cable.made_of_masses and drives:
        why = f"{cable.model.name}, so drive {drives[0]!r} can't be on it"
        raise Misplaced(("cables", c), f"cable {cable.name!r}: {why}")
    if len(drives) > 1:
        raise Misplaced(
            ("cables", c), f"{where} by {' and '.join(map(repr, drives))}; a cable takes one drive"
        )


def _check_unique(kind: str, named: Iterable[tuple[str, Path]]) -> None:
    """Refuse a repeated name; each name comes with the path of its object."""
    seen: set[str] = set()
    for name, path in named:
        if name in seen:
            raise Misplaced((*path, "name"), f"{kind}: the name {name!r} is used twice")
        seen.add(name)


def _check_known(path: Path, where: str, name: str, known: Collection[str]) -> None:
    """Refuse a reference to an unknown name."""
    if name not in known:
        raise Misplaced(path, unknown(where, name, known))
