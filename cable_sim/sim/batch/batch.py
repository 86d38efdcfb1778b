"""Many worlds at once: a scene with other numbers in each, stepped in compiled code by threads."""

import functools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError, ModelError, check_above_0, unknown
from cable_sim.kernels import status, worlds
from cable_sim.kernels.driving import READINGS
from cable_sim.kernels.jit import machine_code
from cable_sim.model.drives import MODES
from cable_sim.sim.batch.batch_driving import BatchLaw, Drivers, make_law
from cable_sim.sim.batch.batch_files import Tape
from cable_sim.sim.batch.lanes import Lanes
from cable_sim.sim.batch.variations import Variations
from cable_sim.sim.batch.worlds import Worlds
from cable_sim.sim.driving import codes_of
from cable_sim.sim.first_forces import try_forces
from cable_sim.sim.observation import Observation, Report
from cable_sim.sim.readings.channels import Channel, Channels
from cable_sim.sim.readings.picture import Picture
from cable_sim.sim.running import MOVED, POSES, READ, RunningScene, check_scene
from cable_sim.spec import Scene

Array = NDArray[np.float64]
BEAT = 0.1
"""Time on the clock [s] that a stretch of a run takes, after which its progress is reported."""


class BatchSimulator:
    """Simulator of n worlds that differ in numbers, such as masses, lengths and starts.

    Every world has the bits that a :class:`~cable_sim.sim.simulator.Simulator` of its scene has,
    whatever the number of worlds and threads.

    ``batch["load.position"]`` (n, 3) are the present values of a channel in all worlds, as of
    :meth:`~cable_sim.sim.simulator.Simulator.record`: a view that can't be written.

    Parameters
    ----------
    scene: what to simulate; of a crane, its scene.
    n: number of worlds.
    dt, stepper: see :class:`~cable_sim.sim.simulator.Simulator`.
    vary: values (n, ...) of parameters, such as ``{"load.mass": masses, "rope.length": lengths,
        "load.position": places}``; any field of any object.
    threads: number of threads; left out, one for each processor that this process may use.
    progress: called with the number of worlds that have been built and n, for a progress bar.

    Raises SpecError for a parameter that is not known and a value that is not allowed, ModelError
    for worlds that differ in more than numbers.
    """

    def __init__(
        self,
        scene: Scene | Crane,
        n: int,
        dt: float = 1e-3,
        stepper: str = "spook",
        vary: Mapping[str, ArrayLike] | None = None,
        threads: int | None = None,
        progress: Callable[[int, int], None] = lambda done, n: None,
    ) -> None:
        check_above_0("dt", dt, "s")
        if getattr(scene, "when_slack", ()):
            raise ModelError(
                "when_slack: all worlds of a batch have the same models of ropes, at all times; "
                "leave it out of the crane's file, or make the ropes hybrid"
            )
        self.scene = scene.scene if isinstance(scene, Crane) else scene
        check_scene(self.scene)
        self._lanes = Lanes(n, threads)
        variations = Variations(self.scene, n, vary or {})
        first = RunningScene(variations.scene(0), stepper, float(dt), "envelope", n)
        self.names = first.names
        self.dt = first.dt
        self.status = np.zeros(n, np.int64)
        self._first = first
        self._worlds = Worlds(first, self._lanes.bounds)
        self._build(variations, stepper, progress)
        self._start = self._worlds.memory.copy()
        self._words = self._worlds.memory.view(np.float64)
        self._channels = Channels(self.names, first.places)
        self._fresh = MOVED
        self._starts: dict[int, bytes] = {}
        self._law: BatchLaw | None = None
        self._drivers: Drivers | None = None
        self._codes = codes_of(first, None)[:3]
        self._compile()

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        stopped = np.count_nonzero(self.status & status.STOPS)
        return (
            f"BatchSimulator of {len(self)} worlds of {self.scene.name!r}, step {self.dt:g} s\n"
            f"{self.scene.counts}\n{stopped} stopped"
        )

    @property
    def time(self) -> Array:
        """Simulated times (n,) of the worlds [s]."""
        return self["time"]

    @property
    def nbytes_per_world(self) -> float:
        """Memory of a world, without the workspaces, of which each thread has one [bytes]."""
        return self._worlds.nbytes / len(self)

    def step(self, count: int = 1) -> NDArray[np.int64]:
        """Take ``count`` steps in all worlds; return the status flags (n,) of each.

        A world whose next step can't be taken stays as it is, and takes no more steps until it is
        reset; :func:`~cable_sim.sim.sentences.explain` tells why.
        """
        if count < 0:
            raise CommandError(f"step: count {count} is not allowed; it must be 0 or above")
        self._take(count, self._drivers)
        return self.status.copy()

    def use_law(
        self,
        law: Callable[..., object] | None,
        reads: Sequence[str] = (),
        writes: Sequence[str] = (),
        memory: ArrayLike = (),
    ) -> BatchLaw | None:
        """Call a compiled law in each world before each of its steps; None ends it.

        It is as that of :meth:`Simulator.use_law <cable_sim.sim.simulator.Simulator.use_law>`, with
        the same bits. Each world has a memory of its own, in units of the law: ``memory`` is (m,)
        for all or (n, m). Neither :meth:`save` nor :meth:`reset` touches it.

        Raises SpecError for a channel that is unknown or written twice and a memory of another
        shape, ModelError for a function that can't be compiled. Where an output is not finite, or
        the law raises an error, that world's step is not taken: CommandError, when all other worlds
        have taken theirs.
        """
        known = self._worlds, self._channels
        self._law = None if law is None else make_law(*known, law, reads, writes, memory)
        self._drivers = None if self._law is None else Drivers(self._worlds, self._law)
        return self._law

    def command(self, drive: str, target: ArrayLike, mode: str | None = None) -> None:
        """Set targets of a drive, one or (n,), in the unit of its mode: [m], [m/s], [N] or as such.

        Raises SpecError for an unknown drive; CommandError, and changes nothing, for an unknown
        mode and targets that are not finite or not n.
        """
        if mode is not None and mode not in MODES:
            raise CommandError(f"drive {drive!r}: {unknown('mode', mode, MODES)}")
        self.write(f"drives.{drive}.target", target)
        if mode is not None:
            row = self.names.index("drives", drive)
            self._worlds.rows("control.drives.mode")[:, row] = MODES[mode]

    def push(self, body: str, force: ArrayLike = (0, 0, 0), torque: ArrayLike = (0, 0, 0)) -> None:
        """Apply forces [N] and torques [N m], (3,) or (n, 3), to a body of every world.

        See :meth:`~cable_sim.sim.simulator.Simulator.push`.
        """
        given = self._values(f"{body}.force", force, 3), self._values(f"{body}.torque", torque, 3)
        self.write(f"bodies.{body}.force", given[0])
        self.write(f"bodies.{body}.torque", given[1])

    def set_wind(self, velocity: ArrayLike) -> None:
        """Set the wind [m/s], (3,) or (n, 3), at the reference height, world frame."""
        self.write("wind", velocity)

    def write(self, channel: str, values: ArrayLike) -> None:
        """Set a channel that laws can write, such as ``load.force`` [N], in all worlds.

        ``values`` are those of one world for all of them, or (n, ...). Raises SpecError for an
        unknown channel; CommandError, and changes nothing, for values that are not finite.
        """
        (found,) = self._channels.written([channel])
        self._words[:, found.places] = self._values(channel, values, found.places.size)
        if self._starts:  # the forces of a first step depend on it
            self._fresh = MOVED

    def __getitem__(self, channel: str) -> Array:
        """Return the present values of a channel, (n,) or (n, k), as a view; SpecError if
        unknown."""
        (found,) = self._channels.read([channel])
        self._freshen(READ if found.needs == READINGS else POSES)
        return self._view(found)

    def observe(self, i: int) -> Observation:
        """Return the present scene of world i; forces are means over the last step."""
        self._freshen(READ)
        first = self._first
        memory = self._starts.get(i) or self._worlds.memory[i].tobytes()
        picture = Picture(memory, first.places, first.model, len(self.names.bodies), self.dt)
        residual, rounds = self._worlds.accuracy[i].tolist()
        return Observation(self.names, Report(int(self.status[i]), residual, int(rounds)), picture)

    def reset(self, chosen: Iterable[int] | None = None) -> None:
        """Bring chosen worlds, or all, back to their start."""
        rows = np.arange(len(self)) if chosen is None else np.fromiter(chosen, np.int64)
        self._worlds.memory[rows] = self._start[rows]
        self.status[rows] = status.SOLVED
        self._fresh = MOVED

    def save(self) -> NDArray[np.uint8]:
        """Return a copy of all states and commands, from which the run continues bit for bit."""
        return self._worlds.memory.copy()

    def restore(self, saved: NDArray[np.uint8]) -> None:
        """Go back to what :meth:`save` returned; CommandError if it is of another batch."""
        if saved.shape != self._worlds.memory.shape:
            raise CommandError("restore: what was saved is of another batch")
        self._worlds.memory[...] = saved
        self._fresh = MOVED

    def run(
        self,
        count: int,
        channels: Sequence[str],
        every: int = 1,
        out: str | Path | None = None,
        progress: Callable[[int, int], None] = lambda done, count: None,
    ) -> dict[str, Array]:
        """Take ``count`` steps; return series (r, n, ...) of channels, a row every so many steps.

        They are in the units of the channels.

        With ``out``, a folder, they are written there in parts as they come, and nothing is
        returned; :func:`~cable_sim.sim.batch.batch_files.read_parts` reads them. A process that is
        killed loses the part that it was at. ``progress`` is called with the steps taken and
        ``count``, about ten times a second. Raises SpecError for an unknown channel, CommandError
        for a ``count`` below 0, an ``every`` below 1, and as :meth:`use_law` says.
        """
        for name, value, least in (("count", count, 0), ("every", every, 1)):
            if value < least:
                raise CommandError(
                    f"run: {name} {value} is not allowed; it must be {least} or above"
                )
        wanted = self._channels.read(channels)
        tape = Tape(wanted, len(self), out)
        most = tape.rows_in_part
        drivers = Drivers(self._worlds, self._law, wanted, every, most)
        rows = 1
        left = count
        while left >= every:
            began = time.perf_counter()
            taken = min(rows, left // every)
            self._take(taken * every, drivers)
            tape.append(drivers.rows(taken, functools.partial(self._present, wanted)))
            left -= taken * every
            progress(count - left, count)
            if time.perf_counter() - began < BEAT:
                rows = min(2 * rows, most)
        if left:
            self._take(left, self._drivers)
            tape.append(self._present(wanted)[np.newaxis])
            progress(count, count)
        return tape.end()

    def close(self) -> None:
        """End the threads."""
        self._lanes.close()

    def _take(self, count: int, drivers: Drivers | None) -> None:
        """Take steps in all worlds, driven or not."""
        if self._law and self._started():
            self._fresh = MOVED
            self._freshen(READ)
        self._fresh = MOVED
        if drivers is None or count == 0:
            moved = self._worlds.moved.addresses
            self._lanes.run(self._step, self._codes, moved, count, self.status)
            return
        self._lanes.run(self._step, drivers.codes, drivers.addresses, count, self.status)
        drivers.check()

    def _present(self, channels: Sequence[Channel]) -> Array:
        """Return the present values (n, c) of channels, in their units."""
        self._freshen(READ)
        values = [self._view(channel).reshape(len(self), -1) for channel in channels]
        return np.concatenate([np.zeros((len(self), 0)), *values], axis=1)

    def _build(
        self, variations: Variations, stepper: str, progress: Callable[[int, int], None]
    ) -> None:
        """Start all worlds but the first, those with the same values from one another."""
        known = {variations.key(0): 0}
        for i in range(1, len(self)):
            alike = known.setdefault(variations.key(i), i)
            if alike < i:
                self._worlds.copy(alike, i)
            else:
                self._worlds.set_scene(i, variations.scene(i), stepper)
            progress(i + 1, len(self))

    def _compile(self) -> None:
        """Compile the kernels before threads call them."""
        moved = self._worlds.moved.addresses
        looked = self._worlds.looked.addresses
        steps = machine_code(worlds.step_worlds, 0, 0, self._codes, moved, 0, self.status)
        self._step = steps.call
        self._see = machine_code(worlds.see_worlds, 0, 0, self._codes, moved, looked, True).call

    def _freshen(self, wanted: int) -> None:
        """Compute what is seen in all worlds, unless that was done since the last change."""
        if self._fresh < wanted:
            pins = self._worlds.moved.addresses, self._worlds.looked.addresses
            started = self._started() if wanted == READ else []
            put_back = [self._try_forces(i) for i in started]
            self._lanes.run(self._see, self._codes, *pins, wanted == READ)
            self._starts = {i: self._worlds.memory[i].tobytes() for i in started}
            for put in put_back:
                put()
            self._fresh = wanted

    def _started(self) -> list[int]:
        """Return the worlds that have taken no step."""
        steps = self._worlds.rows("state.steps")[:, 0]
        return np.flatnonzero((steps == 0) & (self.status & status.STOPS == 0)).tolist()

    def _try_forces(self, i: int) -> Callable[[], None]:
        """Put the forces of the first step into world i; return what puts back the old ones."""
        flags = np.zeros_like(self.status)
        moved = self._worlds.moved.addresses

        def take() -> int:
            self._step(i, i + 1, self._codes, moved, 1, flags)
            return int(flags[i])

        return try_forces(self._worlds.memory[i], self._first.places, self._first.model, take)

    def _view(self, channel: Channel) -> Array:
        """Return the values of a channel in all worlds."""
        first = int(channel.places[0])
        if first < 0:
            view = self._worlds.memory[:, -1 - first].astype(float)
        elif channel.parts:
            view = self._words[:, first : first + channel.places.size]
        else:
            view = self._words[:, first]
        view.flags.writeable = False
        return view

    def _values(self, channel: str, given: ArrayLike, width: int) -> Array:
        """Return values of a channel, (n, w) or (w,); raise CommandError if they do not fit."""
        values = np.asarray(given, dtype=float)
        if width == 1 and values.ndim == 1:
            values = values[:, None]
        fits = values.shape in ((), (width,), (len(self), width))
        if not fits or not np.isfinite(values).all():
            shape = f"({len(self)}, {width})" if width > 1 else f"({len(self)},)"
            raise CommandError(
                f"{channel}: needs finite numbers, for one world or {shape}, not {given!r}"
            )
        return values
