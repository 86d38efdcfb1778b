"""Ropes: areas, stiffness, mass and strength of EN 12385-4, and never those of a steel bar."""

import dataclasses
import math

import pytest

from cable_sim.spec.ropes import CONSTRUCTIONS, Certificate, Rope, standard_rope
from cable_sim.errors import SpecError


def test_the_tower_cranes_rope():
    rope = Rope("34x7_rotation_resistant", 0.016)
    assert rope.metallic_area == pytest.approx(0.428 * 256e-6, rel=1e-12)
    assert rope.ea == pytest.approx(1.0957e7, rel=1e-4)
    assert rope.mass_per_metre == pytest.approx(1.027, abs=5e-4)
    assert rope.minimum_breaking_force == pytest.approx(1.596e5, rel=3e-4)
    assert rope.wave_speed == pytest.approx(3267.0, abs=1.0)


def test_the_gantry_cranes_rope():
    rope = Rope("6x36ws_iwrc", 0.026)
    assert rope.metallic_area == pytest.approx(3.110e-4, rel=2e-4)
    assert rope.ea == pytest.approx(3.265e7, rel=2e-4)
    assert rope.mass_per_metre == pytest.approx(2.765, abs=5e-4)
    assert rope.minimum_breaking_force == pytest.approx(4.717e5, rel=2e-4)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_every_construction_is_two_to_four_times_softer_than_steel(construction):
    rope = standard_rope(construction, 0.02)
    steel = 200e9 * math.pi / 4.0 * 0.02**2
    assert 2.0 < steel / rope.ea < 4.0
    assert rope.minimum_breaking_force < 1960e6 * rope.metallic_area  # laying costs strength
    assert rope.mass_per_metre > 7850.0 * rope.metallic_area  # lubricant and core weigh, too


def test_own_factors_replace_those_of_the_construction_one_by_one():
    rope = Rope("34x7_rotation_resistant", 0.016, area_factor=0.52, modulus=90e9)
    assert rope.ea == pytest.approx(90e9 * 0.52 * 256e-6)
    assert rope.mass_per_metre == pytest.approx(0.401 * 256 / 100)


def test_a_certificate_replaces_derived_values_and_stays_when_the_diameter_changes():
    rope = Rope("18x7_rotation_resistant", 0.016, certificate=Certificate(ea=1.0e7, minimum_breaking_force=1.7e5))
    assert (rope.ea, rope.minimum_breaking_force) == (1.0e7, 1.7e5)
    assert rope.metallic_area == pytest.approx(0.433 * 256e-6)
    thicker = dataclasses.replace(Rope("18x7_rotation_resistant", 0.016), diameter=0.032)
    assert thicker.ea == pytest.approx(4.0 * Rope("18x7_rotation_resistant", 0.016).ea)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"area_factor": 0.785}, "0.7"),
        ({"modulus": 200e9}, "modulus"),
        ({"certificate": Certificate(area=2.0106e-4)}, "full bar"),
        ({"certificate": Certificate(ea=200e9 * math.pi / 4.0 * 0.016**2)}, "steel bar"),
        ({"diameter": 16.0}, "diameter"),
        ({"grade": 1960.0}, "grade"),
    ],
)
def test_a_steel_bar_and_millimetres_are_refused(wrong, message):
    with pytest.raises(SpecError, match=message):
        Rope(**({"construction": "34x7_rotation_resistant", "diameter": 0.016} | wrong))


def test_an_unknown_construction_lists_the_known():
    with pytest.raises(SpecError, match="6x36ws_iwrc"):
        standard_rope("7x7", 0.01)
