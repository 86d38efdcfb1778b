"""Ropes of ours in a MuJoCo model."""

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from cable_sim.errors import SpecError, StepError, check_kind
from cable_sim.interchange.ropes.building import Place
from cable_sim.interchange.ropes.condensation import (
    couple_rows,
    pull_explicitly,
    solve_ropes,
    take_free,
)
from cable_sim.interchange.ropes.joints import JointTree, fill_joint_rows
from cable_sim.interchange.ropes.lengths import place_ropes
from cable_sim.interchange.ropes.records import Frames, Motion
from cable_sim.interchange.ropes.ropes import EngineRopes
from cable_sim.kernels.jit import kernel, machine_code
from cable_sim.kernels.pins import contents
from cable_sim.kernels.status import SOLVED
from cable_sim.spec import Cable

PLACE = 0
IMPLICIT = 1
EXPLICIT = 2
"""Goals of :func:`run_ropes`: lengths, or forces too."""
KNOWN = "mjINT_EULER", "mjINT_IMPLICIT", "mjINT_IMPLICITFAST"
"""Integrators whose step is that of ``condensation.py``."""


@kernel
def run_ropes(pin: Any, goal: int) -> int:
    """Place ropes, find their rows and tensions, and add their force; return status flags."""
    w = contents(pin)
    take_free(w.motion.acceleration, w.ropes)
    place_ropes(w)
    if goal == PLACE:
        return SOLVED
    fill_joint_rows(w, w.ropes)
    couple_rows(w.ropes)
    if goal == IMPLICIT:
        return solve_ropes(w)
    pull_explicitly(w)
    return SOLVED


class MujocoRopes(EngineRopes):
    """Ropes in a MuJoCo model: hoist ropes with falls, wheels, losses, slack and winches.

    Their force is part of ``qfrc_passive``. Readings are those of the last step, at whose start
    positions and lengths are, as MuJoCo's own.

    Parameters
    ----------
    model, data: MuJoCo's. The ropes are laid at the coordinates of the data.
    cables: massless, with ``ea``, ``stiffness`` or ``rope``, without torque. The ``body`` of a node
        is the name of a site or else of a body, in whose frame its position is [m]. A sheave or
        wheel has its losses; one with inertia is a ``Wheel`` on a body with a hinge. A winch
        follows its command, whatever its mass.

    Raises SpecError for what ropes here have not, unknown names and unknown integrators.
    """

    def __init__(self, model: Any, data: Any, cables: Sequence[Cable]) -> None:
        check_kind("model", model, mujoco.MjModel, "an MjModel")
        check_kind("data", data, mujoco.MjData, "the MjData of the model")
        self._model = model
        self._data = data
        self._stepping = False
        self._time = data.time
        check_integrator(model)
        mujoco.mj_fwdPosition(model, data)

        def locate(name: str, field: str) -> Place:
            return find_frame(model, name, field)

        nodes = [(node.body, f"cable {cable.name!r}") for cable in cables for node in cable.nodes]
        bodies = [find_frame(model, *node)[0] for node in nodes]
        tree = JointTree(
            np.array([model.body_rootid[b] for b in bodies], np.int64),
            np.array([last_coordinate(model, b) for b in bodies], np.int64),
            model.dof_parentid,
            model.M_rownnz,
            model.M_rowadr,
            model.M_colind,
            data.qLD,
            data.qLDiagInv,
            data.cdof,
            data.subtree_com,
        )
        frames = Frames(data.xpos, data.xquat)
        super().__init__(
            cables, locate, frames, Motion(data.qvel, data.qacc, data.qfrc_passive), tree
        )
        self._run = machine_code(run_ropes, self._pin, 0).call
        self.lay()

    def place(self) -> NDArray[np.float64]:
        """Place all ropes at the data's frames; return their rows as wrenches (r, n, 6)."""
        self._run(self._pin.handle, PLACE)
        return self.world.ropes.wrench

    def lay(self) -> None:
        """Lay all ropes anew at the data's coordinates, as their cables say, winches at rest."""
        mujoco.mj_fwdPosition(self._model, self._data)
        self._time = self._data.time
        super().lay()

    def step(self, count: int = 1) -> None:
        """Take steps of the model's ``timestep`` with implicit ropes, in place of ``mj_step``.

        Raises StepError where no tensions are found, SpecError for an unknown integrator.
        """
        model, data = self._model, self._data
        check_integrator(model)
        self.world.step[0] = model.opt.timestep
        if data.time != self._time:  # set back: the last acceleration is not that before this step
            self.world.ropes.tension[:] = 0.0
        self._stepping = True
        try:
            for _ in range(count):
                mujoco.mj_step1(model, data)
                self._check(self._run(self._pin.handle, IMPLICIT))
                mujoco.mj_step2(model, data)
        finally:
            self._stepping = False
            self._time = data.time

    def passive(self, model: Any, data: Any) -> None:
        """Add the forces of explicit ropes without losses: for ``mujoco.set_mjcb_passive``.

        Other models, which MuJoCo calls it for as well, are left alone. Raises SpecError for a rope
        with losses, StepError for a step above ``longest_step``.
        """
        if data._address != self._data._address or self._stepping:
            return
        ropes = self.world.ropes
        if ropes.row_node.size > ropes.winch.size:
            c = int(np.argmax(np.diff(ropes.row_start)))
            name = self._given[c].name
            raise SpecError(f"cable {name!r}: its losses need the stepper, MujocoRopes.step")
        self.world.step[:] = model.opt.timestep, data.time - self._time
        self._time = data.time
        self._run(self._pin.handle, EXPLICIT)
        if model.opt.timestep >= self.longest_step:
            told = f"timestep = {model.opt.timestep:g} s is not allowed with explicit ropes"
            raise StepError(
                f"{told}; it must be below {self.longest_step:.3g} s, or use MujocoRopes.step"
            )

    @property
    def longest_step(self) -> float:
        """Step from which on explicit ropes are unstable, of the last explicit forces [s]."""
        return float(self.world.ropes.longest.min())


def check_integrator(model: Any) -> None:
    """Raise SpecError for an integrator whose step is another one, and for sleeping bodies."""
    name = mujoco.mjtIntegrator(model.opt.integrator).name
    if name not in KNOWN:
        raise SpecError(f"integrator {name} is not known to ropes; known are {', '.join(KNOWN)}")
    if model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP:
        raise SpecError("sleep: bodies on ropes can't sleep; leave the flag out")


def find_frame(model: Any, name: str, field: str) -> Place:
    """Return the frame of a site or body; raise SpecError, with all names, for another name."""
    site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, name)
    if site >= 0:
        return int(model.site_bodyid[site]), model.site_pos[site], model.site_quat[site]
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
    if body >= 0:
        return body, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    sites = [model.site(i).name for i in range(model.nsite)]
    bodies = [model.body(i).name for i in range(model.nbody)]
    known = f"sites {', '.join(filter(None, sites)) or 'none'}; bodies {', '.join(bodies)}"
    raise SpecError(f"{field}: {name!r} is no site and no body of the model; known are {known}")


def last_coordinate(model: Any, b: int) -> int:
    """Return the last coordinate that moves a body, -1 for none."""
    while b and not model.body_dofnum[b]:
        b = model.body_parentid[b]
    return int(model.body_dofadr[b] + model.body_dofnum[b] - 1) if b else -1
