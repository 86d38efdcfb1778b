"""The rope of the tutorial (NeHe, lesson 40): masses on springs that fall, in every engine with the
same forces."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import arrays, loops
from benchmarks.peers.contest import OURS, Absent, Comparison, Entry, best_ratios, costs
from benchmarks.peers.engines import absent_engine, engine
from benchmarks.rope import CONSTANTS, MASSES, Rope, tutorial_ticks
from benchmarks.timing import Case

H = 1e-3
STEPS = 500
"""Step [s], and how many of them: the rope has not yet reached its ground then, which the other
engines have not."""
AGAIN = 20
"""Falls in a timed call of what is fast."""
SAME = 1e-9
ALIKE = 5e-3
"""How far a mass may be from where it is in ours [m]: with the same arithmetic, and without the
half step by which ours leads, 2.5 mm at 5 m/s."""
SPACING = CONSTANTS[2]
OFF = "largest distance from ours [m]"
TEXT = f"""{MASSES} masses of 50 g with springs of 10 kN/m are released level, with the first mass held; {STEPS} steps of 1 ms (NeHe,
lesson 40). *Equal*: masses, springs, friction between neighbours in every direction, friction of the air, and velocity
before position. So C++, numpy and MuJoCo give the same result as cable_sim, to rounding. *Not equal*: cable_sim, C++ and
numpy check for every mass whether it is in the ground, which no mass has reached yet; the two engines have no such ground.
MuJoCo uses slides and tendons, with its implicit treatment of friction switched off. Exudyn uses mass points and
spring-dampers with its velocity Verlet. Its positions do not lead by half a step as those of the kernel do, which is
2.5 mm at 5 m/s. For cable_sim the rope alone is timed, without the simulator around it; the engines run completely."""


class Fall:
    """A rope that falls, and how far it ends from where ours does."""

    def __init__(self) -> None:
        self.rope = Rope(MASSES, SPACING)

    def entry(self, name: str, way: str, work: Callable[[], Any], again: int, most: float) -> Entry:
        """Of what moves the arrays of this rope."""

        def repeated() -> None:
            for _ in range(again):
                self.rope.restore()
                work()

        return Entry(name, way, Case(repeated, again * STEPS * MASSES), self.judge, {OFF: most})

    def judge(self) -> dict[str, float]:
        """How far from ours."""
        return {OFF: largest_distance(self.rope.position)}


@cache
def end_of_ours() -> NDArray[np.float64]:
    """Where the masses are in the end (n, 3) [m]."""
    rope = Rope(MASSES, SPACING)
    tutorial_ticks(rope, STEPS)()
    return rope.position


def largest_distance(position: Any) -> float:
    """Largest distance of a mass from where it is in ours [m]."""
    return float(np.linalg.norm(position - end_of_ours(), axis=1).max())


def enter() -> list[Entry | Absent]:
    """Everybody."""
    fall = Fall()
    entries = []
    entries.append(
        fall.entry(OURS, "compiled kernel", tutorial_ticks(fall.rope, STEPS), AGAIN, SAME)
    )
    for form, way in (
        ("one_pass", "one pass, as the kernel"),
        ("as_printed", "as the text has it"),
    ):
        loop = loops.tutorial_rope(form)
        fall = Fall()
        work = _bind_loop(loop, fall) if loop else None
        entries.append(fall.entry("C++", way, work, AGAIN, SAME) if work else absent_engine("C++"))
    fall = Fall()
    entries.append(fall.entry("numpy", "arrays", _bind_loop(arrays.tutorial_rope, fall), 1, SAME))
    return [*entries, *_engines()]


def _bind_loop(loop: Callable[..., None], fall: Fall) -> Callable[[], None]:
    """A loop with the arrays of a rope."""
    return lambda: loop(CONSTANTS, STEPS, H, fall.rope.position, fall.rope.velocity)


def _engines() -> list[Entry | Absent]:
    """MuJoCo and Exudyn."""
    found: list[Entry | Absent] = []
    for name, module, way, most in (
        ("MuJoCo", "mujoco_springs", "slides and tendons, Euler", SAME),
        ("Exudyn", "exudyn_springs", "mass points, velocity Verlet", ALIKE),
    ):
        made = engine(name, module)
        if made is None:
            found.append(absent_engine(name))
            continue
        chain = made.springs(Rope(MASSES, SPACING).start, CONSTANTS, H)
        case = chain.case(STEPS)._replace(
            count=STEPS * MASSES
        )  # as of the others: the held one counts, too
        found.append(
            Entry(name, way, case, lambda c=chain: {OFF: largest_distance(c.curve())}, {OFF: most})
        )
    return found


NEHE = Comparison(
    "nehe_rope",
    "Rope of the NeHe tutorial",
    "ns a mass and step",
    1e9,
    TEXT,
    enter,
    lambda results: best_ratios(costs(results)),
)
