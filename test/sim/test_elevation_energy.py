"""Elevation cables whose ends move, turn and damp give no energy: term by term, and as a whole."""

import dataclasses

import numpy as np
import pytest

from benchmarks.fuzz.checks import _Energy
from benchmarks.fuzz.scenes import Case, random_case
from cable_sim import Anchor, Body, Box, Cable, Scene, Simulator, Sphere
from cable_sim.kernels.bodies import free_spin_change
from cable_sim.kernels.cables import chord_pulls
from cable_sim.kernels.cables.chords import FREE, PLANAR, span_normal
from cable_sim.spec import Elevation, Eye



def largest_gain(scene: Scene, dt: float, steps: int, stepper: str = "spook") -> float:
    """Largest energy beyond that of the start, over what is at play by then [-]."""
    simulator = Simulator(scene, dt=dt, stepper=stepper)
    energy = _Energy(scene, stepper)
    energy.gain(simulator.observe())
    start = energy.start
    assert start is not None
    largest = 0.0
    for _ in range(steps):
        assert simulator.step().status == 0
        seen = simulator.observe()
        kinetic, potential = energy.left_out.energies(seen)
        now = seen.energy.total - kinetic - potential
        lowest = seen.energy.potential - potential
        energy.lowest = min(energy.lowest, lowest)
        at_play = start.kinetic + start.elastic + start.potential - energy.lowest
        largest = max(largest, (now - start.total) / at_play)
    return largest


def on_two_spans(**body) -> Scene:
    """A box on the eye of a heavy rope, tied beside its centre."""
    load = Body("load", 150.0, shape=Box(1.5, 1.9, 0.5), position=(-4.0, 1.0, -6.0), **body)
    nodes = (Anchor("world"), Eye("load", (0.2, 0.15, 0.1)), Anchor("world", (8.0, 0.0, 1.0)))
    spans = 7.3 + 14.0
    rope = Cable("rope", nodes, ea=1e7, length=spans, elevation=Elevation(2.5, 9, scheme="implicit"))
    return Scene(bodies=(load,), cables=(rope,))


def test_a_body_that_tumbles_on_a_rope_keeps_the_energy() -> None:
    """Without the turn of its spin on the way, the ends of the rope have another acceleration."""
    scene = on_two_spans(angular_velocity=(2.0, 1.0, 1.0))
    assert largest_gain(scene, 2e-3, 1200) < 1.5e-3


@pytest.mark.parametrize("planar", [False, True])
def test_a_heavy_rope_that_swings_and_turns_keeps_the_energy(planar: bool) -> None:
    load = Body(
        "load", 20.0, shape=Sphere(0.2), position=(9.0, 0.0, -2.0), velocity=(0.0, 2.0, 1.0)
    )
    layer = Elevation(4.0, 9, planar=planar)
    rope = Cable("rope", (Anchor("world"), Anchor("load")), ea=5e4, length=9.3, elevation=layer)
    assert largest_gain(Scene(bodies=(load,), cables=(rope,)), 1e-3, 900) < 2e-3


def test_damping_sees_the_rope_unfold() -> None:
    """The chords get shorter while the curves get longer: only the sum strains the rope."""
    scene = on_two_spans()
    rope = dataclasses.replace(scene.cables[0], ea=2e5, damping_ratio=0.1)
    assert largest_gain(dataclasses.replace(scene, cables=(rope,)), 1e-3, 700) < 2e-3


class Span:
    """A span with random curve and ends, moved as the derivation has it."""

    intervals = 6
    density = 1.7

    def __init__(self, kind: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.kind = kind
        self.ends = random.normal(size=(2, 3)) * 3.0 + ((0.0, 0.0, 0.0), (4.0, 2.0, 1.0))
        self.velocity = random.normal(size=(2, 3))
        self.wave = 0.1 * random.normal(size=(2, self.intervals + 1))
        self.rate = random.normal(size=(2, self.intervals + 1))
        self.wave[:, [0, -1]] = 0.0
        self.rate[:, [0, -1]] = 0.0
        if kind == PLANAR:
            self.wave[1] = 0.0
            self.rate[1] = 0.0
        self.normal = np.array(span_normal(kind, (0.6, 0.0, 0.8), tuple(self.direction())))

    def chord(self, t: float = 0.0) -> np.ndarray:
        moved = self.ends + t * self.velocity
        return moved[1] - moved[0]

    def direction(self, t: float = 0.0) -> np.ndarray:
        return self.chord(t) / np.linalg.norm(self.chord(t))

    def normals(self, t: float = 0.0) -> np.ndarray:
        d = tuple(self.direction(t))
        first = np.array(span_normal(self.kind, tuple(self.normal), d))
        return np.array((first, np.cross(d, first)))[: 1 if self.kind == PLANAR else 2]

    def arc(self, t: float, slide: float) -> float:
        """Length while the nodes go on for t, and the curve for ``slide`` [m]."""
        length = float(np.linalg.norm(self.chord(t)))
        wave = self.wave + slide * self.rate
        pieces = np.diff(wave, axis=1)
        return float(
            np.sqrt((length / self.intervals) ** 2 + (pieces**2).sum(axis=0)).sum()
        )

    def power_left(self, tension: float) -> float:
        """What nobody gives of a step: by central differences [W]."""
        step = 1e-6
        x = np.linspace(0.0, 1.0, self.intervals + 1)[1:-1, None]
        carried = (1.0 - x) * self.velocity[0] + x * self.velocity[1]
        normals = self.normals()
        turns = (self.normals(step) - self.normals(-step)) / (2.0 * step)
        w = carried @ normals.T + self.rate[: len(normals), 1:-1].T
        length = float(np.linalg.norm(self.chord()))
        growth = float(self.direction() @ (self.velocity[1] - self.velocity[0]))
        mass = self.density * length / self.intervals
        kinetic = 0.5 * mass * float((w**2).sum())
        turned = mass * float((w * (carried @ turns.T)).sum())
        stretched = (self.arc(step, 0.0) - self.arc(-step, 0.0)) / (2.0 * step)
        return kinetic * growth / length - tension * (growth - stretched) + turned

    def forces(self, tension: float) -> tuple[np.ndarray, np.ndarray]:
        class Waves:
            start = np.zeros(1, np.int64)
            intervals = np.array([Span.intervals])

        class State:
            displacement = self.wave
            rate = self.rate

        class Work:
            length = np.array([np.linalg.norm(self.chord())])
            direction = self.direction()[None]
            normal = self.normal[None]

        start, end = (tuple(v) for v in self.velocity)
        sums = chord_pulls.inertia_sums.py_func(
            0, self.kind, self.density, 0.0, start, end, Waves, State, Work
        )
        slant = tension * chord_pulls.slant_loss.py_func(0, Waves, State, Work.length)
        second = tuple(np.cross(self.direction(), self.normal))
        pulls = chord_pulls.node_pulls(sums, slant, tuple(self.direction()), second)
        return np.array(pulls[0]), np.array(pulls[1])


@pytest.mark.parametrize("kind", [FREE, PLANAR])
@pytest.mark.parametrize("seed", range(4))
def test_the_pulls_take_what_is_left(kind: int, seed: int) -> None:
    span = Span(kind, seed)
    near, far = span.forces(300.0)
    taken = float(near @ span.velocity[0] + far @ span.velocity[1])
    assert taken == pytest.approx(-span.power_left(300.0), rel=1e-6, abs=1e-6)


def test_spin_of_a_free_body_changes_as_it_does() -> None:
    body = Body(
        "body", 3.0, shape=Box(1.0, 2.0, 0.4), angular_velocity=(1.0, -2.0, 0.5),
        orientation=(0.5, 0.5, -0.5, 0.5),
    )
    simulator = Simulator(Scene(bodies=(body,), gravity=(0.0, 0.0, 0.0)), dt=1e-5)
    before = simulator.observe().body("body").angular_velocity.copy()
    simulator.step(2)
    after = simulator.observe().body("body").angular_velocity
    state = simulator._state.bodies
    change = free_spin_change(1, simulator._model.bodies, state.orientation, tuple(before))
    assert change == pytest.approx((after - before) / 2e-5, rel=1e-3)


@pytest.mark.parametrize("seed", [300609, 302793, 304504])
def test_what_once_gained_keeps_its_energy(seed: int) -> None:
    """At 1/60 s, with a damper and with a body that tumbles."""
    case: Case = random_case(seed, 200)
    energy = _Energy(case.scene, case.stepper)
    simulator = Simulator(case.scene, dt=case.dt, stepper=case.stepper)
    for step in range(100):
        assert energy.gain(simulator.observe()) is None, step
        simulator.step()
