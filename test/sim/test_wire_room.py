"""Room for contact nodes and masses of hybrid wires that is not in use."""

import dataclasses

import pytest

from cable_sim import Scene, load_scene
from cable_sim.model.basis.crossings import exposed_rows
from cable_sim.model.compile import compile_scene

H = 1.0 / 60.0


def over_cylinder(**parameters: float) -> Scene:
    return load_scene("wire_over_cylinder", load=1e4, wire=1.0, facets=12, **parameters)


def with_obstacle(scene: Scene, **changes: object) -> Scene:
    (obstacle,) = scene.obstacles
    return dataclasses.replace(scene, obstacles=(dataclasses.replace(obstacle, **changes),))


def test_room_brings_neither_rows_nor_bodies() -> None:
    sizes = set()
    for masses in (5, 50):
        model, *_ = compile_scene(over_cylinder(masses=masses), dt=H)
        sizes.add((model.rows.kind.size, model.bodies.kind.size, model.wires.row.size))
    assert len(sizes) == 1
    assert sizes.pop()[2] == 2  # of the ends, on the loads


@pytest.mark.parametrize(("friction", "rows"), [(0.0, 2 + 8), (0.3, 2 + 8 + 14)])
def test_a_solid_that_moves_exposes_segments_at_every_node(friction: float, rows: int) -> None:
    """Five masses, and two more where the wire parts, make eight segments; friction one a node."""
    scene = with_obstacle(over_cylinder(masses=5), body="left", friction=friction)
    (wire,) = scene.cables
    assert exposed_rows(scene, wire, 0) == rows
