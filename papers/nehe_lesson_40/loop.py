"""The tutorial's rope in plain Python, written from its text with its y axis turned to our z:
lists, no arrays.

Nothing of the package is used, so that what agrees with it was found twice.
"""

import math
from dataclasses import dataclass, field

Vector = list[float]

GRAVITY = 9.81


@dataclass
class Mass:
    """A mass of lesson 39 [kg, m, m/s, N]."""

    mass: float
    position: Vector
    velocity: Vector = field(default_factory=lambda: [0.0, 0.0, 0.0])
    force: Vector = field(default_factory=lambda: [0.0, 0.0, 0.0])

    def push(self, force: Vector) -> None:
        """``applyForce``."""
        for i in range(3):
            self.force[i] += force[i]

    def simulate(self, dt: float) -> None:
        """Velocity first, then position with the new velocity."""
        for i in range(3):
            self.velocity[i] += self.force[i] / self.mass * dt
            self.position[i] += self.velocity[i] * dt


class Loop:
    """``RopeSimulation`` with the constants of the tutorial's application; mass 0 is held where it
    is."""

    def __init__(
        self,
        count: int = 80,
        mass: float = 0.05,
        stiffness: float = 1e4,
        length: float = 0.05,
        friction: float = 0.2,
        air: float = 0.02,
        repulsion: float = 100.0,
        slide: float = 0.2,
        absorption: float = 2.0,
        height: float = -1.5,
    ) -> None:
        self.stiffness, self.length, self.friction, self.air = stiffness, length, friction, air
        self.repulsion = repulsion
        self.slide = slide
        self.absorption = absorption
        self.height = height
        self.masses = [Mass(mass, [i * length, 0.0, 0.0]) for i in range(count)]

    def forces(self) -> None:
        """Forces on all masses at their present places."""
        for mass in self.masses:
            mass.force = [0.0, 0.0, 0.0]
        for one, two in zip(self.masses, self.masses[1:], strict=False):
            force = self.spring(one, two)
            one.push(force)
            two.push([-f for f in force])
        for mass in self.masses:
            mass.push([0.0, 0.0, -GRAVITY * mass.mass])
            mass.push([-self.air * v for v in mass.velocity])
            if mass.position[2] < self.height:
                self.ground(mass)

    def spring(self, one: Mass, two: Mass) -> Vector:
        """Force on the first mass of a spring."""
        reach = [a - b for a, b in zip(one.position, two.position, strict=True)]
        r = math.sqrt(sum(x * x for x in reach))
        drift = [a - b for a, b in zip(one.velocity, two.velocity, strict=True)]
        pull = -self.stiffness * (r - self.length) / r if r != 0.0 else 0.0
        return [pull * x - self.friction * v for x, v in zip(reach, drift, strict=True)]

    def ground(self, mass: Mass) -> None:
        """Slide friction, absorption, repulsion."""
        mass.push([-self.slide * mass.velocity[0], -self.slide * mass.velocity[1], 0.0])
        if mass.velocity[2] < 0.0:
            mass.push([0.0, 0.0, -self.absorption * mass.velocity[2]])
        mass.push([0.0, 0.0, self.repulsion * (self.height - mass.position[2])])

    def frame(self, dt: float, largest: float = 0.002) -> None:
        """A frame of the application, in as many steps as it takes."""
        count = int(dt / largest) + 1
        for _ in range(count):
            self.forces()
            for mass in self.masses[1:]:
                mass.simulate(dt / count)
