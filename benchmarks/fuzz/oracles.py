"""Runs that have to come to the same: a scene against its twins, and against itself in other calls.

* ``moved`` by kilometres, ``turned`` about z: the same to ``ROUNDING``. Where they differ, runs
  that begin with roundings tell how long each quantity can be compared: what they no longer share
  is chaos, or stands on a kink. Friction that sticks is bounded row by row along fixed axes: what
  agrees without it is noted apart, and is no failure.
* ``mirrored`` in y, and ``masses`` in other units: the same to the last bit. What only differs as
  runs that begin with roundings do is noted apart.
* ``scaled``: lengths, masses and times by powers of two, with the gravity they leave: the
  same. Constants in m/s, such as that by which what is too long is hauled in, or in s have no such
  scale. Where a twin of the same speeds or times agrees, the difference is noted apart.
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
from cable_sim.model.basis.frames import Array

SHORT = 60
"""Most steps of a run that is compared."""
ROUNDING = 1e-6
"""Largest difference of a scene and its moved twin, of the scene's size, speeds and forces [-]."""
LAST_BITS = 1e-9
"""Difference up to which a twin that should have the same bits has them but for roundings [-]."""
CHAOS = 0.01
"""Part of what is allowed from which on runs that began with roundings end a comparison [-]."""
PROBES = 12
"""Most runs that begin with roundings: each tells on one side of a kink, or on the other."""
SCENE = Twin()
MOVED = Twin(moved=(1e3, -2e3, 50.0))
TURNED = Twin(angle=0.7)
MIRRORED = Twin(mirrored=True)
MASSES = Twin(mass=2.0**10)
SCALED = Twin(length=16.0, mass=2.0**12, time=4.0)
KEPT = {
    "constants in m/s": Twin(length=16.0, mass=2.0**12, time=16.0),
    "constants in s": Twin(length=16.0, mass=2.0**12),
}
"""Twins that keep speeds or times, by what accounts for a difference that one of them has not."""

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
            symptoms = outcome.symptoms | {(name, outcome.status != 0)}
            text = f"{outcome.detail}; {name}: {found}".removeprefix("; ")
            outcome = outcome._replace(symptoms=symptoms, detail=text)
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
    plain = case._replace(scene=without_friction(case.scene))
    if found is None or plain == case:
        return found, ""
    other = _compare_roughly(plain, steps, TURNED)
    return (found, "rows along axes") if other is None else (other, "")


def mirrored(case: Case, steps: int) -> Found:
    """Compare with a mirrored twin."""
    return _compare_bits(case, steps, MIRRORED)


def masses(case: Case, steps: int) -> Found:
    """Compare with a twin of another unit of mass."""
    return _compare_bits(case, steps, MASSES)


def scaled(case: Case, steps: int) -> Found:
    """Compare with a twin of other units, and where they differ with those of less."""
    case = case._replace(scene=rigid_joints(case.scene))
    found, reason = _compare_bits(case, steps, SCALED)
    if found is None or reason:
        return found, reason
    rows = run(case, steps)
    for reason, twin in KEPT.items():
        if first_difference(rows, run(case, steps, twin)) is None:
            return found, reason
    return found, ""


def _compare_bits(case: Case, steps: int, twin: Twin) -> Found:
    """Return what has other bits than a twin, and if no more than roundings account for it."""
    found = first_difference(run(case, steps), run(case, steps, twin))
    rough = found and _compare_roughly(case, steps, twin, LAST_BITS)
    return (rough, "") if rough else (found, "roundings" if found else "")


def _compare_roughly(
    case: Case, steps: int, twin: Twin, tolerance: float = ROUNDING
) -> Difference | None:
    """Return what differs from a twin before runs that differ by roundings do."""
    rows = run(case, steps)
    others = run(case, steps, twin)
    allowed = {name: tolerance * scale for name, scale in _scales(case, rows).items()}
    ends = dict.fromkeys(allowed, len(rows))
    found = _rough_difference(rows, others, allowed, ends)
    for noise in range(1, PROBES + 1):
        if found is None:
            break
        probe = run(case, steps, Twin(noise=noise))
        for name, most in allowed.items():
            parted = first_difference(rows, probe, {name: CHAOS * most})
            ends[name] = min(ends[name], parted.step) if parted else ends[name]
        found = _rough_difference(rows, others, allowed, ends)
    return found


def _rough_difference(
    rows: list[Row], others: list[Row], allowed: dict[str, float], ends: dict[str, int]
) -> Difference | None:
    """Return the first difference above what is allowed of a quantity before its end."""
    for name, end in ends.items():
        found = first_difference(rows[:end], others[:end], {name: allowed[name]})
        if found:
            return found
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
