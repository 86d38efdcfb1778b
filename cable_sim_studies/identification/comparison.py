r"""Residuals of a crane beside its recordings, and their derivatives.

A signal y is recorded at times t. The crane's run under the recorded commands gives its expected
readings m(t; p). With a lag l and an offset o of the sensor, the residual is

    e = (m(t - l; p) + o - y) / sigma,        sigma^2 = noise^2 + quantum^2 / 12

because rounding to a quantum adds an error that is uniform over it. Where the sensor of the file
makes no error, the noise is estimated from the recording: second differences of white noise,
y_{k-1} - 2 y_k + y_{k+1}, have the variance 6 sigma^2, and a smooth motion hardly changes their
median. A parameter with a known standard deviation s adds the residual (p - p_start) / s.

Rounding to a quantum that is coarser than the noise gives no new error in every row: while nothing
moves it stays, and at a speed of whole quanta a row it returns with each row. So a row of such a
signal counts for a part w of one, the residual being sqrt(w) e: all rows that follow one another by
the same step, such as none, count once together. At other speeds the error returns in part, and all
rows in a block of BLOCK seconds count once. A sensor that is slower than
the rows stays, too, until its next sample: each row counts for the share of a sample in it.

Derivatives are forward differences. Lags and offsets need no run of their own.
"""

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.cranes.catalogue import rebuilt
from cable_sim.cranes.crane import Crane
from cable_sim.errors import SpecError
from cable_sim.sim.recording.recording import Recording
from cable_sim.spec.files import to_yaml
from cable_sim_studies.identification.parameters import Parameter, changed
from cable_sim_studies.identification.replaying import interpolated, replay

Array = NDArray[np.float64]
STEP = 3e-5
"""Step of differences over the size of a parameter [-]: with ten times as much, ropes that stick on
sheaves give other slopes; with a tenth, rounding does."""
LAG_STEP = 1e-3
"""Step of differences of a lag [s]."""
BLOCK = 0.5
"""Time over which the rounding of a coarse signal may stay [s]."""
NORMAL = 0.6745
"""Median of the amount of a standard normal number."""


class Lift(NamedTuple):
    """Recording with commands, and changes of the crane's file that hold for it alone.

    ``changes`` are by path, in the units of the fields, such as the depth at which it starts.
    """

    recording: Recording
    changes: Mapping[str, float] = {}


class Accuracy(NamedTuple):
    """Random error of a signal, in its unit: standard deviation of its noise, and its quantum.

    ``is_known`` is False if they were estimated from the recording. ``rate`` is the number of
    samples per second [Hz], each with an error of its own; infinite for one in every row.
    """

    noise: float
    quantum: float
    is_known: bool = True
    rate: float = math.inf

    @property
    def sigma(self) -> float:
        """Return the standard deviation of both [unit of the signal]."""
        return math.hypot(self.noise, self.quantum / math.sqrt(12.0))

    @property
    def is_coarse(self) -> bool:
        """Return True if rounding is more than the noise."""
        return self.quantum > self.noise


class Piece(NamedTuple):
    """Rows of a signal of a lift: times (n,) [s] and values (n,) in its unit, without gaps."""

    lift: int
    signal: str
    times: Array
    values: Array


class Comparison:
    """Crane beside its recordings.

    Parameters
    ----------
    crane: crane as its file says.
    lifts: recordings.
    parameters: settled parameters.
    accuracies: errors of the compared signals by name, in their units.
    skip: time at the start of each recording that is not compared [s].
    times: period of ticks and physics step [s].
    store: folder in which runs are kept, so that another start finds them; None for none.
    """

    def __init__(
        self,
        crane: Crane,
        lifts: Sequence[Lift],
        parameters: Sequence[Parameter],
        accuracies: Mapping[str, Accuracy],
        skip: float = 0.0,
        times: tuple[float, float] = (1e-2, 1e-3),
        store: Path | None = None,
    ) -> None:
        self.crane = crane
        self.lifts = tuple(lifts)
        self.parameters = tuple(parameters)
        self.accuracies = dict(accuracies)
        self.pieces = _pieces(lifts, list(accuracies), skip)
        self._skip = skip
        self._weights = [weights(piece, accuracies[piece.signal]) for piece in self.pieces]
        self.runs = 0
        self._times = times
        self._store = store
        self._known: dict[tuple[int, tuple[float, ...]], Recording] = {}
        self._pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        self._digest = self._identity() if store else ""
        if store:
            store.mkdir(parents=True, exist_ok=True)

    @property
    def rows(self) -> float:
        """Return the number of independent residuals [-]."""
        priors = sum(1 for one in self.parameters if one.sigma)
        return float(sum(weight.sum() for weight in self._weights)) + priors

    def beginning(self, share: float) -> "Comparison":
        """Return the comparison with the first rows of each lift, a share [-] of those compared."""
        lifts = []
        for i, (recording, changes) in enumerate(self.lifts):
            times = [piece.times for piece in self.pieces if piece.lift == i]
            end = np.quantile(np.concatenate(times), share) if times else math.inf
            made = Recording(recording.channels, 0)
            made.append(recording.rows[recording.time <= end])
            lifts.append(Lift(made, changes))
        own = self.parameters, self.accuracies, self._skip, self._times, self._store
        return Comparison(self.crane, lifts, *own)

    def residuals(self, values: Array) -> Array:
        """Return all residuals (n,) [-] for parameters (p,) in their units, prior ones last."""
        self._prepare([values])
        return self._residuals(values)

    def jacobian(self, values: Array) -> Array:
        """Return the derivatives (n, p) of the residuals by the parameters, in 1 / their units."""
        steps = self._steps(values)
        moved = [values + np.eye(len(values))[i] * step for i, step in enumerate(steps)]
        self._prepare([values, *moved])
        base = self._residuals(values)
        columns = [
            (self._residuals(one) - base) / step for one, step in zip(moved, steps, strict=True)
        ]
        return np.array(columns).T

    def costs(self, candidates: Sequence[Array]) -> list[float]:
        """Return half the sum of squared residuals [-] of each candidate (p,)."""
        self._prepare(candidates)
        return [0.5 * float(np.sum(self._residuals(one) ** 2)) for one in candidates]

    def model(self, piece: Piece, values: Array) -> Array:
        """Return the expected readings (n,) of a piece, in its unit."""
        run = self._run(piece.lift, values)
        errors = {one.path: value for one, value in zip(self.parameters, values, strict=True)}
        lag = errors.get(f"lag.{piece.signal}", 0.0)
        return interpolated(run, piece.signal, piece.times - lag) + errors.get(
            f"offset.{piece.signal}", 0.0
        )

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def _residuals(self, values: Array) -> Array:
        """Return all residuals (n,) of runs that are known."""
        parts = [
            np.sqrt(weight)
            * (self.model(piece, values) - piece.values)
            / self.accuracies[piece.signal].sigma
            for piece, weight in zip(self.pieces, self._weights, strict=True)
        ]
        prior = [
            (value - (one.start or 0.0)) / one.sigma
            for one, value in zip(self.parameters, values, strict=True)
            if one.sigma
        ]
        return np.concatenate([*parts, np.array(prior)])

    def _steps(self, values: Array) -> Array:
        """Return the steps (p,) of differences, inward at an upper bound."""
        steps = []
        for one, value in zip(self.parameters, values, strict=True):
            assert one.low is not None and one.high is not None
            size = max(abs(value), min(abs(one.low), abs(one.high)), one.sigma or 0.0)
            if one.sensor and one.sensor[0] == "lag":
                size = LAG_STEP / STEP
            elif one.sensor:
                size = self.accuracies[one.sensor[1]].sigma / STEP
            step = STEP * (size or one.high - one.low)
            steps.append(step if value + step <= one.high else -step)
        return np.array(steps)

    def _prepare(self, candidates: Sequence[Array]) -> None:
        """Run all candidates that have not been run, side by side."""
        wanted = {self._key(i, one): one for one in candidates for i in range(len(self.lifts))}
        missing = [(key, one) for key, one in wanted.items() if key not in self._known]
        found = self._pool.map(lambda item: self._made(item[0][0], item[1]), missing)
        for (key, _), run in zip(missing, found, strict=True):
            self._known[key] = run

    def _run(self, lift: int, values: Array) -> Recording:
        """Return the run of a lift with parameters."""
        return self._known[self._key(lift, values)]

    def _key(self, lift: int, values: Array) -> tuple[int, tuple[float, ...]]:
        """Return the lift and the values that change its run."""
        pairs = zip(self.parameters, values.tolist(), strict=True)
        return lift, tuple(value for one, value in pairs if not one.sensor)

    def _made(self, lift: int, values: Array) -> Recording:
        """Return a run, from the store if it is there."""
        names = list(self.accuracies)
        recording, changes = self.lifts[lift]
        path = self._store / f"{self._name(lift, values)}.npz" if self._store else None
        if path and path.is_file():
            from cable_sim.sim.recording.recording_files import read_recording

            return read_recording(path)
        crane = rebuilt(self.crane, changes) if changes else self.crane
        own = changed(crane, self.parameters, values.tolist())
        run = replay(own, recording, names, period=self._times[0], dt=self._times[1])
        self.runs += 1
        if path:
            run.write(path)
        return run

    def _name(self, lift: int, values: Array) -> str:
        """Return the name of a run's file."""
        text = repr((self._digest, self._key(lift, values)))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _identity(self) -> str:
        """Return a digest of all that determines runs but the values of the parameters."""
        from cable_sim_studies.sweeps.identity import code

        parts = [
            code(),
            to_yaml(self.crane.details),
            repr(self._times),
            repr(list(self.accuracies)),
        ]
        parts += [one.path for one in self.parameters]
        for lift in self.lifts:
            parts.append(repr((sorted(lift.changes.items()), lift.recording.columns)))
            parts.append(hashlib.sha256(lift.recording.rows.tobytes()).hexdigest())
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def accuracies_of(
    crane: Crane, lifts: Sequence[Lift], signals: Sequence[str], given: Mapping[str, float]
) -> dict[str, Accuracy]:
    """Return the errors of signals, by name, in their units.

    Those that are ``given`` as standard deviations come first, then those of the crane's sensors,
    then estimates. Without ``signals`` they are all sensors of the crane that the recordings have.
    Raises SpecError for a signal that is not recorded or that the crane does not have.
    """
    sensors = {one.name: one for one in crane.sensors}
    rates = {one.name: one.rate for one in crane.sensors}
    recorded = [name for lift in lifts for name in lift.recording.columns]
    wanted = list(signals) or [name for name in sensors if name in recorded]
    if not wanted:
        raise SpecError(
            f"recording: has no reading of the crane; recorded are {', '.join(recorded)}; readings "
            f"are {', '.join(sensors) or 'none: the file has no sensors'}"
        )
    for signal in [*wanted, *given]:
        if signal not in recorded:
            known = ", ".join(recorded)
            raise SpecError(f"signal {signal!r}: is not recorded; recorded are {known}")
    found = {}
    for signal in wanted:
        _check_unit(crane, lifts, signal)
        sensor = sensors.get(signal)
        rate = rates.get(signal, math.inf)
        if signal in given:
            found[signal] = Accuracy(given[signal], 0.0, rate=rate)
        elif sensor and (sensor.noise or sensor.quantum):
            found[signal] = Accuracy(sensor.noise, sensor.quantum, rate=rate)
        else:
            found[signal] = Accuracy(_estimated(lifts, signal), 0.0, False)
    return found


def _check_unit(crane: Crane, lifts: Sequence[Lift], signal: str) -> None:
    """Raise SpecError for a signal that is recorded in another unit than the crane reads it in."""
    names = {one.name for one in crane.sensors} | {one.name for one in crane.quantities}
    if signal not in names:
        return
    own = crane.unit_of_reading(signal)
    for recording, _ in lifts:
        units = dict(zip(recording.columns, recording.units, strict=True))
        given = units.get(signal, own)
        if own and given not in (own, "-"):
            raise SpecError(f"signal {signal!r}: is recorded in {given}; the crane reads {own}")


def _estimated(lifts: Sequence[Lift], signal: str) -> float:
    """Return the standard deviation of the noise of a signal, in its unit, from its recordings."""
    series = [piece.values for piece in _pieces(lifts, [signal], 0.0)]
    second = np.concatenate([np.diff(values, 2) for values in series])
    noise = float(np.median(np.abs(second))) / NORMAL / math.sqrt(6.0) if len(second) else 0.0
    spread = max(float(np.ptp(values)) for values in series)
    return max(noise, 1e-4 * spread) or 1.0


def weights(piece: Piece, accuracy: Accuracy) -> Array:
    """Return the part (n,) of an independent row [-] that each row of a signal is."""
    if not accuracy.is_coarse:
        return np.full(len(piece.times), samples_a_row(piece, accuracy))
    steps = np.diff(np.rint(piece.values / accuracy.quantum), prepend=np.nan)
    steps[:1] = steps[1:2]
    ends = np.flatnonzero(np.diff(steps, append=np.nan) != 0.0) + 1
    alike = np.diff(ends, prepend=0)
    block = np.floor((piece.times - piece.times[0]) / BLOCK).astype(np.int64)
    together = np.bincount(block)[block]
    return 1.0 / np.maximum(np.repeat(alike, alike), together)


def samples_a_row(piece: Piece, accuracy: Accuracy) -> float:
    """Return the number of samples of a signal for each of its rows [-], 1 at most."""
    if len(piece.times) < 2:
        return 1.0
    return min(1.0, accuracy.rate * float(np.median(np.diff(piece.times))))


def _pieces(lifts: Sequence[Lift], signals: Sequence[str], skip: float) -> list[Piece]:
    """Return the rows of all signals in all lifts that have numbers."""
    made = []
    for i, lift in enumerate(lifts):
        time = lift.recording.time
        for signal in signals:
            if signal in lift.recording.columns:
                values = lift.recording[signal]
                kept = ~np.isnan(values) & (time > time[0] + skip)
                made.append(Piece(i, signal, time[kept], values[kept]))
    if not any(len(piece.times) for piece in made):
        raise SpecError(f"recordings: no row of {', '.join(signals)} is left to compare")
    return [piece for piece in made if len(piece.times)]
