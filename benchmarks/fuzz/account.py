"""The energy that a crane is given, and how deep its shapes are in one another, step by step.

Readings are of one instant (``cable_sim/kernels/instant.py``). Between two of them, v and v+, a row
with the impulse lambda changes the kinetic energy by lambda J (v + v+) / 2, exactly, at the pose of
its step: v+ as it is there, before the body turns and its angular momentum goes along. So

    W_drives  = sum lambda J (v + v+) / 2                  rows of drives, with their brakes,
    W_motions = -sum lambda J_b (v_b + v_b+) / 2           all rows, bodies b of prescribed motion,
    W_wind    = sum P (v + v+) / 2                         P the drag of the step, as it is applied,
    W_frames  = -sum F dp                                  carriages: ends of ropes go by dp,
    W_wound   = -sum T^2 d(eps) / 2                        ropes of the compliance eps on winches.

A winch counts unstretched rope, and feels its tension T. What it winds up takes its strain along:
U = T^2 eps / 2 with eps = L / EA has dU/dL = -T - T^2 / (2 EA) at a given path, of which the winch
gives T. The rest is W_wound, T / (2 EA) of the work of the winch: half of its rope's strain.

The world has E = K + V + elastic + ground, and what it got beyond the work above is

    G = E - W_drives - W_motions - W_wind - W_frames - W_wound.

Nothing else gives energy: G falls by what friction, dampers, impacts and losses take. A *gain* is
how far G is above the least that it was before. With no loss to hide it, a throw of a load shows
even after a brake has made a hundred times as much heat. All energy that there ever was came from
the start, the height or that work, so at play is

    A = K_0 + |elastic_0| + ground_0 + V_0 - min V + sum |dW| + LIFT m g,

the sum over steps, m the mass of all bodies, and the gain must not be above SHARE A. Rounding is
that of V, ROUNDING |V_0|.

Depths are those of the step's own contacts, at its pose; a pair keeps its largest one. A soft
contact is pressed in by its force F as a spring with a damper, -g = eps F + gamma g', so on the way
in by less than eps F. From the depth of such a pair the largest eps F that it had is taken off.
"""

from typing import Any, NamedTuple

import numpy as np

from cable_sim.kernels.cables.massless.massless import (
    compliance,
    mean_tension_impulse,
    unstretched_length,
)
from cable_sim.kernels.collision.pool import COMPLIANCE
from cable_sim.kernels.driving import RUN
from cable_sim.kernels.jit import kernel, machine_code
from cable_sim.kernels.machine import MOVED, STEP, STEPPED
from cable_sim.kernels.multibody.bodies import (
    DYNAMIC,
    PRESCRIBED,
    copy_velocities,
    world_inverse_inertia,
)
from cable_sim.kernels.multibody.rotation import load_quaternion, multiply3, rotate, rotate_back
from cable_sim.kernels.multibody.rows import row_rate
from cable_sim.kernels.multibody.vec3 import dot, load, sub
from cable_sim.kernels.multibody.wind import apply_body_wind, step_wind
from cable_sim.kernels.observe import curves_left_out
from cable_sim.kernels.pins import ADDRESS, Pin, call, contents
from cable_sim.kernels.records import Floats, Ints
from cable_sim.kernels.records.waves import WaveState, WaveWork
from cable_sim.kernels.records.world import World
from cable_sim.kernels.status import SOLVED, STOPS
from cable_sim.sim.simulator import Simulator

SHARE = 1e-3
"""Part of the energy at play that a world may gain [-]."""
ROUNDING = 1e-10
"""Part of the potential energy of the start, from the world's origin, that is rounding [-]."""
LIFT = 1e-3
"""Height to which the energy at play lifts all bodies, where nothing moves yet [m]."""
SHALLOW = 1e-3
"""Depth from which on pairs are kept [m]."""
PAIRS = 64
"""Most pairs that are kept."""
DRIVES, MOTIONS, WIND, FRAMES, WOUND, USED = range(6)
"""Columns of ``work`` [J]; the last is the sum of absolute values."""
KINETIC, POTENTIAL, ELASTIC, GROUND = range(4)
"""Columns of readings of energies."""
FLOOR, START, LOWEST, LEAST, GAIN, AT_PLAY, WHEN, WORST = range(8)
"""Columns of ``balance``: LIFT m g, all energies of the start, least V, least G; of the gain with
the largest share of the energy at play so far that gain, that energy [J], its time [s], share."""


class Account(NamedTuple):
    """What is counted of a world, beside its records."""

    world: World
    codes: Any
    """(1,) address of the code that takes steps."""
    pins: Any
    """(1,) address of what it takes."""
    work: Floats
    """(6,) [J]."""
    energy: Floats
    """(4,) of the last reading [J]."""
    balance: Floats
    """(8,)."""
    before: Floats
    """(b, 6) velocities at the start of the step."""
    mean: Floats
    """(b, 6) mean velocities of the step."""
    drag: Floats
    """(b, 6) change of velocities by the wind."""
    frame: Floats
    """(q, 3) places of the ends of ropes on carriages before the step [m]."""
    compliance: Floats
    """(c,) that of each cable before the step [m/N]."""
    seen: Ints
    """(3,) readings so far, pairs kept, 1 to begin anew with the next reading."""
    pair: Ints
    """(PAIRS, 2) pair, and step of its largest depth."""
    depth: Floats
    """(PAIRS,) beyond what is pressed in [m]."""
    pressed: Floats
    """(PAIRS,) largest eps F of each [m]."""


@kernel
def judge_reading(energy, time, work, seen_out, balance_out):
    """Compare G of a reading with the least one before, or begin with it."""
    given = work[DRIVES] + work[MOTIONS] + work[WIND] + work[FRAMES]
    given += work[WOUND]
    total = energy[KINETIC] + energy[POTENTIAL] + energy[ELASTIC] + energy[GROUND] - given
    if seen_out[0] == 0:
        balance_out[START] = energy[KINETIC] + abs(energy[ELASTIC]) + energy[GROUND]
        balance_out[START] += energy[POTENTIAL]
        balance_out[LOWEST] = energy[POTENTIAL]
    if seen_out[0] == 0 or seen_out[2] != 0:
        balance_out[LEAST] = total
        seen_out[2] = 0
    seen_out[0] += 1
    balance_out[LOWEST] = min(balance_out[LOWEST], energy[POTENTIAL])
    at_play = balance_out[FLOOR] + balance_out[START] - balance_out[LOWEST] + work[USED]
    gain = total - balance_out[LEAST] - ROUNDING * abs(energy[POTENTIAL])
    balance_out[LEAST] = min(balance_out[LEAST], total)
    if gain > balance_out[WORST] * at_play:
        balance_out[GAIN] = gain
        balance_out[AT_PLAY] = at_play
        balance_out[WHEN] = time
        balance_out[WORST] = gain / at_play


@kernel
def sum_energies(m, s, w, o, energy_out):
    """Write the energies of the last reading, of elevation cables what their model has [J]."""
    motion = 0.0
    height = 0.0
    if m.waves.oscillates.size > 0:
        motion, height = curves_left_out(m, s, w, o)
        o.balance.last_step[0] = s.steps[0]
    for k in range(4):
        energy_out[k] = o.energy[k]
    energy_out[KINETIC] -= motion
    energy_out[POTENTIAL] -= height


@kernel
def drive_work(m, s, w, mean):
    """Return the work of all drives in the step [J]."""
    total = 0.0
    for r in m.drives.row:
        total += s.rows.impulse[r] * row_rate(r, m.rows, w.rows, mean)
    return total


@kernel
def motion_work(m, s, w, mean):
    """Return the work of bodies of prescribed motion on all others in the step [J]."""
    total = 0.0
    moves = False
    for b in range(1, m.bodies.kind.size):
        moves |= m.bodies.kind[b] == PRESCRIBED
    if not moves:
        return total
    for r in range(w.rows.used[0]):
        for e in range(m.rows.entry_start[r], m.rows.entry_start[r + 1]):
            b = w.rows.entry_body[e]
            if b > 0 and m.bodies.kind[b] == PRESCRIBED:
                for k in range(6):
                    total -= s.rows.impulse[r] * w.rows.jacobian[e, k] * mean[b, k]
    return total


@kernel
def find_drag(m, s, c, w, h, drag_out):
    """Write the change of the velocities of all bodies by the wind of the step that comes."""
    world_inverse_inertia(m.bodies, s.bodies, w.bodies)
    w.bodies.next_velocity[:] = 0.0
    apply_body_wind(h, step_wind(m, c), m.wind, m.bodies, s.bodies, w.bodies)
    copy_velocities(w.bodies.next_velocity, drag_out)


@kernel
def wind_work(m, s, drag, mean):
    """Return the work of the wind in the step [J]."""
    total = 0.0
    for b in range(1, m.bodies.kind.size):
        if m.bodies.kind[b] == DYNAMIC:
            q = load_quaternion(s.bodies.orientation, b)
            turn = rotate_back(q, load(drag[:, 3:], b))
            spin = rotate_back(q, load(mean[:, 3:], b))
            total += dot(load(drag, b), load(mean, b)) / m.bodies.inverse_mass[b]
            total += dot(multiply3(m.bodies.inertia, b, turn), spin)
    return total


@kernel
def frame_work(m, s, o, frame_out):
    """Return the work of carriages in the step [J], by the forces that were read last."""
    total = 0.0
    for q in range(m.carriages.node.size):
        k = m.carriages.node[q]
        if k in m.carriages.node[:q]:  # another carriage moves it as well
            continue
        place = load(s.nodes.point, k)
        turn = load_quaternion(s.bodies.orientation, s.nodes.body[k])
        way = rotate(turn, sub(place, load(frame_out, q)))
        total -= dot(load(o.nodes.force, k), way)
        for i in range(3):
            frame_out[q, i] = place[i]
    return total


@kernel
def winding_work(h, m, s, compliance_out):
    """Return the work of the strain of ropes that are wound up in the step [J]."""
    total = 0.0
    for c in range(m.cables.row.size):
        if m.cables.row[c] >= 0 and m.cables.winch[c] >= 0:
            length = unstretched_length(c, m.cables, s.bodies.position)
            per_length = m.cables.compliance_per_length[c]
            now = compliance(m.cables.compliance[c], per_length, length)
            tension = mean_tension_impulse(c, m.cables, s.rows.impulse) / h
            total -= 0.5 * tension * tension * (now - compliance_out[c])
            compliance_out[c] = now
    return total


@kernel
def find_kept(key, account_out):
    """Return the place of a pair among those that are kept, PAIRS without room."""
    for k in range(account_out.seen[1]):
        if account_out.pair[k, 0] == key:
            return k
    k = account_out.seen[1]
    if k < PAIRS:
        account_out.seen[1] += 1
        account_out.pair[k, 0] = key
    return k


@kernel
def keep_depths(h, s, w, m, account_out):
    """Keep the largest depth of each pair of shapes."""
    first = m.rows.own[0]
    for c in range((w.rows.used[0] - first) // m.rows.own[1]):
        deep = -w.pool.gap[c]
        pressed = m.pool.material[w.pool.material[c], COMPLIANCE] * w.pool.push[c] / h
        if max(deep, pressed) < SHALLOW:
            continue
        k = find_kept(w.pool.key[c], account_out)
        if k == PAIRS:
            continue
        account_out.pressed[k] = max(account_out.pressed[k], pressed)
        if deep - account_out.pressed[k] > account_out.depth[k]:
            account_out.depth[k] = deep - account_out.pressed[k]
            account_out.pair[k, 1] = s.steps[0]


@kernel
def watch_steps(pin, n):
    """Take n steps as ``run_world`` does, and count; return their status flags."""
    a = contents(pin)
    m, s, _, c, w, o, h, _, _, _ = a.world
    if s.steps[0] > 0:
        sum_energies(m, s, w, o, a.energy)
        judge_reading(a.energy, s.time[0], a.work, a.seen, a.balance)
    flags = SOLVED
    for _ in range(n):
        copy_velocities(s.bodies.velocity, a.before)
        find_drag(m, s, c, w, h, a.drag)
        flags |= call(a.codes[RUN], a.pins[0], 1)
        if flags & STOPS:
            break
        for b in range(a.mean.shape[0]):
            for k in range(6):
                a.mean[b, k] = 0.5 * (a.before[b, k] + w.bodies.next_velocity[b, k])
        works = (
            drive_work(m, s, w, a.mean),
            motion_work(m, s, w, a.mean),
            wind_work(m, s, a.drag, a.mean),
            frame_work(m, s, o, a.frame),
            winding_work(h, m, s, a.compliance),
        )
        for k in range(5):
            a.work[k] += works[k]
            a.work[USED] += abs(works[k])
        keep_depths(h, s, w, m, a)
    return flags


class Watch:
    """Account of a simulator whose machine ticks: it takes the place of the code of its steps."""

    def __init__(self, simulator: Simulator) -> None:
        self._running: Any = simulator._running
        state = self._running.state
        carried = self._running.model.carriages.node
        self._counts = (
            np.zeros(6),
            np.zeros(4),
            np.zeros(8),
            *np.zeros((3, *state.bodies.velocity.shape)),
            state.nodes.point[carried].copy(),
            self._running.work.rows.compliance[self._running.model.cables.row].copy(),
            np.zeros(3, np.int64),
            np.zeros((PAIRS, 2), np.int64),
            *np.zeros((2, PAIRS)),
        )
        bodies = simulator.scene.bodies
        weight = np.linalg.norm(simulator.scene.gravity) * sum(body.mass for body in bodies)
        self._counts[2][FLOOR] = LIFT * weight
        self._before = self._running.repinned
        self._running.repinned = self._connect
        self._connect()

    def _connect(self) -> None:
        """Count the steps of the present records; new ones come with every change of a model."""
        self._before()
        running = self._running
        world = running.moved.records
        codes = running.code[[RUN]].copy(), running.code[[MOVED]].copy()
        self.account = Account(world, *codes, *self._counts)
        self._pin = Pin(self.account, varying=(WaveState, WaveWork))
        code = machine_code(watch_steps, self._pin, 1)
        running.code[[STEP, STEPPED]] = np.array([code.address, self._pin.address], ADDRESS)

    def begin_anew(self) -> None:
        """Take the next reading for the least: the operator has changed what is held."""
        self.account.seen[2] = 1

    @property
    def gain(self) -> tuple[float, float, float]:
        """Largest gain [J] by its share, what was at play then [J], and its time [s]."""
        gain, at_play, when = self.account.balance[[GAIN, AT_PLAY, WHEN]].tolist()
        return gain, at_play, when

    @property
    def depths(self) -> dict[int, tuple[float, int, float]]:
        """Largest depth [m] of each pair beyond what was pressed in, its step, and that [m]."""
        a = self.account
        return {
            int(a.pair[k, 0]): (float(a.depth[k]), int(a.pair[k, 1]), float(a.pressed[k]))
            for k in range(a.seen[1])
        }
