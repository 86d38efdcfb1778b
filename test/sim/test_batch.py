"""Many worlds at once: the bits of single runs, whatever the number of worlds and threads."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import naming

from cable_sim import Anchor, Body, Cable, Scene, Simulator, Sphere
from cable_sim.cranes import load_crane
from cable_sim.errors import CommandError, ModelError, SpecError
from cable_sim.kernels import status
from cable_sim.kernels.pins import word_places
from cable_sim.scenes import load_scene
from cable_sim.sim.batch import batch_files
from cable_sim.sim.batch.batch import BatchSimulator
from cable_sim.sim.batch.batch_files import read_parts
from cable_sim.sim.batch.variations import Variations
from cable_sim.sim.batch.worlds import Worlds
from cable_sim.sim.running import RunningScene
from cable_sim.spec import Lumped

SHOWN = ("body_position", "body_orientation", "span_tension", "node_position", "joint_force")


def scenes_of(scene: Scene, vary: dict, n: int) -> list[Scene]:
    return [Variations(scene, n, vary).scene(i) for i in range(n)]


def same(batch: BatchSimulator, i: int, single: Simulator) -> bool:
    one = batch.observe(i)
    other = single.observe()
    arrays = all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in SHOWN)
    return arrays and one.energy == other.energy and one.time == other.time


def swinging(n: int, seed: int = 0) -> tuple[Scene, dict]:
    """A load on a rope, with other masses, lengths, stiffnesses and starts in each world."""
    random = np.random.default_rng(seed)
    load = Body("load", 100.0, shape=Sphere(0.2), position=(0.3, 0.0, -5.0))
    rope = Cable("rope", (Anchor("world"), Anchor("load")), length=5.0, ea=1e6, damping_time=0.01)
    vary = {
        "load.mass": random.uniform(50.0, 500.0, n),
        "rope.length": random.uniform(4.5, 6.0, n),
        "rope.ea": random.uniform(1e5, 1e7, n),
        "rope.damping_time": random.uniform(0.001, 0.1, n),
        "load.velocity": random.normal(size=(n, 3)),
    }
    return Scene(bodies=(load,), cables=(rope,)), vary


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_world_has_the_bits_of_its_single_run(threads: int) -> None:
    scene, vary = swinging(5)
    batch = BatchSimulator(scene, 5, vary=vary, threads=threads)
    force = np.random.default_rng(1).normal(size=(5, 3)) * 100.0
    batch.push("load", force)
    batch.set_wind((3.0, 0.0, 0.0))
    batch.step(200)
    batch.push("load", (0.0, 0.0, 50.0))
    batch.step(300)
    for i, own in enumerate(scenes_of(scene, vary, 5)):
        single = Simulator(own)
        single.push("load", force[i])
        single.set_wind((3.0, 0.0, 0.0))
        single.step(200)
        single.push("load", (0.0, 0.0, 50.0))
        single.step(300)
        assert same(batch, i, single)
    assert len({batch.observe(i).body_position.tobytes() for i in range(5)}) == 5


def test_threads_write_to_no_array_of_each_other() -> None:
    """The bits alone tell only of threads that happened to be in each other's way."""
    first = RunningScene(load_scene("chain_on_hook"), "spook", 1e-3, "envelope", 4)
    worlds = Worlds(first, np.array([0, 2, 4]))
    for pins, pin in ((worlds.moved, first.moved), (worlds.looked, first.looked)):
        written = [(a, at) for a, at in word_places(pin.records) if a.flags.writeable and a.size]
        assert len(written) > 50
        for array, at in written:
            one, beside, other, last = pins.words[:, at].tolist()
            assert {one, beside}.isdisjoint({other, last})
            in_block = 0 <= one - first.memory.ctypes.data < first.memory.nbytes
            assert (one != beside and other != last) or not in_block
            assert abs(other - one) >= array.nbytes


def test_cranes_have_the_bits_of_their_single_runs() -> None:
    crane = load_crane("tower_crane")
    speeds = np.linspace(-0.3, 0.3, 3)
    vary = {"load.mass": [500.0, 1000.0, 2000.0]}
    batch = BatchSimulator(crane, 3, vary=vary)
    batch.command("hoist", speeds, "speed")
    batch.step(400)
    for i, own in enumerate(scenes_of(crane.scene, vary, 3)):
        single = Simulator(own)
        single.command("hoist", speeds[i], "speed")
        single.step(400)
        assert same(batch, i, single)
    assert (np.diff(batch["hoist_rope.length_paid_out"]) > 0.04).all()


@pytest.mark.parametrize("name", ["chain_on_hook", "rope_over_block", "elevation_over_platform"])
def test_every_kind_of_rope_has_the_bits_of_its_single_run(name: str) -> None:
    scene = load_scene(name)
    vary = {"gravity": [(0.0, 0.0, -9.81), (0.0, 0.0, -5.0), (0.5, 0.0, -9.81)]}
    batch = BatchSimulator(scene, 3, vary=vary, threads=2)
    batch.step(150)
    for i, own in enumerate(scenes_of(scene, vary, 3)):
        single = Simulator(own)
        single.step(150)
        assert same(batch, i, single)


def test_chains_that_share_a_workspace_keep_their_numbers() -> None:
    """What the sweep of a chain prepares depends on EA and damping, and stands in the workspace."""
    made = Lumped(20, density=1.0, air_friction=0.02)
    ball = Body("ball", 1.0, shape=Sphere(0.1), position=(2.0, 0.0, 0.0))
    rope = Cable("rope", (Anchor("world"), Anchor("ball")), ea=1e5, damping_time=0.02, lumped=made)
    scene = Scene(bodies=(ball,), cables=(rope,))
    vary = {"rope.ea": [1e4, 1e5, 1e6], "rope.damping_time": [0.0, 0.02, 0.05]}
    batch = BatchSimulator(scene, 3, vary=vary, threads=1)
    for steps in (1, 2, 100):
        batch.step(steps)
    for i, own in enumerate(scenes_of(scene, vary, 3)):
        single = Simulator(own)
        single.step(103)
        assert same(batch, i, single)
    assert len({batch.observe(i).body_position.tobytes() for i in range(3)}) == 3


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_any_variation_in_any_order_of_commands(data: st.DataObject) -> None:
    """Random parameters, worlds, threads, pushes, looks and resets against single runs."""
    n = data.draw(st.integers(1, 4))
    scene, vary = swinging(n, data.draw(st.integers(0, 99)))
    chosen = data.draw(st.sets(st.sampled_from(sorted(vary))))
    vary = {name: vary[name] for name in chosen}
    batch = BatchSimulator(scene, n, vary=vary, threads=data.draw(st.integers(1, 3)))
    singles = [Simulator(own) for own in scenes_of(scene, vary, n)]
    for _ in range(data.draw(st.integers(1, 5))):
        act = data.draw(st.sampled_from(["step", "push", "look", "reset"]))
        if act == "step":
            count = data.draw(st.integers(0, 60))
            batch.step(count)
            for single in singles:
                single.step(count)
        elif act == "push":
            force = data.draw(st.tuples(*[st.floats(-100.0, 100.0)] * 3))
            batch.push("load", force)
            for single in singles:
                single.push("load", force)
        elif act == "look":
            tension = batch["rope.tension"]
            assert tension.tolist() == [single.cables["rope"].tension for single in singles]
        else:
            batch.reset([n - 1])
            singles[n - 1].reset()
    assert all(same(batch, i, single) for i, single in enumerate(singles))


def test_values_are_views_that_cannot_be_written() -> None:
    scene, vary = swinging(3)
    batch = BatchSimulator(scene, 3, vary=vary)
    place = batch["load.position"]
    before = place.copy()
    assert place.shape == (3, 3)
    assert batch["load.position.z"].tolist() == place[:, 2].tolist()
    assert batch["rope.slack"].shape == batch["rope.tension"].shape == (3,)
    with pytest.raises(ValueError, match="read-only"):
        place[0] = 0.0
    batch.step(100)
    assert (batch["load.position"] != before).any(axis=1).all()


def test_a_world_that_fails_stands_still_and_the_others_go_on() -> None:
    scene, vary = swinging(3)
    batch = BatchSimulator(scene, 3, vary=vary)
    batch.push("load", [(0, 0, 0), (1e300, 0, 0), (0, 0, 0)])
    flags = batch.step(50)
    assert (flags & status.STOPS > 0).tolist() == [False, True, False]
    assert batch.time.tolist() == [0.05, 0.0, 0.05]
    batch.push("load")
    assert batch.step(50)[1] & status.STOPS
    assert batch.time.tolist() == [0.1, 0.0, 0.1]
    batch.reset([1])
    assert batch.step(50)[1] == 0
    assert batch.time.tolist() == pytest.approx([0.15, 0.05, 0.15])


def test_saved_worlds_go_on_with_the_same_bits() -> None:
    scene, vary = swinging(4)
    batch = BatchSimulator(scene, 4, vary=vary)
    batch.step(100)
    saved = batch.save()
    batch.step(100)
    expected = batch["load.position"].copy()
    batch.restore(saved)
    batch.step(100)
    assert batch["load.position"].tobytes() == expected.tobytes()
    with pytest.raises(CommandError, match=naming("restore batch")):
        batch.restore(saved[:2])


def test_a_run_is_the_same_in_memory_and_on_disk(tmp_path: Path, monkeypatch) -> None:
    scene, vary = swinging(3)
    channels = ["load.position", "rope.tension", "time"]
    rows = BatchSimulator(scene, 3, vary=vary).run(103, channels, every=10)
    assert rows["load.position"].shape == (11, 3, 3)
    assert rows["time"][:, 0] == pytest.approx([*np.arange(10, 101, 10) * 1e-3, 0.103])
    monkeypatch.setattr(batch_files, "PART", 400)
    batch = BatchSimulator(scene, 3, vary=vary)
    assert batch.run(103, channels, every=10, out=tmp_path) == {}
    assert len([*tmp_path.iterdir()]) > 2
    for name, series in read_parts(tmp_path).items():
        assert series.tobytes() == rows[name].tobytes()
    with pytest.raises(SpecError, match=naming(f"{tmp_path} run")):
        batch.run(10, channels, out=tmp_path)
    with pytest.raises(SpecError, match=naming("elsewhere parts")):
        read_parts(tmp_path / "elsewhere")


KILLED = """
from cable_sim import Body, Scene, Sphere
from cable_sim.sim.batch import batch_files
from cable_sim.sim.batch.batch import BatchSimulator
batch_files.PART = 4000
scene = Scene(bodies=(Body("load", 1.0, shape=Sphere(0.1)),))
BatchSimulator(scene, 3).run(10**9, ["load.position", "time"], out={!r})
"""


def test_a_killed_run_keeps_all_parts_but_the_last(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = subprocess.Popen([sys.executable, "-c", KILLED.format(str(out))], cwd=os.getcwd())
    deadline = time.monotonic() + 240.0
    while len([*out.glob("part_*.npz")]) < 3:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    process.wait()
    times = read_parts(out)["time"][:, 0]
    np.testing.assert_array_equal(times, np.arange(1, times.size + 1) * 1e-3)


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        ({"load.weight": [1.0, 2.0]}, "'load.weight' objects load rope"),
        ({"load.mass": [1.0]}, "'load.mass' 2 values array (1,)"),
        ({"load.mass": 1.0}, "2 values array ()"),
        ({"load.mass": [1.0, -1.0]}, "world 1 -1.0 mass"),
    ],
)
def test_bad_variations_are_named(vary: dict, said: str) -> None:
    scene, _ = swinging(1)
    with pytest.raises(SpecError, match=naming(said)):
        BatchSimulator(scene, 2, vary=vary)


def test_worlds_that_differ_in_more_than_numbers_are_refused() -> None:
    scene = Scene(bodies=(Body("load", 1.0, shape=Sphere(0.1)),))
    with pytest.raises(ModelError, match=naming("world 1 differs 0 numbers")):
        BatchSimulator(scene, 2, vary={"load.name": ["load", "other"]})


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda b: b.step(-1), "count -1"),
        (lambda b: b.push("load", (1.0, 2.0)), "load.force finite numbers"),
        (lambda b: b.push("load", (np.nan, 0.0, 0.0)), "load.force finite numbers"),
        (lambda b: b.push("load", (0, 0, 0), (0, 0, np.inf)), "load.torque finite"),
        (lambda b: b.set_wind(np.zeros((3, 3))), "wind 2 3"),
    ],
)
def test_bad_commands_are_named_and_change_nothing(act, said: str) -> None:
    scene, _ = swinging(1)
    batch = BatchSimulator(scene, 2)
    before = batch.save()
    with pytest.raises(CommandError, match=naming(said)):
        act(batch)
    assert batch.save().tobytes() == before.tobytes()


def test_a_world_takes_little_memory() -> None:
    crane = load_crane("tower_crane")
    few, many = (
        BatchSimulator(crane, n, vary={"load.mass": np.linspace(500.0, 900.0, n)}, threads=1)
        for n in (2, 8)
    )
    assert few.nbytes_per_world == many.nbytes_per_world < 75e3
