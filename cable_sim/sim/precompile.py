"""Fill the cache of compiled kernels, so that no launch has to compile.

Run ``python -m cable_sim.sim.precompile``, with the word ``crane`` for a crane's kernels alone.

Kernels compile for the types of their arguments at the first call. Those are the same for all
scenes, but for the step's two variants (``model/cables/variants.py``). That of cranes comes first.
The other one takes four times as long, and a running crane has it compiled in the background.

The step takes most of the time, and is compiled as a whole. Meanwhile a second process compiles
a crane's other kernels into the same cache.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from cable_sim.cranes import Crane, load_crane
from cable_sim.errors import CableSimError
from cable_sim.kernel_cache import watch_misses
from cable_sim.kernels import step
from cable_sim.kernels.jit import MachineCode, cache_directory, machine_code
from cable_sim.kernels.machine import forget_orders, run_ticks, stop_category
from cable_sim.kernels.multibody.drums import on_layers
from cable_sim.kernels.multibody.wind_history import wind_velocity
from cable_sim.kernels.pins import Pin
from cable_sim.kernels.records.machine import MachineWorld
from cable_sim.model.cables import variants
from cable_sim.model.devices import pack_devices, start_devices
from cable_sim.model.machine import CALM, machine_settings, pack_levers, start_machine
from cable_sim.scenes import load_scene
from cable_sim.sim import running
from cable_sim.sim.simulator import Simulator

CRANE = "tower_crane"
STEP = "step.run_world"
"""Name by which the cache tells that it has no such step."""
BUILDING = "elevation_over_platform", "heavy_atwood"
"""Scenes that take kernels to be built: for shapes of cables, and for ropes over wheels."""
CRANE_ALONE = "crane"
READING = "reading"
REST = "rest"
"""Arguments: a crane's kernels alone, those of the second process, and all others."""


def main() -> None:
    """Compile the kernels of all scenes."""
    compile_crane()
    compile_rest()


def compile_crane() -> None:
    """Step and read the tower crane, and compile what its machine runs."""
    crane = load_crane(CRANE)
    simulator = Simulator(crane.scene)
    simulator.step()
    read(crane, simulator)


def compile_rest() -> None:
    """Step, read and record a chain of masses, and do what takes other kernels."""
    from cable_sim.sim.batch.batch import BatchSimulator  # which a crane's start need not load

    chain = Simulator(load_scene("chain_on_hook"))
    chain.record(["time"])
    chain.step()
    chain.observe()
    Simulator(load_scene("net"), solver="sparse").step()
    for scene in BUILDING:
        Simulator(load_scene(scene))
    pendulum = Simulator(load_scene("pendulum"))
    pendulum.unhook(pendulum.names.cables[0])
    batch = BatchSimulator(load_scene("pendulum"), 2)
    batch.step()
    batch.observe(0)


def read(crane: Crane, simulator: Simulator) -> None:
    """Observe a crane, and compile what a machine runs."""
    simulator.observe()
    n = len(crane.axes)
    dt = simulator.dt
    devices = pack_devices(crane, simulator.names, dt)
    given, found = start_devices(devices, n)
    state = start_machine(n, 1)
    records = MachineWorld(
        simulator.pack_axes(crane, dt),
        pack_levers(crane),
        machine_settings(n, dt, 0.0, 1),
        CALM,
        simulator.plant(),
        devices,
        simulator.truth(),
        given,
        found,
        state,
        np.zeros(2, np.int64),
    )
    machine_code(run_ticks, Pin(records), 1)
    forget_orders(state)
    simulator.restore(simulator.save())
    stop_category(state.requests, found.stop[0])
    wind_velocity(0.0, CALM)
    on_layers(0.0, 0, 1, np.ones((1, 3)))


def compile_except_step(kernel: Callable[..., Any], *arguments: Any) -> MachineCode:
    """Replace what compiles the step, and all else, where the step's types alone matter."""
    if kernel is step.run_world:
        return MachineCode(partial(stand_still, arguments[0]), 0)
    return machine_code(kernel, *arguments)


def stand_still(pin: Pin, *_: Any) -> int:
    """Replace a run of steps; leave rows and paths that give masses and lengths of cables."""
    work = pin.records.work
    work.rows.jacobian[:] = 1.0
    work.nodes.remaining_path_length[:] = 1.0
    work.bodies.inverse_inertia[:] = np.eye(3)
    return 0


def leave_out_step(replace: Callable[[Any, str, Any], None]) -> None:
    """Have scenes built without compiling their step; ``replace`` sets an attribute."""
    replace(running, "compile_kernel", compile_except_step)
    replace(variants, "machine_code", compile_except_step)


def compile_reading() -> None:
    """Compile the kernels that read a crane, and not the step."""
    os.nice(5)  # the step takes longest, and should have a processor to itself
    leave_out_step(setattr)
    crane = load_crane(CRANE)
    read(crane, Simulator(crane.scene))


@contextmanager
def compile_beside() -> Iterator[None]:
    """Let a second process compile the kernels that read a crane, once a step is compiled here.

    If it fails, the rest compiles here. Without a cache the two could not share what they compile.
    """
    words = [sys.executable, "-m", "cable_sim.sim.precompile", READING]
    begun: list[subprocess.Popen[bytes]] = []

    def tell(name: str) -> None:
        if name == STEP and not begun and _is_cache_usable():
            # apart from the terminal: Ctrl-C is for its parent, which then ends it
            begun.append(subprocess.Popen(words, start_new_session=True))

    try:
        with watch_misses(tell):
            yield
        for process in begun:
            process.wait()
    finally:
        for process in begun:
            process.kill()
            process.wait()


def _is_cache_usable() -> bool:
    """Return True if kernels can be put where the cache is, or will be."""
    folder = cache_directory()
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def command() -> None:
    """Compile the kernels that the command line names, or all, unless they are cached."""
    parser = argparse.ArgumentParser(description="Compile kernels into the user's cache.")
    parts = f"{CRANE_ALONE}: those of a crane; {REST}: all others; {READING}: to read a crane"
    words = (CRANE_ALONE, REST, READING)
    parser.add_argument("part", nargs="?", choices=words, help=f"{parts}; left out: all")
    word = parser.parse_args().part
    if word == READING:
        compile_reading()
    elif word == REST:
        compile_rest()
    else:
        with compile_beside():
            compile_crane()
        if word != CRANE_ALONE:
            compile_rest()


if __name__ == "__main__":
    try:
        command()
    except CableSimError as error:
        sys.exit(str(error))
