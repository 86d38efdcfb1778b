"""Cranes as FMUs, in which a tool runs them as it runs any model.

The FMU holds the crane's file, the native wrapper of PythonFMU (FMI 2) or PythonFMU3 (FMI 3) and a
few lines of Python. It runs in the Python of the tool, or in that of the machine where the tool is
none, and needs ``cable_sim`` installed there.
"""

import hashlib
import importlib
import importlib.metadata
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import save_crane
from cable_sim.cranes.crane import Crane
from cable_sim.errors import CableSimError, SpecError, check_above_0
from cable_sim.interchange.fmi.description import About

LIBRARIES = {2: "pythonfmu", 3: "pythonfmu3"}
"""Package of the wrapper by the version of FMI."""
SCRIPT = '''\
"""The class of this FMU, which its wrapper loads; it needs the package cable_sim."""

import sys

from {library} import Fmi{version}Slave
from {imports}

try:
    from cable_sim.interchange.fmi.crane_slave import CraneSlave
    from cable_sim.interchange.fmi.description import About
except ImportError as error:
    raise ImportError(f"this FMU needs cable_sim in {{sys.prefix}}: {{error}}") from None


class {identifier}(CraneSlave, Fmi{version}Slave):
    about = {about!r}
    file = {file!r}
    dt = {dt!r}
    status = Fmi{version}Status
    result = {result}
'''
"""Script of an FMU. The wrapper of FMI 3 looks for its class in the text."""
IMPORTS = {
    2: "pythonfmu.enums import Fmi2Status",
    3: "pythonfmu3 import Fmi3Status, Fmi3StepResult",
}
RESULT = {2: "staticmethod(lambda status: False)", 3: "Fmi3StepResult"}
"""Result of a step that is refused, of its status; in FMI 2 it is discarded."""


def export_fmu(
    crane: Crane | str | Path,
    path: str | Path,
    *,
    fmi: int = 3,
    step: float = 0.01,
    dt: float = 1e-3,
) -> Path:
    """Write a crane as an FMU for co-simulation, and return its path.

    Parameters
    ----------
    crane: a crane of a file, as ``load_crane`` returns it, or its name or path.
    path: of the FMU, ``tower.fmu``.
    fmi: version, 2 or 3.
    step: smallest communication step, of which all others are multiples [s].
    dt: physics step, of which ``step`` is a multiple [s].

    Raises SpecError for another version, a step that is no multiple and a crane without a file,
    ConfigError for an unknown crane, CableSimError without the extra ``fmi``.
    """
    target = Path(path)
    substeps = _check(target, fmi, step, dt)
    known = crane if isinstance(crane, Crane) else load_crane(crane)
    builder = _builder(fmi)
    identifier = re.sub(r"\W", "_", known.name, flags=re.ASCII)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{known.name}.yaml")
        save_crane(known, file)
        told = f"{file.read_text(encoding='utf-8')} {fmi} {substeps} {dt}"
        token = hashlib.sha256(told.encode()).hexdigest()[:32]
        about = About(known.name, identifier, token, fmi, substeps * dt)
        script = Path(folder, f"crane_{token}.py")
        script.write_text(_script(about, file.name, dt), encoding="utf-8")
        licences = Path(folder, "documentation")
        _copy_licence(LIBRARIES[fmi], licences / "licenses")
        with _clean_imports(script.stem):
            made = builder.build_FMU(
                script, Path(folder, "made"), [file], documentation_folder=licences
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, target)
    return target


def _check(target: Path, fmi: int, step: float, dt: float) -> int:
    """Return the number of physics steps in a step; SpecError for what can't be."""
    if fmi not in LIBRARIES:
        raise SpecError(f"fmi = {fmi} is not known; known are 2, 3")
    check_above_0("step", step, "s")
    check_above_0("dt", dt, "s")
    substeps = round(step / dt)
    if substeps < 1 or abs(substeps * dt - step) > 1e-9 * step:
        raise SpecError(f"step = {step:g} s is not allowed; it must be a multiple of dt = {dt:g} s")
    if target.suffix != ".fmu":
        raise SpecError(f"{target}: the name of an FMU must end with .fmu")
    return substeps


def _builder(fmi: int) -> Any:
    """Return the builder of FMUs of a version; CableSimError if its package is missing."""
    try:
        return importlib.import_module(LIBRARIES[fmi]).FmuBuilder
    except ModuleNotFoundError:
        raise CableSimError(
            f"{LIBRARIES[fmi]} is not installed: pip install 'cable_sim[fmi]'"
        ) from None


def _script(about: About, file: str, dt: float) -> str:
    """Return the text of the script of an FMU."""
    version = about.version
    return SCRIPT.format(
        library=LIBRARIES[version],
        version=version,
        imports=IMPORTS[version],
        identifier=about.identifier,
        about=about,
        file=file,
        dt=dt,
        result=RESULT[version],
    )


def _copy_licence(library: str, folder: Path) -> None:
    """Copy the licence of a wrapper, which goes along with its binaries."""
    folder.mkdir(parents=True)
    for file in importlib.metadata.files(library) or ():
        if "licenses" in file.parts:
            shutil.copy2(str(file.locate()), folder / f"{library}-{file.name}")


@contextmanager
def _clean_imports(module: str) -> Iterator[None]:
    """Forget what a builder imports from a temporary folder, and where it looked for it."""
    before = [*sys.path]
    try:
        yield
    finally:
        sys.path[:] = before
        sys.modules.pop(module, None)
