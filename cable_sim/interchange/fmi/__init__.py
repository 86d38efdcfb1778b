"""Cranes as functional mock-up units for co-simulation, FMI 2 and 3."""
