"""Crane-dependent parameters: rates of sensors' topics, sensor errors, drive limits.

Their defaults and ranges are those of the crane's file. A drive can be limited below its file's
values, never above them; a faster crane is another file.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.cranes.parts.devices import Sensor
from cable_sim.ros import interface
from cable_sim.ros.basis.parameters import Row, Settings, Value
from cable_sim.spec import Drive
from cable_sim.spec.wind import Gust, Steady, Wind

MODES = {
    "any": ("speed", "position", "effort", "lever"),
    "velocity": ("speed", "lever"),
    "position": ("position",),
    "effort": ("effort",),
}
"""Choices of ``drives.<axis>.mode``, with the machine's modes."""

LEAST_SHARE = 0.01
LEAST_EFFORT = 1e-3
"""Least share of its speed, ramps and effort that a drive keeps [-], and least limit of an effort.

With a smaller share it would take hours to come to rest. The limit [N m or N] is for an effort that
has none.
"""

RATES = {
    interface.LOAD_CELL.topic: 50.0,
    interface.HOOK_IMU.topic: 100.0,
    interface.WIND.topic: 4.0,
    interface.LOAD_MOMENT.topic: 10.0,
    interface.LIMITS.topic: 10.0,
    interface.CONTACTS.topic: 1.0,
}
"""Messages of sensors and limiters per simulated second [Hz], at most one per tick.

``sensor_rates.*`` change them.
"""

MOST_RATE = 1000.0
MOST_ERROR = 1e9
"""Largest error of a reading, of its unit: more than any force that a crane has."""
MOST_DROPOUT = 0.99
MOST_SEED = 2**32 - 1
FROM_FILE = -1

ERRORS = {
    "std": "noise",
    "bias": "bias",
    "quantum": "quantum",
    "delay": "delay",
    "dropout": "dropout",
}
"""Last words of ``noise.<sensor>.*``, with the fields that they set.

The fields are those of :class:`~cable_sim.cranes.parts.devices.Sensor`.
"""


def rows_of(crane: Crane) -> tuple[Row, ...]:
    """Return rows for all settings of a crane."""
    return (
        Row(
            "model",
            crane.family,
            "-",
            "kind of crane; if you set it at the start, it must match crane_config",
            read_only=True,
            choices=(crane.family,),
        ),
        *_rate_rows(crane),
        *_noise_rows(crane),
        *(row for axis in crane.axes for row in _drive_rows(crane, axis)),
    )


def tune_crane(crane: Crane, settings: Settings) -> Crane:
    """Return the crane with the settings applied; ``crane`` and the defaults are as in its file.

    Raises SpecError, which names the sensor, for a delay that its timeout does not allow.
    """
    own = settings.own
    axes = tuple(_limit_axis(axis, own) for axis in crane.axes)
    drives = {drive.name: drive for drive in crane.scene.drives}
    for axis in axes:
        if axis.drive in drives:
            drives[axis.drive] = _throttle_drive(
                drives[axis.drive], crane.axis(axis.name), axis, own
            )
    scene = crane.scene
    if tuple(drives.values()) != scene.drives:
        scene = dataclasses.replace(scene, drives=tuple(drives.values()))
    sensors = tuple(_disturb_sensor(sensor, own) for sensor in crane.sensors)
    return dataclasses.replace(
        crane, scene=scene, axes=axes, sensors=sensors, wind=(*crane.wind, *winds(crane, settings))
    )


def winds(crane: Crane, settings: Settings, now: float = 0.0) -> tuple[Wind, ...]:
    """Return the winds that ``wind.*`` adds to the crane's own, from simulated time ``now`` [s] on.

    Still air adds none.
    """
    degrees = math.degrees(settings.wind_direction)
    made: list[Wind] = []
    if settings.wind_speed:
        made.append(Steady(settings.wind_speed, degrees))
    if settings.wind_gust_speed:
        begin = now + settings.wind_gust_start
        made.append(
            Gust(settings.wind_gust_speed, 0.0, begin, settings.wind_gust_duration, degrees)
        )
    x, y, _ = crane.scene.air.wind
    if made and not crane.wind and (x or y):  # a scene's own blows only where no other does
        made.append(Steady(math.hypot(x, y), math.degrees(math.atan2(y, x))))
    return tuple(made)


def rates(own: Mapping[str, Value]) -> dict[str, float]:
    """Return messages per simulated second [Hz] by topic, without the names of cranes."""
    head = "sensor_rates."
    return {
        name.removeprefix(head): float(value)
        for name, value in own.items()
        if name.startswith(head)
    }


def _rate_rows(crane: Crane) -> Iterator[Row]:
    """Yield rows ``sensor_rates.<topic>``, of all cranes in one."""
    topics = [
        e.topic for hung in crane.suspensions for e in interface.device_endpoints(crane, hung)
    ]
    changing = [interface.LIMITS.topic] * bool(crane.limiters) + [interface.CONTACTS.topic]
    news = "; changes are sent at once"
    for topic in dict.fromkeys(topics + changing):
        about = (
            f"rate of {topic}, at most one per tick; 0 switches it off{news * (topic in changing)}"
        )
        yield Row(f"sensor_rates.{topic}", RATES[topic], "Hz", about, 0.0, MOST_RATE)


def _noise_rows(crane: Crane) -> Iterator[Row]:
    """Yield rows ``noise.seed`` and ``noise.<sensor>.*``."""
    if not crane.sensors:
        return
    seeds = {sensor.seed for sensor in crane.sensors}
    yield Row(
        "noise.seed",
        seeds.pop() if len(seeds) == 1 else FROM_FILE,
        "-",
        f"seed of the noise and the drop-outs of all sensors; {FROM_FILE}: as in the crane file",
        FROM_FILE,
        MOST_SEED,
    )
    for sensor in crane.sensors:
        yield from _sensor_rows(sensor, crane.unit_of(sensor.signal))


def _sensor_rows(sensor: Sensor, unit: str) -> Iterator[Row]:
    """Yield rows ``noise.<sensor>.*``."""
    start = f"noise.{sensor.name}."
    error = "standard deviation of a sample's error"
    most = max(MOST_ERROR, sensor.noise, abs(sensor.bias), sensor.quantum)
    yield Row(start + "std", sensor.noise, unit, error, 0.0, most)
    yield Row(start + "bias", sensor.bias, unit, "constant error", -most, most)
    grid = "resolution of the readings; 0 for no steps"
    yield Row(start + "quantum", sensor.quantum, unit, grid, 0.0, most)
    late = "delay from a sample to its reading"
    yield Row(start + "delay", sensor.delay, "s", late, 0.0, 10.0, True)
    lost = "probability that a sample is lost"
    yield Row(start + "dropout", sensor.dropout, "-", lost, 0.0, MOST_DROPOUT)


def _drive_rows(crane: Crane, axis: Axis) -> Iterator[Row]:
    """Yield rows ``drives.<axis>.*``.

    A carriage, which nothing can stop, has mode and speed only.
    """
    start = f"drives.{axis.name}."
    speed = axis.max_speed
    ramp = axis.max_acceleration
    drive = next((drive for drive in crane.scene.drives if drive.name == axis.drive), None)
    modes = tuple(mode for mode in MODES if drive or mode != "effort")
    yield Row(
        start + "mode", "any", "-", "accepted kind of commands; others are rejected", choices=modes
    )
    yield Row(
        start + "max_speed",
        speed,
        f"{axis.unit}/s",
        "maximum speed of velocity and position commands",
        LEAST_SHARE * speed,
        speed,
    )
    if drive is None:
        return
    yield Row(
        start + "max_acceleration",
        ramp,
        f"{axis.unit}/s^2",
        "maximum acceleration of ramps; ramps to rest change in proportion",
        LEAST_SHARE * ramp,
        ramp,
    )
    effort = drive.max_effort * abs(axis.ratio)
    least = LEAST_SHARE * effort if math.isfinite(effort) else LEAST_EFFORT
    yield Row(
        start + "torque_limit",
        effort,
        "N m" if axis.unit == "rad" else "N",
        "maximum effort of the motor at the axis",
        least,
        effort,
    )


def _limit_axis(axis: Axis, own: Mapping[str, Any]) -> Axis:
    """Return an axis with the limits in the settings."""
    start = f"drives.{axis.name}."
    return dataclasses.replace(
        axis,
        modes=MODES[own[start + "mode"]],
        max_speed=own[start + "max_speed"],
        max_acceleration=own.get(start + "max_acceleration", axis.max_acceleration),
    )


def _throttle_drive(drive: Drive, before: Axis, after: Axis, own: Mapping[str, Any]) -> Drive:
    """Return a drive with the ramps and effort in the settings.

    Its effort rises as fast as before, up to its new limit.
    """
    changes: dict[str, Any] = {}
    ramp = after.max_acceleration / before.max_acceleration
    if ramp != 1.0:
        slower = None if drive.max_deceleration is None else ramp * drive.max_deceleration
        # where there was no limit
        faster = min(drive.max_acceleration, before.max_acceleration * abs(before.ratio))
        changes = {
            "max_acceleration": ramp * faster,
            "max_deceleration": slower,
            "max_jerk": ramp * drive.max_jerk,
        }
    most = drive.max_effort
    limit = own[f"drives.{after.name}.torque_limit"]
    share = limit / (most * abs(after.ratio))
    if math.isfinite(most) and share != 1.0:
        changes |= {"max_effort": share * most, "rise_time": share * drive.rise_time}
    elif math.isfinite(limit) and math.isinf(most):
        changes["max_effort"] = limit / abs(after.ratio)
    return dataclasses.replace(drive, **changes) if changes else drive


def _disturb_sensor(sensor: Sensor, own: Mapping[str, Any]) -> Sensor:
    """Return a sensor with the errors in the settings."""
    errors = {field: own[f"noise.{sensor.name}.{word}"] for word, field in ERRORS.items()}
    seed = sensor.seed if own["noise.seed"] == FROM_FILE else own["noise.seed"]
    return dataclasses.replace(sensor, **errors, seed=seed)
