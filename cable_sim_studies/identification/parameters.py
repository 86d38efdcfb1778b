"""Parameters to identify: values of a crane's file by path, and clocks and zeros of sensors."""

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cable_sim.cranes.catalogue import change_file, rebuilt
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, SpecError

SENSORS = {"lag": "s", "offset": "of the signal"}
"""Errors of a sensor that are fitted beside the file, by the head of their path, with units."""
SPAN = 4.0
"""Factor between a start and its default bounds."""
HALVINGS = 30
"""Bisections that look for the end of what a crane's file allows."""
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
TEXT = re.compile(
    rf"(?P<path>[^=~]+)(?:=(?P<low>{NUMBER})\.\.(?P<high>{NUMBER}))?(?:~(?P<sigma>{NUMBER}))?"
)


@dataclass(frozen=True)
class Parameter:
    """Value to identify, in the unit of its field.

    Parameters
    ----------
    path: of a field of the crane's file, such as ``rig.load.mass``; or ``lag.SIGNAL`` [s] and
        ``offset.SIGNAL`` [unit of the signal], by which the recorded signal is late or too large.
    low, high: bounds in the unit of the field; None for a factor of 4 about the start, as far as
        the file allows.
    sigma: standard deviation of what is known before, about the start, in the unit of the field;
        None for nothing.
    start: value to start from, in the unit of the field; None for that of the file, or the middle
        of the bounds.
    """

    path: str
    low: float | None = None
    high: float | None = None
    sigma: float | None = None
    start: float | None = None

    def __post_init__(self) -> None:
        numbers = {"low": self.low, "high": self.high, "sigma": self.sigma, "start": self.start}
        for name, value in numbers.items():
            free = name in ("low", "high") and value is not None and math.isinf(value)
            if value is not None and not (math.isfinite(value) or free):
                raise SpecError(f"{self.path}: {name} {value} is not a finite number")
        if self.sigma is not None and self.sigma <= 0.0:
            raise SpecError(f"{self.path}: sigma {self.sigma:g} is not allowed; it is above 0")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise SpecError(f"{self.path}: bounds {self.low:g}..{self.high:g} must increase")

    @property
    def sensor(self) -> tuple[str, str] | None:
        """Return ``lag`` or ``offset`` and the signal of a sensor's error; None for a field."""
        head, _, signal = self.path.partition(".")
        return (head, signal) if head in SENSORS else None


def parse_parameter(text: str) -> Parameter:
    """Return the parameter of a text such as ``rig.load.mass=3000..5000~200``.

    The numbers are bounds, then the standard deviation of what is known before; either may be left
    out. Raises SpecError for another text.
    """
    found = TEXT.fullmatch(text.strip())
    if not found:
        raise SpecError(f"parameter {text!r} is not allowed; give PATH, PATH=LOW..HIGH or PATH~SD")
    low, high, sigma = (float(v) if v else None for v in found.group("low", "high", "sigma"))
    return Parameter(found["path"].strip(), low, high, sigma)


def settle(
    crane: Crane, wanted: Sequence[Parameter | str], signals: Sequence[str]
) -> tuple[Parameter, ...]:
    """Return parameters with their bounds and starts; SpecError for what can't be one.

    Unknown paths, paths of no number, starts beyond the bounds, and bounds that the file does not
    allow are refused.
    """
    made = tuple(parse_parameter(one) if isinstance(one, str) else one for one in wanted)
    if not made:
        raise SpecError("parameters: none are given; name one, such as rig.load.mass")
    paths = [one.path for one in made]
    for path in paths:
        if paths.count(path) > 1:
            raise SpecError(f"parameter {path!r} is given twice")
    return tuple(_of_sensor(one, signals) if one.sensor else _of_file(crane, one) for one in made)


def changed(crane: Crane, parameters: Sequence[Parameter], values: Sequence[float]) -> Crane:
    """Return the crane with the values [units of their fields] of all parameters of its file."""
    pairs = zip(parameters, values, strict=True)
    changes = {one.path: float(value) for one, value in pairs if not one.sensor}
    return rebuilt(crane, changes) if changes else crane


def _of_sensor(wanted: Parameter, signals: Sequence[str]) -> Parameter:
    """Return the parameter of a sensor's error with bounds; SpecError for an unknown signal."""
    assert wanted.sensor
    kind, signal = wanted.sensor
    if signal not in signals:
        known = ", ".join(signals)
        raise SpecError(f"parameter {wanted.path!r}: {signal!r} is not compared; {known} are")
    most = 0.5 if kind == "lag" else math.inf
    low = -most if wanted.low is None else wanted.low
    high = most if wanted.high is None else wanted.high
    return _started(dataclasses.replace(wanted, low=low, high=high), 0.0)


def _of_file(crane: Crane, wanted: Parameter) -> Parameter:
    """Return the parameter of a field with bounds and start."""
    if crane.details is None:
        raise SpecError(f"{crane.name}: has no file whose values could be identified")
    given = _present(crane.details, wanted.path)
    start = given if wanted.start is None else wanted.start
    if start is None:
        if wanted.low is None or wanted.high is None:
            raise SpecError(
                f"parameter {wanted.path!r}: the file gives no value; give bounds, such as "
                f"{wanted.path}=1..2"
            )
        start = 0.5 * (wanted.low + wanted.high)
    if start == 0.0 and (wanted.low is None or wanted.high is None):
        raise SpecError(f"parameter {wanted.path!r}: starts at 0; give bounds, {wanted.path}=0..1")
    fits = _fitting(crane, wanted.path)
    ends = sorted((start / SPAN, start * SPAN))
    low, high = (
        _allowed(fits, start, end) if own is None else own
        for own, end in zip((wanted.low, wanted.high), ends, strict=True)
    )
    for end in (low, high):
        fits(end)
    return _started(dataclasses.replace(wanted, low=low, high=high), start)


def _started(made: Parameter, start: float) -> Parameter:
    """Return a parameter with a start; SpecError for one beyond the bounds."""
    begin = start if made.start is None else made.start
    assert made.low is not None and made.high is not None
    if not made.low <= begin <= made.high:
        raise SpecError(
            f"parameter {made.path!r}: its start {begin:g} is not in {made.low:g}..{made.high:g}"
        )
    return dataclasses.replace(made, start=begin)


def _fitting(crane: Crane, path: str) -> Callable[[float], None]:
    """Return a function that raises SpecError for a value that the file does not allow there."""

    def fits(value: float) -> None:
        change_file(crane.details, {path: float(value)})

    return fits


def _allowed(fits: Callable[[float], None], start: float, end: float) -> float:
    """Return the value nearest to ``end`` that the file allows; ``start`` is allowed."""
    fits(start)
    good = 0.0
    bad = 1.0
    share = 1.0
    for _ in range(HALVINGS):
        try:
            fits(start + share * (end - start))
            good = share
        except CableSimError:
            bad = share
        if good == 1.0:
            break
        share = 0.5 * (good + bad)
    return start + good * (end - start)


def _present(details: Any, path: str) -> float | None:
    """Return the number at a path of a crane's file, in its unit; None for one left out there.

    Raises SpecError for a path that leads to no number.
    """
    present = next(iter(details.current_paths({path: None})))
    at = details
    done: list[str] = []
    for part in present.split("."):
        known = (
            at
            if isinstance(at, Mapping)
            else {f.name: getattr(at, f.name) for f in dataclasses.fields(at)}
            if dataclasses.is_dataclass(at)
            else {}
        )
        if part not in known:
            have = ", ".join(map(str, known)) or "no fields"
            where = ".".join(done) or "the file"
            raise SpecError(f"parameter {path!r}: {where} has no {part!r}; it has {have}")
        at = known[part]
        done.append(part)
    if at is None:
        return None
    if isinstance(at, bool) or not isinstance(at, int | float):
        raise SpecError(f"parameter {path!r}: {at!r} is not a number of the crane's file")
    return float(at)
