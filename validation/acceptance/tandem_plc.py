"""The program of the PLC in scenario 12, in a process of its own: it hoists a beam on two hooks and
keeps it level.

Every 10 ms it exchanges commands and readings in one request, and commands

    v_head = v(t),    v_tail = v(t) + k (s_head - s_tail),

s the hooks' ways since the start as the encoders have them, v(t) up and down in turns. In the last
second it engages the emergency stop.
"""

import json
import math
import sys
import time

from pymodbus.client import ModbusTcpClient
from pymodbus.exceptions import ModbusException

from cable_sim.control.plants.registers import Registers
from cable_sim.cranes import load_crane
from cable_sim.priority import run_first

CYCLE = 0.01
"""Period of the exchange [s]."""
SPEED = 0.1
TURN = 8.0
"""Largest speed of the hooks [m/s], and how long they take to go up and down [s]."""
GAIN = 0.5
"""Gain k [1/s]."""
STOP_BEFORE_END = 1.0
"""Time of the emergency stop before the end [s]."""
DEVICE = 1
PRIORITY = 10
"""Real-time priority, as that of the simulator: it stands for a computer of its own."""


def drive(port: int, seconds: float, crane: str) -> dict[str, float]:
    """Exchange for that many seconds.

    Returns the number of cycles, the longest exchange [s], and the number of late ones.
    """
    registers = Registers(load_crane(crane))
    client = ModbusTcpClient("127.0.0.1", port=port, timeout=2.0)
    if not client.connect():
        raise SystemExit(f"no server on port {port}")
    told = {"cycles": 0.0, "longest": 0.0, "late": 0.0, "emergency_stop_seen": 0.0, "apart": 0.0}
    start: dict[str, float] = {}
    seen: dict[str, float] = {}
    begin = time.monotonic()
    try:
        for k in range(round(seconds / CYCLE)):
            time.sleep(max(0.0, begin + k * CYCLE - time.monotonic()))
            asked = time.monotonic()
            values = commands(k, seconds, start, seen, list(registers.commands.kinds))
            reply = client.readwrite_registers(
                read_address=registers.state.first,
                read_count=registers.state.size,
                write_address=registers.commands.first,
                values=registers.commands.pack(values),
                device_id=DEVICE,
            )
            if reply.isError():
                raise SystemExit(f"the server refuses: {reply}")
            seen = registers.state.unpack(reply.registers)
            start = start or seen
            took = time.monotonic() - asked
            told["cycles"] += 1.0
            told["longest"], told["late"] = (
                max(told["longest"], took),
                told["late"] + (took > CYCLE),
            )
            told["emergency_stop_seen"] = max(told["emergency_stop_seen"], seen["emergency_stop"])
            told["apart"] = max(told["apart"], abs(ways(start, seen)))
    except ModbusException as error:
        raise SystemExit(f"the link broke: {error}") from None
    finally:
        client.close()
    return told


def commands(
    k: int, seconds: float, start: dict[str, float], seen: dict[str, float], names: list[str]
) -> list[float]:
    """Commands of a cycle, in order: its number, the emergency stop, speeds."""
    t = k * CYCLE
    speed = -SPEED * math.sin(2.0 * math.pi * t / TURN)  # an axis counts down from the trolley
    wanted = dict.fromkeys(names, 0.0) | {
        "cycle": float(k % 0xFFFF + 1),
        "emergency_stop": float(t > seconds - STOP_BEFORE_END),
        "head_hoist.speed": speed,
        "tail_hoist.speed": speed + (GAIN * ways(start, seen) if start else 0.0),
    }
    whole = {"cycle", "emergency_stop"}
    return [int(value) if name in whole else value for name, value in wanted.items()]


def ways(start: dict[str, float], seen: dict[str, float]) -> float:
    """Return the way of the head's hook less that of the tail's [m]."""
    head, tail = (
        seen[f"{crane}_hoist.position"] - start[f"{crane}_hoist.position"]
        for crane in ("head", "tail")
    )
    return head - tail


if __name__ == "__main__":
    with run_first(PRIORITY):
        print(json.dumps(drive(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3])))
