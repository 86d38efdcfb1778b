"""Ropes of ours in a MuJoCo model."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import CommandError, SpecError, StepError, check_kind, unknown, warn
from cable_sim.interchange.ropes.condensation import (
    SWIFT,
    UNSETTLED,
    couple_rows,
    pull_explicitly,
    pull_implicitly,
    take_free,
)
from cable_sim.interchange.ropes.lengths import JointTree, fill_rows, place_ropes
from cable_sim.interchange.ropes.records import (
    Place,
    World,
    build_paths,
    build_rims,
    build_ropes,
    build_solver,
    make_record,
)
from cable_sim.kernels.jit import kernel, machine_code
from cable_sim.kernels.pins import Pin, contents
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.cables import NodeState
from cable_sim.kernels.status import NOT_CONVERGED, SOLVED
from cable_sim.spec import Cable
from cable_sim.spec.cables.cable_models import is_given

PLACE = 0
IMPLICIT = 1
EXPLICIT = 2
"""Goals of :func:`run_ropes`: lengths, or forces too."""
KNOWN = "mjINT_EULER", "mjINT_IMPLICIT", "mjINT_IMPLICITFAST"
"""Integrators whose step is that of ``condensation.py``."""
LEFT_OUT = "stiffness closed driven elevation gj hybrid lumped parts torque_factor touches "
LEFT_OUT += "twist_stiffness cd"
"""Fields of a cable that ropes in other engines have not."""


@kernel
def run_ropes(pin: Any, goal: int) -> int:
    """Place ropes, find their rows and tensions, and add their force; return status flags."""
    w = contents(pin)
    take_free(w.acceleration, w.ropes)
    place_ropes(w)
    if goal == PLACE:
        return SOLVED
    for c in range(w.ropes.ea.size):
        fill_rows(c, w, w.ropes)
    couple_rows(w.ropes)
    if goal == IMPLICIT:
        return pull_implicitly(w)
    pull_explicitly(w)
    return SOLVED


class RopeReading(NamedTuple):
    """Readings of a rope in the last step.

    ``tension`` (s,) is that of each span [N], ``length`` that of the path [m], ``unstretched`` the
    rope paid out [m], ``slack`` the rope that hangs idle [m], ``energy`` that of the stretch [J].
    ``resolved`` is True where the step keeps the energy of its oscillation.
    """

    tension: NDArray[np.float64]
    length: float
    unstretched: float
    slack: float
    energy: float
    resolved: bool


class MujocoRopes:
    """Ropes in a MuJoCo model: hoist ropes with falls, wheels, losses, slack and winches.

    Their force is a part of ``qfrc_passive``.

    Parameters
    ----------
    model, data: MuJoCo's. The ropes are laid at the coordinates of the data.
    cables: massless ones with an ``ea`` or ``rope``; there is no torque. The ``body`` of a node is
        the name of a site, or else of a body, in whose frame its position is [m]. A wheel with
        inertia is one on a body with a hinge. A winch follows its command, whatever its mass.

    ``unsettled`` is the number of steps in which the friction of some node went on changing, so
    that it is not quite what the tensions allow. ``swift`` is the number of those in which a light
    body may swing across its taut rope faster than MuJoCo's step follows: then energy may grow. A
    CableSimWarning tells of the first one.

    Raises SpecError for what ropes here have not, unknown names, and unknown integrators.
    """

    def __init__(self, model: Any, data: Any, cables: Sequence[Cable]) -> None:
        check_kind("model", model, mujoco.MjModel, "an MjModel")
        check_kind("data", data, mujoco.MjData, "the MjData of the model")
        if (data.qvel.size, len(data.xpos)) != (model.nv, model.nbody):
            raise SpecError(
                f"data: of {len(data.xpos)} bodies, not of the {model.nbody} of the model"
            )
        _check_integrator(model)
        _check_cables(cables)
        self._model = model
        self._data = data
        self._cables = {cable.name: cable for cable in cables}
        self._winches = [cable.winch and cable.winch.name for cable in cables]
        self._stepping = False
        self.unsettled = 0
        self.swift = 0
        nodes = [node for cable in cables for node in cable.nodes]
        places = [
            _find_frame(model, node.body, f"cable {cable.name!r}: nodes.{i}")
            for cable in cables
            for i, node in enumerate(cable.nodes)
        ]
        self.ropes = build_ropes(cables, model.nv)
        self._world = World(
            np.zeros(2),
            data.qvel,
            data.qacc,
            data.qfrc_passive,
            _joint_tree(model, data, [place[0] for place in places]),
            build_paths(
                nodes, places, make_record(Moving, 0, position=data.xpos, orientation=data.xquat)
            ),
            build_rims(nodes, places),
            self.ropes,
            *build_solver(self.ropes),
        )
        self.ropes.mobility[:] = _mobility(model, self._world.paths.node_state)
        self._pin = Pin(self._world)
        self._run = machine_code(run_ropes, self._pin, 0).call
        self.lay()

    def lay(self) -> None:
        """Lay all ropes anew at the data's coordinates, as their cables say, winches at rest."""
        state, ropes = self._world.table.state, self.ropes
        contact = self._world.rims.state.contact
        state.impulse[:] = state.status[:] = 0
        ropes.rate[:] = ropes.command[:] = 0.0
        ropes.length[:] = 1.0
        self._look()
        self._run(self._pin.handle, PLACE)
        turns = [wheel.turns for cable in self._cables.values() for wheel in cable.wheels]
        wrap = (contact[:, 1] - contact[:, 0]) % (2.0 * math.pi)
        contact[:, 1] = contact[:, 0] + wrap + 2.0 * math.pi * np.array(turns)
        self._run(self._pin.handle, PLACE)
        for c, cable in enumerate(self._cables.values()):
            ratio = cable.loss_ratio or 0.0
            ropes.damping_time[c] = -ratio if cable.damping_time is None else cable.damping_time
            even = ropes.path[c] / (1.0 + cable.pretension / ropes.ea[c])
            if cable.length is None and not even > 0.0:
                raise SpecError(f"cable {cable.name!r}: all nodes are in one place; give a length")
            ropes.length[c] = even if cable.length is None else cable.length

    def _look(self) -> None:
        """Let the data know the acceleration without ropes: before, there was no step of theirs."""
        self.ropes.tension[:] = 0.0
        self._stepping = True
        mujoco.mj_forward(self._model, self._data)
        self._stepping = False
        self._time = self._data.time

    def step(self, count: int = 1) -> None:
        """Take steps of the model's ``timestep`` with implicit ropes, in place of ``mj_step``.

        Raises StepError where no tensions are found, and where MuJoCo finds its model unstable and
        resets it; SpecError for an unknown integrator.
        """
        model, data = self._model, self._data
        _check_integrator(model)
        run, pin = self._run, self._pin.handle
        self._world.time[0] = model.opt.timestep
        if data.time != self._time:
            self._look()
        self._stepping = True
        try:
            for _ in range(count):
                mujoco.mj_step1(model, data)
                flags = run(pin, IMPLICIT)
                if flags & NOT_CONVERGED:
                    names = ", ".join(self._cables)
                    raise StepError(f"no tensions found of the ropes {names}; give a smaller step")
                if flags >= UNSETTLED:
                    self._count(flags)
                mujoco.mj_step2(model, data)
        finally:
            self._stepping = False
            before, self._time = self._time, data.time
        if data.time < before + 0.5 * count * model.opt.timestep:
            told = "MuJoCo found the model unstable and has reset it"
            raise StepError(f"{told}; light bodies across taut ropes need a smaller step")

    def _count(self, flags: int) -> None:
        """Count what a step tells of itself, and warn of the first body that is too swift."""
        self.unsettled += flags & UNSETTLED > 0
        if flags & SWIFT and not self.swift:
            told = "a light body swings across its taut rope faster than the step follows"
            warn(f"{told}: energy may grow; give a smaller timestep", stacklevel=3)
        self.swift += flags & SWIFT > 0

    def passive(self, model: Any, data: Any) -> None:
        """Add the forces of explicit ropes without losses: for ``mujoco.set_mjcb_passive``.

        Other models, for which MuJoCo calls it as well, are left alone. Raises SpecError for a rope
        with losses, and StepError for a step above ``longest_step``.
        """
        if data._address != self._data._address or self._stepping:
            return
        if self.ropes.row_node.max() >= 0:
            raise SpecError("losses of ropes are not known to the callback; use MujocoRopes.step")
        self._world.time[:] = model.opt.timestep, data.time - self._time
        self._time = data.time
        self._run(self._pin.handle, EXPLICIT)
        if model.opt.timestep >= self.longest_step:
            told = f"timestep = {model.opt.timestep:g} s is not allowed with explicit ropes"
            most = f"{self.longest_step:.3g} s"
            raise StepError(f"{told}; it must be below {most}, or use MujocoRopes.step")

    @property
    def longest_step(self) -> float:
        """Step from which on the last explicit forces are unstable [s]."""
        return float(self.ropes.longest.min())

    def command(self, winch: str, speed: float, acceleration: float = math.inf) -> None:
        """Set the speed at which a winch pays out [m/s], and the largest change of it [m/s^2].

        It holds until the next command. Raises CommandError for an unknown winch, a speed that is
        not finite, and an acceleration that is not above 0.
        """
        if winch not in self._winches:
            known = dict.fromkeys(name for name in self._winches if name)
            raise CommandError(unknown("winch", winch, known))
        if not math.isfinite(speed):
            raise CommandError(f"speed = {speed} m/s is not allowed; it must be finite")
        if not acceleration > 0.0:
            raise CommandError(f"acceleration = {acceleration} is not allowed; it must be above 0")
        turned = [c for c, name in enumerate(self._winches) if name == winch]
        self.ropes.command[turned] = speed
        self.ropes.ramp[turned] = acceleration

    def read(self, name: str) -> RopeReading:
        """Return the readings of a rope in the last step; raise CommandError for an unknown one.

        Lengths are those at its start, as MuJoCo's own readings are.
        """
        if name not in self._cables:
            raise CommandError(unknown("rope", name, self._cables))
        c = list(self._cables).index(name)
        ropes = self.ropes
        spans = np.arange(ropes.node_start[c], ropes.node_start[c + 1] - 1)
        first, *rest = range(ropes.row_start[c], ropes.row_start[c + 1])
        tension = np.full(spans.size, ropes.tension[first])
        for r in rest:
            node = ropes.row_node[r]
            tension += ropes.tension[r] * ((spans >= node) - ropes.share[node])
        path, length = float(ropes.path[c]), float(ropes.length[c])
        resolved = bool(ropes.resolved[c])
        stiffness = float(ropes.ea[c]) / length
        strain = max(path - length, 0.0)
        if not resolved:  # a part of it that the step takes back at once has no force
            strain = min(strain, float(ropes.tension[first]) / stiffness)
        energy = 0.5 * stiffness * strain**2
        return RopeReading(tension, path, length, max(length - path, 0.0), energy, resolved)


def _check_cables(cables: Sequence[Cable]) -> None:
    """Raise SpecError for what ropes in other engines have not."""
    names = [cable.name for cable in cables]
    if not names:
        raise SpecError("cables: give one at least")
    for cable in cables:
        given = [name for name in LEFT_OUT.split() if is_given(cable, name)]
        given += [] if cable.pulls_only else ["pulls_only"]
        given += ["winch.drum"] if cable.winch and cable.winch.drum else []
        for wheel in cable.wheels:
            if wheel.inertia or wheel.tension_behind is not None:
                given.append("inertia or tension_behind of a wheel")
        if given:
            raise SpecError(f"cable {cable.name!r}: {given[0]} is not known to ropes in MuJoCo")
        if cable.axial_rigidity is None:
            raise SpecError(f"cable {cable.name!r}: ea is missing; give an ea or a rope")
        if names.count(cable.name) > 1:
            raise SpecError(f"cable {cable.name!r} is there twice; names must differ")


def _check_integrator(model: Any) -> None:
    """Raise SpecError for an integrator whose step is another one, and for sleeping bodies."""
    name = mujoco.mjtIntegrator(model.opt.integrator).name
    if name not in KNOWN:
        raise SpecError(f"integrator {name} is not known to ropes; known are {', '.join(KNOWN)}")
    if model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP:
        raise SpecError("sleep: bodies on ropes can't sleep; leave the flag out")


def _find_frame(model: Any, name: str, field: str) -> Place:
    """Return the frame of a site or body; raise SpecError, with all names, for another name."""
    site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, name)
    if site >= 0:
        return int(model.site_bodyid[site]), model.site_pos[site], model.site_quat[site]
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    if body >= 0:
        return body, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    sites = ", ".join(filter(None, (model.site(i).name for i in range(model.nsite))))
    bodies = ", ".join(filter(None, (model.body(i).name for i in range(model.nbody))))
    known = f"sites {sites or 'none'}; bodies {bodies}"
    raise SpecError(f"{field}: {name!r} is no site and no body of the model; known are {known}")


def _mobility(model: Any, nodes: NodeState) -> NDArray[np.float64]:
    """Return about 1/m of the bodies at nodes (n,), as MuJoCo has it at its start [1/kg]."""
    weight = model.body_invweight0[nodes.body]
    reach = nodes.point - model.body_ipos[nodes.body]
    return np.asarray(weight[:, 0] + (reach**2).sum(axis=1) * weight[:, 1])


def _joint_tree(model: Any, data: Any, bodies: Sequence[int]) -> JointTree:
    """Return MuJoCo's arrays, for nodes on some bodies."""
    last = []
    for b in bodies:
        while b and not model.body_dofnum[b]:
            b = model.body_parentid[b]
        last.append(model.body_dofadr[b] + model.body_dofnum[b] - 1 if b else -1)
    roots = np.array([model.body_rootid[b] for b in bodies], np.int64)
    of_model = model.dof_parentid, model.M_rownnz, model.M_rowadr, model.M_colind
    of_data = data.qLD, data.qLDiagInv, data.cdof, data.subtree_com
    return JointTree(roots, np.array(last, np.int64), *of_model, *of_data)
