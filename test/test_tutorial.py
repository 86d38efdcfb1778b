"""The tutorial from beginning to end, as a reader follows it: files saved, Python run, commands given, one by one."""

import re
from pathlib import Path

import pytest

from cable_sim.cli import main

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial_controller.md"
NEEDS_ROS = "--start-node"


def blocks() -> list[tuple[str, str]]:
    """Language and text of all blocks that have a language, in order."""
    return re.findall(r"^```(\w+)\n(.*?)^```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def saved(text: str) -> str:
    """The name of the file that a block is to be saved as, which its first line says; empty if it is not."""
    found = re.match(r"# (\w+\.(?:py|yaml))\n", text)
    return found[1] if found else ""


def follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, skip: str = "", only: str = "") -> list[str]:
    """Do what the tutorial says, commands with or without a word; the commands that were given."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    given: list[str] = []
    for language, text in blocks():
        if saved(text):
            Path(saved(text)).write_text(text, encoding="utf-8")
        elif language == "python" and not only:
            exec(compile(text, TUTORIAL.name, "exec"), names)
        for line in text.splitlines() if language == "sh" else ():
            if only in line and not (skip and skip in line):
                with pytest.raises(SystemExit) as ended:
                    main(line.split()[1:])
                assert ended.value.code == 0, line
                given.append(line)
    return given


def test_the_tutorial_without_ros(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = follow(tmp_path, monkeypatch, skip=NEEDS_ROS)
    assert [line.split()[1] for line in given] == ["check", "evaluate", "control"]
    assert list(tmp_path.glob("results/evaluate/damped/report.html")) and (tmp_path / "crane.yaml").is_file()
    said = capsys.readouterr().out
    assert "sway.radial" in said and re.search(r"custom: \d+\.\d mrad", said)


@pytest.mark.ros
def test_the_tutorial_over_ros(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
    follow(tmp_path, monkeypatch, only=NEEDS_ROS)
    assert re.search(r"\d+ states answered, the slowest after .* ms, 0 deadlines missed", capsys.readouterr().out)


@pytest.mark.ros
def test_the_python_of_the_lockstep_page() -> None:
    pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")
    page = TUTORIAL.with_name("lockstep.md")
    found = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile("\n".join(found), page.name, "exec"), {})
