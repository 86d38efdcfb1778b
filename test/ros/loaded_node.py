"""Loads what a simulator node needs, for the process that nodes are forked from."""

from cable_sim.cranes import load_crane
from cable_sim.machine.machine import Machine
from cable_sim.ros.node import simulator_node

Machine(load_crane("tower_12t")).tick()
main = simulator_node.main
