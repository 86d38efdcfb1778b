"""Inertia that keeps light bodies on taut cables calm when the step is too long for them.

A span of length l under tension T pulls its ends back to the line like a spring across it,

    K = T / l          on the relative motion of its nodes along both normals n of the span,

and turns a body whose node stands off its centre by the arm r into its pull like a torsion spring,

    K = T r . f        about both normals, f the direction of the pull, as long as that is positive.

Both are second derivatives of T times the length. The stretch row acts along the span as it stood
at the start of the step, which treats these springs explicitly: a body of mass m is thrown off as
soon as h^2 K / m reaches 4, and with the load a million times heavier that is at a millisecond.
Each spring therefore gets a row of inertia beside it,

    J v+ + lambda / (SHARE h^2 K) = J v,        or less than J v, see below,

which resists a change of the same relative velocity as a mass SHARE h^2 K would. The ratio z^2 =
h^2 K / m becomes z^2 / (1 + SHARE z^2) < 1 / SHARE, whatever the tension and the step: stable
without damping (selective mass scaling of explicit dynamics; geometric stiffness in the mass
matrix, Andrews, Teichmann & Kry 2017). What rests is not affected, and a slow motion of frequency w
gets slower by the part SHARE (w h)^2 / 2 at most.

Linear momentum is conserved, as a row across a span is equal and opposite on both nodes, and one
about an arm is a couple. Angular momentum is not: the impulses across a span are a couple of l
lambda, and the row about an arm resists any change of the body's own turning.

Only spans and arms that may come to need them have these rows (``model/cables/transverse.py``), and
they take part only while z^2 is above CALM.

*Who pays.* The mass mu = SHARE h^2 K of a row takes mu (J v)^2 / 2 from the bodies when it is set
in motion, and gives it back when it is stopped. It comes and goes with T, though: one that grows
while it moves has energy that no body lost, and gives it to the bodies as they slow down. A light
body in a bight that is pulled straight makes T, and mu, grow a hundredfold in two steps. So what a
pair of rows took, less what it gave back, is kept: P. Both have

    J v+ + lambda / mu = s J v,    s = min(1, P / (mu |J v|^2 / 2)),
    dP = -lambda (J v + J v+) / 2,

which gives at most mu s |J v|^2 / 2 <= P while the motion is not turned round. With P = 0 the mass
is caught at rest: what it takes then is lost, until it is paid. A mass that is needed no more keeps
its P. What z^2 = CALM would need is free, so that rows that begin and end there do not brake.

*T* is the mean over the last step, or what the gap of the stretch row says, if that is more. In the
first step, which has no last one, that is -g / eps. Later it is at most what the row gives to this
gap in this step, with nothing else on its bodies:

    sigma lambda + J v+ = rhs,    J v+ = J M^-1 J^T lambda
    gives    T = lambda / h = rhs / (h (sigma + J M^-1 J^T)).

A row that the step resolves says -g / eps by this as well, up to z^2 / 4. One that it does not
resolve may have a gap without force, up to 1.25 theta^2 l after a turn by theta (``rows.py``): 10
kg that swing on 1 m of EA = 10 MN would get 5 t beside them at 1/15 s, and lose the swing. What the
row gives to that gap is 0.55 m v^2 / l, below its tension.
"""

from cable_sim.kernels.cables.contact.span_stops import fill_separation_entries
from cable_sim.kernels.cables.massless.massless import mean_tension_impulse
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.drives import mobility_of
from cable_sim.kernels.multibody.entries import row_rate, set_entry
from cable_sim.kernels.multibody.rows import GAP, discretise
from cable_sim.kernels.multibody.vec3 import ZERO, Vector, cross, dot, load, norm, scale
from cable_sim.kernels.records.lines import Lines
from cable_sim.kernels.records.rows import Table

SHARE = 1.0
"""Added mass over h^2 K: the largest z^2 that is left is 1 / SHARE, a quarter of the limit."""
CALM = 0.25
"""Largest z^2 of a span or arm that needs no help: the step follows it with twelve steps a period,
and what a row took from it would be lost. Several on one body add up, and the limit is 4."""
ACROSS = 0
AT_START = 1
AT_END = 2
"""Columns of ``spans.inertia_row``."""


@kernel
def unit_normals(t: Vector) -> tuple[Vector, Vector]:
    """Return two unit vectors across the unit vector t and each other."""
    x = abs(t[0])
    y = abs(t[1])
    z = abs(t[2])
    axis = (
        (1.0, 0.0, 0.0) if x <= y and x <= z else ((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0))
    )
    first = cross(t, axis)
    first = scale(1.0 / max(norm(first), 1e-12), first)
    return first, cross(t, first)


@kernel
def spring_stiffness(k: int, place: int, tension: float, lines: Lines) -> float:
    """Return K of the spring at one place of span k [N/m or N m/rad]."""
    if place == ACROSS:
        return tension / lines.span_work.length[k]
    arm = dot(
        load(lines.span_work.direction, k),
        load(lines.node_work.arm, k if place == AT_START else k + 1),
    )
    return tension * (arm if place == AT_START else -arm)


@kernel
def expected_tension(h: float, table: Table, stepped: bool, c: int, lines: Lines) -> float:
    """Return the expected tension in cable c [N]; ``stepped`` if there has been a last step."""
    row_work = table.work
    tension = mean_tension_impulse(c, lines.cables, table.state.impulse) / h
    r = lines.cables.row[c]
    if (
        r < 0
        or row_work.compliance[r] == 0.0
        or -row_work.gap[r] <= tension * row_work.compliance[r]
    ):
        return tension
    if not stepped:
        return -row_work.gap[r] / row_work.compliance[r]
    softness, rhs = discretise(
        h,
        table.stepper[0],
        GAP,
        row_work.gap[r],
        0.0,
        row_work.compliance[r],
        table.rows.damping_time[r],
        table.rows.mobility[r],
        table.rows.one_sided[r],
    )
    mobility = mobility_of(r, table.rows, lines.bodies, row_work)
    return max(tension, rhs / (h * (softness + mobility)))


@kernel
def fill_span_rows(h: float, k: int, tension: float, lines: Lines, table_out: Table) -> None:
    """Fill the inertia rows of span k, in pairs; rows that are not needed take no part."""
    row_work_out = table_out.work
    for place in range(3):
        r = lines.spans.inertia_row[k, place]
        if r < 0:
            continue
        spring = spring_stiffness(k, place, tension, lines)
        row_work_out.active[r] = row_work_out.active[r + 1] = (
            lines.node_state.contact_solid[k + 1] < 0
            and h * h * spring * lines.spans.mobility[k, place] > CALM
        )
        if not row_work_out.active[r]:
            continue
        row_work_out.compliance[r] = row_work_out.compliance[r + 1] = 1.0 / (SHARE * h * spring)
        first, second = unit_normals(load(lines.span_work.direction, k))
        if place == ACROSS:
            fill_separation_entries(first, k, r, lines, table_out)
            fill_separation_entries(second, k, r + 1, lines, table_out)
        else:
            set_entry(ZERO, first, table_out.rows.entry_start[r], row_work_out.jacobian)
            set_entry(ZERO, second, table_out.rows.entry_start[r + 1], row_work_out.jacobian)


@kernel
def resistance_share(mass: float, squares: float, paid: float, mobility: float) -> float:
    """Return s of a pair of rows with the sum ``squares`` of their (J v)^2 and what they took,
    ``paid`` [J]."""
    needed = 0.5 * mass * squares
    paid = paid + 0.5 * squares * CALM / mobility
    return 1.0 if needed == 0.0 or paid >= needed else max(paid, 0.0) / needed


@kernel
def limit_resistance_of(h: float, k: int, lines: Lines, table_out: Table) -> None:
    """Reduce the resistance of the active inertia rows of span k to what was paid for."""
    for place in range(lines.spans.inertia_row.shape[1]):
        r = lines.spans.inertia_row[k, place]
        if r < 0 or not table_out.work.active[r]:
            continue
        velocity = lines.bodies.velocity
        first = row_rate(r, table_out.rows, table_out.work, velocity)
        second = row_rate(r + 1, table_out.rows, table_out.work, velocity)
        left_out = 1.0 - resistance_share(
            h / table_out.work.compliance[r],
            first * first + second * second,
            lines.span_state.energy_taken[k, place],
            lines.spans.mobility[k, place],
        )
        table_out.work.inner[r, 1] = -left_out * first
        table_out.work.inner[r + 1, 1] = -left_out * second


@kernel
def limit_resistance(h: float, lines: Lines, table_out: Table) -> None:
    """Reduce the resistance of the active inertia rows to what their bodies have paid for."""
    for c in range(lines.cables.row.size):
        if lines.cables.lacks_inertia_rows[c]:
            continue
        k = lines.cables.node_start[c]
        while k < lines.cables.node_start[c + 1] - 1:
            limit_resistance_of(h, k, lines, table_out)
            k += lines.spans.slots[k] + 1  # room has none


@kernel
def add_energy_taken(k: int, table: Table, lines_out: Lines) -> None:
    """Add the energy that the inertia rows of span k took from their bodies in the step to P."""
    for place in range(lines_out.spans.inertia_row.shape[1]):
        r = lines_out.spans.inertia_row[k, place]
        if r < 0 or not table.work.active[r]:
            continue
        for i in range(r, r + 2):
            before = row_rate(i, table.rows, table.work, lines_out.bodies.velocity)
            after = row_rate(i, table.rows, table.work, lines_out.body_work.next_velocity)
            lines_out.span_state.energy_taken[k, place] -= (
                0.5 * table.state.impulse[i] * (before + after)
            )


@kernel
def update_energy_taken(table: Table, lines_out: Lines) -> None:
    """Add the energy that inertia rows took from their bodies in the step to P.

    It runs before the bodies go on.
    """
    for c in range(lines_out.cables.row.size):
        if lines_out.cables.lacks_inertia_rows[c]:
            continue
        k = lines_out.cables.node_start[c]
        while k < lines_out.cables.node_start[c + 1] - 1:
            add_energy_taken(k, table, lines_out)
            k += lines_out.spans.slots[k] + 1


@kernel
def fill_rows(h: float, stepped: bool, lines: Lines, table_out: Table) -> None:
    """Fill the inertia rows of all cables that have some, except hybrid wires."""
    for c in range(lines.cables.row.size):
        if lines.cables.lacks_inertia_rows[c] or lines.cables.wire[c]:
            continue
        tension = expected_tension(h, table_out, stepped, c, lines)
        for k in range(lines.cables.node_start[c], lines.cables.node_start[c + 1] - 1):
            fill_span_rows(h, k, tension, lines, table_out)
