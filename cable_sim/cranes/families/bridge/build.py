"""A bridge crane on one rope in one to sixteen falls, from its file to a scene: laboratory rigs,
workshop cranes.

Frame: x along the bridge, y along the rails on which the bridge travels, z up, the origin on the
ground below where trolley and bridge read zero. The frames of ``bridge`` and ``trolley`` have their
origins at the height of the rope at the trolley. A ball on one fall that is tied at its middle is a
point on a rope, and swings with 2 pi sqrt(h / g).
"""

import math

from cable_sim.cranes.crane import Axis, Crane, Suspension
from cable_sim.cranes.families.bridge.look import bench_visuals
from cable_sim.cranes.families.bridge.spec import BridgeCrane
from cable_sim.cranes.parts.axes import METRES_PER_SECOND, Motion, hoist_axis, straight_axis
from cable_sim.cranes.parts.drives import axis_drive, rail_drive
from cable_sim.cranes.parts.joint_friction import with_friction
from cable_sim.cranes.rigging.falling_ropes import lay_falling_ropes, ropes_when_slack
from cable_sim.cranes.rigging.reeving import holding_tension, rope_outside
from cable_sim.cranes.rigging.reeving_checks import warn_of_bending, warn_of_falls, warn_of_rope
from cable_sim.cranes.rigging.tackle import swivel_end, thread_path
from cable_sim.spec import Body, Box, Cable, Drive, Joint, Scene, Sphere, Surface, Winch
from cable_sim.spec.nodes import Node
from cable_sim.spec.quantities import WORLD, Vector
from cable_sim.spec.scene import GRAVITY

BALL: Vector = (0.62, 0.30, 0.22)


def build_bridge(spec: BridgeCrane, name: str = "bridge") -> Crane:
    """The crane of a file, the bob at rest. Raises SpecError when the parts do not fit together."""
    nodes = swivel_end(thread_path(spec.path), spec.reeving.swivel)
    warn_of_rope(spec.hoist_rope, spec.line_pull_rated, spec.reeving.design_factor)
    wheels = {"reeving.sheave_diameter": spec.reeving.sheave_diameter} if len(nodes) > 2 else {}
    warn_of_bending(spec.hoist_rope, wheels | {"drum.pitch_diameter": spec.drum.pitch_diameter})
    warn_of_falls(nodes)
    if nodes[1].body == "trolley":
        spec.drum.warn(math.dist(nodes[0].position, nodes[1].position))
    ground = spec.site.ground
    rope = _hoist_rope(spec, nodes)
    plain = Scene(
        name=name,
        bodies=_bodies(spec),
        joints=_joints(spec),
        cables=(rope,),
        drives=_drives(spec),
        surfaces=(
            Surface(
                friction=ground.friction,
                stiffness=ground.stiffness,
                damping_time=ground.damping_time,
            ),
        ),
        visuals=bench_visuals(spec),
    )
    falling = ropes_when_slack((rope,), spec.reeving.when_slack)
    base = "bridge" if spec.crane.bridge_travel else "trolley"
    return Crane(
        name=name,
        family="bridge_crane",
        axes=_axes(spec, nodes),
        ropes=("hoist_rope",),
        watched="hook_block",
        suspensions=(
            Suspension(base, "trolley", "hook_block", "hook_block", spec.reeving.n_falls),
        ),
        details=spec,
        **lay_falling_ropes(plain, (), {}, falling),
    )


def _origins(spec: BridgeCrane) -> dict[str, Vector]:
    """Centres of mass at the start [m]."""
    start = spec.rig.start
    top = spec.crane.height
    return {
        "bridge": (0.0, start.bridge, top),
        "trolley": (start.trolley, start.bridge, top),
        "hook_block": (start.trolley, start.bridge, top - start.depth - spec.rig.bob.axle),
    }


def _bodies(spec: BridgeCrane) -> tuple[Body, ...]:
    """The bridge, if it travels, the trolley, and the bob."""
    at = _origins(spec)
    masses = spec.crane.masses
    bob = spec.rig.bob
    low, high = spec.crane.trolley_travel
    size = 0.2 * spec.crane.height
    bridge: tuple[Body, ...] = ()
    if spec.crane.bridge_travel and masses.bridge:
        beam = Box(high - low, 0.1 * (high - low), 0.1 * (high - low)).inertia(masses.bridge)
        bridge = (Body("bridge", masses.bridge, beam, position=at["bridge"]),)
    return (
        *bridge,
        Body(
            "trolley",
            masses.trolley,
            Box(size, size, size).inertia(masses.trolley),
            position=at["trolley"],
        ),
        Body(
            "hook_block",
            bob.mass,
            shape=Sphere(bob.radius),
            position=at["hook_block"],
            collides=True,
            color=BALL,
        ),
    )


def _joints(spec: BridgeCrane) -> tuple[Joint, ...]:
    """The rails, with their end stops."""
    at = _origins(spec)
    start = spec.rig.start
    crane = spec.crane
    low, high = crane.trolley_travel
    rails: tuple[Joint, ...] = ()
    if crane.bridge_travel:
        first, last = crane.bridge_travel
        rail = Joint(
            "gantry",
            "prismatic",
            "bridge",
            point=at["bridge"],
            axis=(0.0, 1.0, 0.0),
            position=start.bridge,
            lower=first,
            upper=last,
        )
        rails = (rail,)
    trolley = Joint(
        "trolley",
        "prismatic",
        "trolley",
        "bridge" if rails else WORLD,
        point=at["trolley"],
        axis=(1.0, 0.0, 0.0),
        position=start.trolley,
        lower=low,
        upper=high,
    )
    return with_friction((*rails, trolley), spec.friction, _drives(spec))


def _hoist_rope(spec: BridgeCrane, nodes: tuple[Node, ...]) -> Cable:
    """The hoist rope, as tight as the bob needs."""
    depth = spec.rig.start.depth
    _, deepest = spec.limits.depth
    n = spec.reeving.n_falls
    return Cable(
        name="hoist_rope",
        nodes=nodes,
        rope=spec.hoist_rope,
        pretension=holding_tension(nodes, _origins(spec), spec.rig.bob.mass * GRAVITY),
        damping_time=spec.rope_damping_time,
        **spec.reeving.layers,
        winch=Winch(
            "hoist_winch",
            spec.drives.hoist.rotor_mass,
            drum=spec.drum.wind_layers(spec.hoist_rope, n * (deepest - depth)),
        ),
    )


def _drives(spec: BridgeCrane) -> tuple[Drive, ...]:
    """Drives on the rails and on the drum; closed, their brakes hold what they can give."""
    hoist = spec.drives.hoist
    n = spec.reeving.n_falls
    rails = {"gantry": spec.drives.bridge, "trolley": spec.drives.trolley}
    return (
        *(rail_drive(name, drive, drive.force_max) for name, drive in rails.items() if drive),
        axis_drive(
            "hoist",
            "hoist_winch",
            Motion(n * hoist.v_max, n * hoist.accel, hoist.control),
            tau=hoist.tau,
            effort=hoist.pull_max,
            brake=hoist.pull_max,
        ),
    )


def _axes(spec: BridgeCrane, nodes: tuple[Node, ...]) -> tuple[Axis, ...]:
    """Return the motions; the hoist reads the depth of the block's axle below the trolley."""
    rails = (_bridge_axis(spec),) if spec.crane.bridge_travel and spec.drives.bridge else ()
    hoist = spec.drives.hoist
    return (
        *rails,
        straight_axis(
            "trolley",
            "along +x",
            spec.crane.trolley_travel,
            spec.drives.trolley.motion(),
            reading="trolley travel",
            linear="x",
            trade=METRES_PER_SECOND,
        ),
        hoist_axis(
            spec.limits.depth,
            hoist.motion(),
            falls=spec.reeving.n_falls,
            zero=rope_outside(nodes, _origins(spec)),
            reading="block below trolley",
            linear="-z",
            trade=METRES_PER_SECOND,
        ),
    )


def _bridge_axis(spec: BridgeCrane) -> Axis:
    """Return the travel of a bridge that has a drive."""
    assert spec.crane.bridge_travel and spec.drives.bridge
    return straight_axis(
        "gantry",
        "along +y, to the left of the trolley's way",
        spec.crane.bridge_travel,
        spec.drives.bridge.motion(),
        reading="bridge travel",
        linear="y",
        trade=METRES_PER_SECOND,
    )
