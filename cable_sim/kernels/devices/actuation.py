"""Commands of an axis as commands of its drive: brake, range, and the limiters' allowance.

The axis' coordinate is x = (L - zero) / ratio, with the rope L = f(q) that a drum has paid out at
its drive's coordinate q (``drums.py``), else L = q. A speed of the axis is one of the drive of

    dq/dt = ratio / f' dx/dt.

*Ends.* A speed is kept for a tick T before the next. From v the ramp with the acceleration a ends
within the room s for

    v T + v^2 / 2 a = s,        v = sqrt(l^2 + 2 a s) - l,        l = a T.

To T comes twice the time of an S-ramp, in which an acceleration ends and its opposite begins. The
drive's lag makes it run on by c u + (T_u - c) w (``ramps.py``), which is on its way already.

*Limiters* leave a share of the largest speed each way. A position or an effort becomes a speed
where it would break that: an effort does so when the axis is too fast already, or when it is more
than what holds it at the allowed speed.
"""

from math import copysign, isnan, nan, sqrt

from cable_sim.kernels.devices.levers import lever_share, reset_lever
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.carriages import SPEED as CARRIAGE_SPEED
from cable_sim.kernels.multibody.drives import BY_EFFORT, BY_POSITION, BY_SPEED, HELD, INFINITE
from cable_sim.kernels.multibody.drums import drum_coordinate, on_layers
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.machine import Axes, Levers, MachineState, Plant

SPEED, POSITION, EFFORT, LEVER = range(4)
"""Values of ``state.mode``, the modes of an axis' command."""
LOWER, UPPER, MAX_SPEED, ACCELERATION, RATIO, ZERO, FASTEST, LOST, LOST_SQUARED = range(9)
LAG, DECAY, EMERGENCY_SHARE, CLOSE_DELAY = range(9, 13)
"""Columns of ``axes.number``: range [rad or m], largest speed, its acceleration, ratio and zero of
the drive, largest speed of the drive, l [rad/s or m/s] and its square, lag of the drive [s], c plus
the time by which poses stand ahead (``instant.py``) [s], share that an emergency brake adds [-],
and delay of the brake [s]."""
TICK = 0
TIMEOUT = 1
"""Columns of ``settings.times`` [s]."""

SHORT_OF_THE_END = 1e-3
"""Distance [m or rad] before the end of an axis at which a speed ends.

Limit switches stand before buffers too: a drive that went on would push with its full effort.
"""
STANDSTILL = 0.01
"""Share of its largest speed below which an axis stands and its brake is closed [-]."""
SAME_EFFORT = 1e-6
"""Relative difference of efforts that is only rounding [-]."""


@kernel
def rope_of(i: int, q: float, axes: Axes) -> tuple[float, float]:
    """Return f(q) of axis i [rad or m] and f'."""
    begin = axes.layers[i, 0]
    end = axes.layers[i, 1]
    if begin == end:
        return q, 1.0
    return on_layers(q, begin, end, axes.layer)


@kernel
def drive_place(i: int, axes: Axes, plant: Plant) -> float:
    """Return the coordinate of the drive of axis i [rad or m]."""
    d = axes.drive[i]
    return plant.readings.position[d] if d >= 0 else plant.carriages.position[axes.carriage[i]]


@kernel
def drive_ratio(i: int, axes: Axes, plant: Plant) -> float:
    """Return the speed of the drive of axis i over that of the axis [-]."""
    _, ratio = rope_of(i, drive_place(i, axes, plant), axes)
    return axes.number[i, RATIO] / ratio


@kernel
def axis_place(i: int, q: float, axes: Axes) -> float:
    """Return the coordinate of axis i at one of its drive [rad or m]."""
    rope, _ = rope_of(i, q, axes)
    return (rope - axes.number[i, ZERO]) / axes.number[i, RATIO]


@kernel
def command_drive(i: int, target: float, mode: int, axes: Axes, plant_out: Plant) -> None:
    """Command the drive of axis i, with its brake open, or a carriage, which takes no effort."""
    d = axes.drive[i]
    control = plant_out.control
    if d >= 0:
        control.drives.mode[d] = mode
        control.drives.target[d] = target
        control.drives.brake[d] = False
        return
    g = axes.carriage[i]
    fastest = plant_out.carriage_limit[g, CARRIAGE_SPEED]
    by_speed = mode == BY_SPEED
    control.carriages.speed[g] = min(abs(target), fastest) if by_speed else fastest
    control.carriages.target[g] = copysign(INFINITE, target) if by_speed else target


@kernel
def is_standing(i: int, axes: Axes, plant: Plant) -> bool:
    """Return True if axis i has ramped down and the speed left by its lag is negligible."""
    d = axes.drive[i]
    if d < 0 or plant.drives.reference[d] != 0.0:
        return False
    most = STANDSTILL * axes.number[i, MAX_SPEED] * drive_ratio(i, axes, plant)
    return abs(plant.drives.motion[d, HELD]) <= most


@kernel
def stop(i: int, category: int, axes: Axes, plant_out: Plant, state_out: MachineState) -> None:
    """Brake at once (category 0), or ramp to rest and then brake (category 1)."""
    reset_lever(i, state_out)
    d = axes.drive[i]
    drives = plant_out.control.drives
    if d >= 0 and drives.brake[d]:
        return
    command_drive(i, 0.0, BY_SPEED, axes, plant_out)
    if d >= 0:
        drives.brake[d] = category == 0 or is_standing(i, axes, plant_out)


@kernel
def stopping_speed(i: int, room: float, tick: float, axes: Axes) -> float:
    """Return the speed from which the ramp of axis i ends within ``room`` [rad or m].

    It is negative without room.
    """
    if room <= 0.0:
        return room / tick
    wide = axes.number[i, LOST_SQUARED] + 2.0 * axes.number[i, ACCELERATION] * room
    return sqrt(wide) - axes.number[i, LOST]


@kernel
def limit_to_range(i: int, speed: float, tick: float, axes: Axes, plant: Plant) -> float:
    """Slow down towards the ends of the range of axis i so that the ramp ends just before them.

    A little way back where the axis is beyond its end.
    """
    if speed == 0.0:
        return 0.0
    q = drive_place(i, axes, plant)
    d = axes.drive[i]
    if d >= 0:
        reference = plant.drives.reference[d]
        lagging = plant.drives.motion[d, HELD] - reference
        q += axes.number[i, LAG] * reference + axes.number[i, DECAY] * lagging
    place = axis_place(i, q, axes)
    room = axes.number[i, UPPER] - place if speed > 0.0 else place - axes.number[i, LOWER]
    allowed = max(
        stopping_speed(i, room - SHORT_OF_THE_END, tick, axes), -axes.number[i, ACCELERATION] * tick
    )
    return copysign(1.0, speed) * min(abs(speed), allowed)


@kernel
def can_overspeed(i: int, axes: Axes, plant: Plant) -> bool:
    """Return True if the drive of axis i can exceed the axis' speed: at low load or on an outer
    layer."""
    fastest = axes.number[i, FASTEST]
    most = (1.0 + 1e-9) * abs(drive_ratio(i, axes, plant)) * axes.number[i, MAX_SPEED]
    return INFINITE > fastest > most


@kernel
def breaks_limit(
    bound: float, sense: float, fastest: float, value: float, velocity: float, effort: float
) -> bool:
    """Return True if an effort pushes on at the allowed speed, or the axis is beyond it.

    A load that bounces is not on its way.
    """
    pushes = (value - effort) * sense > SAME_EFFORT * abs(value)
    too_fast = velocity * sense > abs(bound) + STANDSTILL * fastest
    return abs(bound) < fastest and (too_fast or pushes)


@kernel
def allowed_instead(
    i: int, least: float, most: float, tick: float, axes: Axes, plant: Plant, state: MachineState
) -> float:
    """Return the speed of axis i that replaces a position or effort that breaks the speed limit;
    NaN if it does not."""
    value = state.value[i]
    if state.mode[i] == POSITION:
        way = value - axis_place(i, drive_place(i, axes, plant), axes)
        wanted = copysign(stopping_speed(i, abs(way), tick, axes), way)
        return nan if least <= wanted <= most else min(max(wanted, least), most)
    if state.mode[i] == EFFORT:
        d = axes.drive[i]
        ratio = drive_ratio(i, axes, plant)
        velocity = plant.readings.velocity[d] / ratio
        effort = plant.readings.effort[d] * ratio
        fastest = axes.number[i, MAX_SPEED]
        if breaks_limit(most, 1.0, fastest, value, velocity, effort):
            return most
        if breaks_limit(least, -1.0, fastest, value, velocity, effort):
            return least
    return nan


@kernel
def follow(
    i: int,
    allowed: Floats,
    tick: float,
    axes: Axes,
    levers: Levers,
    plant_out: Plant,
    state_out: MachineState,
) -> None:
    """Turn the order of axis i into a command of its drive.

    ``allowed`` are the shares of its largest speed that limiters allow each way [-].
    """
    mode = state_out.mode[i]
    value = state_out.value[i]
    fastest = axes.number[i, MAX_SPEED]
    most = allowed[0] * fastest
    least = -allowed[1] * fastest
    ratio = drive_ratio(i, axes, plant_out)
    limited = allowed[0] < 1.0 or allowed[1] < 1.0
    instead = nan
    if limited or (mode != SPEED and can_overspeed(i, axes, plant_out)):
        instead = allowed_instead(i, least, most, tick, axes, plant_out, state_out)
    if not isnan(instead):
        command_drive(i, ratio * instead, BY_SPEED, axes, plant_out)
    elif mode == POSITION:
        rope = axes.number[i, ZERO] + axes.number[i, RATIO] * value
        begin = axes.layers[i, 0]
        q = drum_coordinate(rope, begin, axes.layers[i, 1], axes.layer)
        command_drive(i, q, BY_POSITION, axes, plant_out)
    elif mode == EFFORT:
        command_drive(i, value / ratio, BY_EFFORT, axes, plant_out)
    else:
        wanted = value
        if mode == LEVER:
            wanted = lever_share(i, value, tick, levers, state_out) * fastest
        speed = limit_to_range(i, min(max(wanted, least), most), tick, axes, plant_out)
        command_drive(i, ratio * speed, BY_SPEED, axes, plant_out)
