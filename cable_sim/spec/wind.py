"""Winds as they blow in time, for ``wind:`` of a crane file and ``Machine.wind``, as sums.

A direction is where the wind blows *to*, in the world's frame, anticlockwise from above from its x
axis: with x to the east, 90 is a wind to the north, which weather reports call a south wind and
give as 180.
"""

from typing import Annotated, Literal

from pydantic import Field

from cable_sim.spec.air import ProfileExponent
from cable_sim.spec.quantities import Many, NonNegative, Positive, Real, spec

STATES = {"light": 14.0, "normal": 20.0, "heavy": 28.5}
"""Largest wind for cranes in service [m/s], ISO 4302 and FEM 1.001 (125, 250 and 500 Pa).

They are for sheltered cranes or light erection, for usual cranes in the open, and for cranes that
have to go on, such as quay cranes.
"""
REGIONS = {"C": 28.0, "D": 32.0, "E": 36.0}
"""Reference storm wind of regions [m/s], once in 50 years (EN 13001-2).

It is the mean of 10 minutes at 10 m above ground.
"""
RECURRENCE = {5: 0.8155, 10: 0.8733, 25: 0.9463, 50: 1.0}
"""Factor f_rec [-] of a storm by its return period in years (EN 13001-2)."""


@spec
class Steady:
    """Wind that does not change: speed [m/s] and direction [deg]."""

    speed: NonNegative
    direction_deg: Real = 0.0
    kind: Literal["steady"] = "steady"


@spec
class Static:
    """The design wind of a crane, constant, gusts included: ISO 4302, EN 13001-2.

    Parameters
    ----------
    state: ``light``, ``normal``, ``heavy``: in service; ``out_of_service``: the storm of a region,
        the gust of 3 s ``f_rec ((z / 10)^0.14 + 0.4) v_ref``. (K): from professional knowledge, not
        read in the standards.
    direction_deg: [deg].
    region: C, D or E, of the storm.
    height: z above ground that the storm is taken at [m].
    years: between two such storms: 5, 10, 25 or 50. EN 14439's C25 is region C once in 25 years.
    """

    state: Literal["light", "normal", "heavy", "out_of_service"] = "normal"
    direction_deg: Real = 0.0
    region: Literal["C", "D", "E"] = "C"
    height: Positive = 10.0
    years: Literal[5, 10, 25, 50] = 25
    kind: Literal["static"] = "static"

    @property
    def speed(self) -> float:
        """Speed of the wind [m/s]."""
        if self.state in STATES:
            return STATES[self.state]
        return RECURRENCE[self.years] * ((self.height / 10.0) ** 0.14 + 0.4) * REGIONS[self.region]


@spec
class Gust:
    """A gust ``base + (peak - base) (1 - cos(2 pi (t - start) / duration)) / 2``, else ``base``.

    Parameters
    ----------
    peak: [m/s].
    base: wind before and after it [m/s]; 0 for a gust on top of other winds.
    start, duration: [s].
    direction_deg: [deg].
    """

    peak: NonNegative
    base: NonNegative = 0.0
    start: Real = 0.0
    duration: Positive = 7.0
    direction_deg: Real = 0.0
    kind: Literal["gust"] = "gust"


@spec
class Turbulence:
    """A wind with a fluctuating speed along its direction: a sum of cosines, fixed by its seed.

    Parameters
    ----------
    speed: mean U [m/s].
    intensity: standard deviation over mean [-].
    direction_deg: [deg].
    spectrum: of the fluctuation, with x = f L / U and one-sided S:
        ``kaimal``: ``f S / sigma^2 = 4 x / (1 + 6 x)^(5/3)`` (IEC 61400-1);
        ``davenport``: ``f S / sigma^2 = 2/3 x^2 / (1 + x^2)^(4/3)``.
    length: L [m]; left out, 340.2 (kaimal, 60 m above ground and more) or 1200 (davenport).
    seed: of frequencies and phases.
    harmonics: cosines.
    """

    speed: Positive
    intensity: NonNegative = 0.15
    direction_deg: Real = 0.0
    spectrum: Literal["kaimal", "davenport"] = "kaimal"
    length: Positive | None = None
    seed: Annotated[int, Field(strict=True, ge=0)] = 1
    harmonics: Annotated[int, Field(strict=True, ge=1, le=10000)] = 100
    kind: Literal["turbulence"] = "turbulence"

    @property
    def scale(self) -> float:
        """Length scale L [m]."""
        return self.length or (340.2 if self.spectrum == "kaimal" else 1200.0)


@spec
class FromFile:
    """Wind from a file of comma-separated values, linear in between and constant beyond its ends.

    Its first line names the columns ``t`` [s], ``speed`` [m/s] and ``direction_deg``. Lines that
    begin with # do not count.
    """

    path: Annotated[str, Field(min_length=1)]
    kind: Literal["file"] = "file"


Wind = Annotated[Steady | Static | Gust | Turbulence | FromFile, Field(discriminator="kind")]


@spec
class Weather:
    """Section ``wind`` of a crane file.

    Parameters
    ----------
    sum_of: the winds that blow, one on top of the other; none for still air.
    reference_height: that they are meant at [m].
    exponent: of the profile over height [-], see :class:`~cable_sim.spec.Air`; 0 for a uniform
        wind.
    """

    sum_of: Many[Wind] = ()
    reference_height: Positive = 10.0
    exponent: ProfileExponent = 0.0
