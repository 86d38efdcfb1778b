"""Rails: slides that run along a chain of bodies, such as a trolley on a jib or girder that bends.

A rail has nodes at the stations s_k, with a point p_k and a tangent t_k of each, both fixed in the
node's body. Between two nodes, at x = s - s_k = u h, it is Hermite's cubic

    r(s) = H_0 p_k + h H_1 t_k + H_2 p_k+1 + h H_3 t_k+1,
    H_0 = 1 - u^2 (3 - 2 u),    H_1 = u (1 - u)^2,    H_2 = u^2 (3 - 2 u),    H_3 = -u^2 (1 - u).

That is the beam of Euler and Bernoulli between its ends, wherever it is and however it is turned.
As r' = t_k on both sides of a node, nothing jolts there. Beyond its ends a rail is straight.

*Frame.* a = d / |d| with d = r', and t1 from y = (1 - u) y_k + u y_k+1 of the nodes' own t1:

    t1 = (y - e a) / n,    e = y . a,    n = |y - e a|,    t2 = a x t1.

With the rates of d and y, at a place s that stands, it turns by

    W = a x d. / |d| + a (t2 . y. - (e / |d|) t2 . d.) / n,

and along the rail by the curvature K, which has d' = r'' and y' in their place.

*Coordinate.* The child's point c, apart from the rail by D = c - r, is abreast of s where D . d =
0. So

    ds/dt = (d . (c. - r.) + D . d.) / m,      m = d . d - D . r''.

*Rows.* All rows have a force f on the point, and a moment M_c on the child and M on the rail:

    dg/dt = f . (c. - r.) + M_c . w_c - M . (W + K ds/dt) + l ds/dt.

A point row along t1 is g = t1 . D with f = t1, M_c = 0, M = D x t1. Its own ds/dt drops out, for
t1 . d = 0. A turn row (``joints.py``) has f = 0, M_c = M; a row on the coordinate l = 1 alone. On a
curve, M . K brakes: a child that is turned as it runs takes work from its run. With k = l - M . K,
f grows by k d / m, and the rail has on d, beside f on r,

    q = (M x a) / |d| - (M . a) e / (n |d|) t2 - k D / m.

A node feels the force F = H f + H' q with the weights of its point, and the moment

    arm x F + t x (h H f + h H' q) + share (y x t2) (M . a) / n

with those of its tangent. That is virtual work: each node has its share of force and moment, and
a beam sags as under these, which is where Euler's is at the nodes. Velocity terms, v^2 K and 2 v W,
come by the gap, as in all joints (``rows.py``).

*Between the nodes* the cubic is not bent by the load itself. It lacks the sag of a cell that is
clamped at both ends,

    P x^3 (h - x)^3 / (3 EI h^3),

at most P h^3 / 192 EI: of a beam on two supports with N cells, 1 / 4 N^3 of its sag in the middle.
"""

from typing import NamedTuple

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.bodies import world_point
from cable_sim.kernels.multibody.entries import set_entry
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import (
    ZERO,
    Vector,
    add,
    axpy,
    cross,
    dot,
    load,
    norm,
    scale,
    sub,
)
from cable_sim.kernels.records.bodies import BodyState, Moving
from cable_sim.kernels.records.joints import Joints, JointState
from cable_sim.kernels.records.rows import RowWork

NEWTON = 5
"""Most corrections of a coordinate in a step; each squares the error."""
ABREAST = 1e-9
"""Correction of a coordinate after which there is none to come [m]."""
Weights = tuple[float, float, float, float]
"""Factors of p_k, t_k, p_k+1 and t_k+1."""


class Place(NamedTuple):
    """A place on a rail: the first of its two nodes, and weights of points and tangents there."""

    node: int
    value: Weights
    """(4,) of p_k, t_k, p_k+1, t_k+1 in r [-, m, -, m]."""
    slope: Weights
    """(4,) in r' [1/m, -, 1/m, -]."""
    bend: Weights
    """(4,) in r'' [1/m^2, 1/m, 1/m^2, 1/m]."""
    shares: tuple[float, float]
    """(2,) of the nodes' own t1 in y [-]."""
    change: float
    """Rate of the second of these [1/m]."""


class Rail(NamedTuple):
    """A rail where a child is on it, in the world."""

    place: Place
    tangents: tuple[Vector, Vector]
    """t_k, t_k+1."""
    across: tuple[Vector, Vector]
    """y_k, y_k+1."""
    arms: tuple[Vector, Vector]
    """Arms of p_k, p_k+1 from the nodes' centres of mass [m]."""
    separation: Vector
    """D [m]."""
    child_arm: Vector
    """[m]."""
    along: Vector
    """d [-]."""
    axes: tuple[Vector, Vector, Vector]
    """t1, t2, a."""
    curvature: Vector
    """K [1/m]."""
    spread: float
    """m [-]."""
    skew: float
    """e [-]."""
    breadth: float
    """n [-]."""


@kernel
def is_rail(j: int, joints: Joints) -> bool:
    """Return True if joint j runs along a rail."""
    return joints.rail_start[j] < joints.rail_start[j + 1]


@kernel
def weigh(
    x: float, h: float
) -> tuple[
    tuple[float, float, float, float],
    tuple[float, float, float, float],
    tuple[float, float, float, float],
]:
    """Return the weights of points and tangents in r, r' and r'', x [m] behind a node."""
    if x < 0.0:
        return (1.0, x, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    if x > h:
        return (0.0, 0.0, 1.0, x - h), (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0)
    u = x / h
    left = 1.0 - u
    far = u * u * (3.0 - 2.0 * u)
    rise = 6.0 * u * left / h
    turn = (6.0 - 12.0 * u) / (h * h)
    return (
        (1.0 - far, x * left * left, far, -x * u * left),
        (-rise, left * (1.0 - 3.0 * u), rise, u * (3.0 * u - 2.0)),
        (-turn, (6.0 * u - 4.0) / h, turn, (6.0 * u - 2.0) / h),
    )


@kernel
def find_place(j: int, s: float, joints: Joints) -> Place:
    """Return the place at the station s [m] on the rail of joint j."""
    k = joints.rail_start[j]
    while k < joints.rail_start[j + 1] - 2 and s > joints.rail_station[k + 1]:
        k += 1
    x = s - joints.rail_station[k]
    h = joints.rail_station[k + 1] - joints.rail_station[k]
    value, slope, bend = weigh(x, h)
    inside = 0.0 <= x <= h
    far = x / h if inside else (0.0 if x < 0.0 else 1.0)
    return Place(k, value, slope, bend, (1.0 - far, far), 1.0 / h if inside else 0.0)


@kernel
def mix(
    weights: tuple[float, float, float, float],
    points: tuple[Vector, Vector],
    tangents: tuple[Vector, Vector],
) -> Vector:
    """Return the weighted sum of both points and tangents."""
    near = axpy(weights[0], points[0], scale(weights[1], tangents[0]))
    return axpy(weights[2], points[1], axpy(weights[3], tangents[1], near))


@kernel
def rail_direction(k: int, axis: int, joints: Joints, body_state: BodyState | Moving) -> Vector:
    """Return the direction t1 (axis 0) or tangent (axis 1) of node k in the world."""
    q = load_quaternion(body_state.orientation, joints.rail_body[k])
    return rotate(q, load(joints.rail_axes[k], axis))


@kernel
def rail_ends(
    k: int, joints: Joints, body_state: BodyState | Moving
) -> tuple[tuple[Vector, Vector], tuple[Vector, Vector], tuple[Vector, Vector]]:
    """Return both points, their arms and tangents of the cell behind node k."""
    first, first_arm = world_point(body_state, joints.rail_body[k], load(joints.rail_point, k))
    last, last_arm = world_point(
        body_state, joints.rail_body[k + 1], load(joints.rail_point, k + 1)
    )
    near = rail_direction(k, 1, joints, body_state)
    far = rail_direction(k + 1, 1, joints, body_state)
    return (first, last), (first_arm, last_arm), (near, far)


@kernel
def joint_point(
    j: int, side: int, joints: Joints, joint_state: JointState, body_state: BodyState | Moving
) -> tuple[Vector, Vector]:
    """Point of joint j on its parent (side 0) or child (side 1) in the world, and its arm [m]."""
    point = joint_state.point  # a view of a part of it would cost time
    local = (point[j, side, 0], point[j, side, 1], point[j, side, 2])
    return world_point(body_state, joints.body[j, side], local)


@kernel
def turn_along(
    axis: Vector,
    t2: Vector,
    length: float,
    skew: float,
    breadth: float,
    bent: Vector,
    twisted: Vector,
) -> Vector:
    """Return how the frame turns for rates of d and of y."""
    roll = (dot(t2, twisted) - skew / length * dot(t2, bent)) / breadth
    return axpy(roll, axis, scale(1.0 / length, cross(axis, bent)))


@kernel
def rail_at(
    j: int, joints: Joints, joint_state: JointState, body_state: BodyState | Moving
) -> Rail:
    """Return the rail of joint j abreast of the child, whose coordinate is that of the pose."""
    s = joint_state.position[j] - joint_state.offset[j]
    place = find_place(j, s, joints)
    points, arms, tangents = rail_ends(place.node, joints, body_state)
    point, child_arm = joint_point(j, 1, joints, joint_state, body_state)
    separation = sub(point, mix(place.value, points, tangents))
    along = mix(place.slope, points, tangents)
    bent = mix(place.bend, points, tangents)
    length = norm(along)
    axis = scale(1.0 / length, along)
    near = rail_direction(place.node, 0, joints, body_state)
    far = rail_direction(place.node + 1, 0, joints, body_state)
    leaning = axpy(place.shares[0], near, scale(place.shares[1], far))
    skew = dot(leaning, axis)
    upright = axpy(-skew, axis, leaning)
    breadth = norm(upright)
    t1 = scale(1.0 / breadth, upright)
    t2 = cross(axis, t1)
    twisted = scale(place.change, sub(far, near))
    curvature = turn_along(axis, t2, length, skew, breadth, bent, twisted)
    spread = dot(along, along) - dot(separation, bent)
    return Rail(
        place,
        tangents,
        (near, far),
        arms,
        separation,
        child_arm,
        along,
        (t1, t2, axis),
        curvature,
        spread,
        skew,
        breadth,
    )


@kernel
def set_rail_row(
    j: int,
    e: int,
    force: Vector,
    run: float,
    child_moment: Vector,
    moment: Vector,
    rail: Rail,
    joints: Joints,
    row_work_out: RowWork,
) -> None:
    """Set the entries from e on of a row of joint j, on the child and on all nodes of its rail.

    ``force``, ``run``, ``child_moment`` and ``moment`` are f, the factor of ds/dt, M_c and M.
    """
    length = norm(rail.along)
    axis = rail.axes[2]
    brake = (run - dot(moment, rail.curvature)) / rail.spread
    push = axpy(brake, rail.along, force)
    roll = dot(moment, axis) / rail.breadth
    bend = scale(1.0 / length, axpy(-roll * rail.skew, rail.axes[1], cross(moment, axis)))
    bend = axpy(-brake, rail.separation, bend)
    set_entry(push, add(cross(rail.child_arm, push), child_moment), e, row_work_out.jacobian)
    for n in range(joints.rail_start[j], joints.rail_start[j + 1]):
        e += 1
        i = n - rail.place.node
        if i != 0 and i != 1:
            set_entry(ZERO, ZERO, e, row_work_out.jacobian)
            continue
        value, slope = rail.place.value, rail.place.slope
        own = axpy(value[2 * i], push, scale(slope[2 * i], bend))
        turned = axpy(value[2 * i + 1], push, scale(slope[2 * i + 1], bend))
        turn = add(cross(rail.arms[i], own), cross(rail.tangents[i], turned))
        turn = axpy(rail.place.shares[i] * roll, cross(rail.across[i], rail.axes[1]), turn)
        set_entry(scale(-1.0, own), scale(-1.0, turn), e, row_work_out.jacobian)


@kernel
def rail_coordinate(
    j: int, joints: Joints, joint_state: JointState, body_state: BodyState
) -> float:
    """Return the coordinate of joint j [m]: the station abreast of the child, near the last one."""
    point, _ = joint_point(j, 1, joints, joint_state, body_state)
    s = joint_state.position[j] - joint_state.offset[j]
    for _ in range(NEWTON):
        place = find_place(j, s, joints)
        points, _, tangents = rail_ends(place.node, joints, body_state)
        separation = sub(point, mix(place.value, points, tangents))
        along = mix(place.slope, points, tangents)
        bent = mix(place.bend, points, tangents)
        change = dot(separation, along) / (dot(along, along) - dot(separation, bent))
        s += change
        if abs(change) < ABREAST:
            break
    return joint_state.offset[j] + s


@kernel
def point_rates(i: int, rail: Rail, joints: Joints, body_state: BodyState) -> tuple[Vector, Vector]:
    """Return the rates of point and tangent of the first (0) or second (1) node of a rail."""
    b = joints.rail_body[rail.place.node + i]
    spin = load(body_state.velocity[:, 3:], b)
    return (
        add(load(body_state.velocity, b), cross(spin, rail.arms[i])),
        cross(spin, rail.tangents[i]),
    )


@kernel
def rail_rate(j: int, joints: Joints, joint_state: JointState, body_state: BodyState) -> float:
    """Return the rate of the coordinate of joint j [m/s]."""
    rail = rail_at(j, joints, joint_state, body_state)
    child = joints.body[j, 1]
    spin = load(body_state.velocity[:, 3:], child)
    speed = add(load(body_state.velocity, child), cross(spin, rail.child_arm))
    near, near_turn = point_rates(0, rail, joints, body_state)
    far, far_turn = point_rates(1, rail, joints, body_state)
    slide = sub(speed, mix(rail.place.value, (near, far), (near_turn, far_turn)))
    turned = mix(rail.place.slope, (near, far), (near_turn, far_turn))
    return (dot(rail.along, slide) + dot(rail.separation, turned)) / rail.spread


@kernel
def outward(body: int, arm: Vector, body_state: BodyState) -> Vector:
    """Return w x (w x arm) of a body [m/s^2]."""
    spin = load(body_state.velocity[:, 3:], body)
    return cross(spin, cross(spin, arm))


@kernel
def rail_acceleration(
    j: int, joints: Joints, joint_state: JointState, body_state: BodyState
) -> float:
    """Return dJ/dt v of the coordinate of joint j [m/s^2]."""
    rail = rail_at(j, joints, joint_state, body_state)
    first = joints.rail_body[rail.place.node]
    last = joints.rail_body[rail.place.node + 1]
    child = outward(joints.body[j, 1], rail.child_arm, body_state)
    carried = mix(
        rail.place.value,
        (outward(first, rail.arms[0], body_state), outward(last, rail.arms[1], body_state)),
        (outward(first, rail.tangents[0], body_state), outward(last, rail.tangents[1], body_state)),
    )
    return dot(rail.along, sub(child, carried)) / rail.spread
