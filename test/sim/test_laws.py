"""Laws: the bits of a Python loop that reads, computes, pushes and steps."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from live_scenes import hovering, started
from messages import naming

from cable_sim import Simulator
from cable_sim.errors import CommandError, ModelError, SpecError, StepError
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.scenes import load_scene


def bits(simulator: Simulator) -> list[bytes]:
    return [array.tobytes() for array in arrays_of(simulator.save())]


def hover(time: Any, x: Any, u: Any, memory: Any) -> None:
    """A force that holds the height, with an integral part in the memory."""
    memory[0] += 10.0 - x[0]
    u[0] = 24.5 + 8.0 * (10.0 - x[0]) - 6.0 * x[1] + 1e-3 * memory[0] + 0.1 * math.sin(3.0 * time)


HOVER = (hover, ["quad.position.z", "quad.velocity.z"], ["quad.force.z"], [0.5])


def test_a_law_gives_the_bits_of_a_python_loop() -> None:
    """Of force and memory, of time, of live views and reports."""
    simulator = hovering()
    other = hovering()
    law = simulator.use_law(*HOVER)
    quad = other.bodies["quad"]
    memory = np.array([0.5])
    u = np.zeros(1)
    for count in (1, 2, 0, 40, 7):
        reports = []
        for _ in range(count):
            x = np.array([quad.position[2], quad.velocity[2]])
            hover(other.time, x, u, memory)
            quad.push((0.0, 0.0, u[0]))
            reports.append(other.step())
        report = simulator.step(count)
        if reports:
            assert report.iterations == max(one.iterations for one in reports)
            assert report[:2] == reports[-1][:2]
    assert bits(simulator) == bits(other)
    assert law is not None and law.memory.tolist() == memory.tolist()


def test_memory_may_be_written_and_is_not_restored() -> None:
    simulator = hovering()
    law = simulator.use_law(*HOVER)
    assert law is not None
    kept = simulator.save()
    simulator.step(5)
    after = law.memory.copy()
    simulator.restore(kept)
    assert law.memory.tolist() == after.tolist() != [0.5]
    law.memory[0] = 0.5
    simulator.step(5)
    assert law.memory.tolist() == after.tolist()


def follow(time: Any, x: Any, u: Any, memory: Any) -> None:
    """A speed that brings the trolley to a place, and wind that grows."""
    u[0] = 0.5 * (memory[0] - x[0])
    u[1] = 2.0 * time
    u[2] = -1.0


def test_a_law_moves_drives_and_wind() -> None:
    simulator = started("tower_crane", 10)
    other = started("tower_crane", 10)
    goal = other.joints["trolley"].position + 5.0
    simulator.use_law(follow, ["joints.trolley.position"], ["trolley.target", "wind"], [goal])
    simulator.step(30)
    u = np.zeros(4)
    for _ in range(30):
        follow(other.time, [other.joints["trolley"].position], u, [goal])
        other.command("trolley", u[0])
        other.set_wind(u[1:])
        other.step()
    assert bits(simulator) == bits(other)
    assert simulator.wind[0] == 2.0 * (simulator.time - simulator.dt) != 0.0


def pull(time: Any, x: Any, u: Any, memory: Any) -> None:
    """A force that follows a tension and a flag."""
    u[0] = 0.1 * x[0] + 10.0 * x[1] + 1.0
    u[1] = 0.5 * x[0]


@pytest.mark.parametrize(
    ("kind", "body", "cable"),
    [("chain_on_hook", 0, 0), ("wire_over_beam", 0, 0), ("tower_crane", -1, 0)],
)
def test_a_law_reads_every_kind_of_cable(kind: str, body: int, cable: int) -> None:
    simulator = started(kind)
    other = started(kind)
    name = simulator.names.bodies[body]
    rope = simulator.names.cables[cable]
    reads = [f"cables.{rope}.tension", f"cables.{rope}.slack"]
    simulator.use_law(pull, reads, [f"{name}.force.y", f"{name}.torque.z"])
    recording = simulator.record(reads, 3)
    simulator.step(20)
    u = np.zeros(2)
    for _ in range(20):
        seen = other.observe().cable(rope)
        pull(other.time, (seen.tension, seen.slack), u, ())
        other.push(name, (0.0, u[0], 0.0), (0.0, 0.0, u[1]))
        other.step()
    assert bits(simulator) == bits(other)
    assert len(recording) == 7 and recording[reads[0]][0] == started(kind).cables[rope].tension


def test_a_recording_beside_a_law_changes_nothing() -> None:
    simulator = hovering()
    other = hovering()
    simulator.use_law(*HOVER)
    other.use_law(*HOVER)
    recording = simulator.record(["quad.position.z", "rope.tension"], 7)
    simulator.step(50)
    other.step(50)
    assert bits(simulator) == bits(other)
    assert len(recording) == 8
    assert recording["quad.position.z"][0] == 10.0 != recording["quad.position.z"][-1]


def test_a_law_ends_and_what_it_wrote_stays() -> None:
    simulator = hovering()
    simulator.use_law(*HOVER)
    simulator.step(3)
    assert simulator.use_law(None) is None
    other = hovering()
    other.restore(simulator.save())
    simulator.step(20)
    other.step(20)
    assert bits(simulator) == bits(other)
    assert simulator._control.bodies.wrench[1, 2] > 20.0


def late(time: Any, x: Any, u: Any, memory: Any) -> None:
    u[1] = 0.5 / (time - 0.005) if time != 0.005 else math.nan


def raises(time: Any, x: Any, u: Any, memory: Any) -> None:
    if time > 0.0045:
        raise ValueError("too late")
    u[0] = 1.0


def outside(time: Any, x: Any, u: Any, memory: Any) -> None:
    u[3 if time > 0.0045 else 0] = 1.0


@pytest.mark.parametrize(
    ("law", "says"),
    [
        (late, "'late' 'quad.force.y' nan 0.005 s"),
        (raises, "'raises' ValueError late 0.005 s"),
        (outside, "'outside' IndexError 3 0.005 s"),
    ],
)
def test_a_law_that_fails_ends_the_call(law: Callable[..., None], says: str) -> None:
    """The steps before it are taken and recorded, and nothing of the failed call is written."""
    simulator = hovering()
    simulator.use_law(law, ["quad.position"], ["quad.force"])
    recording = simulator.record(["quad.position"])
    for _ in range(2):
        with pytest.raises(CommandError, match=naming(f"{says} step taken")):
            simulator.step(20)
        assert simulator.time == 0.005 and len(recording) == 6
        assert np.isfinite(simulator._control.bodies.wrench).all()
    simulator.use_law(None)
    simulator.step(1)
    assert len(recording) == 7


def test_a_scene_that_fails_under_a_law_is_told() -> None:
    simulator = hovering()

    def strong(time: Any, x: Any, u: Any, memory: Any) -> None:
        u[0] = 1e12 if time > 0.0025 else 0.0

    simulator.use_law(strong, [], ["load.force"])
    with pytest.raises(StepError, match="'load'"):
        simulator.step(10)
    assert simulator.observe().steps == 3


def test_a_law_without_outputs_counts_in_its_memory() -> None:
    def most(time: Any, x: Any, u: Any, memory: Any) -> None:
        memory[0] = max(memory[0], x[0])

    simulator = hovering()
    law = simulator.use_law(most, ["rope.tension"], memory=[0.0])
    recording = simulator.record(["rope.tension"])
    simulator.step(100)
    assert law is not None and law.memory[0] == recording["rope.tension"][:-1].max()


def allocates(time: Any, x: Any, u: Any, memory: Any) -> None:
    u[0] = np.zeros(3).sum()


def imports(time: Any, x: Any, u: Any, memory: Any) -> None:
    import json

    u[0] = len(json.dumps([1.0]))


def test_what_can_not_be_compiled_is_refused() -> None:
    simulator = hovering()
    other = hovering()
    for one in (simulator, other):
        one.use_law(*HOVER)
    for law in (allocates, imports, 3, lambda t: None):
        with pytest.raises(ModelError, match=naming("law compiled")):
            simulator.use_law(law, [], ["quad.force"])  # type: ignore[arg-type]
    simulator.step(5)
    other.step(5)
    assert bits(simulator) == bits(other)  # the law before is still there


@pytest.mark.parametrize(
    ("reads", "writes", "memory", "says"),
    [
        (["quad.positio"], ["quad.force"], (), "channel 'quad.positio'"),
        ([], ["quad.position"], (), "channel 'quad.position'"),
        ([], ["quad.force", "quad.force.x"], (), "'quad.force.x' written 2 times"),
        ([], ["quad.force", "bodies.quad.force"], (), "written 2 times"),
        ([], ["quad.force"], "abc", "memory 'abc' list numbers"),
        ([], ["quad.force"], [[1.0]], "list numbers"),
        ("quad.position", ["quad.force"], (), "list names"),
    ],
)
def test_wrong_words_are_refused(reads: Any, writes: Any, memory: Any, says: str) -> None:
    with pytest.raises(SpecError, match=naming(says)):
        hovering().use_law(hover, reads, writes, memory)


def test_a_sparse_scene_knows_no_law() -> None:
    simulator = Simulator(load_scene("net"), solver="sparse")
    with pytest.raises(ModelError, match=naming("solver 'sparse' knows law")):
        simulator.use_law(hover)
    assert simulator.use_law(None) is None
