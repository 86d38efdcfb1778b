"""Findings: what a study says, one line each, always with the number that was measured.

A :class:`Quantity` is compared with theory, a :class:`Bound` with a limit, a :class:`Statement` is
true or not, and a :class:`Reading` is only told. All of them have a name, a verdict and
:class:`Cells` for tables.
"""

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal, NamedTuple, Protocol

from cable_sim.errors import CableSimError

Verdict = Literal["ok", "missed", ""]
"""Empty where nothing is claimed."""
PRINTED_DIFFERS = " (!)"
"""Behind a printed value that ours does not round to."""


class Cells(NamedTuple):
    """A finding as text: what was printed, theory's, ours, and how far apart the last two are and
    may be."""

    published: str
    theory: str
    ours: str
    deviation: str
    tolerance: str = ""


class Finding(Protocol):
    """What every finding has; ``note`` is a sentence on the comparison."""

    @property
    def name(self) -> str: ...

    @property
    def note(self) -> str: ...

    @property
    def verdict(self) -> Verdict: ...

    def cells(self) -> Cells: ...


@dataclass(frozen=True)
class Quantity:
    """A number beside the theory's.

    Parameters
    ----------
    name: unique in its study.
    published: as printed, so that its last digit tells its rounding ("4.4", "7.8e6"); None when it
        is not in the paper.
    theory: what it is compared with, in the unit.
    ours: what came out, in the unit.
    tolerance: of the deviation: relative to theory [-], or absolute where theory is 0.
    unit: of theory and ours; empty for pure numbers.
    note: a sentence, such as what is misprinted.

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
            _printed(self.name, self.published)

    @property
    def deviation(self) -> float:
        """Ours against theory: relative, or absolute where theory is 0."""
        return (self.ours - self.theory) / (abs(self.theory) or 1.0)

    @property
    def verdict(self) -> Verdict:
        """``ok`` within the tolerance; NaN is missed."""
        return "ok" if abs(self.deviation) <= self.tolerance else "missed"

    @property
    def rounds_to_published(self) -> bool | None:
        """Whether ours, rounded like the printed value, is the printed value; None when nothing was
        printed."""
        if self.published is None:
            return None
        value, half = _printed(self.name, self.published)
        return abs(self.ours - value) <= half * (1.0 + 1e-9)

    def cells(self) -> Cells:
        """Enough digits to see the tolerance."""
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
class Bound:
    """A number of a unit that may be at most, or must be at least, ``bound``; see :func:`at_most`,
    :func:`at_least`."""

    name: str
    sense: Literal["at most", "at least"]
    bound: float
    ours: float
    unit: str = ""
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """``ok`` on the right side or on the bound itself; NaN is missed."""
        return (
            "ok"
            if (self.ours <= self.bound if self.sense == "at most" else self.ours >= self.bound)
            else "missed"
        )

    def cells(self) -> Cells:
        """The deviation is how many times the bound ours is."""
        times = f"x {self.ours / self.bound:.2g}" if self.bound else ""
        bound = f"{self.sense} {number(self.bound, self.unit, 4)}"
        return Cells("", bound, number(self.ours, self.unit, 4), times)


@dataclass(frozen=True)
class Statement:
    """Something that is true or not: ``claim`` in words, and ``measured``, the numbers by which it
    was judged."""

    name: str
    claim: str
    holds: bool
    measured: str
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """``ok`` when it holds."""
        return "ok" if self.holds else "missed"

    def cells(self) -> Cells:
        """The claim stands where others have their theory."""
        return Cells("", self.claim, self.measured, "")


@dataclass(frozen=True)
class Reading:
    """A number of a unit that is told and not judged, such as a time of this machine."""

    name: str
    ours: float
    unit: str = ""
    published: str = ""
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """None."""
        return ""

    def cells(self) -> Cells:
        """Ours and what was printed."""
        published = _measure(self.published, self.unit) if self.published else ""
        return Cells(published, "", number(self.ours, self.unit, 4), "")


def at_most(name: str, bound: float, ours: float, unit: str = "", note: str = "") -> Bound:
    """Ours may be ``bound`` at most, both in the unit."""
    return Bound(name, "at most", bound, ours, unit, note)


def at_least(name: str, bound: float, ours: float, unit: str = "", note: str = "") -> Bound:
    """Ours must be ``bound`` at least, both in the unit."""
    return Bound(name, "at least", bound, ours, unit, note)


def number(value: float, unit: str = "", digits: int = 6) -> str:
    """A number with its unit; ``digits`` significant ones."""
    return _measure(f"{value + 0.0:.{digits}g}", unit)  # + 0.0 takes the sign from -0.0


def _measure(text: str | None, unit: str) -> str:
    """A number as text with its unit."""
    return f"{text} {unit}".rstrip()


def _digits(tolerance: float) -> int:
    """Significant digits that show a relative tolerance."""
    return min(max(math.ceil(-math.log10(tolerance)) + 2, 3), 12) if tolerance > 0.0 else 12


def _printed(name: str, text: str) -> tuple[float, float]:
    """Value of a printed number and half a unit of its last digit."""
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
