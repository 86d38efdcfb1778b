"""Equilibrium of a scene: where it stands still.

*Relaxation* takes the simulator's own steps and sets all velocities to zero each time that the
kinetic energy falls (Cundall 1976, "kinetic damping"), so that ropes get taut and bodies land.
*Newton's method* does the rest: x += K^-1 x'' for the stiffness K = -dx''/dx of the free motions
(``probe.py``), with the absolute values of K's eigenvalues, so that it goes downhill. LEAST is
added to them, because nothing resists some motions, such as the turn of a load on a single rope.
A rest is one to rounding: K times what rounding leaves of places is no acceleration.
"""

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels.records.arrays import copy_record
from cable_sim.kernels.records.world import Floats, State
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator, Snapshot
from cable_sim.sim.statics.probe import Probe
from cable_sim.sim.statics.stepping import (
    STILL,
    STRIDE,
    at_rest,
    has_changing_masses,
    rest_by_steps,
)
from cable_sim.spec import Scene

RELAXATIONS = (0.5, 5.0, 50.0, 200.0)
"""Times of relaxation before each attempt of Newton's method [s]."""
PATIENCE = 4
"""Steps of Newton's method that have to halve what is left."""
FARTHEST = 0.25
"""Largest displacement in a step of Newton's method [m, rad]."""
CLOSE = 1e-9
"""Displacement at which it has converged [m, rad]."""
LEAST = 1e-4
"""Added to the eigenvalues of the stiffness [1/s^2]: those of motions of ten minutes a period."""


@dataclass(frozen=True)
class Equilibrium:
    """A scene at rest.

    Parameters
    ----------
    scene: the scene.
    dt: step of the simulator that ``snapshot`` is for [s].
    snapshot: start of a simulator of this scene and step, for :meth:`Simulator.restore`.
    observation: everything that can be read there, with forces at rest.
    residual: largest acceleration that is left [m/s^2, rad/s^2].
    """

    scene: Scene
    dt: float
    snapshot: Snapshot
    observation: Observation
    residual: float

    def simulator(self) -> Simulator:
        """Return a simulator of the scene that starts here, at rest."""
        simulator = Simulator(self.scene, self.dt)
        simulator.restore(self.snapshot)
        return simulator


def equilibrium(scene: Scene, dt: float = 1e-3) -> Equilibrium:
    """Return the rest that a scene comes to from its start.

    Motors that are told a speed stand, and prescribed bodies too; motions are left out, and the
    wind is steady. Sheaves turn without loss on the way, but for scenes with hybrid wires, which
    come to rest by steps alone (``stepping.py``). ``dt`` is the step [s]. Raises ModelError
    for an impossible scene, and for one that does not settle, with the name of what moves most;
    also where a cable runs over its wheels until two of its nodes meet.
    """
    still = Simulator(at_rest(scene, dt), dt)
    if has_changing_masses(still):
        return _settle_by_steps(scene, still)
    probe = standing_probe(scene, dt)
    settle(probe)
    return conclude(scene, probe)


def _settle_by_steps(scene: Scene, still: Simulator) -> Equilibrium:
    """Return the equilibrium that the steps of a simulator without motions come to."""
    snapshot, left = rest_by_steps(still)
    simulator = Simulator(scene, still.dt)
    simulator.restore(snapshot)
    return Equilibrium(scene, still.dt, snapshot, simulator.observe(), left)


def standing_probe(scene: Scene, dt: float) -> Probe:
    """Return the probe of a scene without its motions, at its start, for steps of ``dt`` [s]."""
    return Probe(Simulator(dataclasses.replace(scene, motions=()), dt))


def conclude(scene: Scene, probe: Probe) -> Equilibrium:
    """Return the equilibrium that a probe stands at."""
    simulator = Simulator(scene, probe.dt)
    simulator.restore(_start(simulator.save(), probe.standing_state()))
    return Equilibrium(scene, probe.dt, simulator.save(), simulator.observe(), residual(probe))


def _start(start: Snapshot, standing: State) -> Snapshot:
    """Return the start of a simulator with the poses and forces of a state that stands."""
    state = standing
    for group, field in (("nodes", "loss"), ("drives", "motion"), ("drives", "reference")):
        getattr(getattr(state, group), field)[...] = getattr(getattr(start.state, group), field)
    state.time[:] = 0.0
    state.steps[:] = 0
    return Snapshot(state, start.control)


def settle(probe: Probe) -> None:
    """Bring a scene to rest; ModelError if it does not settle."""
    for seconds in RELAXATIONS:
        relax(probe, seconds)
        probe.stand()
        if approach(probe):
            return
    raise ModelError(f"equilibrium: does not settle; {_culprit(probe)}")


def relax(probe: Probe, seconds: float) -> None:
    """Let the scene go for a time [s], and stop it whenever its kinetic energy falls."""
    before = 0.0
    for _ in range(max(1, round(seconds / (STRIDE * probe.dt)))):
        probe.step(STRIDE)
        energy = probe.kinetic_energy()
        if energy < before:
            probe.stop()
            energy = 0.0
        before = energy


def approach(probe: Probe) -> bool:
    """Return True if Newton's method finds the rest near the present pose, else go back to it."""
    start = copy_record(probe.state)
    least = math.inf
    patience = PATIENCE
    while patience > 0:
        still = np.zeros(probe.coordinates.size)
        left = probe.free_accelerations(still, still)
        size = float(np.linalg.norm(left))
        patience = PATIENCE if size < 0.5 * least else patience - 1
        least = min(least, size)
        way, stiffest = _newton_step(probe, left)
        length = float(np.abs(way).max(initial=0.0))
        if length < CLOSE and residual(probe) < STILL + stiffest * probe.rounding():
            return True
        probe.move(way * min(1.0, FARTHEST / length))
    probe.go_to(start)
    return False


def _newton_step(probe: Probe, left: Floats) -> tuple[Floats, float]:
    """Return the displacement [m, rad] that takes accelerations away, and the stiffest's rate.

    That is the largest eigenvalue [1/s^2].
    """
    matrix = probe.stiffness(probe.motions)
    values, axes = np.linalg.eigh(0.5 * (matrix + matrix.T))
    sizes = np.abs(values)
    way = probe.motions @ (axes @ ((axes.T @ left) / (sizes + LEAST)))
    return np.asarray(way), float(sizes.max(initial=0.0))


def left_accelerations(probe: Probe) -> Floats:
    """Return the accelerations of all coordinates that are left [m/s^2, rad/s^2]."""
    still = np.zeros(probe.coordinates.size)
    return np.asarray(probe.motions @ probe.free_accelerations(still, still))


def residual(probe: Probe) -> float:
    """Return the largest acceleration that is left [m/s^2, rad/s^2]."""
    return float(np.abs(left_accelerations(probe)).max(initial=0.0))


def _culprit(probe: Probe) -> str:
    """Return what accelerates most, in words."""
    left = np.abs(left_accelerations(probe))
    most = f"is left with {left.max():.3g} m/s^2 or rad/s^2"
    for i, body in enumerate(probe.names.bodies, start=1):
        if left[probe.coordinates.row_of(i)].max(initial=0.0) == left.max():
            return f"body {body!r} {most}; hold it, or give it something to rest on"
    ropes = probe.model.ropes
    particle = probe.coordinates.particle_of(int(left.argmax()))
    if particle < 0:
        return f"a winch or a rope {most}; brake the winch, or tie the rope"
    cable = probe.names.cables[ropes.cable[np.searchsorted(ropes.start, particle, "right") - 1]]
    mass = f"a mass of {ropes.particle_mass[particle]:.3g} kg"
    return f"cable {cable!r}: {mass} {most}; give it more density, fewer masses, or hold it"
