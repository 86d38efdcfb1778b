"""Rest of scenes whose coordinates come and go, as the masses of hybrid wires do: by steps alone.

Such a scene has no stiffness for Newton's method. So it is let go, and stopped whenever its kinetic
energy falls (``settling.py``, "Relaxation"), until the steps after a stop leave it where it is.
Masses of wires count as 1 kg each there. Sheaves keep their losses, so a rest may be one that only
friction holds. Wires are damped as rigid rows are (``rows.py``), so that loads do not bounce.
"""

from dataclasses import replace

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels import status
from cable_sim.kernels.multibody.drives import BY_SPEED
from cable_sim.kernels.multibody.rows import RIGID_DAMPING_STEPS
from cable_sim.kernels.records.world import State
from cable_sim.model.basis.crossings import hybrid_cables
from cable_sim.sim.running import check_scene
from cable_sim.sim.simulator import Simulator, Snapshot
from cable_sim.sim.statics.coordinates import Coordinates
from cable_sim.spec import Scene

STRIDE = 5
"""Steps between two looks at the kinetic energy."""
LONGEST = 250.0
"""Time in which a scene has to come to rest [s]."""
STILL = 1e-5
"""Largest acceleration at rest [m/s^2, rad/s^2]."""


def at_rest(scene: Scene, dt: float) -> Scene:
    """Return a scene without motions, whose hybrid wires take the bounce of what hangs on them.

    ``dt`` is the step [s].
    """
    check_scene(scene)
    least = RIGID_DAMPING_STEPS * dt
    calm = {
        wire.name: replace(
            wire, damping_time=max(wire.damping_time or 0.0, least), damping_ratio=None
        )
        for wire in hybrid_cables(scene)
    }
    cables = tuple(calm.get(cable.name, cable) for cable in scene.cables)
    return replace(scene, cables=cables, motions=())


def has_changing_masses(simulator: Simulator) -> bool:
    """Return True if a scene has hybrid wires."""
    return bool(simulator._running.model.wires.cable.size)


def rest_by_steps(simulator: Simulator) -> tuple[Snapshot, float]:
    """Return a snapshot of a scene at rest, and the largest acceleration left [m/s^2, rad/s^2].

    The simulator is at its start, without motions. Raises ModelError for a scene that does not
    settle, with the name of the body that moves most.
    """
    running = simulator._running
    state, control = running.state, running.control
    start = simulator.save()
    control.drives.target[control.drives.mode == BY_SPEED] = 0.0
    control.bodies.prescribed_velocity[:] = 0.0
    coordinates = Coordinates(running.model, state)
    mass = 1.0 / np.diag(coordinates.inverse_mass(running.model.bodies.inverse_inertia))
    time = STRIDE * simulator.dt
    before, stopped = 0.0, False
    for _ in range(round(LONGEST / time)):
        flags = simulator.step(STRIDE).status
        velocities = coordinates.velocities(state)
        masses = state.nodes.velocity
        left = max(np.abs(velocities).max(initial=0.0), np.abs(masses).max(initial=0.0)) / time
        energy = float(mass @ velocities**2) + float((masses**2).sum())
        if stopped and left < STILL and not flags & status.NODES_MET:
            _stop(coordinates, state)
            return _at_start(simulator.save(), start), left
        stopped = energy <= before
        before = 0.0 if stopped else energy
        if stopped:
            _stop(coordinates, state)
    raise ModelError(f"equilibrium: does not settle; {_culprit(simulator)}")


def _stop(coordinates: Coordinates, state_out: State) -> None:
    """Set all velocities to zero."""
    coordinates.set_velocities(np.zeros(coordinates.size), state_out)
    state_out.nodes.velocity[:] = 0.0


def _at_start(rest: Snapshot, start: Snapshot) -> Snapshot:
    """Return a snapshot at the time of the start, with its commands."""
    rest.state.time[:] = 0.0
    rest.state.steps[:] = 0
    return Snapshot(rest.state, start.control)


def _culprit(simulator: Simulator) -> str:
    """Return what moves most, in words."""
    seen = simulator.observe()
    speeds = np.linalg.norm(seen.body_velocity, axis=1)
    if not speeds.size:
        return "a rope keeps moving"
    i = int(np.argmax(speeds))
    return f"body {seen.names.bodies[i]!r} moves with {speeds[i]:.3g} m/s"
