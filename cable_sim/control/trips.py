"""Number and duration of the actions of limiters in a run."""

from collections.abc import Iterable
from typing import NamedTuple

from cable_sim.control.run import LimitEvent
from cable_sim.machine.machine import ACTING


class Trips(NamedTuple):
    """Number of times that a limiter began to act, and total time that it did [s]."""

    number: int
    time: float


def limiter_trips(events: Iterable[LimitEvent], end: float) -> dict[str, Trips]:
    """Return the number and duration of the actions of limiters up to the end of a run [s].

    Limiters that never acted are left out.
    """
    return {
        name: Trips(len(found), sum(time for _, time in found))
        for name, found in limiter_actions(events, end).items()
    }


def limiter_actions(
    events: Iterable[LimitEvent], end: float
) -> dict[str, list[tuple[float, float]]]:
    """Return the actions of limiters, by name, up to the end of a run [s]: beginning and length of
    each [s].

    Limiters that never acted are left out.
    """
    begun: dict[str, float] = {}
    found: dict[str, list[tuple[float, float]]] = {}
    for event in events:
        acts = event.state in ACTING
        if acts and event.name not in begun:
            begun[event.name] = event.time
            found.setdefault(event.name, [])
        elif not acts and event.name in begun:
            time = begun.pop(event.name)
            found[event.name].append((time, event.time - time))
    for name, time in begun.items():
        found[name].append((time, end - time))
    return found
