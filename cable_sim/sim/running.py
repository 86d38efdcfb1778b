"""The records of a running scene, and the compiled code that steps and reads them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cable_sim.errors import check_kind
from cable_sim.kernels import instant, observe, status, step
from cable_sim.kernels.multibody.balance import restart
from cable_sim.kernels.pins import ADDRESS
from cable_sim.kernels.records.arrays import arrays_by_name, build_record, replace_array
from cable_sim.kernels.records.devices import Truth
from cable_sim.kernels.records.machine import Plant
from cable_sim.kernels.records.world import Control, Model, Readings, State, Workspace
from cable_sim.model.basis.names import Names
from cable_sim.model.basis.readings import readings
from cable_sim.model.cables.variants import pin_world
from cable_sim.model.compile import compile_scene, suits_sparse, workspace
from cable_sim.sim.compiling import compile_kernel
from cable_sim.sim.first_forces import try_forces
from cable_sim.sim.observation import Observation, Report
from cable_sim.sim.readings.block import Block
from cable_sim.sim.readings.picture import WORKSPACE, Picture
from cable_sim.sim.readings.present import SHIFTED
from cable_sim.sim.turns import Turns
from cable_sim.spec import Scene

if TYPE_CHECKING:
    from cable_sim.sim.sparse import SparseSolver

MOVED = 0
POSES = 1
PATHS = 2
READ = 3
"""Freshness of what is seen: nothing since the last change, then the poses at the time of the
velocities, then cables and rows of these poses, then the readings."""


LOOK_EVERY = 64
"""Steps after which the energy of a scene is looked at that nothing drives. A reading costs half a
step, so this costs 2 % of such a scene's step, with the next reading, and of cranes none."""


_NEW = tuple.__new__
"""Makes a report in a third of the time that its own constructor, a function in Python, takes."""


def check_scene(scene: object) -> None:
    """Raise SpecError for what is no scene."""
    check_kind("scene", scene, Scene, "a Scene, such as load_scene(name), or that of a crane")


class RunningScene:
    """The records of a scene, which are written in place as long as it runs.

    Parameters
    ----------
    scene: the scene.
    stepper: see :class:`~cable_sim.sim.simulator.Simulator`.
    dt: step [s].
    solver: see :class:`~cable_sim.sim.simulator.Simulator`.
    worlds: number of rows of memory. The scene runs in the first; the others start as it does.
    """

    def __init__(self, scene: Scene, stepper: str, dt: float, solver: str, worlds: int = 1) -> None:
        self.dt = dt
        self.scene = scene
        self.turns = Turns()
        self.model, self.names, state, control = compile_scene(scene, stepper, dt)
        sparse = solver == "sparse" or (solver == "auto" and suits_sparse(self.model))
        work = workspace(self.model, envelope=not sparse)
        block = _block(self.model, state, control, work, worlds)
        self.rows = block.rows
        self.memory = block.memory
        arrays = block.arrays
        self.state = _record(State, "state.", arrays)
        self.seen = self.state
        for name in SHIFTED:
            self.seen = replace_array(self.seen, name, arrays[f"seen.{name}"])
        self.control = _record(Control, "control.", arrays)
        self.readings = _record(Readings, "readings.", arrays)
        for name in WORKSPACE:
            work = replace_array(work, name.removeprefix("work."), arrays[name])
        self.work = work
        self.sparse: SparseSolver | None = _sparse_solver(self.model) if sparse else None
        places = block.places
        self.places = {
            f"seen.{name}": places.get(f"seen.{name}", places[f"state.{name}"])
            for name in arrays_by_name(state)
        } | places
        self._fresh = MOVED
        self._start = b""
        self.watched = bool(self.readings.balance.watched[0])
        self._unseen = 0
        self.repinned: Callable[[], None] = lambda: None
        """Called when the records have new pins."""
        self.code = np.empty(7, ADDRESS)
        """Addresses that compiled code needs to run the scene; see ``kernels/machine.py``."""
        self._pin()

    def replace_model(self, model: Model) -> None:
        """Continue with a model that differs only in numbers."""
        self.model = model
        self.sparse = _sparse_solver(model) if self.sparse else None
        self._pin()

    def take(self, count: int) -> Report:
        """Take so many steps, until one can't be taken."""
        self._fresh = MOVED
        if self.sparse is None:
            return self._report(self._run(self.moved.handle, count))
        taken = self.sparse.run(self.state, self.control, self.work, self.dt, count)
        flags, residual, rounds = taken
        return Report(flags | self._run(self.moved.handle, step.CHECK), residual, rounds)

    def taken(self, flags: int) -> Report:
        """Report on steps that compiled code has taken, and looked at unless they were stopped."""
        self._fresh = MOVED if flags & status.STOPS else READ
        return self.add_balance(self._report(flags))

    def _report(self, flags: int) -> Report:
        """Report on the last steps."""
        residual, rounds = self.accuracy.tolist()
        return _NEW(Report, (flags, residual, int(rounds)))

    def add_balance(self, report: Report) -> Report:
        """Return a report with what the last reading says about the energy."""
        flags = report.status & ~(status.ENERGY_GAINED | status.ENERGY_LOST)
        gained, lost = self.readings.balance.told.tolist()
        flags |= status.ENERGY_GAINED * gained | status.ENERGY_LOST * lost
        return report if flags == report.status else report._replace(status=flags)

    def look_now_and_then(self, report: Report, count: int) -> Report:
        """Return a report on ``count`` steps with what readings that are due say of the energy.

        They check the energy for callers that never observe. What is judged with the reading of the
        next step (``kernels/multibody/balance.py``) is read in that, too.
        """
        self._unseen += count
        if 1 < self._unseen < LOOK_EVERY or report.status & status.STOPS:
            return report
        if self._unseen != 1:
            self._unseen = 0
        self.freshen(READ)
        return self.add_balance(report)

    def change(self) -> None:
        """Note that state or controls were changed: what is seen has to be computed anew."""
        self._fresh = MOVED

    def intervene(self) -> None:
        """Note that the scene was changed from outside: its energy may be another one."""
        restart(self.readings.balance)
        self.change()

    def freshen(self, wanted: int) -> None:
        """Compute what is seen up to a freshness, as far as that was not done since the last
        change."""
        if self._fresh >= wanted:
            return
        if self.turns.leave is None:
            self._compute(wanted)
            return
        with self.turns.lock:
            self._compute(wanted)

    def _compute(self, wanted: int) -> None:
        """Compute what is seen up to a freshness."""
        if wanted == READ and self.state.steps[0] == 0:
            self._read_start()
            return
        fresh = self._fresh
        if fresh < POSES:
            self._see(self.moved.handle, 0)
        if fresh < PATHS <= wanted:
            self._run(self.looked.handle, step.LOOK)
        if wanted == READ:
            self._read(self.looked.handle, 0)
        self._fresh = wanted

    def _read_start(self) -> None:
        """Read a scene that has taken no step, with the forces that the first one will have."""
        put_back = try_forces(self.memory, self.places, self.model, self._try_step)
        self._see(self.moved.handle, 0)
        self._run(self.looked.handle, step.LOOK)
        self._read(self.looked.handle, 0)
        self._start = self.memory.tobytes()
        put_back()
        self._fresh = PATHS  # not the readings: commands may still change these forces

    def _try_step(self) -> int:
        """Take a step; return its status flags."""
        if self.sparse is None:
            return int(self._run(self.moved.handle, 1))
        return self.sparse.run(self.state, self.control, self.work, self.dt, 1)[0]

    def picture(self) -> Picture:
        """Return a copy of what is seen at present."""
        self.freshen(READ)
        memory = self.memory.tobytes() if self.state.steps[0] else self._start
        return Picture(memory, self.places, self.model, len(self.names.bodies), self.dt)

    def truth(self) -> Truth:
        """Return the quantities that sensors measure, in the arrays of the scene."""
        seen = self.seen
        readings = self.readings
        return Truth(
            seen.bodies.position,
            seen.bodies.orientation,
            seen.bodies.velocity,
            readings.drives.position,
            readings.drives.velocity,
            readings.drives.effort,
            readings.spans.tension,
            readings.cables.length_paid_out,
            readings.cables.length_rate,
        )

    def plant(self) -> Plant:
        """Return what a machine reads and commands, in the arrays of the scene."""
        seen = self.seen
        return Plant(
            seen.time,
            seen.bodies,
            seen.drives,
            seen.carriages,
            self.model.carriages.limit,
            self.readings.drives,
            self.control,
            self.code,
        )

    def _pin(self) -> None:
        """Bring the present records to compiled code."""
        rest = self.control, self.work, self.readings, self.dt
        self.moved = pin_world(self.model, (self.state, self.seen), *rest)
        self.looked = pin_world(self.model, (self.seen, self.state), *rest)
        self.accuracy = self.moved.records.accuracy
        run = compile_kernel(step.run_world, self.moved, 1)
        see = compile_kernel(instant.see_world, self.moved, 0)
        read = compile_kernel(observe.observe_world, self.looked, 0)
        self._run = run.call
        self._see = see.call
        self._read = read.call
        steps = (run.address, self.moved)
        self.code[:] = (run.address, see.address, read.address, self.moved, self.looked, *steps)
        self.repinned()


class SceneOperations:
    """Methods of a simulator that change its running scene between steps.

    They raise CommandError and SpecError.
    """

    scene: Scene
    names: Names
    observe: Callable[[], Observation]
    _running: RunningScene
    _start: Any
    _state: State
    _control: Control
    _work: Workspace
    _hold_anew: Callable[[], None]

    @property
    def _model(self) -> Model:
        """Constants of the run."""
        return self._running.model


def _block(model: Model, state: State, control: Control, work: Any, count: int) -> Block:
    """Return a block of so many rows with all that is seen of a scene."""
    states = arrays_by_name(state)
    works = arrays_by_name(work)
    return Block(
        {f"state.{name}": array for name, array in states.items()}
        | {f"seen.{name}": states[name] for name in SHIFTED}
        | {f"control.{name}": array for name, array in arrays_by_name(control).items()}
        | {f"readings.{name}": array for name, array in arrays_by_name(readings(model)).items()}
        | {name: works[name.removeprefix("work.")] for name in WORKSPACE},
        count,
    )


def _record(kind: Any, prefix: str, arrays: dict[str, Any]) -> Any:
    """Return the record of arrays whose names have a prefix."""
    own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
    return build_record(kind, own)


def _sparse_solver(model: Model) -> "SparseSolver":
    """Return the solver of nets."""
    from cable_sim.sim.sparse import SparseSolver  # SuperLU is slow to import

    return SparseSolver(model)
