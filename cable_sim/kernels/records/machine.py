"""Records of a machine, the crane between command and physics: ``kernels/machine.py``."""

from typing import NamedTuple

from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.bodies import BodyState
from cable_sim.kernels.records.devices import Devices, DeviceSettings, DeviceState, Truth
from cable_sim.kernels.records.drives import CarriageState, DriveReadings, DriveState
from cable_sim.kernels.records.world import Control


class Axes(NamedTuple):
    """Axes and their drives; written only by a retune."""

    drive: Ints
    """(a,) row of the drive, or -1."""
    carriage: Ints
    """(a,) row of the carriage, or -1."""
    number: Floats
    """(a, 13) columns in ``kernels/devices/actuation.py``."""
    layers: Ints
    """(a, 2) first and last but one of the drum's rows of ``layer``; equal without layers."""
    layer: Floats
    """(r, 3) layers of rope on drums; columns in ``kernels/multibody/drums.py``."""


class Levers(NamedTuple):
    """Levers of the axes."""

    number: Floats
    """(a, 3) columns in ``kernels/devices/levers.py``."""
    step_start: Ints
    """(a + 1,)."""
    step: Floats
    """(n,) shares of the speed that contactors switch."""


class Winds(NamedTuple):
    """Winds as functions of time, which add up."""

    kind: Ints
    """(w,) kinds in ``kernels/multibody/wind_history.py``."""
    number: Floats
    """(w, 6) columns in the same file."""
    start: Ints
    """(w + 1,) of the rows of ``table``."""
    table: Floats
    """(n, 3) frequencies and phases of a turbulence, or the rows of a file."""


class MachineSettings(NamedTuple):
    """Settings that are changed between ticks."""

    times: Floats
    """(2,) time of a tick, and timeout of commands and pushes [s]."""
    substeps: Ints
    """(1,) physics steps of a tick."""
    tripped: Flags
    """(a,) the axis has no power."""
    blocked: Flags
    """(a,) the axis has to stand, because of the wheels."""
    brake_share: Floats
    """(a,) share of the brake's effort that faults leave [-]."""


class MachineState(NamedTuple):
    """State of a machine between two ticks.

    Copy it with the simulator's and the devices' and restore it, and the same bits follow.
    """

    mode: Ints
    """(a,) of the last command; modes in ``kernels/devices/actuation.py``."""
    value: Floats
    """(a,) of the last command, in the SI unit of its mode."""
    brake: Flags
    """(a,) the last command closes the brake."""
    time: Floats
    """(a,) of the last command [s]."""
    stale: Flags
    """(a,) the last command has timed out."""
    lever_step: Ints
    """(a,) present step of the contactors, with its sense."""
    lever_time: Floats
    """(a,) how long they have been on it [s]."""
    powered: Ints
    """(a,) 1 or 0 as the motor was switched last, -1 if that is not known."""
    requests: Ints
    """(2,) category of the emergency stop or -1, and whether the dead-man control is held."""
    brakes_since: Floats
    """(1,) since when the emergency brakes are to close [s]; infinite if they are not."""
    brakes_closed: Flags
    """(a,) the emergency brake is closed."""
    pushed: Flags
    """(b,) a push acts on the body."""
    push: Floats
    """(b, 6) its force [N] and torque [N m]."""
    push_turns: Flags
    """(b,) it turns with the body."""
    push_time: Floats
    """(b,) of its command [s]."""


class Plant(NamedTuple):
    """Parts of a running scene that a machine reads and commands, and the code that runs it."""

    time: Floats
    """(1,) [s]."""
    bodies: BodyState
    drives: DriveState
    carriages: CarriageState
    carriage_limit: Floats
    readings: DriveReadings
    control: Control
    code: Ints
    """(7,) addresses; their order is in ``kernels/machine.py``."""


class MachineWorld(NamedTuple):
    """All records of a running machine, which the compiled tick gets by their address."""

    axes: Axes
    levers: Levers
    settings: MachineSettings
    winds: Winds
    plant: Plant
    devices: Devices
    truth: Truth
    device_settings: DeviceSettings
    device_state: DeviceState
    state: MachineState
    told: Ints
    """(2,) news for Python; columns in ``kernels/machine.py``."""
