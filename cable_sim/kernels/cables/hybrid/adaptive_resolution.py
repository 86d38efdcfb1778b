"""Adaptive resolution of hybrid wires: masses go where they would not be stable, and come where
they are (Servin 2011).

*Stability.* Tension pulls a mass m between spans of lengths l_a, l_c, to its nearest neighbours,
massless or not, back like springs, explicitly: w^2 = (f_a / l_a + f_c / l_c) / m alone, up to twice
that in a chain (Gershgorin). With the limit h^2 w^2 < 4 of the step, the number

    s = h^2 (f_a / l_a + f_c / l_c) / (2 m)
    is 1 at f = m l / h^2, the limit of a uniform chain (misprint 40).

A mass with s > ``SAFETY`` goes: the worst one first, until none is left. Eq. 25 prints this very
limit, m l / (4 h^2), a quarter of the tension. A segment is divided when all three masses that then
share it have s < ``REFINING`` ``SAFETY``, and none had to go for ``CALM`` steps, so that none
flickers.

*Eyes.* Rope that runs over an eye brings its masses there. Under tension they are not stable when
they are near. With little of it one may get so near that the span to the eye would turn too far in
the next step (``turn_checks.py``), or go straight through. It goes where its velocity alone would
turn the span by a part ``EARLY`` of that: the forces of the step turn it, too. So does one that has
next to no rope left on one side, at an eye or a winch, because no mass passes there. Both go even
where the wire has no more masses than it needs, and another one comes as soon as it finds room.

*Going* (eq. 27-30, misprint 42): mass b between a and c with rest lengths L_a, L_c to them gives a
the part Delta_c and c the part Delta_a, Delta_a = L_a / (L_a + L_c), Delta_c = 1 - Delta_a, each
with b's momentum. *Coming* (eq. 31-36 made consistent, misprint 43) is the inverse,

    m_a -= Delta_c m_b,    m_c -= Delta_a m_b,    v_b = Delta_c v_a + Delta_a v_c,
    x_b = Delta_c x_a + Delta_a x_c.

With m_b = rho (L_a + L_c) / 2 every endpoint has half of the rope on both sides, before and after.
Conserved are mass and momentum, first moment when b comes or is on the chord, and angular momentum
when it goes from there. (It can't be kept when b comes, as one might wish: half way between masses
that turn about one another it takes m_b Delta_a Delta_c (x_a - x_c) x (v_a - v_c) away, and keeping
it would take energy, like a skater's who draws in the arms.) Lost is m_b Delta_a Delta_c |v_a -
v_c|^2 / 2 when it comes, and when it goes, on the side of a and likewise of c, with m = m_b
Delta_c, m_a m |v_a - v_b|^2 / 2 (m_a + m); weight that hung below the chord is lifted to it. Where
the rope between b and a runs over a contact, the momentum goes round it as the rope does: the part
along the rope is kept, the part across it is the solid's.

A mass that goes makes the path shorter. The account of the segment (``hybrid.py``) is set so that
the stretch is what both had, g = g_a + g_c, with g^2 / (L_a + L_c) <= g_a^2 / L_a + g_c^2 / L_c. A
wire all of whose runs stretch as one rope (``taut_runs.py``) goes on, then. In others, segments
have dampers of their own, and g may be more than the tensions stand for: there it is the stretch of
all its rope at these, sum T_k L_k / EA, at most. So the mean tension goes on from what it was; what
masses that lag behind had left of the lengths does no work. Below zero it is ``MOST_TAKEN_UP`` of
the rope at most, and is forgotten at the rate ``FADES`` sqrt(g / L), L the length of the wire, as
if so much rope were paid out. Above zero it stays until contacts make the path shorter or the
segment is slack: to forget it under the tension T would lift the load with work T dE that nobody
does. A wire that rests on an account E hangs longer by E than statics has it. A bar
(``flexure.py``) that pushes keeps E < 0: to forget it would let the push do work. Two bars become
one if E < 0 has room for all that they are bent by; else, and where one of them was slack, what
they become is slack until it is taut.

Misprints are numbered as in docs/theory/misprints.md.
"""

from cable_sim.kernels.cables.contact.contact_path import (
    BAR,
    FREE,
    MASSIVE,
    count_nodes,
    divide_span,
    measure_span,
    remove_node,
)
from cable_sim.kernels.cables.contact.turn_checks import swings_round
from cable_sim.kernels.cables.crossing.span_search import end_of_motion
from cable_sim.kernels.cables.hybrid.rope_flow import spread_rope
from cable_sim.kernels.cables.hybrid.segments import (
    AS_ONE,
    BEFORE,
    INVERSE,
    MASS,
    NODE,
    PATH,
    REST,
    end_directions,
    find_endpoints,
    is_mass,
    is_severed,
    is_stuck,
    mean_impulse,
    measure_segments,
    next_node,
    own_node_before,
    segment_path_offset,
)
from cable_sim.kernels.cables.hybrid.snags import hang_on, is_snagged, turn_crossings_beside
from cable_sim.kernels.cables.stiffness.bars import is_bar
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, axpy, dot, load, scale, store
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.status import SOLVED, WENT_THROUGH

SAFETY = 0.25
"""Largest s of a mass that stays: the part of the largest stable tension that eq. 25 prints."""
REFINING = 0.25
"""Largest s with which a mass may come, as a part of SAFETY."""
CALM = 15
"""Steps without a mass that had to go before one may come."""
FADES = 1.0
"""Rate at which an account below zero falls, over sqrt(g / L) [-]."""
FORGOTTEN = 1e-16
"""Part of its path that an account below zero is gone at: rounding."""
MOST_TAKEN_UP = 0.005
"""Part of its rope that the account of a segment may be below zero. A wire that was whipped and not
tight goes slack."""
TIPS = 2
"""Room that masses leave free in each strand, for the two that come where it is severed."""
EARLY = 0.5
"""Part of what is too far by which a mass that stays may turn about an eye in a step."""
IN_THE_WAY = 1e300
"""Stability number of a mass that has to go whatever pulls at it."""
CROWDED = 0.25
"""Part of the finest distance: a mass with less rope on one side goes."""


@kernel
def stability_number(h: float, i: int, begin: int, end: int, nodes: Nodes) -> float:
    """Return the stability number s of the mass at endpoint i [-]."""
    k = nodes.mark[i, NODE]
    total = 0.0
    if i > begin:
        total += nodes.tension_impulse[nodes.mark[i, BEFORE]] / max(
            nodes.length[nodes.mark[i, BEFORE]], 1e-12
        )
    if i < end:
        total += nodes.tension_impulse[k] / max(nodes.length[k], 1e-12)
    return 0.5 * h * total * nodes.number[i, INVERSE]


@kernel
def merge_velocity(mass: float, velocity: Vector, more: float, other: Vector) -> Vector:
    """Return the velocity of a mass after ``more`` mass of another velocity has joined it."""
    total = mass + more
    return scale(
        1.0 / total if total > 0.0 else 0.0, add(scale(mass, velocity), scale(more, other))
    )


@kernel
def redirect_velocity(velocity: Vector, here: Vector, there: Vector, straight: bool) -> Vector:
    """Velocity of rope that goes on from where it runs along ``here`` to where it runs along
    ``there``."""
    return velocity if straight else scale(dot(velocity, here), there)


@kernel
def add_endpoint_mass(i: int, more: float, velocity: Vector, nodes_out: Nodes) -> None:
    """Add ``more`` mass of a velocity to the mass at endpoint i."""
    k = nodes_out.mark[i, NODE]
    own = load(nodes_out.velocity, k)
    store(merge_velocity(nodes_out.number[i, MASS], own, more, velocity), k, nodes_out.velocity)


@kernel
def find_mass_beside(i: int, sense: int, nodes: Nodes) -> tuple[int, float]:
    """Return the next endpoint with a mass before (``sense`` -1) or behind (1) endpoint i.

    The second value is the rope in between [m].
    """
    rest = nodes.number[min(i, i + sense), REST]
    i += sense
    while is_stuck(i, nodes):
        rest += nodes.number[min(i, i + sense), REST]
        i += sense
    return i, rest


@kernel
def hand_mass_on(i: int, density: float, nodes_out: Nodes) -> None:
    """Add the mass at endpoint i, which goes, to those on both sides of it."""
    a, rest_a = find_mass_beside(i, -1, nodes_out)
    c, rest_c = find_mass_beside(i, 1, nodes_out)
    mark = nodes_out.mark
    velocity = load(nodes_out.velocity, mark[i, NODE])
    first, _ = end_directions(a, nodes_out)
    _, before = end_directions(i - 1, nodes_out)
    behind, _ = end_directions(i, nodes_out)
    _, last = end_directions(c - 1, nodes_out)
    to_a = redirect_velocity(velocity, before, first, mark[i, BEFORE] == mark[a, NODE])
    to_c = redirect_velocity(velocity, behind, last, mark[c, BEFORE] == mark[i, NODE])
    add_endpoint_mass(a, 0.5 * density * rest_c, to_a, nodes_out)
    add_endpoint_mass(c, 0.5 * density * rest_a, to_c, nodes_out)


@kernel
def coarsen(h: float, n: int, i: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Remove the mass at endpoint i from wire n.

    The measures of the wire hold before, but not afterwards.
    """
    c = wires.cable[n]
    mark = nodes_out.mark
    number = nodes_out.number
    a = mark[i - 1, NODE]
    b = mark[i, NODE]
    d = mark[i + 1, NODE]
    rest_a = number[i - 1, REST]
    rest_c = number[i, REST]
    path_a = number[i - 1, PATH]
    path_c = number[i, PATH]
    hand_mass_on(i, wires.density[c], nodes_out)
    whole = max(rest_a + rest_c, 1e-12)
    pull = mean_impulse(nodes_out.tension_impulse, a, d, nodes_out)
    near = mean_impulse(nodes_out.tension_impulse, b - 1, b + 1, nodes_out)
    drawn = mean_impulse(nodes_out.elastic_impulse, b - 1, b + 1, nodes_out)
    slack = whole - path_a - path_c
    own = segment_path_offset(i - 1, nodes_out)
    own += segment_path_offset(i, nodes_out)
    before = path_a + path_c + own - nodes_out.length[b - 1] - nodes_out.length[b]
    for k in range(a, d):
        nodes_out.path_offset[k] = 0.0
    first = own_node_before(b, c, wires)
    bars = is_bar(i - 1, nodes_out) and is_bar(i, nodes_out)
    count = count_nodes(first, wires.slots[first], nodes_out)
    remove_node(c, b, count, first, wires.slots[first], nodes_out)
    straight = before + nodes_out.length[b - 1] - whole
    stretch = -slack
    if pull == 0.0:
        stretch = min(stretch, 0.0)
    elif number[wires.node_start[c], AS_ONE] == 0.0:
        stretch = min(wires.compliance_per_length[c] * whole * pull / h, max(stretch, 0.0))
    offset = straight - stretch
    nodes_out.path_offset[a] = max(offset, -MOST_TAKEN_UP * whole)
    nodes_out.tension_impulse[b - 1] = near
    nodes_out.elastic_impulse[b - 1] = drawn
    if nodes_out.friction_state[a] == BAR and not (bars and offset >= -MOST_TAKEN_UP * whole):
        nodes_out.friction_state[a] = FREE  # until it is taut


@kernel
def longest_span(i: int, nodes: Nodes) -> tuple[int, float]:
    """Return the longest span of segment i, and how much of its path is before the middle of it."""
    a = nodes.mark[i, NODE]
    best = a
    path = 0.0
    middle = 0.0
    for k in range(a, nodes.mark[i + 1, BEFORE] + 1):
        if k == a or nodes.length[k] > nodes.length[best]:
            best = k
            middle = path + 0.5 * nodes.length[k]
        path += nodes.length[k]
    return best, middle / path if path > 0.0 else 0.5


@kernel
def stays_stable(
    h: float, n: int, i: int, k: int, place: float, wires: WireLines, limit: float, nodes: Nodes
) -> bool:
    """Return True if masses stay stable, s below ``limit``, with one more in the middle of span k.

    The middle of the span is at ``place`` of segment i.
    """
    half = 0.5 * wires.density[wires.cable[n]]
    number = nodes.number
    mark = nodes.mark
    begin = wires.node_start[wires.cable[n]]
    end = begin + nodes.segment_count[n]
    rest = number[i, REST]
    pull = h * nodes.tension_impulse[k]
    near = max(0.5 * nodes.length[k], 1e-12)
    worst = pull * (1.0 / near) / (half * rest)
    for side in range(2):
        j = i + side
        if number[j, INVERSE] == 0.0:
            continue
        beside = mark[j, NODE] if side == 0 else mark[j, BEFORE]
        span = near if beside == k else max(nodes.length[beside], 1e-12)
        total = pull / span
        kept = rest * (place if side == 0 else 1.0 - place)
        if side == 0 and j > begin:
            total += (
                h
                * nodes.tension_impulse[mark[j, BEFORE]]
                / max(nodes.length[mark[j, BEFORE]], 1e-12)
            )
            kept += number[j - 1, REST]
        elif side == 1 and j < end:
            total += (
                h * nodes.tension_impulse[mark[j, NODE]] / max(nodes.length[mark[j, NODE]], 1e-12)
            )
            kept += number[j, REST]
        worst = max(worst, 0.5 * total / (half * kept))
    return worst < limit


@kernel
def refine(
    n: int, i: int, k: int, x: float, place: float, wires: WireLines, nodes_out: Nodes
) -> None:
    """Set a mass at the part x of span k of segment i of wire n; ``place`` is the part of the path
    before it."""
    c = wires.cable[n]
    mark = nodes_out.mark
    a = mark[i, NODE]
    b = mark[i + 1, NODE]
    if mark[i + 1, BEFORE] == a:
        velocity = axpy(
            place, load(nodes_out.velocity, b), scale(1.0 - place, load(nodes_out.velocity, a))
        )
    else:
        head, tail = end_directions(i, nodes_out)
        speed = (1.0 - place) * dot(load(nodes_out.velocity, a), head) + place * dot(
            load(nodes_out.velocity, b), tail
        )
        velocity = scale(speed, load(nodes_out.direction, k))
    # beside a crossing on its side of the other rope, which may get a mass at the same place
    point = axpy(x, end_of_motion(k + 1, nodes_out), scale(1.0 - x, end_of_motion(k, nodes_out)))
    first = own_node_before(k + 1, c, wires)
    divide_span(k, x, count_nodes(first, wires.slots[first], nodes_out), first, nodes_out)
    nodes_out.body[k + 1] = 0
    nodes_out.row_entry[k + 1] = -1
    nodes_out.contact_solid[k + 1] = MASSIVE
    nodes_out.friction_state[k + 1] = BAR if nodes_out.friction_state[k] == BAR else FREE
    offset = nodes_out.path_offset[k]
    nodes_out.path_offset[k] = x * offset
    nodes_out.path_offset[k + 1] = (1.0 - x) * offset
    store(velocity, k + 1, nodes_out.velocity)
    store(point, k + 1, nodes_out.point)
    store(point, k + 1, nodes_out.position)
    store(point, k + 1, nodes_out.arm)
    measure_span(c, k, nodes_out)
    measure_span(c, k + 1, nodes_out)


@kernel
def spread_path_offset(faded: float, i: int, nodes_out: Nodes) -> None:
    """Spread the account of segment i evenly over its path; one below zero fades by ``faded``."""
    a = nodes_out.mark[i, NODE]
    b = nodes_out.mark[i + 1, BEFORE] + 1
    offset = 0.0
    path = 0.0
    present = False
    for k in range(a, b):
        offset += nodes_out.path_offset[k]
        path += nodes_out.length[k]
        present |= nodes_out.path_offset[k] != 0.0
    if not present:
        return
    pushes = is_bar(i, nodes_out) and nodes_out.tension_impulse[a] == 0.0
    if offset < 0.0 and not pushes:
        offset /= 1.0 + faded
        offset = offset if offset < -FORGOTTEN * path else 0.0
    share = offset / path if path > 0.0 else 0.0
    for k in range(a, b):
        nodes_out.path_offset[k] = share * nodes_out.length[k]


@kernel
def spread_evenly(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Spread the rope of every segment evenly over its spans, and let accounts below zero fade."""
    begin = wires.node_start[wires.cable[n]]
    softness = wires.compliance_per_length[wires.cable[n]]
    for i in range(begin, begin + nodes_out.segment_count[n]):
        spread_rope(h, i, softness, nodes_out)
        spread_path_offset(h * wires.fading[n], i, nodes_out)


@kernel
def count_masses(n: int, wires: WireLines, nodes: Nodes) -> int:
    """Return the number of masses that wire n has between its ends."""
    begin = wires.node_start[wires.cable[n]]
    count = 0
    for i in range(begin + 1, begin + nodes.segment_count[n]):
        count += is_mass(i, nodes)
    return count


@kernel
def is_severed_end(i: int, nodes: Nodes) -> bool:
    """Return True if the mass at endpoint i is an end of rope at a place where it was severed."""
    return is_severed(i, nodes) or is_severed(i - 1, nodes)


@kernel
def turns_about_eye(h: float, i: int, body_velocity: Floats, nodes: Nodes) -> bool:
    """Return True if a span between the mass at endpoint i and a node of bodies turns too far.

    It has to pull.
    """
    mark = nodes.mark
    for side in range(2):
        k = mark[i, NODE] if side else mark[i, BEFORE]
        far = mark[i, NODE] if not side else next_node(i, k, nodes)
        pulls = nodes.tension_impulse[k] > 0.0
        if swings_round(EARLY, h, k, far, pulls, body_velocity, nodes):
            return True
    return False


@kernel
def find_worst_mass(
    h: float, n: int, spare: bool, wires: WireLines, body_velocity: Floats, nodes_out: Nodes
) -> int:
    """Return the endpoint whose mass is to go first, -1 for none.

    One that is stable, and that a rope is hooked behind, stays (``snags.py``). Where the wire has
    none to ``spare``, only those go that would be in the way of the rope.
    """
    begin = wires.node_start[wires.cable[n]]
    worst = -1
    most = SAFETY if spare else 0.5 * IN_THE_WAY
    end = begin + nodes_out.segment_count[n]
    for i in range(begin + 1, end):
        if not is_mass(i, nodes_out) or is_severed_end(i, nodes_out):
            continue
        s = stability_number(h, i, begin, end, nodes_out)
        stable = s < 1.0
        finest = wires.finest[n]
        crowded = min(nodes_out.number[i - 1, REST], nodes_out.number[i, REST]) < CROWDED * finest
        if crowded or turns_about_eye(h, i, body_velocity, nodes_out):
            s = IN_THE_WAY
        if s > most and not (stable and is_snagged(n, nodes_out.mark[i, NODE], wires, nodes_out)):
            worst = i
            most = s
    return worst


@kernel
def prune(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> int:
    """Remove all masses of wire n that are not stable; return status flags.

    Where rope is in the way of one, the wire hangs on that first, and passes through it only where
    there is no room for that.
    """
    flags = SOLVED
    while True:
        spare = count_masses(n, wires, nodes_out) > wires.least[n]
        i = find_worst_mass(h, n, spare, wires, nodes_out.bodies.velocity, nodes_out)
        if i < 0:
            break
        k = nodes_out.mark[i, NODE]
        hooked, fits = hang_on(n, k, wires, nodes_out)
        if not (hooked and fits):
            flags |= SOLVED if fits else WENT_THROUGH
            turn_crossings_beside(k, wires, nodes_out)
            coarsen(h, n, i, wires, nodes_out)
            nodes_out.steps_since_removal[n] = 0
        find_endpoints(n, wires, nodes_out)
        measure_segments(n, wires, nodes_out)
    return flags


@kernel
def refine_all(h: float, n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Divide each segment of wire n that may be divided.

    The last segment is the first, so that the nodes of the others stay. A wire with less than its
    least number of masses is divided whether it is stable or not.
    """
    begin = wires.node_start[wires.cable[n]]
    limit = REFINING * SAFETY
    masses = count_masses(n, wires, nodes_out)
    for i in range(begin + nodes_out.segment_count[n] - 1, begin - 1, -1):
        if masses >= wires.most[n]:
            break
        rest = nodes_out.number[i, REST]
        if 0.5 * rest < wires.finest[n]:
            continue
        k, place = longest_span(i, nodes_out)
        if min(place, 1.0 - place) * rest < wires.finest[n]:
            continue
        if masses >= wires.least[n] and not stays_stable(
            h, n, i, k, place, wires, limit, nodes_out
        ):
            continue
        first = own_node_before(k + 1, wires.cable[n], wires)
        if count_nodes(first, wires.slots[first], nodes_out) + TIPS < wires.slots[first]:
            refine(n, i, k, 0.5, place, wires, nodes_out)
            masses += 1
