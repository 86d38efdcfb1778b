"""The registers of a crane: where each value stands, and that numbers come through."""

import math
import struct

import pytest

from cable_sim.control.plants.registers import READINGS, Block, Registers
from cable_sim.cranes import load_crane


def test_floats_stand_high_word_first_and_counters_unsigned() -> None:
    block = Block(7, {"cycle": "H", "speed": "f", "tick": "I"})
    packed = block.pack([3, -0.25, 70000])
    assert packed == [3, *struct.unpack(">2H", struct.pack(">f", -0.25)), 1, 70000 - 65536]
    assert block.unpack(packed) == {"cycle": 3, "speed": -0.25, "tick": 70000}
    assert (block.size, block.address("cycle"), block.address("speed"), block.address("tick")) == (
        5,
        7,
        8,
        10,
    )
    with pytest.raises(KeyError):
        block.address("torque")


def test_numbers_that_do_not_fit_become_infinite_and_nan_stays() -> None:
    block = Block(0, {"a": "f", "b": "f", "c": "f"})
    a, b, c = block.unpack(block.pack([1e300, -1e300, math.nan])).values()
    assert (a, b) == (math.inf, -math.inf) and math.isnan(c)


@pytest.mark.parametrize("name", ["tower_12t", "two_towers", "nehe_rope"])
def test_the_table_has_each_value_once_and_in_order(name: str) -> None:
    crane = load_crane(name)
    registers = Registers(crane)
    places, names, kinds = zip(*registers.table(), strict=True)
    assert list(places) == sorted(set(places))
    widths = [{"16 bits": 1, "32 bits": 2, "float": 2}[kind] for kind in kinds]
    gaps = [
        (a, b) for a, b, width in zip(places, places[1:], widths, strict=False) if b != a + width
    ]
    assert gaps == [(places[1 + len(crane.axes)], READINGS)], (
        "one gap, between commands and readings"
    )
    assert places[-1] + widths[-1] == READINGS + registers.size
    for axis in crane.axes:
        assert {f"{axis.name}.speed", f"{axis.name}.position"} <= set(names)
    for hung in crane.suspensions:
        assert f"{hung.name}.sway_radial".removeprefix(".") in names
