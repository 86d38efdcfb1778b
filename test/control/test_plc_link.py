"""A controller over Modbus/TCP: its commands move the crane, its readings are the crane's, its log
can be replayed."""

import math
import socket
import struct
import threading
import time

import numpy as np
import pytest
from messages import naming

pytest.importorskip("pymodbus", reason="needs the extra `plc`")
from pymodbus.client import ModbusTcpClient

from cable_sim.control.plants.clocked_link import LONGEST_LINE, MOST_LINES, apply, replay
from cable_sim.control.plants.plc_link import PlcLink
from cable_sim.control.plants.registers import Registers
from cable_sim.cranes import load_crane
from cable_sim.errors import CableSimError
from cable_sim.kernels.records.arrays import arrays_by_name
from cable_sim.machine.machine import Machine


class Controller:
    """A client that knows the crane's registers."""

    def __init__(self, link: PlcLink) -> None:
        self.registers, self.cycle = link.registers, 0
        self.client = ModbusTcpClient("127.0.0.1", port=link.port, timeout=60.0)
        assert self.client.connect()

    def exchange(self, stop: int = 0, **speeds: float) -> dict[str, float]:
        self.cycle += 1
        axes = [name.partition(".")[0] for name in list(self.registers.commands.kinds)[2:]]
        values = [self.cycle, stop, *(speeds.get(axis, math.nan) for axis in axes)]
        reply = self.client.readwrite_registers(
            read_address=self.registers.state.first,
            read_count=self.registers.state.size,
            write_address=0,
            values=self.registers.commands.pack(values),
            device_id=1,
        )
        assert not reply.isError()
        return self.registers.state.unpack(reply.registers)


@pytest.fixture
def link():
    made = PlcLink(Machine(load_crane("tower_12t", {"rig.start.state": "hanging"})))
    yield made
    made.close()


def during(link: PlcLink, seconds: float, act):
    """Run the link for so long while ``act`` talks to it; both results."""
    result = []
    thread = threading.Thread(target=lambda: result.append(link.run(seconds)))
    thread.start()
    told = act()
    thread.join()
    return result[0], told


def test_commands_move_the_crane_and_readings_are_its_own(link: PlcLink) -> None:
    controller = Controller(link)
    before = controller.exchange()
    assert before["tick"] == 0 and before["trolley.position"] == pytest.approx(20.0)

    def act() -> None:
        for _ in range(20):
            controller.exchange(trolley=0.4, hoist=-0.2)
            time.sleep(0.01)

    run, _ = during(link, 3.0, act)
    machine, after = link.machine, controller.exchange()
    seen = machine.observe()
    assert len(run.log) == 300 and 2 <= run.renewed <= 21
    assert after["tick"] == 300 and after["milliseconds"] == 3000
    assert after["cycle"] == controller.cycle - 1
    for axis in ("slewing", "trolley", "hoist"):
        state = machine.axis_state(seen, axis)
        assert after[f"{axis}.position"] == pytest.approx(state.position, rel=1e-6, abs=1e-6)
        assert after[f"{axis}.speed"] == pytest.approx(state.velocity, rel=1e-6, abs=1e-6)
    assert (
        after["trolley.position"] > 20.01
        and after["hoist.position"] < before["hoist.position"] - 0.001
    )
    assert after["hoist_rope.pull"] == pytest.approx(
        float(seen.cable("hoist_rope").span_tension[0]), rel=1e-6
    )
    assert after["stop"] == 2 and after["limiter.load_limiter"] == 0
    reply = controller.client.read_holding_registers(
        link.registers.control.first, count=link.registers.control.size, device_id=1
    )
    control = link.registers.control.unpack(reply.registers)
    assert control == pytest.approx(machine.readings, rel=1e-6, abs=1e-6)


def test_a_log_replayed_gives_the_same_bits(link: PlcLink) -> None:
    controller = Controller(link)

    def act() -> None:
        for k in range(20):
            controller.exchange(slewing=0.01 * math.sin(0.3 * k), hoist=-0.3)
            time.sleep(0.01)
        controller.exchange(stop=1)

    run, _ = during(link, 3.0, act)
    assert link.machine.stopped
    again = Machine(load_crane("tower_12t", {"rig.start.state": "hanging"}))
    replay(again, run.log)
    ours, theirs = link.machine.save(), again.save()
    for mine, other in zip(ours.simulator, theirs.simulator, strict=True):
        others = arrays_by_name(other)
        assert [
            name
            for name, array in arrays_by_name(mine).items()
            if array.tobytes() != others[name].tobytes()
        ] == []
    assert ours.plc is not None and theirs.plc is not None
    assert all(
        np.array_equal(a, b, equal_nan=True)
        for a, b in zip(ours.plc.state, theirs.plc.state, strict=True)
    )
    other = Machine(load_crane("tower_12t", {"rig.start.state": "hanging"}))
    replay(other, [(), *run.log[:-1]])
    assert (
        other.simulator.save().state.bodies.position.tobytes()
        != ours.simulator.state.bodies.position.tobytes()
    )


def test_commands_that_do_not_count_up_run_out() -> None:
    """A controller that hangs: the axis stops when its order is older than the timeout."""
    machine = Machine(load_crane("tower_12t"))
    registers = Registers(machine.crane)
    words = tuple(registers.commands.pack([1, 0, 0.0, 0.5, 0.0]))
    apply(machine, registers, words)
    speeds = [machine.axis_state(machine.tick(), "trolley").velocity for _ in range(300)]
    assert max(speeds) > 0.15 and abs(speeds[-1]) < 1e-6


def test_a_non_finite_command_is_counted_and_others_are_obeyed() -> None:
    machine = Machine(load_crane("tower_12t"))
    registers = Registers(machine.crane)
    apply(machine, registers, tuple(registers.commands.pack([1, 0, math.inf, 0.5, math.nan])))
    assert machine.counts["rejected"] == 1
    assert machine.orders["trolley"].value == 0.5 and math.isinf(machine.orders["hoist"].time)


def test_commands_are_written_as_a_whole(link: PlcLink) -> None:
    controller = Controller(link)
    assert controller.client.write_registers(2, [0, 0], device_id=1).isError()
    assert controller.client.write_register(1000, 1, device_id=1).isError()
    assert controller.client.read_holding_registers(500, count=1, device_id=1).isError()
    run = link.run(0.05)
    assert run.renewed == 0


def test_a_port_that_is_taken_is_told(link: PlcLink) -> None:
    with pytest.raises(CableSimError, match=naming(f"listen 127.0.0.1:{link.port}")):
        PlcLink(Machine(load_crane("tower_12t")), port=link.port)


def test_other_machines_are_let_in_only_when_that_is_said() -> None:
    machine = Machine(load_crane("tower_12t"))
    with pytest.raises(CableSimError, match=naming("'0.0.0.0' open password --unprotected")):
        PlcLink(machine, "0.0.0.0")
    link = PlcLink(machine, "0.0.0.0", unprotected=True)
    try:
        assert Controller(link).exchange()["tick"] == 0
    finally:
        link.close()


def test_garbage_on_the_port_does_not_fill_the_log(link: PlcLink, caplog) -> None:
    for number in range(300):
        with socket.create_connection(("127.0.0.1", link.port), 60.0) as rude:
            rude.sendall(struct.pack(">HHHB", 1, number + 1, 6, 1) + b"\x07" * 60)
            rude.sendall(struct.pack(">HHHBB", 1, 0, 2, number % 200 + 2, 99))
            rude.shutdown(socket.SHUT_WR)
            while rude.recv(4096):  # it has read all when it closes
                pass
    assert Controller(link).exchange()["tick"] == 0
    told = [record.getMessage() for record in caplog.records if "pymodbus" in record.name]
    assert 0 < len(told) <= 2 * MOST_LINES  # a minute may have ended
    assert max(map(len, told)) < LONGEST_LINE + 60 and not any("\n" in line for line in told)
    assert sum("minute" in line for line in told) in (1, 2)
