"""An FMU for co-simulation, FMI 2 or 3, whose variables are set and read by name; needs FMPy."""

import contextlib
import shutil
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cable_sim.errors import CommandError, SpecError, unknown

INTEGERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
OURS = {"Real": float, "Float64": float, "Float32": float, "Boolean": bool, "Enumeration": int}
OURS |= {"Integer": int, **dict.fromkeys(INTEGERS, int)}
"""Python's type of the values of each type of FMI; strings and binaries are not taken."""
OK, ERROR, FATAL = 0, 3, 4
"""Numbers of FMI's statuses."""


class _Variable(NamedTuple):
    """Access to a variable: its causality, Python's type, reference, and how it is called."""

    causality: str
    kind: Callable[[float], float]
    reference: int
    get: Callable[[list[int]], list[float]]
    set: Callable[[list[int], list[float]], None]


class FmuInstance:
    """An instance of an FMU, at its start.

    Parameters
    ----------
    file: path of the FMU.
    parameters: values of parameters and inputs at the start, by name, in the FMU's units.
    time: at the start [s].

    Raises SpecError for a file that is no FMU for co-simulation of FMI 2 or 3, or does not run
    here, and for a parameter that is not there; ModuleNotFoundError without FMPy.
    """

    def __init__(self, file: Path, parameters: Mapping[str, float], time: float = 0.0) -> None:
        fmpy = _load_fmpy()
        self._name = file.name
        self._log = _Log([], [OK])
        if not file.is_file():
            raise SpecError(f"FMU {file}: there is no such file")
        try:
            description = fmpy.read_model_description(str(file), validate=False)
            folder = fmpy.extract(str(file))
        except Exception as error:  # of zip, XML or its contents
            raise SpecError(f"FMU {file}: can't be read: {error}") from None
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        version = description.fmiVersion
        if description.coSimulation is None or not version.startswith(("2.", "3.")):
            told = "it must be for co-simulation of FMI 2 or 3"
            raise SpecError(f"FMU {file}: is of FMI {version}; {told}")
        try:
            self.fmu = self._start(description, folder, parameters, time)
        except SpecError:
            raise
        except Exception as error:  # whatever it is, it is the FMU's
            raise SpecError(f"FMU {file}: {self._told(error)}") from None

    def _start(
        self, description: Any, folder: str, parameters: Mapping[str, float], time: float
    ) -> Any:
        """Return the instance of FMPy, with its parameters set and its initialisation ended."""
        from fmpy.simulation import instantiate_fmu

        fmu = instantiate_fmu(
            folder, description, "CoSimulation", debug_logging=True, logger=self._log.keep
        )
        weakref.finalize(self, _end, fmu, self._log)  # before the files go: the last comes first
        self._variables = {
            one.name: _access(fmu, one, description.fmiVersion[0])
            for one in description.modelVariables
            if one.type in OURS
        }
        for name, value in parameters.items():
            self.check(name, ("parameter", "input"))
            self.set(name, value)
        if description.fmiVersion.startswith("2."):
            fmu.setupExperiment(startTime=time)
            fmu.enterInitializationMode()
        else:
            fmu.enterInitializationMode(startTime=time)
        fmu.exitInitializationMode()
        return fmu

    def check(self, name: str, causalities: tuple[str, ...]) -> None:
        """Raise SpecError, with the names that are there, for no variable of these causalities."""
        known = [n for n, one in self._variables.items() if one.causality in causalities]
        if name not in known:
            raise SpecError(f"FMU {self._name}: {unknown(causalities[0], name, known)}")

    def set(self, name: str, value: float) -> None:
        """Set a variable, in its unit; raise CommandError if the FMU does not take the value."""
        one = self._variables[name]
        self._call(lambda: one.set([one.reference], [one.kind(value)]))

    def get(self, name: str) -> float:
        """Return a variable, in its unit."""
        one = self._variables[name]
        return float(self._call(lambda: one.get([one.reference]))[0])

    def step(self, time: float, length: float) -> None:
        """Run from a time on [s] for a length [s]; raise CommandError if the FMU does not."""
        self._call(
            lambda: self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=length)
        )

    def _call(self, act: Callable[[], Any]) -> Any:
        """Return the result of a call; CommandError, with what the FMU logged, if it fails."""
        try:
            return act()
        except Exception as error:  # whatever it is, it is the FMU's
            raise CommandError(f"FMU {self._name}: {self._told(error)}") from None

    def _told(self, error: Exception) -> str:
        """Return an error in words, with the last message of the FMU."""
        self._log.worst[0] = max(self._log.worst[0], getattr(error, "status", OK))
        told = " ".join(str(error).split()).rstrip(".")
        return f"{told}; it says: {self._log.words[0]}" if self._log.words else told


class _Log(NamedTuple):
    """Last message of an FMU, and its worst status; both are lists of one, to be replaced."""

    words: list[str]
    worst: list[int]

    def keep(self, *message: Any) -> None:
        """Keep a message, which is the last argument in FMI 2 and 3 alike."""
        text = message[-1]
        self.words[:] = [text.decode(errors="replace") if isinstance(text, bytes) else str(text)]


def _end(fmu: Any, log: _Log) -> None:
    """End an instance and unload its library, as far as it may be called after its worst status."""
    with contextlib.suppress(Exception):
        if log.worst[0] < ERROR:
            fmu.terminate()
        if log.worst[0] < FATAL:
            fmu.freeInstance()


def _access(fmu: Any, variable: Any, version: str) -> _Variable:
    """Return the access to a variable of FMPy's model description."""
    kind = variable.type
    if kind == "Enumeration":
        kind = "Integer" if version == "2" else "Int64"
    get, put = (getattr(fmu, f"{word}{kind}") for word in ("get", "set"))
    return _Variable(variable.causality, OURS[kind], variable.valueReference, get, put)


def _load_fmpy() -> Any:
    """Return FMPy; ModuleNotFoundError, with how it is installed, without it."""
    try:
        import fmpy
    except ModuleNotFoundError as error:
        message = "fmpy is not installed; pip install 'cable_sim[fmi]'"
        raise ModuleNotFoundError(message, name=error.name) from None
    return fmpy
