"""Elastic beams: rigid bodies, the nodes, with cells that bend, twist and stretch between them.

A beam of the length L has N cells of the length h = L / N. In a cell that an end force F and, at
its middle, the moment M strain, the moment at x from the middle is M + F x. So its ends, taken as
rigid arms to the middle, turn and move there by

    theta = int (M + F x) / EI dx = M h / EI,
    delta = int (M + F x) x / EI dx = F h^3 / (12 EI):

no moment moves, and no force turns. A fixed joint in the middle of the cell with these
compliances, and h / GJ and h / EA along the beam, is therefore the beam of Euler and Bernoulli
itself: whatever loads its nodes, they are where its curve is, with a single cell as with many.

*Masses.* The kinetic energy int mu v^2 / 2 dx is a sum over the nodes by the rule of Euler and
Maclaurin,

    int f dx = h (f_0 / 2 + f_1 + ... + f_N / 2) - h^2 / 12 [f'] + h^4 / 720 [f'''],     f = v^2.

The second term couples speed v and turning rate v' of an end, as a body with the centre of mass
inside of the end does: an end node has the mass mu h / 2 at the distance a from the end. With
a = h / 6 that is this term, and a^2 v'^2 comes with it; with

    a = (L - sqrt(L^2 - 2 L h / 3)) / 2

the moment of inertia of the whole is that of the rod, mu L^3 / 12. What remains is of the order of
h^4, as v'' and v''' are zero at a free end. Turning, a node has the moment of inertia of its cross
section: per length, mu EI / EA about the axes across, and the sum of both along.

In a bent beam every cell stays straight but for its middle, so turns may be large as long as those
of one cell are small.
"""

import math
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, StrictBool
from transforms3d.quaternions import mat2quat

from cable_sim.errors import SpecError
from cable_sim.spec.air import Drag
from cable_sim.spec.bodies import Body
from cable_sim.spec.cables.nodes import Anchor
from cable_sim.spec.joints import Joint
from cable_sim.spec.quantities import Many, Name, NonNegative, Positive, Quaternion, Vector, spec
from cable_sim.spec.scene import GRAVITY
from cable_sim.spec.shapes.shapes import Box, Polyhedron

STEEL = 0.3
"""Poisson's ratio, for the torsion of a round tube."""
Share = Annotated[float, Field(strict=True, ge=0.0, le=1.0)]
CANTILEVER = 1.8751040687119611
"""First root of cos x cosh x = -1."""
NOTHING = (0.0, 0.0, 0.0)
PARALLEL = 1e-6
"""Sine of the angle at which two directions count as parallel."""


Array = NDArray[np.float64]


@spec
class Beam:
    """A straight beam of one cross section that bends, twists and stretches.

    ``bodies`` and ``joints`` are what a scene takes; ``at`` and ``anchor`` are where things are
    attached. The bodies are its nodes, NAME_0 at the start to NAME_N at the end. Its axes are x
    along, z as ``up`` leans, y across.

    Parameters
    ----------
    name: unique name; those of its nodes and joints begin with it.
    start, end: of its axis, in the world at the start of the run [m].
    ei_y: stiffness EI in bending about the y axis, that is up and down [N m^2].
    ei_z: in bending about the z axis, sideways [N m^2]; left out, ``ei_y``.
    gj: stiffness in torsion [N m^2]; left out, that of a round tube of steel.
    ea: stiffness in tension [N].
    density: mass per length [kg/m].
    elements: number of cells [-]. Four are right for the first mode to 0.1 %, ten for four modes to
        0.5 %.
    damping_ratio: of the first mode of the beam clamped at one end [-]; those of higher modes are
        more, in proportion to their frequencies. EN 1991-1-4 (table F.2) has 0.003 for welded and
        0.008 for bolted lattice towers.
    cd_width: drag coefficient times the width that wind across the beam meets [m]: of a lattice 1.2
        to 1.7 times its bars' area per length; 0 for none.
    carries: force [N] and moment [N m] on its end, in the world. Held at its start alone, it has a
        camber with which it is straight under them and its own weight; left out, it is straight
        without any load.
    loads: more that the camber is for: the fraction of the length where it is [-], force [N] and
        moment [N m] in the world, as a carriage on the ``rail`` gives them to the nodes.
    up: direction that the z axis leans to, in the world at the start [-].
    collides: of its nodes, see ``Body``; they are boxes of the section's stiffness.
    drawn: whether its nodes are drawn.
    color: of its nodes, red, green, blue in 0...1.
    """

    name: Name
    start: Vector
    end: Vector
    ei_y: Positive
    ea: Positive
    density: Positive
    ei_z: Positive | None = None
    gj: Positive | None = None
    elements: Annotated[int, Field(strict=True, ge=1, le=1000)] = 8
    damping_ratio: NonNegative = 0.005
    cd_width: NonNegative = 0.0
    carries: tuple[Vector, Vector] | None = None
    loads: Many[tuple[Share, Vector, Vector]] = ()
    up: Vector = (0.0, 0.0, 1.0)
    collides: StrictBool | None = None
    drawn: StrictBool = True
    color: Vector = (0.75, 0.75, 0.78)

    def __post_init__(self) -> None:
        along = np.subtract(self.end, self.start)
        if not along.any():
            raise ValueError(f"end: {self.end} is where it starts; a beam has a length")
        across = np.cross(self.up, along)
        if np.linalg.norm(across) <= PARALLEL * np.linalg.norm(self.up) * self.length:
            raise ValueError(
                f"up: {self.up} is along the beam or zero; allowed is what leans to its z axis"
            )
        for axis, side in zip("yz", self.sides[::-1], strict=True):
            if side > self.length:
                raise ValueError(
                    f"ei_{axis}: a section of this EI and EA is sqrt(12 EI / EA) = {side:.3g} m "
                    f"thick; allowed is up to the length of {self.length:.3g} m"
                )
        if self.thrust > self.euler_load:
            raise ValueError(
                f"carries: pushes along the beam with {self.thrust:.4g} N; allowed is up to "
                f"Euler's load of {self.euler_load:.4g} N, at which it buckles"
            )

    @property
    def length(self) -> float:
        """Length L [m]."""
        return math.dist(self.start, self.end)

    @property
    def cell(self) -> float:
        """Length h of a cell [m]."""
        return self.length / self.elements

    @property
    def sides(self) -> tuple[float, float]:
        """Width along y and height along z of a rectangle of the same EI and EA [m]."""
        about_z = self.ei_z or self.ei_y
        return math.sqrt(12.0 * about_z / self.ea), math.sqrt(12.0 * self.ei_y / self.ea)

    @property
    def euler_load(self) -> float:
        """Load along it at which it buckles, clamped at its start and free at its end [N]."""
        weakest = min(self.ei_y, self.ei_z or self.ei_y)
        return (0.5 * math.pi / self.length) ** 2 * weakest

    @property
    def thrust(self) -> float:
        """Push of what it carries along it, and of a third of its own weight [N]."""
        if self.carries is None:
            return 0.0
        weight = GRAVITY * self.density * self.length / 3.0
        return float(-np.add(self.carries[0], (0.0, 0.0, -weight)) @ self.axes[:, 0])

    @cached_property
    def axes(self) -> NDArray[np.float64]:
        """Axes x, y, z as columns of (3, 3) [-], in the world at the start."""
        along = np.subtract(self.end, self.start) / self.length
        across = np.cross(self.up, along)
        across /= np.linalg.norm(across)
        return np.column_stack((along, across, np.cross(along, across)))

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The nodes, from the start to the end."""
        w, x, y, z = mat2quat(self.axes).tolist()
        return tuple(self._node(i, (w, x, y, z)) for i in range(self.elements + 1))

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The cells that join a node to the next."""
        h, about_z = self.cell, self.ei_z or self.ei_y
        torsion = self.gj or (self.ei_y + about_z) / (2.0 * (1.0 + STEEL))
        cubed = h**3 / 12.0
        gives = (cubed / about_z, cubed / self.ei_y, h / self.ea)
        turns = (h / self.ei_y, h / about_z, h / torsion)
        along, across = (self._vector(axis) for axis in self.axes.T[:2])
        return tuple(
            Joint(
                f"{self.name}_{i}",
                "fixed",
                f"{self.name}_{i + 1}",
                f"{self.name}_{i}",
                point=self._point((i + 0.5) * h),
                axis=along,
                across=across,
                compliance=gives + turns,
                exerts=self._reaction(i + 1, self._point((i + 0.5) * h)),
                damping_time=self._damping_time,
            )
            for i in range(self.elements)
        )

    def footing(self, compliance: tuple[float, ...]) -> Joint:
        """Return the joint NAME_footing that holds its start in the world and gives, as soil does.

        ``compliance`` has six numbers above 0, along and about the axes y, z, x of the beam [m/N,
        rad/(N m)]. With what it carries it starts at rest, like the cells.
        """
        along, across = (self._vector(axis) for axis in self.axes.T[:2])
        return Joint(
            f"{self.name}_footing",
            "fixed",
            f"{self.name}_0",
            point=self.start,
            axis=along,
            across=across,
            compliance=compliance,
            exerts=self._reaction(0, self.start),
            damping_time=self._damping_time,
        )

    @property
    def _damping_time(self) -> float:
        """Damping over stiffness of its cells [s]."""
        softest = min(self.ei_y, self.ei_z or self.ei_y)
        first = (CANTILEVER / self.length) ** 2 * math.sqrt(softest / self.density)
        return 2.0 * self.damping_ratio / first

    def at(self, fraction: float) -> tuple[str, Vector]:
        """Return the node next to a place on the axis, and the place in the node's frame [m].

        ``fraction`` [-] is 0 at the start and 1 at the end. What is attached between two nodes
        hangs on a rigid arm of the nearer one. Raises SpecError for a place off its
        ends.
        """
        if not 0.0 <= fraction <= 1.0:
            raise SpecError(
                f"beam {self.name!r}: {fraction} of it is off its ends; allowed is 0 to 1"
            )
        node = round(fraction * self.elements)
        return f"{self.name}_{node}", (fraction * self.length - self._centre(node), 0.0, 0.0)

    @property
    def rail(self) -> tuple[tuple[str, Vector], ...]:
        """The nodes and the places of the axis on them, for the ``rail`` of a joint that runs along
        the beam."""
        return tuple(self.at(node / self.elements) for node in range(self.elements + 1))

    def anchor(self, fraction: float) -> Anchor:
        """Return an anchor of a cable on the axis; ``fraction`` [-] is that of ``at``."""
        return Anchor(*self.at(fraction))

    def _point(self, along: float) -> Vector:
        """Return a place on the axis in the world [m]."""
        return self._vector(np.asarray(self.start) + along * self.axes[:, 0])

    @staticmethod
    def _vector(array: NDArray[np.float64]) -> Vector:
        """Return a vector as a tuple."""
        x, y, z = array.tolist()
        return (x, y, z)

    def _centre(self, node: int) -> float:
        """Return the distance of a node's centre of mass from the start [m]."""
        long = self.length
        inside = 0.5 * (long - math.sqrt(long * (long - 2.0 * self.cell / 3.0)))
        return node * self.cell + inside * ((node == 0) - (node == self.elements))

    def _reaction(self, first: int, at: Vector) -> tuple[float, ...] | None:
        """Return what is exerted at a place on its nodes from ``first`` on, along and about the
        axes y, z, x [N, N m]; None for a beam without camber."""
        if not (self.carries or self.loads):
            return None
        force, moment = (np.array(part) for part in self.carries or (NOTHING, NOTHING))
        moment += np.cross(np.subtract(self.end, at), force)
        for node in self.bodies[first:]:
            weight = np.array((0.0, 0.0, -GRAVITY * node.mass))
            force += weight
            moment += np.cross(np.subtract(node.position, at), weight)
        for behind, push, turn in self._shares:
            if behind >= first:
                force += push
                moment += turn + np.cross(np.subtract(self._point(behind * self.cell), at), push)
        axes = self.axes[:, [1, 2, 0]]
        return (*(-force @ axes).tolist(), *(-moment @ axes).tolist())

    @cached_property
    def _shares(self) -> list[tuple[int, Array, Array]]:
        """Forces [N] and moments [N m] that ``loads`` give to nodes at their places on the axis.

        Their weights are those of the rail: ``kernels/multibody/rails.py``.
        """
        made, along = [], self.axes[:, 0]
        for fraction, force, moment in self.loads:
            first = min(int(fraction * self.elements), self.elements - 1)
            u = fraction * self.elements - first
            couple = np.cross(moment, along) / self.cell
            for node, near in ((first, u), (first + 1, 1.0 - u)):
                side = 1.0 if node == first else -1.0
                value = (1.0 - near) ** 2 * (1.0 + 2.0 * near)
                push = value * np.array(force) - side * 6.0 * near * (1.0 - near) * couple
                lever = side * near * (1.0 - near) ** 2 * self.cell * np.array(force)
                lever += (1.0 - near) * (1.0 - 3.0 * near) * self.cell * couple
                roll = (1.0 - near) * np.dot(moment, along) * along
                made.append((node, push, roll + np.cross(along, lever)))
        return made

    def _node(self, node: int, orientation: Quaternion) -> Body:
        """Return a node with the mass of half of each cell beside it."""
        share = 0.5 if node in (0, self.elements) else 1.0
        mass = share * self.cell * self.density
        met = share * self.cell * self.cd_width
        sideways, height = ((side**2 / 12.0) * mass for side in self.sides)
        return Body(
            f"{self.name}_{node}",
            mass,
            inertia=(sideways + height, height, sideways),
            shape=self._shape(node),
            position=self._point(self._centre(node)),
            orientation=orientation,
            collides=self.collides,
            drawn=self.drawn,
            drag=(Drag(1.0, (0.0, met, met)),) if met else (),
            color=self.color,
        )

    def _shape(self, node: int) -> Box | Polyhedron:
        """Return the box of a node; an end's centre of mass is not in the middle of its box."""
        if 0 < node < self.elements:
            return Box(self.cell, *self.sides)
        half = 0.5 * self.cell
        ends = np.clip((node * self.cell - half, node * self.cell + half), 0.0, self.length)
        width, height = self.sides
        return Polyhedron(
            [
                (x - self._centre(node), y, z)
                for x in ends.tolist()
                for y in (-0.5 * width, 0.5 * width)
                for z in (-0.5 * height, 0.5 * height)
            ]
        )
