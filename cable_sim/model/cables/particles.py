"""Packing of cables made of masses: particles, segments, rows of chains' ends; and their start."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import ModelError
from cable_sim.kernels.multibody.rows import CONDENSED, INERTIA
from cable_sim.kernels.records.world import Model
from cable_sim.model.basis.bodies import BodyIndex, inertia_of
from cable_sim.model.basis.chains import lumped_cables, lumped_layer
from cable_sim.model.basis.columns import flags, floats, ints
from cable_sim.model.basis.frames import Array
from cable_sim.model.basis.rows import RowTable
from cable_sim.model.cables.lumped import stable_step
from cable_sim.model.laying.hanging import Strand
from cable_sim.model.laying.laying import lay, rests_on
from cable_sim.spec import Cable, Ground, Lumped, Scene

MARGIN = 0.9
"""Part of the largest stable step that is used. That step holds for small motions only."""
CALM = 0.3
"""Damping ratio [-]: that of the fastest motion of springs whose friction is not given. With 0.1
heavy loads keep calm; more than 0.3 takes much of their bounce on few masses."""
MOST_SUBSTEPS = 100_000
"""Most substeps of springs in a step, some tenths of a second of work for a hundred masses."""
NO_GROUND = Ground()


def end_attachments(cable: Cable) -> tuple[bool, bool]:
    """Return True for each end of the cable that hangs on something."""
    return cable.nodes[0].kind != "loose", cable.nodes[1].kind != "loose"


def way_points(cable: Cable, index: BodyIndex) -> Array:
    """Return the way points of the cable at the start [m]: its nodes, and the path between them."""
    ends = index.places(cable)
    return floats([ends[0], *lumped_layer(cable).path, ends[1]])


def initial_length(cable: Cable, index: BodyIndex, gravity: Any) -> float:
    """Return the length of the way on which a cable made of masses starts [m].

    ModelError if it has none.
    """
    length = float(np.linalg.norm(np.diff(way_points(cable, index), axis=0), axis=1).sum())
    if length == 0.0:
        raise ModelError(
            f"cable {cable.name!r}: both nodes are at the same point; give it a path of more than "
            "0 m"
        )
    return length


def curve(cable: Cable, index: BodyIndex, length: float, gravity: ArrayLike) -> Array:
    """Return the positions of the masses at the start (n, 3) [m].

    They are along the way, or at rest if the rope is longer.
    """
    layer = lumped_layer(cable)
    ground = lumped_layer(cable).ground
    count = lumped_layer(cable).masses - 1
    weight = cable.density * length / count * float(np.linalg.norm(gravity))
    stiffness = spring(cable, length)
    gives = 1.0 / stiffness if stiffness else _compliance(cable, length) * length / count
    pushes = layer.method == "tutorial" or not cable.pulls_only
    strand = Strand(count, length / count, weight * gives * count / length, pushes)
    plane = rests_on(ground, weight / ground.repulsion if ground and ground.repulsion else 0.0)
    return lay(cable, way_points(cable, index), strand, gravity, plane)


def masses(cable: Cable, length: float) -> Array:
    """Return the masses of the particles [kg]: half of the segments on both sides of each.

    That of an attached end moves with its body. The tutorial has whole masses, and none there.
    """
    count = lumped_layer(cable).masses
    tutorial = lumped_layer(cable).method == "tutorial"
    share = np.ones(count)
    share[[0, -1]] = ~np.array(end_attachments(cable)) if tutorial else 0.5
    return cable.density * length / (count - 1) * share


def spring(cable: Cable, length: float) -> float:
    """Stiffness of a segment [N/m]; 0 of a chain."""
    layer = lumped_layer(cable)
    if layer.method == "chain":
        return 0.0
    rigidity = cable.axial_rigidity or (cable.stiffness or 0.0) * length
    return layer.segment_stiffness or rigidity * (layer.masses - 1) / length


def spring_friction(cable: Cable, length: float) -> float:
    """Return the friction of a segment's spring [N s/m]; 0 of a chain.

    Where none is given, that of springs is c = z sqrt(k m) with z = CALM. Friction along springs is
    damping proportional to stiffness (Rayleigh), whose ratio c w / 2 k is z for w = 2 sqrt(k / m),
    the bound of all frequencies of equal masses (eq. 2 of ``model/cables/lumped.py``).
    """
    layer = lumped_layer(cable)
    if layer.friction is not None or layer.method != "springs":
        return layer.friction or 0.0
    return CALM * math.sqrt(spring(cable, length) * float(masses(cable, length)[1]))


def largest_step(cable: Cable, length: float, dt: float) -> float:
    """Return the largest step of the springs' integration [s].

    ModelError for an unstable one, and for one that ``dt`` has too many of.
    """
    layer = lumped_layer(cable)
    mass = masses(cable, length)
    held = end_attachments(cable)
    if layer.method == "chain":
        return math.inf
    mass[[0, -1]] = np.where(held, mass[1], mass[[0, -1]])
    ground = layer.ground or NO_GROUND
    viscous = ground.friction if layer.method == "tutorial" else 0.0
    stable = stable_step(
        mass,
        spring(cable, length),
        spring_friction(cable, length),
        layer.air_friction,
        held,
        rest_length=length / (layer.masses - 1),
        bending=layer.bending,
        ground_stiffness=ground.repulsion or 0.0,
        ground_friction=max(ground.absorption, viscous),
    )
    if not layer.substeps and dt >= stable:
        raise ModelError(
            f"cable {cable.name!r}: lumped: a step of {dt:g} s is not stable; allowed is less "
            f"than {stable:.4g} s, or substeps, or method 'chain'"
        )
    if layer.largest_step is not None and layer.largest_step >= stable:
        raise ModelError(
            f"cable {cable.name!r}: lumped: largest_step {layer.largest_step:g} s is not stable; "
            f"allowed is less than {stable:.4g} s, or None"
        )
    if not layer.substeps:
        return math.inf
    largest = layer.largest_step or MARGIN * stable
    if dt > MOST_SUBSTEPS * largest:
        raise ModelError(
            f"cable {cable.name!r}: lumped: a step of {dt:g} s takes {math.ceil(dt / largest)} "
            f"substeps; allowed are {MOST_SUBSTEPS}; give it more density, fewer masses, or method "
            "'chain'"
        )
    return largest


def check_bodies(scene: Scene, cable: Cable, length: float, dt: float) -> None:
    """Refuse springs that shake a light body at their ends: h w < sqrt(2) as
    ``kernels/cables/particles/particles.py`` has it."""
    known = {body.name: body for body in scene.bodies if body.motion == "dynamic"}
    for node in cable.nodes:
        if node.body not in known:
            continue
        body = known[node.body]
        arm = float(np.dot(node.position, node.position))
        mobility = 1.0 / body.mass + arm / float(np.linalg.eigvalsh(inertia_of(body))[0])
        square = spring(cable, length) * mobility
        if dt * dt * square >= 2.0:
            raise ModelError(
                f"cable {cable.name!r}: its springs shake body {body.name!r} in steps of {dt:g} "
                f"s; allowed are steps below {math.sqrt(2.0 / square):.3g} s, or method 'chain'"
            )


def add_rows(cable: Cable, index: BodyIndex, rows: RowTable) -> list[int]:
    """Add the rows of a chain's attached ends; return them, -1 for none."""
    if lumped_layer(cable).method != "chain":
        return [-1, -1]
    between = [index.coupling[cable.name]] if cable.name in index.coupling else []
    held = zip(cable.nodes, end_attachments(cable), strict=True)
    lower = 0.0 if cable.pulls_only else -math.inf
    return [
        rows.add(CONDENSED, [index.row[node.body], *between], lower=lower) if on else -1
        for node, on in held
    ]


def add_inertia_rows(
    cable: Cable, dynamic: set[str], index: BodyIndex, rows: RowTable
) -> list[int]:
    """Add the rows of the masses at ends on ``dynamic`` bodies; return them, -1 for none."""
    found = []
    for node in cable.nodes:
        heavy = node.kind != "loose" and node.body in dynamic
        heavy = heavy and lumped_layer(cable).method != "tutorial"
        added = [rows.add(INERTIA, [index.row[node.body]]) for _ in range(3 * heavy)]
        found.append(added[0] if heavy else -1)
    return found


def pack_particles(
    scene: Scene, index: BodyIndex, rows: RowTable, arrays: dict[str, Any], dt: float
) -> dict[str, Any]:
    """Model arrays of the ropes made of masses, for steps of ``dt`` [s]; adds their rows."""
    pairs = _lumped_lengths(scene, index, arrays)
    cables = [cable for cable, _ in pairs]
    length = [long for _, long in pairs]
    for cable, long in pairs:
        check_bodies(scene, cable, long, dt)
    dynamic = {body.name for body in scene.bodies if body.motion == "dynamic"}
    layers = [lumped_layer(cable) for cable in cables]
    segment = [long / (layer.masses - 1) for layer, long in zip(layers, length, strict=True)]
    packed = {
        "ropes.kinds": ints(sum(layer.method in kinds for layer in layers) for kinds in KINDS),
        "ropes.cable": ints(index.cable[cable.name] for cable in cables),
        "ropes.start": np.cumsum([0, *(layer.masses for layer in layers)], dtype=np.int64),
        "ropes.attached": flags([end_attachments(cable) for cable in cables], 2),
        "ropes.row": ints([add_rows(cable, index, rows) for cable in cables], 2),
        "ropes.inertia_row": ints(
            [add_inertia_rows(cable, dynamic, index, rows) for cable in cables], 2
        ),
        "ropes.stiffness": floats(spring(*pair) for pair in pairs),
        "ropes.compliance": floats(_compliance(*pair) for pair in pairs),
        "ropes.damping_time": floats(cable.damping_time or 0.0 for cable in cables),
        "ropes.rest_length": np.array(segment),
        "ropes.friction": floats(spring_friction(*pair) for pair in pairs),
        "ropes.air_friction": floats(layer.air_friction for layer in layers),
        "ropes.bending": floats(layer.bending for layer in layers),
        "ropes.objective": flags(layer.method == "springs" for layer in layers),
        "ropes.pull_only": flags(
            c.pulls_only and lumped_layer(c).method != "tutorial" for c in cables
        ),
        "ropes.largest_step": floats(largest_step(*pair, dt) for pair in pairs),
        "ropes.segment_rest_length": np.repeat(segment, [layer.masses for layer in layers]),
    }
    return packed | _pack_masses(pairs) | _pack_grounds(layers)


def _pack_masses(pairs: list[tuple[Cable, float]]) -> dict[str, Any]:
    """Model arrays of the masses; those at attached ends obey no forces of their own."""
    mass = np.concatenate([np.zeros(0), *(masses(cable, long) for cable, long in pairs)])
    moved = [_are_moved(cable) for cable, _ in pairs]
    held = np.concatenate([np.zeros(0, bool), *moved])
    inverse = np.divide(1.0, mass, out=np.zeros_like(mass), where=(mass > 0.0) & ~held)
    return {"ropes.particle_mass": mass, "ropes.particle_inverse_mass": inverse}


def _are_moved(cable: Cable) -> NDArray[np.bool_]:
    """Return True for each particle that its body moves."""
    moved = np.zeros(lumped_layer(cable).masses, dtype=np.bool_)
    moved[[0, -1]] = end_attachments(cable)
    return moved


KINDS = (("tutorial",), ("tutorial", "springs"))
"""Methods that stand before springs, and those that stand before chains."""


def _compliance(cable: Cable, length: float) -> float:
    """Return 1/EA [1/N]; 0 of a rigid chain."""
    rigidity = cable.axial_rigidity or (cable.stiffness or 0.0) * length
    return 1.0 / rigidity if rigidity else 0.0


def _pack_grounds(layers: list[Lumped]) -> dict[str, Any]:
    """Model arrays of the grounds."""
    grounds = [layer.ground or NO_GROUND for layer in layers]
    there = [float(layer.ground is not None) for layer in layers]
    normals = floats([np.array(g.normal) / np.linalg.norm(g.normal) for g in grounds], 3)
    return {
        "ropes.ground_point": floats([g.point for g in grounds], 3),
        "ropes.ground_normal": normals * floats(there, 1),
        "ropes.ground_friction": floats(g.friction for g in grounds),
        "ropes.height": floats(
            g.point[2] if on else -math.inf for g, on in zip(grounds, there, strict=True)
        ),
        "ropes.repulsion": floats(g.repulsion or 0.0 for g in grounds),
        "ropes.absorption": floats(g.absorption for g in grounds),
    }


def _lumped_lengths(
    scene: Scene, index: BodyIndex, arrays: dict[str, Any]
) -> list[tuple[Cable, float]]:
    """Return the cables made of masses with their lengths [m]."""
    lengths = arrays["cables.length"]
    return [(cable, float(lengths[index.cable[cable.name]])) for cable in lumped_cables(scene)]


def start_particles(
    scene: Scene, index: BodyIndex, arrays: dict[str, Any], dt: float
) -> dict[str, Any]:
    """Return the state arrays of the masses: at rest where they are laid.

    Chains are under the tension of their stretch there.
    """
    pairs = _lumped_lengths(scene, index, arrays)
    curves = [curve(cable, index, length, scene.gravity) for cable, length in pairs]
    position = np.concatenate([np.zeros((0, 3)), *curves])
    pulls = [_pull(*pair, points) for pair, points in zip(pairs, curves, strict=True)]
    return {
        "particles.position": position,
        "particles.velocity": np.zeros_like(position),
        "particles.segment_impulse": dt * np.concatenate([np.zeros(0), *pulls]),
    }


def _pull(cable: Cable, length: float, points: Array) -> Array:
    """Return the tension of the segment behind each point [N]; 0 of springs and rigid chains.

    There is none behind the last point.
    """
    compliance = _compliance(cable, length)
    rest = length / (len(points) - 1)
    pull = np.zeros(len(points))
    if lumped_layer(cable).method == "chain" and compliance:
        pull[:-1] = (np.linalg.norm(np.diff(points, axis=0), axis=1) / rest - 1.0) / compliance
    return pull


def has_particles(model: Model) -> bool:
    """Return True if a model has ropes made of masses."""
    return model.ropes.cable.size > 0


def particle_scratch(model: Model) -> dict[str, Any]:
    """Shapes of the scratch for the ropes made of masses."""
    ropes = model.ropes.cable.size
    particles = model.ropes.particle_mass.size
    vectors = (
        "ropes.particle_position",
        "ropes.particle_velocity",
        "ropes.particle_force",
        "ropes.segment_direction",
    )
    ends = (
        "ropes.end_impulse",
        "ropes.end_active",
        "ropes.end_softness",
        "ropes.end_demand",
        "ropes.middle_fill",
    )
    return (
        {"ropes": particles}
        | dict.fromkeys(vectors, (particles, 3))
        | dict.fromkeys(ends, (ropes, 2))
        | {"ropes.end_coupling": ropes}
        | dict.fromkeys(
            ("ropes.end_velocity", "ropes.end_next_velocity", "ropes.end_force"), (ropes, 2, 3)
        )
        | {"ropes.segment_catch": (particles, 2)}
    )
