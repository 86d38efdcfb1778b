"""One tick of a machine, the crane between command and physics: the table of contents.

    wind and pushes of the tick -> emergency brakes -> stop, power, orders -> drives -> n steps ->
    look -> sensors, quantities, limiters

``run_ticks`` takes ticks of records that are pinned (``MachineWorld``). The steps are compiled code
that it calls by its address, of either variant (``model/cables/variants.py``). What limiters decide
holds from the next tick on. Where they begin or end a stop, the axes wait for new commands, so that
nothing starts again by itself.

Of the stops that the emergency stop, the dead-man control and limiters ask for, the strictest
counts. An emergency brake closes its axis' brake delay after limiters have asked for it. The drive
has only one brake, which then holds more by that brake's share.
"""

from math import atan2, hypot
from typing import Any

from cable_sim.kernels.devices.actuation import (
    CLOSE_DELAY,
    EMERGENCY_SHARE,
    LEVER,
    SPEED,
    TICK,
    TIMEOUT,
    follow,
    stop,
)
from cable_sim.kernels.devices.levers import SOON
from cable_sim.kernels.devices.limiters import NO_STOP
from cable_sim.kernels.devices.supervision import supervise
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.drives import INFINITE
from cable_sim.kernels.multibody.rotation import load_quaternion, rotate
from cable_sim.kernels.multibody.vec3 import load, store
from cable_sim.kernels.multibody.wind_history import wind_velocity
from cable_sim.kernels.pins import call, contents
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.bodies import BodyControl, BodyState
from cable_sim.kernels.records.devices import DeviceSettings
from cable_sim.kernels.records.drives import DriveControl
from cable_sim.kernels.records.machine import (
    Axes,
    Levers,
    MachineSettings,
    MachineState,
    Plant,
    Winds,
)
from cable_sim.kernels.records.world import Control
from cable_sim.kernels.status import SOLVED, STOPS
from cable_sim.kernels.step import LOOK

RUN, SEE, READ, MOVED, LOOKED, STEP, STEPPED = range(7)
"""Entries of ``plant.code``: code that runs, sees and reads a scene; its pin, and that of what is
looked at; code that takes steps, and its pin: those that run it, or those of ``driving.py``."""
STALE = 0
CHANGED = 1
"""Columns of ``told``: orders that have timed out, and whether the state of a limiter changed."""
EMERGENCY = 0
HELD = 1
"""Columns of ``state.requests``."""


@kernel
def strictest(first: int, second: int) -> int:
    """Return the stricter of two categories of a stop."""
    if first == NO_STOP or second == NO_STOP:
        return max(first, second)
    return min(first, second)


@kernel
def stop_category(requests: Ints, by_limiters: int) -> int:
    """Return the category of the stop that is asked for."""
    by_hand = NO_STOP if requests[HELD] else 1
    return strictest(strictest(requests[EMERGENCY], by_hand), by_limiters)


@kernel
def forget_orders(state_out: MachineState) -> None:
    """Let all axes wait for new commands."""
    for i in range(state_out.mode.size):
        state_out.time[i] = -INFINITE
        state_out.value[i] = 0.0
        state_out.mode[i] = SPEED
        state_out.brake[i] = True


@kernel
def push_bodies(
    now: float,
    timeout: float,
    bodies: BodyState,
    state_out: MachineState,
    body_control_out: BodyControl,
) -> None:
    """Push bodies; a push that is older than its timeout [s] ends."""
    for b in range(state_out.pushed.size):
        if not state_out.pushed[b]:
            continue
        if now - state_out.push_time[b] > timeout:
            state_out.pushed[b] = False
            body_control_out.wrench[b] = 0.0
            continue
        force = load(state_out.push[:, :3], b)
        torque = load(state_out.push[:, 3:], b)
        if state_out.push_turns[b]:
            turn = load_quaternion(bodies.orientation, b)
            force = rotate(turn, force)
            torque = rotate(turn, torque)
        store(force, b, body_control_out.wrench[:, :3])
        store(torque, b, body_control_out.wrench[:, 3:])


@kernel
def close_brakes(
    now: float,
    wanted: bool,
    axes: Axes,
    settings: MachineSettings,
    state_out: MachineState,
    drive_control_out: DriveControl,
) -> None:
    """Close the emergency brakes whose delay is over, or open all of them."""
    since = min(state_out.brakes_since[0], now) if wanted else INFINITE
    state_out.brakes_since[0] = since
    moved = False
    for i in range(axes.drive.size):
        late = now - since >= axes.number[i, CLOSE_DELAY] - SOON
        closed = late and axes.number[i, EMERGENCY_SHARE] > 0.0
        moved |= closed != state_out.brakes_closed[i]
        state_out.brakes_closed[i] = closed
    for i in range(axes.drive.size):
        if moved and axes.drive[i] >= 0:
            more = axes.number[i, EMERGENCY_SHARE] if state_out.brakes_closed[i] else 0.0
            drive_control_out.brake_share[axes.drive[i]] = settings.brake_share[i] + more


@kernel
def switch_motors(
    category: int,
    axes: Axes,
    settings: MachineSettings,
    state_out: MachineState,
    drive_control_out: DriveControl,
) -> None:
    """Switch all motors if any has to be switched."""
    switched = False
    for i in range(axes.drive.size):
        powered = 1 if category != 0 and not settings.tripped[i] else 0
        switched |= powered != state_out.powered[i]
        state_out.powered[i] = powered
    for i in range(axes.drive.size):
        if switched and axes.drive[i] >= 0:
            drive_control_out.powered[axes.drive[i]] = state_out.powered[i] == 1


@kernel
def is_late(i: int, latest: float, state_out: MachineState, told_out: Ints) -> bool:
    """Return True if axis i has had no command since ``latest`` [s].

    Counts it once, unless the command asked for a standstill.
    """
    if state_out.time[i] >= latest:
        return False
    if not state_out.stale[i]:
        state_out.stale[i] = True
        mode = state_out.mode[i]
        stands = (mode == SPEED or mode == LEVER) and state_out.value[i] == 0.0
        told_out[STALE] += 0 if state_out.brake[i] or stands else 1
    return True


@kernel
def command_axes(
    now: float,
    by_limiters: int,
    allowed: Floats,
    axes: Axes,
    levers: Levers,
    settings: MachineSettings,
    plant_out: Plant,
    state_out: MachineState,
    told_out: Ints,
) -> None:
    """Turn orders and requests into commands of the drives."""
    category = stop_category(state_out.requests, by_limiters)
    switch_motors(category, axes, settings, state_out, plant_out.control.drives)
    tick = settings.times[TICK]
    for i in range(axes.drive.size):
        late = is_late(i, now - settings.times[TIMEOUT], state_out, told_out)
        if category != NO_STOP or state_out.powered[i] == 0:
            stop(i, state_out.powered[i], axes, plant_out, state_out)
        elif late or state_out.brake[i] or settings.blocked[i]:
            stop(i, 1, axes, plant_out, state_out)
        else:
            follow(i, allowed[i], tick, axes, levers, plant_out, state_out)


@kernel
def blow(
    now: float, winds: Winds, device_settings_out: DeviceSettings, control_out: Control
) -> None:
    """Set the wind of the tick, and that at the anemometer; without winds both stay."""
    if winds.kind.size > 0:
        x, y = wind_velocity(now, winds)
        control_out.wind[0] = x
        control_out.wind[1] = y
        control_out.wind[2] = 0.0
        device_settings_out.wind[0] = hypot(x, y)
        device_settings_out.wind[1] = atan2(y, x)


@kernel
def run_steps(count: int, code: Ints) -> int:
    """Take steps and look, unless a step can't be taken; return the status flags."""
    flags = call(code[STEP], code[STEPPED], count)
    if not flags & STOPS:
        call(code[SEE], code[MOVED], 0)
        call(code[RUN], code[LOOKED], LOOK)
        call(code[READ], code[LOOKED], 0)
    return flags


@kernel
def run_ticks(pin: Any, n: int) -> int:
    """Run pinned records (``MachineWorld``) n ticks, until a step can't be taken.

    Returns the status flags of all steps.
    """
    axes, levers, settings, winds, plant, devices, truth, given, found, state, told = contents(pin)
    control = plant.control
    flags = SOLVED
    for _ in range(n):
        now = plant.time[0]
        asked = found.stop[0]
        blow(now, winds, given, control)
        push_bodies(now, settings.times[TIMEOUT], plant.bodies, state, control.bodies)
        close_brakes(now, found.stop[1] != 0, axes, settings, state, control.drives)
        command_axes(now, asked, found.allowed, axes, levers, settings, plant, state, told)
        flags |= run_steps(settings.substeps[0], plant.code)
        if flags & STOPS:
            break
        if supervise(plant.time[0], devices, truth, given, found):
            told[CHANGED] = 1
            if (asked == NO_STOP) != (found.stop[0] == NO_STOP):
                forget_orders(state)
    return flags
