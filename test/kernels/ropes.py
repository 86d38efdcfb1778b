"""Ropes as the arrays that the kernels take, one rope each, for the tests."""

from types import SimpleNamespace

import numpy as np

GRAVITY = (0.0, 0.0, -9.81)


def one(value) -> np.ndarray:
    """A model array with the value of the only rope; read-only, as in the engine."""
    array = np.array([value])
    array.setflags(write=False)
    return array


class Chain(SimpleNamespace):
    """A multibody chain with workspace; ``step`` moves attached ends with ``end_velocity``."""

    def __init__(self, position, mass, rest, attached=(False, False), ea=np.inf, gamma=0.0, air=0.0,
                 ground=None, friction=0.0, gravity=GRAVITY):  # fmt: skip
        position = np.array(position, float)
        n = len(position)
        inverse = 1.0 / np.broadcast_to(np.asarray(mass, float), n)
        inverse[[i for i, held in zip((0, -1), attached, strict=True) if held]] = 0.0
        point, normal = ground or ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        super().__init__(
            h=None, gravity=gravity, n=n, start=np.array([0, n]), attached=one(attached), compliance=one(1.0 / ea),
            gamma=one(gamma), air=one(air), point=one(point), normal=one(normal), friction=one(friction),
            inverse=inverse, rest=np.append(np.broadcast_to(rest, n - 1), np.nan), x=position, v=np.zeros((n, 3)),
            end_velocity=np.zeros((1, 2, 3)), impulse=np.zeros(n), end_impulse=np.zeros((1, 2)),
            free=np.full((n, 3), np.nan), direction=np.full((n, 3), np.nan), demand=np.full(n, np.nan),
            fill=np.full(n, np.nan), share=np.full(n, np.nan), active=np.zeros((1, 2), bool),
            softness=np.full((1, 2), np.nan), end_demand=np.full((1, 2), np.nan), coupling=np.full(1, np.nan),
        )  # fmt: skip

    def condense(self, h):
        """The forward sweep of a step of ``h`` [s]."""
        from cable_sim.kernels.cables import chain

        chain.condense(
            h, self.gravity, self.start, self.attached, self.compliance, self.gamma, self.air, self.inverse,
            self.rest, self.x, self.v, self.free, self.direction, self.demand, self.fill, self.share, self.active,
            self.softness, self.end_demand, self.coupling,
        )  # fmt: skip

    def resolve(self):
        """Impulses of the segments from those of the end rows."""
        from cable_sim.kernels.cables import chain

        chain.resolve(self.start, self.attached, self.demand, self.fill, self.share, self.end_impulse, self.impulse)

    def run(self, h, count=1):
        """Steps with ends that are free or move with ``end_velocity``."""
        from cable_sim.kernels.cables import chain

        return chain.run(
            h, count, self.gravity, self.start, self.attached, self.compliance, self.gamma, self.air, self.point,
            self.normal, self.friction, self.inverse, self.rest, self.end_velocity, self.x, self.v, self.impulse,
            self.end_impulse, self.free, self.direction, self.demand, self.fill, self.share, self.active,
            self.softness, self.end_demand, self.coupling,
        )  # fmt: skip
