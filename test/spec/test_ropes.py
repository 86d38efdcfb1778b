"""Ropes: stiffness, mass and strength of EN 12385-4, never those of a steel bar; rods: those of
their material."""

import dataclasses
import math
from typing import get_args

import pytest
from messages import naming

from cable_sim.errors import SpecError
from cable_sim.spec.cables.materials import MATERIALS, MaterialName
from cable_sim.spec.cables.ropes import (
    CONSTRUCTIONS,
    Certificate,
    ConstructionName,
    Rope,
    standard_rope,
)


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
def test_every_rope_is_two_to_four_times_softer_than_steel(construction):
    rope = standard_rope(construction, 0.02)
    steel = 200e9 * math.pi / 4.0 * 0.02**2
    assert 2.0 < steel / rope.ea < 4.0
    assert rope.minimum_breaking_force < 1960e6 * rope.metallic_area  # laying costs strength
    assert rope.mass_per_metre > 7850.0 * rope.metallic_area  # lubricant and core weigh, too


def test_own_factors_replace_single_ones_of_the_construction():
    rope = Rope("34x7_rotation_resistant", 0.016, area_factor=0.52, modulus=90e9)
    assert rope.ea == pytest.approx(90e9 * 0.52 * 256e-6)
    assert rope.mass_per_metre == pytest.approx(0.401 * 256 / 100)


def test_a_certificate_replaces_values_derived_from_diameter():
    rope = Rope(
        "18x7_rotation_resistant",
        0.016,
        certificate=Certificate(ea=1.0e7, minimum_breaking_force=1.7e5),
    )
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
        ({"material": "nylon"}, "material 'nylon' solid rod's"),
        ({"density": 7850.0}, "density 7850.0 solid rod's"),
    ],
)
def test_a_steel_bar_and_millimetres_are_refused(wrong, message):
    with pytest.raises(SpecError, match=naming(message)):
        Rope(**({"construction": "34x7_rotation_resistant", "diameter": 0.016} | wrong))


def test_an_unknown_construction_lists_the_known():
    with pytest.raises(SpecError, match="6x36ws_iwrc"):
        standard_rope("7x7", 0.01)


@pytest.mark.parametrize("name", ["solid", "7x7"])
def test_standard_ropes_are_wire_ropes(name):
    with pytest.raises(SpecError, match=naming(f"construction '{name}' 6x19_iwrc")):
        standard_rope(name, 0.01)


def test_every_name_that_a_rope_may_give_has_its_table_row():
    assert set(get_args(ConstructionName)) == {"solid", *CONSTRUCTIONS}
    assert set(get_args(MaterialName)) == set(MATERIALS)


def test_a_steel_rod_by_hand():
    rod = Rope("solid", 0.01, modulus=200e9, poisson_ratio=0.25, density=7800.0)
    assert rod.metallic_area == pytest.approx(7.853982e-5, rel=1e-6)
    assert rod.ea == pytest.approx(1.5707963e7, rel=1e-7)
    assert rod.gj == pytest.approx(80e9 * math.pi / 2.0 * 0.005**4, rel=1e-12)  # G J, G = Y / 2.5
    assert rod.mass_per_metre == pytest.approx(0.6126106, rel=1e-6)
    assert rod.wave_speed == pytest.approx(math.sqrt(200e9 / 7800.0), rel=1e-12)
    assert rod.torque_arm == 0.0


def test_the_paper_s_steel_cable():
    """Servin and Lacoursiere 2007, section 4.4.2: 10 mm, 4 m, 200 GPa, 0.3; c_t = 19; c_s for 2 m
    in print."""
    rod = Rope("solid", 0.01, modulus=200e9)
    assert rod.ea / 4.0 == pytest.approx(3.93e6, rel=1e-3)
    assert rod.ea / 2.0 == pytest.approx(7.8e6, rel=1e-2)
    assert rod.gj / 4.0 == pytest.approx(18.9, rel=2e-3)
    assert dataclasses.replace(rod, modulus=None, material="steel").gj == rod.gj


@pytest.mark.parametrize("name", MATERIALS)
def test_a_material_gives_what_a_rod_needs_and_can_be_overruled(name):
    stuff = MATERIALS[name]
    rod = Rope("solid", 0.02, material=name)
    area = math.pi * 1e-4
    assert rod.ea == pytest.approx(stuff.modulus * area)
    assert rod.gj == pytest.approx(
        stuff.modulus * area * 1e-4 / (4.0 * (1.0 + stuff.poisson_ratio))
    )
    assert rod.mass_per_metre == pytest.approx(stuff.density * area)
    own = Rope("solid", 0.02, material=name, modulus=5e6, poisson_ratio=0.0, density=1.0)
    assert (own.ea, own.gj) == (pytest.approx(5e6 * area), pytest.approx(5e6 * area * 1e-4 / 4.0))
    assert own.mass_per_metre == pytest.approx(area)


def test_materials_order_by_modulus_and_have_known_wave_speeds():
    stiff = sorted(MATERIALS, key=lambda name: MATERIALS[name].modulus)
    assert stiff == ["rubber", "nylon", "polyester", "aluminium", "steel"]
    speed = {name: Rope("solid", 0.01, material=name).wave_speed for name in MATERIALS}
    assert speed["steel"] == pytest.approx(5050.0, rel=0.01)  # m/s, in thin bars
    assert speed["aluminium"] == pytest.approx(5000.0, rel=0.02)
    assert 30.0 < speed["rubber"] < 60.0


def test_a_rod_has_no_strength_or_mass_unless_they_are_given():
    rod = Rope("solid", 0.01, modulus=1e6)
    assert rod.minimum_breaking_force == math.inf
    with pytest.raises(SpecError, match=naming("Rope density material")):
        rod.mass_per_metre  # noqa: B018
    known = dataclasses.replace(
        rod, certificate=Certificate(minimum_breaking_force=5e3, mass_per_metre=0.1)
    )
    assert (known.minimum_breaking_force, known.mass_per_metre) == (5e3, 0.1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "modulus solid rod material steel"),
        ({"modulus": 0.0}, "modulus 10000 0.0"),
        ({"modulus": -200e9}, "modulus -2*"),
        ({"modulus": 200.0}, "modulus 200.0"),  # GPa
        ({"modulus": math.nan}, "modulus nan"),
        ({"modulus": math.inf}, "modulus inf"),
        ({"material": "stele"}, "material 'steel' 'stele'"),
        ({"poisson_ratio": 0.51}, "poisson_ratio 0.5 0.51"),
        ({"poisson_ratio": -1.0}, "poisson_ratio -1 -1.0"),
        ({"poisson_ratio": math.nan}, "poisson_ratio nan"),
        ({"density": 0.0}, "density 0 0.0"),
        ({"torsional_rigidity": -1.0}, "torsional_rigidity 0 -1.0"),
        ({"diameter": 0.0}, "diameter 0 0.0"),
        ({"diameter": math.nan}, "diameter nan"),
        ({"lay": "up"}, "lay 'right' 'left' 'up'"),
        ({"area_factor": 0.5, "material": "steel"}, "area_factor 0.5 wire rope's"),
        ({"mass_factor": 0.4, "material": "steel"}, "mass_factor 0.4 wire rope's"),
        ({"strength_factor": 0.3, "material": "steel"}, "strength_factor 0.3 wire rope's"),
        ({"torque_factor": 0.1, "material": "steel"}, "torque_factor 0.1 wire rope's"),
    ],
)
def test_a_rod_that_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(SpecError, match=naming(message)):
        Rope(**({"construction": "solid", "diameter": 0.01} | wrong))


@pytest.mark.parametrize("sigma", [-0.99, 0.0, 0.5])
def test_poisson_s_ratio_may_be_all_that_thermodynamics_allows(sigma):
    rod = Rope("solid", 0.01, modulus=1e9, poisson_ratio=sigma)
    assert rod.gj * 4.0 * (1.0 + sigma) == pytest.approx(rod.ea * 0.005**2)


def test_a_wire_rope_of_the_paper_s_diameter_is_a_third_as_stiff():
    rope = standard_rope("6x36ws_iwrc", 0.01)
    assert rope.ea / 4.0 == pytest.approx(1.21e6, rel=3e-3)
    assert rope.gj == pytest.approx(1.10)  # N m^2, for 75.5 of a steel rod
    assert Rope("solid", 0.01, material="steel").gj == pytest.approx(75.5, rel=1e-3)


def test_measured_torsional_rigidity_replaces_the_derived_one():
    rope = Rope("6x36ws_iwrc", 0.01, torsional_rigidity=30.0)  # even above the bound of a rod, 23.2
    assert rope.gj == 30.0
    assert rope.ea == Rope("6x36ws_iwrc", 0.01).ea


def bound(rope):
    """GJ of a rod that has all the rope's axial stiffness: EA r^2 / (4 (1 + 0.3))."""
    return rope.ea * (0.5 * rope.diameter) ** 2 / 5.2


@pytest.mark.parametrize("diameter", [0.01, 0.026])
@pytest.mark.parametrize(
    ("name", "torque_factor", "degrees", "share"),
    [("6x19_iwrc", 0.089, 42.0, 0.049), ("34x7_rotation_resistant", 0.0076, 0.2, 0.857)],
)
def test_ropes_that_are_let_go_turn_as_published(name, torque_factor, degrees, share, diameter):
    """Free turn per lay, usually 6.5 d, at 20 % of the breaking force: k_t d T / GJ; and the rod is
    stiffer."""
    rope = standard_rope(name, diameter)
    tension = 0.2 * rope.minimum_breaking_force
    turn = torque_factor * diameter * tension / rope.gj * 6.5 * diameter
    assert math.degrees(turn) == pytest.approx(degrees, rel=5e-3)
    assert rope.gj / bound(rope) == pytest.approx(share, abs=2e-3)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_no_rope_is_stiffer_in_torsion_than_a_rod_of_its_steel(name):
    """Also one of a low modulus, where the construction's figure would be above the bound."""
    for modulus in (None, 60e9):
        rope = Rope(name, 0.016, modulus=modulus)
        assert 0.0 < rope.gj <= bound(rope)
    soft = Rope(name, 0.016, modulus=1e9)
    assert soft.gj == pytest.approx(bound(soft))


def test_the_more_strands_the_less_a_rope_turns():
    names = ("6x36ws_iwrc", "18x7_rotation_resistant", "34x7_rotation_resistant")
    six, eighteen, thirty_four = (CONSTRUCTIONS[name].torsion for name in names)
    assert six < eighteen < thirty_four
    assert eighteen == pytest.approx(math.sqrt(six * thirty_four), rel=1e-2)


def test_the_torque_is_that_of_the_construction_and_its_lay():
    assert Rope("34x7_rotation_resistant", 0.016).torque_arm == pytest.approx(0.0076 * 0.016)
    assert Rope("6x36ws_iwrc", 0.026, lay="left").torque_arm == pytest.approx(-0.089 * 0.026)
    assert Rope("18x7_rotation_resistant", 0.01, torque_factor=0.02).torque_arm == pytest.approx(
        2e-4
    )
