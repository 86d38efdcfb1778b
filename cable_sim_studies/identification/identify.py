"""Identification of a crane from recordings: :func:`identify`."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.atomic_files import write_text
from cable_sim.cranes.catalogue import load_crane, rebuilt, save_crane
from cable_sim.cranes.crane import Crane
from cable_sim.errors import SpecError
from cable_sim.pictured import table
from cable_sim.sim.readings.channels import TIME, Channel
from cable_sim.sim.recording.logs import read_log
from cable_sim.sim.recording.recording import Recording
from cable_sim.sim.recording.recording_files import NEVER_READ
from cable_sim_studies.identification.bands import Bands, bands_of
from cable_sim_studies.identification.comparison import Comparison, Lift, accuracies_of
from cable_sim_studies.identification.fitting import Step, fit
from cable_sim_studies.identification.parameters import Parameter, changed, settle
from cable_sim_studies.identification.replaying import check_commands
from cable_sim_studies.identification.structure import SignalTest, tests_of
from cable_sim_studies.identification.words import sentences

Array = NDArray[np.float64]
RESULTS = "identified.json"
HEADS = ("parameter", "start", "found", "sd", "95 % from", "to")
Given = Recording | Lift | str | Path
"""Recording, with changes of the crane's file for it alone, or the file of one."""


class Estimate(NamedTuple):
    """Identified parameter.

    Parameters
    ----------
    path: of the field in the crane's file, or ``lag.SIGNAL``, ``offset.SIGNAL``.
    start, value: before and after, in the unit of the field.
    sigma: standard deviation, in the unit of the field.
    low, high: band of 95 %, in the unit of the field.
    """

    path: str
    start: float
    value: float
    sigma: float
    low: float
    high: float


@dataclass(frozen=True)
class Identification:
    """Crane identified from recordings.

    Parameters
    ----------
    crane: crane with the values that were found.
    estimates: parameters with their bands, in the units of their fields.
    bands: standard deviations and correlations.
    tests: residuals by signal, and whether they are those of the sensors.
    sentences: conclusions in words.
    residuals: recorded and modelled series of each recording, as ``SIGNAL.recorded``, ``.model``
        and ``.residual``, in SI units.
    runs: number of simulated recordings.
    starts: number of starts, and of those that ended at the same minimum.
    """

    crane: Crane
    estimates: tuple[Estimate, ...]
    bands: Bands
    tests: tuple[SignalTest, ...]
    sentences: tuple[str, ...]
    residuals: tuple[Recording, ...] = field(repr=False)
    runs: int
    starts: tuple[int, int]

    @property
    def is_explained(self) -> bool:
        """Return True if all residuals are those of the sensors."""
        return all(test.is_explained for test in self.tests)

    def __getitem__(self, path: str) -> Estimate:
        """Return the estimate of a parameter; raise SpecError if it was not identified."""
        for one in self.estimates:
            if one.path == path:
                return one
        known = ", ".join(one.path for one in self.estimates)
        raise SpecError(f"parameter {path!r} was not identified; identified were {known}")

    def __repr__(self) -> str:
        rows = [
            f"{e.path:32s} {e.value:.6g} in {e.low:.6g}..{e.high:.6g} (was {e.start:.6g})"
            for e in self.estimates
        ]
        return "\n".join([f"Identification of {self.crane.name!r}", *rows, *self.sentences])

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the table of parameters, and the sentences."""
        told = "".join(f"<p>{escape(text)}</p>" for text in self.sentences)
        return table(HEADS, [tuple(one) for one in self._rows()]) + told

    def _rows(self) -> list[tuple[Any, ...]]:
        """Return the rows of the table of parameters."""
        return [(e.path, e.start, e.value, e.sigma, e.low, e.high) for e in self.estimates]

    def figures(self) -> dict[str, Any]:
        """Return all figures as plain values, in the units of the parameters and signals."""
        return {
            "crane": self.crane.name,
            "parameters": [one._asdict() for one in self.estimates],
            "correlation": self.bands.correlation.tolist(),
            "signals": [
                {**one._asdict(), "accuracy": one.accuracy._asdict()} for one in self.tests
            ],
            "sentences": list(self.sentences),
            "runs": self.runs,
            "starts": list(self.starts),
        }

    def save(self, folder: str | Path) -> list[Path]:
        """Write the crane's file, ``identified.json``, ``report.html`` and the series; return their
        paths."""
        from cable_sim_studies.reports.identification_page import page

        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        paths = [place / f"{self.crane.name}.yaml", place / RESULTS, place / "report.html"]
        save_crane(self.crane, paths[0])
        write_text(paths[1], json.dumps(plain(self.figures()), indent=1) + "\n")
        write_text(paths[2], page(self))
        for number, series in enumerate(self.residuals, start=1):
            paths.append(place / f"series_{number}.csv")
            series.write(paths[-1])
        return paths


def identify(
    crane: Crane | str | Path,
    recordings: Given | Sequence[Given],
    parameters: Sequence[Parameter | str],
    changes: Mapping[str, Any] | None = None,
    signals: Sequence[str] = (),
    noise: Mapping[str, float] | None = None,
    skip: float = 0.0,
    starts: int = 3,
    seed: int = 0,
    store: str | Path | None = None,
    period: float = 1e-2,
    dt: float = 1e-3,
    progress: Callable[[Step], None] = lambda step: None,
) -> Identification:
    """Identify parameters of a crane from recordings of its commands and readings.

    Raises SpecError for parameters, signals and recordings that do not fit, ConfigError for the
    crane's file.

    Parameters
    ----------
    crane: crane, its name, or its file.
    recordings: recordings or files, see
        :func:`~cable_sim_studies.identification.replaying.replay`, or lifts, each with changes
        of its own.
    parameters: :class:`~cable_sim_studies.identification.parameters.Parameter`, or texts such as
        ``rig.load.mass=3000..5000``, in the units of the fields.
    changes: values of the crane's file by path, as in ``load_crane``.
    signals: readings to compare; left out, all sensors of the crane that are recorded.
    noise: standard deviations of signals, in their units, in place of those of the crane's sensors.
    skip: time at the start of every recording that is not compared [s].
    starts: largest number of starts, the further ones at random by ``seed``.
    store: folder in which runs are kept: after a crash the same call goes on from there.
    period, dt: control period and physics step of the runs [s].
    progress: called with each step.
    """
    base = crane if isinstance(crane, Crane) else load_crane(crane)
    base = rebuilt(base, changes) if changes else base
    lifts = lifts_of(recordings)
    for lift in lifts:
        check_commands(lift.recording, base)
    accuracies = accuracies_of(base, lifts, signals, noise or {})
    settled = settle(base, parameters, list(accuracies))
    place = Path(store) if store else None
    comparison = Comparison(base, lifts, settled, accuracies, skip, (period, dt), place)
    try:
        found = fit(comparison, starts, seed, progress)
        sizes = [len(piece.times) for piece in comparison.pieces]
        bands = bands_of(found.jacobian, found.residuals, sizes)
        tests = tests_of(comparison, found.values)
        made = zip(settled, found.values.tolist(), strict=True)
        return Identification(
            changed(base, settled, found.values.tolist()),
            tuple(_estimate(one, value, bands, i) for i, (one, value) in enumerate(made)),
            bands,
            tests,
            sentences(settled, found, bands, tests),
            tuple(series_of(comparison, found.values, i) for i in range(len(lifts))),
            comparison.runs,
            (len(found.costs), found.agreeing),
        )
    finally:
        comparison.close()


def lifts_of(recordings: Given | Sequence[Given]) -> tuple[Lift, ...]:
    """Return lifts of recordings, files or lifts; SpecError if there is none."""
    if isinstance(recordings, Recording | Lift | str | Path):
        return lifts_of([recordings])
    if not recordings:
        raise SpecError("recordings: none are given")
    return tuple(_lift(one) for one in recordings)


def _lift(given: Given) -> Lift:
    """Return a lift of a recording, of the file of one, or of a lift."""
    if isinstance(given, Lift):
        return given
    return Lift(given if isinstance(given, Recording) else read_log(given))


def series_of(comparison: Comparison, values: Array, lift: int) -> Recording:
    """Return recorded, modelled and residual series of a lift in SI units, at its rows.

    ``values`` (p,) are the parameters in their units. A row without a sample has NaN.
    """
    recording = comparison.lifts[lift].recording
    units = dict(zip(recording.columns, recording.units, strict=True))
    channels = [Channel(TIME, (), "s", NEVER_READ, 0)]
    columns = [recording.time]
    for piece in comparison.pieces:
        if piece.lift != lift:
            continue
        model = comparison.model(piece, values)
        parts = {"recorded": piece.values, "model": model, "residual": piece.values - model}
        for end, part in parts.items():
            name = f"{piece.signal}.{end}"
            channels.append(Channel(name, (), units[piece.signal], NEVER_READ, 0))
            whole = np.full(len(recording), np.nan)
            whole[np.searchsorted(recording.time, piece.times)] = part
            columns.append(whole)
    made = Recording(channels, 0)
    made.append(np.column_stack(columns))
    return made


def _estimate(parameter: Parameter, value: float, bands: Bands, i: int) -> Estimate:
    """Return the estimate of parameter i."""
    low, high = bands.interval(i, value)
    sigma = float(bands.sigma[i])
    return Estimate(parameter.path, float(parameter.start or 0.0), value, sigma, low, high)


def plain(value: Any) -> Any:
    """Return a value for JSON: numbers that are not finite become None."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
