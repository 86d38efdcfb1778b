"""Spreaders, containers and their stacks: what cranes for containers have beside other cranes."""
