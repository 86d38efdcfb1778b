"""Seas: wave spectra, and how a vessel moves in them.

Spectrum of the elevation of waves [m^2 s] for the significant height H and the angular frequency
w_p of its peak (Hasselmann et al. 1973; DNV-RP-C205, section 3.5.5):

    S(w) ~ w^-5 exp(-5/4 (w_p / w)^4) gamma^b,    b = exp(-(w - w_p)^2 / (2 sigma^2 w_p^2)),

sigma = 0.07 up to w_p and 0.09 beyond. gamma = 1 is the spectrum of Pierson and Moskowitz, 3.3 that
of JONSWAP. The factor is such that the components have exactly the variance H^2 / 16.

The sea at the vessel is a sum of waves a_k sin(w_k t + e_k), a_k^2 / 2 = S(w_k) dw_k, with one
frequency anywhere in each of N bands of w, lest it repeats itself, and any phase e_k. Bands reach
from LOWEST to HIGHEST of w_p and get wider with w.

A response amplitude operator (RAO) tells how far the vessel goes in waves of 1 m, and by how much
it is ahead of the crest or behind. It is interpolated as a complex number, and zero outside of its
table.
"""

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from cable_sim.errors import SpecError
from cable_sim.spec.motions.motions import Motion, Offset, Sine
from cable_sim.spec.quantities import Many, NonNegative, Positive, Table, spec

LOWEST = 0.5
HIGHEST = 4.0
"""Ends of the spectrum, of the peak's angular frequency [-]: what is beyond has 5 parts in a
thousand of the variance."""


@spec
class Rao:
    """Response of a vessel to waves of 1 m amplitude from its direction.

    Parameters
    ----------
    frequencies: angular, increasing [rad/s].
    amplitudes: of x, y, z [m/m], roll, pitch, yaw [rad/m] at each frequency.
    phases: by which each is ahead of the wave [rad]; none is zero.
    """

    frequencies: Table
    amplitudes: Many[Offset]
    phases: Many[Offset] = ()

    def __post_init__(self) -> None:
        if len(self.frequencies) < 2 or any(
            b <= a for a, b in zip(self.frequencies, self.frequencies[1:], strict=False)
        ):
            raise ValueError("frequencies must increase, and be two or more")
        for name, rows in (("amplitudes", self.amplitudes), ("phases", self.phases)):
            if len(rows) != len(self.frequencies) and (rows or name == "amplitudes"):
                raise ValueError(
                    f"{len(self.frequencies)} frequencies need as many {name}, not {len(rows)}"
                )

    def respond(self, frequency: float) -> tuple[complex, ...]:
        """Return the response (6,) to a wave of an angular frequency [rad/s]: m/m, rad/m."""
        rows = np.array(self.amplitudes, dtype=complex)
        if self.phases:
            rows = rows * np.exp(1j * np.array(self.phases))
        return tuple(
            complex(np.interp(frequency, self.frequencies, column, left=0.0, right=0.0))
            for column in rows.T
        )


@spec
class Sea:
    """Irregular waves at a place.

    Parameters
    ----------
    significant_height: H, four times the standard deviation of the elevation [m].
    peak_period: period of the spectrum's peak [s].
    peakedness: gamma [-], 1 for Pierson and Moskowitz, 3.3 for JONSWAP.
    components: number of waves that it is made of.
    seed: of frequencies and phases; another one is another hour of the same sea.
    """

    significant_height: NonNegative
    peak_period: Positive
    peakedness: Positive = 1.0
    components: Annotated[int, Field(strict=True, ge=1, le=10_000)] = 200
    seed: Annotated[int, Field(strict=True, ge=0)] = 0

    def spectrum(self, frequency: float) -> float:
        """Return S [m^2 s] at an angular frequency [rad/s], but for the factor of H."""
        peak = 2.0 * math.pi / self.peak_period
        width = 0.07 if frequency <= peak else 0.09
        power = math.exp(-((frequency - peak) ** 2) / (2.0 * (width * peak) ** 2))
        return frequency**-5 * math.exp(-1.25 * (peak / frequency) ** 4) * self.peakedness**power

    def waves(self) -> tuple[tuple[float, float, float], ...]:
        """Return angular frequency [rad/s], amplitude [m] and phase [rad] of each component."""
        chance = np.random.default_rng(self.seed)
        peak = 2.0 * math.pi / self.peak_period
        edges = peak * np.geomspace(LOWEST, HIGHEST, self.components + 1)
        frequencies = edges[:-1] + chance.random(self.components) * np.diff(edges)
        phases = 2.0 * math.pi * chance.random(self.components)
        power = np.array([self.spectrum(float(w)) for w in frequencies]) * np.diff(edges)
        amplitudes = self.significant_height / 4.0 * np.sqrt(2.0 * power / power.sum())
        return tuple(zip(frequencies.tolist(), amplitudes.tolist(), phases.tolist(), strict=True))

    def motion(self, of: str, rao: Rao, ramp: float = 20.0) -> Motion:
        """Return the motion of the body ``of`` a scene in this sea, let in over a ``ramp`` [s].

        Raises SpecError for an operator that is zero at all of its waves.
        """
        sines = []
        for frequency, amplitude, phase in self.waves():
            response = amplitude * np.array(rao.respond(frequency))
            if response.any():
                ahead = phase + np.angle(response)
                sines.append(Sine(frequency, np.abs(response).tolist(), ahead.tolist()))
        if not sines:
            raise SpecError(f"sea: no wave of it moves {of!r}: the RAO is 0 at all its frequencies")
        return Motion(of, sines=tuple(sines), ramp=ramp)
