"""Building a net costs what its parts cost: twice the cables, twice the work."""

import sys
from types import FrameType
from typing import Any

import pytest

from cable_sim import load_scene
from cable_sim.model.compile import compile_scene


def operations(name: str, n: int, **parameters: int) -> float:
    """Instructions of Python per cable that it takes to build the scene and the model of a net of n
    x n."""
    count = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        scene = load_scene(name, rows=n, columns=n, **parameters)
        compile_scene(scene, dt=1.0 / 60.0)
    finally:
        sys.settrace(before)
    return count / len(scene.cables)


@pytest.mark.parametrize(("name", "parameters"), [("wire_net", {"masses": 4}), ("net", {})])
def test_a_net_costs_as_much_per_cable_at_any_size(name: str, parameters: dict[str, int]) -> None:
    operations(name, 3, **parameters)  # what is imported and compiled once
    small, large = operations(name, 4, **parameters), operations(name, 12, **parameters)
    assert large < 1.1 * small
