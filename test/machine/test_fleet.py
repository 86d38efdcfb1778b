"""Many machines in one call: each has the bits that it has alone."""

import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import ModelError, StepError
from cable_sim.kernels.records.arrays import arrays_of
from cable_sim.machine.faults import Fault
from cable_sim.machine.fleet import Fleet
from cable_sim.machine.machine import Machine
from cable_sim.spec.wind import Turbulence

LOADS = (500.0, 1500.0, 2500.0)


def machines() -> list[Machine]:
    """Three tower cranes with other loads, commands and winds."""
    made = []
    for i, load in enumerate(LOADS):
        crane = load_crane("tower_crane", {"rig.load.mass": load})
        machine = Machine(crane, wind=Turbulence(5.0 + i, seed=i) if i else None)
        machine.command("slewing", 0.01 * (i + 1))
        machine.command("hoist", -0.1 * i)
        made.append(machine)
    return made


def bits(machine: Machine) -> list[bytes]:
    saved = machine.save()
    records = (saved.simulator.state, saved.simulator.control, saved.machine)
    return [array.tobytes() for array in arrays_of(records)]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_machine_has_the_bits_of_a_single_one(threads: int) -> None:
    """Over the timeout of their commands, and with a fault that needs Python in one of them."""
    together = machines()
    alone = machines()
    for group in (together, alone):
        group[1].faults.inject(Fault("brake_slip", "hoist", start=0.3, duration=0.2))
    fleet = Fleet(3, threads)
    for _ in range(10):
        fleet.tick(together, 7)
        for machine in alone:
            machine.tick(7)
    fleet.tick(together[:2], 3)
    for machine in alone[:2]:
        machine.tick(3)
    fleet.close()
    assert together[0].time == pytest.approx(0.73)
    for one, other in zip(together, alone, strict=True):
        assert bits(one) == bits(other)
        assert one.counts == other.counts
        assert one.seen.body_position.tobytes() == other.seen.body_position.tobytes()


def test_ticks_in_one_crossing_are_ticks_one_by_one() -> None:
    together = machines()[1]
    alone = machines()[1]
    together.tick(20)
    for _ in range(20):
        alone.tick()
    assert bits(together) == bits(alone)


def test_an_error_in_one_machine_comes_after_the_ticks_of_all() -> None:
    fleet = Fleet(3, 1)
    group = machines()
    group[1].simulator.push("load", (1e300, 0.0, 0.0))
    with pytest.raises(StepError, match=naming("t 0 s")):
        fleet.tick(group, 2)
    assert [machine.time for machine in group] == pytest.approx([0.02, 0.0, 0.02])


def test_a_fleet_needs_a_machine_and_a_thread() -> None:
    with pytest.raises(ModelError, match=naming("n 0")):
        Fleet(0)
    with pytest.raises(ModelError, match=naming("threads 0")):
        Fleet(2, 0)
