"""The same run in other ways, which has to have the same bits: in other calls, in a batch, after
what was saved, in another process.

Each returns the name of what differs, or None, and no reason: nothing in them differs by design.
"""

import atexit
import functools
import hashlib
import pickle
import subprocess
import sys
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from benchmarks.fuzz.checks import intervene, push_force
from benchmarks.fuzz.scenes import Case
from cable_sim import Simulator
from cable_sim.errors import ModelError, StepError
from cable_sim.model.basis.frames import Array
from cable_sim.sim.batch.batch import BatchSimulator
from cable_sim.sim.observation import Observation

Seen = dict[str, Array]
Found = tuple[str | None, str]


def calls(case: Case, steps: int) -> Found:
    """Compare one call of many steps with many calls of one."""
    return _differing(_end(start(case), case, 0, steps, 1), _end(start(case), case, 0, steps)), ""


def batch(case: Case, steps: int) -> Found:
    """Compare the second world of a batch, whose first has another mass, with a single one."""
    quiet = case._replace(acts=())
    body = case.scene.bodies[0]
    vary = {f"{body.name}.mass": np.array([1.25, 1.0]) * body.mass}
    build = functools.partial(BatchSimulator, case.scene, 2, case.dt, case.stepper, threads=1)
    try:
        worlds = build(vary=vary)
    except ModelError:  # the mass counts for more than numbers
        worlds = build()
    worlds.step(steps)
    seen = everything(worlds.observe(1))
    worlds.close()
    return _differing(_end(start(quiet), quiet, 0, steps), seen), ""


def restored(case: Case, steps: int) -> Found:
    """Compare a run with what was saved in its middle, in the same and in a new simulator."""
    simulator = start(case)
    middle = steps // 2
    _end(simulator, case, 0, middle)
    saved = simulator.save()
    run_on = _end(simulator, case, middle, steps)
    simulator.restore(saved)
    again = _end(simulator, case, middle, steps)
    other = start(case)
    other.restore(saved)
    return _differing(run_on, again) or _differing(run_on, _end(other, case, middle, steps)), ""


def process(case: Case, steps: int) -> Found:
    """Compare with another process, which lives as long as this one."""
    other = _other_process()
    pickle.dump((case, steps), other.asks)
    other.asks.flush()
    here = digest(case, steps)
    return (None if pickle.load(other.answers) == here else "what is seen"), ""


def digest(case: Case, steps: int) -> str:
    """Return a digest of all that is seen at the end of a run."""
    seen = _end(start(case), case, 0, steps)
    return hashlib.sha256(b"".join(values.tobytes() for values in seen.values())).hexdigest()


def start(case: Case) -> Simulator:
    """Return a simulator of a case."""
    return Simulator(case.scene, dt=case.dt, stepper=case.stepper)


def everything(seen: Observation) -> Seen:
    """Return all arrays that are seen, and the time."""
    read = {name: getattr(seen, name) for name in Observation.__annotations__}
    arrays = {name: values for name, values in read.items() if isinstance(values, np.ndarray)}
    return arrays | {"time": np.array(seen.time), "energy": np.array(seen.energy)}


def _end(simulator: Simulator, case: Case, first: int, last: int, most: int = 1000) -> Seen:
    """Return what is seen after steps ``first`` to ``last``, up to so many in a call."""
    step = first
    while step < last:
        coming = [at for at, _, _ in case.acts if at > step]
        for at, act, thing in case.acts:
            if at == step:
                intervene(simulator, act, thing, push_force(case, act, thing))
        count = min([last, step + most, *coming]) - step
        try:
            simulator.step(count)
        except StepError:
            break
        step += count
    return everything(simulator.observe())


def _differing(seen: Seen, other: Seen) -> str | None:
    """Return the names of arrays with other bits."""
    names = [name for name in seen if seen[name].tobytes() != other[name].tobytes()]
    return ", ".join(names) or None


class Other(NamedTuple):
    """Pipes to and from another process."""

    asks: IO[bytes]
    answers: IO[bytes]


@functools.cache
def _other_process() -> Other:
    """A process that is kept for all scenes: its start takes seconds."""
    command = [sys.executable, "-m", "benchmarks.fuzz.repeats"]
    root = Path(__file__).parents[2]
    other = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdin is not None and other.stdout is not None
    atexit.register(other.communicate)
    return Other(other.stdin, other.stdout)


def answer(asks: IO[bytes], answers: IO[bytes]) -> None:
    """Answer cases with their digests, until no more come."""
    while True:
        try:
            case, steps = pickle.load(asks)
        except EOFError:
            return
        pickle.dump(digest(case, steps), answers)
        answers.flush()


if __name__ == "__main__":
    answer(sys.stdin.buffer, sys.stdout.buffer)
