"""Names of the culprits of a status: too fast bodies and winches, the overstrained cable, and those
that got taut too fast."""

import numpy as np

from cable_sim.kernels import status
from cable_sim.kernels.cables.massless.swing_losses import FOLLOWED, SWING
from cable_sim.kernels.multibody.bodies import FASTEST, WINCH
from cable_sim.kernels.multibody.overstrain import (
    overstrained_cable,
    overstrained_rope,
    overstrained_wire,
)
from cable_sim.kernels.records.world import Model, State, Workspace
from cable_sim.model.basis.names import Names


def name_culprits(
    flags: int, names: Names, model: Model, state: State, work: Workspace, h: float
) -> str:
    """Return the culprits of a step of ``h`` [s] in brackets; an empty text if unknown."""
    found = _fast_parts(names, model, work) if flags & status.TOO_FAST else []
    if flags & status.OVERSTRAINED:
        cable = _overstrained_cable(model, state, work, h)
        found.append(f"cable {names.cables[cable]!r}{_masses(model, cable)}")
    if flags & status.ENERGY_LOST:
        found += _whipped_cables(names, state, h)
    return f" ({', '.join(found)})" if found else ""


def _whipped_cables(names: Names, state: State, h: float) -> list[str]:
    """Return the cables across which bodies swing too fast, and steps that would do."""
    squares = state.cables.swing[:, SWING]
    return [
        f"cable {names.cables[c]!r}: {h * np.sqrt(FOLLOWED / squares[c]):.2g} s"
        for c in np.flatnonzero(squares > FOLLOWED).tolist()
    ]


def take_catches(names: Names, work: Workspace) -> dict[str, float]:
    """Return the cables whose catches were missed since the last call, and steps that would do
    [s]."""
    needed = work.cables.step_needed
    missed = {names.cables[c]: float(needed[c]) for c in np.flatnonzero(needed > 0.0).tolist()}
    needed[:] = 0.0
    return missed


def _masses(model: Model, cable: int) -> str:
    """Return the masses of a cable and a lack of friction of its springs, in words."""
    found = np.flatnonzero(model.ropes.cable == cable)
    if not found.size:
        return ""
    rope = int(found[0])
    mass = model.ropes.particle_mass[model.ropes.start[rope] + 1]
    loose = rope < model.ropes.kinds[1] and model.ropes.friction[rope] == 0.0
    springs = " on springs without friction: give it friction" if loose else ""
    return f" of masses of {mass:.3g} kg{springs}"


def _fast_parts(names: Names, model: Model, work: Workspace) -> list[str]:
    """Return the bodies and winches that were too fast, with their largest speeds."""
    speeds = np.abs(work.bodies.next_velocity)
    fast = np.flatnonzero((speeds > FASTEST).any(axis=1) & (model.bodies.kind <= WINCH))
    bodies = len(names.bodies)
    return [
        f"body {names.bodies[i - 1]!r}: {speeds[i, :3].max():.3g} m/s, {speeds[i, 3:].max():.3g} "
        "rad/s"
        if i <= bodies
        else f"winch {names.winches[i - 1 - bodies]!r}: {speeds[i, 0]:.3g} m/s"
        for i in fast.tolist()
    ]


def _overstrained_cable(model: Model, state: State, work: Workspace, h: float) -> int:
    """Return the row of the cable that was stretched too far."""
    cable = overstrained_cable(
        model.cables.row,
        model.cables.compliance_per_length,
        work.rows.active,
        work.rows.gap,
        work.rows.compliance,
    )
    if cable < 0:
        cable = overstrained_rope(h, model.ropes, state.particles)
    if cable < 0:
        cable = overstrained_wire(
            h,
            model.wires.cable,
            model.cables.node_start,
            model.cables.compliance_per_length,
            state.spans.tension_impulse,
        )
    return int(cable)
