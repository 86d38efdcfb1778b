"""Packing of a crane's sensors, quantities and limiters, and of the signals that its sensors
measure."""

import zlib
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np

from cable_sim.cranes.crane import Crane, Suspension
from cable_sim.cranes.parts.carrier import carrier_of
from cable_sim.cranes.parts.devices import Chart, Limiter, Quantity, Sensor
from cable_sim.errors import SpecError, unknown
from cable_sim.kernels.devices import quantities, signals
from cable_sim.kernels.devices.limiters import NO_STOP
from cable_sim.kernels.devices.sensors import FAULT_SCALE
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.devices import Devices, DeviceSettings, DeviceState
from cable_sim.model.basis.columns import floats, ints, offsets
from cable_sim.model.basis.names import Names

KINDS = {
    "sum": quantities.SUM,
    "magnitude": quantities.MAGNITUDE,
    "least": quantities.LEAST,
    "largest": quantities.LARGEST,
    "larger_share": quantities.LARGER_SHARE,
    "chart_share": quantities.CHART_SHARE,
    "rate": quantities.CHANGE,
    "reach": quantities.REACH,
}
Signal = tuple[tuple[int, ...], tuple[float, float]]
"""Row of ``signal_code`` and of ``signal_scale``."""
NO_CHART = Chart(q_max=1.0, r_full=1.0, q0=0.0, r0=0.0, moment=1.0)


def pack_devices(crane: Crane, names: Names, tick: float) -> Devices:
    """Return the arrays of a crane's devices for updates every ``tick`` seconds.

    Raises SpecError for a name that is not known or that is given twice.
    """
    sensors = crane.sensors
    made = crane.quantities
    limiters = crane.limiters
    known = signal_table(crane, names)
    first = {sensor.signal: sensor.name for sensor in reversed(sensors)}
    wanted = sorted(first)
    rows = [_find(known, signal, f"sensor {first[signal]!r}: signal") for signal in wanted]
    values = _rows_by_name(
        "sensors and quantities", [*(s.name for s in sensors), *(q.name for q in made)]
    )
    _rows_by_name("limiters", [limiter.name for limiter in limiters])
    room = [ceil(sensor.delay * sensor.rate) + 3 for sensor in sensors]
    windows = [max(round(q.window / tick), 1) + 1 if q.kind == "rate" else 0 for q in made]
    starts = np.cumsum([0, *room, *windows])
    arrays = {
        "gravity": np.array(crane.scene.gravity),
        "signal_code": ints([code for code, _ in rows], 5),
        "signal_scale": floats([scale for _, scale in rows], 2),
        "signal_point": _sway_points(crane.suspensions, wanted),
        "sensor_code": ints(
            [(wanted.index(s.signal), s.seed, zlib.crc32(s.name.encode())) for s in sensors], 3
        ),
        "sensor_number": floats([_sensor_numbers(sensor) for sensor in sensors], 10),
        "sensor_ring_start": starts[: len(sensors) + 1],
        **_pack_quantities(made, values, len(sensors)),
        "quantity_ring_start": starts[len(sensors) :],
        **_pack_limiters(limiters, values, {axis.name: i for i, axis in enumerate(crane.axes)}),
    }
    for array in arrays.values():
        array.flags.writeable = False
    return Devices(**arrays)


def _cable_of_drive(crane: Crane, drive: str) -> int | None:
    """Return the first cable on the winch that a drive turns; None for a drive on anything else."""
    on = next(made.on for made in crane.scene.drives if made.name == drive)
    wound = (
        c for c, cable in enumerate(crane.scene.cables) if cable.winch and cable.winch.name == on
    )
    return next(wound, None)


def signal_table(crane: Crane, names: Names) -> dict[str, Signal]:
    """Return every signal of a crane by name: its rows of ``signal_code`` and ``signal_scale``."""
    table: dict[str, Signal] = {}
    for axis in crane.axes:
        if axis.drive in names.carriages:  # it has no encoder: it is where it is told to be
            continue
        d = names.index("drives", axis.drive)
        at = (signals.DRIVE_POSITION, d, 0, 0, 0)
        rate = (signals.DRIVE_SPEED, d, 0, 0, 0)
        wound = _cable_of_drive(crane, axis.drive)
        if wound is not None:  # on whatever layer the rope is
            at = (signals.PAID_OUT, wound, 0, 0, 0)
            rate = (signals.PAYING_OUT, wound, 0, 0, 0)
        table[f"{axis.name}.position"] = (at, (axis.zero, 1.0 / axis.ratio))
        table[f"{axis.name}.speed"] = (rate, (0.0, 1.0 / axis.ratio))
        table[f"{axis.name}.effort"] = ((signals.DRIVE_EFFORT, d, 0, 0, 0), (0.0, axis.ratio))
    for rope in crane.ropes:
        c = names.cables.index(rope) if rope in names.cables else -1
        if c >= 0 and names.segments[c] is None:
            first = names.spans[c].start
            last = names.spans[c].stop - 1
            table[f"{rope}.lead"] = ((signals.TENSION, first, 0, 0, 0), (0.0, 1.0))
            table[f"{rope}.pull"] = ((signals.TENSION, last, 0, 0, 0), (0.0, 1.0))
            table[f"{rope}.paid_out"] = ((signals.PAID_OUT, c, 0, 0, 0), (0.0, 1.0))
    for i, name in enumerate(("wind.speed", "wind.direction")):
        table[name] = ((signals.WIND, i, 0, 0, 0), (0.0, 1.0))
    for body in crane.scene.bodies:
        for i, letter in enumerate("xy"):
            at = (signals.INCLINATION, names.index("bodies", body.name) + 1, 0, 0, i)
            table[f"{body.name}.inclination.{letter}"] = (at, (0.0, 1.0))
    for suspension in crane.suspensions:
        _add_signals(suspension, names, table)
        if carrier := carrier_of(crane.scene, suspension.base):
            of = f"{suspension.name}_" if suspension.name else ""
            _add_motion_signals(crane, carrier, names, f"{of}mru", table)
    return table


def _add_motion_signals(
    crane: Crane, carrier: str, names: Names, mru: str, table: dict[str, Signal]
) -> None:
    """Add the signals of a motion reference unit in the middle of the body that carries a crane."""
    row = names.index("bodies", carrier) + 1
    rest = next(body.position[2] for body in crane.scene.bodies if body.name == carrier)
    table[f"{mru}.heave.position"] = ((signals.HEIGHT, row, 0, 0, 0), (rest, 1.0))
    table[f"{mru}.heave.speed"] = ((signals.CLIMB, row, 0, 0, 0), (0.0, 1.0))
    for i, letter in enumerate("xyz"):
        table[f"{mru}.rate.{letter}"] = ((signals.RATE, row, 0, 0, i), (0.0, 1.0))
    for i, letter in enumerate("xy"):
        table[f"{mru}.inclination.{letter}"] = ((signals.INCLINATION, row, 0, 0, i), (0.0, 1.0))


def _add_signals(suspension: Suspension, names: Names, table: dict[str, Signal]) -> None:
    """Add the signals of a hook and of the parts that carry it."""
    base, trolley, hook = (names.index("bodies", body) + 1 for body in suspension[:3])
    of = f"{suspension.name}_" if suspension.name else ""
    table[f"{of}hook.skew"] = ((signals.SKEW, trolley, hook, 0, 0), (0.0, 1.0))
    for i, name in enumerate(("radial", "tangential")):
        table[f"{of}sway.{name}"] = ((signals.SWAY, base, trolley, hook, i), (0.0, 1.0))
    for i, letter in enumerate("xyz"):
        table[f"{of}hook.acceleration.{letter}"] = (
            (signals.ACCELERATION, hook, 0, 0, i),
            (0.0, 1.0),
        )
        table[f"{of}hook.rate.{letter}"] = ((signals.RATE, hook, 0, 0, i), (0.0, 1.0))
    for i, letter in enumerate("xy"):
        table[f"{of}structure.inclination.{letter}"] = (
            (signals.INCLINATION, base, 0, 0, i),
            (0.0, 1.0),
        )


def _sway_points(suspensions: Sequence[Suspension], wanted: Sequence[str]) -> Floats:
    """Return the points (n, 3) on trolleys from which the wanted signals of sway are measured
    [m]."""
    points = {
        f"{hung.name}_sway.{name}" if hung.name else f"sway.{name}": hung.trolley_point
        for hung in suspensions
        for name in ("radial", "tangential")
    }
    return floats([points.get(signal, (0.0, 0.0, 0.0)) for signal in wanted], 3)


def start_devices(devices: Devices, axes: int) -> tuple[DeviceSettings, DeviceState]:
    """Return settings and state before the first update."""
    n = len(devices.signal_code)
    s = len(devices.sensor_code)
    q = len(devices.quantity_kind)
    size = len(devices.limiter_code)
    fault = np.zeros((len(devices.sensor_code), 6))
    fault[:, FAULT_SCALE] = 1.0
    settings = DeviceSettings(np.zeros(2), fault, np.ones(q), np.zeros(size, dtype=np.bool_))
    rows = int(devices.quantity_ring_start[-1])
    state = DeviceState(
        clock=np.full(1, -1.0),
        signal_velocity=np.full((n, 3), np.nan),
        truth=np.zeros(n),
        sensor_count=np.zeros((s, 3), np.int64),
        sensor_memory=np.zeros((s, 4)),
        ring=np.zeros((rows, 2)),
        quantity_count=np.zeros(q, np.int64),
        value=np.full(s + q, np.nan),
        limiter_since=np.zeros(size),
        limiter_state=np.zeros(size, np.int64),
        allowed=np.ones((axes, 2)),
        stop=np.array([NO_STOP, 0]),
    )
    return settings, state


def _sensor_numbers(sensor: Sensor) -> tuple[float, ...]:
    """Row of ``sensor_number``."""
    return (
        sensor.rate,
        sensor.delay,
        sensor.filter,
        sensor.noise,
        sensor.quantum,
        sensor.bias,
        sensor.dropout,
        *sensor.range,
        sensor.stale_after,
    )


def _pack_quantities(
    made: tuple[Quantity, ...], values: Mapping[str, int], sensors: int
) -> dict[str, Any]:
    """Return the arrays of the quantities.

    Their inputs are ``values`` by name. Each input stands before the quantity.
    """
    numbers = []
    inputs = []
    weights: list[float] = []
    for i, quantity in enumerate(made):
        before = {name: row for name, row in values.items() if row < sensors + i}
        inputs += [
            _find(before, name, f"quantity {quantity.name!r}: input") for name in quantity.inputs
        ]
        weights += quantity.weights or (1.0,) * len(quantity.inputs)
        chart = quantity.chart or NO_CHART
        numbers.append(
            (quantity.offset, chart.q_max, chart.r_full, chart.q0, chart.r0, chart.moment)
        )
    return {
        "quantity_kind": ints(KINDS[quantity.kind] for quantity in made),
        "quantity_input_start": offsets(quantity.inputs for quantity in made),
        "quantity_input": ints(inputs),
        "quantity_weight": np.array(weights, dtype=float),
        "quantity_number": floats(numbers, 6),
    }


def _pack_limiters(
    limiters: tuple[Limiter, ...], values: Mapping[str, int], axes: Mapping[str, int]
) -> dict[str, Any]:
    """Return the arrays of the limiters and of the motions that they block."""
    codes = []
    numbers = []
    blocks = []
    shares = []
    for i, limiter in enumerate(limiters):
        row = _find(values, limiter.quantity, f"limiter {limiter.name!r}: quantity")
        stop = NO_STOP if limiter.stop is None else limiter.stop
        codes.append((row, int(limiter.latch), stop, int(limiter.emergency_brake)))
        warn = np.inf if limiter.warn is None else limiter.sign * limiter.warn
        reset = limiter.trip if limiter.reset is None else limiter.reset
        numbers.append(
            (limiter.sign, warn, limiter.sign * limiter.trip, limiter.sign * reset, limiter.delay)
        )
        for block in limiter.blocks:
            axis = _find(axes, block.axis, f"limiter {limiter.name!r}: axis")
            blocks.append((i, axis, 0 if block.direction > 0 else 1))
            shares.append(block.share)
    return {
        "limiter_code": ints(codes, 4),
        "limiter_number": floats(numbers, 5),
        "block_code": ints(blocks, 3),
        "block_share": np.array(shares, dtype=float),
    }


def _find(known: Mapping[str, Any], name: str, what: str) -> Any:
    """Return the value of a name; SpecError, which lists the known names, if there is none."""
    if name not in known:
        raise SpecError(unknown(what, name, known))
    return known[name]


def _rows_by_name(what: str, names: list[str]) -> dict[str, int]:
    """Return rows by name; SpecError if two have the same name."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SpecError(f"{what}: {twice!r} is used twice; names must differ")
    return {name: row for row, name in enumerate(names)}
