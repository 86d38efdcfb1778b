"""Specs from and to YAML files; all mistakes of a file are reported at once, with their places."""

import dataclasses
import difflib
import io
import reprlib
import types
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedSeq

from cable_sim.errors import CableSimError, ConfigError, Problem, SpecError, suggestion
from cable_sim.spec.quantities import Implied, Misplacements, is_number
from cable_sim.spec.shapes.mesh_files import relative_to
from cable_sim.spec.yaml_document import Document, Path, parse_document

T = TypeVar("T")
MOST_MISTAKES = 200
"""Largest number of reported mistakes in a file. One with more is probably not the right file."""

_RULES = {
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "greater_than": "must be greater than {gt:g}",
    "greater_than_equal": "must be {ge:g} or more",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be {le:g} or less",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "tuple_type": "must be a list",
    "too_long": "must have {max_length} items",
    "too_short": "must have at least {min_length} items",
    "dataclass_type": "must be a mapping of fields",
    "model_attributes_type": "must be a mapping of fields",
    "literal_error": "must be {expected}",
    "union_tag_invalid": "{discriminator} must be one of {expected_tags}",
    "union_tag_not_found": "needs its field {discriminator}",
    "string_pattern_mismatch": "must be a name: a letter, then letters, digits and underscores",
}
"""Requirement of each kind of pydantic error; other kinds keep pydantic's text."""


def read_spec(path: str | FilePath, cls: type[T], known: Iterable[str] = ()) -> T:
    """Read a YAML file into a spec class.

    Raises :class:`~cable_sim.errors.ConfigError` with all mistakes of the file. If the file is
    missing, the error lists the ``known`` catalogue names.
    """
    text = read_text(path, known)
    with relative_to(FilePath(path).absolute().parent):
        return parse_spec(text, cls, str(path))


def read_text(path: str | FilePath, known: Iterable[str] = ()) -> str:
    """Return the text of a file.

    Raises ConfigError, which lists the ``known`` catalogue names, if it can't be read.
    """
    try:
        if FilePath(path).is_char_device():  # some have no end
            raise OSError("it is a device, no file")
        return FilePath(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        names = [*known]
        words = [name.partition(" ")[0] for name in names]  # without what an alias stands for
        problem = "there is no such file" + suggestion(str(path), words)
        problem += f"; known names are {', '.join(names)}" if names else ""
    except (OSError, UnicodeDecodeError) as error:
        problem = f"can't be read: {error}"
    raise ConfigError([Problem(str(path), 1, 1, "", problem)])


def parse_spec(text: str, cls: type[T], file: str = "<text>") -> T:
    """Read YAML text into a spec class; ``file`` is its name in errors. See :func:`read_spec`."""
    return build_spec(parse_document(text, file), cls)


def build_spec(document: Document, cls: type[T]) -> T:
    """Turn a parsed document into a spec.

    Raises ConfigError, which lists the problems of the document and the spec.
    """
    problems = list(document.problems)
    spec = None
    if document.data is not None:
        try:
            spec = TypeAdapter(cls).validate_python(document.data)
        except ValidationError as error:
            errors = error.errors()
            problems += _explain(document, cls, errors[:MOST_MISTAKES])
            if len(errors) > MOST_MISTAKES:
                told = f"{len(errors) - MOST_MISTAKES} more mistakes are not shown"
                problems.append(document.problem_at((), told))
        except CableSimError as error:
            problems.append(document.problem_at((), str(error)))
    if problems:
        raise ConfigError(sorted(problems, key=lambda problem: problem[1:3]))
    assert spec is not None
    return spec


def to_yaml(spec: Any) -> str:
    """Return the spec as YAML text, without empty and implied fields.

    :func:`parse_spec` reads it back to an equal spec.
    """
    yaml = YAML()
    yaml.width = 110
    stream = io.StringIO()
    yaml.dump(_to_plain(spec), stream)
    return stream.getvalue()


def apply_changes(spec: T, changes: Mapping[str, Any]) -> T:
    """Return a copy of the spec with new values by path: ``{"rig.load.mass": 5000.0}``.

    A path may lead into the value of one before it. The copy is validated like any spec. Raises
    SpecError, which names the path, when there is no such field, and for a value that does not fit.
    """
    return _apply_changes(spec, changes, "")


def _apply_changes(spec: T, changes: Mapping[str, Any], above: str) -> T:
    """Do :func:`apply_changes` for the spec at the path ``above``."""
    nested: dict[str, dict[str, Any]] = {}
    values: dict[str, Any] = {}
    by_name = isinstance(spec, Mapping)
    parts: dict[str, Any] = (
        dict(spec)
        if isinstance(spec, Mapping)
        else {f.name: getattr(spec, f.name) for f in dataclasses.fields(spec)}  # type: ignore[arg-type]
    )
    for path, value in changes.items():
        head, _, rest = path.partition(".")
        known = parts | values  # of the values that the same changes gave before
        if head not in known and (rest or not by_name):  # a name may be new, a field not
            raise SpecError(f"{above}{path}: {_unknown_field(head, [*parts])}")
        below = known.get(head)
        if rest and not (dataclasses.is_dataclass(below) or isinstance(below, Mapping)):
            raise SpecError(f"{above}{path}: {head!r} has no fields")
        if rest:
            nested.setdefault(head, {})[rest] = value
        else:
            values[head] = value
    for head, below in nested.items():
        values[head] = _apply_changes((parts | values)[head], below, f"{above}{head}.")
    if by_name:
        return parts | values  # type: ignore[return-value]
    try:
        return dataclasses.replace(spec, **values)  # type: ignore[type-var]
    except SpecError as error:
        given = ", ".join(above + path for path in changes)
        raise SpecError(f"{given}: {error}") from None


def _to_plain(value: Any) -> Any:
    """Return specs as mappings and tuples as lists; lists of numbers are on one line."""
    if dataclasses.is_dataclass(value):
        mapping = {}
        for field in dataclasses.fields(value):
            item = getattr(value, field.name)
            plain = _to_plain(item)
            if not (isinstance(item, Implied) or (plain in (None, {}) and item == field.default)):
                mapping[field.name] = plain
        return mapping
    if isinstance(value, Mapping):
        return {name: _to_plain(item) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        sequence = CommentedSeq([_to_plain(item) for item in value])
        if not any(dataclasses.is_dataclass(item) for item in value):
            sequence.fa.set_flow_style()
        return sequence
    return value


def _explain(document: Document, cls: type, errors: list[Any]) -> list[Problem]:
    """Return one problem per field that pydantic complains about."""
    found: dict[Path, list[str]] = {}
    at_key: set[Path] = set()
    for error in _likely_errors(errors):
        unknown = error["type"] == "unexpected_keyword_argument"
        missing = error["type"] == "missing"
        path = _path_in(document, error["loc"], keep_last=missing)
        if unknown:
            at_key.add(path)
            text = _unknown_field(str(error["loc"][-1]), _fields_at(cls, error["loc"][:-1]))
        else:
            raised = error["ctx"]["error"] if error["type"] == "value_error" else None
            if isinstance(raised, Misplacements):
                for one in raised.found:
                    found.setdefault((*path, *one.path), []).append(str(one))
                continue
            text = _complaint(error)
            if raised is not None:
                path += getattr(raised, "path", ())
                path, text = _split_path(document, path, text)
        if text not in found.setdefault(path, []):
            found[path].append(text)
    # A list of wrong items is also "too short": pydantic counts only the right ones. The items say
    # it better.
    empty = [
        p
        for p in found
        if any(q != p and q[: len(p)] == p for q in found) and "at least" in found[p][0]
    ]
    return [
        document.problem_at(path, "; or ".join(texts), path in at_key)
        for path, texts in found.items()
        if path not in empty
    ]


def _likely_errors(errors: list[Any]) -> list[Any]:
    """Return the errors of the likeliest alternative of each field, such as a vector or a matrix.

    The likeliest alternative is the one with the fewest errors.
    """
    counts: dict[tuple[Any, ...], dict[str, int]] = {}
    places = []
    for error in errors:
        loc = error["loc"]
        i = next((i for i, part in enumerate(loc) if isinstance(part, str) and "[" in part), None)
        places.append((None, "") if i is None else (loc[:i], loc[i]))
        if i is not None:
            alternatives = counts.setdefault(loc[:i], {})
            alternatives[loc[i]] = alternatives.get(loc[i], 0) + 1
    nearest = {place: min(found, key=lambda label: found[label]) for place, found in counts.items()}
    return [
        error
        for error, (at, label) in zip(errors, places, strict=True)
        if at is None or nearest[at] == label
    ]


def _path_in(document: Document, loc: tuple[str | int, ...], keep_last: bool) -> Path:
    """Return the part of pydantic's location that is in the file, without union members."""
    path: Path = ()
    for part in loc:
        if (*path, part) in document.values:
            path = (*path, part)
    return (*path, loc[-1]) if keep_last else path


def _split_path(document: Document, path: Path, text: str) -> tuple[Path, str]:
    """Return path and text of a message that begins with a field's path and a colon.

    Checks across fields make such messages.
    """
    head, colon, rest = text.partition(": ")
    below = (*path, *(int(part) if part.isdecimal() else part for part in head.split(".")))
    return (below, rest) if colon and below in document.values else (path, text)


def _complaint(error: Any) -> str:
    """Return a sentence about the problem, the given value and the allowed values."""
    kind = error["type"]
    given = error["input"]
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    rule = _RULES.get(kind)
    text = (
        rule.format(**error.get("ctx", {})) if rule else error["msg"][0].lower() + error["msg"][1:]
    )
    if kind == "union_tag_not_found":
        return text
    if kind == "union_tag_invalid":
        return f"{text}, not {error['ctx']['tag']!r}"
    text += (
        ", not "
        + ("the text " if kind.startswith("float") and isinstance(given, str) else "")
        + _show(given)
    )
    if kind == "float_type" and isinstance(given, str) and is_number(given):
        text += "; write it without quotes"
    return text


def _unknown_field(name: str, known: list[str]) -> str:
    """Return a sentence about an unknown field."""
    close = difflib.get_close_matches(name, known, n=1)
    guess = f"; did you mean {close[0]!r}?" if close else ""
    return f"there is no field {name!r}{guess}; known fields are {', '.join(known) or 'none'}"


def _fields_at(cls: Any, loc: tuple[str | int, ...]) -> list[str]:
    """Return the field names of the spec class at pydantic's location."""
    at = _bare(cls)
    for part in loc:
        if dataclasses.is_dataclass(at):
            at = _bare(get_type_hints(at, include_extras=True).get(str(part)))
        elif get_origin(at) in (Union, types.UnionType):
            members = [_bare(member) for member in get_args(at)]
            at = next(
                (m for m in members if getattr(m, "kind", None) == part or _name(m) == part), None
            )
        elif get_origin(at) is dict:
            at = _bare(get_args(at)[1])
        elif get_origin(at) is tuple:
            items = get_args(at)
            at = _bare(items[0] if items[-1] is ... else items[int(part)])
    return [f.name for f in dataclasses.fields(at)] if dataclasses.is_dataclass(at) else []


def _bare(kind: Any) -> Any:
    """Return a type without its Annotated and its ``| None``."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, types.UnionType):
        members = [member for member in get_args(kind) if member is not type(None)]
        if len(members) == 1:
            return _bare(members[0])
    return kind


def _name(kind: Any) -> str:
    """Return the name that pydantic gives a union member in its locations."""
    return getattr(kind, "__name__", "")


def _show(value: Any) -> str:
    """Return the value as Python writes it, cut when long."""
    shortened = reprlib.Repr()
    shortened.maxstring = shortened.maxother = 60
    return shortened.repr(value)
