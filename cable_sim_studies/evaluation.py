"""Evaluation of scenarios: runs, their metrics and pass criteria, for one controller or several."""

import dataclasses
import typing
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from cable_sim.control.controllers import AnyController
from cable_sim.control.metrics import Metrics, metrics_of
from cable_sim.control.plants.plant import Plant
from cable_sim.control.run import Run, run
from cable_sim.control.scenario import Scenario
from cable_sim.control.timing import Pace, pace_of
from cable_sim.errors import CableSimError, SpecError, StepError, unknown
from cable_sim_studies.groups import Group

Verdict = Literal["", "ok", "missed", "failed", "refused"]
"""Verdict of a run.

It is empty without pass criteria, ``ok`` if all are met and ``missed`` if one is not. It is
``failed`` if the physics failed, and ``refused`` if the run is not possible.
"""

STATUS: dict[Verdict, int] = {"": 0, "ok": 0, "missed": 1, "failed": 1, "refused": 2}
"""Exit status of a command by verdict; the largest one counts."""


EXAMPLES = {
    "custom": 'controller: {kind: custom, name: "my_controller:MyController", '
    "settings: {damping: 0.2}}",
    "fmu": "controller: {kind: fmu, file: mine.fmu, outputs: {trolley: speed}}",
}
"""How a scenario names a controller that has no default settings, by kind."""

Plants = Callable[[Scenario], Plant]
"""Factory of the plant for a scenario."""


class Judged(NamedTuple):
    """Metric with the upper bound of its pass criterion."""

    name: str
    value: float
    bound: float

    @property
    def kept(self) -> bool:
        """Return True if the value is within its bound; False for infinity and NaN."""
        return self.value <= self.bound


@dataclass(frozen=True)
class Outcome:
    """Outcome of a scenario.

    Parameters
    ----------
    name: name of the case.
    scenario: scenario that was run, with its controller.
    run, metrics, pace: results; None if the run did not end.
    problem: reason for that; empty otherwise.
    failed: True if the physics failed, False if the scenario itself is not possible.
    """

    name: str
    scenario: Scenario
    run: Run | None = None
    metrics: Metrics | None = None
    pace: Pace | None = None
    problem: str = ""
    failed: bool = False

    @property
    def controller(self) -> str:
        """Kind of the scenario's controller."""
        return str(self.scenario.controller.kind)

    @property
    def judged(self) -> tuple[Judged, ...]:
        """Metrics with pass criteria, and their bounds; empty if the run did not end."""
        if self.metrics is None:
            return ()
        fields = dataclasses.fields(self.scenario.expect)
        bounds = {field.name: getattr(self.scenario.expect, field.name) for field in fields}
        return tuple(
            Judged(name, getattr(self.metrics, name), bound)
            for name, bound in bounds.items()
            if bound is not None
        )

    @property
    def verdict(self) -> Verdict:
        """Verdict of the run."""
        if self.metrics is None:
            return "failed" if self.failed else "refused"
        judged = self.judged
        return "" if not judged else "ok" if all(one.kept for one in judged) else "missed"


def evaluate(
    name: str,
    scenario: Scenario,
    progress: Callable[[float], object] | None = None,
    plants: Plants | None = None,
) -> Outcome:
    """Run a scenario and compute its metrics; errors become part of the outcome.

    ``plants`` gives the crane, which is closed in the end. By default it runs in this process.
    """
    try:
        with ExitStack() as held:
            plant = held.enter_context(closing(plants(scenario))) if plants else None
            made = run(scenario, plant, progress)
    except CableSimError as error:
        return Outcome(name, scenario, problem=str(error), failed=isinstance(error, StepError))
    except ModuleNotFoundError as error:  # of a controller that says what to install
        return Outcome(name, scenario, problem=str(error))
    return Outcome(name, scenario, made, metrics_of(made), pace_of(made))


def kinds() -> dict[str, Any]:
    """Return the settings of all reference controllers by kind; several kinds may share a class."""
    declared: Any = typing.get_args(AnyController)[0]
    classes = typing.get_args(declared) or (declared,)
    return {
        kind: cls for cls in classes for kind in typing.get_args(typing.get_type_hints(cls)["kind"])
    }


def scenarios_under(
    scenario: Scenario, wanted: Iterable[str] = (), seed: int | None = None
) -> Iterator[Scenario]:
    """Yield the scenario under controllers of the wanted kinds, or under its own.

    A ``seed`` replaces the scenario's. A controller of another kind has its default settings; one
    of the scenario's own kind has the scenario's. SpecError, which lists the known kinds, for an
    unknown one.
    """
    if seed is not None:
        scenario = dataclasses.replace(scenario, seed=seed)
    known = kinds()
    own = scenario.controller
    for kind in wanted or (own.kind,):
        if kind not in known:
            raise SpecError(unknown("controller", kind, known))
        if kind in EXAMPLES and kind != own.kind:
            told = "the scenario's file has to name its class or FMU"
            raise SpecError(f"controller {kind!r}: {told}: {EXAMPLES[kind]}")
        yield (
            scenario
            if kind == own.kind
            else dataclasses.replace(scenario, controller=known[kind](kind=kind))
        )


def plan_runs(
    group: Group, wanted: Iterable[str] = (), seed: int | None = None
) -> list[tuple[str, Scenario]]:
    """Return all runs of a group, case by case, each under the wanted controllers."""
    wanted = tuple(dict.fromkeys(wanted))
    return [
        (name, made)
        for name, scenario in group.cases.items()
        for made in scenarios_under(scenario, wanted, seed)
    ]
