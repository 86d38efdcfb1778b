"""Devices of a machine: levers, sensors, limiters, and what commands make of drives."""
