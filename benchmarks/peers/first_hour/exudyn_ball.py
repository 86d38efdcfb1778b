"""A ball of 100 kg at a distance: import, 100 steps of 1 ms, a picture, as the arguments say.

The picture needs an X display.
"""

import sys

import exudyn
from exudyn import graphics
from exudyn.utilities import InertiaSphere

if "step" in sys.argv:
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    ground = system.CreateGround(referencePosition=[0, 0, 0])
    ball = system.CreateRigidBody(
        referencePosition=[0, 0, -5],
        inertia=InertiaSphere(100, 0.2),
        gravity=[0, 0, -9.81],
        initialVelocity=[2, 0, 0],
        graphicsDataList=[graphics.Sphere(radius=0.2)],
    )
    system.CreateDistanceConstraint(bodyNumbers=[ground, ball], distance=5.0)
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = 100
    settings.timeIntegration.endTime = 0.1
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    system.SolveDynamic(settings)
if "picture" in sys.argv:
    container.renderer.Start()
    container.renderer.RedrawAndSaveImage()
    container.renderer.Stop()
