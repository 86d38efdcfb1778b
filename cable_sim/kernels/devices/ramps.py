"""Ramps: how the reference speed of a drive goes to a set-point, and what its speed loop makes of
it.

The recurrence of a ramp is  w+ = w + h a+,  e+ = e - h w+, with the distance e that is left to a
position.

*Landing.* A rate r that brings a distance x to zero by x+ = x - h r+, and changes by no more than c
h a step, lands without overshoot from r_k = c T + k c h at the distance

    x_k = r_k^2 / 2c + r_k h / 2 + c T (T - h) / 2,

because x_k - x_(k-1) = h r_k. At distances up to x_0 = c T^2 it closes in with the time constant T
>= h, r = x / T. Between these points the largest rate that still lands is linear in x, dr/dx = c /
r_k, as there each step leads to the same place between the two points below.

    linear ramp, speed       w -> w* by a h a step
    linear ramp, position    w* = landing(e) with c the deceleration and T the drive's damping time
    S-ramp, speed            a+ = landing(w* - w) with c the jerk and T = h, within the
                             acceleration's bounds
    S-ramp, position         a+ the largest with which the stop still fits:
                             D(w+, a+) + T w+ <= e - h w+

*S-ramp to a position.* D is the distance of the quickest stop: from -a = b the deceleration grows
by the jerk j to its peak p, w = (2 p^2 - b^2) / 2j, or to its bound d, stays there, and goes back
to zero. T w+ in front of it makes the speed fade with the time constant T at the end.

*Speed loop.* The held speed u is the reference behind a lag T_u, T_u du/dt = w - u. With q = exp(-h
/ T_u) and a reference that goes evenly from w to w+ in a step,

    u+ = w+ - q (w - u) - (T_u / h) (1 - q) (w+ - w),

which is exact. If the reference were to stop now, the coordinate would run on by c u + (T_u - c) w,
c = h q / (1 - q), so that much less is left to a position; then e+ = e - h w+ stays true, and no
lag makes it overshoot.
"""

from math import copysign, exp, isinf, sqrt

from cable_sim.kernels.jit import kernel

HALVINGS = 40
"""Halvings of the interval in which an acceleration is searched for."""


@kernel
def clip(value: float, bound: float) -> float:
    """The value nearest to it from -bound to bound."""
    return min(max(value, -bound), bound)


@kernel
def landing_rate(distance: float, h: float, change: float, time_constant: float) -> float:
    """Largest rate from which a distance can be closed without overshoot at ``change`` of the rate
    per second."""
    left = abs(distance)
    if left <= change * time_constant**2 or isinf(left):
        return distance / time_constant
    half = 0.5 * change * h
    rest = 0.5 * change * time_constant * (time_constant - h)
    rate = sqrt(half * half + 2.0 * change * (left - rest)) - half
    steps = -((change * time_constant - rate) // (change * h))
    rate = change * (time_constant + steps * h)
    beyond = 0.5 * rate * (rate / change + h) + rest - left
    return copysign(rate - change * beyond / rate, distance)


@kernel
def ramp(
    h: float,
    speed: float,
    acceleration: float,
    wanted: float,
    faster: float,
    slower: float,
    jerk: float,
) -> tuple[float, float]:
    """Speed and acceleration after a step towards ``wanted``.

    The acceleration is at most ``faster`` away from zero speed and ``slower`` towards it; in the
    step that passes zero the latter holds. Where an S-ramp's bound has just become smaller, it gets
    there with the jerk.
    """
    rising = slower if speed < 0.0 else faster
    falling = slower if speed > 0.0 else faster
    if isinf(jerk):
        reached = min(max(wanted, speed - h * falling), speed + h * rising)
        return reached, (reached - speed) / h
    last = (wanted - speed) / h
    rate = landing_rate(wanted - speed, h, jerk, h)
    rate = min(max(rate, -falling), rising)
    rate = min(max(rate, acceleration - jerk * h), acceleration + jerk * h)
    return wanted if rate == last else speed + h * rate, rate


@kernel
def stopping_distance(speed: float, acceleration: float, deceleration: float, jerk: float) -> float:
    """Distance D of the quickest S-shaped stop from a positive speed."""
    covered = 0.0
    if speed <= 0.0:
        return covered
    if acceleration > 0.0:
        time = acceleration / jerk
        covered += time * (speed + acceleration * time / 3.0)
        speed += 0.5 * acceleration * time
    braking = max(-acceleration, 0.0)
    peak = min(sqrt(jerk * speed + 0.5 * braking * braking), deceleration)
    time = max(peak - braking, 0.0) / jerk
    covered += time * (speed - 0.5 * time * (braking + jerk * time / 3.0))
    speed -= time * (braking + 0.5 * jerk * time)
    end = 0.5 * peak * peak / jerk  # the speed from which the deceleration goes back
    if speed > end:
        covered += 0.5 * (speed * speed - end * end) / deceleration
    return covered + peak * end / (3.0 * jerk)


@kernel
def stop_fits(
    rate: float,
    h: float,
    speed: float,
    distance: float,
    deceleration: float,
    jerk: float,
    time_constant: float,
) -> bool:
    """Return True if a stop fits into the distance after a step with acceleration ``rate``."""
    speed += h * rate
    return (
        stopping_distance(speed, rate, deceleration, jerk) + (time_constant + h) * speed <= distance
    )


@kernel
def ramp_to_position(
    h: float,
    speed: float,
    acceleration: float,
    distance: float,
    fastest: float,
    faster: float,
    slower: float,
    jerk: float,
    time_constant: float,
) -> tuple[float, float]:
    """Speed and acceleration after a step of an S-ramp that ends after ``distance``, no faster than
    ``fastest``."""
    side = copysign(1.0, distance)
    left = abs(distance)
    start = side * speed
    speed, low = ramp(h, start, side * acceleration, 0.0, faster, slower, jerk)
    reached, high = ramp(h, start, side * acceleration, fastest, faster, slower, jerk)
    if stop_fits(high, h, start, left, slower, jerk, time_constant):
        return side * reached, side * high
    if not stop_fits(low, h, start, left, slower, jerk, time_constant):
        return side * speed, side * low
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if stop_fits(middle, h, start, left, slower, jerk, time_constant):
            low = middle
        else:
            high = middle
    return side * (start + h * low), side * low


@kernel
def lag_left(h: float, lag: float) -> float:
    """Part q of the held speed's distance from the reference that is left after a step."""
    return exp(-h / lag) if lag > 0.0 else 0.0


@kernel
def follow_evenly(h: float, lag: float, before: float, reference: float, held: float) -> float:
    """Return the held speed after a step in which the reference goes evenly from ``before``."""
    left = lag_left(h, lag)
    return reference - left * (before - held) - (reference - before) * (lag / h) * (1.0 - left)
