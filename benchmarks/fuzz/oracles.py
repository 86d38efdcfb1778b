"""Runs that have to come to the same: a scene against its twins, and against itself in other calls.

* ``moved`` by kilometres, ``turned`` about z: the same to ``ROUNDING``. Where they differ, runs
  that begin with roundings tell how long each quantity can be compared: what they no longer share
  is chaos, or stands on a kink. Compliant joints are damped, and friction that sticks is bounded,
  row by row along fixed axes: what agrees without them is noted apart, and is no failure.
* ``mirrored`` in y, and ``masses`` in other units: the same to the last bit.
* ``scaled``: lengths, masses and times by powers of two, with the gravity they leave: to the last
  bit. Constants in m/s, such as that by which what is too long is hauled in, have no such scale. A
  twin of the same speeds does: where it agrees, the difference is noted apart.
* ``calls``, ``batch``, ``restored``, ``process``: the same bits in other ways (``repeats.py``).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.fuzz import repeats
from benchmarks.fuzz.checks import Outcome, examine, intervene, push_force
from benchmarks.fuzz.scenes import Case
from benchmarks.fuzz.twins import (
    FORCE,
    LENGTH,
    NUMBER,
    RATE,
    READ,
    SPEED,
    Translator,
    Twin,
    rigid_joints,
    without_friction,
)
from cable_sim import Simulator
from cable_sim.errors import StepError
from cable_sim.model.frames import Array

SHORT = 60
"""Most steps of a run that is compared."""
ROUNDING = 1e-6
"""Largest difference of a scene and its moved twin, of the scene's size, speeds and forces [-]."""
CHAOS = 1e-8
"""Difference of runs that began with roundings, from which on nothing is compared [-]."""
PROBES = 12
"""Most runs that begin with roundings: each tells on one side of a kink, or on the other."""
SCENE = Twin()
MOVED = Twin(moved=(1e3, -2e3, 50.0))
TURNED = Twin(angle=0.7)
MIRRORED = Twin(mirrored=True)
MASSES = Twin(mass=2.0**10)
SCALED = Twin(length=16.0, mass=2.0**12, time=4.0)
SAME_SPEEDS = Twin(length=16.0, mass=2.0**12, time=16.0)

Row = dict[str, Array]
Found = tuple[object, str]
"""Difference, None without one, and what accounts for it by design, if anything does."""


class Difference(NamedTuple):
    """First difference of two runs: step, quantity, and size."""

    step: int
    name: str
    size: float

    def __str__(self) -> str:
        return f"{self.name} by {self.size:.3g} at step {self.step}"


def examine_all(case: Case, steps: int, oracles: tuple[str, ...]) -> Outcome:
    """Return what comes of a case by itself, and of what some oracles compare."""
    outcome = examine(case, steps)
    if outcome.ending not in ("ran", "stopped") or outcome.failed:
        return outcome
    count = min(steps, SHORT)
    short = case._replace(acts=tuple((count // 2, act, thing) for _, act, thing in case.acts))
    for name in oracles:
        try:
            found, reason = ORACLES[name](short, count)
        except Exception as error:
            found, reason = f"raised {type(error).__name__}: {error}", ""
        if found and reason:
            outcome = outcome._replace(notes=(*outcome.notes, f"{name} differs by {reason}"))
        elif found:
            told = outcome.symptoms | {(name, False)}
            outcome = outcome._replace(symptoms=told, detail=f"{outcome.detail}; {name}: {found}")
    return outcome


def examine_for(case: Case, steps: int, symptom: str) -> Outcome:
    """Examine a case for a symptom of its own, or of an oracle."""
    return examine_all(case, steps, (symptom,) if symptom in ORACLES else ())


def moved(case: Case, steps: int) -> Found:
    """Compare with a twin far away."""
    return _compare_roughly(case, steps, MOVED), ""


def turned(case: Case, steps: int) -> Found:
    """Compare with a twin turned about z, and where they differ without rows along axes."""
    found = _compare_roughly(case, steps, TURNED)
    plain = case._replace(scene=without_friction(rigid_joints(case.scene)))
    if found is None or plain == case:
        return found, ""
    other = _compare_roughly(plain, steps, TURNED)
    return (found, "rows along axes") if other is None else (other, "")


def mirrored(case: Case, steps: int) -> Found:
    """Compare with a mirrored twin."""
    return first_difference(run(case, steps), run(case, steps, MIRRORED)), ""


def masses(case: Case, steps: int) -> Found:
    """Compare with a twin of another unit of mass."""
    return first_difference(run(case, steps), run(case, steps, MASSES)), ""


def scaled(case: Case, steps: int) -> Found:
    """Compare with a twin of other units, and where they differ with one of the same speeds."""
    case = case._replace(scene=rigid_joints(case.scene))
    rows = run(case, steps)
    found = first_difference(rows, run(case, steps, SCALED))
    if found is None:
        return None, ""
    other = first_difference(rows, run(case, steps, SAME_SPEEDS))
    return (found, "constants in m/s") if other is None else (other, "")


def _compare_roughly(case: Case, steps: int, twin: Twin) -> Difference | None:
    """Return what differs from a twin before runs that differ by roundings do."""
    rows = run(case, steps)
    others = run(case, steps, twin)
    scales = _scales(case, rows)
    ends = dict.fromkeys(scales, len(rows))
    found = _rough_difference(rows, others, scales, ends)
    for noise in range(1, PROBES + 1):
        if found is None:
            break
        probe = run(case, steps, Twin(noise=noise))
        for name, scale in scales.items():
            parted = first_difference(rows, probe, {name: CHAOS * scale})
            ends[name] = min(ends[name], parted.step) if parted else ends[name]
        found = _rough_difference(rows, others, scales, ends)
    return found


def _rough_difference(
    rows: list[Row], others: list[Row], scales: dict[str, float], ends: dict[str, int]
) -> Difference | None:
    """Return a difference above ``ROUNDING`` of a quantity before its end, in its scale."""
    for name, end in ends.items():
        allowed = {name: ROUNDING * scales[name]}
        found = first_difference(rows[:end], others[:end], allowed)
        if found:
            return found._replace(size=found.size / scales[name])
    return None


def run(case: Case, steps: int, twin: Twin = SCENE) -> list[Row]:
    """Return the readings of a case's twin after each step, in the frame and units of the case.

    They end where a step can't be taken.
    """
    words = Translator(twin)
    other = words.case(case)
    simulator = Simulator(other.scene, dt=other.dt, stepper=other.stepper)
    rows = [words.readings(simulator.observe())]
    for step in range(steps):
        for at, act, thing in case.acts:
            if at == step:
                force = words.vector(push_force(case, act, thing), FORCE)
                intervene(simulator, act, thing, force, twin.length)
        try:
            simulator.step()
        except StepError:
            break
        rows.append(words.readings(simulator.observe()))
    return rows


def first_difference(
    rows: list[Row], others: list[Row], allowed: dict[str, float] | None = None
) -> Difference | None:
    """Return the first difference above what is allowed of each name; left out, of any bit."""
    for step, (row, other) in enumerate(zip(rows, others, strict=False)):
        for name, most in (allowed or dict.fromkeys(row, 0.0)).items():
            size = _distance(row[name], other[name])
            if not size <= most:
                return Difference(step, name, size)
    if len(rows) != len(others):
        return Difference(min(len(rows), len(others)), "last step", abs(len(rows) - len(others)))
    return None


def _distance(values: Array, others: Array) -> float:
    """Return the largest difference of two readings; orientations have two signs."""
    if values.shape != others.shape:
        return float("inf")
    if np.array_equal(values, others, equal_nan=True) or values.size == 0:
        return 0.0
    apart = np.abs(values.astype(float) - others.astype(float))
    return float(np.nanmax(apart))


def _scales(case: Case, rows: list[Row]) -> dict[str, float]:
    """Return sizes, speeds and forces of a run with its fall and weights, by names of readings."""
    most = {name: max(float(np.abs(row[name]).max(initial=0.0)) for row in rows) for name in READ}
    gravity = float(np.linalg.norm(case.scene.gravity))
    weight = gravity * sum(body.mass for body in case.scene.bodies)
    force = max(most["span_tension"], most["segment_tension"], weight)
    fall = gravity * case.dt * len(rows)
    speed = max(most["body_velocity"], most["body_angular_velocity"], fall)
    size = max(most["body_position"], most["cable_length_paid_out"])
    kinds = {LENGTH: size, SPEED: speed, RATE: speed, FORCE: force, NUMBER: 1.0}
    return {name: kinds[units] for name, units in READ.items()}


ORACLES: dict[str, Callable[[Case, int], Found]] = {
    "moved": moved,
    "turned": turned,
    "mirrored": mirrored,
    "masses": masses,
    "scaled": scaled,
    "calls": repeats.calls,
    "batch": repeats.batch,
    "restored": repeats.restored,
    "process": repeats.process,
}
