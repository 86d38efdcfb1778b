"""Ropes start at rest: those of masses with lengths to 1e-9, balance, and no energy; what is too
short is refused."""

import math

import numpy as np
import pytest
from messages import naming
from numpy.typing import NDArray

from cable_sim import Simulator
from cable_sim.errors import ModelError
from cable_sim.model.laying.hanging import Strand
from cable_sim.model.laying.lying import Plane, bow, hang
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Cylinder,
    Ground,
    Hybrid,
    Loose,
    Lumped,
    Obstacle,
    Scene,
)

Array = NDArray[np.float64]
UP = np.array([0.0, 0.0, 1.0])
FLOOR = Plane(np.zeros(3), UP)


def drawn(seed: int) -> tuple[Array, Array, Strand]:
    """Ends and segments of a rope that is slack: 3 to 100 masses, 1.0001 to 5 times as long as its
    way."""
    rng = np.random.default_rng(seed)
    count, length = int(rng.integers(2, 100)), 10.0 ** rng.uniform(-1.0, 2.0)
    direction = rng.normal(size=3) * (1.0, 1.0, 10.0 ** rng.uniform(-1.0, 2.0))
    chord = length / (1.0 + 10.0 ** rng.uniform(-4.0, math.log10(4.0)))
    start = np.array([0.0, 0.0, rng.uniform(0.0, 1.0) * length])
    end = start + chord * direction / np.linalg.norm(direction)
    lift = max(0.0, -float(end[2])) * UP
    strain = 10.0 ** rng.uniform(-7.0, -2.0) / count
    return start + lift, end + lift, Strand(count, length / count, strain, bool(seed % 2))


def forces(points: Array, strand: Strand) -> tuple[Array, Array]:
    """Pull of each segment in weights of a mass, and what is left on each mass between the ends (n,
    3)."""
    reach = np.diff(points, axis=0)
    length = np.linalg.norm(reach, axis=1)
    pull = (length / strand.length - 1.0) / strand.strain
    pull = pull if strand.pushes else np.maximum(pull, 0.0)
    force = (pull / length)[:, None] * reach
    return pull, force[1:] - force[:-1] - UP


@pytest.mark.parametrize("seed", range(400))
def test_a_slack_rope_hangs_in_balance(seed: int) -> None:
    """By what its segments' stretch pulls with; rounding of their lengths is felt as 1e-15 /
    strain."""
    start, end, strand = drawn(seed)
    points = hang(start, end, strand, UP)
    assert points is not None
    pull, left = forces(points, strand)
    assert np.abs(left).max() < 1e-11 / strand.strain + 1e-6
    length = np.linalg.norm(np.diff(points, axis=0), axis=1) / strand.length
    short = np.flatnonzero(length < 1.0 - 1e-9)
    assert (
        short.size <= 1
        and (length[short] >= 1.0 + strand.strain * pull[short] - 1e-9).all()
        or not strand.pushes
    )
    assert (points[0] == start).all() and (points[-1] == end).all()


@pytest.mark.parametrize("seed", range(400))
def test_a_rope_that_reaches_the_ground_lies_on_it(seed: int) -> None:
    """No mass is under it; in the air each is in balance, but where a single segment spreads two
    legs."""
    start, end, strand = drawn(seed)
    points = hang(start, end, strand, UP, FLOOR)
    assert points is not None
    assert points[:, 2].min() > -1e-8 * strand.length
    length = np.linalg.norm(np.diff(points, axis=0), axis=1) / strand.length
    assert length.max() < 1.0 + 200.0 * strand.strain * strand.segments
    assert np.sort(length)[int(not strand.pushes)] > 1.0 - 10.0 * strand.strain - 1e-9
    _, left = forces(points, strand)
    in_air = points[1:-1, 2] > 1e-6 * strand.length
    assert np.abs(left[in_air]).max(initial=0.0) < 1e-11 / strand.strain + 1e-6
    assert (
        left[~in_air, 2].max(initial=-1.0) < 1e-11 / strand.strain + 1e-6
    )  # nothing pulls what lies off the ground


@pytest.mark.parametrize(
    ("chords", "distance"), [(2, 1.0), (5, 0.0), (7, 6.9999999), (40, 3.0), (3, 1.0)]
)
def test_slack_on_the_ground_lies_in_an_arc(chords: int, distance: float) -> None:
    """Equal chords, equal turns."""
    points = bow(np.zeros(3), np.array([distance, 0.0, 0.0]), chords)
    steps = np.diff(points, axis=0)
    assert np.allclose(np.linalg.norm(steps, axis=1), 1.0, atol=1e-12)
    assert points[-1] == pytest.approx([distance, 0.0, 0.0], abs=1e-7)
    turns = np.einsum("ij,ij->i", steps[1:], steps[:-1])
    assert np.allclose(turns, turns[0], atol=1e-9)


def test_three_rods_under_one_point_make_a_triangle() -> None:
    """Both ends in one place: equal sides, and the lowest rod is pushed with 1 / 2 tan 30 of a
    mass's weight."""
    points = hang(np.zeros(3), np.zeros(3), Strand(3, 1.0, 1e-9, True), UP)
    assert points is not None
    assert points[1, 2] == pytest.approx(-math.cos(math.pi / 6.0), abs=1e-7)
    pull, _ = forces(points, Strand(3, 1.0, 1e-9, True))
    assert pull[1] == pytest.approx(-math.tan(math.pi / 6.0), rel=1e-5)


def rope(
    start: tuple[float, ...],
    end: Anchor | Loose,
    length: float,
    obstacles: tuple[Obstacle, ...] = (),
    **made: object,
) -> Scene:
    """A slack rope of EA 1 MN and 1 kg/m from a point of the world, and what it touches."""
    return Scene(
        obstacles=obstacles,
        cables=(Cable("rope", (Anchor("world", start), end), ea=1e6, length=length, **made),),
    )


def peak(simulator: Simulator, steps: int = 100, count: int = 10) -> float:
    """Largest kinetic energy of the next second [J]."""
    found = 0.0
    for _ in range(steps):
        simulator.step(count)
        found = max(found, simulator.observe().energy.kinetic)
    return found


@pytest.mark.parametrize("masses", [3, 10, 60])
@pytest.mark.parametrize(
    "end", [(10.0, 0.0, 5.0), (2.0, -1.0, -8.0), (0.01, 0.0, 5.0), (0.0, 0.0, -8.3)]
)
def test_a_chain_that_hangs_does_not_move(end: tuple[float, float, float], masses: int) -> None:
    """It flew off with up to 12 kJ; its weight times its length is 1.9 kJ."""
    simulator = Simulator(
        rope((0.0, 0.0, 5.0), Anchor("world", end), 14.0, lumped=Lumped(masses, density=1.0))
    )
    assert peak(simulator) < 1e-3


@pytest.mark.parametrize("end", [(10.0, 0.0, 5.0), (0.01, 0.0, 5.0)])
def test_a_wire_that_hangs_does_not_move(end: tuple[float, float, float]) -> None:
    simulator = Simulator(
        rope((0.0, 0.0, 5.0), Anchor("world", end), 14.0, hybrid=Hybrid(density=1.0, most=20))
    )
    assert peak(simulator) < 1e-2


@pytest.mark.parametrize("length", [6.0, 6.5, 8.0, 12.0, 30.0])
@pytest.mark.parametrize("kind", ["hybrid", "lumped"])
def test_a_hose_whose_end_is_on_the_ground_lies(kind: str, length: float) -> None:
    """It went through the ground and flew off at up to 95 m/s; what friction does not hold slides
    now."""
    ground = Ground(friction=0.5)
    layer = (
        Hybrid(density=1.0, most=15, ground=ground)
        if kind == "hybrid"
        else Lumped(17, density=1.0, ground=ground)
    )
    simulator = Simulator(rope((0.0, 0.0, 5.0), Loose((3.0, 0.0, 0.0)), length, **{kind: layer}))
    start, highest = simulator.observe().energy.total, -math.inf
    for _ in range(100):
        simulator.step(10)
        energy = simulator.observe().energy
        highest = max(highest, energy.total)
        assert energy.kinetic < (10.0 if length < 8.0 else 1e-3)
    assert highest < start + 1e-3


def test_springs_lie_as_deep_in_the_ground_as_they_sink() -> None:
    ground = Ground(friction=0.5, repulsion=500.0, absorption=9.0)
    made = Lumped(41, "springs", density=1.0, friction=20.0, ground=ground)
    simulator = Simulator(
        rope((0.0, 0.0, 2.0), Anchor("world", (3.0, 0.0, 1.0)), 12.0, lumped=made)
    )
    assert peak(simulator, 20, 5) < 0.05  # 118 J of weight times height


@pytest.mark.parametrize(("top", "length"), [(4.0, 10.5), (4.0, 12.0), (4.6, 10.5), (3.0, 12.0)])
def test_a_slack_wire_over_a_box_starts_outside_of_it(top: float, length: float) -> None:
    """It hung through the box and was led around it, stretched to twice its length: 490 MJ."""
    box = Obstacle("box", Box(1.0, 2.0, 2.0), position=(0.0, 0.0, top - 1.0))
    made = {"hybrid": Hybrid(density=1.0, most=20), "touches": ("box",)}
    simulator = Simulator(
        rope((-5.0, 0.0, 5.0), Anchor("world", (5.0, 0.0, 5.0)), length, (box,), **made)
    )
    start = simulator.observe().energy
    assert start.elastic < 1.0
    for _ in range(50):
        simulator.step(10)
        assert simulator.observe().energy.total < start.total + 1e-3


@pytest.mark.parametrize(
    "layer", [Lumped(9, density=1.0, ground=Ground()), Hybrid(density=1.0, ground=Ground())]
)
def test_a_free_end_under_the_ground_is_refused(layer: Lumped | Hybrid) -> None:
    made = {"lumped" if isinstance(layer, Lumped) else "hybrid": layer}
    with pytest.raises(ModelError, match=naming("'rope' last loose end 0.5 m below ground")):
        Simulator(rope((0.0, 0.0, 5.0), Loose((3.0, 0.0, -0.5)), 8.0, **made))


def test_a_chain_laid_over_a_corner_is_not_squeezed() -> None:
    """A segment that cuts the corner was 29 % short, and pushed with 0.3 MN; its end stays where it
    is put."""
    made = Lumped(21, density=1.0, ground=Ground(friction=0.5), path=((0.0, 0.0, 0.0),))
    cable = Cable(
        "rope",
        (Anchor("world", (0.0, 0.0, 2.93)), Loose((3.0, 0.0, 0.0))),
        ea=1e6,
        lumped=made,
        pulls_only=False,
    )
    simulator = Simulator(Scene(cables=(cable,)))
    seen = simulator.observe().cable("rope")
    assert seen.span_length / (5.93 / 20.0) == pytest.approx(1.0, abs=1e-4)
    assert peak(simulator, 50) < 1.0


@pytest.mark.parametrize("lumped", [None, Lumped(5, density=1.0)])
def test_a_cable_that_cannot_stretch_must_be_long_enough(lumped: Lumped | None) -> None:
    body = Body("box", 1000.0, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, 5.0))
    cable = Cable(
        "rope", (Anchor("world", (0.0, 0.0, 10.0)), Anchor("box")), length=4.5, lumped=lumped
    )
    with pytest.raises(ModelError, match=naming("'rope' length 4.5 m 5")):
        Simulator(Scene(bodies=(body,), cables=(cable,)))


def at_random(seed: int) -> tuple[Scene, bool]:
    """A rope of any kind, slack, half of them over a ground, some with a free end, and True for
    those without one."""
    rng, kind = np.random.default_rng(seed), ("chain", "springs", "tutorial", "hybrid")[seed % 4]
    count, length = int(rng.integers(3, 60)), float(rng.uniform(3.0, 30.0))
    reach = rng.normal(size=3) * (1.0, 1.0, 10.0 ** rng.uniform(-1.0, 1.0))
    reach *= length / (1.0 + 10.0 ** rng.uniform(-4.0, 0.6)) / np.linalg.norm(reach)
    held, grounded = bool(rng.random() < 0.7), bool(rng.random() < 0.5)
    height = rng.uniform(0.0, 0.6 * length) + max(0.0, -float(reach[2]))
    start, end = (0.0, 0.0, height), (float(reach[0]), float(reach[1]), height + float(reach[2]))
    made = dict(density=1.0, ground=Ground(friction=0.5) if grounded else None)
    if kind in ("springs", "tutorial"):
        mass = length / count
        if grounded:  # it sinks by a centimetre
            made["ground"] = Ground(friction=0.5, repulsion=981.0 * mass, absorption=62.6 * mass)
        made["friction"] = 0.1 * math.sqrt(1e4)
    layer = (
        {"hybrid": Hybrid(most=count, **made)}
        if kind == "hybrid"
        else {"lumped": Lumped(count, kind, **made)}
    )
    ends = (Anchor("world", start), Anchor("world", end) if held else Loose(end))
    return Scene(cables=(Cable("rope", ends, ea=1e4, length=length, **layer),)), held


@pytest.mark.parametrize("seed", range(32))
def test_a_rope_at_random_gains_no_energy(seed: int) -> None:
    """In its first second; without a free end it hardly moves: in parts of its weight times its
    length."""
    scene, held = at_random(seed)
    simulator = Simulator(scene)
    start, scale = simulator.observe().energy.total, 9.81 * scene.cables[0].length ** 2
    for _ in range(40):
        simulator.step(25)
        energy = simulator.observe().energy
        assert energy.total - start < 1e-3 * scale
        assert energy.kinetic < 1e-4 * scale or not held


def test_an_inextensible_rope_too_short_for_its_path_is_refused() -> None:
    """The straight way is 17.459 m, the one round the pipe 17.468 m: less than that is not a
    start."""

    def around(length: float) -> Scene:
        load = Body(
            "load",
            1000.0,
            shape=Box(1.0, 1.0, 1.0),
            position=(-9.0, 1.9225708222704743, 7.838550870945873),
        )
        rope = Cable(
            "rope",
            (Anchor("world", (2.0, -1.0, 21.0)), Anchor("load", (0.0, -0.1, -0.1))),
            length=length,
            touches=("pipe",),
        )
        pipe = Obstacle(
            "pipe",
            Cylinder(0.8549, 4.43808507801147),
            position=(-5.227466, 0.233814536, 11.97883926),
        )
        return Scene(bodies=(load,), cables=(rope,), obstacles=(pipe,))

    path = Simulator(around(30.0)).observe().cable("rope").length
    assert path == pytest.approx(17.468, abs=1e-3)
    assert Simulator(around(path)).step(20).status == 0
    for short in (1e-6, 1e-3, 0.1):
        with pytest.raises(ModelError, match=naming("cable 'rope' length path")):
            Simulator(around(path - short))
