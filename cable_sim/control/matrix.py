"""Matrices of scenarios: a base, and axes with named variants that are laid over it, as one YAML
file.

    base:
      crane: tower_12t
      controller: {kind: operator}
    axes:
      way:
        short: {start: {trolley: 35.0}, moves: [{axis: trolley, to: 40.0}]}
        long:  {start: {trolley: 20.0}, moves: [{axis: trolley, to: 40.0}]}
      load:
        half:  {load: 2800.0}
        rated: {load: 5600.0}

These are four cases, ``short-half``, ``short-rated``, ``long-half`` and ``long-rated``: one variant
of every axis, in the order of the file. A variant is a part of a scenario. Mappings are merged key
by key, lists are joined, and any other value replaces the one before it; so does everything in
``changes``, whose keys are paths of the crane's file.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cable_sim.control.scenario import Scenario, resolve_controller
from cable_sim.errors import ConfigError, Problem, SpecError, unknown
from cable_sim.spec.files import build_spec, read_text
from cable_sim.spec.yaml_document import Document, parse_document
from cable_sim.spec.yaml_document import Path as Place

BETWEEN = "-"
"""Separator of the variants in the name of a case."""
FIELDS = ("title", "base", "axes")
_NAME = re.compile(r"[A-Za-z0-9_.]+")
_VALUES = ("changes",)
"""Paths of mappings whose values replace those before them, whatever they are."""


@dataclass(frozen=True)
class Matrix:
    """Scenarios for all combinations of named variants.

    Parameters
    ----------
    name: of the file, without its ending.
    title: in words.
    axes: names of the variants by axis, both in the order of the file.
    """

    name: str
    title: str
    axes: dict[str, tuple[str, ...]]
    _document: Document = field(repr=False, compare=False)

    def __len__(self) -> int:
        """Return the number of cases."""
        return math.prod(map(len, self.axes.values()))

    def names(self, only: Iterable[str] = ()) -> tuple[str, ...]:
        """Names of the cases, the last axis changing fastest.

        ``only`` keeps the cases with these variants: with any of those that belong to one axis, and
        with one of each axis that any belongs to. SpecError, which lists the known ones, for a
        variant that is not there.
        """
        wanted = set(only)
        known = [variant for variants in self.axes.values() for variant in variants]
        for variant in sorted(wanted.difference(known)):
            raise SpecError(f"{self.name}: {unknown('variant', variant, known)}")
        kept = (
            [variant for variant in variants if variant in wanted] or variants
            for variants in self.axes.values()
        )
        return tuple(BETWEEN.join(variants) for variants in itertools.product(*kept))

    def samples(self) -> tuple[str, ...]:
        """Names of cases that have every variant at least once, in as few cases as that takes."""
        most = max(map(len, self.axes.values()))
        return tuple(
            BETWEEN.join(variants[i % len(variants)] for variants in self.axes.values())
            for i in range(most)
        )

    def case_axes(self, name: str) -> dict[str, str]:
        """The variant of every axis that a case has; SpecError for a case that is not there."""
        variants = name.split(BETWEEN)
        found = dict(zip(self.axes, variants, strict=False))
        if len(variants) != len(self.axes) or any(
            found[axis] not in known for axis, known in self.axes.items()
        ):
            like = BETWEEN.join(self.axes)
            raise SpecError(
                f"{self.name}: case {name!r} is not known; they are called {like}, as "
                f"{self.names()[0]}"
            )
        return found

    def case(self, name: str) -> Scenario:
        """One scenario; SpecError for one that is not there, ConfigError for variants that
        contradict each other."""
        return resolve_controller(
            build_spec(self._merge(self.case_axes(name)), Scenario), self._document.file
        )

    def cases(self, only: Iterable[str] = ()) -> dict[str, Scenario]:
        """Scenarios by name, of :meth:`names`."""
        return {name: self.case(name) for name in self.names(only)}

    def _merge(self, variants: dict[str, str]) -> Document:
        """The document of one case, every value with its place in the matrix's file."""
        made = Document(self._document.file, data={})
        made.values[()] = self._document.values[()]
        for at in (("base",), *(("axes", axis, variant) for axis, variant in variants.items())):
            part = self._document.data
            for key in at:
                part = part[key]
            made.data = _lay_over(made, self._document, made.data, part or {}, at, ())
        title = BETWEEN.join(variants.values())
        made.data["title"] = f"{self.title}: {title}" if self.title else title
        return made


def read_matrix(path: str | Path) -> Matrix:
    """The matrix of a YAML file.

    ConfigError with everything that is wrong with its base and its variants, each by line and
    column. Every variant is tried at least once, in :meth:`Matrix.samples`; whether all go together
    is seen when a case is made.
    """
    return parse_matrix(read_text(path), str(path))


def parse_matrix(text: str, file: str = "<text>") -> Matrix:
    """The matrix of a YAML text; ``file`` is the name to use in errors. See :func:`read_matrix`."""
    document = parse_document(text, file)
    problems = [*document.problems]
    if not problems:
        problems += _shape(document)
    if problems:
        raise ConfigError(sorted(problems, key=lambda problem: problem[1:3]))
    axes = {axis: tuple(variants) for axis, variants in document.data["axes"].items()}
    matrix = Matrix(Path(file).stem, document.data.get("title") or "", axes, document)
    found: dict[Problem, None] = {}
    for name in matrix.samples():
        try:
            matrix.case(name)
        except ConfigError as error:
            found |= dict.fromkeys(error.problems)
    if found:
        raise ConfigError(sorted(found, key=lambda problem: problem[1:3]))
    return matrix


def is_matrix(data: Any) -> bool:
    """Return True if a document's data are those of a matrix, right or wrong."""
    return isinstance(data, dict) and "axes" in data and "crane" not in data


def _shape(document: Document) -> Iterator[Problem]:
    """Yield the errors of a matrix as such, its scenarios aside."""
    data = document.data
    if not isinstance(data, dict):
        yield document.problem_at((), f"must be a mapping of the fields {', '.join(FIELDS)}")
        return
    for key in data:
        if key not in FIELDS:
            yield document.problem_at(
                (key,), f"there is no field {key!r}; known fields are {', '.join(FIELDS)}", True
            )
    if not isinstance(data.get("title", ""), str):
        yield document.problem_at(("title",), f"must be text, not {data['title']!r}")
    if not isinstance(data.get("base", {}), dict):
        yield document.problem_at(("base",), f"must be a part of a scenario, not {data['base']!r}")
    elif "base" not in data:
        yield document.problem_at(("base",), "is missing")
    axes = data.get("axes")
    if not isinstance(axes, dict) or not axes:
        yield document.problem_at(
            ("axes",), "must be a mapping of axes, each a mapping of variants"
        )
        return
    yield from _variants(document, axes)


def _variants(document: Document, axes: dict[str, Any]) -> Iterator[Problem]:
    """Yield the errors in the names of axes and variants, and in the kind of each variant."""
    axis_of: dict[str, str] = {}
    for axis, variants in axes.items():
        at: Place = ("axes", axis)
        if not _NAME.fullmatch(axis):
            yield document.problem_at(
                at, f"{axis!r} is no name; use letters, digits, '_' and '.'", True
            )
        if not isinstance(variants, dict) or not variants:
            yield document.problem_at(
                at, "must be a mapping of variants, each a part of a scenario"
            )
            continue
        for variant, part in variants.items():
            here = (*at, variant)
            if not _NAME.fullmatch(variant):
                yield document.problem_at(
                    here, f"{variant!r} is no name; use letters, digits, '_' and '.'", True
                )
            elif variant in axis_of:
                where = f"a variant of {axis_of[variant]!r} is called {variant!r} already"
                yield document.problem_at(
                    here, f"{where}; names must differ, as cases are picked by them", True
                )
            if part is not None and not isinstance(part, dict):
                yield document.problem_at(here, f"must be a part of a scenario, not {part!r}")
            axis_of.setdefault(variant, axis)


def _lay_over(made: Document, file: Document, below: Any, above: Any, at: Place, to: Place) -> Any:
    """Lay ``above``, from ``file`` at the path ``at``, over ``below``, for the path ``to`` of the
    result.

    Notes in ``made`` the place in the file of each value of the result.
    """
    if isinstance(above, dict):
        merged = dict(below) if isinstance(below, dict) else {}
        made.values.setdefault(to, file.values[at])
        for key, value in above.items():
            before = None if to == _VALUES else merged.get(key)
            from_there = (*at, key)
            here = (*to, key)
            made.keys[here] = file.keys[from_there]
            merged[key] = _lay_over(made, file, before, value, from_there, here)
        return merged
    made.values[to] = file.values[at]
    if isinstance(above, list):
        joined = list(below) if isinstance(below, list) else []
        first = len(joined)
        for i, value in enumerate(above):
            joined.append(_lay_over(made, file, None, value, (*at, i), (*to, first + i)))
        return joined
    return above
