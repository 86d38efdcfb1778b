"""Masses of a hybrid wire that come and go at random: mass, momentum, first moment, angular
momentum and energy."""

from typing import Any

import numpy as np
import pytest

from cable_sim import Simulator
from cable_sim.kernels.cables.contact import contact_path
from cable_sim.kernels.cables.hybrid import adaptive_resolution, segments
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import cross, dot, load, sub
from cable_sim.spec import Cable, Hybrid, Loose, Scene

MOST, LENGTH, DENSITY, H = 24, 10.0, 0.7, 1.0 / 60.0


@kernel
def books(n, wires, nodes, parts_out, books_out):
    segments.find_endpoints(n, wires, nodes, parts_out)
    segments.measure_segments(n, wires, nodes, parts_out)
    begin = wires.node_start[wires.cable[n]]
    for j in range(books_out.size):
        books_out[j] = 0.0
    for i in range(begin, begin + parts_out.count[n] + 1):
        k, mass = parts_out.mark[i, segments.NODE], parts_out.number[i, segments.MASS]
        velocity, position = load(nodes.velocity, k), load(nodes.position, k)
        spin = cross(position, velocity)
        books_out[0] += mass
        for j in range(3):
            books_out[1 + j] += mass * velocity[j]
            books_out[4 + j] += mass * position[j]
            books_out[7 + j] += mass * spin[j]
        books_out[10] += 0.5 * mass * dot(velocity, velocity)


@kernel
def off_chord(i, nodes, parts):
    a = load(nodes.position, parts.mark[i - 1, segments.NODE])
    b = load(nodes.position, parts.mark[i + 1, segments.NODE])
    p, place = (
        load(nodes.position, parts.mark[i, segments.NODE]),
        parts.number[i - 1, segments.REST],
    )
    place /= place + parts.number[i, segments.REST]
    chord = sub(b, a)
    gap = (
        p[0] - a[0] - place * chord[0],
        p[1] - a[1] - place * chord[1],
        p[2] - a[2] - place * chord[2],
    )
    return dot(gap, gap) ** 0.5


@kernel
def operate(luck, wires, bodies, parts_out, nodes_out, waves_out, worst_out, before_out, after_out):
    """One operation for each number of ``luck`` in 0 ... 1; ``worst`` keeps the largest relative
    errors."""
    done = 0
    for u in luck:
        books(0, wires, nodes_out, parts_out, before_out)
        count = parts_out.count[0]
        if (u < 0.5 and count < MOST + 1) or count < 2:
            i = int(2.0 * u * count) % count
            k, place = adaptive_resolution.longest_span(i, nodes_out, parts_out)
            adaptive_resolution.refine(0, i, k, 0.5, place, wires, parts_out, nodes_out, waves_out)
            kept = 7
        else:
            i = 1 + int((2.0 * u - 1.0) * (count - 1)) % (count - 1)
            kept = 10 if off_chord(i, nodes_out, parts_out) < 1e-9 else 4
            adaptive_resolution.coarsen(H, 0, i, wires, bodies, parts_out, nodes_out, waves_out)
        books(0, wires, nodes_out, parts_out, after_out)
        done += kept == 10
        for j in range(kept):
            size = before_out[0] * (1.0 if j < 1 else 10.0 if j < 7 else 100.0)
            worst_out[j] = max(worst_out[j], abs(after_out[j] - before_out[j]) / size)
        worst_out[10] = max(worst_out[10], (after_out[10] - before_out[10]) / before_out[10])
    return done


def make_wire(end: tuple[float, float, float]) -> Simulator:
    """A loose wire from the origin, without masses between its ends."""
    made = Hybrid(density=DENSITY, most=MOST + 8, finest=1e-6)
    wire = Cable("wire", (Loose((0.0, 0.0, 0.0)), Loose(end)), ea=1e5, length=LENGTH, hybrid=made)
    simulator = Simulator(Scene(cables=(wire,)), H)
    simulator.observe()
    return simulator


def records(simulator: Simulator) -> tuple[Any, ...]:
    """Wires, bodies, segments, nodes and waves of a simulator, as the kernels take them."""
    m, s, w = simulator._model, simulator._state, simulator._work
    wires = segments.Wires(
        m.wires.cable,
        m.cables.node_start,
        m.cables.density,
        m.cables.winch,
        m.cables.length,
        m.cables.layer_start,
        m.cables.drum_layer,
        m.cables.compliance_per_length,
        m.twist.torque_arm,
        m.spans.slots,
        m.wires.hmr,
        m.wires.damping_time,
        m.wires.fading,
        m.stepper,
    )
    nodes = contact_path.Nodes(
        s.nodes.body,
        s.nodes.point,
        s.nodes.row_entry,
        s.nodes.contact_solid,
        s.nodes.line,
        s.nodes.path_offset,
        s.nodes.velocity,
        s.spans.rest_length,
        s.spans.tension_impulse,
        s.spans.elastic_impulse,
        s.nodes.friction_state,
        w.nodes.slide_distance,
        w.nodes.predicted_position,
        w.spans.strain,
        w.nodes.position,
        w.nodes.arm,
        w.spans.length,
        w.spans.direction,
        w.nodes.newton_step,
        w.nodes.disturbed,
        s.nodes.loss,
        s.nodes.guide,
        s.nodes.held_direction,
        s.touches.pierced,
    )
    waves = contact_path.Waves(
        m.gravity.reshape(1, 3),
        m.waves.kind,
        m.cables.density,
        m.waves.shortest,
        w.spans.tension,
        m.waves.start,
        m.waves.intervals,
        s.spans.waves,
        s.waves.displacement,
        s.waves.rate,
        s.spans.normal,
        w.waves.trace,
    )
    parts = segments.Segments(
        w.segments.counts,
        w.cables.twist_length,
        w.segments.mark,
        w.segments.number,
        w.spans.tension_ratio,
        w.spans.weight_impulse,
        w.segments.start,
        w.segments.swept,
        w.segments.bend_share,
    )
    return wires, s.bodies, parts, nodes, waves


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
    wires, bodies, parts, nodes, waves = records(simulator)
    before = np.zeros(11)
    after = np.zeros(11)
    for i in (0, 0, 2):
        books(0, wires, nodes, parts, before)
        k, place = adaptive_resolution.longest_span(i, nodes, parts)
        adaptive_resolution.refine(0, i, k, 0.5, place, wires, parts, nodes, waves)
    nodes.contact_solid[2] = 0
    nodes.friction_state[2] = contact_path.STUCK
    nodes.velocity[:, 0] = np.arange(len(nodes.velocity)) ** 2
    books(0, wires, nodes, parts, before)
    adaptive_resolution.coarsen(H, 0, goes, wires, bodies, parts, nodes, waves)
    books(0, wires, nodes, parts, after)
    assert after[:4] == pytest.approx(before[:4])
    assert after[10] < before[10]
