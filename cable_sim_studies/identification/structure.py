r"""Test of the residuals: errors of sensors, or of the model.

The mean of n residuals of a block has the variance noise^2 / n, if they are those of the sensor; n
counts its samples, which are fewer than the rows if the sensor is slower.
Rounding to a quantum q that is coarser than the noise stays the same while nothing moves, so that
it adds q^2 / 12 however long a block is; finer rounding is white, too. With these, the sum over all
blocks of (mean / deviation)^2 is at most chi-squared, with one degree of freedom for each block. In
addition, the signs of white means form (n + 1) / 2 runs, give or take sqrt(n - 1) / 2 (Wald and
Wolfowitz, for equal numbers of both signs). What is larger, or in longer runs, is an error of the
model: the *excess* is its size.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, norm

from cable_sim_studies.identification.comparison import (
    BLOCK,
    Accuracy,
    Comparison,
    Piece,
    samples_a_row,
)
from cable_sim_studies.identification.replaying import command_rows, commands_of

Array = NDArray[np.float64]
UNLIKELY = 1e-3
"""Probability below which residuals are not those of the sensors [-]."""
CLEAR = 4.0
"""Standard errors from which on two means differ."""


class SignalTest(NamedTuple):
    """Residuals of a signal.

    Parameters
    ----------
    signal: its name.
    accuracy: its errors in its unit.
    rows: number of residuals.
    rms: root mean square of the residuals [unit of the signal].
    excess: root mean square of the model's error, beyond the sensor's [unit of the signal].
    swing: range of the recorded signal [its unit].
    chance: probability [-] of means as large as these, or in as few runs, of a right model.
    hints: sentences about motions in which the residuals differ.
    """

    signal: str
    accuracy: Accuracy
    rows: int
    rms: float
    excess: float
    swing: float
    chance: float
    hints: tuple[str, ...]

    @property
    def is_explained(self) -> bool:
        """Return True if the residuals are those of the sensor."""
        return self.chance >= UNLIKELY


def tests_of(comparison: Comparison, values: Array) -> tuple[SignalTest, ...]:
    """Return the test of each signal, for parameters (p,) in their units."""
    made = []
    for signal, accuracy in comparison.accuracies.items():
        pieces = [piece for piece in comparison.pieces if piece.signal == signal]
        rests = [comparison.model(piece, values) - piece.values for piece in pieces]
        made.append(_test(comparison, signal, accuracy, pieces, rests))
    return tuple(made)


def _test(
    comparison: Comparison,
    signal: str,
    accuracy: Accuracy,
    pieces: Sequence[Piece],
    rests: Sequence[Array],
) -> SignalTest:
    """Return the test of a signal by its residuals [its unit]."""
    means = np.concatenate(
        [_block_means(p, r, accuracy) for p, r in zip(pieces, rests, strict=True)]
    )
    size, mean = means[:, 1], means[:, 0]
    coarse = accuracy.is_coarse
    staying = accuracy.quantum**2 / 12.0 if coarse else 0.0
    passing = accuracy.noise**2 if coarse else accuracy.sigma**2
    allowed = passing / size + staying
    chance = float(chi2.sf(np.sum(mean**2 / allowed), len(mean)))
    if not coarse:
        chance = min(2.0 * min(chance, runs_chance(mean)), 1.0)
    excess = math.sqrt(max(float(np.average(mean**2 - allowed, weights=size)), 0.0))
    whole = np.concatenate(rests)
    swing = max(float(np.ptp(piece.values)) for piece in pieces)
    rms = math.sqrt(float(np.mean(whole**2)))
    hints = () if chance >= UNLIKELY else _hints(comparison, pieces, rests)
    return SignalTest(signal, accuracy, len(whole), rms, excess, swing, chance, hints)


def _block_means(piece: Piece, rests: Array, accuracy: Accuracy) -> Array:
    """Return the mean [unit of the signal] and the samples [-] of each block, (b, 2)."""
    block = np.floor((piece.times - piece.times[0]) / BLOCK).astype(np.int64)
    _, block, size = np.unique(block, return_inverse=True, return_counts=True)
    return np.column_stack(
        [np.bincount(block, rests) / size, size * samples_a_row(piece, accuracy)]
    )


def runs_chance(means: Array) -> float:
    """Return the probability [-] of so few runs of signs among white means (n,) [any unit]."""
    above = means > 0.0
    runs = 1 + int(np.sum(above[1:] != above[:-1]))
    n = len(means)
    return float(norm.cdf((runs + 0.5 - (n + 1) / 2.0) / max(0.5 * math.sqrt(n - 1.0), 0.5)))


def _hints(
    comparison: Comparison, pieces: Sequence[Piece], rests: Sequence[Array]
) -> tuple[str, ...]:
    """Return sentences about axes with whose direction the residuals change."""
    made = []
    for axis in comparison.crane.axes:
        groups: dict[int, list[Array]] = {-1: [], 1: []}
        for piece, rest in zip(pieces, rests, strict=True):
            direction = _directions(comparison, piece, axis.name)
            for sign, group in groups.items():
                group.append(rest[direction == sign])
        back, forth = (np.concatenate(groups[sign]) for sign in (-1, 1))
        if min(len(back), len(forth)) < 10:
            continue
        gap = float(forth.mean() - back.mean())
        spread = math.hypot(
            *(group.std() / math.sqrt(max(len(group) / 10.0, 1.0)) for group in (back, forth))
        )
        if abs(gap) > CLEAR * spread:
            made.append(
                f"{pieces[0].signal}: recorded minus model is {-forth.mean():+.4g} while "
                f"{axis.name} moves {axis.positive}, and {-back.mean():+.4g} the other way: a loss "
                "that depends on the direction is missing or wrong, such as that of sheaves"
            )
    return tuple(made)


def _directions(comparison: Comparison, piece: Piece, axis: str) -> Array:
    """Return the sign (n,) [-] of an axis' commanded speed at the rows of a piece; 0 for none."""
    recording = comparison.lifts[piece.lift].recording
    columns = commands_of(recording, comparison.crane)
    at = [i for i, one in enumerate(columns.values()) if one.axis == axis and one.mode == "speed"]
    if not at:
        return np.zeros(len(piece.times))
    times, commands = command_rows(recording, comparison.crane, BLOCK / 50.0)
    rows = np.clip(np.searchsorted(times, piece.times, side="right") - 1, 0, len(times) - 1)
    return np.sign(commands[rows, at[0]])
