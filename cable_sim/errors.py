"""Exceptions and warnings of `cable_sim`.

A message names the object, its value and the allowed values. Callers of the package catch
:class:`CableSimError`; any other exception that leaves the package is a bug.
"""

import difflib
import math
import numbers
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

MOST = 60
"""Most characters of a wrong value that a message shows."""


class CableSimError(Exception):
    """Base class of all errors that the user of the package can correct."""


class CableSimWarning(UserWarning):
    """Warning about an input that was corrected or ignored; the message names it."""


def warn(text: str, stacklevel: int) -> None:
    """Warn of an input; levels of the stack count from the caller, which is 1."""
    warnings.warn(text, CableSimWarning, stacklevel=stacklevel + 1)


@contextmanager
def warnings_told(tell: Callable[[str], object]) -> Iterator[None]:
    """Hand the texts of the package's warnings to ``tell`` in the block; show others as before."""
    with warnings.catch_warnings():
        otherwise = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, CableSimWarning):
                tell(str(message))
            else:
                otherwise(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


class SpecError(CableSimError):
    """Error in a spec that contradicts itself or names unknown things, raised before physics."""


class Problem(NamedTuple):
    """A problem of a file: line and column (from 1), field, and description."""

    file: str
    line: int
    column: int
    field: str
    problem: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: "
        return where + (f"{self.field}: " if self.field else "") + self.problem


class ConfigError(CableSimError):
    """Error in the contents of a file.

    Its text is all the problems, one per line as ``file:line:column: field: problem``. ``problems``
    holds them one by one, each with ``file``, ``line`` and ``column`` (from 1), ``field`` and
    ``problem``; the problem names the value and what is allowed.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type["ConfigError"], tuple[tuple[Problem, ...]]]:
        """Pickle by the problems, so that the error leaves a worker process unchanged."""
        return type(self), (self.problems,)


class ModelError(CableSimError):
    """Error for a valid spec that can't be compiled: no consistent initial state, or too large."""


class StepError(CableSimError):
    """Error of a step: no convergence, or a number not finite. The state before it is intact."""


class CommandError(CableSimError):
    """Error of a refused command: unknown axis or mode, wrong number of values, or not finite."""


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """Return the message about a name that is not known, with those that are."""
    return f"{what} {name!r} is not known; known are {', '.join(known) or 'none'}"


def check_kind(
    what: str, value: object, kind: type, instead: str, error: type[CableSimError] = SpecError
) -> None:
    """Raise an error for a value of another type, with words on what to give instead."""
    if not isinstance(value, kind):
        shown = repr(value).partition("\n")[0][:MOST]
        raise error(f"{what}: {shown} is not allowed; give {instead}")


def check_above_0(what: str, value: object, unit: str) -> None:
    """Raise ModelError for what is no finite number above 0."""
    if not (isinstance(value, numbers.Real) and 0.0 < float(value) < math.inf):
        raise ModelError(f"{what} = {value} {unit} is not allowed; it must be above 0")


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `` (did you mean x?)`` for a misspelt name, or an empty text if none is near."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return f" (did you mean {near[0]}?)" if near else ""


def describe_error(error: BaseException) -> str:
    """Return the sentence of an error of the package; that of another begins with its kind."""
    return str(error) if isinstance(error, CableSimError) else f"{type(error).__name__}: {error}"


def one_line(error: Exception, *without: str) -> str:
    """Return an exception in one line, with its place outside of libraries.

    ``without`` are files, or parts of their paths, that are not told as the place either.
    """
    others = (*without, "importlib", "site-packages")
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not any(one in frame.filename for one in others)
    ]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"
