"""Scalars of the truth: the readings of a perfect sensor.

Most are an entry of an array, less a zero, times a factor: coordinates, speeds and efforts of
drives in the terms of their axes, tensions at both ends of a rope, its length and the rate of that,
height and vertical speed of a body. The others are of bodies:

    sway          d = Z^T (p_hook - p_trolley - R a), Z the heading of the base, R the attitude of
                  the trolley, and a the point on it from which the falls hang:
                  atan2(d_x, -d_z),  atan2(d_y, -d_z)
    skew          2 atan2(z, w) of the turn from trolley to hook, its swing taken out: in -pi...pi
    acceleration  R^T (dv/dt - g), R the hook's attitude, dv/dt the mean since the last look:
                  specific force
    rate          R^T omega
    inclination   asin of how far an axis of the structure points up
"""

from math import asin, atan2, cos, isnan, pi, sin

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import compose, load_quaternion, rotate, rotate_back
from cable_sim.kernels.multibody.vec3 import Vector, add, load, scale, store, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.devices import Devices, DeviceSettings, DeviceState, Truth

DRIVE_POSITION, DRIVE_SPEED, DRIVE_EFFORT, TENSION, PAID_OUT, PAYING_OUT, WIND = range(7)
HEIGHT, CLIMB = range(7, 9)
SWAY, SKEW, ACCELERATION, RATE, INCLINATION = range(9, 14)
"""Values of the first column of ``signal_code``; the others are where it is read: of an array the
entry; of sway base, trolley and hook; of skew trolley and hook; of the rest a body. The last is the
component."""
KIND, FIRST, SECOND, THIRD, COMPONENT = range(5)
"""Columns of ``signal_code``."""
ZERO = 0
FACTOR = 1
"""Columns of ``signal_scale``."""


@kernel
def sway(
    base: int,
    trolley: int,
    hook: int,
    point: Vector,
    component: int,
    body_position: Floats,
    body_orientation: Floats,
) -> float:
    """Angle of the fall from the vertical [rad], outward (component 0) or to the left of that
    (1)."""
    w, x, y, z = load_quaternion(body_orientation, base)
    heading = atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    top = add(
        load(body_position, trolley), rotate(load_quaternion(body_orientation, trolley), point)
    )
    a, b, c = sub(load(body_position, hook), top)
    if component == 0:
        return atan2(cos(heading) * a + sin(heading) * b, -c)
    return atan2(cos(heading) * b - sin(heading) * a, -c)


@kernel
def skew(upper: int, lower: int, body_orientation: Floats) -> float:
    """Angle from one body to another about the first one's z axis [rad]."""
    w, x, y, z = load_quaternion(body_orientation, upper)
    turn = compose((w, -x, -y, -z), load_quaternion(body_orientation, lower))
    angle = 2.0 * atan2(turn[3], turn[0])
    return angle - 2.0 * pi if angle > pi else (angle + 2.0 * pi if angle < -pi else angle)


@kernel
def attitude(
    kind: int,
    body: int,
    component: int,
    gravity: Vector,
    accelerated: Vector,
    body_orientation: Floats,
    body_velocity: Floats,
) -> float:
    """Specific force [m/s^2], rate [rad/s] or inclination [rad] of a body, along one of its
    axes."""
    turn = load_quaternion(body_orientation, body)
    if kind == INCLINATION:
        along = rotate(turn, (1.0, 0.0, 0.0) if component == 0 else (0.0, 1.0, 0.0))
        return asin(min(max(along[2], -1.0), 1.0))
    if kind == RATE:
        return rotate_back(turn, load(body_velocity[:, 3:], body))[component]
    return rotate_back(turn, sub(accelerated, gravity))[component]


@kernel
def signal_entry(kind: int, i: int, truth: Truth, settings: DeviceSettings) -> float:
    """Return an entry of the array that a kind of signal is read from."""
    if kind == DRIVE_POSITION:
        return truth.drive_position[i]
    if kind == DRIVE_SPEED:
        return truth.drive_velocity[i]
    if kind == DRIVE_EFFORT:
        return truth.drive_effort[i]
    if kind == TENSION:
        return truth.span_tension[i]
    if kind == PAID_OUT:
        return truth.cable_unwound[i]
    if kind == PAYING_OUT:
        return truth.cable_rate[i]
    if kind == HEIGHT:
        return truth.body_position[i, 2]
    return truth.body_velocity[i, 2] if kind == CLIMB else settings.wind[i]


@kernel
def read_signals(
    passed: float, devices: Devices, truth: Truth, settings: DeviceSettings, state_out: DeviceState
) -> None:
    """Read all signals, ``passed`` seconds after the last time.

    Accelerations are 0 at the first.
    """
    for i in range(state_out.truth.size):
        kind = devices.signal_code[i, KIND]
        a = devices.signal_code[i, FIRST]
        b = devices.signal_code[i, SECOND]
        component = devices.signal_code[i, COMPONENT]
        if kind <= CLIMB:
            value = signal_entry(kind, a, truth, settings)
            state_out.truth[i] = (value - devices.signal_scale[i, ZERO]) * devices.signal_scale[
                i, FACTOR
            ]
        elif kind == SWAY:
            state_out.truth[i] = sway(
                a,
                b,
                devices.signal_code[i, THIRD],
                load(devices.signal_point, i),
                component,
                truth.body_position,
                truth.body_orientation,
            )
        elif kind == SKEW:
            state_out.truth[i] = skew(a, b, truth.body_orientation)
        else:
            velocity = load(truth.body_velocity, a)
            accelerated = (0.0, 0.0, 0.0)
            if passed > 0.0 and not isnan(state_out.signal_velocity[i, 0]):
                accelerated = scale(1.0 / passed, sub(velocity, load(state_out.signal_velocity, i)))
            store(velocity, i, state_out.signal_velocity)
            down = (devices.gravity[0], devices.gravity[1], devices.gravity[2])
            state_out.truth[i] = attitude(
                kind, a, component, down, accelerated, truth.body_orientation, truth.body_velocity
            )
