"""The tutorial's rope in plain Python, written from its text (NeHe lesson 40): its classes, its
order, its y up."""

import math


class Mass:
    """A mass of lesson 39: force, then velocity, then position with the new velocity."""

    def __init__(self, m):
        self.m, self.pos, self.vel, self.force = m, [0.0] * 3, [0.0] * 3, [0.0] * 3

    def apply(self, force):
        self.force = [a + b for a, b in zip(self.force, force, strict=True)]

    def simulate(self, dt):
        self.vel = [v + (f / self.m) * dt for v, f in zip(self.vel, self.force, strict=True)]
        self.pos = [p + v * dt for p, v in zip(self.pos, self.vel, strict=True)]


class Rope:
    """RopeSimulation, with the constants of Physics2Application.cpp."""

    def __init__(
        self,
        count=80,
        m=0.05,
        k=10000.0,
        length=0.05,
        inner=0.2,
        gravity=(0.0, -9.81, 0.0),
        air=0.02,
        repulsion=100.0,
        slide=0.2,
        absorption=2.0,
        height=-1.5,
    ):
        self.k, self.length, self.inner, self.gravity, self.air = k, length, inner, gravity, air
        self.repulsion = repulsion
        self.slide = slide
        self.absorption = absorption
        self.height = height
        self.masses = [Mass(m) for _ in range(count)]
        for i, mass in enumerate(self.masses):
            mass.pos = [i * length, 0.0, 0.0]
        self.hand, self.hand_velocity = [0.0] * 3, [0.0] * 3

    def springs(self):
        for one, two in zip(self.masses[:-1], self.masses[1:], strict=True):
            reach = [a - b for a, b in zip(one.pos, two.pos, strict=True)]
            r = math.sqrt(reach[0] * reach[0] + reach[1] * reach[1] + reach[2] * reach[2])
            force = [0.0] * 3
            if r != 0.0:
                force = [
                    f + -(d / r) * (r - self.length) * self.k
                    for f, d in zip(force, reach, strict=True)
                ]
            drift = [a - b for a, b in zip(one.vel, two.vel, strict=True)]
            force = [f + -d * self.inner for f, d in zip(force, drift, strict=True)]
            one.apply(force)
            two.apply([-f for f in force])

    def surroundings(self, mass):
        mass.apply([g * mass.m for g in self.gravity])
        mass.apply([-v * self.air for v in mass.vel])
        if mass.pos[1] < self.height:
            mass.apply([-mass.vel[0] * self.slide, 0.0, -mass.vel[2] * self.slide])
            if mass.vel[1] < 0.0:
                mass.apply([0.0, -mass.vel[1] * self.absorption, 0.0])
            mass.apply([0.0, self.repulsion * (self.height - mass.pos[1]), 0.0])

    def operate(self, dt):
        for mass in self.masses:
            mass.force = [0.0] * 3
        self.springs()
        for mass in self.masses:
            self.surroundings(mass)
        for mass in self.masses:
            mass.simulate(dt)
        self.hand = [p + v * dt for p, v in zip(self.hand, self.hand_velocity, strict=True)]
        if self.hand[1] < self.height:
            self.hand[1], self.hand_velocity[1] = self.height, 0.0
        self.masses[0].pos, self.masses[0].vel = list(self.hand), list(self.hand_velocity)

    def update(self, dt, largest=0.002):
        count = int(dt / largest) + 1
        for _ in range(count):
            self.operate(dt / count)
