"""Scenes as models of MuJoCo, in MJCF.

*Tree.* Each joint with a child that no other one has before carries it in the tree. A body here and
there has its axes; its origin is the centre of mass. What closes a loop is an equality: a connect
for a ball, a weld for a fixed joint, and two connects at LEVER along the axis for a hinge.

*Ropes* are tendons: ``tendons.py``.

*Drives* are velocity and position actuators of kv = 1 / slip. A stiff one that holds a speed is an
intvelocity: it follows the integral of its command with kp = RATE^2 I and kv = 2 RATE I, I the
inertia that the coordinate has at the start. Its activation in the keyframe is where the coordinate
is, and F / kp more, so that it holds the load F of the start there.

Numbers have all their digits. MuJoCo's own writer keeps six, a tenth of a millimetre of a tower.
"""

from typing import Any

import mujoco
import numpy as np
from transforms3d.quaternions import qinverse, qmult, rotate_vector

from cable_sim.interchange.exports.elements import SEEN, Document, add, set_values, text_of
from cable_sim.interchange.exports.parts import (
    Solid,
    carrier_of,
    closing_joints,
    note_others,
    pieces_of,
    solids_of,
    stands,
)
from cable_sim.interchange.exports.tendons import add_cable
from cable_sim.interchange.models.source import HIDDEN
from cable_sim.model.basis.bodies import inertia_of
from cable_sim.rendering.meshes import quaternions_from_z, shape_mesh
from cable_sim.sim.observation import Observation
from cable_sim.sim.simulator import Simulator
from cable_sim.spec import Body, Drive, Joint, Surface
from cable_sim.spec.quantities import WORLD
from cable_sim.spec.shapes.shapes import Shape

LEVER = 0.1
"""Distance from the point of a hinge to both connects that stand for it [m]."""
RATE = 100.0
"""Rate at which a drive without slip comes to its speed or place [1/s]."""
FAR = 1e6
"""Range of what such a drive has gone [m or rad]."""
CLOSING = 0.05
"""Time in which a stiff position drive without a time closes in [s]."""
PLANE = 50.0
"""Half length at which a plane without end is drawn, and most thickness of one that ends [m]."""
ROUNDING = 1e-9
"""Relative excess of a moment over the sum of the others that is rounding [-]."""
KINDS = {"hinge": "hinge", "prismatic": "slide", "ball": "ball"}
"""MuJoCo's words for joints."""


class MjcfWriter(Document):
    """The model of a scene as it grows."""

    def write(self) -> str:
        """Return the text of the model; raise ValueError for what MuJoCo does not compile."""
        scene = self.scene
        for body in scene.bodies:
            self._add_body(body.name)
        for joint in closing_joints(scene, self.left_out):
            self._add_loop(joint)
        for solid in solids_of(scene):
            for piece in pieces_of(solid):
                self._add_geom(piece)
        for surface in scene.surfaces:
            self._add_surface(surface)
        self._exclude()
        seen = Simulator(scene).observe()
        for cable in scene.cables:
            add_cable(self, cable, seen)
        model = mujoco.MjModel.from_xml_string(text_of(self.root))
        for drive in scene.drives:
            self._add_drive(drive, model, seen)
        note_others(scene, self.left_out)
        key = add(self.parts["keyframe"], "key", name="start", qvel=self._rates(model))
        if self.commands:
            set_values(key, ctrl=self.commands)
        if self.activations:
            set_values(key, act=self.activations)
        text = text_of(self.root)
        mujoco.MjModel.from_xml_string(text)
        return text

    def _add_body(self, name: str) -> Any:
        """Return the body of a name, made with all that carries it."""
        if name in self.made:
            return self.made[name]
        own = self.own[name]
        joint = None if stands(own) else carrier_of(self.scene, name)
        parent = self._add_body(joint.parent if joint else WORLD)
        place, turn = np.array(own.position), np.array(own.orientation)
        if joint and joint.parent != WORLD:
            base = self.own[joint.parent]
            back = qinverse(base.orientation)
            place, turn = rotate_vector(place - base.position, back), qmult(back, turn)
        made = self.made[name] = add(parent, "body", name=name, pos=place, quat=turn)
        add(made, "inertial", pos=(0, 0, 0), mass=own.mass, fullinertia=self._moments(own))
        if joint:
            self._add_joint(made, own, joint)
        elif not stands(own):
            add(made, "freejoint")
        return made

    def _moments(self, body: Body) -> list[float]:
        """Return xx, yy, zz, xy, xz, yz of a body's inertia [kg m^2].

        Of moments that no solid has, MuJoCo's compiler makes three equal ones.
        """
        tensor = inertia_of(body)
        least, middle, most = np.linalg.eigvalsh(tensor).tolist()
        if most > (least + middle) * (1.0 + ROUNDING):
            set_values(self.compiler, balanceinertia=True)
            told = f"moments {least:g}, {middle:g} and {most:g}, which no solid has, are made equal"
            self.left_out.append(f"body {body.name!r}: {told}")
        return [*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]

    def _add_joint(self, made: Any, own: Body, joint: Joint) -> None:
        """Add the joint that carries a body."""
        self._note_joint(joint)
        if joint.kind == "fixed":
            self._add_springs(made, own, joint)
            return
        back = qinverse(own.orientation)
        fields: dict[str, Any] = {
            "name": joint.name,
            "type": KINDS[joint.kind],
            "pos": rotate_vector(np.subtract(joint.point, own.position), back),
            "damping": joint.damping,
        }
        if joint.has_coordinate:
            fields |= {"axis": rotate_vector(joint.axis, back), "ref": joint.position}
            fields |= {"stiffness": joint.stiffness, "springref": joint.rest}
            fields["frictionloss"] = joint.dry_friction
            if joint.stops:
                fields |= {"range": [joint.lower, joint.upper], "limited": True}
        add(made, "joint", **fields)

    def _add_springs(self, made: Any, own: Body, joint: Joint) -> None:
        """Add hinges with the springs of a fixed joint that turns, as the cells of beams do.

        A spring with the compliance c that rests at c M turns what it carries by M at the start.
        """
        if isinstance(joint.compliance, float) or joint.across is None:
            return
        back = qinverse(own.orientation)
        along = np.array(joint.axis) / np.linalg.norm(joint.axis)
        across = np.array(joint.across) - along * np.dot(joint.across, along)
        across /= np.linalg.norm(across)
        point = rotate_vector(np.subtract(joint.point, own.position), back)
        turns = zip(
            "yzx", (across, np.cross(along, across), along), joint.compliance[3:], strict=True
        )
        for k, (letter, axis, give) in enumerate(turns, start=3):
            if give > 0.0:
                add(
                    made,
                    "joint",
                    name=f"{joint.name}_{letter}",
                    type="hinge",
                    pos=point,
                    axis=rotate_vector(axis, back),
                    stiffness=1.0 / give,
                    springref=give * (joint.exerts[k] if joint.exerts else 0.0),
                    damping=joint.damping_time / give,
                )

    def _note_joint(self, joint: Joint) -> None:
        """Note what of a joint the model has not."""
        for field in ("stop_compliance", "rail"):
            if getattr(joint, field):
                self.left_out.append(f"joint {joint.name!r}: {field} is left out")
        if np.ndim(joint.compliance) == 0 and joint.compliance:
            self.left_out.append(f"joint {joint.name!r}: compliance is left out; it is rigid")
        elif np.any(joint.compliance):
            told = "gives by turns alone, on three hinges; use a step that their springs allow"
            self.left_out.append(f"joint {joint.name!r}: {told}")

    def _add_loop(self, joint: Joint) -> None:
        """Add a joint that closes a loop, as an equality."""
        one, equal = self.own[joint.child], self.parts["equality"]
        back = qinverse(one.orientation)
        at = rotate_vector(np.subtract(joint.point, one.position), back)
        if joint.kind == "prismatic":
            self.left_out.append(f"joint {joint.name!r}: a slide that closes a loop is left out")
            return
        if joint.kind == "fixed":
            add(equal, "weld", name=joint.name, body1=joint.child, body2=joint.parent)
            return
        along = rotate_vector(joint.axis, back) / np.linalg.norm(joint.axis)
        ends = (0.0,) if joint.kind == "ball" else (-LEVER, LEVER)
        for side, end in enumerate(ends):
            name = joint.name if len(ends) == 1 else f"{joint.name}_{side}"
            fields = {"name": name, "body1": joint.child, "body2": joint.parent}
            add(equal, "connect", anchor=at + end * along, **fields)
        if joint.stops or joint.stiffness or joint.damping or joint.dry_friction:
            told = "closes a loop; stops, spring and friction are left out"
            self.left_out.append(f"joint {joint.name!r}: {told}")

    def _add_geom(self, solid: Solid) -> None:
        """Add the geom of a solid."""
        fields = self._shape(solid.shape, solid.name)
        if fields is not None:
            add(
                self.made[solid.body],
                "geom",
                name=self.name("geom", solid.name),
                pos=solid.position,
                quat=solid.orientation,
                rgba=solid.color,
                contype=int(solid.touches),
                conaffinity=int(solid.touches and self.scene.collision is not None),
                group=(0 if solid.touches else SEEN) if solid.drawn else HIDDEN,
                friction=[solid.friction, 0.0, 0.0],
                mass=0,
                **fields,
            )

    def _shape(self, shape: Shape, name: str) -> dict[str, Any] | None:
        """Return the fields of a shape; None for one that is left out."""
        if shape.kind == "box":
            return {"type": "box", "size": [0.5 * shape.x, 0.5 * shape.y, 0.5 * shape.z]}
        if shape.kind == "sphere":
            return {"type": "sphere", "size": [shape.radius]}
        if shape.kind == "cylinder":
            return {"type": "cylinder", "size": [shape.radius, 0.5 * shape.length]}
        if shape.kind == "heightfield":
            self.left_out.append(f"{name!r}: a heightfield is left out")
            return None
        corners, _ = shape_mesh(shape)
        mesh = self.name("mesh", name)
        add(self.parts["asset"], "mesh", name=mesh, vertex=np.ravel(corners))
        return {"type": "mesh", "mesh": mesh}

    def _add_surface(self, surface: Surface) -> None:
        """Add a surface as a plane, or as a box if it ends.

        Without a collision, bodies touch it and not one another.
        """
        ends = bool(np.isfinite(surface.extent).any())
        half = [min(side, PLANE) for side in surface.extent]
        deep = 0.5 * min(surface.thickness, PLANE)
        up = np.array(surface.normal) / np.linalg.norm(surface.normal)
        add(
            self.parts["worldbody"],
            "geom",
            name=self.name("geom", surface.name),
            type="box" if ends else "plane",
            size=[*half, deep if ends else 1.0],
            pos=surface.point - deep * up if ends else surface.point,
            quat=quaternions_from_z(up),
            rgba=[*surface.color, 1.0],
            friction=[surface.friction, 0.0, 0.0],
            contype=int(self.scene.collision is not None),
        )

    def _exclude(self) -> None:
        """Exclude pairs of bodies that never touch."""
        body_of = {solid.name: solid.body for solid in self.scene.obstacles}
        pairs = set()
        for names in self.scene.collision.ignore if self.scene.collision else ():
            on = sorted({body_of.get(name, name) for name in names} & {*self.made})
            pairs |= {(one, other) for i, one in enumerate(on) for other in on[i + 1 :]}
        for one, other in sorted(pairs):
            add(self.parts["contact"], "exclude", body1=one, body2=other)

    def _add_drive(self, drive: Drive, model: Any, seen: Observation) -> None:
        """Add the actuator of a drive on a joint of the compiled model, as it is at the start."""
        if drive.on in {winch.name for winch in self.scene.winches}:
            return
        joint = next((j for j in self.scene.joints if j.name == drive.on), None)
        if joint is None or carrier_of(self.scene, joint.child) is not joint:
            self.left_out.append(f"drive {drive.name!r}: is left out; it acts on {drive.on!r}")
            return
        inertia = float(model.dof_M0[model.joint(joint.name).dofadr[0]])
        kv = 1.0 / drive.slip if drive.slip else 2.0 * RATE * inertia
        kinds: dict[str, tuple[str, dict[str, Any]]] = {
            "effort": ("motor", {}),
            "speed": ("velocity", {"kv": kv}),
            "position": ("position", {"kp": kv / (drive.damping_time or CLOSING), "kv": kv}),
        }
        kind, gains = kinds[drive.mode]
        if drive.mode == "speed" and not drive.slip:
            kp = RATE**2 * inertia
            kind, gains = "intvelocity", {"kp": kp, "kv": kv, "actrange": [-FAR, FAR]}
            self.activations.append(joint.position + seen.drive(drive.name).effort / kp)
        name = self.name("actuator", drive.name)
        made = add(self.parts["actuator"], kind, name=name, joint=joint.name, **gains)
        if np.isfinite(drive.max_effort):
            set_values(made, forcerange=[-drive.max_effort, drive.max_effort], forcelimited=True)
        self.commands.append(drive.target)
        told = ("lag", "rise_time", "brake_close_delay", "brake_open_delay")
        if any(getattr(drive, field) for field in told) or np.isfinite(drive.power):
            self.left_out.append(f"drive {drive.name!r}: lags, power and brake are left out")

    def _rates(self, model: Any) -> Any:
        """Return rates (n,) of all coordinates of the compiled model at the start [m/s, rad/s]."""
        rates = np.zeros(model.nv)
        still = np.zeros(3)
        for name, own in self.own.items():
            if stands(own):
                continue
            joint = carrier_of(self.scene, name)
            base = self.own.get(joint.parent) if joint else None
            way, turn = np.array(own.velocity), np.array(own.angular_velocity)
            first = int(model.body_dofadr[model.body(name).id])
            back = qinverse(own.orientation)
            if joint is None:
                rates[first : first + 6] = [*way, *rotate_vector(turn, back)]
            elif joint.kind != "fixed":
                turn = turn - (base.angular_velocity if base else still)
                axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
                if joint.kind == "ball":
                    rates[first : first + 3] = rotate_vector(turn, back)
                elif joint.kind == "hinge":
                    rates[first] = turn @ axis
                else:
                    arm = own.position - np.array(base.position) if base else still
                    carried = (
                        np.add(base.velocity, np.cross(base.angular_velocity, arm))
                        if base
                        else still
                    )
                    rates[first] = (way - carried) @ axis
        return rates
