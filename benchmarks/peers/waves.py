"""The second layer of the elevation cable, 100 spans of 100 intervals: waves both ways across, and
arc lengths."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import arrays, loops
from benchmarks.peers.contest import OURS, Absent, Comparison, Entry, best_ratios, costs
from benchmarks.peers.engines import NOTHING_LIKE_IT, absent_engine
from benchmarks.timing import Case
from benchmarks.waves import spans
from cable_sim import Simulator
from cable_sim.kernels.cables.elevation.wave import arc_length, explicit_step
from cable_sim.kernels.jit import kernel
from cable_sim.spec import Elevation

SPANS = 100
INTERVALS = 100
LENGTH = 10.0
"""How many, of how many intervals, how long [m]."""
H = 1e-4
SPEED = 100.0
DAMPING = 0.5
STEPS = 200
"""Step [s], speed of waves sqrt(T / rho) [m/s], of the air [1/s], steps of a timed call."""
LOADS = np.array([[0.0, 1.0], [-9.81, -9.81]])
"""Of both components at both ends [m/s^2]."""
STIFFNESS = (SPEED * INTERVALS / LENGTH) ** 2
OFF = "largest difference from ours [m]"
SAME = 1e-12


@kernel
def kernel_steps(
    count, h, length, stiffness, damping, loads, wave_out, wave_rate_out, piece_out, arc_out
):
    """Steps of all spans with the package's kernels, as the step of a scene has them in its loop
    over spans."""
    for _ in range(count):
        for k in range(wave_out.shape[1]):
            for i in range(2):
                explicit_step(
                    h,
                    stiffness,
                    damping,
                    loads[i, 0],
                    loads[i, 1],
                    wave_out[i, k],
                    wave_rate_out[i, k],
                )
            arc_out[k] = arc_length(length, 0.0, wave_out[0, k], wave_out[1, k], piece_out)


class Layer:
    """Waves of all spans, to start from again and again: the first modes, taller from span to
    span."""

    def __init__(self) -> None:
        x = np.linspace(0.0, 1.0, INTERVALS + 1)
        k = np.arange(1, SPANS + 1)[:, None] / SPANS
        self.start = (
            0.1 * k * np.stack([np.sin(np.pi * x) + 0.0 * k, np.sin(2.0 * np.pi * x) + 0.0 * k])
        )
        self.start[:, :, (0, -1)] = 0.0
        self.wave = self.start.copy()
        self.rate = np.zeros_like(self.start)
        self.arc = np.zeros(SPANS)

    def restore(self) -> None:
        """Back to the start."""
        self.wave[:] = self.start
        self.rate[:] = 0.0

    def entry(self, name: str, way: str, work: Callable[[], Any]) -> Entry:
        """Of what takes STEPS steps with these arrays."""
        return Entry(name, way, Case(work, STEPS, self.restore), self.judge, {OFF: SAME})

    def judge(self) -> dict[str, float]:
        """How far waves and arc lengths are from ours."""
        ours = Layer()
        steps_by_kernels(ours)()
        pairs = ((self.wave, ours.wave), (self.arc, ours.arc))
        return {OFF: max(float(np.abs(one - other).max()) for one, other in pairs)}


def steps_by_kernels(layer: Layer) -> Callable[[], None]:
    """Steps with our kernels."""
    piece = np.zeros(INTERVALS + 1)
    return lambda: kernel_steps(
        STEPS, H, LENGTH, STIFFNESS, DAMPING, LOADS, layer.wave, layer.rate, piece, layer.arc
    )


def loop_steps(loop: loops.Loop, layer: Layer) -> Callable[[], None]:
    """Steps with a loop of the folder's C++ or numpy."""
    return lambda: loop(
        STEPS, H, LENGTH, STIFFNESS, DAMPING, LOADS, layer.wave, layer.rate, layer.arc
    )


def enter() -> list[Entry | Absent]:
    """Everybody."""
    layer = Layer()
    other = Layer()
    third = Layer()
    loop = loops.layer()
    return [
        layer.entry(OURS, "compiled kernels", steps_by_kernels(layer)),
        simulator_entry(),
        other.entry("C++", "loops", loop_steps(loop, other)) if loop else absent_engine("C++"),
        third.entry("numpy", "arrays", loop_steps(arrays.layer, third)),
        *(Absent(name, NOTHING_LIKE_IT) for name in ("MuJoCo", "Exudyn")),
    ]


def simulator_entry() -> Entry:
    """The whole step of a scene with such a cable: its nodes, its row, the solver, the pull of the
    curves as well."""
    layer = Elevation(1.0, INTERVALS + 1, DAMPING)
    simulator = Simulator(spans(SPANS, layer), dt=H)
    start = simulator.save()
    case = Case(lambda: simulator.step(STEPS), STEPS, lambda: simulator.restore(start))
    return Entry(OURS, "whole step of the simulator", case)


TEXT = f"""A cable over {SPANS} spans of {INTERVALS} intervals. For each span, the explicit step computes the waves in both transverse
directions, and the length of the curve. *Equal*: the arithmetic; C++ and numpy give the same result as cable_sim, to
rounding. *Not equal*: the second line of cable_sim includes the whole step of the simulator. Neither MuJoCo nor Exudyn
has such a layer. The nearest model there, a chain of masses, is compared separately."""

WAVES = Comparison(
    "waves",
    f"Layer of waves, {SPANS} x {INTERVALS}",
    "us a step",
    1e6,
    TEXT,
    enter,
    lambda results: best_ratios(costs(results)),
)
