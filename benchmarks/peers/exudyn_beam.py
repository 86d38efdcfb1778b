"""The cantilever of ``beam.py`` in Exudyn: ANCF cable elements, generalised alpha.

Settings are those of ``exudyn_chain.py``: Eigen's sparse solver, a kept Jacobian, one thread.
"""

from typing import Any

import numpy as np
from exudyn.beams import GenerateStraightLineANCFCable, GenerateStraightLineANCFCable2D
from numpy.typing import NDArray

from benchmarks.beams import DENSITY, EA, EI, LONG
from benchmarks.exudyn_chain import exudyn, items
from benchmarks.peers import beam
from benchmarks.timing import Case


class ExudynMast:
    """A cantilever of so many elements, with steps of ``h`` [s], in a plane or in space."""

    def __init__(self, cells: int, h: float, in_space: bool) -> None:
        self.h = h
        self.up = 2 if in_space else 1
        self._container = exudyn.SystemContainer()  # the system lives as long as its container
        self.system = self._container.AddSystem()
        element = items.ObjectANCFCable if in_space else items.ObjectANCFCable2D
        line = GenerateStraightLineANCFCable if in_space else GenerateStraightLineANCFCable2D
        pull = np.zeros(3)
        pull[self.up] = -beam.GRAVITY
        made = line(
            self.system,
            [0.0, 0.0, 0.0],
            [LONG, 0.0, 0.0],
            cells,
            element(massPerLength=DENSITY, bendingStiffness=EI, axialStiffness=EA),
            massProportionalLoad=pull.tolist(),
            fixedConstraintsNode0=[1] * (6 if in_space else 4),
        )
        self.tip = made[0][-1]
        self.system.Assemble()

    def _reset(self, steps: int) -> None:
        """Return to the start, to take that many steps from there."""
        self.settings = exudyn.SimulationSettings()
        integration = self.settings.timeIntegration
        integration.numberOfSteps = steps
        integration.endTime = steps * self.h
        integration.newton.useModifiedNewton = True
        integration.newton.relativeTolerance = 1e-6  # below that EA leaves rounding
        integration.generalizedAlpha.spectralRadius = 1.0
        self.settings.solution.file.write = False
        self.settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
        self.settings.parallel.numberOfThreads = 1
        self.solver = exudyn.MainSolverImplicitSecondOrder()
        self.solver.InitializeSolver(self.system, self.settings)

    def _advance(self) -> None:
        """Take the steps; raise FloatingPointError if Newton's method fails."""
        if not self.solver.SolveSteps(self.system, self.settings):
            raise FloatingPointError("the Exudyn model did not converge")

    def case(self, seconds: float) -> Case:
        """Return the first seconds from the start."""
        steps = round(seconds / self.h)
        return Case(self._advance, steps, lambda: self._reset(steps))

    def track(self, seconds: float) -> NDArray[np.float64]:
        """Return heights of the tip after each step [m]."""
        kind = exudyn.OutputVariableType.Position
        seen: list[float] = []

        def look(system: Any, _: float) -> bool:
            seen.append(float(system.GetNodeOutput(self.tip, kind)[self.up]))
            return True

        self.system.SetPostStepUserFunction(look)
        steps = round(seconds / self.h)
        self._reset(steps)
        self._advance()
        self.system.SetPostStepUserFunction(0)
        return np.array(seen[-steps:])
