"""Scenes that differ in numbers: ``load.mass`` or ``rope.length`` with a value for each world."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import CableSimError, SpecError
from cable_sim.spec import Scene

KINDS = ("bodies", "joints", "drives", "cables", "surfaces", "obstacles", "carriages")


class Variations:
    """Values of parameters of a scene for each of n worlds.

    A parameter is told by an object's name and its field, ``load.mass``, by its kind, too,
    ``bodies.load.mass``, by fields in fields, ``rope.hybrid.density``, or by a field of the scene,
    ``gravity``.

    Parameters
    ----------
    scene: the scene.
    n: number of worlds.
    vary: values (n, ...) by parameter.

    Raises SpecError for a parameter that is not known, and values that are not n.
    """

    def __init__(self, scene: Scene, n: int, vary: Mapping[str, ArrayLike]) -> None:
        self._scene = scene
        self._values: dict[str, NDArray[Any]] = {}
        self._paths: dict[str, tuple[str | int, ...]] = {}
        for name, given in vary.items():
            values = np.asarray(given)
            if values.ndim == 0 or len(values) != n:
                raise SpecError(f"vary {name!r}: needs {n} values, not an array of {values.shape}")
            self._values[name] = values
            self._paths[name] = self._find(name)

    def key(self, i: int) -> tuple[Any, ...]:
        """Return the values of world i, equal for worlds that are alike."""
        return tuple(values[i].tobytes() for values in self._values.values())

    def scene(self, i: int) -> Scene:
        """Return the scene of world i; raise SpecError for a value that is not allowed there."""
        made = self._scene
        for name, values in self._values.items():
            value = values[i].tolist()
            value = tuple(value) if isinstance(value, list) else value
            try:
                made = _changed(made, self._paths[name], value)
            except (CableSimError, ValueError, TypeError) as error:
                raise SpecError(
                    f"vary {name!r}, world {i}: {value!r} is not allowed: {error}"
                ) from None
        return made

    def _find(self, name: str) -> tuple[str | int, ...]:
        """Return the path of a parameter: fields, and rows in tuples."""
        found = [path for path in self._paths_of(name) if _leads_somewhere(self._scene, path)]
        if len(found) == 1:
            return found[0]
        if found:
            raise SpecError(
                f"vary {name!r} has several meanings: put the kind before it, as in "
                f"'{found[0][0]}.{name}'"
            )
        known = sorted({item.name for kind in KINDS for item in getattr(self._scene, kind)})
        raise SpecError(
            f"vary {name!r} is not known; it is the name of an object and a field of it, as in "
            f"'load.mass'; objects are {', '.join(known)}"
        )

    def _paths_of(self, name: str) -> Iterator[tuple[str | int, ...]]:
        """Paths that a name may mean."""
        yield tuple(name.split("."))
        for kind in KINDS:
            rest = name.removeprefix(f"{kind}.")
            for i, item in enumerate(getattr(self._scene, kind)):
                if rest.startswith(f"{item.name}."):
                    yield (kind, i, *rest.removeprefix(f"{item.name}.").split("."))


def _leads_somewhere(item: Any, path: tuple[str | int, ...]) -> bool:
    """Return True if fields and rows lead to a value."""
    for part in path:
        if isinstance(part, int):
            item = item[part]
        elif is_dataclass(item) and part in {field.name for field in fields(item)}:
            item = getattr(item, part)
        else:
            return False
    return True


def _changed(item: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Return a copy of an item with another value at the end of a path."""
    if not path:
        return value
    part, *rest = path
    if isinstance(part, int):
        return (*item[:part], _changed(item[part], tuple(rest), value), *item[part + 1 :])
    return replace(item, **{part: _changed(getattr(item, part), tuple(rest), value)})
