"""Scenarios: a crane, its load, task, disturbances and controller, as a YAML file."""

import dataclasses
import math
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StrictBool

from cable_sim.control.controllers import AnyController
from cable_sim.control.controllers.custom import Custom
from cable_sim.control.controllers.fmu import Fmu
from cable_sim.control.controllers.operator import Operator
from cable_sim.control.feedback import Feedback
from cable_sim.control.pass_criteria import PassCriteria
from cable_sim.control.pendulum import pendulum_length
from cable_sim.control.plants.load_pushes import LoadPush
from cable_sim.control.profiles import Ramps
from cable_sim.control.task import Task, Travel
from cable_sim.cranes import load_crane
from cable_sim.cranes.catalogue import read_crane
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.initial_conditions import InitialConditions
from cable_sim.errors import SpecError
from cable_sim.machine.faults import Fault
from cable_sim.spec.files import read_spec
from cable_sim.spec.quantities import Fraction, Many, Name, NonNegative, Positive, Real, spec
from cable_sim.spec.wind import Weather

WATCHED = 30.0
"""Default time to watch a load after the last move [s]: two periods of a pendulum of 50 m."""


@spec
class Move:
    """One axis to a place, by ramps.

    Exactly one of ``to``, ``by`` [m, rad], ``to_deg`` and ``by_deg`` [deg] says where; ``by``
    counts from where the moves before have brought the axis.

    Parameters
    ----------
    axis: its name, such as ``trolley``.
    start: when it begins [s]; not before the end of the axis' move before.
    speed, acceleration: shares of the largest that the axis has [-].
    """

    axis: Name
    to: Real | None = None
    by: Real | None = None
    to_deg: Real | None = None
    by_deg: Real | None = None
    start: NonNegative = 0.0
    speed: Fraction = 1.0
    acceleration: Fraction = 1.0

    def __post_init__(self) -> None:
        given = [
            name for name in ("to", "by", "to_deg", "by_deg") if getattr(self, name) is not None
        ]
        if len(given) != 1:
            raise ValueError(
                f"needs one of to, by, to_deg and by_deg, not {' and '.join(given) or 'none'}"
            )

    def target(self, origin: float) -> float:
        """Coordinate where it ends, from an origin [m or rad]."""
        if self.to is not None:
            return self.to
        if self.to_deg is not None:
            return math.radians(self.to_deg)
        return origin + (math.radians(self.by_deg) if self.by_deg is not None else self.by or 0.0)


@spec
class Believed:
    """Believed over true values for the controller: length of the pendulum, mass of the load
    [-]."""

    length: Positive = 1.0
    load: Positive = 1.0


@spec
class Scenario:
    """One run of a crane under a controller.

    Parameters
    ----------
    crane: name from the catalogue, or path of a YAML file.
    title: in words.
    load: its mass [kg]; 0 for an empty spreader; left out, as the crane's file has it.
    rope_length: depth of the hook, or of a spreader's twistlocks, below the trolley's sheaves at
        the start, with the load hanging [m]; left out, the crane starts as its file says.
    start: coordinates of other axes at the start [m, rad], by name.
    changes: of the crane's file, by path: ``{sensors.camera.delay: 0.04}``.
    moves: what shall be done.
    wind: that blows, as section ``wind`` of a crane file; left out, as the crane's file has it.
    faults: that come, each at its time.
    pushes: on the load, each for some time.
    controller: controller of the run, with its settings.
    believed: errors of what the controller assumes.
    measured: whether the controller sees the readings of sensors, or the truth.
    period: between two calls of the controller [s].
    dt: physics step [s].
    watch: how long the load is watched after the last planned move [s].
    seed: of sensors' noise and of turbulence; left out, as the files have them.
    expect: what the run is judged by.
    """

    crane: str
    moves: Many[Move]
    title: str = ""
    load: NonNegative | None = None
    rope_length: Positive | None = None
    start: dict[Name, Real] = Field(default_factory=dict)
    changes: dict[str, Any] = Field(default_factory=dict)
    wind: Weather | None = None
    faults: Many[Fault] = ()
    pushes: Many[LoadPush] = ()
    controller: AnyController = Operator()
    believed: Believed = Believed()
    measured: StrictBool = True
    period: Positive = 0.01
    dt: Positive = 1e-3
    watch: Positive = WATCHED
    seed: Annotated[int, Field(strict=True, ge=0)] | None = None
    expect: PassCriteria = PassCriteria()

    def build(self) -> Crane:
        """The crane as the scenario wants it; ConfigError or SpecError for what can't be."""
        return load_crane(self.crane, self.initial_changes(read_crane(self.crane)))

    def initial_changes(self, file: FamilySpec) -> dict[str, Any]:
        """Return the changes of the crane's file by path; SpecError for what its family does not
        have."""
        given = InitialConditions(
            self.crane, self.load, self.rope_length, self.start, self.wind, self.seed
        )
        return file.initial_changes(given) | self.changes

    def travels(self, crane: Crane, first: Feedback) -> tuple[Travel, ...]:
        """The moves, from what is seen at the start; SpecError for one that the crane can't
        make."""
        at = {name: state.position for name, state in first.axes.items()}
        free = dict.fromkeys(at, 0.0)
        made = []
        for i, move in enumerate(self.moves):
            axis = crane.axis(move.axis)
            target = move.target(at[axis.name])
            if not axis.lower <= target <= axis.upper:
                allowed = f"{axis.name} goes from {axis.lower:g} to {axis.upper:g} {axis.unit}"
                raise SpecError(f"moves[{i}]: {allowed}, not to {target:g}")
            if move.start < free[axis.name]:
                busy = f"{axis.name} moves until {free[axis.name]:.4g} s"
                raise SpecError(f"moves[{i}].start: {busy}; start later than {move.start:g} s")
            most = move.speed * axis.max_speed, move.acceleration * axis.max_acceleration
            ramps = Ramps(target - at[axis.name], *most, move.start)
            made.append(Travel(axis.name, at[axis.name], ramps))
            at[axis.name] = target
            free[axis.name] = ramps.end
        return tuple(made)

    def task(self, crane: Crane, first: Feedback, period: float) -> Task:
        """Return the task of the controller; ``period`` is the time between two of its calls
        [s]."""
        true = pendulum_length(crane)
        wrong = self.believed
        return Task(
            crane,
            period,
            first,
            self.travels(crane, first),
            lambda hoist, across=False: wrong.length * true(hoist, across),
            wrong.load * _load_mass(crane),
            self.measured,
        )


def _load_mass(crane: Crane) -> float:
    """Return the mass of the load with that of the bodies lashed to it [kg].

    Such a body is the cargo of a container whose centre of mass is off its middle.
    """
    joints = crane.scene.joints
    lashed = {
        joint.child for joint in joints if joint.kind == "fixed" and joint.parent == crane.watched
    }
    return sum(body.mass for body in crane.scene.bodies if body.name in {crane.watched, *lashed})


def read_scenario(path: str | Path) -> Scenario:
    """The scenario of a YAML file; ConfigError with everything that is wrong with it, each by line
    and column."""
    return resolve_controller(read_spec(path, Scenario), path)


def resolve_controller(scenario: Scenario, path: str | Path) -> Scenario:
    """A scenario of a file: a controller's module or FMU is looked for in the folder of that."""
    if isinstance(scenario.controller, Custom | Fmu):
        return dataclasses.replace(scenario, controller=scenario.controller.relative_to(Path(path)))
    return scenario
