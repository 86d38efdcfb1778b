"""Packing of the second layer of elevation cables: the points of their spans, and initial curves.

Misprints are numbered as in docs/theory/misprints.md.
"""

import math
from typing import Any

import numpy as np

from cable_sim.errors import ModelError, warn
from cable_sim.kernels.cables.elevation.chords import (
    FREE,
    HORIZONTAL,
    PLANAR,
    chord_grid,
    span_normal,
)
from cable_sim.kernels.cables.elevation.elevation import ADAPTIVE, EXPLICIT, IMPLICIT, STABLE_RATIO
from cable_sim.kernels.records.world import Model
from cable_sim.model.basis.bodies import BodyIndex
from cable_sim.model.basis.columns import flags, floats, ints
from cable_sim.model.basis.frames import Array, triad
from cable_sim.model.basis.rows import RowTable
from cable_sim.model.cables.paths import path_length
from cable_sim.spec import Cable, Elevation, Scene

SCHEMES = {"adaptive": ADAPTIVE, "explicit": EXPLICIT, "implicit": IMPLICIT}
NOTED, REFUSED = 0.1, 0.25
"""Parts of its tension [-] that a span weighs along its chord, which the model leaves out."""
STRAIN = 2e-4
"""Error of the strain [-] that is refused: a tenth of that of steel rope at its working load."""


def waves(cable: Cable, start: Array, end: Array) -> bool:
    """Return True if a span oscillates: short ones, such as those over a wheel, stay straight."""
    length = float(np.linalg.norm(end - start))
    return cable.elevation is not None and length > 0.0 and length >= cable.elevation.shortest


def grids(cable: Cable, index: BodyIndex) -> list[bool]:
    """Return True for each span that has a grid.

    Spans that oscillate have one, and so has the room for contact nodes behind them.
    """
    found: list[bool] = []
    for start, end, room in index.chords(cable):
        found.append(found[-1] if found and room else waves(cable, start, end))
    return found


def kind_of(layer: Elevation) -> int:
    """Return the variant of a layer."""
    return HORIZONTAL if layer.variant == "2007" else PLANAR if layer.planar else FREE


def start_normal(layer: Elevation, start: Array, end: Array) -> Array:
    """Return the first normal of a span at the start: upward where that has a meaning."""
    axes = triad(end - start)
    upward = np.array([0.0, 0.0, 1.0]) - axes[2, 2] * axes[2]
    before = axes[0] if np.linalg.norm(upward) < 1e-6 else upward / np.linalg.norm(upward)
    return np.array(span_normal(kind_of(layer), tuple(before), tuple(axes[2])))


def sag(cable: Cable, start: Array, end: Array, gravity: Array) -> Array:
    """Return the (2, points) displacements of a span at rest under the cable's pretension [m].

    They are rho g' l^2 x (1 - x) / 2 T.
    """
    layer = cable.elevation
    assert layer is not None
    x = np.linspace(0.0, 1.0, layer.points)
    if cable.pretension == 0.0:
        return np.zeros((2, x.size))
    length = float(np.linalg.norm(end - start))
    direction = (end - start) / length
    normal = start_normal(layer, start, end)
    along, _ = chord_grid(kind_of(layer), length, tuple(direction))
    across = np.array(
        [gravity @ normal, gravity @ np.cross(direction, normal) if kind_of(layer) == FREE else 0.0]
    )
    return np.outer(cable.density * along**2 / (2.0 * cable.pretension) * across, x * (1.0 - x))


def sagging_length(cable: Cable, index: BodyIndex, gravity: Any) -> float:
    """Return the length of a cable's path along its curves at the start [m]."""
    assert cable.elevation
    total = 0.0
    for start, end, _ in index.chords(cable):
        if waves(cable, start, end):
            length = float(np.linalg.norm(end - start))
            curve = sag(cable, start, end, np.asarray(gravity))
            along, rise = chord_grid(
                kind_of(cable.elevation), length, tuple((end - start) / length)
            )
            steps = np.diff(curve) + np.array([[rise], [0.0]]) / (curve.shape[1] - 1)
            total += (
                float(np.hypot(along / (curve.shape[1] - 1), np.linalg.norm(steps, axis=0)).sum())
                - length
            )
    return path_length(cable, index) + total


def check_step(cable: Cable, index: BodyIndex, dt: float) -> None:
    """Refuse an explicit grid that no span could oscillate on at the start (misprint 23).

    The tension is the pretension. ModelError tells which step or number of points would do.
    """
    layer = cable.elevation
    if layer is None or layer.scheme != "explicit" or cable.pretension == 0.0:
        return
    spans = [
        float(np.linalg.norm(end - start))
        for start, end, _ in index.chords(cable)
        if waves(cable, start, end)
    ]
    travel = dt * math.sqrt(cable.pretension / cable.density)  # of a wave in a step [m]
    if not spans or travel * (layer.points - 1) / max(spans) < STABLE_RATIO:
        return
    points = int(STABLE_RATIO * max(spans) / travel) + 1
    raise ModelError(
        f"cable {cable.name!r}: elevation: under its pretension of {cable.pretension:g} N no span "
        f"can oscillate with {layer.points} points in steps of {dt:g} s; allowed are steps below "
        f"{dt * STABLE_RATIO * max(spans) / (travel * (layer.points - 1)):.3g} s"
        + (f", at most {points} points" if points >= 3 else "")
        + ", or scheme 'adaptive' or 'implicit'"
    )


def carried_tension(cable: Cable, scene: Scene) -> float:
    """Return a tension that the cable starts with [N]: its pretension, or else the weight of the
    bodies that hang on its nodes; 0 if neither is known."""
    if cable.pretension:
        return float(cable.pretension)
    on = [body for body in scene.bodies if body.motion == "dynamic"]
    hung = {node.body for node in cable.nodes if node.kind != "loose"}
    return float(np.linalg.norm(scene.gravity)) * sum(b.mass for b in on if b.name in hung)


def check_height(cable: Cable, index: BodyIndex, scene: Scene) -> None:
    """Refuse a cable whose tension would change much over the height of a span, or warn of it.

    Over a height dz the tension of an elastic catenary changes by w = rho g dz (Irvine 1981); in
    the model it does not. The tension T is wrong by w / T at an end, and the strain by w / 2 EA.
    CableSimWarning for w / T > NOTED. ModelError for w / T > REFUSED if the strain is wrong by more
    than STRAIN.
    """
    tension = carried_tension(cable, scene)
    if cable.elevation is None or tension == 0.0:
        return
    gravity = np.array(scene.gravity)
    chords = [end - start for start, end, _ in index.chords(cable) if waves(cable, start, end)]
    if not chords:
        return
    chord = max(chords, key=lambda chord: abs(float(gravity @ chord)))
    weight, length = cable.density * abs(float(gravity @ chord)), float(np.linalg.norm(chord))
    if weight <= NOTED * tension:
        return
    across = float(np.linalg.norm(np.cross(gravity, chord)))
    slope = math.degrees(math.atan2(abs(float(gravity @ chord)), across))
    rigidity = cable.axial_rigidity or (cable.stiffness or math.inf) * path_length(cable, index)
    told = (
        f"cable {cable.name!r}: elevation: a span of {length:.4g} m that rises at {slope:.3g} "
        f"degrees weighs {weight:.4g} N along its chord, {100.0 * weight / tension:.3g} % of its "
        f"tension of {tension:.4g} N, which the model leaves out; a hybrid wire has it"
    )
    if weight > REFUSED * tension and weight > 2.0 * STRAIN * rigidity:
        raise ModelError(told)
    warn(told, 3)


def pack_waves(
    scene: Scene, index: BodyIndex, rows: RowTable, arrays: dict[str, Any], dt: float
) -> dict[str, Any]:
    """Model arrays of the waves, for steps of ``dt`` [s]."""
    start = []
    intervals = []
    points = 0
    for cable in scene.cables:
        check_step(cable, index, dt)
        check_height(cable, index, scene)
        for oscillates in grids(cable, index):
            start.append(points if oscillates else -1)
            intervals.append(cable.elevation.points - 1 if cable.elevation and oscillates else 0)
            points += intervals[-1] + 1 if oscillates else 0
        start.append(-1)
        intervals.append(0)
    layers = [cable.elevation for cable in scene.cables]
    return {
        "waves.oscillates": flags(layer is not None for layer in layers),
        "waves.shortest": floats(layer.shortest if layer else 0.0 for layer in layers),
        "waves.damping": floats(layer.damping if layer else 0.0 for layer in layers),
        "waves.kind": ints(kind_of(layer) if layer else FREE for layer in layers),
        "waves.mixed_term": flags(layer is not None and layer.mixed_term for layer in layers),
        "waves.scheme": ints(SCHEMES[layer.scheme] if layer else EXPLICIT for layer in layers),
        "waves.start": ints(start),
        "waves.intervals": ints(intervals),
    }


def has_waves(model: Model) -> bool:
    """Return True if a span of a model carries waves."""
    return bool(model.waves.oscillates.any())


def wave_points(model: Model) -> int:
    """Return the number of points of all spans together."""
    return int((model.waves.intervals + 1)[model.waves.start >= 0].sum())


def wave_scratch(model: Model) -> dict[str, Any]:
    """Shapes of the scratch of the waves."""
    return {
        "waves.scratch": (7, wave_points(model)),
        "waves.trace": (2 * (int(model.waves.intervals.max(initial=0)) + 1), 7),
    }


def start_waves(
    scene: Scene, index: BodyIndex, arrays: dict[str, Any], dt: float
) -> dict[str, Any]:
    """Return the state arrays of the waves.

    A wave hangs in the curve that the pretension allows, or is straight without one.
    """
    curves = [np.zeros((2, 0))]
    normals = []
    active = []
    for cable in scene.cables:
        for (start, end, room), gridded in zip(
            index.chords(cable), grids(cable, index), strict=True
        ):
            layer = None if room else cable.elevation
            normals.append(start_normal(layer, start, end) if layer else np.zeros(3))
            active.append(gridded and not room)
            if gridded:
                assert cable.elevation
                gravity = np.array(scene.gravity)
                curves.append(
                    np.zeros((2, cable.elevation.points))
                    if room
                    else sag(cable, start, end, gravity)
                )
        normals.append(np.zeros(3))
        active.append(False)
    wave = np.concatenate(curves, axis=1)
    return {
        "waves.displacement": wave,
        "waves.rate": np.zeros_like(wave),
        "spans.normal": floats(normals, 3),
        "spans.waves": flags(active),
        "cables.wave_loss": np.zeros((len(scene.cables), 2)),
        "cables.curve_work": np.zeros(len(scene.cables)),
    }
