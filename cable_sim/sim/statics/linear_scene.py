"""A scene linearised about its equilibrium, as a controller or a calculation of modes wants it.

Small motions are q = P p + N x, with p the coordinates of the motors that hold and x the free
motions, both of ``probe.py``. A motor moves p as it likes; what is free obeys

    x'' = -K (p, x) - D (p', x') + N^T f,

with the forces and torques f on bodies. There is no term of p'', because the columns P and N are
not coupled by inertia.
"""

from dataclasses import dataclass

import numpy as np

from cable_sim.kernels.records.arrays import copy_record
from cable_sim.kernels.records.world import Floats
from cable_sim.sim.simulator import Snapshot
from cable_sim.sim.statics.probe import Probe, place
from cable_sim.sim.statics.settling import Equilibrium, conclude, settle, standing_probe
from cable_sim.sim.statics.wires_at_rest import with_constant_masses
from cable_sim.spec import Scene


@dataclass(frozen=True, eq=False)
class LinearScene:
    """Small motions of a scene about its equilibrium.

    The state is (p, x, p', x'): of ``m`` drives that hold, their coordinates p [m, rad], and ``k``
    free motions x, with M-orthonormal shapes [m sqrt(kg)].

    Parameters
    ----------
    equilibrium: what it is about.
    drives: names of the drives that hold; others are free, or give a force.
    motions: (n, m + k) displacement of each coordinate of the scene per coordinate of the state.
    stiffness, damping: (k, m + k), K [1/s^2] and D [1/s] of the free motions.
    """

    equilibrium: Equilibrium
    drives: tuple[str, ...]
    motions: Floats
    stiffness: Floats
    damping: Floats
    _probe: Probe

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of all bodies."""
        return self._probe.names.bodies

    @property
    def A(self) -> Floats:
        """A (n, n) of dx/dt = A x + B u, n = 2 (m + k)."""
        held = len(self.drives)
        n = held + len(self.stiffness)
        whole = np.zeros((2 * n, 2 * n))
        whole[:n, n:] = np.eye(n)
        whole[n + held :, :n] = -self.stiffness
        whole[n + held :, n:] = -self.damping
        return whole

    @property
    def B(self) -> Floats:
        """B (n, m) for the accelerations of the drives [m/s^2, rad/s^2]."""
        held = len(self.drives)
        n = held + len(self.stiffness)
        whole = np.zeros((2 * n, held))
        whole[n : n + held] = np.eye(held)
        return whole

    def body(self, name: str) -> Floats:
        """Return the (6, m + k) displacement and turn of a body per coordinate [m, rad].

        They are of its centre of mass, in the world frame. Transposed, its columns of free motions
        are the effect of a force [N] and a torque [N m] there. SpecError for an unknown body.
        """
        row = 1 + self._probe.names.index("bodies", name)
        found = np.zeros((6, self.motions.shape[1]))
        own = self._probe.coordinates.row_of(row)
        found[: own.sum()] = self.motions[own]
        return found

    def snapshot(self, motion: Floats) -> Snapshot:
        """Return the start of a simulator at a displacement (m + k,) from rest, without speed.

        It is for the scene and the step of the equilibrium, and not small where the motion is not.
        """
        rest = self.equilibrium.snapshot
        poses = self._probe.poses(self.motions @ np.asarray(motion, dtype=float))
        return Snapshot(place(copy_record(rest.state), poses), copy_record(rest.control))


def linearise(scene: Scene, dt: float = 1e-3) -> LinearScene:
    """Return a scene's small motions about its :func:`equilibrium
    <cable_sim.sim.statics.equilibrium>`.

    Springs, ropes, dampers, contacts and gravity count as they are there; what hangs slack or is
    apart does not. Motors without slip and closed brakes hold, and so does dry friction, but for
    that of sheaves. Hybrid wires have the masses that they have at rest, for good: the scene of the
    equilibrium has such ropes in their place (``wires_at_rest.py``). ``dt`` is the step of the
    snapshots [s]. Raises ModelError for a scene that does not settle, has more than 600
    coordinates, or a hybrid wire that is not free between its two ends.
    """
    scene = with_constant_masses(scene, dt)
    probe = standing_probe(scene, dt)
    settle(probe)
    rest = conclude(scene, probe)
    motions = np.concatenate([probe.driven, probe.motions], axis=1)
    return LinearScene(
        rest,
        tuple(probe.names.drives[d] for d in probe.drives),
        motions,
        probe.stiffness(motions),
        probe.damping(motions),
        probe,
    )
