"""Kinds of values in specs, and the decorator that turns a class into a spec.

Validation is pydantic's, strict where it matters: text is never read as a number, NaN and infinity
are refused unless a field says that infinity has a meaning ("no limit").
"""

import copy
import dataclasses
import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import numpy as np
from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, WrapValidator
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import dataclass_transform

from cable_sim.errors import SpecError

T = TypeVar("T")
WORLD = "world"
"""Name of the body that never moves; anchors, joints and prescribed motions may refer to it."""


def _to_plain(value: Any) -> Any:
    """Return numpy scalars and arrays as Python numbers and tuples, and lists as tuples.

    So specs can be compared and hashed.
    """
    if type(value) is float:  # most are
        return value
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, np.generic):
        return value.item()
    return tuple(_to_plain(item) for item in value) if isinstance(value, (list, tuple)) else value


class Implied(float):
    """A number that was not given: it follows from other fields, or is the usual one.

    A copy with other fields computes it anew, and a file leaves it out; else it is a number like
    any.
    """


class Misplaced(ValueError):
    """Error about contradicting parts of a spec; ``path`` leads to the wrong value, for files."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.path = path


class Misplacements(ValueError):
    """Several errors about contradicting parts of a spec, each with its path."""

    def __init__(self, found: Sequence[Misplaced]) -> None:
        super().__init__("; ".join(f"{'.'.join(map(str, error.path))}: {error}" for error in found))
        self.found = tuple(found)


PLAIN = BeforeValidator(_to_plain)
"""Validator of tuples of fixed length, which may be given as lists or arrays."""
_KEEP_IMPLIED = WrapValidator(
    lambda value, check: value if isinstance(value, Implied) else check(value)
)
Real = Annotated[float, PLAIN, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, PLAIN, Field(strict=True, gt=0.0, allow_inf_nan=False)]
NonNegative = Annotated[float, PLAIN, Field(strict=True, ge=0.0, allow_inf_nan=False)]
Fraction = Annotated[float, PLAIN, Field(strict=True, gt=0.0, le=1.0, allow_inf_nan=False)]
Limit = Annotated[float, PLAIN, Field(strict=True, gt=0.0)]
"""A positive bound; infinity means that there is none."""
ImpliedPositive = Annotated[Positive, _KEEP_IMPLIED]
ImpliedLimit = Annotated[Limit, _KEEP_IMPLIED]
Bound = Annotated[float, PLAIN, Field(strict=True)]
"""End of a range, of either sign; infinity means that the range is open."""
Vector = Annotated[tuple[Real, Real, Real], PLAIN]
Quaternion = Annotated[tuple[Real, Real, Real, Real], PLAIN]
if TYPE_CHECKING:
    Many = Sequence  # what may be given; a type checker knows one type of a field
else:
    Many = Annotated[tuple[T, ...], PLAIN]
"""``Many[Name]`` is a tuple of names, which may be given as a list."""
Table = Many[Real]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]


def is_number(text: str) -> bool:
    """Return True if the text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def describe(errors: list[Any], fields: tuple[str, ...] = ()) -> str:
    """Return one clause per pydantic error: the field, the problem, and the given value.

    Paths leave out the members of unions, whose names have brackets.
    """
    clauses = []
    for error in errors:
        path = [
            fields[part] if i == 0 and isinstance(part, int) and part < len(fields) else str(part)
            for i, part in enumerate(error["loc"])
            if "[" not in str(part)
        ]
        message = error["msg"].removeprefix("Value error, ")
        silent = error["type"] in (
            "missing",
            "unexpected_keyword_argument",
            "value_error",
            "too_short",
            "too_long",
        )
        clause = ".".join(path) + ": " if path else ""
        clauses.append(
            clause
            + message[0].lower()
            + message[1:]
            + ("" if silent else f", not {error['input']!r}")
        )
    return "; ".join(dict.fromkeys(clauses))


class _Signature:
    """Signature of a spec for ``help``: types alone, without the rules that values are checked by.

    It is made when it is asked for, from that of pydantic.
    """

    def __init__(self, checked: Any) -> None:
        self._checked = checked

    def __get__(self, made: object, cls: type) -> inspect.Signature:
        checked: inspect.Signature = self._checked.__get__(made, cls)
        hints = get_type_hints(cls)
        named = checked.parameters.items()
        return checked.replace(parameters=[one.replace(annotation=hints[n]) for n, one in named])


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def spec(cls: type[T]) -> type[T]:
    """Make ``cls`` a validated, frozen, comparable dataclass that raises :class:`SpecError`.

    The error names the class.
    """
    built = pydantic_dataclass(frozen=True, config=ConfigDict(extra="forbid"))(cls)
    validate = built.__init__
    fields = tuple(field.name for field in dataclasses.fields(built))

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            validate(self, *args, **kwargs)
        except ValidationError as error:
            name = kwargs.get("name", args[0] if args and isinstance(args[0], str) else "")
            thing = f"{cls.__name__} {name!r}" if name else cls.__name__
            raise SpecError(f"{thing}: {describe(error.errors(), fields)}") from None

    __init__.__wrapped__ = validate  # type: ignore[attr-defined]
    built.__init__ = __init__  # type: ignore[method-assign]
    if hasattr(vars(built).get("__signature__"), "__get__"):  # not before pydantic 2.10
        built.__signature__ = _Signature(vars(built)["__signature__"])  # type: ignore[attr-defined]
    return built  # type: ignore[return-value]


def copy_unchecked(made: T, **fields: Any) -> T:
    """Return a copy of a spec with other values of some fields, without new checks.

    The values must be valid.
    """
    changed = copy.copy(made)
    for name, value in fields.items():
        object.__setattr__(changed, name, value)
    return changed
