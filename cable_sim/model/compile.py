"""Compilation of a scene into arrays, from the parts that every column packs."""

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import ModelError, unknown
from cable_sim.kernels.cables.hybrid.segments import COLUMNS as MIXING_COLUMNS
from cable_sim.kernels.cables.particles.particles import place_ends
from cable_sim.kernels.cables.stiffness.torsion import measure_rates
from cable_sim.kernels.multibody.rows import INERTIA, REGULARISED, SPOOK, STABILISED
from cable_sim.kernels.records.arrays import arrays_of, build_record, map_arrays, zero_record
from cable_sim.kernels.records.rows import envelope_shapes
from cable_sim.kernels.records.world import Control, Model, State, Workspace
from cable_sim.model.basis.bodies import BodyIndex, pack_bodies, start_bodies
from cable_sim.model.basis.columns import flags, floats, ints, offsets
from cable_sim.model.basis.names import Names
from cable_sim.model.basis.rows import RowTable
from cable_sim.model.cables.cable_models import PACKINGS
from cable_sim.model.cables.cables import hauling_speeds, pack_cables, winch_coordinates
from cable_sim.model.cables.drums import pack_drums
from cable_sim.model.cables.end_frames import lay_end_frames
from cable_sim.model.cables.grips import pack_grips
from cable_sim.model.cables.obstacles import add_room, own_nodes, slots
from cable_sim.model.cables.touches import most_contacts, settle, start_nodes, warn_of_friction
from cable_sim.model.cables.transverse import pack_transverse
from cable_sim.model.cables.variants import Run, find_contacts, shift_start
from cable_sim.model.cables.waves import wave_points
from cable_sim.model.cables.wheels import start_wheels, wheel_names, wheel_scratch
from cable_sim.model.cables.wire_start import settle_wires, start_wires
from cable_sim.model.carriages import pack_carriages
from cable_sim.model.collision.collision import (
    Piece,
    list_pieces,
    pack_shapes,
    pool_scratch,
    start_pool,
)
from cable_sim.model.collision.contacts import Touching, find_touching, warn_of_lone_bodies
from cable_sim.model.collision.overlaps import overlapping
from cable_sim.model.collision.shape_pairs import name_pairs, pack_pairs, pack_shape_pairs
from cable_sim.model.damping import cable_damping_times, row_mobility
from cable_sim.model.drives import pack_drives, standing_drives, start_drives
from cable_sim.model.joints import pack_joints, start_joints
from cable_sim.model.motions import pack_motions
from cable_sim.model.shapes.parts import divide_obstacles, whole_name
from cable_sim.model.sharing import sharing_softness
from cable_sim.model.wind import pack_wind
from cable_sim.spec import Cable, Scene
from cable_sim.spec.cables.cables import MOST_CONTACTS

STEPPERS = {"spook": SPOOK, "regularised": REGULARISED}
MANY_ROWS = 4000
WIDE_ENVELOPE = 100
"""Rows that are not of contacts, and mean width of their envelope: from there on the sparse solver
is faster."""


def compile_scene(
    scene: Scene, stepper: str = "spook", dt: float = 1e-3
) -> tuple[Model, Names, State, Control]:
    """Return a scene's model, the names of its rows, and state and controls at the start.

    The model is for steps of ``dt`` [s]. Raises ModelError for an unknown stepper and for an
    impossible scene: a span without length, an inertia that no solid has, a cable inside of an
    obstacle or with too little room for the edges that it bends over.
    """
    if stepper not in STEPPERS:
        raise ModelError(unknown("stepper", stepper, STEPPERS))
    warn_of_friction(scene)
    warn_of_lone_bodies(scene)
    own = scene = divide_obstacles(scene)
    scene = add_room(scene)
    index = BodyIndex(scene, own)
    rows = RowTable()
    touching = find_touching(own)
    pieces = list_pieces(own, touching, index)
    arrays = _pack(own, scene, index, rows, dt) | {"stepper": np.array([STEPPERS[stepper]])}
    arrays |= _pack_last(own, scene, index, rows, touching, pieces, arrays)
    lengths, arrays["cables.length"] = winch_coordinates(scene, arrays["cables.length"])
    begun = _start(scene, index, lengths, rows) | _start_cable_models(scene, index, arrays, dt)
    begun |= start_joints(arrays) | start_nodes(arrays)
    state = build_record(State, begun | start_pool(arrays, rows))
    arrays |= pack_drums(scene, index, state.bodies.position)
    control = _control(scene, index)
    model = _freeze(build_record(Model, arrays))
    around = Run(model, state, control, workspace(model, envelope=False))
    if scene.obstacles:
        arrays["cables.length"], roomy = settle(own, around)
        if not roomy:
            raise ModelError(_room_needed(own, stepper, dt))
        arrays |= pack_drums(scene, index, state.bodies.position)
        around = around._replace(model=_freeze(build_record(Model, arrays)))
    _look(around)
    start_wires(own, around, dt)
    if scene.obstacles and around.model.wires.cable.size:
        settle_wires(own, around)
        if frames := lay_end_frames(around.model, state, around.work.nodes.position):
            arrays |= frames
            around = around._replace(model=_freeze(build_record(Model, arrays)))
            _look(around)
    arrays["rows.damping_time"] = cable_damping_times(scene, around.model, state, around.work)
    arrays["rows.mobility"] = row_mobility(around.model, around.work)
    arrays |= _leave_out_overlaps(own, index, touching, pieces, around)
    model = _freeze(build_record(Model, arrays))
    _set_off(dt, around._replace(model=model))
    return model, _names(own, model, touching, pieces), state, control


def _leave_out_overlaps(
    scene: Scene, index: BodyIndex, touching: Touching, pieces: list[Piece], around: Run
) -> dict[str, Any]:
    """Return the arrays of pairs of shapes, but those that never touch as they overlap."""
    named = name_pairs(scene, touching, index, pieces)
    if scene.collision or any(pair.stops_shape for pair in touching.pairs):
        pushed = frozenset(scene.collision.pushed if scene.collision else ())
        named |= overlapping(touching, pieces, pushed, *find_contacts(*around))
    return pack_pairs(named, len(pieces))


def _look(around: Run) -> None:
    """Fill rows and rates of twist at the pose of the start."""
    around.look()
    model, state, _, work = around
    measure_rates(model.twist, model.rows, state.bodies.velocity, work.rows, state.cables)


def _set_off(dt: float, around: Run) -> None:
    """Move the poses of a start half a step on, and with them what hangs on bodies."""
    shift_start(*around, dt)
    model, state, _, _ = around
    place_ends(model.ropes, model.cables, state.nodes, state.bodies, state.particles)


def _pack(own: Scene, scene: Scene, index: BodyIndex, rows: RowTable, dt: float) -> dict[str, Any]:
    """Return the arrays of a scene with room for contact nodes; add the rows, but those of shapes.

    ``own`` is the scene without that room.
    """
    arrays = (
        pack_bodies(scene, index)
        | pack_joints(scene, index, rows)
        | pack_drives(scene, index, rows)
    )
    arrays |= pack_cables(scene, index, rows, arrays["drives.row"])
    arrays["spans.slots"] = ints(room for cable in own.cables for room in _room(cable))
    for packing in PACKINGS.values():
        arrays |= packing.pack(scene, index, rows, arrays, dt)
    arrays |= pack_grips(scene, index, rows, arrays)
    lengths, slots = arrays["cables.length"], arrays["spans.slots"]
    arrays |= pack_transverse(scene, index, rows, lengths, slots, dt)
    arrays |= pack_motions(scene, index) | pack_wind(scene, index)
    arrays |= pack_carriages(own, index, arrays)
    return arrays | {"gravity": np.array(scene.gravity)}


def _pack_last(
    own: Scene,
    scene: Scene,
    index: BodyIndex,
    rows: RowTable,
    touching: Touching,
    pieces: list[Piece],
    arrays: dict[str, Any],
) -> dict[str, Any]:
    """Return the arrays of shapes, whose rows are the last, and of all rows."""
    shapes = pack_shapes(own, touching, pieces, rows)
    shapes |= pack_shape_pairs(own, touching, index, pieces)
    packed = _pack_rows(rows, arrays["bodies.inverse_mass"] > 0.0)
    packed["rows.hauling"] = hauling_speeds(scene, arrays, len(rows.kind))
    packed["rows.sharing"] = sharing_softness(arrays | packed)
    return shapes | packed


def _room_needed(scene: Scene, stepper: str, dt: float) -> str:
    """Return a message with the number of contacts that the cables of a scene need at the start.

    With their own number they do not find room for them.
    """
    full = [cable for cable in scene.cables if cable.touches and cable.contacts < MOST_CONTACTS]
    if not full:
        names = ", ".join(repr(cable.name) for cable in scene.cables if cable.touches)
        return (
            f"cable {names}: needs more than {MOST_CONTACTS} contacts at the start; give it eyes "
            "in between"
        )
    cables = tuple(
        dataclasses.replace(c, contacts=MOST_CONTACTS) if c in full else c for c in scene.cables
    )
    roomy = dataclasses.replace(scene, cables=cables)
    model, _, state, _ = compile_scene(roomy, stepper, dt)
    needed = zip(scene.cables, most_contacts(roomy, model, state), strict=True)
    sentences = [
        f"cable {cable.name!r}: contacts {cable.contacts} is too few: it bends over {count} edges "
        f"between two of its nodes at the start; give it {count} or more, up to {MOST_CONTACTS}"
        for cable, count in needed
        if count > cable.contacts
    ]
    if sentences:
        return "; ".join(sentences)
    names = ", ".join(f"{cable.name!r}: {cable.contacts}" for cable in full)
    return (
        f"contacts: too few to lay the cables over the obstacles at the start, {names}; give them "
        "twice as many"
    )


def _room(cable: Cable) -> list[int]:
    """Return the room behind each node of a cable that :func:`add_room` has given it."""
    return [n for room in slots(cable) for n in (room, *[0] * room)]


def _pack_rows(rows: RowTable, movable: Any) -> dict[str, Any]:
    """Model arrays of the rows."""
    order = rows.order(movable)
    count = len(rows.kind)
    entry_start = offsets(rows.bodies)
    entry_row = np.repeat(np.arange(count), np.diff(entry_start))
    entry_body = ints(body for bodies in rows.bodies for body in bodies)
    rank = np.argsort(order)
    return {
        "rows.kind": ints(rows.kind),
        "rows.one_sided": flags(rows.one_sided),
        "rows.lower": floats(rows.lower),
        "rows.upper": floats(rows.upper),
        "rows.compliance": floats(rows.compliance),
        "rows.damping_time": floats(rows.damping_time),
        "rows.mobility": np.zeros(count),
        "rows.order": order,
        "rows.entry_start": entry_start,
        "rows.entry_body": entry_body,
        "rows.entry_row": entry_row,
        "rows.body_entry_start": np.searchsorted(np.sort(entry_body), np.arange(movable.size + 1)),
        "rows.body_entry": np.lexsort((rank[entry_row], entry_body)),
        "rows.limit_start": offsets(rows.limits),
        "rows.mixed": ints(rows.mixed),
        "rows.limit_row": ints(row for limits in rows.limits for row in limits),
    }


def _start(
    scene: Scene, index: BodyIndex, lengths: dict[str, float], rows: RowTable
) -> dict[str, Any]:
    """Return the state arrays at the start, except those of the nodes."""
    return {
        "time": np.zeros(1),
        "steps": np.zeros(1, dtype=np.int64),
        **start_bodies(scene, index, lengths),
        "joints.position": floats(joint.position for joint in scene.joints),
        "carriages.position": np.zeros(len(scene.carriages)),
        **standing_drives(scene),
        "cables.twist_expected": floats(cable.twist for cable in scene.cables),
        "cables.twist_offset": floats(cable.twist for cable in scene.cables),
        "cables.twist_station": np.full(len(scene.cables), -1, dtype=np.int64),
        "cables.twist_held": floats(
            np.inf if cable.measures_twist else 0.0 for cable in scene.cables
        ),
        "cables.near_rope": np.zeros(len(scene.cables)),
        "cables.twist_rate": np.zeros(len(scene.cables)),
        "cables.attachment": np.zeros(len(scene.cables), dtype=np.int64),
        "cables.peak_utilisation": np.zeros(len(scene.cables)),
        "cables.peak_time": np.zeros(len(scene.cables)),
        "cables.start_growth": np.zeros(len(scene.cables)),
        "cables.swing": np.zeros((len(scene.cables), 5)),
        "rows.status": np.zeros(len(rows.kind), dtype=np.int64),
        "rows.impulse": np.zeros(len(rows.kind)),
    }


def _start_cable_models(
    scene: Scene, index: BodyIndex, arrays: dict[str, Any], dt: float
) -> dict[str, Any]:
    """Return the state arrays at the start that the cable models have of their own."""
    state: dict[str, Any] = start_wheels(arrays)
    for packing in PACKINGS.values():
        state |= packing.start(scene, index, arrays, dt)
    return state


def _control(scene: Scene, index: BodyIndex) -> Control:
    """Return the controls at the start.

    Drives are as in the scene, prescribed bodies have their velocity, and there is no wrench.
    """
    count = index.count
    prescribed = np.zeros((count, 6))
    for i, body in enumerate(scene.bodies, start=1):
        if body.motion == "prescribed":
            prescribed[i] = (*body.velocity, *body.angular_velocity)
    return build_record(
        Control,
        {
            **start_drives(scene),
            "carriages.target": np.zeros(len(scene.carriages)),
            "carriages.speed": np.zeros(len(scene.carriages)),
            "bodies.wrench": np.zeros((count, 6)),
            "wind": np.array(scene.air.wind),
            "bodies.prescribed_velocity": prescribed,
        },
    )


def _names(scene: Scene, model: Model, touching: Touching, pieces: list[Piece]) -> Names:
    """The names in the order of the arrays."""

    def of(items: Any) -> tuple[str, ...]:
        return tuple(item.name for item in items)

    start = model.cables.node_start
    segments = _segments(model)
    waves = wave_points(model)
    return Names(
        of(scene.bodies),
        of(scene.joints),
        of(scene.drives),
        of(scene.cables),
        of(scene.winches),
        of(scene.surfaces),
        carriages=of(scene.carriages),
        wheels=wheel_names(scene),
        nodes=tuple(slice(int(a), int(b)) for a, b in zip(start, start[1:], strict=False)),
        spans=tuple(slice(int(a), int(b) - 1) for a, b in zip(start, start[1:], strict=False)),
        own=tuple(own_nodes(cable) for cable in scene.cables),
        touches=tuple(whole_name(name) for cable in scene.cables for name in cable.touches),
        curves=tuple(_curves(model, c, made, waves) for c, made in enumerate(segments)),
        segments=segments,
        contacts=() if scene.collision else _paired_names(touching),
        wheel_spans=tuple(map(tuple, model.wheels.span.tolist())),
        shapes=of(pieces),
        watched=tuple(map("/".join, scene.collision.watch if scene.collision else ())),
    )


def _paired_names(touching: Touching) -> tuple[tuple[str, str], ...]:
    """Return the names of the pairs of things that touch, each once."""
    pairs = ((pair.first.name, whole_name(pair.second.name)) for pair in touching.pairs)
    return tuple(dict.fromkeys(pairs))


def _segments(model: Model) -> tuple[slice | None, ...]:
    """The segments of the cables made of masses, None of others."""
    found: list[slice | None] = [None] * model.cables.row.size
    for c, first, after in zip(
        model.ropes.cable, model.ropes.start, model.ropes.start[1:], strict=False
    ):
        found[c] = slice(int(first), int(after) - 1)
    return tuple(found)


def _curves(model: Model, c: int, made: slice | None, waves: int) -> tuple[slice | None, ...]:
    """Return the slices of the points of each span's wave.

    The masses of a cable ``made`` of them stand behind the ``waves``.
    """
    if made is not None:
        return (slice(waves + made.start, waves + made.stop + 1),)
    first = model.cables.node_start[c]
    last = model.cables.node_start[c + 1] - 1
    starts = model.waves.start[first:last]
    counts = model.waves.intervals[first:last] + 1
    return tuple(
        slice(int(a), int(a + n)) if a >= 0 else None for a, n in zip(starts, counts, strict=True)
    )


def _freeze(model: Model) -> Model:
    """The model with every array read-only and contiguous."""
    frozen = map_arrays(np.ascontiguousarray, model)
    for array in arrays_of(frozen):
        array.flags.writeable = False
    return frozen


def envelope_size(model: Model, order: NDArray[np.int64]) -> int:
    """Return the size of the envelope of the Schur complement of rows that are eliminated so."""
    movable = model.bodies.inverse_mass > 0.0
    total = 0
    first_of_body: dict[int, int] = {}
    for k, row in enumerate(order):
        first = k if row < model.rows.own[0] else 0
        for body in model.rows.entry_body[
            model.rows.entry_start[row] : model.rows.entry_start[row + 1]
        ]:
            if movable[body]:
                first = min(first, first_of_body.setdefault(int(body), k))
        total += k - first + 1
    return total


def suits_sparse(model: Model) -> bool:
    """Return True if the sparse solver is the faster one: for large scenes with a wide envelope."""
    rows = model.rows
    lasting = ~np.isin(rows.kind, (STABILISED, INERTIA)) & (np.diff(rows.limit_start) == 0)
    order = rows.order[lasting[rows.order]]
    return order.size >= MANY_ROWS and envelope_size(model, order) > WIDE_ENVELOPE * order.size


def _cable_shapes(model: Model) -> dict[str, Any]:
    """Return the shapes of the scratch of cables."""
    cables = model.cables.row.size
    nodes = model.cables.node_row.size
    shapes: dict[str, Any] = {
        "nodes": nodes,
        "nodes.position": (nodes, 3),
        "nodes.arm": (nodes, 3),
        "nodes.newton_step": (nodes, 3),
        "spans": nodes,
        "spans.direction": (nodes, 3),
        "spans.normal": (nodes, 3),
        "spans.couple_per_torque": (nodes, 2, 3),
        "spans.force_per_torque": (nodes, 3),
        "touches.region": (cables, 2, 3),
        "touches.solid": model.touches.body.size,
        "touches.counts": cables,
        "touches.path": (nodes, 2),
        "cables": cables,
        "cables.growth": (cables, 3),
        **wheel_scratch(model),
        "grips": model.grips.row.size,
        "grips.counts": cables,
    }
    for packing in PACKINGS.values():
        shapes |= packing.scratch(model)
    return shapes


def workspace(model: Model, envelope: bool = True) -> Workspace:
    """Return the scratch for a model.

    Nothing can be solved in it without the envelope, which grows with the width of a net.
    """
    bodies = model.bodies.kind.size
    rows = model.rows.kind.size
    entries = model.rows.entry_body.size
    profile = envelope_size(model, model.rows.order) if envelope else 0
    shapes: dict[str, Any] = {
        "rows": rows,
        "solver": rows,
        "bodies.inverse_inertia": (bodies, 3, 3),
        "bodies.next_velocity": (bodies, 6),
        "bodies.trial_velocity": (bodies, 6),
        "rows.limit_factor": model.rows.limit_row.size,
        "rows.inner": (rows, 3),
        "rows.jacobian": (entries, 6),
        "solver.start": rows + 1,
        **{f"solver.{name}": size for name, size in envelope_shapes(rows, profile).items()},
        "solver.body_first": bodies,
        "solver.gathered": 6 * (rows + 3),
        "solver.response": (rows, 6),
        "solver.mixing": (model.rows.mixed.size, MIXING_COLUMNS),
        **pool_scratch(model),
        **_cable_shapes(model),
    }
    return zero_record(Workspace, shapes)
