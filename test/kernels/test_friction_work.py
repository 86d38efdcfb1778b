"""The search for the part of its friction that lets rope come to rest."""

from collections.abc import Callable

import numpy as np
import pytest

from cable_sim.kernels.cables.friction.friction_work import NEAR, begin_search, next_part
from cable_sim.kernels.cables.hybrid.segments import COLUMNS, PART
from cable_sim.kernels.jit import kernel


@kernel
def first_part(taken, number):
    """Begin the search of a segment."""
    return begin_search(taken, number)


@kernel
def part_after(taken, number):
    """Go on with the search of a segment."""
    return next_part(taken, number)


def search(takes: Callable[[float], float]) -> tuple[float, int]:
    """Return the part that is found, and how often it was asked for what friction takes."""
    number = np.full(COLUMNS, np.nan)
    part, asked = first_part(takes(1.0), number), 1
    while True:
        number[PART] = part
        part, asked = part_after(takes(part), number), asked + 1
        if part == number[PART]:
            return part, asked


@pytest.mark.parametrize("rest", [0.0, 0.01, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("bend", [0.0, 0.5, -0.3])
def test_rope_comes_to_rest_and_does_not_run_back(bend: float, rest: float) -> None:
    """Friction takes nothing at a part ``rest``, and less with more of it, on a line or a curve."""

    def takes(part: float) -> float:
        return 1e-3 * (rest - part) * (1.0 + bend * part)

    part, asked = search(takes)
    assert 0.0 <= takes(part) <= -NEAR * takes(1.0) or part == pytest.approx(rest, abs=1e-3)
    assert asked <= 9


def test_what_jumps_is_left_on_the_side_that_takes() -> None:
    """A segment that gets slack between two parts never comes near nothing."""
    part, asked = search(lambda part: 1.0 if part < 0.7 else -1.0)
    assert 0.698 < part < 0.7
    assert asked < 20
