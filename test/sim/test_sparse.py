"""The sparse solver: the same steps as the envelope solver, for every scene, and the same
reports."""

import numpy as np
import pytest
from messages import naming
from slow_cases import slow_but

from cable_sim import Body, Box, Joint, Scene, Simulator, Sphere, Surface
from cable_sim.errors import ModelError, StepError
from cable_sim.kernels import status
from cable_sim.kernels.records.arrays import arrays_by_name, arrays_of
from cable_sim.model import compile
from cable_sim.scenes import load_scene, scene_names
from cable_sim.sim.sparse import SparseSolver
from cable_sim.spec import Collision, Touch

STEPS = 200
EVEN = {"mooring_hitch": 8, "wire_over_cylinder": 176}
"""Steps before rounding decides: when a hitch gets tight, or which of two equal masses goes."""


def pair(scene: Scene, **options) -> tuple[Simulator, Simulator]:
    """The scene in both solvers, all drives commanded."""
    both = Simulator(scene, **options), Simulator(scene, solver="sparse", **options)
    for simulator in both:
        for drive in simulator.names.drives:
            simulator.command(drive, -0.3)
    return both


SHARES = "rows.impulse", "pool.impulse"
"""Impulses: where a face bears on more points than it needs, a softness of 1e-6 of the mobility
alone shares them out, so that rounding of 1e-13 counts a million times as much."""


def assert_same_state(a: Simulator, b: Simulator, tolerance: float = 1e-9) -> None:
    """All numbers agree to the tolerance relative to the largest of their array, and rows stand at
    the same bounds."""
    bears = int(a._state.pool.used[0]) > 0
    others = arrays_by_name(b._state)
    for field, mine in arrays_by_name(a._state).items():
        scale = max(np.abs(mine).max(initial=0.0), 1.0 if field != "rows.impulse" else 1e-6)
        scale *= 1e3 if bears and field in SHARES else 1.0
        np.testing.assert_allclose(
            others[field], mine, rtol=0.0, atol=tolerance * scale, err_msg=field
        )


CASES = [(name, stepper) for name in scene_names() for stepper in ("spook", "regularised")]
QUICK = {"atwood", "wire_net", "stacked_boxes", "traction_wire"}
"""Scenes that run with the other stepper in `make test`, too."""


@pytest.mark.parametrize(
    ("name", "stepper"),
    slow_but([case for case in CASES if case[1] == "spook" or case[0] in QUICK], CASES),
)
def test_every_scene_runs_as_with_the_envelope(name: str, stepper: str) -> None:
    scene = load_scene(name)
    envelope, sparse = pair(scene, stepper=stepper)
    steps = EVEN.get(name, STEPS) // 4
    # the solvers do the same for both steppers, whose rows differ by numbers alone
    for _ in range(4 if stepper == "spook" else 1):
        expected, got = envelope.step(steps), sparse.step(steps)
        assert got.status == expected.status == 0
        # friction settled or not: a matter of rounding
        assert abs(got.iterations - expected.iterations) <= 1
        assert abs(got.residual - expected.residual) < 1e-9
        assert_same_state(envelope, sparse)
    assert_observations_agree(envelope, sparse)


@pytest.mark.parametrize("shape, rolling", [(Box(0.4, 0.3, 0.1), 0.0), (Sphere(0.05), 0.005)])
def test_friction_is_on_the_same_cone_in_both_solvers(shape: Box | Sphere, rolling: float) -> None:
    """What slides askew and spins has axes that turn, and softness along the rim of the cone.

    Boxes have no rolling friction here: with it, a stack that spins multiplies 1e-13 by ten in each
    step, whatever solves it.
    """
    bodies = [
        Body(
            f"body_{i}",
            1.0 + i,
            shape=shape,
            position=(0.02 * i, 0.0, 0.05 + 0.1 * i),
            velocity=(1.0, 0.3 - 0.5 * i, 0.0),
            angular_velocity=(0.5, 0.0, 4.0 - 6.0 * i) if rolling else (0.0, 0.0, 4.0 - 6.0 * i),
        )
        for i in range(2)
    ]
    touch = Touch(friction=0.4, rolling=rolling, drilling=rolling)
    told = Scene(bodies=bodies, surfaces=(Surface(friction=0.4),), collision=Collision(touch))
    envelope, sparse = Simulator(told), Simulator(told, solver="sparse")
    softened = 0
    for _ in range(60):
        assert envelope.step().status == sparse.step().status == 0
        softened += bool(sparse._work.solver.arc.any())
    assert softened > 30
    assert_same_state(envelope, sparse)
    pool = sparse._state.pool
    count = int(pool.used[0])
    for columns, bound in ((slice(1, 4), 0.4), (slice(4, 7), rolling)):
        friction = np.linalg.norm(pool.impulse[:count, columns], axis=1)
        assert (friction <= bound * pool.impulse[:count, 0] * (1.0 + 1e-5)).all()


def assert_observations_agree(a: Simulator, b: Simulator, tolerance: float = 1e-9) -> None:
    """What is read off both, forces included."""
    mine, theirs = a.observe(), b.observe()
    for field in (
        "body_position",
        "joint_force",
        "drive_effort",
        "span_tension",
        "body_contact_force",
    ):
        expected = getattr(mine, field)
        scale = tolerance * max(np.abs(expected).max(initial=0.0), 1.0)
        np.testing.assert_allclose(
            getattr(theirs, field), expected, rtol=0.0, atol=scale, err_msg=field
        )


@pytest.mark.parametrize("ea", [None, 1e5])
def test_a_net_that_falls_into_its_cables(ea: float | None) -> None:
    """Cables go slack and taut by turns, so the active rows change and patterns are made anew."""
    envelope, sparse = pair(load_scene("net", rows=5, columns=7, sag=0.02, ea=ea))
    for simulator in (envelope, sparse):
        simulator.push("ball_2_3", (3.0, 2.0, 60.0))
    active = set()
    for _ in range(300):
        told = envelope.step().status
        assert told == sparse.step().status
        assert told & ~status.CATCH_MISSED == 0
        active.add(sparse._work.rows.active.tobytes())
    assert len(active) > 5
    assert_same_state(envelope, sparse, 1e-8)


@pytest.mark.parametrize("name", ["tower_crane", "sliding_box", "chain"])
def test_state_is_all_that_a_step_depends_on(name: str) -> None:
    """Kept index arrays and orderings change no bit: a new simulator in the same state does the
    same."""
    _, sparse = pair(load_scene(name))
    sparse.step(100)
    snapshot = sparse.save()
    sparse.step(100)
    other = Simulator(load_scene(name), solver="sparse")
    other.restore(snapshot)
    other.step(100)
    for mine, theirs in zip(arrays_of(sparse._state), arrays_of(other._state), strict=True):
        assert mine.tobytes() == theirs.tobytes()


def test_wide_scenes_are_sparse_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of contacts do not count: most of them are apart."""
    scene = load_scene("net", rows=8, columns=8)
    cables = len(scene.cables)
    assert Simulator(scene).solver == "envelope"
    monkeypatch.setattr(compile, "WIDE_ENVELOPE", 8)
    monkeypatch.setattr(compile, "MANY_ROWS", cables + 1)
    assert Simulator(scene).solver == "envelope"
    monkeypatch.setattr(compile, "MANY_ROWS", cables)
    assert Simulator(scene).solver == "sparse"
    assert Simulator(scene, solver="envelope").solver == "envelope"
    assert Simulator(load_scene("chain", n=120)).solver == "envelope"  # a narrow one


def test_no_envelope_is_allocated() -> None:
    _, sparse = pair(load_scene("net"))
    assert sparse._work.solver.matrix.size == sparse._work.solver.factor.size == 0


def test_ordering_is_looked_for_once_per_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    import cable_sim.sim.sparse as module

    asked = []
    splu = module.splu
    monkeypatch.setattr(
        module, "splu", lambda *a, **k: asked.append(k["permc_spec"]) or splu(*a, **k)
    )
    _, sparse = pair(load_scene("chain", n=5))
    sparse.step(20)
    patterns = len(sparse._running.sparse.patterns)
    assert (
        asked.count("MMD_AT_PLUS_A") == patterns <= 2
    )  # zeros of a level chain go in the first step
    assert asked.count("NATURAL") >= 20


def test_repeated_rigid_rows_are_reported_and_stay_finite() -> None:
    """Two ball joints at one point: each says what the other says."""
    joints = [Joint(name, "ball", "a", point=(0.5, 0.0, 0.0)) for name in ("one", "two")]
    scene = Scene(bodies=[Body("a", 2.0, shape=Box(1, 1, 1))], joints=joints)
    envelope, sparse = pair(scene)
    assert envelope.step(50).status == sparse.step(50).status == status.LOST_PIVOT
    np.testing.assert_allclose(
        sparse.observe().body_position, envelope.observe().body_position, atol=1e-6
    )


def test_overflow_is_reported() -> None:
    scene = Scene(bodies=[Body("a", 1e-300, shape=Box(1, 1, 1))], gravity=(0, 0, 0))
    simulator = Simulator(scene, solver="sparse")
    simulator.push("a", (1e300, 0.0, 0.0))
    with pytest.raises(StepError, match="finite"):
        simulator.step(5)


def test_a_scene_without_anything_that_moves() -> None:
    simulator = Simulator(Scene(), solver="sparse")
    assert simulator.step(3).status == 0
    assert SparseSolver(simulator._model).size == 0


def test_unknown_solver_is_named_with_the_known_ones() -> None:
    with pytest.raises(ModelError, match=naming("solver 'umfpack' auto envelope sparse")):
        Simulator(load_scene("atwood"), solver="umfpack")
