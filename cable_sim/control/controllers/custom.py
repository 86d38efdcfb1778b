"""A controller of one's own, by the name of its class.

    controller: {kind: custom, name: "my_package.my_module:Mine", settings: {gain: 2.0}}

The class is made with the ``settings`` as keywords. Its ``start(task)`` returns the law, which is
called once a tick with what is seen, and returns what is commanded::

    class Mine:
        def __init__(self, gain: float = 1.0) -> None:
            self.gain = gain

        def start(self, task: Task) -> Law:
            def law(seen: Feedback) -> Control:
                return {"trolley": self.gain * seen.axes["hoist"].velocity}

            return law

The result of a law is checked at every call, so that a mistake is reported at its own tick.
"""

import dataclasses
import importlib
import inspect
import math
import numbers
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from cable_sim.control.feedback import Command, Control, Feedback
from cable_sim.control.task import Law, Task
from cable_sim.errors import CableSimError, CommandError, SpecError, one_line, unknown
from cable_sim.spec.quantities import spec

MODES = ("speed", "position")
_folders: dict[str, str] = {}
"""Folder from which a controller's module, or its outermost package, was imported."""


def _module_and_class(name: str) -> str:
    """The name, if it can be one."""
    if not re.fullmatch(r"[^\W\d][\w.]*:[^\W\d]\w*", name):
        raise ValueError(
            f"must be a module and a class, such as my_package.my_module:MyController, not {name!r}"
        )
    return name


@spec
class Custom:
    """A controller of one's own, found by the name of its class.

    Parameters
    ----------
    name: of the module and of the class in it, ``my_package.my_module:MyController``.
    settings: keywords of the class.
    folder: where the module is looked for before anywhere else, counted from the folder of the
        scenario's file; of a scenario without a file from the working directory.
    """

    name: Annotated[str, AfterValidator(_module_and_class)]
    settings: dict[str, Any] = Field(default_factory=dict)
    folder: str = ""
    kind: Literal["custom"] = "custom"

    def start(self, task: Task) -> Law:
        """The law, with what it returns checked.

        Raises SpecError, which says why, for what can't be found, made or started; the law raises
        CommandError for what can't be commanded, and when it breaks down.
        """
        maker = self._maker()
        self._check_settings(maker)
        try:
            start = getattr(maker(**self.settings), "start", None)
            law = start(task) if callable(start) else None
        except CableSimError:
            raise
        except Exception as error:  # whatever it is, it is the controller's
            raise self._spec_error(one_line(error, __file__)) from error
        if not callable(start):
            raise self._spec_error("it has no method start(task), which returns the law")
        if not callable(law):
            raise self._spec_error(
                f"start(task) returned {law!r}, and not a law: a function of what is seen"
            )
        return _Checked(self.name, law, tuple(axis.name for axis in task.crane.axes))

    def relative_to(self, file: Path) -> "Custom":
        """The same with its folder counted from that of a scenario's file."""
        return dataclasses.replace(self, folder=str((file.parent / self.folder).resolve()))

    def _maker(self) -> Any:
        """The class."""
        module_name, _, name = self.name.partition(":")
        module = self._module(module_name)
        if not hasattr(module, name):
            own = (
                key
                for key, value in vars(module).items()
                if getattr(value, "__module__", "") == module.__name__
            )
            there = f"; there are {', '.join(known)}" if (known := list(own)) else ""
            raise self._spec_error(
                f"there is no {name} in {getattr(module, '__file__', module_name)}{there}"
            )
        if not callable(maker := getattr(module, name)):
            raise self._spec_error(f"{name} is no class, but {maker!r}")
        return maker

    def _check_settings(self, maker: Any) -> None:
        """Raise SpecError for settings that the class does not take."""
        try:
            takes = inspect.signature(maker)
        except ValueError as error:
            raise self._spec_error(f"it can't be made: {error}") from None
        try:
            takes.bind(**self.settings)
        except TypeError as error:
            raise self._spec_error(f"settings: {error}; it takes {takes}") from None

    def _module(self, name: str) -> ModuleType:
        """The module, imported."""
        folder = str(Path(self.folder).resolve())
        try:
            with _prefer_folder(folder, name.partition(".")[0]):
                return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name and f"{name}.".startswith(f"{error.name}."):
                raise self._spec_error(
                    f"there is no module {error.name!r} in {folder}, nor on Python's path"
                ) from None
            raise self._spec_error(one_line(error, __file__)) from error
        except Exception as error:  # whatever it is, it is the module's
            raise self._spec_error(one_line(error, __file__)) from error

    def _spec_error(self, problem: str) -> SpecError:
        """Return an error about this controller."""
        return SpecError(f"controller {self.name}: {problem}")


class _Checked:
    """A law whose commands are numbers, of axes that are there."""

    def __init__(self, name: str, law: Law, axes: tuple[str, ...]) -> None:
        self._name = name
        self._law = law
        self._axes = axes

    def __call__(self, seen: Feedback) -> Control:
        try:
            control = self._law(seen)
        except CableSimError:
            raise
        except Exception as error:  # whatever it is, it is the controller's
            raise self._command_error(seen, one_line(error, __file__)) from error
        if not isinstance(control, Mapping):
            raise self._command_error(
                seen,
                f"the law returned {control!r}, and not speeds by axis, such as {{'trolley': 0.5}}",
            )
        return {axis: self._number(seen, axis, wanted) for axis, wanted in control.items()}

    def _number(self, seen: Feedback, axis: str, wanted: Any) -> float | Command:
        """A command, if it can be one."""
        if axis not in self._axes:
            raise self._command_error(seen, unknown("axis", axis, self._axes))
        order: Any = wanted if isinstance(wanted, Command) else Command(wanted)
        value, mode = order
        if mode not in MODES:
            raise self._command_error(seen, f"axis {axis!r}: {unknown('mode', mode, MODES)}")
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise self._command_error(
                seen, f"axis {axis!r}: {value!r} is not a number, nor a Command of one"
            )
        if not math.isfinite(value):
            raise self._command_error(seen, f"axis {axis!r}: value {value} is not a finite number")
        return Command(float(value), mode) if isinstance(wanted, Command) else float(value)

    def _command_error(self, seen: Feedback, problem: str) -> CommandError:
        """Return an error about the result of the law."""
        return CommandError(f"controller {self._name} at {seen.time:.6g} s: {problem}")


@contextmanager
def _prefer_folder(folder: str, package: str) -> Iterator[None]:
    """Look for modules in a folder before anywhere else.

    A controller's module from another folder that has the same name, because that is another
    scenario's, is forgotten.
    """
    if _folders.get(package, folder) != folder:
        for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
            del sys.modules[name]
    if package not in sys.modules:
        _folders[package] = folder
    importlib.invalidate_caches()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
