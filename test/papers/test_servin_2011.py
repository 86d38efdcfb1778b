"""Servin et al. 2011: every quantity of the study by name, so that none can vanish unseen."""

import dataclasses
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from shown import assert_shown

from cable_sim import Simulator, load_scene
from validation.harness import Finding, Part, Progress, Result, Study
from validation.harness.catalogue import load_study, paper_module

COUNTS = (2, 3, 5, 10, 20, 30)
FALLS = ("figure 6", "figure 1")
EXPECTED = {
    "Equations 24 to 26: stable tension": [
        *(f"largest stable tension, {n} segments" for n in COUNTS),
        *(f"tension at which masses go, {n} segments" for n in COUNTS),
    ],
    "Figures 10 and 11: stability charts": [
        "the hybrid wire is stable",
        "violation beyond the elastic stretch",
        "elongation within 1 %",
        "the fair chain holds loads that are no heavier than it",
        "the fair chain of 30 segments holds no loads of 10000 wires and more",
        "what the fair chain holds depends on the ratio of the masses alone",
        "depth of its shortest links in the cylinder",
    ],
    "Figures 1 and 6: falling boxes": [
        f"{what}, {name}"
        for name in FALLS
        for what in (
            "distance of the boxes at rest from statics",
            "tilt of the boxes at rest",
            "largest tension",
            "largest tension over that of the whole fall",
            "nearest that a wire is to a box",
            "energy gained from flight to flight",
            "median of the masses of a taut wire",
            "most masses of a slack wire",
            "rope of the wire at the end",
        )
    ],
    "Figures 12 and 13: friction": [
        *(
            f"{what} across {beam}"
            for what in ("error of the acceleration", "friction that holds")
            for beam in ("edges", "32 facets")
        ),
        "error of the ratio of tensions on 32 facets",
        *(
            f"{what} along edges, {slope} degrees"
            for what in ("error of the acceleration", "friction that holds")
            for slope in (10, 20, 30)
        ),
        "way along edges of a wire that sticks",
        "creep of a wire that holds by 2.5 turns",
        *(
            f"{what} across edges, hmr_2011"
            for what in (
                "acceleration without friction",
                "error of the acceleration",
                "acceleration off a straight line",
                "friction that holds",
            )
        ),
        *(
            f"{what} along edges, hmr_2011"
            for what in (
                "acceleration without friction",
                "rise of the acceleration with friction",
                "way with mu = 0.98",
                "way with mu = 1",
                "acceleration with a quarter of the step",
                "friction that holds what sticks",
            )
        ),
    ],
    "Figures 3 and 14: a block in a wire": [
        *(
            f"{what}, mu = {mu:g}"
            for mu in (0.0, 0.2, 0.5)
            for what in (
                "contact nodes in the first step",
                "the block comes free",
                "contact nodes that go in a step",
                "energy gained",
                "energy at the end",
                "violation beyond the elastic stretch",
                "nearest that the wire is to the block",
                "turns of the block until it is free",
                "masses of the wire that is free",
                "the solver",
            )
        ),
        "time until the block is free, with friction",
    ],
    "Figure 15: a crane of ropes": [
        "swing of the load",
        "tilt of the gripper on the rope over that on the arm, while travelling",
        "tilt of the gripper over the swing, until it is empty",
        "rate at which the empty gripper tips at the end",
        "pull of the haul rope while the trolley stands",
        "pull of the hoist rope while it hoists",
        "pull of the sling that has let go",
        "pull of the sling that has gripped again",
        "height of the load over the wall",
        "force on the load in the air",
        "place of the load at the far end",
        "way of the load while the gripper is away",
        "place of the load at the end",
        "height of the load at the end",
        "way of the trolley",
        "way of the trolley by the turns of its drum",
        "edges of the drum that its rope leaves",
        "the rope on the drum at the end",
        "lift of the empty gripper by the turns of its drum",
        "the solver",
    ],
}
"""Names of all findings that are judged, part by part."""

SLOW = {"Figures 10 and 11: stability charts", "Figures 12 and 13: friction"}


def study() -> Study:
    return load_study("servin_2011")


@cache
def result(title: str) -> Result:
    """What comes out of a part; each runs once."""
    (part,) = (part for part in study().parts if part.title == title)
    return part.run(Progress())


def found(title: str) -> dict[str, Finding]:
    """The findings of a part by name."""
    return {finding.name: finding for finding in result(title).findings}


def checked() -> list[Part]:
    return [part for part in study().parts if not part.timing]


def marks(title: str) -> list[pytest.MarkDecorator]:
    """Of a test on a part."""
    return [pytest.mark.slow] if title in SLOW else []


def test_every_part_is_expected() -> None:
    assert [part.title for part in checked()] == list(EXPECTED)


@pytest.mark.parametrize("title", [pytest.param(title, marks=marks(title)) for title in EXPECTED])
def test_every_quantity_is_expected(title: str) -> None:
    assert sorted(found(title)) == sorted(EXPECTED[title])


@pytest.mark.parametrize(
    ("title", "name"),
    [
        pytest.param(title, name, marks=marks(title))
        for title, names in EXPECTED.items()
        for name in names
    ],
)
def test_agrees(title: str, name: str) -> None:
    finding = found(title)[name]
    assert finding.verdict == "ok", f"{name}: {finding.cells()}"


@pytest.mark.parametrize(
    ("wire", "load"), [(1.0, 1e5), (1e2, 1e3), (1e4, 1e3), (1e5, 1.0), (1e5, 1e5)]
)
def test_a_cell_of_the_chart(wire: float, load: float) -> None:
    """Stable, its lengths kept; right in its elongation even where the wire is running off."""
    stability = paper_module("servin_2011", "stability")
    cell = stability.hybrid(wire, load)
    assert cell.stable and cell.status == 0 and cell.violation < stability.VIOLATED
    assert cell.contacts == stability.FACETS // 2
    assert cell.elongation == pytest.approx(1.0, abs=2e-3)


def test_the_chart_depends_on_the_ratio_of_the_masses_alone() -> None:
    hybrid = paper_module("servin_2011", "stability").hybrid
    assert hybrid(1e2, 1e3)[1:] == pytest.approx(hybrid(1e3, 1e4)[1:], rel=1e-6)


def test_a_chain_loses_heavy_loads_and_keeps_light_ones() -> None:
    """The fair one does at a thousandfold of what the other does; long links go through."""
    stability = paper_module("servin_2011", "stability")
    assert stability.hang_chain(1e3, 1e3, 30).holds
    assert not stability.hang_chain(1e5, 1.0, 30).holds
    assert stability.hang_chain(1e3, 1e3, 8).cut > stability.THROUGH
    assert not stability.hang_chain(10.0, 1e3, 30, "chain").holds


def test_loaded_wires_have_contact_nodes_per_facet_and_no_masses() -> None:
    counts = []
    for facets in (6, 20):
        simulator = Simulator(
            load_scene("wire_over_cylinder", load=1e4, wire=1.0, facets=facets), dt=1.0 / 60.0
        )
        simulator.step(300)
        wire = simulator.observe().cable("wire")
        counts.append((len(wire.mass_position), len(wire.contact_position)))
    assert counts == [(0, 3), (0, 11)]


def test_nets_keep_fixed_masses_and_lose_free_ones_under_load() -> None:
    masses = {}
    for fixed, load in ((True, 5.0), (False, 1e5)):
        simulator = Simulator(
            load_scene("wire_net", rows=3, columns=3, load=load, fixed=fixed), dt=1.0 / 60.0
        )
        simulator.step(300)
        seen = simulator.observe()
        masses[fixed] = sum(len(seen.cable(name).mass_position) for name in simulator.names.cables)
    assert masses[True] == 12 * 4
    assert masses[False] < masses[True] // 2


def test_times_of_nodes_are_told_and_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = paper_module("servin_2011", "cost")
    for name, value in {
        "SETTLING": 5,
        "LEAST": 1e-4,
        "ROUNDS": 2,
        "CONTACTS": (6, 10),
        "MASSES": (1, 3),
    }.items():
        monkeypatch.setattr(cost, name, value)
    monkeypatch.setattr(cost, "GRIDS", {"one wire": (1, 2), "net 4 x 4": (3, 3)})
    for run in (cost.figure_8, cost.figure_9):
        result = run(Progress())
        assert {finding.verdict for finding in result.findings} == {""}
        for picture in result.pictures:
            assert_shown(picture.draw(), picture.name)


def missed(findings: list[Finding]) -> set[str]:
    return {finding.name for finding in findings if finding.verdict == "missed"}


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Module of the study whose scenes get other parameters."""
    cleared = []

    def change(room: str, **parameters: float) -> Any:
        module = paper_module("servin_2011", room)
        scenes = module.load_scene
        monkeypatch.setattr(
            module, "load_scene", lambda name, **given: scenes(name, **{**given, **parameters})
        )
        cleared.append(module.run)
        module.run.cache_clear()
        return module

    yield change
    for run in cleared:
        run.cache_clear()


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"mass": 1e6}, "distance of the boxes at rest from statics, figure 6"),
        ({"mass": 1e6}, "largest tension, figure 6"),
        ({"drop": 5.0}, "largest tension, figure 6"),
    ],
)
def test_other_boxes_are_noticed(
    changed: Callable[..., Any], parameters: dict[str, float], name: str
) -> None:
    falling = changed("falling", **parameters)
    assert name in missed(falling._findings("figure 6", 1, falling.run(1)))


def test_another_counterweight_is_noticed(changed: Callable[..., Any]) -> None:
    crane = changed("crane", counterweight=500.0)
    assert missed(crane.findings()) == {"pull of the haul rope while the trolley stands"}


def test_another_load_of_the_crane_is_noticed(changed: Callable[..., Any]) -> None:
    assert "pull of the hoist rope while it hoists" in missed(
        changed("crane", load=500.0).findings()
    )


@pytest.fixture
def crane(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The part on the crane, which forgets its runs but that with the stiff arm."""
    module = paper_module("servin_2011", "crane")
    arm = module.run(True)
    rope = module.run.__wrapped__
    monkeypatch.setattr(module, "run", lambda rigid: arm if rigid else rope(False))
    return module


def test_a_load_that_is_not_let_go_is_noticed(crane: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crane, "EVENTS", ())
    assert missed(crane.findings()) >= {
        "pull of the sling that has let go",
        "way of the load while the gripper is away",
    }


@pytest.mark.slow
def test_a_load_that_is_not_gripped_again_is_noticed(
    crane: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crane, "EVENTS", crane.EVENTS[:1])
    assert missed(crane.findings()) >= {
        "pull of the sling that has gripped again",
        "place of the load at the end",
    }


def test_a_higher_wall_is_noticed(crane: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is in the way of the load stops it."""
    scene = load_scene("rope_crane")
    wall, *barrels = scene.obstacles
    higher = dataclasses.replace(
        wall, shape=dataclasses.replace(wall.shape, z=4.4), position=(*wall.position[:2], 2.2)
    )
    scene = dataclasses.replace(scene, obstacles=(higher, *barrels))
    monkeypatch.setattr(crane, "load_scene", lambda name, rigid=False: scene)
    monkeypatch.setattr(crane, "EVENTS", ())
    assert "force on the load in the air" in missed(crane.findings())


def test_drums_of_another_size_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turned as far as the study takes them to be."""
    crane = paper_module("servin_2011", "crane")
    for name in ("HAUL", "HOIST"):
        drum = getattr(crane, name)
        monkeypatch.setattr(crane, name, drum._replace(radius=1.05 * drum.radius))
    assert missed(crane.findings()) == {
        "way of the trolley by the turns of its drum",
        "edges of the drum that its rope leaves",
        "lift of the empty gripper by the turns of its drum",
    }


@pytest.mark.parametrize(
    ("held", "names"),
    [
        (0, {"the fair chain holds loads that are no heavier than it"}),
        (30, {"the fair chain of 30 segments holds no loads of 10000 wires and more"}),
    ],
)
def test_a_chain_that_holds_nothing_or_all_is_noticed(
    monkeypatch: pytest.MonkeyPatch, held: int, names: set[str]
) -> None:
    stability = paper_module("servin_2011", "stability")
    monkeypatch.setattr(stability, "chain", lambda wire, load: held)
    assert missed(stability.chain_findings([(1.0, 1.0), (1.0, 1e4)])) == names


@pytest.mark.slow
def test_a_chain_whose_contacts_are_no_rows_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With contacts behind the solution it loses what it should hold."""
    stability = paper_module("servin_2011", "stability")
    hang = stability.hang_chain
    monkeypatch.setattr(stability, "hang_chain", lambda *cell: hang(*cell, "chain"))
    monkeypatch.setattr(stability, "chain", stability.chain.__wrapped__)
    monkeypatch.setattr(stability, "MOST", 12)
    assert "the fair chain holds loads that are no heavier than it" in missed(
        stability.chain_findings([(1e3, 10.0)])
    )


@pytest.mark.parametrize("title", [pytest.param(title, marks=marks(title)) for title in EXPECTED])
def test_every_figure_is_drawn(title: str) -> None:
    for picture in result(title).pictures:
        assert_shown(picture.draw(), picture.name)


def test_a_wire_starts_along_its_path() -> None:
    """Over the cylinder, not below it, where it would hang, with no rope left over."""
    wire = (
        Simulator(load_scene("wire_over_cylinder", masses=30), dt=1.0 / 60.0)
        .observe()
        .cable("wire")
    )
    way = np.array(paper_module("servin_2011", "stability").path_over(30, 0.02))
    assert len(wire.mass_position) == 30
    assert wire.mass_position[:, 2].max() == pytest.approx(way[:, 2].max(), abs=0.06)
    assert np.hypot(wire.mass_position[:, 0], wire.mass_position[:, 2]).min() > 1.0
    assert wire.length == pytest.approx(wire.length_paid_out, rel=1e-6)
