"""A rope over a rough drum in Exudyn: a band of ANCF cable elements in frictional contact with a
circle.

The band brake: one end is held, the other one carries the light load, and the circle turns under
the rope, so that it slides everywhere and stands still. Contact and friction are penalties, on
straight segments of the elements.
"""

import math
from typing import Any

import numpy as np

from benchmarks.exudyn_chain import exudyn, items
from benchmarks.timing import Case

RADIUS = 0.408
HANG = 0.5
"""Of the circle, and of the ends below its axis [m]."""
ELEMENTS = 24
SEGMENTS = 4
"""Of the rope, and of each element in contact."""
H = 2e-3
SECONDS = 0.3
SPEED = 1.0
"""Of the circle [rad/s]."""


class Capstan:
    """One model for each friction."""

    def __init__(self, frictions: tuple[float, ...], load: float, ratio: float) -> None:
        self.pull = 9.81 * load * ratio
        self.runs = {mu: self._build(mu) for mu in frictions}

    def _build(self, mu: float) -> Any:
        """Container and system, and the cables at both ends."""
        container = exudyn.SystemContainer()
        system = container.AddSystem()
        circle = self._circle(system)
        cables, ends = self._rope(system)
        for cable in cables:
            shape = system.AddMarker(
                items.MarkerBodyCable2DShape(bodyNumber=cable, numberOfSegments=SEGMENTS)
            )
            data = system.AddNode(
                items.NodeGenericData(
                    initialCoordinates=[0.1] * SEGMENTS + [0.0] * (2 * SEGMENTS),
                    numberOfDataCoordinates=3 * SEGMENTS,
                )
            )
            system.AddObject(
                items.ObjectContactFrictionCircleCable2D(
                    markerNumbers=[circle, shape],
                    nodeNumber=data,
                    numberOfContactSegments=SEGMENTS,
                    contactStiffness=1e5,
                    contactDamping=50.0,
                    frictionVelocityPenalty=1e3,
                    frictionStiffness=0.0,
                    frictionCoefficient=mu,
                    circleRadius=RADIUS,
                )
            )
        held, loaded = ends
        for coordinate in range(2):
            marker = system.AddMarker(
                items.MarkerNodeCoordinate(nodeNumber=held, coordinate=coordinate)
            )
            system.AddObject(items.CoordinateConstraint(markerNumbers=[self._still, marker]))
        tip = system.AddMarker(items.MarkerNodePosition(nodeNumber=loaded))
        system.AddLoad(items.Force(markerNumber=tip, loadVector=[0.0, -self.pull, 0.0]))
        system.Assemble()
        return container, system, (cables[0], cables[-1])

    def _circle(self, system: Any) -> int:
        """Marker of a circle that turns clockwise at SPEED about a fixed axis."""
        node = system.AddNode(items.NodeRigidBody2D(initialVelocities=[0.0, 0.0, -SPEED]))
        body = system.AddObject(items.ObjectRigidBody2D(mass=1.0, inertia=1.0, nodeNumber=node))
        ground = system.AddNode(items.NodePointGround())
        self._still = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        for coordinate in range(3):
            marker = system.AddMarker(
                items.MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate)
            )
            turning = {"velocityLevel": True, "offset": -SPEED} if coordinate == 2 else {}
            system.AddObject(
                items.CoordinateConstraint(markerNumbers=[self._still, marker], **turning)
            )
        return int(system.AddMarker(items.MarkerBodyRigid(bodyNumber=body)))

    def _rope(self, system: Any) -> tuple[list[int], tuple[int, int]]:
        """Cable elements from the held end over the circle, and the nodes at both ends."""
        nodes = []
        for place, slope in _way(ELEMENTS + 1):
            nodes.append(
                system.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[*place, *slope]))
            )
        cables = [
            system.AddObject(
                items.ObjectANCFCable2D(
                    nodeNumbers=[a, b],
                    length=_length() / ELEMENTS,
                    massPerLength=0.1,
                    axialStiffness=1e6,
                    bendingStiffness=0.1,
                    axialDamping=1e3,
                    bendingDamping=0.01,
                    referenceCurvature=0.0,
                )
            )
            for a, b in zip(nodes, nodes[1:], strict=False)
        ]
        return cables, (nodes[0], nodes[-1])

    def case(self) -> Case:
        """All of them, from the start."""
        return Case(self.advance, round(SECONDS / H) * len(self.runs), self.reset)

    def reset(self) -> None:
        """Back to the start."""
        self.solvers = []
        for _, system, _ in self.runs.values():
            settings = exudyn.SimulationSettings()
            integration = settings.timeIntegration
            integration.numberOfSteps = round(SECONDS / H)
            integration.endTime = SECONDS
            integration.newton.useModifiedNewton = False
            integration.generalizedAlpha.spectralRadius = 0.5
            settings.solution.file.write = False
            settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
            settings.parallel.numberOfThreads = 1
            solver = exudyn.MainSolverImplicitSecondOrder()
            solver.InitializeSolver(system, settings)
            self.solvers.append((solver, system, settings))

    def advance(self) -> None:
        """Take the steps; FloatingPointError if Newton's method fails."""
        for solver, system, settings in self.solvers:
            if not solver.SolveSteps(system, settings):
                raise FloatingPointError("the Exudyn model did not converge")

    def ratios(self) -> dict[float, float]:
        """Of the axial forces in the middle of the first and the last element."""
        found = {}
        for mu, (_, system, ends) in self.runs.items():
            kind = exudyn.OutputVariableType.ForceLocal
            middle = [0.5 * _length() / ELEMENTS, 0.0, 0.0]
            held, loaded = (system.GetObjectOutputBody(cable, kind, middle) for cable in ends)
            found[mu] = float(np.atleast_1d(held)[0] / np.atleast_1d(loaded)[0])
        return found


def _length() -> float:
    """Of the way [m]."""
    return 2.0 * HANG + math.pi * RADIUS


def _way(count: int) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Places and directions along the way, evenly [m, -]."""
    found = []
    for s in np.linspace(0.0, _length(), count):
        if s < HANG:
            found.append(((-RADIUS, s - HANG), (0.0, 1.0)))
        elif s > HANG + math.pi * RADIUS:
            found.append(((RADIUS, HANG + math.pi * RADIUS - s), (0.0, -1.0)))
        else:
            angle = (s - HANG) / RADIUS
            found.append(
                (
                    (-RADIUS * math.cos(angle), RADIUS * math.sin(angle)),
                    (math.sin(angle), math.cos(angle)),
                )
            )
    return found
