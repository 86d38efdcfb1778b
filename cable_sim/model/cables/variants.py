"""Two variants of the compiled step, one for cranes and one for everything.

numba compiles what stands behind ``extras is not None`` for the second alone. A crane with straight
cables needs a third of the code, and its first step comes in a third of the time.
"""

import functools
import operator
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels import step
from cable_sim.kernels.collide import FIND, run_contacts
from cable_sim.kernels.instant import SHIFT, see_world
from cable_sim.kernels.jit import machine_code
from cable_sim.kernels.pins import ADDRESS, Pin
from cable_sim.kernels.records.waves import WaveState, WaveWork
from cable_sim.kernels.records.world import Control, Model, Readings, State, Workspace, World
from cable_sim.model.basis.readings import readings
from cable_sim.model.cables.cable_models import PACKINGS

Code = Callable[..., int]
PROBE_STEP = 1e-6
"""Step [s] in which nothing moves."""


class Run(NamedTuple):
    """Records that a step is taken with."""

    model: Model
    state: State
    control: Control
    work: Workspace

    def look(self) -> None:
        """Fill the rows."""
        run(*self, PROBE_STEP, step.LOOK)

    def settle(self) -> int:
        """Set the contact nodes, and owe no detour; return status flags."""
        flags, _, _ = run(*self, PROBE_STEP, step.SETTLE)
        self.state.nodes.path_offset[:] = 0.0
        return flags


def extras_of(model: Model) -> bool | None:
    """Return the member ``extras`` of a ``World``.

    It is None for a model without wheels, obstacles, and cables whose models need more than the
    kernels of all cables, else True.
    """
    has_extras = (
        any(packing.extras(model) for packing in PACKINGS.values())
        or model.wheels.node.size > 0
        or model.touches.body.size > 0
    )
    return True if has_extras else None


def pin_world(
    model: Model,
    states: tuple[State, State],
    control: Control,
    work: Workspace,
    read: Readings,
    h: float,
) -> Pin:
    """Return the pin of a scene's records for steps of ``h`` [s].

    The first of the states is the one that kernels take as the state.
    """
    extras = extras_of(model)
    contacts = np.zeros(1, ADDRESS)
    records = World(model, *states, control, work, read, float(h), extras, np.zeros(2), contacts)
    pin = Pin(records, varying=(WaveState, WaveWork))
    if model.pool.moving.size:
        contacts[0] = machine_code(run_contacts, pin, 0).address
    return pin


def run(
    model: Model, state: State, control: Control, work: Workspace, h: float, n: int
) -> tuple[int, float, int]:
    """Call ``step.run_world`` on records; return status flags, residual and most rounds."""
    pin, code, _ = _pinned(_Same((model, state, control, work)), h)
    flags = code(pin.handle, n)
    residual, rounds = pin.records.accuracy.tolist()
    return flags, residual, int(rounds)


def shift_start(model: Model, state: State, control: Control, work: Workspace, h: float) -> None:
    """Move the poses of a start half a step on, as ``instant.shift_start`` does.

    That kernel is in the one that sees a world, which is compiled anyway.
    """
    pin, _, code = _pinned(_Same((model, state, control, work)), h)
    code(pin.handle, SHIFT)


def shift_back(model: Model, state: State, control: Control, work: Workspace, h: float) -> None:
    """Move the poses of a state back to the time of its velocities (``instant.set_present``)."""
    pin, _, code = _pinned(_Same((model, state, control, work)), h)
    code(pin.handle, 0)


def find_contacts(
    model: Model, state: State, control: Control, work: Workspace
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the pairs and the gaps [m] of all contacts at the present poses."""
    pin, _, _ = _pinned(_Same((model, state, control, work)), PROBE_STEP)
    if not model.pool.moving.size:
        return np.zeros(0, np.int64), np.zeros(0)
    machine_code(run_contacts, pin, FIND).call(pin.handle, FIND)
    own, width = model.rows.own
    count = (int(work.rows.used[0]) - own) // width
    return work.pool.key[:count], work.pool.gap[:count]


class _Same:
    """Key of records that only the same ones match."""

    def __init__(self, records: tuple[Model, State, Control, Workspace]) -> None:
        self.records = records

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and all(map(operator.is_, self.records, other.records))

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.records)))


@functools.lru_cache(maxsize=3)
def _pinned(same: _Same, h: float) -> tuple[Pin, Code, Code]:
    """Return the pin of records, which is made once for calls in a row, and what runs and sees
    it."""
    model, state, control, work = same.records
    pin = pin_world(model, (state, state), control, work, readings(model), h)
    return pin, machine_code(step.run_world, pin, 1).call, machine_code(see_world, pin, SHIFT).call
