"""Ropes as the arrays that the kernels take, one rope each, for the tests."""

from types import SimpleNamespace

import numpy as np

from cable_sim.kernels.cables.particles import chain, chain_elimination, lumped
from cable_sim.kernels.records.arrays import record_of
from cable_sim.kernels.records.ropes import ParticleState, Ropes, RopeWork

GRAVITY = (0.0, 0.0, -9.81)


def one(value) -> np.ndarray:
    """A model array with the value of the only rope; read-only, as in the engine."""
    array = np.array([value])
    array.setflags(write=False)
    return array


PREPARED = (
    "particle_mobility",
    "particle_slowing",
    "segment_diagonal",
    "segment_rate_share",
    "segment_recovery",
    "segment_rate",
    "segment_free_rate",
    "segment_impulse",
)


class Chain(SimpleNamespace):
    """A multibody chain with workspace; ``step`` moves attached ends with ``end_velocity``."""

    def __init__(
        self,
        position,
        mass,
        rest,
        attached=(False, False),
        ea=np.inf,
        gamma=0.0,
        air=0.0,
        ground=None,
        friction=0.0,
        gravity=GRAVITY,
        pull_only=False,
    ):
        position = np.array(position, float)
        n = len(position)
        inverse = 1.0 / np.broadcast_to(np.asarray(mass, float), n)
        inverse[[i for i, held in zip((0, -1), attached, strict=True) if held]] = 0.0
        point, normal = ground or ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        super().__init__(
            h=None,
            gravity=gravity,
            n=n,
            start=np.array([0, n]),
            attached=one(attached),
            compliance=one(1.0 / ea),
            gamma=one(gamma),
            pull_only=one(pull_only),
            air=one(air),
            point=one(point),
            normal=one(normal),
            friction=one(friction),
            inverse=inverse,
            rest=np.append(np.broadcast_to(rest, n - 1), np.nan),
            x=position,
            v=np.zeros((n, 3)),
            end_velocity=np.zeros((1, 2, 3)),
            impulse=np.zeros(n),
            end_impulse=np.zeros((1, 2)),
            middle_fill=np.full((1, 2), np.nan),
            length=np.full(n, np.nan),
            direction=np.full((n, 3), np.nan),
            demand=np.full(n, np.nan),
            fill=np.full(n, np.nan),
            share=np.full(n, np.nan),
            active=np.zeros((1, 2), bool),
            softness=np.full((1, 2), np.nan),
            end_demand=np.full((1, 2), np.nan),
            coupling=np.full(1, np.nan),
        )

    @property
    def records(self):
        """Ropes, particles and scratch, of the arrays as they are now."""
        ropes = record_of(
            Ropes,
            start=self.start,
            attached=self.attached,
            compliance=self.compliance,
            damping_time=self.gamma,
            pull_only=self.pull_only,
            air_friction=self.air,
            ground_point=self.point,
            ground_normal=self.normal,
            ground_friction=self.friction,
            particle_inverse_mass=self.inverse,
            segment_rest_length=self.rest,
        )
        work = record_of(
            RopeWork,
            end_velocity=self.end_velocity,
            end_impulse=self.end_impulse,
            **{name: np.full(len(self.x), np.nan) for name in PREPARED},
            segment_state=np.full(len(self.x), -1),
            segment_catch=np.full((len(self.x), 2), np.nan),
            middle_fill=self.middle_fill,
            segment_length=self.length,
            segment_direction=self.direction,
            segment_demand=self.demand,
            segment_fill=self.fill,
            segment_share=self.share,
            end_active=self.active,
            end_softness=self.softness,
            end_demand=self.end_demand,
            end_coupling=self.coupling,
        )
        return ropes, ParticleState(self.x, self.v, self.impulse), work

    def condense(self, h):
        """The forward sweep of a step of ``h`` [s]."""
        ropes, particles, work = self.records
        chain.prepare(h, 0, ropes, work)
        chain.condense(h, self.gravity, 0, True, ropes, particles, work)
        self.work = work

    def resolve(self):
        """Impulses of the segments from those of the end rows."""
        ropes, particles, _ = self.records
        self.work.end_impulse[:] = self.end_impulse
        chain_elimination.solve_segments(0, ropes, self.work)
        chain.take_impulses(0, ropes, self.work, particles)

    def run(self, h, count=1):
        """Steps with ends that are free or move with ``end_velocity``."""
        return chain.run(h, count, self.gravity, *self.records)


class Springs(SimpleNamespace):
    """A rope of masses and springs; ``run`` moves held ends with ``end_velocity``."""

    def __init__(
        self,
        position,
        mass,
        rest,
        stiffness,
        friction=0.0,
        held=(False, False),
        air=0.0,
        objective=False,
        pull_only=False,
        bending=0.0,
        ground=None,
        repulsion=100.0,
        absorption=2.0,
        slide=0.0,
        gravity=GRAVITY,
    ):
        position = np.array(position, float)
        n = len(position)
        point, normal = ground or ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        super().__init__(
            gravity=gravity,
            n=n,
            start=np.array([0, n]),
            held=one(held),
            stiffness=one(stiffness),
            rest=one(rest),
            friction=one(friction),
            air=one(air),
            objective=one(objective),
            pull_only=one(pull_only),
            bending=one(bending),
            point=one(point),
            normal=one(normal),
            repulsion=one(repulsion),
            absorption=one(absorption),
            slide=one(slide),
            mass=np.array(np.broadcast_to(float(mass), n)),
            x=position,
            v=np.zeros((n, 3)),
            force=np.full((n, 3), np.nan),
            end_velocity=np.zeros((1, 2, 3)),
            end_force=np.zeros((1, 2, 3)),
        )

    def records(self, largest_step, x=None, v=None):
        """Ropes and scratch, of the arrays as they are now, or with other places and velocities."""
        ropes = record_of(
            Ropes,
            start=self.start,
            attached=self.held,
            largest_step=np.full(len(self.held), largest_step),
            stiffness=self.stiffness,
            rest_length=self.rest,
            friction=self.friction,
            air_friction=self.air,
            objective=self.objective,
            pull_only=self.pull_only,
            bending=self.bending,
            ground_point=self.point,
            ground_normal=self.normal,
            repulsion=self.repulsion,
            absorption=self.absorption,
            ground_friction=self.slide,
            particle_mass=self.mass,
        )
        return ropes, record_of(
            RopeWork,
            particle_position=self.x if x is None else x,
            particle_velocity=self.v if v is None else v,
            particle_force=self.force,
            end_velocity=self.end_velocity,
            end_force=self.end_force,
        )

    def forces(self, x=None, v=None):
        """Forces on the masses but for the ground's [N]."""
        lumped.compute_forces(0, self.gravity, *self.records(1.0, x, v))
        return self.force.copy()

    def run(self, h, count=1):
        """``count`` steps of ``h`` [s]."""
        for _ in range(count):
            lumped.run(h, self.gravity, 0, len(self.held), *self.records(2.0 * h))

    def energies(self, x=None):
        """Kinetic, weight, stretch, bending and ground [J]."""
        x = self.x if x is None else x
        ropes, _ = self.records(1.0)
        motion = lumped.motion_energies(0, self.gravity, ropes, x, self.v)
        return *motion, *lumped.sum_elastic_energies(0, ropes, x)

    def tensions(self):
        """Of the segments [N]."""
        found = np.full(len(self.x), np.nan)
        ropes, _ = self.records(1.0)
        particles = ParticleState(self.x, self.v, np.zeros(self.n))
        lumped.compute_tensions(len(self.start) - 1, ropes, particles, found)
        return found[:-1]
