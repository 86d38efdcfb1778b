"""Laws and tapes of many worlds: each world is driven as a single one, ``kernels/driving.py``."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import SpecError
from cable_sim.kernels import driving
from cable_sim.kernels.jit import machine_code
from cable_sim.kernels.pins import Pin
from cable_sim.sim.batch.worlds import Worlds
from cable_sim.sim.driving import Driven, codes_of, driving_records
from cable_sim.sim.laws import LawAtWork
from cable_sim.sim.readings.channels import Channel, Channels

Array = NDArray[np.float64]


class BatchLaw:
    """A law that is called in all worlds of a batch before each of their steps.

    Parameters
    ----------
    law: the compiled law.
    worlds: worlds that it is called in.
    memory: its memory (n, m) in each world, in units of its own, which may be written between
        steps.
    """

    def __init__(self, law: LawAtWork, worlds: Worlds, memory: Array) -> None:
        self.name = law.name
        self.memory = memory
        times = worlds.rows("seen.time")
        self.twins = [law.twin(times[i], memory[i]) for i in range(len(memory))]


class Drivers:
    """Records by which the worlds of a batch are driven, with a law or a tape or both.

    Parameters
    ----------
    worlds: the worlds.
    law: law of each world; None for none.
    channels: channels that are recorded.
    every: steps between two rows; 0 for no tape.
    rows: length of the tapes.
    """

    def __init__(
        self,
        worlds: Worlds,
        law: BatchLaw | None,
        channels: Sequence[Channel] = (),
        every: int = 0,
        rows: int = 0,
    ) -> None:
        self._law = law
        steps = worlds.rows("state.steps")
        moved = worlds.moved.addresses
        looked = worlds.looked.addresses
        codes = codes_of(worlds.first, law.twins[0] if law else None)
        self._counts = np.zeros((len(moved), 3), np.int64)
        self._pins = []
        for i in range(len(moved)):
            own = law.twins[i] if law else None
            pins = np.array([moved[i], looked[i], own.pin.address if own else 0])
            world = Driven(
                codes, pins, self._counts[i], steps[i], worlds.accuracy[i], worlds.memory[i]
            )
            rhythm = (every, int(steps[i, 0]))
            self._pins.append(Pin(driving_records(world, own, channels, rhythm, rows)))
        code = machine_code(driving.drive_world, self._pins[0], 1)
        self.codes = np.array([code.address])
        self.addresses = np.array([pin.address for pin in self._pins])

    def check(self) -> None:
        """Raise CommandError for the first world whose law refused its next step."""
        refused = self._counts[:, driving.REFUSED]
        if self._law and refused.any():
            i = int(np.flatnonzero(refused)[0])
            self._law.twins[i].refuse(int(refused[i]) - 1, f"world {i}: ")

    def rows(self, count: int, present: Callable[[], Array]) -> Array:
        """Return ``count`` rows (r, n, c) of the tapes, in the units of the channels; empty these.

        A world that has come to a stop has fewer rows. The others are its ``present`` values, which
        are those of all worlds (n, c).
        """
        tapes = np.stack([pin.records.tape[:count] for pin in self._pins], axis=1)
        filled = self._counts[:, driving.ROWS]
        for i in np.flatnonzero(filled < count):
            tapes[filled[i] :, i] = present()[i]
        filled[:] = 0
        return tapes


def make_law(
    worlds: Worlds,
    channels: Channels,
    law: Callable[..., Any],
    reads: Sequence[str],
    writes: Sequence[str],
    memory: ArrayLike,
) -> BatchLaw:
    """Compile a law for all worlds; see :meth:`~cable_sim.sim.simulator.Simulator.use_law`.

    ``memory`` is (m,) for all worlds or (n, m). Raises SpecError for another shape.
    """
    n = len(worlds.memory)
    name = getattr(law, "__name__", "law")
    try:
        given = np.asarray(memory, dtype=float)
        fits = given.ndim < 2 or given.shape == (n, given.size // n)
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise SpecError(f"law {name!r}: memory must be numbers, (m,) or ({n}, m), not {memory!r}")
    given = np.atleast_1d(given)
    found = channels.read(reads), channels.written(writes)
    made = LawAtWork(law, *found, worlds.rows("seen.time")[0], given.reshape(-1)[: given.shape[-1]])
    return BatchLaw(made, worlds, np.array(np.broadcast_to(given, (n, given.shape[-1])), order="C"))
