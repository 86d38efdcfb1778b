"""Damping ratios against the modes that they are for: any number of ropes, wherever and however the
scene starts."""

import math
import warnings

import numpy as np
import pytest

from cable_sim import Anchor, Body, Box, Cable, Drive, Joint, Scene, Simulator, Sphere, Winch
from cable_sim.cranes import crane_names, load_crane
from cable_sim.errors import CableSimWarning
from cable_sim.model.damping import connected_groups
from cable_sim.scenes import load_scene
from cable_sim.spec import Surface

G, MASS, STIFFNESS, EA = 9.81, 1000.0, 1e5, 1e6
LOAD = Body("load", mass=MASS, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, 5.0))
RATIO = 0.02
BOUNCE = 2.0 * RATIO * math.sqrt(MASS / STIFFNESS)
"""Damping time of the load on all its ropes together [s]."""


def ring(count: int, radius: float = 0.4) -> list[tuple[float, float]]:
    """Places on a circle; one rope hangs in the middle."""
    angles = 2.0 * math.pi * np.arange(count) / count
    return (
        [(0.0, 0.0)]
        if count == 1
        else [(radius * math.cos(a), radius * math.sin(a)) for a in angles]
    )


def hung(
    places: list[tuple[float, float]], height: float = 0.5, body: Body = LOAD, **more
) -> Scene:
    """A load on upright, unstretched ropes of 10 m, which together have STIFFNESS."""
    top = body.position[2] + height + 10.0
    ropes = [
        Cable(
            f"rope_{i}",
            [Anchor("world", (x, y, top)), Anchor(body.name, (x, y, height))],
            ea=EA / len(places),
            length=10.0,
            damping_ratio=RATIO,
        )
        for i, (x, y) in enumerate(places)
    ]
    return Scene(bodies=[body], cables=ropes, **more)


def times(scene: Scene | Simulator) -> np.ndarray:
    """Damping times of the cables [s]."""
    model = (scene if isinstance(scene, Simulator) else Simulator(scene))._model
    return model.rows.damping_time[model.cables.row[model.cables.row >= 0]]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("radius", [0.4, 0.02])
def test_load_let_go_on_n_ropes_peaks_as_on_one(count: int, radius: float) -> None:
    """The peak of a damped oscillator that is let go: m g (1 + exp(-pi zeta / sqrt(1 - zeta^2))),
    within 2 %."""
    simulator, peak = Simulator(hung(ring(count, radius))), 0.0
    np.testing.assert_allclose(times(simulator), BOUNCE, rtol=1e-9)
    for _ in range(400):
        simulator.step()
        seen = simulator.observe()
        peak = max(peak, sum(seen.tension(f"rope_{i}") for i in range(count)))
    expected = MASS * G * (1.0 + math.exp(-math.pi * RATIO / math.sqrt(1.0 - RATIO**2)))
    assert peak == pytest.approx(expected, rel=2e-3)


def test_ropes_of_a_narrow_pair_share_the_load() -> None:
    """Whatever the angle between them: their shape does not go off sideways."""
    for apart in (0.0, 1e-6, 1e-3, 0.1, 1.0):
        places = [(-apart, 0.0), (apart, 0.0)]
        ropes = [
            Cable(
                f"rope_{i}",
                [Anchor("world", (x, 0.0, 15.5)), Anchor("load", (0.0, 0.0, 0.5))],
                stiffness=STIFFNESS / 2.0,
                damping_ratio=RATIO,
            )
            for i, (x, _) in enumerate(places)
        ]
        np.testing.assert_allclose(times(Scene(bodies=[LOAD], cables=ropes)), BOUNCE, rtol=1e-6)


@pytest.mark.parametrize("light", [1e-3, 1.0, 1e3, 1e9])
def test_rope_carries_all_that_hangs_below_it(light: float) -> None:
    """Two ropes, one below the other, with a body between them: the upper one has both masses, the
    lower the load."""
    block = Body("block", mass=light, shape=Sphere(0.1), position=(0.0, 0.0, 8.0))
    ropes = [
        Cable(
            "upper",
            [Anchor("world", (0.0, 0.0, 15.0)), Anchor("block")],
            stiffness=4e5,
            damping_ratio=RATIO,
        ),
        Cable(
            "lower",
            [Anchor("block"), Anchor("load", (0.0, 0.0, 0.5))],
            stiffness=1e5,
            damping_ratio=RATIO,
        ),
    ]
    expected = 2.0 * RATIO * np.sqrt([(light + MASS) / 4e5, MASS / 1e5])
    np.testing.assert_allclose(
        times(Scene(bodies=[block, LOAD], cables=ropes)), expected, rtol=1e-6
    )


@pytest.mark.parametrize("kind", ["inextensible", "driven"])
def test_rope_that_does_not_stretch_holds_what_is_on_it(kind: str) -> None:
    """Of a load below a block below such a rope only the load moves on the rope between them."""
    block = Body("block", mass=1.0, shape=Sphere(0.1), position=(0.0, 0.0, 8.0))
    hoist = Cable(
        "hoist", [Anchor("world", (0.0, 0.0, 15.0)), Anchor("block")], driven=kind == "driven"
    )
    sling = Cable(
        "sling",
        [Anchor("block"), Anchor("load", (0.0, 0.0, 0.5))],
        stiffness=STIFFNESS,
        damping_ratio=RATIO,
    )
    drives = [Drive("motor", "hoist")] if kind == "driven" else []
    scene = Scene(bodies=[block, LOAD], cables=[hoist, sling], drives=drives)
    assert times(scene)[-1] == pytest.approx(BOUNCE, rel=1e-9)


def test_ground_does_not_hold_the_load() -> None:
    """A load that stands on the ground has the times of one that hangs."""
    standing = Body(
        "load", mass=MASS, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, 0.5), collides=True
    )
    np.testing.assert_allclose(
        times(hung(ring(4), body=standing, surfaces=[Surface("ground")])), BOUNCE, rtol=1e-9
    )


@pytest.mark.parametrize("kind", ["fixed", "ball", "hinge"])
def test_load_released_by_a_latch_bounces_as_ever(kind: str) -> None:
    """Locked at the start, then let go: the damping time and the deepest place of a load that
    nobody held."""
    simulator = Simulator(
        hung([(0.0, 0.0)], joints=[Joint("latch", kind, "load", point=(0.2, 0.0, 5.0))])
    )
    simulator.unlock("latch")
    assert times(simulator) == pytest.approx(BOUNCE, rel=1e-9)
    heights = []
    for _ in range(350):
        simulator.step()
        heights.append(5.0 - simulator.observe().body("load").position[2])
    assert max(heights) == pytest.approx(
        MASS * G / STIFFNESS * (1.0 + math.exp(-math.pi * RATIO)), rel=2e-3
    )


def test_rope_through_a_pin_has_no_lever_from_rounding() -> None:
    """Its line meets the pin: nothing moves on it but for rounding, and it takes the mass of the
    load."""
    along, pin = np.array([0.3, -0.5, 0.7]) / math.sqrt(0.83), np.array([0.13, 0.29, 5.31])
    start, end = (tuple((pin + reach * along).tolist()) for reach in (7.0, -0.37))
    rope = Cable(
        "rope",
        [Anchor("world", start), Anchor("load", (end[0], end[1], end[2] - 5.0))],
        stiffness=STIFFNESS,
        damping_ratio=RATIO,
    )
    latch = Joint("pin", "hinge", "load", point=tuple(pin.tolist()), axis=(0.1, 0.9, 0.2))
    with warnings.catch_warnings():
        warnings.simplefilter("error", CableSimWarning)
        assert times(Scene(bodies=[LOAD], joints=[latch], cables=[rope])) == pytest.approx(
            BOUNCE, rel=1e-9
        )


def test_what_is_let_go_takes_the_ratios_anew() -> None:
    """A container below a spreader on four ropes: locked both count, unlocked the spreader,
    restored both again."""
    bodies = [
        LOAD,
        Body("box", mass=3.0 * MASS, shape=Box(1.0, 1.0, 1.0), position=(0.0, 0.0, 4.0)),
    ]
    scene = hung(ring(4))
    locks = [Joint("locks", "fixed", "box", "load", point=(0.0, 0.0, 4.5))]
    for solver in ("envelope", "sparse"):
        simulator = Simulator(
            Scene(bodies=bodies, joints=locks, cables=scene.cables), solver=solver
        )
        start = simulator.save()
        np.testing.assert_allclose(times(simulator), 2.0 * BOUNCE, rtol=1e-9)
        simulator.unlock("locks")
        np.testing.assert_allclose(times(simulator), BOUNCE, rtol=1e-9)
        simulator.step()
        simulator.restore(start)
        np.testing.assert_allclose(times(simulator), 2.0 * BOUNCE, rtol=1e-9)
        simulator.step()


def test_ropes_left_after_unhooking_carry_more() -> None:
    """Of four ropes two are unhooked, and hooked on again."""
    simulator = Simulator(hung(ring(4)))
    for name in ("rope_0", "rope_2"):
        simulator.unhook(name)
    np.testing.assert_allclose(times(simulator)[[1, 3]], math.sqrt(2.0) * BOUNCE, rtol=1e-9)
    for name in ("rope_0", "rope_2"):
        simulator.hook(name, reach=0.1)
    np.testing.assert_allclose(times(simulator), BOUNCE, rtol=1e-9)


def test_all_starts_of_the_cranes_have_the_same_times() -> None:
    """Those on the ground and those that hang; none of them needs a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CableSimWarning)
        for name in ("tower_12t", "tower_5t", "rtg_41t", "sts_51t"):
            assert name in crane_names()
            cranes = [
                load_crane(name, {"rig.start.state": start}) for start in ("on_ground", "hanging")
            ]
            both = [times(crane.scene) for crane in cranes]
            if name.startswith("tower"):  # of the hoist rope as long as it is then
                ways = [Simulator(crane.scene).observe().cable("hoist_rope") for crane in cranes]
                ratio = math.sqrt(ways[1].length / ways[0].length)
                assert both[1][0] / both[0][0] == pytest.approx(ratio, rel=2e-3)
                both = [found[1:] for found in both]
            np.testing.assert_allclose(both[0], both[1], rtol=1e-9, err_msg=name)
            assert both[0].max() < 0.01
        assert times(load_scene("container_on_stack")).max() < 0.01


def test_slings_share_the_load_of_the_tower_crane() -> None:
    """Four slings, each with a quarter of the load."""
    crane = load_crane("tower_12t")
    load = next(body for body in crane.scene.bodies if body.name == "load")
    slings = [cable for cable in crane.scene.cables if cable.name.startswith("sling")]
    expected = [2.0 * c.loss_ratio * math.sqrt(c.length / c.ea * load.mass / 4.0) for c in slings]
    model = Simulator(crane.scene)._model
    rows = [model.cables.row[crane.scene.cables.index(c)] for c in slings]
    np.testing.assert_allclose(model.rows.damping_time[rows], expected, rtol=1e-6)


def test_rope_between_walls_has_the_mode_of_a_rod() -> None:
    """Nothing but the rope itself moves: 2 zeta / (pi sqrt(EA / rho) / L); without mass there is
    nothing to damp."""
    wall = Body("wall", mass=1.0, shape=Sphere(0.1), position=(3.0, 0.0, 0.0), motion="prescribed")
    rope = Cable("rope", [Anchor("world"), Anchor("wall")], ea=EA, length=3.0, damping_ratio=RATIO)
    assert times(Scene(bodies=[wall], cables=[rope])) == 0.0
    heavy = Cable("rope", rope.nodes, rope="16mm 6x19 1770", length=3.0)
    omega = math.pi / 3.0 * math.sqrt(heavy.axial_rigidity / heavy.density)
    assert times(Scene(bodies=[wall], cables=[heavy])) == pytest.approx(
        2.0 * heavy.loss_ratio / omega, rel=1e-3
    )


@pytest.mark.parametrize("driven", [False, True])
def test_rope_of_a_slide_has_its_mass_where_a_motor_holds_it(driven: bool) -> None:
    """Nothing else would move on the rope: the motor lets go for this."""
    slide = Joint("slide", "prismatic", "load", point=LOAD.position, axis=(1.0, 0.0, 0.0))
    rope = Cable(
        "rope",
        [Anchor("world", (9.0, 0.0, 5.0)), Anchor("load")],
        stiffness=STIFFNESS,
        damping_ratio=RATIO,
    )
    drives = [Drive("motor", "slide")] if driven else []
    scene = Scene(bodies=[LOAD], joints=[slide], cables=[rope], drives=drives)
    assert times(scene) == pytest.approx(BOUNCE, rel=1e-9)


def test_spring_of_a_slide_gives_way_with_the_rope() -> None:
    """A mass between a rope and a spring as stiff oscillates with both: w = sqrt(2 k / m)."""
    slide = Joint(
        "slide", "prismatic", "load", point=LOAD.position, axis=(1.0, 0.0, 0.0), stiffness=STIFFNESS
    )
    rope = Cable(
        "rope",
        [Anchor("world", (9.0, 0.0, 5.0)), Anchor("load")],
        stiffness=STIFFNESS,
        damping_ratio=RATIO,
    )
    found = times(Scene(bodies=[LOAD], joints=[slide], cables=[rope]))
    assert found == pytest.approx(BOUNCE / math.sqrt(2.0), rel=1e-9)


def test_rope_on_a_short_lever_is_told() -> None:
    """A bar of 10 m, held 0.5 m from its hinge: I / r^2 is 133 times its mass; bounded at 100, and
    said."""
    bar = Body("bar", mass=MASS, shape=Box(10.0, 0.1, 0.1), position=(5.0, 0.0, 0.0))
    hinge = Joint("pin", "hinge", "bar", point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    for lever, told, factor in (
        (0.5, True, 10.0),
        (2.0, True, math.sqrt(100.0 / 12.0)),
        (8.0, False, 0.72171),
    ):
        rope = Cable(
            "stay",
            [Anchor("world", (lever, 0.0, 4.0)), Anchor("bar", (lever - 5.0, 0.0, 0.0))],
            stiffness=STIFFNESS,
            damping_ratio=RATIO,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = times(Scene(bodies=[bar], joints=[hinge], cables=[rope]))
        assert found == pytest.approx(factor * BOUNCE, rel=1e-3)
        assert any("'stay'" in str(w.message) and "lever" in str(w.message) for w in caught) == told


ROBOT, INSIDE = (
    np.array([(-2.0, 0, 0), (2, 0, 0), (2, 0, 3), (-2, 0, 3)]),
    0.1 * np.array([(-2.0, 0, -1), (2, 0, -1), (2, 0, 1), (-2, 0, 1)]),
)


def robot(place: np.ndarray, ea: float, weight: float) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of rope [m] that hold a level platform at a place, and tensions [N] with 100 N or
    more in each."""
    along = ROBOT - place - INSIDE
    distance = np.linalg.norm(along, axis=1)
    x, _, z = (along / distance[:, None]).T
    wrench = np.array([x, z, INSIDE[:, 2] * x - INSIDE[:, 0] * z])
    least = np.linalg.lstsq(wrench, np.array([0.0, weight, 0.0]), rcond=None)[0]
    spare = np.linalg.svd(wrench)[2][-1]
    spare *= np.sign(spare.sum())
    tension = least + ((100.0 - least) / spare).max() * spare
    return distance / (1.0 + tension / ea), tension


def test_cable_robot_on_a_circle_has_no_false_tension() -> None:
    """A platform on four ropes, one more than its motion needs, on a circle of 0.3 m in 6 s:
    statics within 5 N."""
    ea, mass, centre = 5e4, 10.0, np.array([0.0, 0.0, 1.4])
    lengths, _ = robot(centre + (0.3, 0.0, 0.0), ea, mass * G)
    platform = Body("platform", mass, shape=Box(0.4, 0.3, 0.2), position=(0.3, 0.0, 1.4))
    cables = [
        Cable(
            f"rope_{i}",
            [Anchor("world", tuple(a)), Anchor("platform", tuple(b))],
            ea=ea,
            damping_ratio=RATIO,
            length=float(lengths[i]),
            winch=Winch(f"winch_{i}", mass=5.0),
        )
        for i, (a, b) in enumerate(zip(ROBOT.tolist(), INSIDE.tolist(), strict=True))
    ]
    drives = [
        Drive(f"drive_{i}", f"winch_{i}", mode="position", target=float(lengths[i]))
        for i in range(4)
    ]
    simulator, worst = Simulator(Scene(bodies=[platform], cables=cables, drives=drives)), 0.0
    simulator.step(10)
    for step in range(1, 6001):
        part = step / 6000.0
        angle = 2.0 * math.pi * part**2 * (3.0 - 2.0 * part)
        lengths, tension = robot(
            centre + 0.3 * np.array([math.cos(angle), 0.0, math.sin(angle)]), ea, mass * G
        )
        for i, length in enumerate(lengths.tolist()):
            simulator.command(f"drive_{i}", length, "position")
        simulator.step()
        if step % 10 == 0:
            seen = simulator.observe()
            worst = max(worst, *(abs(seen.tension(f"rope_{i}") - tension[i]) for i in range(4)))
    assert worst < 5.0


@pytest.mark.parametrize("pairs", [0, 1, 12, 30, 120])
def test_connected_things_are_grouped_under_the_first(pairs):
    """Against the transitive closure of the pairs, by squaring its matrix."""
    count = 40
    near, far = np.random.default_rng(pairs).integers(count, size=(2, pairs))
    reaches = np.eye(count, dtype=bool)
    reaches[near, far] = reaches[far, near] = True
    for _ in range(6):
        reaches = reaches @ reaches
    assert connected_groups(near, far, count).tolist() == reaches.argmax(axis=1).tolist()


def test_a_chain_is_one_group_whichever_end_comes_first():
    links = np.arange(999)
    for near, far in ((links, links + 1), (links[::-1] + 1, links[::-1])):
        assert not connected_groups(near, far, 1000).any()
