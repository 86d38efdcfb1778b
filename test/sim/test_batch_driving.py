"""Laws and tapes of many worlds: the bits that a single simulator has with them."""

import math
from typing import Any

import numpy as np
import pytest
from messages import naming
from test_batch import same, scenes_of, swinging

from cable_sim import Simulator
from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError, ModelError, SpecError
from cable_sim.sim.batch.batch import BatchSimulator

N = 3


def hold(time: Any, x: Any, u: Any, memory: Any) -> None:
    """A force towards the middle; it counts its calls, and fails where it is told to."""
    memory[0] += 1.0
    u[0] = -memory[1] * x[0] - 20.0 * x[1] + 1e-3 * x[2] * math.sin(9.0 * time)
    if memory[0] == memory[2]:
        u[0] = math.nan


READS = ["load.position.x", "load.velocity.x", "rope.tension"]
WRITES = ["load.force.x"]
NEVER = -1.0


def memories(fails: dict[int, float] | None = None) -> np.ndarray:
    """A memory of each world: calls, another stiffness, and the call that fails."""
    rows = [[0.0, 10.0 * (i + 1), (fails or {}).get(i, NEVER)] for i in range(N)]
    return np.array(rows)


def held(fails: dict[int, float] | None = None, threads: int = 2) -> tuple[BatchSimulator, Any]:
    """A batch under the law."""
    scene, vary = swinging(N)
    batch = BatchSimulator(scene, N, vary=vary, threads=threads)
    return batch, batch.use_law(hold, READS, WRITES, memories(fails))


@pytest.fixture(scope="module")
def laws() -> list[tuple[Simulator, Any]]:
    """Simulators of the same worlds, and the law of each: compiling takes half a second."""
    scene, vary = swinging(N)
    made = [Simulator(own) for own in scenes_of(scene, vary, N)]
    return [(single, single.use_law(hold, READS, WRITES, [0.0] * 3)) for single in made]


@pytest.fixture
def singles(laws: list[tuple[Simulator, Any]]) -> list[Simulator]:
    """These simulators at their start."""
    for (single, law), memory in zip(laws, memories(), strict=True):
        single.reset()
        law.memory[:] = memory
    return [single for single, _ in laws]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_law_in_a_batch_has_the_bits_of_single_runs(threads: int, singles: Any) -> None:
    batch, law = held(threads=threads)
    for count in (1, 0, 120):
        batch.step(count)
    for i, single in enumerate(singles):
        single.step(121)
        assert same(batch, i, single)
    assert law.memory[:, 0].tolist() == [121.0] * N
    batch.use_law(None)  # the last force stays
    batch.step(30)
    for i, single in enumerate(singles):
        free = Simulator(single.scene)
        free.restore(single.save())
        free.step(30)
        assert same(batch, i, free)


def test_a_crane_in_a_batch_obeys_a_law_of_its_drives() -> None:
    def follow(time: Any, x: Any, u: Any, memory: Any) -> None:
        u[0] = 0.5 * (memory[0] - x[0])

    crane = load_crane("tower_crane")
    goals = [[10.0], [30.0]]
    words = ["joints.trolley.position"], ["trolley.target"]
    batch = BatchSimulator(crane, 2)
    batch.use_law(follow, *words, goals)
    batch.step(60)
    for i in range(2):
        single = Simulator(crane.scene)
        single.use_law(follow, *words, goals[i])
        single.step(60)
        assert same(batch, i, single)


def test_a_law_that_fails_in_one_world_lets_the_others_step() -> None:
    batch, law = held({1: 8.0})
    with pytest.raises(CommandError, match="world 1: law 'hold': .*load.force.x.*t = 0.007 s"):
        batch.step(20)
    assert batch.time.tolist() == pytest.approx([0.02, 0.007, 0.02])
    law.memory[1, 2] = NEVER
    batch.step(20)
    assert batch.time.tolist() == pytest.approx([0.04, 0.027, 0.04])


def test_a_batch_records_the_rows_of_single_runs(singles: Any) -> None:
    """Beside a law, and with a last row that comes early."""
    channels = ["load.position", "rope.tension", "rope.slack", "energy", "time"]
    batch, _ = held()
    told: list[tuple[int, int]] = []
    for every in (1, 7, 200):
        batch.step(3)
        told.clear()
        series = batch.run(150, channels, every, progress=lambda *now: told.append(now))
        rows = 150 // every
        for i, single in enumerate(singles):
            single.step(3)
            with single.record(channels, every) as recording:
                single.step(150)
            for name in channels:
                own = recording[name][1 : 1 + rows]
                assert series[name][:rows, i].tobytes() == own.tobytes()
            last = single.bodies["load"].position.tolist()
            assert series["load.position"][-1, i].tolist() == last
            assert same(batch, i, single)
        assert len(series["time"]) == -(-150 // every)
        assert told == sorted(told) and told[-1] == (150, 150)


def test_a_world_that_stops_repeats_its_last_values() -> None:
    scene, vary = swinging(3)
    batch = BatchSimulator(scene, 3, vary=vary)
    batch.push("load", [(0, 0, 0), (1e300, 0, 0), (0, 0, 0)])
    series = batch.run(20, ["time", "load.position"], every=5)
    assert series["time"].T.tolist() == [
        pytest.approx([0.005, 0.01, 0.015, 0.02]),
        [0.0] * 4,
        pytest.approx([0.005, 0.01, 0.015, 0.02]),
    ]
    assert (series["load.position"][:, 1] == batch["load.position"][1]).all()


@pytest.mark.parametrize("memory", [np.zeros((2, 3)), np.zeros((3, 1, 1)), "three", [[1], [2, 3]]])
def test_memories_of_another_shape_are_refused(memory: Any) -> None:
    scene, vary = swinging(N)
    batch = BatchSimulator(scene, N, vary=vary)
    with pytest.raises(SpecError, match=naming("law 'hold' memory numbers (m,) 3 m")):
        batch.use_law(hold, READS, WRITES, memory)


def test_wrong_words_for_a_run_are_refused() -> None:
    scene, _ = swinging(1)
    batch = BatchSimulator(scene, 1)
    with pytest.raises(CommandError, match=naming("run every 0")):
        batch.run(10, ["time"], every=0)
    with pytest.raises(CommandError, match=naming("run count -1")):
        batch.run(-1, ["time"])
    with pytest.raises(SpecError, match=r"'load\.weight'"):
        batch.use_law(hold, ["load.weight"], WRITES)
    with pytest.raises(ModelError, match=naming("law '<lambda>' compiled")):
        batch.use_law(lambda time, x, u, memory: print(nonsense), READS, WRITES)  # noqa: F821
