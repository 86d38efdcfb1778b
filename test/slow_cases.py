"""Cases of a parametrised test of which `make test` runs a few, and `make test-all` all."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def slow_but(quick: Collection[Any], cases: Iterable[Any]) -> list[Any]:
    """Return cases as parameters, marked slow but for the quick ones; a tuple is several arguments.

    Raises ValueError if a quick case is not among the cases.
    """
    every = list(cases)
    if missing := [case for case in quick if case not in every]:
        raise ValueError(f"quick {missing}: not among the cases {every}")
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if case in quick else pytest.mark.slow,
        )
        for case in every
    ]
