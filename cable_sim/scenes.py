"""The scene catalogue: one set of scenes for tests, papers, benchmarks, viewer and launch files."""

import inspect
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cable_sim.cranes import load_crane
from cable_sim.errors import SpecError
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Drive,
    Drum,
    Eye,
    Joint,
    Scene,
    Sheave,
    Sphere,
    Surface,
    Winch,
)  # fmt: skip
from cable_sim.spec.cables import Node
from cable_sim.spec.files import read_spec
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY

Builder = Callable[..., Scene]
CATALOGUE: dict[str, Builder] = {}
"""What builds each scene; filled by :func:`scene`."""

WEIGHTLESS = (0.0, 0.0, 0.0)


def scene(build: Builder) -> Builder:
    """Enter a function into the catalogue by its name; its keyword parameters are the scene's."""
    CATALOGUE[build.__name__] = build
    return build


def scene_names() -> tuple[str, ...]:
    """Names of the catalogue, in the order of the file."""
    return tuple(CATALOGUE)


def load_scene(name_or_path: str | Path, **parameters: Any) -> Scene:
    """The scene of a catalogue name, with its parameters, or of a YAML file.

    Raises SpecError, which lists what is known, for an unknown name or parameter; ConfigError for a wrong
    file.
    """
    name = str(name_or_path)
    if name.endswith((".yaml", ".yml")) or os.sep in name:
        if parameters:
            raise SpecError(f"scene file {name!r} takes no parameters, but was given {', '.join(parameters)}")
        return read_spec(name, Scene, scene_names())
    if name not in CATALOGUE:
        raise SpecError(f"scene {name!r} is not known; known are {', '.join(CATALOGUE)}")
    known = inspect.signature(CATALOGUE[name]).parameters
    for parameter in parameters:
        if parameter not in known:
            raise SpecError(f"scene {name!r} has no parameter {parameter!r}; known are {', '.join(known) or 'none'}")
    return CATALOGUE[name](**parameters)


@scene
def two_boxes(stiffness: float = 1e3, speed: float = 0.1, mass: float = 1000.0, pulls_only: bool = False) -> Scene:
    """Two boxes that drift apart on a cable, without gravity.

    Servin and Lacoursiere, "Massless cable for real-time simulation" (2007), section 5.1 and figure 5: cubes
    of 1000 kg and 2 m, a cable of 4 m between the facing sides, constant c_s of 10, 1e3 and 1e6 N/m. The
    stretch is a sine of period ``2 pi sqrt(m / (2 c_s))`` (44.43, 4.443, 0.1405 s) and amplitude
    ``speed sqrt(m / (2 c_s))``, because the paper's cable pushes, too. With ``pulls_only`` half a sine is
    left; then the cable is slack and the boxes approach each other with ``speed``.

    ``stiffness`` c_s [N/m], ``speed`` with which they part [m/s], ``mass`` of each [kg].
    """
    cube = Box(2.0, 2.0, 2.0)
    return Scene(
        name="two_boxes",
        bodies=(
            Body("left", mass, shape=cube, position=(-3.0, 0.0, 0.0), velocity=(-0.5 * speed, 0.0, 0.0)),
            Body("right", mass, shape=cube, position=(3.0, 0.0, 0.0), velocity=(0.5 * speed, 0.0, 0.0)),
        ),
        cables=(
            Cable(
                "cable",
                (Anchor("left", (1.0, 0.0, 0.0)), Anchor("right", (-1.0, 0.0, 0.0))),
                stiffness=stiffness,
                length=4.0,
                pulls_only=pulls_only,
            ),
        ),
        gravity=WEIGHTLESS,
    )


@scene
def pendulum(length: float = 5.0, mass: float = 100.0, angle: float = 0.2, ea: float | None = None) -> Scene:
    """A ball on a cable, let go at an angle.

    The cable holds the ball at its centre, so the ball does not turn and the period is that of a mathematical
    pendulum: ``4 sqrt(l / g) K(sin(angle / 2))``, about ``2 pi sqrt(l / g) (1 + angle^2 / 16)``.

    ``length`` [m], ``mass`` [kg], ``angle`` from the vertical [rad], ``ea`` [N], inextensible when left out.
    """
    position = (length * math.sin(angle), 0.0, -length * math.cos(angle))
    return Scene(
        name="pendulum",
        bodies=(Body("ball", mass, shape=Sphere(0.25), position=position),),
        cables=(Cable("cable", (Anchor("world"), Anchor("ball")), ea=ea, length=length),),
    )


@scene
def atwood(left: float = 60.0, right: float = 40.0, efficiency: float = 1.0) -> Scene:
    """Two weights over a wheel: Atwood's machine, from rest.

    Without loss the heavier side falls with ``g (m1 - m2) / (m1 + m2)`` under the tension
    ``2 g m1 m2 / (m1 + m2)``; with efficiency e, ``g (e m1 - m2) / (e m1 + m2)``, or not at all when e m1 <
    m2.

    ``left``, ``right`` [kg], ``efficiency`` of the wheel [-].
    """
    return Scene(
        name="atwood",
        bodies=(
            Body("left", left, shape=Box(0.3, 0.3, 0.5), position=(-0.3, 0.0, -5.25)),
            Body("right", right, shape=Box(0.3, 0.3, 0.5), position=(0.3, 0.0, -5.25)),
        ),
        cables=(
            Cable(
                "cable",
                (
                    Anchor("left", (0.0, 0.0, 0.25)),
                    Sheave("world", (-0.3, 0.0, 0.0), efficiency, radius=0.04),
                    Eye("world", (0.3, 0.0, 0.0)),
                    Anchor("right", (0.0, 0.0, 0.25)),
                ),
            ),
        ),
    )


@scene
def tackle(n_falls: int = 4, efficiency: float = 0.917, mass: float = 1000.0, speed: float = 0.5) -> Scene:
    """A block and tackle that hoists a guided weight, the lead line leaving over the upper block.

    With n falls the rope runs over n wheels. Hoisting, the weight is ``E (1 - E^n) / (1 - E)`` times the lead
    line's tension (Pipeline Rules of Thumb Handbook: 3.25 for n = 4 and E = 0.917).

    ``n_falls`` 1 to 16, ``efficiency`` of each wheel, ``mass`` [kg], rope ``speed`` taken in [m/s].
    """
    if not 1 <= n_falls <= 16:
        raise SpecError(f"tackle: n_falls must be 1 ... 16, not {n_falls}")
    ea, pitch, height = 1.0e7, 0.4, 10.0
    centre = 0.5 * pitch * (n_falls + 1)
    return Scene(
        name="tackle",
        bodies=(Body("block", mass, shape=Box(pitch * n_falls, 0.4, 0.6), position=(centre, 0.0, 0.0)),),
        joints=(Joint("guide", "prismatic", "block", point=(centre, 0.0, 0.0)),),
        cables=(
            Cable(
                "rope",
                tuple(_tackle_path(n_falls, efficiency, pitch, height, centre)),
                ea=ea,
                pretension=mass * GRAVITY / n_falls,
                damping_ratio=0.2,
                winch=Winch("winch", 500.0),
            ),
        ),
        drives=(Drive("haul", "winch", target=-speed, max_acceleration=1.0),),
    )


def _tackle_path(n: int, efficiency: float, pitch: float, height: float, centre: float) -> list[Node]:
    """Nodes from the drum to the dead end; part 0 is the lead line, parts 1...n the falls, all upright."""
    nodes: list[Node] = [Drum("world", (0.0, 0.0, 0.0))]
    for wheel in range(n):
        upper = wheel % 2 == 0
        body, x0, z = ("world", 0.0, height) if upper else ("block", centre, 0.3)
        first, second = (wheel * pitch - x0, 0.0, z), ((wheel + 1) * pitch - x0, 0.0, z)
        nodes += [Sheave(body, first, efficiency, radius=0.04), Eye(body, second)]
    x = n * pitch
    return [
        *nodes,
        Anchor("world", (x, 0.0, height)) if n % 2 == 0 else Anchor("block", (x - centre, 0.0, 0.3)),
    ]


@scene
def bouncing_load(
    mass: float = 1000.0, stiffness: float = 4.0e4, length: float = 10.0, damping_ratio: float = 0.0
) -> Scene:
    """A load let go on a straight but unloaded cable.

    It swings between nothing and twice the static stretch ``m g / k`` with the period ``2 pi sqrt(m / k)``;
    the largest tension is ``2 m g``.

    ``mass`` [kg], ``stiffness`` k [N/m], ``length`` [m], ``damping_ratio`` [-].
    """
    return Scene(
        name="bouncing_load",
        bodies=(Body("load", mass, shape=Box(0.5, 0.5, 0.5), position=(0.0, 0.0, -length - 0.25)),),
        cables=(
            Cable(
                "cable",
                (Anchor("world"), Anchor("load", (0.0, 0.0, 0.25))),
                stiffness=stiffness,
                length=length,
                damping_ratio=damping_ratio,
            ),
        ),
    )


@scene
def sliding_box(angle: float = 0.0, speed: float = 2.0, friction: float = 0.3, mass: float = 100.0) -> Scene:
    """A flat box pushed down an incline.

    It decelerates with ``g (mu cos(angle) - sin(angle))``: on the level it stops after ``v^2 / (2 mu g)``;
    where ``tan(angle) > mu`` it speeds up. It starts sunk in by its weight, so it does not bounce.

    ``angle`` of the incline [rad], ``speed`` down it [m/s], ``friction`` mu [-], ``mass`` [kg].
    """
    sin, cos = math.sin(angle), math.cos(angle)
    ground = Surface(normal=(sin, 0.0, cos), friction=friction)
    height = 0.1 - mass * GRAVITY * cos / (4.0 * ground.stiffness)
    return Scene(
        name="sliding_box",
        bodies=(
            Body(
                "box",
                mass,
                shape=Box(1.0, 1.0, 0.2),
                position=(height * sin, 0.0, height * cos),
                orientation=(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0),
                velocity=(speed * cos, 0.0, -speed * sin),
                collides=True,
            ),
        ),
        surfaces=(ground,),
    )


@scene
def spinning_body(rate: float = 5.0, tumble: float = 0.01) -> Scene:
    """A book that spins freely about its middle axis and tumbles.

    Euler's equations for moments A < B < C conserve ``2 T = A p^2 + B q^2 + C r^2`` and
    ``H^2 = A^2 p^2 + B^2 q^2 + C^2 r^2``; the spin about the middle axis is unstable (Goldstein, Classical
    Mechanics, section 5.6).

    ``rate`` about the middle axis [rad/s], ``tumble`` about the other two [rad/s].
    """
    book = Box(0.3, 0.2, 0.04)
    return Scene(
        name="spinning_body",
        bodies=(Body("book", 2.0, shape=book, angular_velocity=(tumble, rate, tumble)),),
        gravity=WEIGHTLESS,
    )


@scene
def chain(n: int = 8, length: float = 0.5, mass: float = 2.0) -> Scene:
    """A chain of rods on ball joints, held at one end and let go level.

    Energy is conserved; the centre of mass starts to fall as a rigid rod of the whole length would.

    ``n`` rods, ``length`` [m] and ``mass`` [kg] of each.
    """
    if n < 1:
        raise SpecError(f"chain: n must be at least 1, not {n}")
    lying = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
    names = ["world", *(f"rod_{i}" for i in range(1, n + 1))]
    return Scene(
        name="chain",
        bodies=tuple(
            Body(
                name,
                mass,
                shape=Cylinder(0.03, length),
                position=((i + 0.5) * length, 0.0, 0.0),
                orientation=lying,
            )
            for i, name in enumerate(names[1:])
        ),
        joints=tuple(
            Joint(f"joint_{i + 1}", "ball", child, parent, point=(i * length, 0.0, 0.0))
            for i, (parent, child) in enumerate(zip(names, names[1:], strict=False))
        ),
    )


@scene
def net(
    rows: int = 6, columns: int = 6, spacing: float = 0.5, mass: float = 1.0, sag: float = 0.2, ea: float | None = 1e5
) -> Scene:
    """A net held at its corners, let go with all cables taut: small balls joined to their neighbours by cables.

    It is the network of Servin et al. 2011, figures 7 and 8: the worst case for an envelope, because every elimination
    order leaves a band as wide as the net. It starts on a parabolic surface on which a net held at its sides would be
    in equilibrium, with that net's tension ``m g a / (4 d (1/(rows-1)^2 + 1/(columns-1)^2))`` in elastic cables, a
    the spacing, d the sag in metres; held at its corners only, it contracts and swings.

    ``rows``, ``columns`` of knots [-], their ``spacing`` in plan [m], ``mass`` of a ball [kg], ``sag`` of the middle
    over the sides' length [-], ``ea`` of the cables [N], None for inextensible ones.
    """
    if min(rows, columns) < 2:
        raise SpecError(f"net: rows and columns must be at least 2, not {rows} and {columns}")
    points = _net_points(rows, columns, spacing, sag)
    corners = {(i, j) for i in (0, rows - 1) for j in (0, columns - 1)}

    def end(at: tuple[int, int]) -> Anchor:
        return Anchor("world", points[at]) if at in corners else Anchor("ball_{}_{}".format(*at))

    steps = 1.0 / (rows - 1) ** 2 + 1.0 / (columns - 1) ** 2
    pull = mass * GRAVITY * spacing / (4.0 * sag * spacing * max(rows - 1, columns - 1) * steps)
    material: dict[str, Any] = {"ea": ea, "pretension": pull, "damping_time": 0.02} if ea else {}
    pairs = [((i, j), (i, j + 1)) for i in range(rows) for j in range(columns - 1)]
    pairs += [((i, j), (i + 1, j)) for i in range(rows - 1) for j in range(columns)]
    return Scene(
        name="net",
        bodies=tuple(
            Body("ball_{}_{}".format(*at), mass, shape=Sphere(0.05), position=point)
            for at, point in points.items()
            if at not in corners
        ),
        cables=tuple(
            Cable("cable_{}_{}_{}_{}".format(*a, *b), (end(a), end(b)), **material)
            for a, b in pairs
            if not {a, b} <= corners
        ),
    )


def _net_points(rows: int, columns: int, spacing: float, sag: float) -> dict[tuple[int, int], Vector]:
    """Knots on the parabolic surface through the corners, row by row [m]."""
    depth = sag * spacing * max(rows - 1, columns - 1)
    points = {}
    for i in range(rows):
        for j in range(columns):
            u, v = i / (rows - 1), j / (columns - 1)
            z = -2.0 * depth * (u * (1.0 - u) + v * (1.0 - v))
            points[i, j] = (i * spacing, j * spacing, z)
    return points


@scene
def tower_12t_2falls_hanging(radius: float = 20.0, hook_depth: float = 40.0, mass: float = 6000.0) -> Scene:
    """The tower crane with its rated load at rest on two falls.

    At the defaults the line pull is 31.1 kN, the load stretches the rope by 0.227 m and bounces with 1.05 Hz.

    ``radius`` of the trolley [m], ``hook_depth`` below the trolley sheaves [m], ``mass`` of the load [kg].
    """
    return _hanging(2, radius, hook_depth, mass)


@scene
def tower_12t_4falls_hanging(radius: float = 20.0, hook_depth: float = 40.0, mass: float = 12000.0) -> Scene:
    """The tower crane with its rated load at rest on four falls and four slings: the slung-load benchmark.

    ``radius`` of the trolley [m], ``hook_depth`` below the trolley sheaves [m], ``mass`` of the load [kg].
    """
    return _hanging(4, radius, hook_depth, mass)


def _hanging(n_falls: int, radius: float, hook_depth: float, mass: float) -> Scene:
    """The 12 t tower crane with the load off the ground."""
    start = {"rig.start.state": "hanging", "rig.start.radius": radius, "rig.start.hook_depth": hook_depth}
    return load_crane("tower_12t", {**start, "reeving.n_falls": n_falls, "rig.load.mass": mass}).scene


@scene
def tower_crane(changes: Mapping[str, Any] | None = None) -> Scene:
    """The tower crane as its file ``config/tower_12t.yaml`` has it, the load on the ground.

    ``changes`` to values of the file by their path: ``{"rig.load.mass": 6000.0}``.
    """
    return load_crane("tower_crane", changes).scene
