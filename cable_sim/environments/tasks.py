"""Random tasks for a learner; each is a scenario, so that any other controller can run it too."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from cable_sim.control.load_kinematics import needed_axes
from cable_sim.control.scenario import Move, Scenario
from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import rebuilt
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import ask_family, hoist_of
from cable_sim.environments.settings import Settings
from cable_sim.errors import SpecError
from cable_sim.spec.wind import Turbulence, Weather

CHART_SHARE = 0.9
"""Largest share of a tower crane's capacity of a drawn load [-].

Above this share the crane's load moment limiter warns.
"""

GIVEN = ("start", "target", "load", "wind")
"""Options of a reset that replace drawn values."""


class Tasks:
    """Distribution of the tasks of an environment.

    Raises SpecError for a crane whose family does not state its rated load. Raises SpecError for
    axes that the crane does not have, positions that they do not reach, and loads that it can't
    carry.

    Attributes
    ----------
    axes: names of the commanded axes, in the order of the crane.
    rated: largest load that the crane carries [kg].
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        crane = load_crane(settings.crane, settings.changes)
        self._crane = crane
        self._file = crane.details
        self._name = crane.name
        family = ask_family(crane)
        rated = family.rated_load()
        self._fields = family.start_fields()
        if rated is None:
            raise SpecError(
                f"crane: {crane.name} is neither a tower crane nor a gantry crane, nor of a family "
                "that tells its rated load"
            )
        self.rated = rated
        self._moving = needed_axes(crane, "crane")
        self._hoist = hoist_of(crane)
        self._check_places(crane)
        self._check_load(settings.load[1])
        self.axes = tuple(axis.name for axis in crane.axes if axis.name in settings.places)
        if settings.measured:
            self._check_sensors(crane)

    def draw(self, random: np.random.Generator, given: Mapping[str, Any]) -> Scenario:
        """Draw the next task.

        ``given`` may fix ``start`` or ``target``, by axis [m, rad], ``load`` [kg], or ``wind``
        [m/s]. Values that are given replace drawn ones, but all random numbers are drawn all the
        same. SpecError for values that are not possible.
        """
        unknown = set(given) - set(GIVEN)
        if unknown:
            raise SpecError(
                f"options: {', '.join(sorted(unknown))} is not known; known are {', '.join(GIVEN)}"
            )
        load = self._draw(random, self._settings.load, given.get("load"), "load")
        self._check_load(load)
        start = self._places(random, load, given.get("start", {}), "start")
        target = self._places(random, load, given.get("target", {}), "target")
        speed = self._draw(random, self._settings.wind, given.get("wind"), "wind")
        direction = random.uniform(0.0, 360.0)
        seed = int(random.integers(2**31))
        depth = start.pop(self._hoist, self._start_of(self._hoist))
        return Scenario(
            crane=self._settings.crane,
            load=load,
            rope_length=depth,
            start=start,
            changes=self._settings.changes,
            moves=tuple(Move(axis, to=to) for axis, to in target.items()),
            wind=self._weather(speed, direction),
            measured=self._settings.measured,
            period=self._settings.tick,
            dt=self._settings.dt,
            seed=seed,
        )

    def build(self, scenario: Scenario) -> Crane:
        """Return the crane of a task.

        Its file is not read again, because reading would take most of the time.
        """
        return rebuilt(self._crane, scenario.initial_changes(self._file))

    def _places(
        self, random: np.random.Generator, load: float, given: Any, what: str
    ) -> dict[str, float]:
        """Draw a position within the ranges, by axis; ``given`` values replace drawn ones."""
        if not isinstance(given, Mapping):
            raise SpecError(
                f"options.{what}: must be a mapping of axes to coordinates, not {given!r}"
            )
        unknown = set(given) - set(self.axes)
        if unknown:
            known = ", ".join(self.axes)
            raise SpecError(
                f"options.{what}: {', '.join(sorted(unknown))} is not commanded; known are {known}"
            )
        return {
            axis: self._draw(random, self._range(axis, load), given.get(axis), f"{what}.{axis}")
            for axis in self.axes
        }

    def _draw(
        self, random: np.random.Generator, span: tuple[float, float], given: Any, what: str
    ) -> float:
        """Return a number drawn from a range, or the one that is ``given``."""
        drawn = random.uniform(*span)
        try:
            return drawn if given is None else float(given)
        except (TypeError, ValueError):
            raise SpecError(f"options.{what}: must be a number, not {given!r}") from None

    def _range(self, axis: str, load: float) -> tuple[float, float]:
        """Return the range of an axis with that load."""
        low, high = self._settings.places[axis]
        if axis != self._moving.outward:
            return low, high
        course = self._moving.course
        end = float(course.coordinate(np.array(self._reach(load))))
        inward = course.at(0.5 * (low + high))[1] < 0.0
        return (max(low, end), high) if inward else (low, min(high, end))

    def _start_of(self, axis: str) -> float | None:
        """Return the coordinate of an axis in the crane's file [m, rad]; None where it has none."""
        field = self._fields.get(axis)
        if field is None:
            return None
        stands = self._file.rig.start
        for name in field.split("."):
            stands = stands.get(name, 0.0) if isinstance(stands, Mapping) else getattr(stands, name)
        return math.radians(stands) if field.endswith("_deg") else stands

    def _reach(self, load: float) -> float:
        """Return the largest radius at which that load may be carried [m]."""
        return ask_family(self._crane).reach(load / CHART_SHARE)

    def _weather(self, speed: float, direction_deg: float) -> Weather | None:
        """Return turbulence of that mean speed [m/s] in the air of the file; None without wind."""
        if speed == 0.0:
            return None
        return dataclasses.replace(
            getattr(self._file, "wind", Weather()),
            sum_of=(Turbulence(speed, direction_deg=direction_deg),),
        )

    def _check_places(self, crane: Crane) -> None:
        """Refuse axes that can't have a start, and ranges beyond those of the axes."""
        for name, (low, high) in self._settings.places.items():
            if name not in self._fields:
                raise SpecError(
                    f"places: {crane.name} can have {', '.join(self._fields)}, not {name}"
                )
            axis = crane.axis(name)
            if low < axis.lower or high > axis.upper:
                allowed = f"{name} goes from {axis.lower:g} to {axis.upper:g} {axis.unit}"
                raise SpecError(f"places.{name}: {allowed}, not from {low:g} to {high:g}")

    def _check_load(self, load: float) -> None:
        """Refuse a load that the crane does not carry at the least radius of its range."""
        if load > self.rated:
            raise SpecError(f"load: {self._name} carries {self.rated:g} kg, not {load:g}")
        outward = self._moving.outward
        course = self._moving.course
        stands = self._start_of(outward)
        ends = self._settings.places.get(outward, (stands, stands))
        if None in ends:
            return
        low = float(course.radius(np.array(ends)).min())
        if self._reach(load) < low:
            reach = (
                f"{load:g} kg may be carried {self._reach(load):.4g} m out, at "
                f"{CHART_SHARE:g} of the load chart"
            )
            what = outward if course.straight else "load"
            raise SpecError(f"load: {reach}, and the {what} is at {low:g} m or more")

    def _check_sensors(self, crane: Crane) -> None:
        """Refuse to observe readings that the crane does not have."""
        known = {sensor.name for sensor in crane.sensors} | {
            quantity.name for quantity in crane.quantities
        }
        places = (self._hoist, self._moving.outward, self._moving.across)
        positions = [f"{axis}.position" for axis in places if axis]
        speeds = [f"{axis}.speed" for axis in self.axes]
        missing = {*positions, *speeds, "sway.radial", "sway.tangential", "load"} - known
        if missing:
            names = ", ".join(sorted(missing))
            raise SpecError(f"measured: {crane.name} has no {names}; add it to its section sensors")
