"""The tutorial from beginning to end, as a reader follows it: files saved, Python run, commands given, one by one."""

import importlib.util
import re
from pathlib import Path

import pytest

from cable_sim.cli import main

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial_controller.md"
HAS_ROS = importlib.util.find_spec("rclpy") is not None


def blocks() -> list[tuple[str, str]]:
    """Language and text of all blocks that have a language, in order."""
    return re.findall(r"^```(\w+)\n(.*?)^```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def saved(text: str) -> str:
    """The name of the file that a block is to be saved as, which its first line says; empty if it is not."""
    found = re.match(r"# (\w+\.(?:py|yaml))\n", text)
    return found[1] if found else ""


def test_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    given: list[str] = []
    for language, text in blocks():
        if saved(text):
            Path(saved(text)).write_text(text, encoding="utf-8")
        elif language == "python" and (HAS_ROS or "cable_sim.ros" not in text):
            exec(compile(text, TUTORIAL.name, "exec"), names)
        for line in text.splitlines() if language == "sh" else ():
            with pytest.raises(SystemExit) as ended:
                main(line.split()[1:])
            assert ended.value.code == 0, line
            given.append(line.split()[1])
    assert given == ["check", "evaluate", "control"]
    assert list(tmp_path.glob("results/evaluate/damped/report.html")) and (tmp_path / "crane.yaml").is_file()
    said = capsys.readouterr().out
    assert "sway.radial" in said and re.search(r"custom: \d+\.\d mrad", said)
    if not HAS_ROS:
        pytest.skip("the part over ROS needs rclpy: source scripts/env.sh")
