"""The largest stable step of the lumped rope, by the eigenvalues of its linearised steps.

The scheme of ``kernels/cables/particles/lumped.py`` and ``tutorial.py``, v+ = v - h M^-1 (K x + C
v), x+ = x + h v+, takes a mode with K x = w^2 M x and C x = d M x to

    x_{n+1} - (2 - h d - h^2 w^2) x_n + (1 - h d) x_{n-1} = 0.

Both roots are within the unit circle (Jury) if h d < 2 and 4 - 2 h d - h^2 w^2 > 0, the second
being the stricter:

    h < (sqrt(d^2 + 4 w^2) - d) / w^2,            2 / w without damping.                         (1)

It falls with w and with d, so the fastest mode decides. In a straight rope of equal masses m the
motions along it and across it are uncoupled. Along it K = k L, C = c L + b, with the second
differences L of the free masses, whose largest eigenvalue is, for n masses of which some ends are
held,

    none   4 cos^2(pi / 2n),    one   4 cos^2(pi / (2n - 1)),    both   4 cos^2(pi / (2n - 2)),  (2)

so w^2 = k mu / m and d = (c mu + b) / m. Across it tension gives the stiffness k (r - l) / r for k,
so never a faster motion; bending adds 4 EI / l^3 to it, and the tutorial's friction is the same d;
the faster of the two counts. Unequal masses: by Gershgorin's circles of the segments' matrix, w^2
<= 2 k max(1/m_i + 1/m_{i+1}), d likewise; for equal ones (2) is used. The ground's stiffness is
added for all masses at once. So the step is exact for the tutorial's rope in the air, 2.216 ms
(2.237 ms undamped; its text says about 2 ms), and a safe bound where masses differ or lie on the
ground. It holds for small motions: what a rope does that folds as it falls and is jerked taut is
not seen by it, so leave a tenth.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


def largest_eigenvalue(masses: int, held: int) -> float:
    """Return the largest eigenvalue of second differences along a rope of ``masses``: eq. 2 [-].

    ``held`` is the number of its ends that are held (0, 1, 2).
    """
    if masses - held < 1 or masses < 2:
        return 0.0
    parts = {0: 2 * masses, 1: 2 * masses - 1, 2: 2 * masses - 2}[held]
    return 4.0 * math.cos(math.pi / parts) ** 2


def limit(square: float, damping: float) -> float:
    """Largest stable step [s] of a mode of w^2 [1/s^2] and d [1/s]: eq. 1."""
    if square <= 0.0:
        return 2.0 / damping if damping > 0.0 else math.inf
    return 4.0 / (math.sqrt(damping**2 + 4.0 * square) + damping)


def couplings(mass: NDArray[np.float64], held: tuple[bool, bool]) -> float:
    """Largest eigenvalue of M^-1 L [1/kg]: exact for equal masses, else a bound."""
    inverse = 1.0 / mass
    if np.all(mass == mass[0]):
        return largest_eigenvalue(mass.size, sum(held)) * float(inverse[0])
    inverse[[end for end, is_held in zip((0, -1), held, strict=True) if is_held]] = 0.0
    return 2.0 * float((inverse[:-1] + inverse[1:]).max())


def stable_step(
    mass: ArrayLike,
    stiffness: float,
    friction: float = 0.0,
    air_friction: float = 0.0,
    held: tuple[bool, bool] = (True, False),
    *,
    rest_length: float = 1.0,
    stretch: float = 0.0,
    bending: float = 0.0,
    ground_stiffness: float = 0.0,
    ground_friction: float = 0.0,
) -> float:
    """Largest step [s] with which a lumped rope is stable.

    ``mass`` (n,) [kg], held ends too; ``stiffness`` of a spring [N/m], its ``friction`` and the
    air's [N s/m]; ``held`` first and last end; ``bending`` EI [N m^2], with the ``rest_length`` of
    a spring and its ``stretch`` [m]; ``ground_stiffness`` [N/m] and ``ground_friction`` [N s/m] of
    masses that lie, the larger of absorption and slide.
    """
    mass = np.array(mass, dtype=float)
    along = couplings(mass, held)
    free = mass[int(held[0]) : mass.size - int(held[1])]
    if free.size == 0:
        return math.inf
    lightest = float(free.min())
    across = (
        stiffness * max(stretch, 0.0) / (rest_length + stretch) + 4.0 * bending / rest_length**3
    )
    damping = along * friction + (air_friction + ground_friction) / lightest
    return limit(along * max(stiffness, across) + ground_stiffness / lightest, damping)
