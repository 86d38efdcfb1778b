"""Boxes along the axes of a frame, by which contacts leave out what is far.

A box is given by its lower and its upper corner. Two boxes are apart if they are so along one axis
of their frame, which takes up to six comparisons, and as a rule one or two.

Of a box in the world with the centre c and the half edges e, a body with the pose (p, R) sees no
more than the box

    c' = R^T (c - p),    e'_j = sum_i |R_ij| e_i

in its own frame: e' is the largest x'_j over the corners x = +-e. While the body moves with the
velocity v and spins with w, its point at the arm r moves by h (v + w x r) in the step, so that what
is in the box comes at most

    h (|v| + |w| (|c - p| + |e|))

closer to something on the body than by its own motion.
"""

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate_back
from cable_sim.kernels.multibody.vec3 import Vector, add, load, norm, scale, sub
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.bodies import Moving


@kernel
def is_apart(lower: Vector, upper: Vector, box: Floats) -> bool:
    """Return True if a box is apart from another one (2, 3) of the same frame."""
    for k in range(3):
        if lower[k] > box[1, k] or upper[k] < box[0, k]:
            return True
    return False


@kernel
def is_within(lower: Vector, upper: Vector, box: Floats) -> bool:
    """Return True if a box is within another one (2, 3) of the same frame."""
    for k in range(3):
        if not (lower[k] >= box[0, k] and upper[k] <= box[1, k]):
            return False
    return True


@kernel
def grow_box(lower: Vector, upper: Vector, reach: float) -> tuple[Vector, Vector]:
    """Return a box with its faces moved out by ``reach`` [m]."""
    return (
        (lower[0] - reach, lower[1] - reach, lower[2] - reach),
        (upper[0] + reach, upper[1] + reach, upper[2] + reach),
    )


@kernel
def join_boxes(
    lower: Vector, upper: Vector, other_lower: Vector, other_upper: Vector
) -> tuple[Vector, Vector]:
    """Return the least box that holds two boxes of one frame."""
    return (
        (
            min(lower[0], other_lower[0]),
            min(lower[1], other_lower[1]),
            min(lower[2], other_lower[2]),
        ),
        (
            max(upper[0], other_upper[0]),
            max(upper[1], other_upper[1]),
            max(upper[2], other_upper[2]),
        ),
    )


@kernel
def magnitudes(a: Vector) -> Vector:
    """Return the magnitudes of the components of a."""
    return (abs(a[0]), abs(a[1]), abs(a[2]))


@kernel
def box_in_body(
    h: float, b: int, lower: Vector, upper: Vector, bodies: Moving
) -> tuple[Vector, Vector]:
    """Return a box in the frame of body b that holds a box in the world.

    It is as much larger as the body may move within a step of h.
    """
    if b == 0:
        return lower, upper
    half = scale(0.5, sub(upper, lower))
    offset = sub(scale(0.5, add(lower, upper)), load(bodies.position, b))
    turn = load_quaternion(bodies.orientation, b)
    centre = rotate_back(turn, offset)
    extent = add(
        magnitudes(rotate_back(turn, (half[0], 0.0, 0.0))),
        add(
            magnitudes(rotate_back(turn, (0.0, half[1], 0.0))),
            magnitudes(rotate_back(turn, (0.0, 0.0, half[2]))),
        ),
    )
    spin = norm(load(bodies.velocity[:, 3:], b))
    moved = h * (norm(load(bodies.velocity, b)) + spin * (norm(offset) + norm(half)))
    return grow_box(sub(centre, extent), add(centre, extent), moved)
