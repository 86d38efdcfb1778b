"""The stages of the set-up: done once, again after a failure, one beside the others; nothing
outlives the set-up."""

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from messages import naming

ROOT = Path(__file__).resolve().parents[2]
HEAD = """
set -euo pipefail
. {stages}
check() {{ echo checked; }}
await() {{ until [ -e "$1" ]; do sleep 0.01; done; }}
"""
DEADLINE = 300.0
"""Where all goes well nobody waits so long [s]; a busy machine may take its time."""
LONG = "sleep 600 & echo $! >new; mv new sleeper; wait"
"""Writes down the process that has to end: neither the stage's own nor its child."""


def heed() -> None:
    """Heed the signals that a terminal sends: bash traps none that was ignored when it began, as
    under nohup."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(folder: Path, script: str) -> subprocess.Popen[str]:
    """A set-up in a process group of its own, as a terminal gives it."""
    text = HEAD.format(stages=ROOT / "scripts" / "stages.sh") + script
    return subprocess.Popen(
        ["bash", "-c", text],
        cwd=folder,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=heed,
    )


def run(folder: Path, script: str) -> tuple[int, list[str], str]:
    """Exit status, lines of stdout, and stderr."""
    process = start(folder, script)
    out, errors = process.communicate(timeout=DEADLINE)
    return process.returncode, out.splitlines(), errors


def until(reached, what: str) -> None:
    """Wait for a condition."""
    end = time.monotonic() + DEADLINE
    while not reached():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def lives(sleeper: Path) -> bool:
    """Whether the process runs whose number is in the file; not as a zombie that nobody asks
    for."""
    try:
        status = Path(f"/proc/{int(sleeper.read_text())}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_stage_is_done_once_for_each_key(tmp_path: Path) -> None:
    script = "stage one {} 'the first' eval 'echo said; echo done >>count'"
    status, lines, errors = run(tmp_path, script.format("a"))
    assert (status, errors) == (0, "")
    assert lines == ["checked", "[one] the first", lines[2]] and lines[2].startswith(
        "[one] done in "
    )
    assert (tmp_path / "build" / "logs" / "one.log").read_text() == "said\n"
    assert run(tmp_path, script.format("a")) == (0, [], "")
    assert run(tmp_path, script.format("b"))[1][:2] == lines[:2]
    assert (tmp_path / "count").read_text() == "done\n" * 2


def test_a_stage_that_failed_tells_its_log_and_is_done_again(tmp_path: Path) -> None:
    script = """
    work() {{ echo reason; {}; echo further; }}
    stage one a 'the first' work
    stage two a 'the second' true
    """
    status, lines, errors = run(tmp_path, script.format("false"))
    assert status == 1 and lines == ["checked", "[one] the first"]
    reason, told = errors.splitlines()
    assert reason == "reason" and naming("[one] failed build/logs/one.log").search(told)
    status, lines, _ = run(tmp_path, script.format("true"))
    assert status == 0 and [line.split(" ")[0] for line in lines] == [
        "checked",
        "[one]",
        "[one]",
        "[two]",
        "[two]",
    ]


def test_a_stage_beside_runs_while_the_next_ones_do(tmp_path: Path) -> None:
    """Each waits for the other."""
    script = """
    both() { touch "$1"; await "$2"; }
    stage_beside one a 'the first' both x y
    stage two a 'the second' both y x
    join
    stage_beside one a 'not again' false
    join
    """
    status, lines, errors = run(tmp_path, script)
    assert (status, errors) == (0, "")
    assert sorted(line.partition(" done")[0] for line in lines) == [
        "[one]",
        "[one] the first",
        "[two]",
        "[two] the second",
        "checked",
    ]


def test_a_terminal_shows_the_time_of_the_stage_at_work(tmp_path: Path) -> None:
    """Its last line is renewed, and gone at the end; then that of the stage beside."""
    leader, follower = os.openpty()
    script = """
    tick=0.05
    stage_beside one a 'the first' await x
    stage two a 'the second' sleep 1
    show() { [ "$1" != one ] || touch x; }
    join
    """
    text = HEAD.format(stages=ROOT / "scripts" / "stages.sh") + script
    process = subprocess.Popen(
        ["bash", "-c", text], cwd=tmp_path, stdout=follower, start_new_session=True
    )
    os.close(follower)
    said = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while part := os.read(leader, 4096):
            said += part
    os.close(leader)
    assert process.wait(DEADLINE) == 0
    lines = [line.split("\r\x1b[K") for line in said.decode().split("\r\n")]
    shown = [line[-1].partition(" done")[0] for line in lines]
    begun = {"[one] the first", "[two] the second"}
    assert set(shown[1:3]) == begun  # they begin at once
    assert [shown[0], *shown[3:]] == ["checked", "[two]", "[one]", ""]
    times = [part for line in lines for part in line if re.fullmatch(r"\[two\] \d+ s", part)]
    assert len(times) > 1


def test_a_background_failure_ends_the_setup_but_keeps_stamps(tmp_path: Path) -> None:
    script = """
    work() { echo reason; touch failed; false; }
    stage_beside one a 'the first' work
    stage two a 'the second' await failed
    join
    echo not reached
    """
    status, lines, errors = run(tmp_path, script)
    assert status == 1 and "not reached" not in lines
    assert naming("[one] failed build/logs/one.log").search(errors)
    assert [path.name for path in (tmp_path / ".venv" / "stamps").iterdir()] == ["two"]


def test_a_failure_ends_what_runs_beside(tmp_path: Path) -> None:
    script = f"""
    stage_beside one a 'the first' sh -c '{LONG}'
    work() {{ await sleeper; false; }}
    stage two a 'the second' work
    """
    status, _, errors = run(tmp_path, script)
    assert status == 1 and errors.startswith("[two] failed")
    until(lambda: not lives(tmp_path / "sleeper"), "the stage beside runs on")
    assert not (tmp_path / ".venv" / "stamps").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "waits", ["stage two a 'the second' sh -c 'touch waits; exec sleep 600'", "touch waits\njoin"]
)
def test_an_interruption_ends_both(tmp_path: Path, number: int, waits: str) -> None:
    """The terminal sends it to the group, in which the stage beside is not.

    It comes when both run: bash loses a signal for a child that it has just made.
    """
    process = start(tmp_path, f"stage_beside one a 'the first' sh -c '{LONG}'\n{waits}")
    sleeper = tmp_path / "sleeper"
    until(lambda: sleeper.exists() and (tmp_path / "waits").exists(), "the stages do not begin")
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 130 and "Interrupted" in errors
    until(lambda: not lives(sleeper), "the stage beside runs on")
    assert not (tmp_path / ".venv" / "stamps").exists()


def test_an_interruption_while_a_stage_beside_begins_ends_it(tmp_path: Path) -> None:
    """Between its first step and the note of its number, which is long where many others want the
    processor."""
    script = f"""
    set() {{ builtin set "$@"; if [ "$1" = +m ]; then until [ -e go ]; do sleep 0.01; done; fi; }}
    stage_beside one a 'the first' sh -c '{LONG}'
    join
    """
    process = start(tmp_path, script)
    sleeper = tmp_path / "sleeper"
    until(sleeper.exists, "the stage beside does not begin")
    process.send_signal(signal.SIGTERM)
    (tmp_path / "go").touch()
    assert process.wait(DEADLINE) == 130
    for stream in (process.stdout, process.stderr):
        stream.close()
    until(lambda: not lives(sleeper), "the stage beside runs on")
