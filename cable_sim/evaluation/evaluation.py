"""Scenarios run and judged: metrics of each, under its own controller or under several, and what
was expected."""

import dataclasses
import typing
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from cable_sim.control.catalogue import Group
from cable_sim.control.controllers import AnyController
from cable_sim.control.controllers.custom import Custom
from cable_sim.control.metrics import Metrics, metrics_of
from cable_sim.control.plants.plant import Plant
from cable_sim.control.run import Run, run
from cable_sim.control.scenario import Scenario
from cable_sim.errors import CableSimError, SpecError, StepError
from cable_sim.evaluation.timing import Pace, pace_of

Verdict = Literal["", "ok", "missed", "failed", "refused"]
"""Nothing was expected; all of it came; some of it did not; the physics failed; there is no such
run."""

STATUS: dict[Verdict, int] = {"": 0, "ok": 0, "missed": 1, "failed": 1, "refused": 2}
"""Exit status of a command that got such verdicts: the largest counts."""


EXAMPLE = 'controller: {kind: custom, name: "my_controller:MyController", settings: {damping: 0.2}}'
"""How a scenario says whose controller of one's own it has."""

Plants = Callable[[Scenario], Plant]
"""Where the crane of a scenario runs."""


class Judged(NamedTuple):
    """A metric, and the upper bound that was expected of it."""

    name: str
    value: float
    bound: float

    @property
    def kept(self) -> bool:
        """Whether it is within its bound; what never came or can't be told is not."""
        return self.value <= self.bound


@dataclass(frozen=True)
class Outcome:
    """What came of a scenario.

    Parameters
    ----------
    name: of the case.
    scenario: that was run, with its controller.
    run, metrics, pace: None where there was no run to its end.
    problem: why not; empty otherwise.
    failed: whether the physics failed, rather than the scenario being one that can't be.
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
        """Kind of its controller."""
        return str(self.scenario.controller.kind)

    @property
    def judged(self) -> tuple[Judged, ...]:
        """What was expected, and what came of it; nothing where there was no run."""
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
        """How it went."""
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
    """Run a scenario and take its metrics; what prevents it is in the outcome, not raised.

    ``plants`` gives the crane, which is closed in the end; left out, it runs in this process.
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
    """Settings of all reference controllers by kind; those of several kinds may be of one class."""
    declared: Any = typing.get_args(AnyController)[0]
    classes = typing.get_args(declared) or (declared,)
    return {
        kind: cls for cls in classes for kind in typing.get_args(typing.get_type_hints(cls)["kind"])
    }


def under(
    scenario: Scenario, wanted: Iterable[str] = (), seed: int | None = None
) -> Iterator[Scenario]:
    """The scenario under controllers of some kinds, or under its own; with another seed, if one is
    given.

    A controller of another kind has its usual settings, one of the scenario's own kind has the
    scenario's. SpecError, which lists the known ones, for a kind that is not there.
    """
    if seed is not None:
        scenario = dataclasses.replace(scenario, seed=seed)
    known, own = kinds(), scenario.controller
    for kind in wanted or (own.kind,):
        if kind not in known:
            raise SpecError(f"controller {kind!r} is not known; known are {', '.join(known)}")
        if known[kind] is Custom and kind != own.kind:
            raise SpecError(
                "controller 'custom': needs a class, which the scenario's file has to name: "
                f"{EXAMPLE}"
            )
        yield (
            scenario
            if kind == own.kind
            else dataclasses.replace(scenario, controller=known[kind](kind=kind))
        )


def planned(
    group: Group, wanted: Iterable[str] = (), seed: int | None = None
) -> list[tuple[str, Scenario]]:
    """All runs of a group, case by case, each under the wanted controllers."""
    wanted = tuple(dict.fromkeys(wanted))
    return [
        (name, made)
        for name, scenario in group.cases.items()
        for made in under(scenario, wanted, seed)
    ]
