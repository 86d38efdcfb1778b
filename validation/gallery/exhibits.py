"""Exhibits of the gallery: name, sources and maker of each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from inspect import getdoc, getmodule
from pathlib import Path
from typing import Any

import numpy as np

import cable_sim
from cable_sim.cranes.catalogue import crane_file, crane_names, load_crane
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.scene_machine import scene_machine
from cable_sim.errors import CableSimError
from cable_sim.machine.machine import Machine
from cable_sim.rendering.renderer import Renderer, extent_of
from cable_sim.scenes import CATALOGUE, load_scene
from cable_sim.shared_files import shared_folders
from cable_sim_studies import reports
from validation.acceptance.catalogue import SCENARIOS, load_scenario
from validation.harness.catalogue import load_study, paper_folders, paper_names
from validation.harness.report import summary, write_markdown
from validation.harness.study import Study, disagreements, run_study

Tell = Callable[[float], None]
"""Callback for progress as a share of 1."""
PACKAGE = Path(cable_sim.__file__).resolve().parent
USES = Path(__file__).resolve().parents[1]
SIMULATION = (
    *(
        PACKAGE / floor
        for floor in ("spec", "cranes", "scenes", "kernels", "model", "sim", "machine")
    ),
    *shared_folders("config")[:1],
)
PICTURES = (*SIMULATION, PACKAGE / "rendering", Path(__file__))
REPORTS = Path(reports.__file__).resolve().parent, PACKAGE / "rendering"
STUDIES = (*SIMULATION, *REPORTS, USES / "harness", Path(__file__))
SCENARIO_FLOORS = (*STUDIES, PACKAGE / "control", USES / "acceptance")
"""Sources of cranes and scenes, of papers, and of acceptance scenarios."""
SIZE = (800, 500)
"""Size of a picture of a scene [pixels]."""
SECONDS = 2.0
"""Default simulated time at which a scene is shown [s]."""
MOMENTS = {
    "boxes_on_wires": 5.0,
    "breaking_wire": 1.2,
    "fishing_rod": 0.4,
    "wire_net": 5.0,
    "wire_over_beam": 0.8,
    "wrapped_block": 0.4,
}
"""Simulated time of scenes that show more at another time [s]."""


@dataclass(frozen=True)
class Made:
    """Result of a made exhibit.

    ``title`` and ``summary`` stand in the list of its kind, ``caption`` below its picture.
    ``missed`` names the quantities that do not agree.
    """

    title: str
    summary: str
    missed: tuple[str, ...] = ()
    caption: str = ""


@dataclass(frozen=True)
class Exhibit:
    """Exhibit of the gallery.

    Parameters
    ----------
    kind: one of :data:`KINDS`.
    name: name of its folder.
    title: title before it is made.
    make: function that writes its files into an empty folder: ``index.md`` and pictures, or
        ``picture.png``.
    sources: files and folders that it depends on.
    group: heading under which it stands on its page.
    """

    kind: str
    name: str
    title: str
    make: Callable[[Path, Tell], Made]
    sources: tuple[Path, ...] = ()
    group: str = ""


def papers() -> list[Exhibit]:
    """Return exhibits of the papers."""
    return [
        _study_exhibit("papers", name, load_study, (*STUDIES, *_folders(name)))
        for name in paper_names()
    ]


def acceptance() -> list[Exhibit]:
    """Return exhibits of the acceptance scenarios."""
    return [
        _study_exhibit("acceptance", name, load_scenario, SCENARIO_FLOORS)
        for name in SCENARIOS.values()
    ]


def cranes() -> list[Exhibit]:
    """Return exhibits of the catalogue's cranes, without their aliases."""
    named = [name for name, file in crane_names().items() if name == file]
    return [
        _crane_exhibit("cranes", name, _first_comment(name), partial(load_crane, name))
        for name in named
    ]


def scenes() -> list[Exhibit]:
    """Return exhibits of the catalogue's scenes, file by file."""
    made = []
    for name, build in CATALOGUE.items():
        title = (getdoc(build) or name).partition("\n")[0]
        group = (getdoc(getmodule(build)) or "").partition("\n")[0].rstrip(".")
        exhibit = _crane_exhibit("scenes", name, title, partial(_machine, name), group)
        made.append(exhibit)
    return made


KINDS: dict[str, Callable[[], list[Exhibit]]] = {
    "papers": papers,
    "acceptance": acceptance,
    "cranes": cranes,
    "scenes": scenes,
}
"""Functions that list the exhibits, by the word of ``--only``."""


def exhibits(only: Iterable[str] = ()) -> list[Exhibit]:
    """Return all exhibits, or those of some kinds.

    CableSimError, which lists the known kinds, for an unknown one.
    """
    wanted = tuple(only)
    for kind in wanted:
        if kind not in KINDS:
            raise CableSimError(f"--only {kind!r} is not known; known are {', '.join(KINDS)}")
    return [
        exhibit
        for kind, listed in KINDS.items()
        if kind in (wanted or KINDS)
        for exhibit in listed()
    ]


def _study_exhibit(
    kind: str, name: str, load: Callable[[str], Study], sources: tuple[Path, ...]
) -> Exhibit:
    """Return the exhibit of a paper or a scenario: its report as Markdown, pictures beside it."""

    def make(folder: Path, tell: Tell) -> Made:
        study = load(name)
        outcomes = run_study(study, tell)
        write_markdown(folder, study, outcomes).rename(folder / "index.md")
        return Made(
            study.title,
            summary(outcomes),
            tuple(finding.name for finding in disagreements(outcomes)),
        )

    return Exhibit(kind, name, name, make, sources)


def _crane_exhibit(
    kind: str, name: str, title: str, load: Callable[[], Crane], group: str = ""
) -> Exhibit:
    """Return the exhibit of a crane or a scene: its picture after some time."""

    def make(folder: Path, tell: Tell) -> Made:
        crane = load()
        machine = Machine(crane)
        frames = [machine.frame(machine.observe())]
        ticks = round(MOMENTS.get(name, SECONDS) / machine.tick_time)
        for tick in range(ticks):
            seen = machine.tick()
            tell(0.9 * tick / ticks)
        frames.append(machine.frame(seen))
        _check(frames[-1], crane)
        _save(
            folder / "picture.png",
            Renderer(crane, extent_of(crane, frames), *SIZE).draw(frames[-1]),
        )
        return Made(title, "", caption=_caption(crane, frames[-1]))

    return Exhibit(kind, name, title, make, PICTURES, group)


def _machine(scene: str) -> Crane:
    """Return a scene of the catalogue as a machine."""
    return scene_machine(load_scene(scene))


def _check(frame: Any, crane: Crane) -> None:
    """Check that every body has a finite position; CableSimError otherwise."""
    lost = [
        name
        for name, pose in frame.poses.items()
        if not all(np.isfinite(part).all() for part in pose)
    ]
    if lost:
        raise CableSimError(
            f"{crane.name}: after {frame.time:g} s {', '.join(lost)} is no longer in any place"
        )


def _caption(crane: Crane, frame: Any) -> str:
    """Return a caption with the time and the tensions of the ropes."""
    pulls = [
        pull for picture in frame.cables.values() if not picture.slack for pull in picture.tension
    ]
    force = max(pulls, default=0.0)
    told = f"{1e-3 * force:.3g} kN" if force >= 1000.0 else f"{force:.3g} N"
    return f"After {frame.time:.3g} s." + (
        f" Largest tension {told}." if crane.scene.cables else ""
    )


def _save(path: Path, picture: Any) -> None:
    """Write a picture (h, w, 3)."""
    from PIL import Image

    Image.fromarray(picture).save(path, optimize=True)


def _first_comment(name: str) -> str:
    """Return the first line of a crane's file, which describes it."""
    return crane_file(name).read_text(encoding="utf-8").partition("\n")[0].strip("# ")


def _folders(paper: str) -> tuple[Path, ...]:
    """Return the folders of a paper's files."""
    return tuple(folder / paper for folder in paper_folders() if (folder / paper).is_dir())
