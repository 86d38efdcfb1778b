"""An FMU for co-simulation, FMI 2 or 3, whose variables are set and read by name; needs FMPy."""

import contextlib
import shutil
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cable_sim.errors import CommandError, SpecError, unknown

INTEGERS = ("Integer", "Enumeration", *(f"{u}Int{n}" for u in ("", "U") for n in (8, 16, 32, 64)))
TYPES: dict[str, Callable[[float], float]] = {
    "Real": float,
    "Float64": float,
    "Float32": float,
    "Boolean": bool,
}
TYPES |= dict.fromkeys(INTEGERS, int)
"""Python's type of the values of each type of FMI; strings and binaries are not taken."""


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
        self._logged: list[Any] = []
        self._failed: list[bool] = []
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
            self._start(description, folder, parameters, time)
        except CommandError as error:
            raise SpecError(str(error)) from None

    def _start(
        self, description: Any, folder: str, parameters: Mapping[str, float], time: float
    ) -> None:
        """Make the instance, set its parameters, and end its initialisation."""
        from fmpy.simulation import instantiate_fmu

        logged, failed = self._logged, self._failed

        def keep(*message: Any) -> None:
            logged[:] = message[-1:]  # in FMI 2 and 3 alike

        options = {"debug_logging": True, "logger": keep}
        fmu = self._call(lambda: instantiate_fmu(folder, description, "CoSimulation", **options))
        weakref.finalize(self, _end, fmu, failed)  # before the files go: the last comes first
        self.fmu = fmu
        self._variables = {one.name: one for one in description.modelVariables if one.type in TYPES}
        second = description.fmiVersion.startswith("2.")
        self._suffixes = {"Enumeration": "Integer" if second else "Int64"}
        for name, value in parameters.items():
            self.check(name, ("parameter", "input"))
            self.set(name, value)
        if second:
            self._call(lambda: fmu.setupExperiment(startTime=time))
        self._call(lambda: fmu.enterInitializationMode(**({} if second else {"startTime": time})))
        self._call(fmu.exitInitializationMode)

    def check(self, name: str, causalities: tuple[str, ...]) -> None:
        """Raise SpecError, with the names that are there, for no variable of these causalities."""
        known = [n for n, one in self._variables.items() if one.causality in causalities]
        if name not in known:
            raise SpecError(f"FMU {self._name}: {unknown(causalities[0], name, known)}")

    def set(self, name: str, value: float) -> None:
        """Set a variable, in its unit; raise CommandError if the FMU does not take the value."""
        one = self._variables[name]
        put = getattr(self.fmu, f"set{self._suffixes.get(one.type, one.type)}")
        self._call(lambda: put([one.valueReference], [TYPES[one.type](value)]))

    def get(self, name: str) -> float:
        """Return a variable, in its unit."""
        one = self._variables[name]
        get = getattr(self.fmu, f"get{self._suffixes.get(one.type, one.type)}")
        return float(self._call(lambda: get([one.valueReference]))[0])

    def step(self, time: float, length: float) -> None:
        """Run from a time on [s] for a length [s]; raise CommandError if the FMU does not."""
        given = {"currentCommunicationPoint": time, "communicationStepSize": length}
        self._call(lambda: self.fmu.doStep(**given))

    def _call(self, act: Callable[[], Any]) -> Any:
        """Return the result of a call; CommandError, with what the FMU logged, if it fails."""
        try:
            return act()
        except Exception as error:  # whatever it is, it is the FMU's
            self._failed.append(True)
            told = " ".join(str(error).split()).rstrip(".")
            for text in self._logged:
                said = text.decode(errors="replace") if isinstance(text, bytes) else text
                told += f"; it says: {said}"
            raise CommandError(f"FMU {self._name}: {told}") from None


def _end(fmu: Any, failed: list[bool]) -> None:
    """End an instance and unload its library; one that has failed must not be called any more."""
    if not failed:
        with contextlib.suppress(Exception):
            fmu.terminate()
            fmu.freeInstance()


def _load_fmpy() -> Any:
    """Return FMPy; ModuleNotFoundError, with how it is installed, without it."""
    try:
        import fmpy
    except ModuleNotFoundError as error:
        message = "fmpy is not installed; pip install 'cable_sim[fmi]'"
        raise ModuleNotFoundError(message, name=error.name) from None
    return fmpy
