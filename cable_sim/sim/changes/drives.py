"""Actuators of a running scene: drives, and carriages, which take the same commands.

A machine reads these every tick, so each looks up its place in the arrays only once.
"""

import math
from collections.abc import Iterator
from typing import Any

from cable_sim.errors import CommandError, SpecError, unknown
from cable_sim.kernels.multibody.carriages import LOWER, SPEED, UPPER
from cable_sim.kernels.multibody.drives import HELD, MAX_EFFORT, ON_CABLE, ON_JOINT
from cable_sim.kernels.records.world import Control, Model, State, Workspace
from cable_sim.model.drives import MODES
from cable_sim.sim.changes.live import Shown, number_of
from cable_sim.sim.running import PATHS, RunningScene


class DriveAtWork(Shown):
    """One drive of a running scene: live quantities as in DriveView.

    Parameters
    ----------
    name, row: name and row of the drive.
    running: the scene.
    """

    kind = "drives"
    velocity: float = number_of("drives", "velocity")
    reference: float = number_of("drives", "reference")
    effort: float = number_of("drives", "effort")
    saturated: bool = number_of("drives", "saturated")
    brake_closed: bool = number_of("drives", "brake_closed")
    brake_work: float = number_of("drives", "brake_work")

    def __init__(self, name: str, row: int, running: RunningScene) -> None:
        super().__init__(running, row)
        model = running.model
        self.name = name
        self._row = row
        self._state = running.seen
        self._control = running.control
        self.on_cable = bool(model.drives.kind[row] == ON_CABLE)
        self._coordinate, self._at = _coordinate(row, model, running.seen, running.work)
        self.retune(model)

    def retune(self, model: Model) -> None:
        """Continue with another model's motors; all else must be equal."""
        self.max_effort = float(model.drives.motor[self._row, MAX_EFFORT])
        """Largest effort [N m or N] of the drive."""

    def command(
        self, target: float, mode: str | None = None, brake: bool = False, slip: float | None = None
    ) -> None:
        """Set target, mode, brake and slip in their units.

        Raises CommandError, and changes nothing, for a value that is not allowed.
        """
        d = self._row
        control = self._control
        if mode is not None and mode not in MODES:
            raise CommandError(f"drive {self.name!r}: {unknown('mode', mode, MODES)}")
        if not math.isfinite(target):
            raise CommandError(f"drive {self.name!r}: target {target} is not a finite number")
        if slip is not None and not (math.isfinite(slip) and slip >= 0.0):
            raise CommandError(
                f"drive {self.name!r}: slip {slip} is not allowed; it must be 0 or above"
            )
        if mode is not None:
            control.drives.mode[d] = MODES[mode]
        if slip is not None:
            control.drives.slip[d] = slip
        control.drives.target[d] = target
        control.drives.brake[d] = brake

    def set(
        self,
        powered: bool | None = None,
        effort_share: float | None = None,
        brake_share: float | None = None,
    ) -> None:
        """Set power, and shares of effort and brake [-].

        Raises CommandError, and changes nothing, for a value that is not allowed.
        """
        d = self._row
        control = self._control
        if powered not in (None, True, False):
            raise CommandError(
                f"drive {self.name!r}: powered {powered!r} is not allowed; it must be True or False"
            )
        for what, share, most in (
            ("effort_share", effort_share, 1.0),
            ("brake_share", brake_share, math.inf),
        ):
            if share is not None and not (math.isfinite(share) and 0.0 <= share <= most):
                allowed = "0 ... 1" if most == 1.0 else "0 or above, and finite"
                raise CommandError(
                    f"drive {self.name!r}: {what} {share} is not allowed; it must be {allowed}"
                )
        if powered is not None:
            control.drives.powered[d] = powered
        if effort_share is not None:
            control.drives.effort_share[d] = effort_share
        if brake_share is not None:
            control.drives.brake_share[d] = brake_share

    @property
    def held(self) -> float:
        """Speed that the drive holds: its reference after the speed loop's lag [rad/s or m/s]."""
        return self._state.drives.motion.item(self._row, HELD)

    @property
    def position(self) -> float:
        """Coordinate of the drive [rad or m]."""
        self._freshen(PATHS)
        return self._coordinate.item(self._at)


class CarriageAtWork:
    """One carriage of a running scene, which no load holds up: it moves at its commanded speed."""

    on_cable = False
    max_effort = 0.0
    effort = 0.0

    def __init__(self, name: str, row: int, model: Model, state: State, control: Control) -> None:
        self.name = name
        self._row = row
        self._state = state
        self._control = control
        limits = model.carriages.limit[row]
        self._lower, self._upper, self._fastest = (
            float(limits[column]) for column in (LOWER, UPPER, SPEED)
        )

    def command(
        self, target: float, mode: str | None = None, brake: bool = False, slip: float | None = None
    ) -> None:
        """Move at a speed [rad/s or m/s], or to a position [rad or m] at full speed.

        A brake stops the carriage.
        """
        mode, target = ("speed", 0.0) if brake else (mode or "speed", target)
        if mode not in ("speed", "position"):
            raise CommandError(
                f"carriage {self.name!r}: mode {mode!r} is not known; known are speed, position"
            )
        if not math.isfinite(target):
            raise CommandError(f"carriage {self.name!r}: target {target} is not a finite number")
        g = self._row
        control = self._control
        control.carriages.speed[g] = (
            self._fastest if mode == "position" else min(abs(target), self._fastest)
        )
        control.carriages.target[g] = (
            target if mode == "position" else math.copysign(math.inf, target)
        )

    def drop(self) -> None:
        """Put the carriage at its lower limit at once, as a magnet whose current fails."""
        self.command(0.0)
        self._state.carriages.position[self._row] = self._lower

    @property
    def reference(self) -> float:
        """Present rate of the carriage [rad/s or m/s]."""
        speed = self._control.carriages.speed.item(self._row)
        if speed == 0.0:
            return 0.0
        wanted = self._control.carriages.target.item(self._row)
        away = min(max(wanted, self._lower), self._upper) - self.position
        return math.copysign(speed, away) if away else 0.0

    held = reference
    velocity = reference

    @property
    def position(self) -> float:
        """Position of the carriage [rad or m]."""
        return self._state.carriages.position.item(self._row)


class Drives:
    """The drives and carriages of a running scene, by name."""

    def __init__(self, running: RunningScene) -> None:
        model, state, control = running.model, running.state, running.control
        names = running.names
        self._carriages = tuple(
            CarriageAtWork(name, g, model, state, control) for g, name in enumerate(names.carriages)
        )
        self._drives = tuple(DriveAtWork(name, d, running) for d, name in enumerate(names.drives))
        self._of: dict[str, DriveAtWork | CarriageAtWork] = {
            drive.name: drive for drive in self._drives
        }
        self._of |= {carriage.name: carriage for carriage in self._carriages}

    def __getitem__(self, name: str) -> DriveAtWork | CarriageAtWork:
        """Return that drive or carriage; raise SpecError with the known names if unknown."""
        try:
            return self._of[name]
        except KeyError:
            raise SpecError(
                f"drives: {name!r} is not known; known are {', '.join(self._of) or 'none'}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def follow(self, other: "Drives") -> None:
        """Act in the scene of others from now on."""
        for name, drive in self._of.items():
            drive.__dict__.update(other[name].__dict__)

    def retune(self, model: Model) -> None:
        """Continue with the motors of another model."""
        for drive in self._drives:
            drive.retune(model)

    def motor(self, name: str) -> DriveAtWork:
        """Return that drive; raise SpecError for a carriage, which has no motor."""
        found = self[name]
        if isinstance(found, CarriageAtWork):
            raise SpecError(f"drives: {name!r} is a carriage, which has no motor")
        return found


def _coordinate(row: int, model: Model, state: State, work: Workspace) -> tuple[Any, int]:
    """Return the array that has a drive's coordinate, and its index there."""
    on = int(model.drives.on[row])
    if model.drives.kind[row] == ON_CABLE:
        return work.nodes.remaining_path_length, int(model.cables.node_start[on])
    return (
        (state.joints.position, on)
        if model.drives.kind[row] == ON_JOINT
        else (state.bodies.position[:, 0], on)
    )
