"""The generated pages of the reference: up to date, complete, and with a unit and a range wherever
there is one."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from cable_sim.cli import app
from cable_sim.ros.basis.parameters import TABLE
from tools.reference import PAGES, floors, messages

ROOT = Path(__file__).parents[1]
WITHOUT_UNIT = {
    "real_time_factor": "a factor",
    "marker_points": "a count",
    "realtime_priority": "an order",
    "noise.seed": "a seed",
    "dropout": "a probability",
}
"""Parameters that are numbers and have no unit, with the reason."""
CRANES = ("tower_12t", "rtg_41t", "nehe_rope", "two_towers")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_what_is_written_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path](), "run make reference"


def test_every_field_of_every_message_is_on_the_page() -> None:
    for file in (ROOT / "msg").glob("*.msg"):
        section = messages.page([file])
        body = file.read_text(encoding="utf-8").partition("\n\n")[2]
        fields = [
            messages.field_of(line)
            for line in body.splitlines()
            if line and line.lstrip()[0] != "#"
        ]
        assert fields
        for field in fields:
            where = f"{file.name}: {field.name}"
            assert re.search(rf"^\| `{field.name}` \|.*\| \S.* \|$", section, re.MULTILINE), where
            assert field.constant or not field.type.startswith("float") or field.unit != "-", where


def test_a_field_without_a_comment_is_refused() -> None:
    with pytest.raises(ValueError, match="float64 length"):
        messages.field_of("float64 length")


def test_every_option_of_every_command_is_on_the_page() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    sections = dict(
        re.findall(r"^## cable-sim (\S+)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    )
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert list(sections) == list(commands)
    for name, command in commands.items():
        words = [
            word for one in command.params if one.param_type_name == "option" for word in one.opts
        ]
        assert [
            word
            for word in words
            if word not in ("-h", "--help") and f"`{word}" not in sections[name]
        ] == [], name
    assert "| `wall` | `wall`, `processor` |" in sections["bench"], "the words that an option takes"


@pytest.mark.parametrize("crane", CRANES)
def test_every_parameter_has_a_unit_and_a_range_or_a_reason(crane: str) -> None:
    """A number that is dimensionless is listed above; without bounds is only the constant error of
    a sensor."""
    pytest.importorskip("rclpy", reason="rows of cranes need rclpy: source scripts/env.sh")
    from cable_sim.ros.basis.crane_parameters import rows_of
    from cable_sim.scenes.machines import load_machine

    for row in (*TABLE, *rows_of(load_machine(crane))):
        if isinstance(row.default, (bool, str)):
            assert row.unit == "-", row.name
            continue
        short = row.name if row.name in WITHOUT_UNIT else row.name.rpartition(".")[2]
        assert (row.unit == "-") == (short in WITHOUT_UNIT), row.name
        assert row.range, row.name


def test_every_line_of_the_parameter_page_has_unit_and_range() -> None:
    page = (ROOT / "docs" / "reference" / "parameters.md").read_text(encoding="utf-8")
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert len(lines) > len(TABLE)
    for name, _, unit, allowed, when, meaning in lines:
        assert unit and allowed not in ("", "-") and when in ("at start", "any time") and meaning, (
            name
        )


def test_the_drawing_in_the_text_is_that_of_the_contract() -> None:
    """`docs/architecture.md` draws the floors that pyproject.toml enforces, in their order."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = re.search(
        r"^## Which room imports "
        r"which\n+(?:!.*\n+)?```\w*\n(.*?)^```",
        text,
        re.DOTALL | re.MULTILINE,
    )
    assert drawn
    levels = [
        re.findall(r"\w+", re.split(r" {2,}", line.strip())[0])
        for line in drawn[1].splitlines()
        if line.strip()
    ]
    assert levels == floors.floors(ROOT / "pyproject.toml")


def test_every_room_is_drawn() -> None:
    drawing = floors.drawing(ROOT / "pyproject.toml")
    rooms = {path.parent.name for path in (ROOT / "cable_sim").glob("*/__init__.py")}
    assert set(floors.ROOMS) == rooms
    assert [room for room in rooms if f">{room} <" not in drawing] == []
