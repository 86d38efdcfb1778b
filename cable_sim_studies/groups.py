"""Groups of scenarios that are run and reported together, by the names of files and folders."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from cable_sim.control.catalogue import ENDINGS, read_any, scenario_file, scenario_files
from cable_sim.control.matrix import Matrix
from cable_sim.control.scenario import Scenario
from cable_sim.errors import CableSimError, SpecError


class Group(NamedTuple):
    """Scenarios that are reported together: that of a file, or some of a matrix.

    ``cases`` are the scenarios by name; a file's scenario is called as the file.
    """

    name: str
    title: str
    cases: Mapping[str, Scenario]


def single_scenarios() -> dict[str, Path]:
    """The files of the catalogue with one scenario, by name."""
    return {
        name: path
        for name, path in scenario_files().items()
        if isinstance(read_any(path), Scenario)
    }


def load_group(name_or_path: str | Path, only: Iterable[str] = ()) -> Group:
    """The scenario of a name or file, or the cases of a matrix that ``only`` picks; see
    :meth:`Matrix.names`.

    ConfigError for a file that is wrong, SpecError for an unknown name or variant, or variants of a
    single scenario.
    """
    path = scenario_file(name_or_path)
    read = read_any(path)
    if isinstance(read, Matrix):
        return Group(read.name, read.title, read.cases(only))
    refuse_variants(path.stem, only)
    return Group(path.stem, read.title, {path.stem: read})


def refuse_variants(name: str, only: Iterable[str]) -> None:
    """Raise SpecError for variants of a single scenario of that name."""
    for variant in only:
        raise SpecError(
            f"{name}: is a single scenario; only a matrix has variants such as {variant!r}"
        )


def load_groups(names: Iterable[str], only: Iterable[str] = ()) -> list[Group]:
    """The groups of some names, files and folders; without names, of all single scenarios of the
    catalogue.

    A folder stands for the single scenarios in it. CableSimError for a folder without one, and when
    two groups would have one name, and so one report.
    """
    only = tuple(only)
    places = list(names) or list(single_scenarios())
    groups: dict[str, Group] = {}
    for place in places:
        inside = _scenario_files(Path(place)) if Path(place).is_dir() else [place]
        for one in inside:
            group = load_group(one, only)
            if group.name in groups:
                raise CableSimError(
                    f"{one}: there is another scenario called {group.name!r}; rename one of the "
                    "files"
                )
            groups[group.name] = group
    return list(groups.values())


def _scenario_files(folder: Path) -> list[str]:
    """Files of the single scenarios of a folder."""
    files = sorted(path for ending in ENDINGS for path in folder.glob(f"*{ending}"))
    found = [str(path) for path in files if isinstance(read_any(path), Scenario)]
    if not found:
        raise CableSimError(f"{folder}: there is no file with a scenario in it")
    return found
