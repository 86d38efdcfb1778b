"""Accelerations of a scene at rest and near it, without the errors of a step.

A step of INSTANT is taken as ``kernels/step.py`` takes it, but solved here. Rows that give way are
spring and damper then, to h^2 w^2 / 4 of themselves, w their frequency. Rows that *hold* ask for

    J v+ = J v

without their gap, which over the square of such a step is nothing but rounding. Rows hold that are
at no bound at rest and have no compliance: those of joints, hard stops, inextensible ropes, brakes
and motors without slip, and dry friction that sticks, whatever it gives. What they leave free are
the columns N of

    J_h N = 0,      N^T M N = 1,

so that q = N x has the accelerations x'' = N^T M q''. The motion of a motor d that holds is the
column M^-1 J_h^T (J_h M^-1 J_h^T)^-1 e_d, with which N is not coupled by inertia.

*Sheaves* turn without loss here: dry friction has no linear form. A span that oscillates carries on
the tensions of the two steps before, so that its step is taken three times.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from cable_sim.errors import ModelError
from cable_sim.kernels import status
from cable_sim.kernels.multibody.drives import BY_SPEED
from cable_sim.kernels.multibody.pivoting import AT_LOWER, FREE
from cable_sim.kernels.multibody.rows import GAP, SPEED, STABILISED
from cable_sim.kernels.records.arrays import arrays_by_name, arrays_of, copy_record
from cable_sim.kernels.records.world import Floats, Ints, State
from cable_sim.kernels.step import ADVANCE, LOOK, PREPARE, SETTLE, TAKE_IN
from cable_sim.model.basis.frames import Array
from cable_sim.model.cables.variants import find_contacts, run, shift_back
from cable_sim.model.damping import dense_jacobian
from cable_sim.sim.culprits import name_culprits
from cable_sim.sim.readings.present import SHIFTED
from cable_sim.sim.running import RunningScene
from cable_sim.sim.sentences import explain
from cable_sim.sim.simulator import Simulator
from cable_sim.sim.statics.coordinates import Coordinates

INSTANT = 1e-9
"""Step in which accelerations are taken [s]."""
REPEATS = 1e-9
"""Part of its size up to which a row that holds repeats others, and is left out."""
INSIDE = 1e-6
"""Part of its bounds by which the impulse of dry friction has to be inside of them to stick."""
SHARE = 0.25
"""Part of the strain of a rope or contact that a displacement may take away."""
LEAST = 1e-3
"""Least displacement, as a part of the largest one."""
ROUNDINGS = 4.0
"""Roundings of places in a strain."""
STRETCH = 1e-5
"""Largest displacement of a difference [m, rad]."""
SLOW = 1e-3
"""Largest velocity of a difference [m/s, rad/s]."""
PASSES = 3
"""Steps at one pose, until a span that oscillates has its tension."""
MOST = 600
"""Most coordinates: matrices of them are full."""


class Probe:
    """A scene at a pose, which the simulator of it has, and accelerations near that pose.

    The simulator's state is written to. Its drives are commanded to stand, and its sheaves turn
    without loss.
    """

    def __init__(self, simulator: Simulator) -> None:
        running = simulator._running
        _check(running)
        self.names = running.names
        self.dt = simulator.dt
        self.model = running.model
        self.state = running.state
        self.control = running.control
        self.work = running.work
        self.control.drives.target[self.control.drives.mode == BY_SPEED] = 0.0
        self.control.bodies.prescribed_velocity[:] = 0.0
        self.state.nodes.loss[:] = 0.0
        self._is_friction = np.diff(self.model.rows.limit_start) > 0
        self._passes = PASSES if self.model.waves.oscillates.any() else 1
        self.stand()

    def step(self, count: int) -> None:
        """Take steps of the simulator; ModelError if one can't be taken."""
        self._run(self.dt, count)

    def stand(self) -> None:
        """Take the present pose as that of rest, and find what holds there."""
        self.coordinates = Coordinates(self.model, self.state)
        if self.coordinates.size > MOST:
            raise ModelError(
                f"statics: the scene has {self.coordinates.size} coordinates; allowed are {MOST}"
            )
        self.stop()
        home = copy_record(self.state)
        self._home = tuple(zip(arrays_of(self.state), arrays_of(home), strict=True))
        self._run(self.dt, 1)
        rows, work = self.state.rows, self.work.rows
        self._impulses = [array * (INSTANT / self.dt) for array in _memory(self.state)]
        self._impulses[-1] = self.state.spans.tension_before.copy()
        _fill(home.pool, self.state.pool)
        free = work.active & (rows.status == FREE)
        sticks = np.abs(rows.impulse) < (1.0 - INSIDE) * work.upper
        kind = self.model.rows.kind
        of_contact = np.arange(kind.size) >= self.model.rows.own[0]
        rigid = np.isin(kind, (GAP, STABILISED, SPEED)) & (work.compliance == 0.0)
        rigid |= of_contact & (kind == SPEED)
        self.holding: Ints = np.flatnonzero(free & rigid & (sticks | ~self._is_friction))
        self._giving = free & ~rigid
        self._bound = np.where(rows.status == AT_LOWER, -1, 1) * (work.active & ~free)
        self._bound[self._is_friction] = 0
        self._go_home()
        self._find_free_motions()
        pressed = np.flatnonzero(self._giving & self.model.rows.one_sided)
        self._pressed = self._jacobian(pressed), np.abs(work.gap[pressed])

    def stop(self) -> None:
        """Set all velocities to zero, at the poses of their time.

        In the poses ahead of it a motion that a step does not resolve has more energy than it had.
        """
        shift_back(self.model, self.state, self.control, self.work, self.dt)
        self.coordinates.set_velocities(np.zeros(self.coordinates.size), self.state)
        self.state.nodes.velocity[:] = 0.0

    def kinetic_energy(self) -> float:
        """Return the kinetic energy [J], of spans that oscillate for points of 1 kg."""
        v = self.coordinates.velocities(self.state)
        return 0.5 * float(v @ (self._mass @ v))

    def rounding(self) -> float:
        """Return what rounding leaves of the places of bodies and masses [m]."""
        places = (self.state.bodies.position, self.state.particles.position)
        farthest = max(float(np.abs(place).max(initial=0.0)) for place in places)
        return float(np.spacing(farthest)) * ROUNDINGS

    def go_to(self, state: State) -> None:
        """Bring the scene to a state, and stand there."""
        _fill(self.state, state)
        self.stand()

    def move(self, displacement: Floats) -> None:
        """Move to another pose of rest [m, rad], with gaps closed that rows hold closed."""
        self._go_home()
        self.coordinates.displace(displacement, self.state, self.control, self.work)
        for _ in range(3):
            self._look()
            jacobian = self._jacobian(self.holding)
            closes = self.model.rows.kind[self.holding] != SPEED
            gap = np.where(closes, self.work.rows.gap[self.holding], 0.0)
            across = self._inverse_mass @ jacobian.T
            closing = np.linalg.lstsq(jacobian @ across, gap, rcond=REPEATS)[0]
            self.coordinates.displace(-across @ closing, self.state, self.control, self.work)
        self.stand()

    def accelerations(self, displacement: Floats, velocity: Floats) -> Floats:
        """Return the accelerations [m/s^2, rad/s^2] at a displacement [m, rad] and velocities.

        All are vectors of the coordinates.
        """
        s = self.state
        kept = self._impulses
        for _ in range(self._passes):
            self._go_home()
            for array, values in zip(_memory(s), kept, strict=True):
                array[...] = values
            self.coordinates.displace(displacement, s, self.control, self.work)
            self.coordinates.set_velocities(velocity, s)
            self._run(INSTANT, SETTLE if self.model.touches.body.size else LOOK)
            self._run(INSTANT, PREPARE)
            self._run(INSTANT, TAKE_IN)
            self._solve()
            self._run(INSTANT, ADVANCE)
            kept = [array.copy() for array in _memory(s)]
        return (self.coordinates.velocities(s) - velocity) / INSTANT

    def largest_step(self, motion: Floats, most: float) -> float:
        """Return a step along a motion (n,) that moves nothing by more than ``most`` [m, rad].

        No rope gets slack in that step, and no contact opens.
        """
        jacobian, strains = self._pressed
        rates = np.abs(jacobian @ motion)
        most = most / float(np.abs(motion).max())
        with np.errstate(divide="ignore"):
            opening = float(np.min(SHARE * strains / rates, initial=np.inf))
        return max(min(most, opening), LEAST * most)

    def free_accelerations(self, displacement: Floats, velocity: Floats) -> Floats:
        """Return x'' of the free motions, as :meth:`accelerations` does."""
        return self.weights @ self.accelerations(displacement, velocity)

    def stiffness(self, motions: Floats) -> Floats:
        """Return K = -dx''/dq (k, c) of the free motions x, for motions (n, c) of coordinates.

        It is by central differences of the accelerations, as is :meth:`damping`.
        """
        steps = [self.largest_step(motion, STRETCH) for motion in motions.T]
        return self._slopes(motions, steps, self.free_accelerations)

    def damping(self, motions: Floats) -> Floats:
        """Return D = -dx''/dq' (k, c) of the free motions x, as :meth:`stiffness` does K."""
        steps = [SLOW / float(np.abs(motion).max()) for motion in motions.T]
        return self._slopes(motions, steps, lambda way, still: self.free_accelerations(still, way))

    def _slopes(
        self, motions: Floats, steps: list[float], accelerations: Callable[[Floats, Floats], Floats]
    ) -> Floats:
        """Return the slopes of accelerations, without their sign, along motions (n, c)."""
        still = np.zeros(self.coordinates.size)
        found = np.zeros((self.motions.shape[1], motions.shape[1]))
        for c, (motion, step) in enumerate(zip(motions.T, steps, strict=True)):
            behind = accelerations(-step * motion, still)
            found[:, c] = (behind - accelerations(step * motion, still)) / (2.0 * step)
        return found

    def poses(self, displacement: Floats) -> dict[str, Array]:
        """Return the arrays of a state that tell its poses, at a displacement [m, rad]."""
        self._go_home()
        self.coordinates.displace(displacement, self.state, self.control, self.work)
        found = arrays_by_name(copy_record(self.state))
        self._go_home()
        return {name: found[name] for name in SHIFTED}

    def standing_state(self) -> State:
        """Return a copy of the state at rest, with the forces of a step there.

        Raises ModelError where that is no rest of the scene's own, but nodes of a cable that met.
        """
        poses = self.poses(np.zeros(self.coordinates.size))
        if self._run(self.dt, 1) & status.NODES_MET:
            raise ModelError(f"equilibrium: {self._met_nodes()}")
        standing = place(copy_record(self.state), poses)
        self._go_home()
        return standing

    def _met_nodes(self) -> str:
        """Return what a cable comes to whose nodes meet, in words."""
        lengths = self.work.spans.length
        starts = self.model.cables.node_start
        spans = [lengths[a : b - 1].min(initial=np.inf) for a, b in pairwise(starts)]
        cable = self.names.cables[int(np.argmin(spans))]
        return (
            f"cable {cable!r} runs until two of its nodes meet, and rests only there; hold it with "
            "a drive on its wheel or winch, or a brake"
        )

    def _run(self, h: float, n: int) -> int:
        """Run the compiled step and return its flags; ModelError if a step can't be taken."""
        flags, _, _ = run(self.model, self.state, self.control, self.work, h, n)
        if flags & status.STOPS:
            stops = flags & status.STOPS
            culprits = name_culprits(stops, self.names, self.model, self.state, self.work, h)
            raise ModelError(f"statics: {explain(stops)}{culprits}")
        return int(flags)

    def _look(self) -> None:
        """Fill the rows of the present pose, with those of contacts."""
        self._run(self.dt, LOOK)
        find_contacts(self.model, self.state, self.control, self.work)

    def _go_home(self) -> None:
        """Bring the state back to rest."""
        for array, numbers in self._home:
            array[...] = numbers

    def _jacobian(self, rows: Ints) -> Floats:
        """Return the (k, n) Jacobian of rows in the workspace for the coordinates."""
        bodies = self.coordinates.bodies
        whole = np.zeros((rows.size, self.coordinates.size))
        whole[:, : bodies.size] = dense_jacobian(self.model, self.work)[np.ix_(rows, bodies)]
        return whole

    def _find_free_motions(self) -> None:
        """Find N and N^T M of the free motions, and the motions of the motors that hold."""
        self._look()
        inverse = self.coordinates.inverse_mass(self.work.bodies.inverse_inertia)
        self._inverse_mass = inverse
        root = np.linalg.cholesky(inverse)
        weight = solve_triangular(root, np.eye(len(root)), lower=True)
        self._mass = weight.T @ weight
        jacobian = self._jacobian(self.holding) @ root
        sizes = np.linalg.norm(jacobian, axis=1)
        self.holding = self.holding[sizes > 0.0]
        scaled = (jacobian[sizes > 0.0] / sizes[sizes > 0.0, None]).T
        axes, triangle, order = qr(scaled, pivoting=True)
        rank = int((np.abs(np.diag(triangle)) > REPEATS).sum())
        self.holding = self.holding[np.sort(order[:rank])]
        free = axes[:, rank:]
        self.motions: Floats = root @ free
        """(n, k) displacement of each coordinate per free motion."""
        self.weights: Floats = free.T @ weight
        """(k, n) its inverse."""
        jacobian = self._jacobian(self.holding)
        drive = {int(row): d for d, row in enumerate(self.model.drives.row)}
        chosen = [i for i, row in enumerate(self.holding) if int(row) in drive]
        self.drives: tuple[int, ...] = tuple(drive[int(self.holding[i])] for i in chosen)
        """Drives that hold."""
        unit = np.eye(self.holding.size)[:, chosen]
        across = inverse @ jacobian.T
        self.driven: Floats = across @ np.linalg.solve(jacobian @ across, unit)
        """(n, d) displacement of each coordinate per motion of these drives."""

    def _solve(self) -> None:
        """Set the impulses of all rows, and the velocities at the end of the step."""
        m, w = self.model, self.work
        impulse = np.where(self._bound > 0, w.rows.upper, w.rows.lower)
        impulse = np.where((self._bound != 0) & np.isfinite(impulse), impulse, 0.0)
        giving = np.flatnonzero(self._giving & w.rows.active)
        rows = np.concatenate([self.holding, giving])
        jacobian = dense_jacobian(m, w).reshape(m.rows.kind.size, m.bodies.kind.size, 6)
        across = self._accelerate(jacobian)
        free = w.bodies.next_velocity + np.einsum("rbi,r->bi", across, impulse)
        start = np.einsum("rbi,bi->r", jacobian[self.holding], self.state.bodies.velocity)
        freely = np.einsum("rbi,bi->r", jacobian, free)
        demand = np.concatenate([start - freely[self.holding], np.zeros(giving.size)])
        pushed = freely - np.einsum("rbi,bi->r", jacobian, w.bodies.next_velocity)
        demand[self.holding.size :] = w.rows.demand[giving] - pushed[giving]
        softness = np.concatenate([np.zeros(self.holding.size), w.rows.softness[giving]])
        near = jacobian[rows].reshape(rows.size, 6 * m.bodies.kind.size)
        matrix = near @ across[rows].reshape(near.shape).T
        impulse[rows] = _solve_scaled(matrix + np.diag(softness), demand)
        w.bodies.next_velocity[:] += np.einsum("rbi,r->bi", across, impulse)
        self.state.rows.impulse[:] = impulse

    def _accelerate(self, jacobian: Floats) -> Floats:
        """Return M^-1 J^T of rows (r, b, 6)."""
        m, w = self.model, self.work
        across = np.empty_like(jacobian)
        across[..., :3] = jacobian[..., :3] * m.bodies.inverse_mass[:, None]
        across[..., 3:] = np.einsum("rbj,bij->rbi", jacobian[..., 3:], w.bodies.inverse_inertia)
        return across


def _memory(state: State) -> tuple[Floats, ...]:
    """Return what a step takes from the one before: impulses [N s], and a tension [N]."""
    spans = state.spans
    return state.rows.impulse, spans.tension_impulse, spans.elastic_impulse, spans.tension_before


def _fill(state_out: Any, values: Any) -> None:
    """Copy all numbers of a state, or of a part of one."""
    for array, numbers in zip(arrays_of(state_out), arrays_of(values), strict=True):
        array[...] = numbers


def _solve_scaled(matrix: Floats, demand: Floats) -> Floats:
    """Solve for impulses; rows that nothing moves get none."""
    own = np.diag(matrix)
    still = own <= 0.0
    scale = np.where(still, 0.0, 1.0 / np.sqrt(np.where(still, 1.0, own)))
    scaled = matrix * np.outer(scale, scale) + np.diag(1.0 * still)
    return np.asarray(np.linalg.solve(scaled, demand * scale) * scale)


def _check(running: RunningScene) -> None:
    """Raise ModelError for cables that have no coordinates of their own to be moved in."""
    m = running.model
    for rope in np.flatnonzero((m.ropes.compliance == 0.0) & (m.ropes.row >= 0).any(axis=1)):
        raise ModelError(
            f"statics: cable {running.names.cables[m.ropes.cable[rope]]!r}: a chain of masses that "
            "does not stretch has no stiffness; give it ea"
        )


def place(state_out: State, poses: dict[str, Array]) -> State:
    """Return a state that has been brought to the poses of :meth:`Probe.poses`."""
    arrays = arrays_by_name(state_out)
    for name, values in poses.items():
        arrays[name][...] = values
    return state_out
