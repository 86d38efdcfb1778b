"""Layers of rope on drums: geometry by hand, files, and what contradicts itself."""

import math

import pytest
from messages import naming

from cable_sim.errors import ConfigError, SpecError
from cable_sim.spec import Anchor, Body, Box, Cable, Drum, Layers, Rope, Scene, Winch
from cable_sim.spec.files import parse_spec, to_yaml

GIVEN = {"diameter": 0.4, "turns": 10, "layers": 3, "wound": 30.0}


def rope(name: str = "rope", **changes) -> Cable:
    drum = Layers(**GIVEN)
    return Cable(
        name,
        (Drum("world"), Anchor("load")),
        **{"diameter": 0.02, "winch": Winch("w", drum=drum)} | changes,
    )


def scene(*cables: Cable) -> Scene:
    return Scene(
        bodies=(Body("load", 100.0, shape=Box(1, 1, 1), position=(0.0, 0.0, -5.0)),), cables=cables
    )


def test_pitch_radii_and_capacity_by_hand() -> None:
    drum = Layers(**GIVEN)
    assert drum.pitch_radii(0.02) == pytest.approx([0.21, 0.2273205, 0.2446410], abs=1e-7)
    assert drum.capacity(0.02) == pytest.approx(20.0 * math.pi * 0.6819615, rel=1e-7)
    assert drum.dead_length(0.02) == pytest.approx(6.0 * math.pi * 0.21)


def test_a_drum_with_layers_survives_its_file() -> None:
    written = scene(rope("left"), rope("right"))
    text = to_yaml(written)
    assert "wound: 30.0" in text
    assert parse_spec(text, Scene) == written
    assert "drum:" not in to_yaml(scene(rope(winch=Winch("w"))))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"diameter": 0.0}, ["diameter", "greater than 0", "not 0.0"]),
        ({"turns": -1.0}, ["turns", "greater than 0", "not -1.0"]),
        ({"layers": 0}, ["layers", "greater than or equal to 1", "not 0"]),
        ({"layers": 1.5}, ["layers", "not 1.5"]),
        ({"wound": 0.0}, ["wound", "greater than 0"]),
        ({"dead_wraps": -2.0}, ["dead_wraps", "greater than or equal to 0", "not -2.0"]),
        ({"dead_wraps": 11}, ["dead_wraps: 11", "more than the turns of a layer, 10"]),
    ],
)
def test_layers_that_cannot_be_are_refused(changes: dict, words: list[str]) -> None:
    with pytest.raises(SpecError, match="Layers: ") as error:
        Layers(**GIVEN | changes)
    assert all(word in str(error.value) for word in words), str(error.value)


@pytest.mark.parametrize(
    ("wound", "words"),
    [
        (45.0, ["rope", "wound: 45 m", "3.95841 m", "3 dead wraps", "42.8489 m", "3 full layers"]),
        (3.9, ["wound: 3.9 m", "3.95841 m"]),
    ],
)
def test_more_rope_than_fits_or_less_than_dead_wraps_is_refused(
    wound: float, words: list[str]
) -> None:
    with pytest.raises(SpecError) as error:
        rope(winch=Winch("w", drum=Layers(**GIVEN | {"wound": wound})))
    assert all(word in str(error.value) for word in words), str(error.value)


def test_a_file_is_told_where_there_is_too_much_rope() -> None:
    text = to_yaml(scene(rope())).replace("wound: 30.0", "wound: 300.0")
    with pytest.raises(ConfigError) as error:
        parse_spec(text, Scene)
    (problem,) = error.value.problems
    line = [line.strip() for line in text.splitlines()].index("wound: 300.0") + 1
    assert problem.line == line
    assert naming("300 m rope drum").search(problem.problem)


def test_layers_need_the_diameter_of_the_rope() -> None:
    with pytest.raises(SpecError, match=r"winch\.drum: .*diameter"):
        Cable("rope", (Drum("world"), Anchor("load")), winch=Winch("w", drum=Layers(**GIVEN)))
    strong = Rope("6x36ws_iwrc", 0.02)
    made = Cable(
        "rope", (Drum("world"), Anchor("load")), rope=strong, winch=Winch("w", drum=Layers(**GIVEN))
    )
    assert made.diameter == 0.02


def test_ropes_of_one_drum_have_one_diameter_and_one_drum() -> None:
    with pytest.raises(SpecError, match=naming("cable 'right' diameter 0.021 0.02 'left'")):
        scene(rope("left"), rope("right", diameter=0.021))
    with pytest.raises(SpecError, match=naming("'right' winch 'w' drum None Layers*")):
        scene(rope("left"), rope("right", winch=Winch("w")))
