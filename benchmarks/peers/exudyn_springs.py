"""The tutorial's rope as an Exudyn model: mass points and spring-dampers, explicit velocity Verlet,
one thread."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.exudyn_chain import exudyn, items
from benchmarks.timing import Case


class ExudynSprings:
    """Masses at ``places`` (n, 3) [m], the first held; ``constants`` as in ``rope.cpp``, steps of
    ``h`` [s]."""

    def __init__(self, places: NDArray[np.float64], constants: tuple[float, ...], h: float) -> None:
        mass, stiffness, length, friction, gravity, air, *_ = constants
        self.h = h
        self.held = places[0]
        self._container = exudyn.SystemContainer()  # the system lives as long as its container
        self.system = self._container.AddSystem()
        add_marker = self.system.AddMarker
        add_object = self.system.AddObject
        ground = add_object(items.ObjectGround(referencePosition=places[0].tolist()))
        before = self._ground = add_marker(items.MarkerBodyPosition(bodyNumber=ground))
        self.points = [
            self.system.AddNode(items.NodePoint(referenceCoordinates=place.tolist()))
            for place in places[1:]
        ]
        for point in self.points:
            body = add_object(items.ObjectMassPoint(mass=mass, nodeNumber=point))
            weight = add_marker(items.MarkerBodyMass(bodyNumber=body))
            self.system.AddLoad(
                items.LoadMassProportional(markerNumber=weight, loadVector=[0.0, 0.0, -gravity])
            )
            marker = add_marker(items.MarkerNodePosition(nodeNumber=point))
            add_object(
                items.ObjectConnectorSpringDamper(
                    markerNumbers=[before, marker], referenceLength=length, stiffness=stiffness
                )
            )
            for other, damping in ((before, friction), (self._ground, air)):
                add_object(
                    items.ObjectConnectorCartesianSpringDamper(
                        markerNumbers=[other, marker], stiffness=[0.0] * 3, damping=[damping] * 3
                    )
                )
            before = marker
        self.system.Assemble()

    def case(self, steps: int) -> Case:
        """The first steps from rest."""
        return Case(self.advance, steps * (len(self.points) + 1), lambda: self.reset(steps))

    def reset(self, steps: int) -> None:
        """Back to the start, to take that many steps from there."""
        self.settings = exudyn.SimulationSettings()
        integration = self.settings.timeIntegration
        integration.numberOfSteps = steps
        integration.endTime = steps * self.h
        integration.solverType = exudyn.DynamicSolverType.VelocityVerlet
        self.settings.solution.file.write = False
        self.settings.parallel.numberOfThreads = 1
        self.solver = exudyn.MainSolverExplicit()
        self.solver.InitializeSolver(self.system, self.settings)

    def advance(self) -> None:
        """Take the steps; FloatingPointError if the solver gives up."""
        if not self.solver.SolveSteps(self.system, self.settings):
            raise FloatingPointError("the Exudyn model did not get to its end")

    def curve(self) -> NDArray[np.float64]:
        """Where the masses are (n, 3) [m]."""
        kind = exudyn.OutputVariableType.Position
        return np.array(
            [self.held, *(self.system.GetNodeOutput(point, kind) for point in self.points)]
        )


springs = ExudynSprings
