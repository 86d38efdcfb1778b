"""Ropes by name: what the catalogue has, how files name one, and what they are told about a wrong
name."""

import pytest
from messages import naming

from cable_sim.cranes import load_crane
from cable_sim.errors import ConfigError, SpecError
from cable_sim.spec import Anchor, Cable
from cable_sim.spec.cables.cables import Cable as CableSpec
from cable_sim.spec.cables.rope_catalogue import load_rope, rope_names, thinnest_rope
from cable_sim.spec.files import parse_spec


def test_a_rope_has_what_the_standards_factors_make_of_it():
    """EN 12385-4 by hand for 26 mm 6x36 of grade 1960: C 0.460, W 0.409, K 0.356."""
    rope = load_rope("26mm 6x36 1960")
    assert rope.metallic_area == pytest.approx(0.460 * 26**2 * 1e-6)
    assert rope.mass_per_metre == pytest.approx(0.409 * 26**2 / 100.0)
    assert rope.minimum_breaking_force == pytest.approx(0.356 * 26**2 * 1960.0)
    assert rope.ea == pytest.approx(105e9 * 0.460 * 26**2 * 1e-6)


def test_a_wire_ropes_name_says_what_it_is():
    for name in rope_names():
        if name.endswith("line"):
            continue
        diameter, construction, grade = name.split()
        rope = load_rope(name)
        assert float(diameter.removesuffix("mm")) == pytest.approx(1e3 * rope.diameter)
        assert rope.construction.startswith(construction)
        assert float(grade) == pytest.approx(1e-6 * rope.grade)


def test_a_cable_and_a_crane_take_a_rope_by_its_name():
    cable = Cable("c", (Anchor("a"), Anchor("b")), rope="16mm 34x7 1960")
    assert cable.rope == load_rope("16mm 34x7 1960")
    crane = load_crane("tower_12t", {"hoist_rope": "18mm 34x7 1960"})
    assert crane.scene.cables[0].rope == load_rope("18mm 34x7 1960")


CABLE = "{name: c, nodes: [{kind: anchor, body: a}, {kind: anchor, body: b}], rope: %s}"


def test_a_named_rope_may_differ_in_what_it_says():
    cable = parse_spec(CABLE % "{catalogue: 16mm 34x7 1960, lay: left, modulus: 0.9e11}", CableSpec)
    plain = load_rope("16mm 34x7 1960")
    assert cable.rope.ea == pytest.approx(0.9 * plain.ea)
    assert cable.rope.torque_arm == -plain.torque_arm
    assert cable.rope.minimum_breaking_force == plain.minimum_breaking_force


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("16mm 34x9 1960", "rope '16mm 34x9 1960' catalogue 10mm 34x7 1960"),
        ("{catalogue: 17mm}", "rope '17mm' catalogue"),
        ("{catalogue: 3}", "name rope 3"),
        ("{catalogue: 16mm 34x7 1960, diametre: 0.02}", "field 'diametre' 'diameter'"),
    ],
)
def test_a_wrong_name_is_told_in_its_place(given, says):
    with pytest.raises(ConfigError) as caught:
        parse_spec(CABLE % given, CableSpec)
    (problem,) = caught.value.problems
    assert naming(says).search(problem.problem)
    assert problem.field.startswith("rope")


def test_an_unknown_rope_is_an_error_in_code_too():
    with pytest.raises(SpecError, match=naming("rope 'string' catalogue 10mm")):
        load_rope("string")


def test_the_thinnest_rope_that_holds_is_found():
    assert thinnest_rope("34x7_rotation_resistant", 1.6e5) == "18mm 34x7 1960"
    assert thinnest_rope("34x7_rotation_resistant", 1.59e5) == "16mm 34x7 1960"
    assert thinnest_rope("34x7_rotation_resistant", 1e9) is None
