"""A scene of the tower crane as an Exudyn model, for comparison of speed.

The jib turns about its axis, the trolley is on a prismatic joint of the jib, hook block and load
are free, all with the scene's masses and moments. The hoist rope is a reeving system over points at
the scene's nodes, with its rigidity and damping, which one end lengthens by the coordinate of the
winch, a mass on a line. Slings are springs, that push as well. Drives are dampers to a speed that
is there at once, without a largest effort. Implicit generalised alpha, Newton's method with a kept
Jacobian, one thread.
"""

import math
from typing import Any

import numpy as np
from transforms3d.quaternions import rotate_vector

from benchmarks.exudyn_chain import exudyn, items
from cable_sim import Cable, Scene

SERVO_SLIP = 1e-2
"""Share of the largest speed by which a servo gives way at the largest effort of its drive."""


class ExudynCrane:
    """A model that goes on from where it is; drives run at ``share`` of their largest speeds; steps
    of ``h`` [s]."""

    def __init__(self, scene: Scene, share: float, h: float) -> None:
        self.h = h
        self._container = exudyn.SystemContainer()  # the system lives as long as its container
        self.system = self._container.AddSystem()
        self._nodes: dict[str, int] = {}
        self._bodies = {"world": self.system.AddObject(items.ObjectGround())}
        ground = self.system.AddNode(items.NodePointGround())
        self._still = self.system.AddMarker(
            items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0)
        )
        self._places = {"world": np.zeros(3)} | {
            body.name: np.array(body.position) for body in scene.bodies
        }
        self._turned = {body.name: body.orientation for body in scene.bodies}
        for body in scene.bodies:
            self._add_body(body, scene)
        trolley = next(joint for joint in scene.joints if joint.kind == "prismatic")
        ends = self._rail(trolley)
        drives = {drive.on: drive for drive in scene.drives}
        self._add_servo("jib_turn", drives["slewing"], share)
        self._add_rail_servo(ends, drives["trolley"], share)
        for cable in scene.cables:
            self._add_cable(cable)
        winch = next(cable.winch for cable in scene.cables if cable.winch)
        self._add_servo("winch", drives[winch.name], share)
        self.system.Assemble()

    def _add_body(self, body: Any, scene: Scene) -> None:
        """The jib as a rotor about z, the others free, with their weight."""
        moments = body.inertia if body.inertia is not None else body.shape.inertia(body.mass)
        hinged = any(joint.child == body.name and joint.kind == "hinge" for joint in scene.joints)
        if hinged:
            node = self.system.AddNode(items.Node1D(referenceCoordinates=[0.0]))
            made = items.ObjectRotationalMass1D(
                inertia=moments[2], nodeNumber=node, referencePosition=body.position
            )
            self._nodes["jib_turn"] = node
        else:
            assert np.allclose(body.orientation, (1.0, 0.0, 0.0, 0.0))
            node = self.system.AddNode(
                items.NodeRigidBodyRxyz(referenceCoordinates=[*body.position, 0.0, 0.0, 0.0])
            )
            made = items.ObjectRigidBody(
                mass=body.mass, inertia=[*moments, 0.0, 0.0, 0.0], nodeNumber=node
            )
            self._nodes[body.name] = node
        self._bodies[body.name] = self.system.AddObject(made)
        if not hinged:
            marker = self.system.AddMarker(items.MarkerBodyMass(bodyNumber=self._bodies[body.name]))
            self.system.AddLoad(
                items.LoadMassProportional(markerNumber=marker, loadVector=list(scene.gravity))
            )

    def _add_marker(self, body: str, position: Any) -> int:
        """Marker at a point of a body [m]."""
        return int(
            self.system.AddMarker(
                items.MarkerBodyRigid(
                    bodyNumber=self._bodies[body], localPosition=[float(x) for x in position]
                )
            )
        )

    def _rail(self, joint: Any) -> tuple[int, int]:
        """The trolley on its jib; the markers between which it goes."""
        ends = (
            self._add_marker(joint.parent, np.array(joint.point) - self._places[joint.parent]),
            self._add_marker(joint.child, (0, 0, 0)),
        )
        self.system.AddObject(
            items.ObjectJointGeneric(markerNumbers=list(ends), constrainedAxes=[0, 1, 1, 1, 1, 1])
        )
        return ends

    def _add_servo(self, coordinate: str, drive: Any, share: float) -> None:
        """Holds the speed of a coordinate."""
        marker = self.system.AddMarker(
            items.MarkerNodeCoordinate(nodeNumber=self._nodes[coordinate], coordinate=0)
        )
        gain = drive.max_effort / (SERVO_SLIP * drive.max_speed)
        self.system.AddObject(
            items.ObjectConnectorCoordinateSpringDamperExt(
                markerNumbers=[self._still, marker],
                damping=gain,
                velocityOffset=share * drive.max_speed,
            )
        )

    def _add_rail_servo(self, ends: tuple[int, int], drive: Any, share: float) -> None:
        """Holds the speed of the trolley on its jib."""
        gain = drive.max_effort / (SERVO_SLIP * drive.max_speed)
        self.system.AddObject(
            items.ObjectConnectorLinearSpringDamper(
                markerNumbers=list(ends),
                damping=gain,
                velocityOffset=share * drive.max_speed,
                axisMarker0=[1.0, 0.0, 0.0],
            )
        )

    def _add_cable(self, cable: Cable) -> None:
        """The hoist rope over its nodes, or a sling."""
        points = [
            self._places[n.body] + rotate_vector(n.position, self._turned.get(n.body, (1, 0, 0, 0)))
            for n in cable.nodes
        ]
        path = sum(math.dist(a, b) for a, b in zip(points, points[1:], strict=False))
        ea = cable.axial_rigidity
        assert ea is not None
        length = cable.length if cable.length is not None else path / (1.0 + cable.pretension / ea)
        markers = [self._add_marker(node.body, node.position) for node in cable.nodes]
        if not cable.winch:
            self.system.AddObject(
                items.ObjectConnectorSpringDamper(
                    markerNumbers=markers,
                    referenceLength=length,
                    stiffness=ea / length,
                    damping=ea / length * (cable.damping_time or 0.0),
                )
            )
            return
        node = self._nodes["winch"] = self.system.AddNode(items.Node1D(referenceCoordinates=[0.0]))
        self.system.AddObject(items.ObjectMass1D(mass=cable.winch.mass, nodeNumber=node))
        marker = self.system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=0))
        axes = exudyn.Vector3DList(
            [[0.0, 1.0, 0.0]] * len(points)
        )  # of sheaves without a radius: of points
        self.system.AddObject(
            items.ObjectConnectorReevingSystemSprings(
                markerNumbers=[*markers, marker, self._still],
                hasCoordinateMarkers=True,
                coordinateFactors=[1.0, 1.0],
                stiffnessPerLength=ea,
                dampingPerLength=ea * (cable.damping_time or 0.0),
                referenceLength=length,
                regularizationForce=-1.0,
                sheavesAxes=axes,
                sheavesRadii=[0.0] * len(points),
            )
        )

    def advance(self, steps: int) -> None:
        """Take steps from where it is; FloatingPointError if Newton's method fails."""
        settings = exudyn.SimulationSettings()
        integration = settings.timeIntegration
        integration.numberOfSteps = steps
        integration.endTime = steps * self.h
        integration.newton.useModifiedNewton = True
        settings.solution.file.write = False
        settings.linearSolver.solverType = exudyn.LinearSolverType.EXUdense
        settings.parallel.numberOfThreads = 1
        solver = exudyn.MainSolverImplicitSecondOrder()
        solver.InitializeSolver(self.system, settings)
        if not solver.SolveSteps(self.system, settings):
            raise FloatingPointError("the Exudyn model did not converge")
        self.restore(self.save())

    def save(self) -> Any:
        """Copies of what determines the future."""
        return self.system.systemData.GetSystemState(exudyn.ConfigurationType.Current)

    def restore(self, saved: Any) -> None:
        """Go on from there."""
        self.system.systemData.SetSystemState(saved, exudyn.ConfigurationType.Initial)

    def load(self) -> Any:
        """Where the load is (3,) [m]."""
        return np.array(
            self.system.GetNodeOutput(self._nodes["load"], exudyn.OutputVariableType.Position)
        )
