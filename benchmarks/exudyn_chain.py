"""The falling chain of ``chains.py`` as an Exudyn model: mass points and rigid distance connectors.

Its default integrator (generalised alpha, constraints on the level of velocities), its default
tolerances, the sparse linear solver of Eigen, Newton's method with a kept Jacobian, which halves
its time, and the module without checks of
indices. One thread: two are slower.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import Case

sys.exudynFast = True  # type: ignore[attr-defined]  # before the import: the module without checks

import exudyn  # noqa: E402
from exudyn import itemInterface as items  # noqa: E402

exudyn.config.printToConsole = False  # remarks on its integrators, in the middle of our progress


class ExudynChain:
    """A chain of masses at ``places`` (n + 1, 3) [m], the first of them held, with steps of ``h``
    [s]."""

    def __init__(self, places: NDArray[np.float64], mass: NDArray[np.float64], h: float) -> None:
        self.h = h
        self.points = []
        self._container = exudyn.SystemContainer()  # the system lives as long as its container
        self.system = self._container.AddSystem()
        add_marker = self.system.AddMarker
        add_object = self.system.AddObject
        ground = add_object(items.ObjectGround(referencePosition=places[0].tolist()))
        before = add_marker(items.MarkerBodyPosition(bodyNumber=ground))
        self.first = None
        for i, m in enumerate(mass, 1):
            point = self.system.AddNode(items.NodePoint(referenceCoordinates=places[i].tolist()))
            body = add_object(items.ObjectMassPoint(mass=float(m), nodeNumber=point))
            weight = add_marker(items.MarkerBodyMass(bodyNumber=body))
            self.system.AddLoad(
                items.LoadMassProportional(markerNumber=weight, loadVector=[0.0, 0.0, -9.81])
            )
            marker = add_marker(items.MarkerNodePosition(nodeNumber=point))
            length = float(np.linalg.norm(places[i] - places[i - 1]))
            link = add_object(
                items.ObjectConnectorDistance(markerNumbers=[before, marker], distance=length)
            )
            self.first = link if self.first is None else self.first
            before = marker
            self.points.append(point)
        self.held = places[0]
        self.system.Assemble()

    def case(self, steps: int) -> Case:
        """The first steps from rest."""
        return Case(self.advance, steps * len(self.points), lambda: self.reset(steps))

    def reset(self, steps: int) -> None:
        """Back to the start, to take that many steps from there."""
        self.settings = exudyn.SimulationSettings()
        integration = self.settings.timeIntegration
        integration.numberOfSteps = steps
        integration.endTime = steps * self.h
        integration.newton.useModifiedNewton = True
        self.settings.solution.file.write = False
        self.settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
        self.settings.parallel.numberOfThreads = 1
        self.solver = exudyn.MainSolverImplicitSecondOrder()
        self.solver.InitializeSolver(self.system, self.settings)

    def advance(self) -> None:
        """Take the steps; FloatingPointError if Newton's method fails."""
        if not self.solver.SolveSteps(self.system, self.settings):
            raise FloatingPointError("the Exudyn model did not converge")

    def track(self, steps: int) -> NDArray[np.float64]:
        """Where the last mass is after each of so many steps from the start (steps, 3) [m]."""
        kind = exudyn.OutputVariableType.Position
        seen = []

        def look(system: Any, _: float) -> bool:
            seen.append(np.array(system.GetNodeOutput(self.points[-1], kind)))
            return True

        self.system.SetPostStepUserFunction(look)
        self.reset(steps)
        self.advance()
        self.system.SetPostStepUserFunction(0)
        return np.array(seen)

    def curve(self) -> NDArray[np.float64]:
        """Where the held end and the masses are (n + 1, 3) [m]."""
        kind = exudyn.OutputVariableType.Position
        return np.array(
            [self.held, *(self.system.GetNodeOutput(point, kind) for point in self.points)]
        )

    def pull(self) -> float:
        """Of the first link at present [N]."""
        return float(self.system.GetObjectOutput(self.first, exudyn.OutputVariableType.Force))
