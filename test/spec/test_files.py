"""Spec files: every mistake reported at once, in its place, with the value and what is allowed."""

import dataclasses
import math
import re
from pathlib import Path

import pytest
from messages import naming

from cable_sim.cranes.families.kit.crane_file import KitCrane
from cable_sim.errors import ConfigError, SpecError
from cable_sim.scenes import load_scene
from cable_sim.spec import Anchor, Body, Box, Cable, Scene
from cable_sim.spec.cables.ropes import Rope
from cable_sim.spec.files import apply_changes, parse_spec, read_spec, to_yaml

TOWER = (Path(__file__).parents[2] / "config" / "tower_12t.yaml").read_text(encoding="utf-8")


def problems(text, cls=KitCrane):
    with pytest.raises(ConfigError) as caught:
        parse_spec(text, cls, "crane.yaml")
    return caught.value.problems


MISTAKES = {
    "text for a number": (
        "power: 76500.0",
        "power: strong",
        "axes.hoist.power",
        ["number", "'strong'"],
    ),
    "quoted number": (
        "power: 76500.0",
        "power: '76e3'",
        "axes.hoist.power",
        ["number", "'76e3'", "quotes"],
    ),
    "boolean for a number": (
        "power: 76500.0",
        "power: true",
        "axes.hoist.power",
        ["number", "True"],
    ),
    "negative": ("mass: 4000.0", "mass: -5", "rig.load.mass", ["0", "-5"]),
    "above its range": (
        "at: [1.15, 0.0, 0.0], diameter: 0.4, efficiency: 0.98",
        "at: [1.15, 0.0, 0.0], diameter: 0.4, efficiency: 1.2",
        "parts.jib.wheels.head.efficiency",
        ["1", "1.2"],
    ),
    "not a number": ("mass: 4000.0", "mass: .nan", "rig.load.mass", ["nan"]),
    "infinite": ("{trolley: 20.0,", "{trolley: .inf,", "rig.start.at.trolley", ["finite", "inf"]),
    "choice of words": (
        "state: on_ground",
        "state: flying",
        "rig.start.state",
        ["on_ground", "hanging", "flying"],
    ),
    "misspelt field": ("tau: 0.15", "taus: 0.15", "axes.hoist.taus", ["'taus'", "'tau'", "power"]),
    "number for a list": ("[2.0, 2.0, 1.0]", "2.25", "rig.load.size", ["list", "2.25"]),
    "long list": ("[2.0, 2.0, 1.0]", "[2.0, 2.0, 1.0, 3.0]", "rig.load.size", ["3"]),
    "short list": ("[2.0, 2.0, 1.0]", "[2.0, 2.0]", "rig.load.size[2]", ["missing"]),
    "wrong item": ("[2.0, 2.0, 1.0]", "[2.0, wide, 1.0]", "rig.load.size[1]", ["number", "'wide'"]),
    "bad name": (
        "name: platform",
        "name: my platform",
        "site.platforms[0].name",
        ["letter", "'my platform'"],
    ),
    "two places": (
        "polar: [45.0, 120.0]",
        "polar: [45.0, 120.0]\n      xy: [0, 0]",
        "site.platforms[0]",
        ["xy"],
    ),
    "yes is text": ("tau: 0.15", "tau: yes", "axes.hoist.tau", ["number", "'yes'"]),
    "duplicate": (
        "friction: 0.6",
        "friction: 0.6\n    friction: 0.5",
        "site.ground.friction",
        ["duplicate key", "first", "line"],
    ),
    "across fields": (
        "{trolley: 20.0,",
        "{trolley: 80.0,",
        "rig.start.at.trolley",
        ["2.8", "69.5", "80"],
    ),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_is_reported_in_its_place(kind):
    right, wrong, field, parts = MISTAKES[kind]
    assert TOWER.count(right) == 1
    text = TOWER.replace(right, wrong)
    (problem,) = problems(text)
    before = text[
        : text.index(wrong) + (len(wrong.split("\n")[0]) + 1 if kind == "duplicate" else 0)
    ]
    lines = {before.count("\n") + 1}
    if kind == "two places":  # the check is on the platform, which begins in the line with its name
        lines = {before.count("\n")}
    assert (problem.file, problem.field) == ("crane.yaml", field)
    assert problem.line in lines
    for part in parts:
        assert part in problem.problem, problem.problem


def test_the_column_is_that_of_the_value_or_of_the_unknown_key():
    (value,) = problems("construction: 18x7_rotation_resistant\ndiameter: -1.0\n", Rope)
    assert (value.line, value.column) == (2, 11)
    (key,) = problems(
        "construction: 18x7_rotation_resistant\ndiameter: 0.02\n\n    \nwidth: 1\n", Rope
    )
    assert (key.line, key.column) == (5, 1)


def test_all_mistakes_come_at_once_and_in_the_order_of_the_file():
    text = TOWER
    for right, wrong, _, _ in (
        MISTAKES[k] for k in ("negative", "misspelt field", "choice of words", "duplicate")
    ):
        text = text.replace(right, wrong)
    found = problems(text)
    fields = [problem.field for problem in found]
    assert fields == ["axes.hoist.taus", "rig.load.mass", "rig.start.state", "site.ground.friction"]
    assert [p.line for p in found] == sorted(p.line for p in found)


def test_the_message_has_one_line_with_position_per_problem():
    text = TOWER.replace("mass: 4000.0", "mass: -5").replace("power: 76500.0", "power: strong")
    with pytest.raises(ConfigError) as caught:
        parse_spec(text, KitCrane, "crane.yaml")
    first, second = str(caught.value).split("\n")
    line = text[: text.index("power:")].count("\n") + 1
    assert naming(f"crane.yaml:{line}:12 axes.hoist.power number 'strong'").search(first)
    assert "rig.load.mass" in second


def test_a_missing_section_is_named():
    (problem,) = problems(TOWER.replace("\nparts:", "\npart:"))[:1]
    assert problem.field == "parts"
    assert "missing" in problem.problem
    assert any("'parts'" in p.problem for p in problems(TOWER.replace("\nparts:", "\npart:")))


def test_a_mistake_in_a_list_of_alternatives_is_reported_once():
    text = (
        "bodies:\n  - {name: a, shape: {kind: box, x: 1, y: 2, hight: 3}, inertia: [1, two, 3]}\n"
    )
    found = {problem.field: problem.problem for problem in problems(text, Scene)}
    assert "number" in found["bodies[0].inertia[1]"]
    assert "missing" in found["bodies[0].shape.z"]
    assert naming("x y z kind").search(found["bodies[0].shape.hight"])
    assert len(found) == 3


def test_an_unknown_kind_of_node_lists_the_kinds():
    text = (
        "cables:\n  - name: c\n    nodes: [{kind: anchor, body: world}, {kind: pulley, body: "
        "world}]\n"
    )
    (problem,) = problems(text, Scene)
    assert (problem.line, problem.field) == (3, "cables[0].nodes[1]")
    assert all(word in problem.problem for word in ("pulley", "anchor", "eye", "sheave", "drum"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1,\n", 2),
        ("a: 1\n  b: 2\n", 2),
        ("a: &x [*x]\n", 1),
        ("a: !thing 3\n", 1),
        ("a: 1\nb: \x01\n", 2),
    ],
)
def test_what_is_not_yaml_is_reported_with_its_line(text, line):
    assert line in [problem.line for problem in problems(text, Rope)]


@pytest.mark.parametrize("text", ["", "# only a comment\n"])
def test_an_empty_file_is_called_empty(text):
    (problem,) = problems(text, Rope)
    assert "empty" in problem.problem


def test_a_list_is_no_spec():
    (problem,) = problems("- 1\n- 2\n", Rope)
    assert "mapping" in problem.problem


def test_numbers_are_those_of_yaml_1_2():
    body = parse_spec("{name: b, mass: 1e7, shape: {kind: sphere, radius: 1E-2}}", Body)
    assert (body.mass, body.shape.radius) == (1e7, 0.01)
    (problem,) = problems("{name: on, mass: 1:30, shape: {kind: sphere, radius: 1}}", Body)
    assert problem.field == "mass"  # 1:30 was ninety in YAML 1.1; the name ``on`` is text


def test_a_missing_file_names_itself_and_what_there_is(tmp_path):
    with pytest.raises(ConfigError) as caught:
        read_spec(tmp_path / "crane.yaml", Rope, ["tower_12t", "tower_5t"])
    assert str(tmp_path / "crane.yaml") in str(caught.value)
    assert "tower_12t, tower_5t" in str(caught.value)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "crane.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=naming("crane.yaml:1:1 read 'utf-8' 0xff")):
        read_spec(tmp_path / "crane.yaml", Rope)


def test_a_device_is_no_file():
    """Of ``/dev/zero`` a node took all memory of its machine."""
    with pytest.raises(ConfigError, match=naming("/dev/null device file")):
        read_spec("/dev/null", Rope)


def test_specs_survive_the_way_to_yaml_and_back():
    tower = parse_spec(TOWER, KitCrane)
    assert parse_spec(to_yaml(tower), KitCrane) == tower
    scene = Scene(
        bodies=(Body("a", 1e-3, (1.0, 2.0, 3.0)), Body("b", 1e16, shape=Box(1 / 3, 2.0, 3.0))),
        cables=(Cable("c", (Anchor("a"), Anchor("b")), ea=1.0957e7, breaking_force=float("inf")),),
    )
    assert parse_spec(to_yaml(scene), Scene) == scene
    assert "breaking_force: .inf" in to_yaml(scene)


SCENE = """\
name: fishing
bodies:
  - {name: rod, motion: prescribed, shape: {kind: box, x: 1, y: 1, z: 1}, position: [0, 0, 12]}
  - {name: box, mass: 1.0, shape: {kind: box, x: 0.2, y: 0.2, z: 0.2}, position: [3, 0, 12]}
cables:
  - name: stay
    nodes: [{kind: anchor, body: world}, {kind: anchor, body: rod, swivel: true}]
    rope: {construction: 6x36ws_iwrc, diameter: 0.01, lay: left}
  - name: band
    nodes: [{kind: anchor, body: world}, {kind: anchor, body: box}]
    rope: {construction: solid, diameter: 0.02, material: rubber, modulus: 1e6}
    twist: 12.5
  - name: line
    nodes: [{kind: anchor, body: rod}, {kind: anchor, body: box}]
    driven: true
    twist_stiffness: 0.5
drives:
  - {name: reel, on: line, target: -0.2, slip: 0.1, max_effort: 40}
motions:
  - {of: reel, times: [0, 5], values: [-0.2, -0.5]}
"""


def test_a_scene_file_with_ropes_and_a_driven_cable(tmp_path):
    (tmp_path / "fishing.yaml").write_text(SCENE, encoding="utf-8")
    scene = load_scene(tmp_path / "fishing.yaml")
    stay, band, line = scene.cables
    assert (stay.rope, stay.twists, stay.diameter) == (
        Rope("6x36ws_iwrc", 0.01, lay="left"),
        False,
        0.01,
    )
    assert band.axial_rigidity == pytest.approx(1e6 * math.pi * 1e-4)
    assert (band.twist, band.rope.material, line.driven, line.twist_stiffness) == (
        12.5,
        "rubber",
        True,
        0.5,
    )
    (reel,) = scene.drives
    assert (reel.on, reel.target, reel.slip, reel.max_effort) == ("line", -0.2, 0.1, 40.0)

    (tmp_path / "again.yaml").write_text(to_yaml(scene), encoding="utf-8")
    assert load_scene(tmp_path / "again.yaml") == scene


def test_a_file_omits_what_the_rope_implies_and_keeps_the_given():
    rope = Rope("6x36ws_iwrc", 0.01)
    ends = (Anchor("world"), Anchor("world", (1.0, 0.0, 0.0)))
    text = to_yaml(Cable("stay", ends, rope=rope))
    assert (text.count("diameter:"), text.count("breaking_force:")) == (1, 0)
    assert parse_spec(text.replace("diameter: 0.01", "diameter: 0.02"), Cable).diameter == 0.02
    given = Cable("stay", ends, rope=rope, diameter=0.05, breaking_force=1e5)
    assert "\ndiameter: 0.05\nbreaking_force: 100000.0\n" in to_yaml(given)
    assert parse_spec(to_yaml(given), Cable) == given


def test_the_scene_file_of_the_documentation():
    guide = (Path(__file__).parents[2] / "docs" / "howto" / "scenes.md").read_text(encoding="utf-8")
    (text,) = (
        block for block in re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL) if "bodies:" in block
    )
    scene = parse_spec(text, Scene)
    assert [cable.driven for cable in scene.cables] == [True, False]
    assert scene.cables[1].rope == Rope("6x36ws_iwrc", 0.01, lay="left")
    (problem,) = problems(text.replace("on: line", "on: stay"), Scene)
    assert f"{problem.line}:{problem.column}: {problem.field}: ..." == "8:13: cables[0].driven: ..."


SCENE_MISTAKES = {
    "rope and ea": ("    twist: 12.5", "    ea: 1e7", "cables[1].ea", "1e7", ["10000000.0 rope"]),
    "rope of nothing": (
        "material: rubber, modulus: 1e6",
        "density: 1100",
        "cables[1].rope",
        "{construction: solid",
        ["modulus solid rod", "steel"],
    ),
    "unknown construction": (
        "construction: solid",
        "construction: solod",
        "cables[1].rope.construction",
        "solod",
        ["'solid'", "'solod'"],
    ),
    "too strong a modulus": (
        "lay: left",
        "modulus: 200e9",
        "cables[0].rope.modulus",
        "200e9",
        ["2e+11 Pa bar's", "1.6e+11 Pa"],
    ),
    "impossible ratio": (
        "modulus: 1e6",
        "poisson_ratio: 0.6",
        "cables[1].rope.poisson_ratio",
        "0.6",
        ["0.5", "0.6"],
    ),
    "misspelt field": (
        "swivel: true",
        "swivels: true",
        "cables[0].nodes[1].swivels",
        "swivels",
        ["'swivel'"],
    ),
    "driven with a length": (
        "    twist_stiffness: 0.5",
        "    length: 4",
        "cables[2].length",
        "4",
        ["4.0 driven"],
    ),
    "drive on nothing": (
        "on: line",
        "on: lines",
        "drives[0].on",
        "lines",
        ["drive 'reel'", "'lines'", "stay band line"],
    ),
    "slides at its end": (
        "{kind: anchor, body: rod}, ",
        "{kind: eye, body: rod}, ",
        "cables[2].nodes[0]",
        "{kind: eye",
        ["anchor drum eye"],
    ),
    "not there": (
        "{kind: anchor, body: rod}, ",
        "{kind: anchor, body: road}, ",
        "cables[2].nodes[0].body",
        "road",
        ["cable 'line'", "node 0", "'road'", "world rod box"],
    ),
    "used twice": ("name: line", "name: band", "cables[2].name", "band", ["cables", "'band'"]),
}


@pytest.mark.parametrize("kind", SCENE_MISTAKES)
def test_a_mistake_of_a_scene_file_is_reported_in_its_place(kind):
    right, wrong, field, there, parts = SCENE_MISTAKES[kind]
    assert SCENE.count(right) == 1
    (problem,) = problems(SCENE.replace(right, wrong), Scene)
    assert (problem.file, problem.field) == ("crane.yaml", field)
    assert problem.line == SCENE[: SCENE.index(right)].count("\n") + 1
    line = SCENE.replace(right, wrong).splitlines()[problem.line - 1]
    assert line[problem.column - 1 :].startswith(there)
    for part in parts:
        assert naming(part).search(problem.problem), problem.problem


def test_a_driven_cable_without_a_drive_is_reported_in_place(tmp_path):
    path = tmp_path / "fishing.yaml"
    path.write_text(SCENE.replace("on: line", "on: band"), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_scene(path)
    place = f"{path}:{SCENE[: SCENE.index('driven')].count(chr(10)) + 1}:13: cables[2].driven: "
    assert (
        str(caught.value)
        == place + "cable 'line': driven needs a drive on 'line', but there is none"
    )


def test_changed_replaces_by_path_and_leaves_the_rest():
    tower = parse_spec(TOWER, KitCrane)
    heavy = apply_changes(
        tower,
        {"rig.load.mass": 5000.0, "rig.start.at.trolley": 30.0, "hooks.hook_block.mass": 380.0},
    )
    assert (heavy.rig.load.mass, heavy.rig.start.at["trolley"]) == (5000.0, 30.0)
    assert heavy.hooks["hook_block"].mass == 380.0
    back = apply_changes(
        heavy,
        {"rig.load.mass": 4000.0, "rig.start.at.trolley": 20.0, "hooks.hook_block.mass": 350.0},
    )
    assert back == tower
    assert dataclasses.replace(tower, rig=heavy.rig).rig.load.mass == 5000.0


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("rig.load.mas", 1.0, "rig.load.mas 'mass'"),
        ("rig.load.mass.unit", 1.0, "rig.load.mass.unit"),
        ("rig.load.mass", -1.0, "rig.load.mass 0"),
        ("rig.load.mass", "3 t", "rig.load.mass valid number '3 t'"),
        ("rig.start.at.trolley", 99.0, "rig.start.at.trolley 69.5"),
    ],
)
def test_changed_refuses_what_does_not_fit(path, value, message):
    with pytest.raises(SpecError, match=naming(message)):
        apply_changes(parse_spec(TOWER, KitCrane), {path: value})
