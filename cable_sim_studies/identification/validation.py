"""Validation of a crane against recordings that were not used for it: :func:`validate`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cable_sim.cranes.catalogue import load_crane, rebuilt
from cable_sim.cranes.crane import Crane
from cable_sim.errors import SpecError
from cable_sim.sim.recording.recording import Recording
from cable_sim_studies.identification.comparison import Comparison, accuracies_of
from cable_sim_studies.identification.identify import Given, lifts_of, series_of
from cable_sim_studies.identification.replaying import check_commands
from cable_sim_studies.identification.structure import SignalTest, tests_of


class Tolerance(NamedTuple):
    """Largest allowed root mean square of a signal's error: absolute [unit of the signal], or as a
    part of its range [-]."""

    value: float
    is_share: bool = False


class SignalError(NamedTuple):
    """Error of a signal in a recording.

    Parameters
    ----------
    recording: its number, from 1.
    signal: its name.
    rms, worst: root mean square and largest amount of recorded minus model [unit of the signal].
    mean: mean of recorded minus model [unit of the signal].
    allowed: tolerance of the rms [unit of the signal]; infinite without one.
    """

    recording: int
    signal: str
    rms: float
    worst: float
    mean: float
    allowed: float

    @property
    def is_kept(self) -> bool:
        """Return True if the error is within its tolerance."""
        return self.rms <= self.allowed


@dataclass(frozen=True)
class Validation:
    """Crane beside recordings.

    Parameters
    ----------
    crane: as it was run.
    sources: names of the recordings.
    errors: by recording and signal, in SI units.
    tests: residuals by signal.
    series: recorded and modelled series of each recording, in SI units.
    """

    crane: Crane
    sources: tuple[str, ...]
    errors: tuple[SignalError, ...]
    tests: tuple[SignalTest, ...]
    series: tuple[Recording, ...] = field(repr=False)

    @property
    def is_kept(self) -> bool:
        """Return True if all errors are within their tolerances."""
        return all(one.is_kept for one in self.errors)

    def save(self, path: str | Path) -> Path:
        """Write the report, a self-contained HTML page; return its path."""
        from cable_sim.atomic_files import write_text
        from cable_sim_studies.reports.identification_page import validation_page

        place = Path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_text(place, validation_page(self))
        return place


def parse_tolerance(text: str) -> Tolerance:
    """Return the tolerance of a text: a number, or one with %; SpecError for another text."""
    share = text.strip().endswith("%")
    try:
        value = float(text.strip().rstrip("%")) * (0.01 if share else 1.0)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise SpecError(f"tolerance {text!r} is not allowed; give a number above 0, or 2 %")
    return Tolerance(value, share)


def validate(
    crane: Crane | str | Path,
    recordings: Given | Sequence[Given],
    tolerances: Mapping[str, Tolerance | str] | None = None,
    changes: Mapping[str, Any] | None = None,
    signals: Sequence[str] = (),
    skip: float = 0.0,
    period: float = 1e-2,
    dt: float = 1e-3,
) -> Validation:
    """Run a crane under recorded commands, and compare its readings with the recorded ones.

    Raises SpecError for recordings, signals and tolerances that do not fit.

    Parameters
    ----------
    crane: crane, its name, or its file.
    recordings: recordings, files or lifts, as :func:`identify` takes them.
    tolerances: by signal, a text such as ``50`` [unit of the signal] or ``2 %`` of its range.
    changes: values of the crane's file by path.
    signals: readings to compare; left out, all sensors of the crane that are recorded.
    skip: time at the start of every recording that is not compared [s].
    period, dt: control period and physics step [s].
    """
    base = crane if isinstance(crane, Crane) else load_crane(crane)
    base = rebuilt(base, changes) if changes else base
    lifts = lifts_of(recordings)
    for lift in lifts:
        check_commands(lift.recording, base)
    accuracies = accuracies_of(base, lifts, signals, {})
    given = {
        n: parse_tolerance(t) if isinstance(t, str) else t for n, t in (tolerances or {}).items()
    }
    for name in given:
        if name not in accuracies:
            raise SpecError(f"tolerance {name!r}: is not compared; {', '.join(accuracies)} are")
    comparison = Comparison(base, lifts, (), accuracies, skip, (period, dt))
    try:
        nothing = np.zeros(0)
        comparison.residuals(nothing)
        errors = []
        for piece in comparison.pieces:
            rest = piece.values - comparison.model(piece, nothing)
            allowed = _allowed(given.get(piece.signal), piece.values)
            rms = math.sqrt(float(np.mean(rest**2)))
            worst = float(np.max(np.abs(rest)))
            number = piece.lift + 1
            errors.append(
                SignalError(number, piece.signal, rms, worst, float(rest.mean()), allowed)
            )
        names = [getattr(lift.recording, "source", "") or "recording" for lift in lifts]
        series = tuple(series_of(comparison, nothing, i) for i in range(len(lifts)))
        return Validation(base, tuple(names), tuple(errors), tests_of(comparison, nothing), series)
    finally:
        comparison.close()


def _allowed(tolerance: Tolerance | None, values: Any) -> float:
    """Return the allowed error of a series, in its unit."""
    if tolerance is None:
        return math.inf
    return tolerance.value * (float(np.ptp(values)) if tolerance.is_share else 1.0)
