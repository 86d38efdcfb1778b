"""Loads that come and go while a crane runs.

A load is a free body at the end of the scene's bodies. Ball joints on it, open at first, stand for
a shackle at each hook: attached to the hook, the load hangs there. With every load that comes or
goes the machine is built anew, in some 40 ms, and continues from the state of the old one.
"""

import dataclasses
from typing import NamedTuple

import numpy as np
from transforms3d.quaternions import rotate_vector

from cable_sim.cranes.crane import Crane
from cable_sim.errors import CommandError, suggestion
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.kernels.records.machine import MachineState
from cable_sim.machine.machine import Machine
from cable_sim.machine.pictures.extents import block, half_height
from cable_sim.machine.placing import check_room
from cable_sim.sim.changes.model_change import ModelOfCable
from cable_sim.spec import Body, Box, BoxContact, Joint, Obstacle, Scene, Visual
from cable_sim.spec.quantities import Vector

REACH = 0.5
"""Largest distance of a hook from the top of a load that it is attached to [m]."""
MOST = 20
"""Largest number of loads at a time."""


class Load(NamedTuple):
    """A free body and what is drawn with it."""

    body: Body
    visuals: tuple[Visual, ...] = ()


class Loads:
    """Loads of a crane that are not in its file, by name."""

    def __init__(self, crane: Crane) -> None:
        self._own = frozenset(body.name for body in crane.scene.bodies)
        self._carried = frozenset(hung.load for hung in crane.suspensions)
        self._collision = crane.scene.collision
        self._hooks = tuple(dict.fromkeys(hung.hook for hung in crane.suspensions))
        self._points = {name: _hook_point(crane.scene, name) for name in self._hooks}
        self._start = {
            name: _start_point(crane.scene, name, at) for name, at in self._points.items()
        }
        self._held: dict[str, Load] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the loads, the oldest first."""
        return tuple(self._held)

    def with_loads(self, crane: Crane) -> Crane:
        """Return the crane with the loads in its scene."""
        if not self._held:
            return crane
        held = self._held.values()
        collision = crane.scene.collision
        if collision:  # the poses of the start are those of long ago
            collision = dataclasses.replace(collision, pushed=(*collision.pushed, *self._held))
        scene = dataclasses.replace(
            crane.scene,
            collision=collision,
            contacts=(*crane.scene.contacts, *self._contacts(crane.scene)),
            obstacles=self._obstacles(crane.scene),
            bodies=(*crane.scene.bodies, *(load.body for load in held)),
            joints=(*crane.scene.joints, *(j for load in held for j in self._shackles(load.body))),
            visuals=(*crane.scene.visuals, *(v for load in held for v in load.visuals)),
        )
        return dataclasses.replace(crane, scene=scene)

    def spawn(self, machine: Machine, load: Load, stepper: str) -> Machine:
        """Return a machine that continues as this one, with a further load.

        Raises CommandError for a name that is taken, a place in the ground, and one too many.
        """
        name = load.body.name
        if name in machine.simulator.names.bodies:
            raise CommandError(f"load {name!r}: the name is taken")
        if len(self._held) == MOST:
            raise CommandError(f"load {name!r}: there are {MOST} already, which is the most")
        self._held[name] = load
        try:
            made = continue_as(machine, self.with_loads(self._plain(machine, name)), stepper)
            check_room(made.simulator, (name,))
        except BaseException:
            del self._held[name]
            raise
        return made

    def delete(self, machine: Machine, name: str, stepper: str) -> Machine:
        """Return a machine that continues as this one, without that load.

        Raises CommandError for a name that no load has.
        """
        if name in self._own:
            raise CommandError(
                f"{name!r} is a part of the crane: only spawned loads can be deleted"
            )
        if name not in self._held:
            known = ", ".join(self._held) or "none"
            raise CommandError(
                f"load {name!r} is not known{suggestion(name, self._held)}; known are {known}"
            )
        plain = self._plain(machine)
        kept = {own: load for own, load in self._held.items() if own != name}
        self._held = kept
        return continue_as(machine, self.with_loads(plain), stepper)

    def clear(self, machine: Machine, stepper: str) -> Machine:
        """Return a machine that continues as this one, without any load."""
        if not self._held:
            return machine
        plain = self._plain(machine)
        self._held = {}
        return continue_as(machine, plain, stepper)

    def attach(self, machine: Machine) -> str:
        """Attach the nearest load to a hook, as by a shackle; return its name.

        Raises CommandError if no hook is free or within :data:`REACH` of the top of a load.
        """
        return machine.rig(lambda: self._attach(machine), "load attached")

    def _attach(self, machine: Machine) -> str:
        """Do :meth:`attach` without a note."""
        if not self._held:
            raise CommandError("attach: there is no load to attach; spawn one")
        seen = machine.observe()
        busy = {hook for hook, name in self._pairs() if not seen.joint(f"{hook}_{name}").open}
        free = [
            (self._distance(machine, hook, name), hook, name)
            for hook, name in self._pairs()
            if hook not in busy and all(seen.joint(f"{h}_{name}").open for h in self._hooks)
        ]
        if not free:
            raise CommandError(
                "attach: every hook or every load is attached already; release one first"
            )
        away, hook, name = min(free)
        if away > REACH:
            raise CommandError(
                f"attach: the top of {name!r} is {away:.3g} m from {hook!r}, and at most "
                f"{REACH:g} m are allowed"
            )
        machine.simulator.lock(f"{hook}_{name}")
        return name

    def let_go(self, machine: Machine) -> tuple[str, ...]:
        """Let go of the loads on all hooks; return their names.

        Raises CommandError if none is attached.
        """
        return machine.rig(lambda: self._let_go(machine), "load released")

    def _let_go(self, machine: Machine) -> tuple[str, ...]:
        """Do :meth:`let_go` without a note."""
        seen = machine.observe()
        held = [(h, name) for h, name in self._pairs() if not seen.joint(f"{h}_{name}").open]
        if not held:
            raise CommandError("attach: no load is attached")
        for hook, name in held:
            machine.simulator.unlock(f"{hook}_{name}")
        return tuple(name for _, name in held)

    def _pairs(self) -> list[tuple[str, str]]:
        """Return all pairs of a hook and a load."""
        return [(hook, name) for hook in self._hooks for name in self._held]

    def _distance(self, machine: Machine, hook: str, name: str) -> float:
        """Return the distance of a hook from the top of a load [m]."""
        seen = machine.seen
        own = seen.body(hook)
        load = seen.body(name)
        top = _top(self._held[name].body)
        there = load.position + rotate_vector(top, load.orientation)
        here = own.position + rotate_vector(self._points[hook], own.orientation)
        return float(np.linalg.norm(there - here))

    def _shackles(self, body: Body) -> list[Joint]:
        """Return the open joints of a load, one for each hook."""
        top = _top(body)
        return [
            Joint(f"{hook}_{body.name}", "ball", body.name, hook, point, open=True, seat=top)
            for hook, point in self._start.items()
        ]

    def _contacts(self, scene: Scene) -> list[BoxContact]:
        """Return the contacts of loads that are boxes: with what the crane's own load touches.

        With that load and one another, too. There are none where the own load touches no boxes.
        """
        own = [
            contact for contact in scene.contacts if self._carried & {contact.box, *contact.others}
        ]
        met = dict.fromkeys(name for contact in own for name in (contact.box, *contact.others))
        found = []
        for name, load in self._held.items():
            if own and isinstance(load.body.shape, Box):
                found.append(dataclasses.replace(own[0], box=name, others=tuple(met)))
                met[name] = None
        return found

    def _obstacles(self, scene: Scene) -> tuple[Obstacle, ...]:
        """Return the obstacles; those that stop bodies stop the loads that have a shape, too."""
        touched = {name for cable in scene.cables for name in cable.touches}
        shaped = tuple(name for name, load in self._held.items() if load.body.shape is not None)

        return tuple(
            dataclasses.replace(o, stops=(*o.stops, *shaped))
            if o.stops or (o.stops_bodies and o.name in touched)
            else o
            for o in scene.obstacles
        )

    def _plain(self, machine: Machine, new: str = "") -> Crane:
        """Return the machine's crane, as it is tuned, without loads."""
        scene = machine.crane.scene
        names = self._held.keys() - {new}
        plain = dataclasses.replace(
            scene,
            collision=self._collision,
            bodies=tuple(body for body in scene.bodies if body.name not in names),
            joints=tuple(joint for joint in scene.joints if joint.child not in names),
            contacts=tuple(contact for contact in scene.contacts if contact.box not in names),
            obstacles=tuple(
                dataclasses.replace(o, stops=tuple(name for name in o.stops if name not in names))
                for o in scene.obstacles
            ),
            visuals=tuple(visual for visual in scene.visuals if visual.body not in names),
        )
        return dataclasses.replace(machine.crane, scene=plain)


def continue_as(machine: Machine, crane: Crane, stepper: str) -> Machine:
    """Return a machine of a crane with other free bodies, at the state of this one.

    Commands, limiters, faults, winds, counters and notices go on, too.
    """
    made = Machine(
        crane,
        machine.simulator.dt,
        machine.substeps,
        machine.command_timeout,
        stepper,
        machine.wind,
    )
    made.simulator.continue_from(machine.simulator)
    saved = machine.save()
    own = made.save()
    made.restore(
        saved._replace(
            simulator=own.simulator,
            slack=own.slack,
            machine=_carry_pushes(machine, made, saved.machine, own.machine),
        )
    )
    made.simulator.report = machine.simulator.report
    made.counts = machine.counts
    made.notices = machine.notices
    return made


def change_model(machine: Machine, rope: str, model: ModelOfCable, stepper: str) -> Machine:
    """Return a machine that continues as this one, with another model of a rope.

    The rope has that model also where it is slack.

    Raises SpecError and CommandError as ``Simulator.change_model`` does.
    """
    crane = dataclasses.replace(
        machine.crane,
        scene=machine.simulator.change_scene(rope, model),
        when_slack=tuple(p for p in machine.crane.when_slack if p.taut.name != rope),
    )
    return continue_as(machine, crane, stepper)


def _carry_pushes(
    before: Machine, after: Machine, saved: MachineState, own: MachineState
) -> MachineState:
    """Return the saved state of a machine for one with other bodies."""
    old, new = (machine.simulator.names.bodies for machine in (before, after))
    both = [name for name in old if name in new]
    rows = [1 + old.index(name) for name in both]
    carried = []
    for name, values, into in zip(
        MachineState._fields, arrays_of(saved), arrays_of(own), strict=True
    ):
        if name.startswith("push"):
            into[[1 + new.index(name) for name in both]] = values[rows]
            carried.append(into)
        else:
            carried.append(values)
    return MachineState(*carried)


def _top(body: Body) -> Vector:
    """Return the point of a load, in its frame [m], by which it hangs: above its centre of mass."""
    if body.shape is None:
        return 0.0, 0.0, 0.0
    solid = block(body.shape)
    return 0.0, 0.0, float(solid.corners[:, 2].max())


def _hook_point(scene: Scene, hook: str) -> Vector:
    """Return the point of a hook, in its frame [m], at which a load hangs: its underside."""
    (body,) = (body for body in scene.bodies if body.name == hook)
    return 0.0, 0.0, -half_height(body)


def _start_point(scene: Scene, hook: str, point: Vector) -> Vector:
    """Return the place in the world, at the start, of a point of a hook [m]."""
    (body,) = (body for body in scene.bodies if body.name == hook)
    x, y, z = np.asarray(body.position) + rotate_vector(point, body.orientation)
    return float(x), float(y), float(z)
