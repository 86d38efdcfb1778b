"""Operators of cranes that do what no one should: orders at random, and loads driven at what
stands around."""

import math
from typing import Any

import numpy as np
from transforms3d.quaternions import quat2mat

from cable_sim.cranes.crane import Axis, Suspension
from cable_sim.errors import CommandError
from cable_sim.machine.actuation import MODES, Mode
from cable_sim.machine.machine import Machine
from cable_sim.sim.observation import Observation

REPEAT = 0.25
"""Time between two repetitions of an order [s]; the watchdog acts after 0.5 s."""
BEYOND = 1.3
"""Largest order over what the axis allows [-]."""
Array = Any
Given = tuple[float, Mode, bool]
"""Value, mode and brake of an order."""


class Operator:
    """Gives random orders: every few seconds others."""

    def __init__(self, machine: Machine, seed: int) -> None:
        self.machine = machine
        self.random = np.random.default_rng(seed)
        self.orders: dict[str, Given] = {}
        self.until = 0.0
        self.repeat = 0.0

    def act(self) -> None:
        """Repeat the present orders, or think of others."""
        if self.machine.time >= self.until:
            self.until = self.machine.time + self.random.uniform(0.2, 6.0)
            self.machine.emergency_stop(self.random.random() < 0.05)
            self.machine.restart.reset()
            self.orders = self.think()
            self.repeat = self.machine.time
        if self.machine.time >= self.repeat:
            self.repeat += REPEAT
            for name, (value, mode, brake) in self.orders.items():
                self.machine.command(name, value, mode, brake)

    def think(self) -> dict[str, Given]:
        """Return other orders, of most axes; what gets none stops by the watchdog."""
        axes = self.machine.crane.axes
        return {axis.name: self.order(axis) for axis in axes if self.random.random() < 0.8}

    def order(self, axis: Axis) -> Given:
        """Return a value beyond what the axis allows, a mode, and now and then the brake."""
        driven = axis.drive in {drive.name for drive in self.machine.crane.scene.drives}
        modes = MODES if driven else [mode for mode in MODES if mode != "effort"]
        mode = modes[self.random.choice(len(modes))]
        if mode == "speed":
            value = self.random.uniform(-BEYOND, BEYOND) * axis.max_speed
        elif mode == "position":
            span = axis.upper - axis.lower
            value = self.random.uniform(axis.lower - 0.1 * span, axis.upper + 0.1 * span)
        elif mode == "lever":
            value = self.random.uniform(-BEYOND, BEYOND)
        else:
            limit = self.machine.simulator.drives[axis.drive].max_effort * axis.ratio
            value = self.random.choice([0.0, self.random.uniform(-BEYOND, BEYOND)]) * limit
        return float(value), mode, bool(self.random.random() < 0.1)


class Rammer(Operator):
    """Drives the load at what stands around, lets it go, or gives random orders.

    The hook goes along the horizontal way to a point in a shape, as the joints between the world
    and its trolley allow, and its load to the height of that point.
    """

    def __init__(self, machine: Machine, seed: int) -> None:
        super().__init__(machine, seed)
        scene = machine.crane.scene
        self.starts = {body.name: body for body in scene.bodies}
        self.joints = {joint.name: joint for joint in scene.joints}
        self.drives = {drive.name: drive for drive in scene.drives}
        self.target: tuple[Suspension, int, Array, float] | None = None
        self.acts = 0
        """Releases, hookings and turns of twistlocks so far."""

    def act(self) -> None:
        """Steer at the target at every repetition, or do as :class:`Operator` does."""
        steers = self.target is not None and self.machine.time < self.until
        if steers and self.machine.time >= self.repeat:
            self.orders |= self.steer()
        super().act()

    def think(self) -> dict[str, Given]:
        """Choose a target, silence, or random orders; now and then change what is held."""
        if self.random.random() < 0.05:
            self.handle()
        self.machine.reset_latches()
        hung = self.machine.crane.suspensions
        self.target = None
        chance = self.random.random()
        if chance < 0.05:
            return {}
        if chance < 0.3 or not hung:
            return super().think()
        self.until = self.machine.time + self.random.uniform(5.0, 30.0)
        chosen = hung[self.random.integers(len(hung))]
        shape = self.choose(chosen)
        inside = self.random.uniform(-1.0, 1.0, 3)
        self.target = chosen, shape, inside, self.random.uniform(0.3, BEYOND)
        return self.steer()

    def choose(self, hung: Suspension) -> int:
        """Return the nearest one of some shapes at random."""
        known = self.shapes(hung)
        some = [known[i] for i in self.random.integers(len(known), size=3)]
        seen = self.machine.seen
        load = seen.body(hung.load).position
        middles = [self.place(seen, shape, np.zeros(3)) for shape in some]
        return some[int(np.argmin([np.linalg.norm(one - load) for one in middles]))]

    def handle(self) -> None:
        """Let go, hook on or turn the twistlocks, as far as the machine allows."""
        machine = self.machine
        acts = [machine.let_go, machine.unhook, machine.hook_on]
        acts += [lambda: machine.twistlocks(True), lambda: machine.twistlocks(False)]
        try:
            acts[self.random.integers(len(acts))]()
        except CommandError:
            return
        self.acts += 1

    def shapes(self, hung: Suspension) -> list[int]:
        """Return the shapes with an extent that are not of the load and its hook."""
        model: Any = self.machine.simulator._running.model
        names = self.machine.simulator.names.shapes
        own = (hung.hook, hung.load)
        return [
            i
            for i, name in enumerate(names)
            if name not in own and 0.0 < np.abs(model.shapes.half[i]).max() < 1e6
        ] or [0]

    def place(self, seen: Observation, shape: int, inside: Array) -> Array:
        """Return a point (3,) in a shape, in the world [m]."""
        model: Any = self.machine.simulator._running.model
        place = model.pool.place[shape]
        point = place[0] + (inside * model.shapes.half[shape]) @ place[1:]
        body = int(model.pool.body[shape])
        if body == 0:
            return point
        pose = seen.body_orientation[body - 1], seen.body_position[body - 1]
        return quat2mat(pose[0]) @ point + pose[1]

    def steer(self) -> dict[str, Given]:
        """Return speeds of all axes towards the target, from which they stop there or beyond it."""
        assert self.target is not None
        hung, shape, inside, haste = self.target
        machine = self.machine
        seen = machine.seen
        way = self.place(seen, shape, inside) - seen.body(hung.load).position
        speeds: dict[str, float] = {}
        columns: dict[str, Array] = {}
        for axis in machine.crane.axes:
            if "hoist" in axis.name and axis.name.startswith(hung.name):
                speeds[axis.name] = float(np.clip(-0.5 * way[2], -1.0, 1.0)) * axis.max_speed
                continue
            column = self.column(seen, axis, hung)
            if column is not None:
                columns[axis.name] = column
        if columns:
            matrix = np.array([*columns.values()]).T
            wanted = np.linalg.lstsq(matrix, way[:2], rcond=1e-6)[0]
            for name, left in zip(columns, wanted.tolist(), strict=True):
                axis = machine.crane.axis(name)
                most = min(math.sqrt(2.0 * axis.max_acceleration * abs(left)), axis.max_speed)
                speeds[name] = math.copysign(haste * most, left)
        return {name: (speed, "speed", False) for name, speed in speeds.items()}

    def column(self, seen: Observation, axis: Axis, hung: Suspension) -> Array | None:
        """Return the velocity (2,) of the trolley for a unit of the axis' speed, level; None of an
        axis that does not move it by a joint."""
        drive = self.drives.get(axis.drive)
        joint = self.joints.get(drive.on) if drive else None
        if joint is None or joint.kind not in ("hinge", "prismatic"):
            return None
        if not self.carries(joint.child, hung.trolley):
            return None
        point = np.array(joint.point)
        along = np.array(joint.axis) / np.linalg.norm(joint.axis)
        if joint.parent != "world":
            start = self.starts[joint.parent]
            now = seen.body(joint.parent)
            turn = quat2mat(now.orientation) @ quat2mat(start.orientation).T
            point = turn @ (point - np.array(start.position)) + now.position
            along = turn @ along
        if joint.kind == "prismatic":
            return along[:2] * axis.ratio
        return np.cross(along, seen.body(hung.trolley).position - point)[:2] * axis.ratio

    def carries(self, body: str, other: str) -> bool:
        """Return True if a body is another one, or bears it by joints."""
        parents = {joint.child: joint.parent for joint in self.joints.values()}
        while other != body and other in parents:
            other = parents[other]
        return other == body
