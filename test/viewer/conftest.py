"""A small crane, a source that remembers what it was told, and stand-ins for the page's library."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from cable_sim.cranes.crane import Axis, Cab, Crane, Suspension
from cable_sim.machine.pictures.frame import CablePicture, Frame
from cable_sim.machine.states import AxisState, Sway
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Drum,
    Scene,
    Segments,
    Sheave,
    Sphere,
    Surface,
    Visual,
    Winch,
)

HEIGHT = 30.0
POINTS = 17


@pytest.fixture(scope="session")
def crane() -> Crane:
    """A tower crane of four bodies with two falls, 30 m high."""
    jib = Segments(
        ends=(((-8.0, 0.0, 0.0), (40.0, 0.0, 0.0)), ((0.0, 0.0, 4.0), (40.0, 0.0, 0.0))), radius=0.3
    )
    scene = Scene(
        bodies=(
            Body("upper", 1e4, inertia=(1e5, 1e5, 1e5), position=(0.0, 0.0, HEIGHT)),
            Body("trolley", 300.0, shape=Box(1.4, 1.2, 0.3), position=(20.0, 0.0, HEIGHT)),
            Body("block", 250.0, shape=Sphere(0.4), position=(20.0, 0.0, HEIGHT - 15.0)),
            Body("load", 2000.0, shape=Box(2.0, 2.0, 1.0), position=(20.0, 0.0, HEIGHT - 18.0)),
        ),
        visuals=(
            Visual("mast", Cylinder(0.8, HEIGHT), position=(0.0, 0.0, 0.5 * HEIGHT)),
            Visual("jib", jib, body="upper"),
        ),
        cables=(
            Cable(
                "rope",
                (
                    Drum("upper", (-6.0, 0.0, 0.0), radius=0.3),
                    Sheave("trolley", (-0.5, 0.0, 0.0), radius=0.25),
                    Sheave("block", (0.0, 0.0, 0.4), radius=0.25),
                    Sheave("trolley", (0.5, 0.0, 0.0), radius=0.25),
                    Anchor("upper", (40.0, 0.0, 0.0)),
                ),
                ea=1e7,
                winch=Winch("winch"),
                breaking_force=2e5,
            ),
            Cable("sling", (Anchor("block"), Anchor("load", (0.0, 0.0, 0.5))), ea=1e6),
        ),
        surfaces=(Surface(), Surface("deck", point=(10.0, 10.0, 5.0), extent=(4.0, 3.0))),
    )
    rpm = 60.0 / (2.0 * math.pi)
    axes = (
        Axis(
            "slewing",
            "s",
            "s",
            "rad",
            "anticlockwise from above",
            -9.0,
            9.0,
            0.08,
            0.02,
            "rpm",
            rpm,
            1.0,
            0.0,
            "slewing angle",
        ),
        Axis(
            "trolley",
            "t",
            "t",
            "m",
            "outward",
            3.0,
            38.0,
            1.0,
            0.3,
            "m/min",
            60.0,
            reading="radius",
        ),
        Axis(
            "hoist",
            "h",
            "h",
            "m",
            "paying out",
            3.0,
            28.0,
            0.8,
            0.4,
            "m/min",
            -60.0,
            reading="hook below trolley",
        ),
    )
    cab = Cab("upper", (2.2, -1.7, -1.6))
    hung = Suspension("upper", "trolley", "block", "load", 2)
    return Crane("small_tower", "tower_crane", scene, axes, ("rope",), "load", (hung,), cab)


def make_frame(
    crane: Crane,
    time: float = 0.0,
    angle: float = 0.0,
    tension: float = 2e4,
    sag: float | None = None,
    **changes,
) -> Frame:
    """The crane turned by an angle [rad] about its mast, with one tension [N] in every span.

    Its hoist rope is straight, or has ``POINTS`` points a span, of which those along the jib sag
    [m].
    """
    turn = np.array(
        [
            [math.cos(angle), -math.sin(angle), 0.0],
            [math.sin(angle), math.cos(angle), 0.0],
            [0, 0, 1.0],
        ]
    )
    quaternion = np.array([math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)])
    poses = {body.name: (turn @ np.array(body.position), quaternion) for body in crane.scene.bodies}
    cables = {}
    for cable in crane.scene.cables:
        points = np.array(
            [poses[node.body][0] + turn @ np.array(node.position) for node in cable.nodes]
        )
        nodes, tensions = np.arange(len(points)), np.full(len(points) - 1, tension)
        if sag is not None and cable.name == "rope":
            nodes, x = nodes * (POINTS - 1), np.linspace(0.0, 1.0, POINTS)[:-1, None]
            spans = [(1.0 - x) * a + x * b for a, b in zip(points, points[1:], strict=False)]
            for span in (spans[0], spans[-1]):
                span[:, 2] -= 4.0 * sag * (x * (1.0 - x))[:, 0]
            points = np.concatenate([*spans, points[-1:]])
        cables[cable.name] = CablePicture(points, nodes, tensions, tension == 0.0)
    axes = {
        "slewing": AxisState(angle, 0.0, 0.0),
        "trolley": AxisState(20.0, 0.0, 0.0),
        "hoist": AxisState(15.0, 0.0, 0.0),
    }
    return Frame(time, poses, cables, axes, Sway(0.01, -0.02, 0.0, 0.0, 15.0), **changes)


class FakeSource:
    """Shows whatever frame it was given and remembers what it was told, in order."""

    def __init__(self, frame: Frame | None = None) -> None:
        self.frame = frame
        self.calls: list[tuple] = []
        self.broken = False
        self.progress = ""

    def latest(self) -> Frame | None:
        if self.broken:
            raise ConnectionError("the line is cut")
        return self.frame

    def __getattr__(self, name: str):
        if name not in (
            "command",
            "emergency_stop",
            "pause",
            "step",
            "reset",
            "close",
            "reset_limiters",
            "inject",
            "clear_faults",
        ):
            raise AttributeError(name)

        def remember(*args) -> None:
            if self.broken:
                raise ConnectionError("the line is cut")
            self.calls.append((name, *args))

        return remember

    def commands(self, axis: str) -> list[float]:
        """Speeds that an axis was told."""
        return [call[2] for call in list(self.calls) if call[0] == "command" and call[1] == axis]


@pytest.fixture
def source(crane) -> FakeSource:
    return FakeSource(make_frame(crane))


@pytest.fixture
def frame_of(crane):
    """Makes frames of the crane; see :func:`make_frame`."""
    return lambda *args, **kwargs: make_frame(crane, *args, **kwargs)


class FakeScene:
    """A scene of the page's library that remembers which nodes were added and what was set on
    them."""

    def __init__(self) -> None:
        self.nodes: dict[str, SimpleNamespace] = {}

    def __getattr__(self, name: str):
        if not name.startswith("add_"):
            raise AttributeError(name)

        def add(node: str, *args, **kwargs) -> SimpleNamespace:
            made = SimpleNamespace(kind=name, args=args, **kwargs)
            made.remove = lambda: self.nodes.pop(node)
            self.nodes[node] = made
            return made

        return add


@pytest.fixture
def api() -> FakeScene:
    return FakeScene()
