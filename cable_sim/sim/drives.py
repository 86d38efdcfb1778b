"""Commands and readings of drives, and of carriages, which are commanded alike."""

import math

from cable_sim.errors import CommandError
from cable_sim.kernels.drives import HELD, LAG, MAX_EFFORT, ON_CABLE, distance_lagged, drive_position
from cable_sim.model.drives import MODES, pack_motors
from cable_sim.model.names import Names
from cable_sim.model.types import Control, Model, State, Workspace
from cable_sim.sim.carriages import Carriages
from cable_sim.spec import Scene


class Drives:
    """The drives of a scene while it runs; SpecError for an unknown one."""

    def __init__(self, model: Model, names: Names, state: State, control: Control, work: Workspace) -> None:
        self._model, self._names, self._state, self._control, self._work = model, names, state, control, work
        self.carriages = Carriages(model, names, state, control)

    def retune(self, scene: Scene) -> Model:
        """Go on with what the motors of a scene can do, which is this one but for that; the model of it."""
        motor = pack_motors(scene)
        motor.flags.writeable = False  # as all of a model: kernels are compiled for that
        self._model = self._model._replace(drive_motor=motor)
        return self._model

    def command(self, drive: str, target: float, mode: str | None, brake: bool, slip: float | None) -> None:
        """Target, mode, brake and slip; CommandError, and nothing changed, for what is not allowed."""
        if drive in self._names.carriages:
            self.carriages.command(drive, 0.0 if brake else target, "speed" if brake else mode or "speed")
            return
        d, control = self._names.index("drives", drive), self._control
        if mode is not None and mode not in MODES:
            raise CommandError(f"drive {drive!r}: mode {mode!r} is not known; known are {', '.join(MODES)}")
        if not math.isfinite(target):
            raise CommandError(f"drive {drive!r}: target {target} is not a finite number")
        if slip is not None and not (math.isfinite(slip) and slip >= 0.0):
            raise CommandError(f"drive {drive!r}: slip {slip} is not allowed; it must be 0 or above")
        if mode is not None:
            control.drive_mode[d] = MODES[mode]
        if slip is not None:
            control.drive_slip[d] = slip
        control.drive_target[d] = target
        control.drive_brake[d] = brake

    def set(
        self, drive: str, powered: bool | None, effort_share: float | None, brake_share: float | None
    ) -> None:  # fmt: skip
        """Power, and shares of effort and brake; CommandError, and nothing changed, for what is not allowed."""
        d, control = self._names.index("drives", drive), self._control
        if powered not in (None, True, False):
            raise CommandError(f"drive {drive!r}: powered {powered!r} is not allowed; it must be True or False")
        for name, share, most in (("effort_share", effort_share, 1.0), ("brake_share", brake_share, math.inf)):
            if share is not None and not (math.isfinite(share) and 0.0 <= share <= most):
                allowed = "0 ... 1" if most == 1.0 else "0 or above, and finite"
                raise CommandError(f"drive {drive!r}: {name} {share} is not allowed; it must be {allowed}")
        if powered is not None:
            control.drive_powered[d] = powered
        if effort_share is not None:
            control.drive_effort_share[d] = effort_share
        if brake_share is not None:
            control.drive_brake_share[d] = brake_share

    def reference(self, drive: str) -> float:
        """Speed that a drive follows, or at which a carriage goes [rad/s or m/s]."""
        if drive in self._names.carriages:
            return self.carriages.moves(drive)
        return float(self._state.drive_reference[self._names.index("drives", drive)])

    def held(self, drive: str) -> float:
        """Speed that a drive holds [rad/s or m/s]."""
        if drive in self._names.carriages:
            return self.reference(drive)
        return float(self._state.drive_motion[self._names.index("drives", drive), HELD])

    def overrun(self, drive: str, h: float) -> float:
        """How far the lag of a drive has it run on, in steps of h seconds [rad or m]."""
        if drive in self._names.carriages:
            return 0.0
        d = self._names.index("drives", drive)
        return float(distance_lagged(h, self._model.drive_motor[d, LAG], self._state.drive_motion[d, HELD]))

    def on_cable(self, drive: str) -> bool:
        """Whether a drive is on a cable, whose path the workspace has."""
        if drive in self._names.carriages:
            return False
        return bool(self._model.drive_kind[self._names.index("drives", drive)] == ON_CABLE)

    def position(self, drive: str) -> float:
        """Coordinate of a drive, or a carriage's position [rad or m]; on a cable as the workspace has it."""
        m, s = self._model, self._state
        if drive in self._names.carriages:
            return float(s.carriage_position[self._names.index("carriages", drive)])
        return float(
            drive_position(
                m.drive_kind, m.drive_on, m.cable_node_start, self._names.index("drives", drive), s.joint_position,
                s.body_position, self._work.node_beyond,
            )
        )  # fmt: skip

    def max_effort(self, drive: str) -> float:
        """Largest effort that a drive can give [N m or N]; 0 for a carriage."""
        if drive in self._names.carriages:
            return 0.0
        return float(self._model.drive_motor[self._names.index("drives", drive), MAX_EFFORT])
