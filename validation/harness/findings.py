"""Findings of a study, one line each, always with the measured number.

A :class:`Quantity` is compared with theory, a :class:`Measurement` with what was measured, a
:class:`Bound` with a limit. A :class:`Statement` is true or not, and a :class:`Reading` is reported
without a verdict. All of them have a name, a
verdict and :class:`Cells` for tables.
"""

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal, NamedTuple, Protocol

from cable_sim.errors import CableSimError

Verdict = Literal["ok", "missed", ""]
"""Verdict of a finding; empty where nothing is claimed."""
PRINTED_DIFFERS = " (!)"
"""Mark behind a printed value that ours does not round to."""


class Cells(NamedTuple):
    """Finding as text: printed value, theory, ours, deviation and its tolerance."""

    published: str
    theory: str
    ours: str
    deviation: str
    tolerance: str = ""


class Finding(Protocol):
    """Common interface of findings; ``note`` is a sentence on the comparison."""

    @property
    def name(self) -> str: ...

    @property
    def note(self) -> str: ...

    @property
    def verdict(self) -> Verdict: ...

    def cells(self) -> Cells: ...


@dataclass(frozen=True)
class Quantity:
    """Number compared with theory.

    Parameters
    ----------
    name: unique in its study.
    published: value as printed, so that its last digit tells its rounding ("4.4", "7.8e6"); None if
        it is not in the paper.
    theory: reference value, in the unit.
    ours: value that came out, in the unit.
    tolerance: largest deviation: relative to theory [-], or absolute where theory is 0.
    unit: unit of theory and ours; empty for pure numbers.
    note: a sentence, such as a remark on a misprint.

    Raises CableSimError for a printed value that is no number.
    """

    name: str
    published: str | None
    theory: float
    ours: float
    tolerance: float
    unit: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if self.published is not None:
            _parse_printed(self.name, self.published)

    @property
    def deviation(self) -> float:
        """Deviation of ours from theory: relative, or absolute where theory is 0."""
        return (self.ours - self.theory) / (abs(self.theory) or 1.0)

    @property
    def verdict(self) -> Verdict:
        """Verdict: ``ok`` within the tolerance; NaN is missed."""
        return "ok" if abs(self.deviation) <= self.tolerance else "missed"

    @property
    def rounds_to_published(self) -> bool | None:
        """Return True if ours, rounded as printed, equals the printed value; None without one."""
        if self.published is None:
            return None
        value, half = _parse_printed(self.name, self.published)
        return abs(self.ours - value) <= half * (1.0 + 1e-9)

    def cells(self) -> Cells:
        """Cells with enough digits to show the tolerance."""
        digits = _digits(self.tolerance) if self.theory else 4
        mark = PRINTED_DIFFERS if self.rounds_to_published is False else ""
        published = f"{_measure(self.published, self.unit)}{mark}" if self.published else ""
        deviation = f"{self.deviation + 0.0:+.1e}" + (
            "" if self.theory else f" {self.unit}".rstrip()
        )
        tolerance = f"{self.tolerance:.2g}" + ("" if self.theory else f" {self.unit}".rstrip())
        ours = number(self.ours, self.unit, digits)
        return Cells(published, number(self.theory, self.unit, digits), ours, deviation, tolerance)


@dataclass(frozen=True)
class Measurement:
    """Number beside a measured one.

    Parameters
    ----------
    name: unique in its study.
    measured: value as published, so that its last digit tells its rounding ("3.4788").
    ours: value that came out, in the unit.
    within: largest deviation that the scatter of the measurement allows, relative to it [-]; None
        where no agreement is claimed, and the note says why.
    unit: unit of both; empty for pure numbers.
    note: what is known of the deviation.

    Raises CableSimError for a measured value that is no number, that is 0, or that is neither
    claimed nor explained.
    """

    name: str
    measured: str
    ours: float
    within: float | None
    unit: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        value, _ = _parse_printed(self.name, self.measured)
        if not value:
            raise CableSimError(f"{self.name}: measured 0 has no relative deviation; give another")
        if self.within is None and not self.note:
            raise CableSimError(f"{self.name}: note: say why no agreement is claimed")

    @property
    def deviation(self) -> float:
        """Deviation of ours from the measured value, relative to it [-]."""
        value, _ = _parse_printed(self.name, self.measured)
        return (self.ours - value) / abs(value)

    @property
    def verdict(self) -> Verdict:
        """Verdict: ``ok`` within the scatter, empty where nothing is claimed; NaN is missed."""
        if self.within is None:
            return "" if math.isfinite(self.ours) else "missed"
        return "ok" if abs(self.deviation) <= self.within else "missed"

    def cells(self) -> Cells:
        """Cells with the deviation in percent."""
        within = "" if self.within is None else f"{100.0 * self.within:.2g} %"
        ours = number(self.ours, self.unit, 4)
        return Cells(
            _measure(self.measured, self.unit), "", ours, f"{100.0 * self.deviation:+.2g} %", within
        )


@dataclass(frozen=True)
class Bound:
    """Number of a unit with an upper or lower ``bound``; see :func:`at_most`, :func:`at_least`."""

    name: str
    sense: Literal["at most", "at least"]
    bound: float
    ours: float
    unit: str = ""
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """Verdict: ``ok`` on the right side or on the bound itself; NaN is missed."""
        return (
            "ok"
            if (self.ours <= self.bound if self.sense == "at most" else self.ours >= self.bound)
            else "missed"
        )

    def cells(self) -> Cells:
        """Cells, with ours as a multiple of the bound in place of a deviation."""
        times = f"x {self.ours / self.bound:.2g}" if self.bound else ""
        bound = f"{self.sense} {number(self.bound, self.unit, 4)}"
        return Cells("", bound, number(self.ours, self.unit, 4), times)


@dataclass(frozen=True)
class Statement:
    """Statement that is true or not.

    ``claim`` is the statement in words, ``measured`` has the numbers by which it was judged.
    """

    name: str
    claim: str
    holds: bool
    measured: str
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """Verdict: ``ok`` when the claim holds."""
        return "ok" if self.holds else "missed"

    def cells(self) -> Cells:
        """Cells, with the claim in the column of the theory."""
        return Cells("", self.claim, self.measured, "")


@dataclass(frozen=True)
class Reading:
    """Number of a unit that is reported without a verdict, such as a time of this machine."""

    name: str
    ours: float
    unit: str = ""
    published: str = ""
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """Verdict: always empty."""
        return ""

    def cells(self) -> Cells:
        """Cells with ours and the printed value."""
        published = _measure(self.published, self.unit) if self.published else ""
        return Cells(published, "", number(self.ours, self.unit, 4), "")


def at_most(name: str, bound: float, ours: float, unit: str = "", note: str = "") -> Bound:
    """Return a finding that ours is at most ``bound``, both in the unit."""
    return Bound(name, "at most", bound, ours, unit, note)


def at_least(name: str, bound: float, ours: float, unit: str = "", note: str = "") -> Bound:
    """Return a finding that ours is at least ``bound``, both in the unit."""
    return Bound(name, "at least", bound, ours, unit, note)


def number(value: float, unit: str = "", digits: int = 6) -> str:
    """Return a number as text with its unit, rounded to ``digits`` significant digits."""
    return _measure(f"{value + 0.0:.{digits}g}", unit)  # + 0.0 takes the sign from -0.0


def _measure(text: str | None, unit: str) -> str:
    """Return a measured value as text with its unit."""
    return f"{text} {unit}".rstrip()


def _digits(tolerance: float) -> int:
    """Return the number of significant digits that show a relative tolerance."""
    return min(max(math.ceil(-math.log10(tolerance)) + 2, 3), 12) if tolerance > 0.0 else 12


def _parse_printed(name: str, text: str) -> tuple[float, float]:
    """Return the value of a printed number and half a unit of its last digit."""
    try:
        printed = Decimal(text)
        exponent = printed.as_tuple().exponent
    except InvalidOperation:
        raise CableSimError(
            f"{name}: published {text!r} is no number as a paper prints it"
        ) from None
    if not isinstance(exponent, int):
        raise CableSimError(f"{name}: published {text!r} is not finite")
    return float(printed), 0.5 * 10.0**exponent
