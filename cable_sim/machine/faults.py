"""Faults to inject while a crane runs: each begins at its time and ends by time or when cleared.

The state of drives, brakes, sensors, sheaves and the control's number of falls follows from the
active faults alone. Whenever these change, all of it is set anew. Only a rope that broke stays
broken until the machine is reset; its fault stays active as long.
"""

import math
from typing import Any, Literal, NamedTuple, get_args

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError, check_kind
from cable_sim.sim.turns import in_turn
from cable_sim.spec import Sheave
from cable_sim.spec.quantities import Limit, NonNegative, Real, spec

FaultKind = Literal[
    "brake_slip",
    "drive_trip",
    "drive_derate",
    "power_loss",
    "sensor_freeze",
    "sensor_dead",
    "sensor_bias",
    "sensor_drift",
    "sensor_scale",
    "wrong_falls",
    "rope_break",
    "sheave_seizure",
    "limiter_bypass",
]


class Kind(NamedTuple):
    """Definition of a kind of fault.

    ``target`` is the sort of its target, empty for none. ``value`` is the meaning of its value with
    the unit; ``usual`` is the usual value, ``lower`` and ``upper`` its range.
    """

    target: Literal["axis", "sensor", "quantity", "rope", "sheave", "limiter", ""]
    value: str = ""
    usual: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf


KINDS: dict[FaultKind, Kind] = {
    "brake_slip": Kind("axis", "remaining share of the brake torque [-]", 0.5, 0.0, 1.0),
    "drive_trip": Kind("axis"),
    "drive_derate": Kind("axis", "remaining share of the motor effort [-]", 0.5, 0.0, 1.0),
    "power_loss": Kind(""),
    "sensor_freeze": Kind("sensor"),
    "sensor_dead": Kind("sensor"),
    "sensor_bias": Kind("sensor", "error of the reading, in its unit", 0.0),
    "sensor_drift": Kind("sensor", "growth of that error, in its unit per second", 0.0),
    "sensor_scale": Kind("sensor", "factor of the reading [-]", 1.0),
    "wrong_falls": Kind(
        "quantity", "number of falls that the control assumes, over the real number [-]", 0.5, 0.0
    ),
    "rope_break": Kind("rope"),
    "sheave_seizure": Kind("sheave", "remaining efficiency [-]", 0.0, 0.0, 1.0),
    "limiter_bypass": Kind("limiter"),
}
"""All kinds of faults."""


def value_meaning(crane: Crane, kind: FaultKind, target: str = "") -> str:
    """Return the meaning of a fault's value with its unit; an empty text where it has none.

    That of a sensor is the unit of the signal which the sensor ``target`` measures.
    """
    meaning = KINDS[kind].value
    head, found, tail = meaning.partition(", in its unit")
    signal = next((s.signal for s in crane.sensors if found and s.name == target), "")
    return f"{head} [{crane.unit_of(signal)}{'/s' if tail else ''}]" if signal else meaning


ESTOP = "estop"
ENABLE = "enable"
"""Names of the emergency stop and the dead-man control among the limiters.

While they are bypassed, pressing the stop and releasing the control does nothing.
"""
SOON = 1e-9
"""Rounding difference of equal times [s]."""


@spec
class Fault:
    """One fault.

    Parameters
    ----------
    kind: one of :data:`KINDS`.
    target: name of an axis, a sensor or a quantity of the control, a limiter as ``Machine.limits``
        lists them, or a rope, as the kind needs; of a sheave the rope and the number of its node,
        ``hoist_rope/3``. See :func:`targets`.
    value: severity, in the unit of :data:`KINDS`; left out, the usual value.
    start: time from the injection to its begin, in simulated time [s].
    duration: how long it stays [s], a tick of the machine at least.
    """

    kind: FaultKind
    target: str = ""
    value: Real | None = None
    start: NonNegative = 0.0
    duration: Limit = math.inf

    @property
    def strength(self) -> float:
        """Value of the fault, or the usual one, in the unit of its kind."""
        return KINDS[self.kind].usual if self.value is None else self.value

    @property
    def name(self) -> str:
        """Kind and target in words."""
        return f"{self.kind} {self.target}".strip()

    def __post_init__(self) -> None:
        kind = KINDS[self.kind]
        if bool(self.target) != bool(kind.target):
            article = "an" if kind.target == "axis" else "a"
            needs = f"the name of {article} {kind.target}" if kind.target else "none"
            raise ValueError(f"target: {self.kind} needs {needs}, not {self.target!r}")
        if self.value is not None and not kind.value:
            raise ValueError(f"value: {self.kind} takes none, not {self.value:g}")
        if not kind.lower <= self.strength <= kind.upper:
            raise ValueError(
                f"value: {kind.value} must be {kind.lower:g} ... {kind.upper:g}, not "
                f"{self.strength:g}"
            )


def targets(crane: Crane) -> dict[str, tuple[str, ...]]:
    """Return the names of possible targets, by the sort of target: ``axis``, ``sensor``...

    Only ropes without masses of their own part as a whole, and those that have some only while they
    are slack.
    """
    scene = crane.scene
    driven = {drive.name for drive in scene.drives}
    falling = {pair.taut.name for pair in crane.when_slack}
    return {
        "axis": tuple(axis.name for axis in crane.axes if axis.drive in driven),
        "sensor": tuple(sensor.name for sensor in crane.sensors),
        "quantity": tuple(quantity.name for quantity in crane.quantities),
        "rope": tuple(
            rope.name for rope in scene.cables if not rope.made_of_masses or rope.name in falling
        ),
        "sheave": tuple(_sheaves(crane)),
        "limiter": (*(limiter.name for limiter in crane.limiters), ESTOP, ENABLE),
        "": (),
    }


def check_target(fault: Fault, known: dict[str, tuple[str, ...]]) -> None:
    """Raise CommandError, which lists the :func:`targets`, for a fault of an unknown target."""
    wanted = KINDS[fault.kind].target
    if wanted and fault.target not in known[wanted]:
        raise CommandError(
            f"fault {fault.kind}: {wanted} {fault.target!r} is not known; "
            f"known are {', '.join(known[wanted]) or 'none'}"
        )


def _sheaves(crane: Crane) -> dict[str, tuple[str, int, float]]:
    """Return rope, node and efficiency of all sheaves with losses, by name."""
    return {
        f"{rope.name}/{k}": (rope.name, k, node.efficiency)
        for rope in crane.scene.cables
        for k, node in enumerate(rope.nodes)
        if isinstance(node, Sheave) and node.efficiency < 1.0
    }


class Injected(NamedTuple):
    """A fault, and the simulated times at which it begins and ends [s]."""

    fault: Fault
    begin: float
    end: float


class FaultsSnapshot(NamedTuple):
    """State that determines the future faults: those injected, and the active ones of them."""

    injected: tuple[Injected, ...]
    active: tuple[Fault, ...]


@in_turn("inject", "clear", "reset", "restore")
class Faults:
    """The faults of a ``Machine``, whose module imports this one."""

    def __init__(self, machine: Any) -> None:
        self._machine = machine
        self.turns = machine.simulator.turns
        self._sheaves = _sheaves(machine.crane)
        self._targets = targets(machine.crane)
        self._injected: tuple[Injected, ...] = ()
        self.tripped: frozenset[str] = frozenset()
        """Axes without power."""
        self.bypassed: frozenset[str] = frozenset()
        """Limiters, and of the operator's switches, that are bypassed."""
        self._set_active(())

    @property
    def active(self) -> tuple[Fault, ...]:
        """Active faults, in the order of their injection."""
        return self._active

    @property
    def acting(self) -> tuple[Injected, ...]:
        """Active faults with their times."""
        return tuple(one for one in self._injected if one.fault in self._active)

    @property
    def coming(self) -> tuple[Injected, ...]:
        """Injected faults that have yet to begin."""
        return tuple(one for one in self._injected if one.fault not in self._active)

    def inject(self, fault: Fault) -> None:
        """Inject a fault; it replaces one of the same kind and target.

        A rope that a fault broke has parted for good: another break of it changes nothing. Raises
        CommandError, which lists the crane's targets, for a target that it does not have.
        """
        check_kind("fault", fault, Fault, "a Fault, such as Fault('power_loss')", CommandError)
        check_target(fault, self._targets)
        if fault.kind == "rope_break" and self._strengths("rope_break", fault.target):
            return
        begin = self._machine.time + fault.start
        lasts = max(fault.duration, self._machine.tick_time)
        others = tuple(one for one in self._injected if one.fault.name != fault.name)
        self._injected = (*others, Injected(fault, begin, begin + lasts))
        self.update()

    def clear(self) -> None:
        """Remove all faults, also future ones; broken ropes stay broken."""
        self._injected = tuple(
            one
            for one in self._injected
            if one.fault.kind == "rope_break" and one.fault in self._active
        )
        self.update()

    @property
    def waiting(self) -> bool:
        """Return True if a fault acts or is to come."""
        return bool(self._injected or self._active)

    def update(self) -> None:
        """Begin and end faults by the machine's time; once a tick, at no cost without any."""
        if not self.waiting:
            return
        now = self._machine.time + SOON
        active = tuple(
            one.fault
            for one in self._injected
            if one.begin <= now
            and (now < one.end or (one.fault.kind == "rope_break" and one.fault in self._active))
        )
        before = self._active
        self._injected = tuple(
            one for one in self._injected if now < one.end or one.fault in active
        )
        if active == before:
            return
        self._set_active(active)
        for fault in active:
            if fault not in before:
                self._machine.notices.append(f"fault {fault.name}: active")
                self._break(fault)
        for fault in before:
            if fault not in active:
                self._machine.notices.append(f"fault {fault.name}: gone")
        self._set_drives()
        self._set_control(before)
        self._set_sheaves()

    def renew(self) -> None:
        """Set sheaves again after ropes have been built anew."""
        if self.waiting:
            self._set_sheaves()

    def reset(self) -> None:
        """Forget all faults, for a machine that is being reset and whole again."""
        self._injected = ()
        self._set_active(())

    def save(self) -> FaultsSnapshot:
        """Return the state that determines the future faults."""
        return FaultsSnapshot(self._injected, self._active)

    def restore(self, saved: FaultsSnapshot) -> None:
        """Go back to a saved state; simulator and control hold its effects and are restored too."""
        self._injected = saved.injected
        self._set_active(saved.active)

    def _set_active(self, active: tuple[Fault, ...]) -> None:
        """Set the active faults."""
        self._active = active
        self.bypassed = frozenset(f.target for f in active if f.kind == "limiter_bypass")
        lost = any(fault.kind == "power_loss" for fault in active)
        axes = [axis.name for axis in self._machine.crane.axes]  # carriages, too
        self.tripped = frozenset(
            axis for axis in axes if lost or self._strengths("drive_trip", axis)
        )
        settings = self._machine.running.settings
        settings.tripped[:] = [axis in self.tripped for axis in axes]
        settings.brake_share[:] = [self._share("brake_slip", axis) for axis in axes]

    def _strengths(self, kind: FaultKind, target: str) -> list[float]:
        """Return the strengths of active faults of a kind on a target."""
        return [one.strength for one in self._active if (one.kind, one.target) == (kind, target)]

    def _share(self, kind: FaultKind, axis: str) -> float:
        """Return the least share that faults of a kind leave to an axis [-]."""
        return min(self._strengths(kind, axis), default=1.0)

    def _break(self, fault: Fault) -> None:
        """Part the rope of a fault, unless it has parted by itself."""
        if fault.kind != "rope_break":
            return
        rope = self._machine.observe().cable(fault.target)
        simulator = self._machine.simulator
        if fault.target in self._machine.slack_ropes.slack and not rope.parted:
            simulator.cut(fault.target, 0.5 * rope.length_paid_out)
        elif not rope.parted:
            simulator.part(fault.target)

    def _set_drives(self) -> None:
        """Set the remaining shares of motors and brakes.

        The machine switches power, see :attr:`tripped`. An emergency brake that is closed adds to
        the share of the brake.
        """
        running = self._machine.running
        carriages = [carriage.name for carriage in self._machine.crane.scene.carriages]
        for i, axis in enumerate(self._machine.crane.axes):
            if axis.drive in carriages:  # moves as it is told
                continue
            self._machine.simulator.set_drive(
                axis.drive,
                effort_share=self._share("drive_derate", axis.name),
                brake_share=running.settings.brake_share[i]
                + axis.emergency_brake * running.state.brakes_closed[i],
            )

    def _release_bypassed(self) -> None:
        """Release an emergency stop or dead-man stop that is bypassed; axes wait for commands."""
        if ESTOP in self.bypassed and self._machine.stopped:
            self._machine.emergency_stop(False)
            self._machine.restart.reset()
        if ENABLE in self.bypassed and not self._machine.enabled:
            self._machine.enable(True)

    def _set_control(self, before: tuple[Fault, ...]) -> None:
        """Set errors of sensors, bypassed limiters, and the number of falls in the control.

        What did not change since ``before`` is left alone: a drift would begin anew, and a limiter
        that somebody else has switched off would be on again.
        """
        self._release_bypassed()
        plc = self._machine.plc
        if plc is None:
            return
        for limiter in self._targets["limiter"][:-2]:  # without the operator's two
            off = _values_by_kind(self._active, limiter)
            if off != _values_by_kind(before, limiter):
                plc.bypass(limiter, "limiter_bypass" in off)
        for sensor in self._targets["sensor"]:
            given = _values_by_kind(self._active, sensor)
            if given == _values_by_kind(before, sensor):
                continue
            plc.fault(
                sensor,
                frozen="sensor_freeze" in given,
                dead="sensor_dead" in given,
                bias=given.get("sensor_bias", 0.0),
                drift=given.get("sensor_drift", 0.0),
                scale=given.get("sensor_scale", 1.0),
            )
        for quantity in self._targets["quantity"]:
            plc.miscalibrate(quantity, math.prod(self._strengths("wrong_falls", quantity)))

    def _set_sheaves(self) -> None:
        """Set the efficiencies of all sheaves with losses."""
        for name, (rope, node, efficiency) in self._sheaves.items():
            left = min(self._strengths("sheave_seizure", name), default=efficiency)
            self._machine.simulator.set_efficiency(rope, node, left)


def _values_by_kind(faults: tuple[Fault, ...], target: str) -> dict[FaultKind, float]:
    """Return the values of the faults with a target, by kind."""
    return {fault.kind: fault.strength for fault in faults if fault.target == target}


assert set(get_args(FaultKind)) == set(KINDS)
