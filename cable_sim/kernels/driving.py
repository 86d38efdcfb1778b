"""Many steps in one call, with a law before each of them and samples in between.

The step itself is called by its address (``jit.py``), as compiled as Python calls it. So this
kernel is small, and one serves all scenes. What a law reads and writes, and a tape holds, are
numbers in the block of a scene (``sim/readings/block.py``), told by their places: the number of a
word of eight bytes, or of a byte for flags.

A law is a function of the user's,

    law(time, inputs, outputs, memory),

which is called (``sim/laws.py``) with what is seen at the time of the velocities, and writes the
outputs of the step that begins there. Before the first step all has been read, with the forces of
a step that was tried (``sim/first_forces.py``). A tape has a
row for every ``every``-th step, counted from the one at which it began.
"""

from typing import Any

from numpy.typing import NDArray

from cable_sim.kernels import status
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.pins import call, contents
from cable_sim.kernels.records.arrays import Floats, Ints
from cable_sim.kernels.records.driving import Driving
from cable_sim.kernels.step import LOOK

RUN = 0
SEE = 1
READ = 2
LAW = 3
"""Columns of ``codes``, addresses of compiled code."""
MOVED = 0
LOOKED = 1
OF_LAW = 2
"""Columns of ``pins``, addresses of records."""
EVERY = 0
FIRST = 1
TAPE_NEEDS = 2
LAW_NEEDS = 3
"""Columns of ``settings``: steps between two rows, step of the first row, and what law and tape
need: POSES or READINGS."""
POSES = 1
READINGS = 3
TAKEN = 0
ROWS = 1
REFUSED = 2
"""Columns of ``counts``: steps taken, rows filled since the tape was emptied, and 1 + the output
that was not finite."""


@kernel
def refresh(codes: Ints, pins: Ints, needs: int) -> None:
    """Compute what is seen, as far as it is needed."""
    call(codes[SEE], pins[MOVED], 0)
    if needs == READINGS:
        call(codes[RUN], pins[LOOKED], LOOK)
        call(codes[READ], pins[LOOKED], 0)


@kernel
def gather(words: Floats, flags: NDArray[Any], places: Ints, values_out: Floats) -> None:
    """Copy numbers from their places: words from 0 on, flags as -1 - byte."""
    for i in range(places.size):
        place = places[i]
        if place >= 0:
            values_out[i] = words[place]
        else:
            values_out[i] = 1.0 if flags[-1 - place] else 0.0


@kernel
def obey_law(driving_out: Driving) -> int:
    """Call the law and copy its outputs; return 0, or 1 + the number of one that is not finite."""
    d = driving_out
    if d.steps[0] > 0:
        refresh(d.codes, d.pins, d.settings[LAW_NEEDS])
    gather(d.words, d.flags, d.input_place, d.inputs)
    call(d.codes[LAW], d.pins[OF_LAW], 0)
    for i in range(d.outputs.size):
        if not d.outputs[i] - d.outputs[i] == 0.0:
            return i + 1
    for i in range(d.outputs.size):
        d.words[d.output_place[i]] = d.outputs[i]
    return 0


@kernel
def write_row(driving_out: Driving) -> None:
    """Write the present values into the next row of the tape."""
    d = driving_out
    refresh(d.codes, d.pins, d.settings[TAPE_NEEDS])
    gather(d.words, d.flags, d.channel_place, d.tape[d.counts[ROWS]])
    d.counts[ROWS] += 1


@kernel
def steps_to_row(steps: int, settings: Ints) -> int:
    """Return the number of steps to the next row of the tape."""
    return settings[EVERY] - (steps - settings[FIRST]) % settings[EVERY]


@kernel
def drive_world(pin: Any, n: int) -> int:
    """Take n steps, or fewer: until the tape is full, or a step can't be taken.

    Returns the status flags of all steps; fills ``counts`` and ``accuracy``.
    """
    d = contents(pin)
    flags = status.SOLVED
    most = 0.0
    d.counts[TAKEN] = 0
    d.counts[REFUSED] = 0
    while d.counts[TAKEN] < n and not flags & status.STOPS:
        chunk = n - d.counts[TAKEN]
        if d.settings[EVERY] > 0:
            chunk = min(chunk, steps_to_row(d.steps[0], d.settings))
        if d.codes[LAW] != 0:
            d.counts[REFUSED] = obey_law(d)
            if d.counts[REFUSED] > 0:
                break
            chunk = 1
        before = d.steps[0]
        flags |= call(d.codes[RUN], d.pins[MOVED], chunk)
        most = max(most, d.accuracy[1])
        d.counts[TAKEN] += d.steps[0] - before
        if flags & status.STOPS or d.settings[EVERY] == 0:
            continue
        if steps_to_row(d.steps[0], d.settings) == d.settings[EVERY]:
            write_row(d)
            if d.counts[ROWS] == d.tape.shape[0]:
                break
    d.accuracy[1] = most
    return flags
