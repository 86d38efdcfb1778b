"""How the curves of an elevation cable give way to its tension within a step.

With the arc length of a span in the path S of the cable, a tension shortens the path by bending the curves straight.
The rate of the path is that of the chords and, for slopes that are small against one, with dS/du_m = -(M/l) D u,

    dS/dt = -sum (M/l) D u . v,      and an impulse lambda of the tension changes it by  -mu lambda,
    mu = sum ((M/l) D u)^2 / (rho l / M) / (1 + b h / 2),

u the displacements at the M - 1 points between the ends, v their rates, D u the second differences. The stretch row
gets both beside its bodies' part (``inner`` in ``rows.py``). Without them the tension would see the rope give way a
step late, and a wrinkled rope that catches its load would be torn between none and ever more tension: h^2 mu / eps is
the square of how far a step goes in the oscillation of the curve against the stretch, and a wrinkle at every point of
the grid makes mu large. At rest they do nothing: the tension takes back what gravity would do in a free step.
"""

from cable_sim.kernels.cables.chords import grid
from cable_sim.kernels.cables.elevation import node_load, span_pulls
from cable_sim.kernels.cables.wave import bend_square, product_sum
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.vec3 import cross, dot, load

SLIGHT = 0.05
"""h^2 mu / eps up to which it does not matter how curves give way within the step; trouble begins near one."""


@kernel
def span_mobility(
    k, per_length, density,
    # Model
    span_wave_start, span_intervals,
    # State
    wave,
    # Out
    bend_out,
):  # fmt: skip
    """mu of span k without its damping [1/kg]; leaves D u of both components behind."""
    begin, end = span_wave_start[k], span_wave_start[k] + span_intervals[k] + 1
    square = bend_square(wave[0, begin:end], bend_out[0, begin:end])
    square += bend_square(wave[1, begin:end], bend_out[1, begin:end])
    return square * per_length * per_length * per_length / density


@kernel
def span_rates(
    h, k, per_length, damping, start_load, end_load,
    # Model
    span_wave_start, span_intervals,
    # State
    span_normal_now, span_direction, wave, wave_rate, bend,
):  # fmt: skip
    """Rate at which the curve of span k gets shorter, now and at the end of a step without tension [m/s]."""
    begin, last = span_wave_start[k], span_wave_start[k] + span_intervals[k]
    y = load(span_normal_now, k)
    z = cross(load(span_direction, k), y)
    moving = product_sum(begin + 1, last, bend[0], wave_rate[0]) + product_sum(begin + 1, last, bend[1], wave_rate[1])
    loaded = -dot(start_load, y) * wave[0, begin + 1] - dot(end_load, y) * wave[0, last - 1]
    loaded -= dot(start_load, z) * wave[1, begin + 1] + dot(end_load, z) * wave[1, last - 1]
    free = ((1.0 - 0.5 * h * damping) * moving + h * loaded) / (1.0 + 0.5 * h * damping)
    return per_length * moving, per_length * free


@kernel
def most_mobility(first, last, density, span_intervals, span_waves, span_length, span_arc):
    """What mu can be at most for the spans from node ``first`` to ``last``, without looking at their points [1/kg].

    (D u)^2 is at most twice the squares of the two differences next to it, and those add up to 2 l / M times what the
    arc is longer than the chord.
    """
    most = 0.0
    for k in range(first, last):
        if span_waves[k]:
            per_length = span_intervals[k] / span_length[k]
            most += 8.0 * (span_arc[k] - span_length[k]) * per_length * per_length
    return max(most, 0.0) / density


@kernel
def give(
    h, gravity, wind,
    # Model
    cable_node_start, cable_waves, cable_wave_kind, cable_row, cable_density, cable_drag, cable_wave_damping,
    span_wave_start, span_intervals, node_body,
    # State
    span_waves, body_velocity, free_velocity, node_position, node_arm, span_normal_now, span_length, span_direction,
    span_arc, wave, wave_rate, row_compliance,
    # Out
    row_inner_out, bend_out,
):  # fmt: skip
    """What the curves add to the stretch rows: mobility [1/kg], rate now and at the end of a free step [m/s].

    Curves that give way by little compared to the stretch of their cable, h^2 mu / eps < SLIGHT, add nothing.
    """
    for c in range(cable_waves.size):
        r = cable_row[c]
        if not cable_waves[c] or r < 0:
            continue
        first, last = cable_node_start[c], cable_node_start[c + 1] - 1
        most = most_mobility(first, last, cable_density[c], span_intervals, span_waves, span_length, span_arc)
        if h * h * most < SLIGHT * row_compliance[r]:
            continue
        for k in range(first, last):
            if not span_waves[k]:
                continue
            along, _ = grid(cable_wave_kind[c], span_length[k], load(span_direction, k))
            per_length = span_intervals[k] / along
            mobility = span_mobility(k, per_length, cable_density[c], span_wave_start, span_intervals, wave, bend_out)
            damping = cable_wave_damping[c]
            pull, next_pull = span_pulls(
                c, k, gravity, wind, cable_drag, cable_density, node_body, node_position, node_arm, span_direction,
                body_velocity,
            )  # fmt: skip
            now, free = span_rates(
                h, k, per_length, damping,
                node_load(h, pull, damping, k, node_body, node_arm, body_velocity, free_velocity),
                node_load(h, next_pull, damping, k + 1, node_body, node_arm, body_velocity, free_velocity),
                span_wave_start, span_intervals, span_normal_now, span_direction, wave, wave_rate, bend_out,
            )  # fmt: skip
            row_inner_out[r, 0] += mobility / (1.0 + 0.5 * h * damping)
            row_inner_out[r, 1] += now
            row_inner_out[r, 2] += free
