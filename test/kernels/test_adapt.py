"""Masses of a hybrid wire that come and go at random: mass, momentum, first moment, angular
momentum and energy."""

from typing import Any

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.kernels import wires as unpack
from cable_sim.kernels.cables.contact import contact_path
from cable_sim.kernels.cables.hybrid import adaptive_resolution, segments
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import cross, dot, load, sub
from cable_sim.spec import Cable, Hybrid, Loose, Scene

MOST, LENGTH, DENSITY, H = 24, 10.0, 0.7, 1.0 / 60.0


@kernel
def books(n, wires, nodes_out, books_out):
    segments.find_endpoints(n, wires, nodes_out)
    segments.measure_segments(n, wires, nodes_out)
    begin = wires.node_start[wires.cable[n]]
    for j in range(books_out.size):
        books_out[j] = 0.0
    for i in range(begin, begin + nodes_out.segment_count[n] + 1):
        k, mass = nodes_out.mark[i, segments.NODE], nodes_out.number[i, segments.MASS]
        velocity, position = load(nodes_out.velocity, k), load(nodes_out.position, k)
        spin = cross(position, velocity)
        books_out[0] += mass
        for j in range(3):
            books_out[1 + j] += mass * velocity[j]
            books_out[4 + j] += mass * position[j]
            books_out[7 + j] += mass * spin[j]
        books_out[10] += 0.5 * mass * dot(velocity, velocity)


@kernel
def off_chord(i, nodes):
    a = load(nodes.position, nodes.mark[i - 1, segments.NODE])
    b = load(nodes.position, nodes.mark[i + 1, segments.NODE])
    p, place = (
        load(nodes.position, nodes.mark[i, segments.NODE]),
        nodes.number[i - 1, segments.REST],
    )
    place /= place + nodes.number[i, segments.REST]
    chord = sub(b, a)
    gap = (
        p[0] - a[0] - place * chord[0],
        p[1] - a[1] - place * chord[1],
        p[2] - a[2] - place * chord[2],
    )
    return dot(gap, gap) ** 0.5


@kernel
def operate(luck, m, s, w, worst_out, before_out, after_out):
    """One operation for each number of ``luck`` in 0 ... 1; ``worst`` keeps the largest relative
    errors."""
    wires, nodes_out = unpack.wires(m), unpack.nodes(m, s, w)
    done = 0
    for u in luck:
        books(0, wires, nodes_out, before_out)
        count = nodes_out.segment_count[0]
        if (u < 0.5 and count < MOST + 1) or count < 2:
            i = int(2.0 * u * count) % count
            k, place = adaptive_resolution.longest_span(i, nodes_out)
            adaptive_resolution.refine(0, i, k, 0.5, place, wires, nodes_out)
            kept = 7
        else:
            i = 1 + int((2.0 * u - 1.0) * (count - 1)) % (count - 1)
            kept = 10 if off_chord(i, nodes_out) < 1e-9 else 4
            adaptive_resolution.coarsen(H, 0, i, wires, nodes_out)
        books(0, wires, nodes_out, after_out)
        done += kept == 10
        for j in range(kept):
            size = before_out[0] * (1.0 if j < 1 else 10.0 if j < 7 else 100.0)
            worst_out[j] = max(worst_out[j], abs(after_out[j] - before_out[j]) / size)
        worst_out[10] = max(worst_out[10], (after_out[10] - before_out[10]) / before_out[10])
    return done


@kernel
def divide(i, m, s, w, books_out):
    """Divide segment i in the middle of its longest span."""
    wires, nodes_out = unpack.wires(m), unpack.nodes(m, s, w)
    books(0, wires, nodes_out, books_out)
    k, place = adaptive_resolution.longest_span(i, nodes_out)
    adaptive_resolution.refine(0, i, k, 0.5, place, wires, nodes_out)


@kernel
def take_out(i, m, s, w, before_out, after_out):
    """Take the mass at endpoint i out."""
    wires, nodes_out = unpack.wires(m), unpack.nodes(m, s, w)
    books(0, wires, nodes_out, before_out)
    adaptive_resolution.coarsen(H, 0, i, wires, nodes_out)
    books(0, wires, nodes_out, after_out)


def make_wire(end: tuple[float, float, float]) -> Simulator:
    """A loose wire from the origin, without masses between its ends."""
    made = Hybrid(density=DENSITY, most=MOST + 8, finest=1e-6)
    wire = Cable("wire", (Loose((0.0, 0.0, 0.0)), Loose(end)), ea=1e5, length=LENGTH, hybrid=made)
    simulator = Simulator(Scene(cables=(wire,)), H)
    simulator.observe()
    return simulator


def records(simulator: Simulator) -> tuple[Any, ...]:
    """Model, state and workspace of a simulator."""
    return simulator._model, simulator._state, simulator._work


@pytest.mark.parametrize("thousands", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_any_operations_keep_the_books(thousands: int) -> None:
    """Mass and momentum to 1e-12; first moment too but for masses off the chord, and of masses on
    it that go angular momentum; energy of motion never up."""
    rng = np.random.default_rng(3)
    simulator = make_wire((4.0, -3.0, 6.0))
    s = simulator._state
    worst, kept = np.zeros(11), 0
    for _ in range(thousands):  # anew in between: only masses of different velocities tell
        s.nodes.velocity[:] = rng.normal(size=s.nodes.velocity.shape)
        kept += operate(
            rng.uniform(size=1000), *records(simulator), worst, np.zeros(11), np.zeros(11)
        )
    assert kept > 100 * thousands
    assert worst[:10].max() < 1e-12
    assert worst[10] < 1e-12
    assert s.spans.rest_length.sum() == pytest.approx(LENGTH, rel=1e-12)


@pytest.mark.parametrize("goes", [1, 3])
def test_a_mass_that_goes_beside_a_held_node_leaves_its_momentum(goes: int) -> None:
    """Of five nodes on a straight line the middle one is a contact node where the rope sticks, with
    no mass of its own. Mass and momentum stay, and the energy of motion does not grow."""
    simulator = make_wire((10.0, 0.0, 0.0))
    nodes = simulator._state.nodes
    before = np.zeros(11)
    after = np.zeros(11)
    for i in (0, 0, 2):
        divide(i, *records(simulator), before)
    nodes.contact_solid[2] = 0
    nodes.friction_state[2] = contact_path.STUCK
    nodes.velocity[:, 0] = np.arange(len(nodes.velocity)) ** 2
    take_out(goes, *records(simulator), before, after)
    assert after[:4] == pytest.approx(before[:4])
    assert after[10] < before[10]
