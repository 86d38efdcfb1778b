"""Packs cables made of masses: particles, segments, the rows of a chain's ends; and the curve that they start in."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cable_sim.errors import ModelError
from cable_sim.kernels.rows import CONDENSED
from cable_sim.model.bodies import BodyIndex, coupled, inertia_of, lumped_cables
from cable_sim.model.frames import Array
from cable_sim.model.lumped import stable_step
from cable_sim.model.rows import RowTable
from cable_sim.spec import Cable, Ground, Lumped, Scene

MARGIN = 0.9
"""Of the largest stable step, which holds for small motions only."""
UPRIGHT = 1e-6
"""Ends closer than this part of the length in plan hang above one another."""
NO_GROUND = Ground()


def made(cable: Cable) -> Lumped:
    """What the cable is made of."""
    assert cable.lumped is not None
    return cable.lumped


def attached(cable: Cable) -> tuple[bool, bool]:
    """Which ends hang on something."""
    return cable.nodes[0].kind != "loose", cable.nodes[1].kind != "loose"


def laid(cable: Cable, index: BodyIndex) -> Array:
    """Way points of the cable at the start [m]: its nodes, and the path between them."""
    ends = [index.to_world(node.body, node.position) for node in cable.nodes]
    return np.array([ends[0], *made(cable).path, ends[1]], dtype=float)


def laid_length(cable: Cable, index: BodyIndex) -> float:
    """Length of a cable made of masses [m]: as given, or that of the way on which it starts; ModelError without one."""
    length = float(np.linalg.norm(np.diff(laid(cable, index), axis=0), axis=1).sum())
    if length == 0.0:
        raise ModelError(f"cable {cable.name!r}: both nodes stand on one another; give it a path of more than 0 m")
    return cable.length or length


def curve(cable: Cable, index: BodyIndex, length: float) -> Array:
    """Where the masses are at the start (n, 3) [m], the same length apart along the way; slack rope hangs."""
    points, places = laid(cable, index), np.linspace(0.0, 1.0, made(cable).masses)
    chord = float(np.linalg.norm(points[1] - points[0]))
    if len(points) == 2 and length > chord * (1.0 + 1e-9):
        return hanging(points[0], points[1], length, places)
    return along(points, places)


def along(points: ArrayLike, places: Array) -> Array:
    """Points at those shares of the length of the way over ``points`` (n, 3) [m]."""
    way = np.asarray(points)
    beyond = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))])
    return np.column_stack([np.interp(places * beyond[-1], beyond, way[:, i]) for i in range(3)])


def hanging(start: Array, end: Array, length: float, places: Array) -> Array:
    """Points of a catenary of that length, at ``places`` along it from 0 to 1; a hairpin where its ends are upright.

    With d and v the distances in plan and height: sinh(u) / u = sqrt(L^2 - v^2) / d, u = d / 2a, and the vertex is at
    d / 2 - a artanh(v / L) from the start.
    """
    plan, rise = (end - start) * (1.0, 1.0, 0.0), float(end[2] - start[2])
    distance = float(np.linalg.norm(plan))
    along = places * length
    if distance < UPRIGHT * length:
        down = 0.5 * (length - rise)
        height = np.where(along < down, -along, along - 2.0 * down)
        return start + np.outer(along / length, plan) + np.outer(height, (0.0, 0.0, 1.0))
    from scipy.optimize import brentq  # slow to import, and most scenes have no ropes of masses

    ratio = math.sqrt(length**2 - rise**2) / distance
    u = brentq(lambda u: math.log(math.sinh(u) / u) - math.log(ratio), 1e-8, 700.0)
    a = 0.5 * distance / u
    vertex = 0.5 * distance - a * math.atanh(rise / length)
    x = vertex + a * np.arcsinh(along / a - math.sinh(vertex / a))
    height = a * (np.cosh((x - vertex) / a) - math.cosh(vertex / a))
    return start + np.outer(x / distance, plan) + np.outer(height, (0.0, 0.0, 1.0))


def masses(cable: Cable, length: float) -> Array:
    """Of the particles [kg], 0 at attached ends."""
    count = made(cable).masses
    share = np.ones(count)
    for end, held in zip((0, -1), attached(cable), strict=True):
        share[end] = 0.0 if held else 1.0 if made(cable).method == "tutorial" else 0.5
    if made(cable).method == "tutorial":
        return cable.density * length / (count - 1) * share
    return cable.density * length / share.sum() * share


def spring(cable: Cable, length: float) -> float:
    """Stiffness of a segment [N/m]; 0 of a chain."""
    layer = made(cable)
    if layer.method == "chain":
        return 0.0
    rigidity = cable.axial_rigidity or (cable.stiffness or 0.0) * length
    return layer.segment_stiffness or rigidity * (layer.masses - 1) / length


def largest_step(cable: Cable, length: float, dt: float) -> float:
    """Of the springs' integration [s]; ModelError for one that is not stable."""
    layer, mass, held = made(cable), masses(cable, length), attached(cable)
    if layer.method == "chain":
        return math.inf
    mass[mass == 0.0] = mass[1]
    ground = layer.ground or NO_GROUND
    viscous = ground.friction if layer.method == "tutorial" else 0.0
    stable = stable_step(
        mass, spring(cable, length), layer.friction, layer.air_friction, held,
        rest_length=length / (layer.masses - 1), bending=layer.bending, ground_stiffness=ground.repulsion or 0.0,
        ground_friction=max(ground.absorption, viscous),
    )  # fmt: skip
    if not layer.substeps and dt >= stable:
        raise ModelError(
            f"cable {cable.name!r}: lumped: a step of {dt:g} s is not stable; allowed is less than {stable:.4g} s, or "
            "substeps, or method 'chain'"
        )
    if layer.largest_step is not None and layer.largest_step >= stable:
        raise ModelError(
            f"cable {cable.name!r}: lumped: largest_step {layer.largest_step:g} s is not stable; allowed is less than "
            f"{stable:.4g} s, or None"
        )
    return (layer.largest_step or MARGIN * stable) if layer.substeps else math.inf


def check_bodies(scene: Scene, cable: Cable, length: float, dt: float) -> None:
    """Refuse springs that shake a light body at their ends: h w < sqrt(2) as ``kernels/cables/particles.py`` has it."""
    known = {body.name: body for body in scene.bodies if body.motion == "dynamic"}
    for node in cable.nodes:
        if node.body not in known:
            continue
        body, arm = known[node.body], float(np.dot(node.position, node.position))
        mobility = 1.0 / body.mass + arm / float(np.linalg.eigvalsh(inertia_of(body))[0])
        square = spring(cable, length) * mobility
        if dt * dt * square >= 2.0:
            raise ModelError(
                f"cable {cable.name!r}: its springs shake body {body.name!r} in steps of {dt:g} s; allowed are steps "
                f"below {math.sqrt(2.0 / square):.3g} s, or method 'chain'"
            )


def add_rows(scene: Scene, cable: Cable, index: BodyIndex, rows: RowTable) -> list[int]:
    """The rows of a chain's attached ends, -1 for none."""
    if made(cable).method != "chain":
        return [-1, -1]
    between = [index.coupling[cable.name]] if cable in coupled(scene) else []
    held = zip(cable.nodes, attached(cable), strict=True)
    return [rows.add(CONDENSED, [index.row[node.body], *between]) if on else -1 for node, on in held]


def pack_particles(scene: Scene, index: BodyIndex, rows: RowTable, lengths: Array, dt: float) -> dict[str, Any]:
    """Model arrays of the ropes made of masses, for steps of ``dt`` [s]; adds their rows."""
    cables = lumped_cables(scene)
    length = [float(lengths[scene.cables.index(cable)]) for cable in cables]
    pairs = list(zip(cables, length, strict=True))
    for cable, long in pairs:
        check_bodies(scene, cable, long, dt)
    layers, count = [made(cable) for cable in cables], len(cables)
    mass = np.concatenate([np.zeros(0), *(masses(cable, long) for cable, long in pairs)])
    segment = [long / (layer.masses - 1) for layer, long in zip(layers, length, strict=True)]
    return {
        "rope_kinds": np.array([sum(layer.method in kinds for layer in layers) for kinds in KINDS]),
        "rope_cable": np.array([scene.cables.index(cable) for cable in cables], dtype=np.int64),
        "rope_start": np.cumsum([0, *(layer.masses for layer in layers)], dtype=np.int64),
        "rope_attached": np.array([attached(cable) for cable in cables], dtype=np.bool_).reshape(count, 2),
        "rope_row": np.array([add_rows(scene, cable, index, rows) for cable in cables], np.int64).reshape(count, 2),
        "rope_stiffness": np.array([spring(*pair) for pair in pairs]),
        "rope_compliance": np.array([_compliance(*pair) for pair in pairs]),
        "rope_damping_time": np.array([cable.damping_time or 0.0 for cable in cables]),
        "rope_rest_length": np.array(segment),
        "rope_friction": np.array([layer.friction for layer in layers]),
        "rope_air_friction": np.array([layer.air_friction for layer in layers]),
        "rope_bending": np.array([layer.bending for layer in layers]),
        "rope_objective": np.array([layer.method == "springs" for layer in layers], dtype=np.bool_),
        "rope_pull_only": np.array([c.pulls_only and made(c).method == "springs" for c in cables], dtype=np.bool_),
        "rope_largest_step": np.array([largest_step(*pair, dt) for pair in pairs]),
        "particle_mass": mass, "particle_inverse_mass": np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0),
        "segment_rest_length": np.repeat(segment, [layer.masses for layer in layers]),
    } | _pack_grounds(layers)  # fmt: skip


KINDS = (("tutorial",), ("tutorial", "springs"))
"""Methods that stand before springs, and before chains."""


def _compliance(cable: Cable, length: float) -> float:
    """1/EA [1/N]; 0 of a rigid chain."""
    rigidity = cable.axial_rigidity or (cable.stiffness or 0.0) * length
    return 1.0 / rigidity if rigidity else 0.0


def _pack_grounds(layers: list[Lumped]) -> dict[str, Any]:
    """Model arrays of the grounds."""
    grounds = [layer.ground or NO_GROUND for layer in layers]
    there = [float(layer.ground is not None) for layer in layers]
    normals = np.array([np.array(g.normal) / np.linalg.norm(g.normal) for g in grounds]).reshape(-1, 3)
    return {
        "rope_ground_point": np.array([g.point for g in grounds]).reshape(-1, 3),
        "rope_ground_normal": normals * np.array(there).reshape(-1, 1),
        "rope_ground_friction": np.array([g.friction for g in grounds]),
        "rope_height": np.array([g.point[2] if on else -math.inf for g, on in zip(grounds, there, strict=True)]),
        "rope_repulsion": np.array([g.repulsion or 0.0 for g in grounds]),
        "rope_absorption": np.array([g.absorption for g in grounds]),
    }


def start_particles(scene: Scene, index: BodyIndex, lengths: Array) -> dict[str, Any]:
    """State arrays of the masses: at rest where they are laid."""
    cables = lumped_cables(scene)
    curves = [curve(cable, index, float(lengths[scene.cables.index(cable)])) for cable in cables]
    position = np.concatenate([np.zeros((0, 3)), *curves])
    return {
        "particle_position": position, "particle_velocity": np.zeros_like(position),
        "segment_impulse": np.zeros(len(position)),
    }  # fmt: skip


def particle_scratch(ropes: int, particles: int) -> dict[str, Any]:
    """Shapes of the scratch for the ropes made of masses."""
    vectors = ("particle_position", "particle_velocity", "particle_force", "particle_free", "segment_direction")
    ends = ("rope_end_impulse", "rope_end_active", "rope_end_softness", "rope_end_demand")
    return (
        dict.fromkeys(vectors, (particles, 3)) | dict.fromkeys(ends, (ropes, 2)) | {"rope_end_coupling": ropes}
        | dict.fromkeys(("rope_end_velocity", "rope_end_force"), (ropes, 2, 3))
        | dict.fromkeys(("segment_demand", "segment_fill", "segment_share"), particles)
    )  # fmt: skip
