"""What several processes have to say on one terminal."""

import io
import sys
import threading

import pytest
from messages import naming
from rich.console import Console

pytest.importorskip("rclpy", reason="needs rclpy: source scripts/env.sh")

from cable_sim.ros.launch import run_command
from cable_sim.ros.launch.run_command import RunOptions, _Company

OPEN = ["watch    http://127.0.0.1:8080/", "control  http://127.0.0.1:8080/"]
CLOSED = [
    "watch    http://1.2.3.4:80/?code=7",
    "control  http://1.2.3.4:80/?code=7&websocket=ws://1.2.3.4:80/?code=7",
    "code     7",
]


@pytest.mark.parametrize("lines", [OPEN, CLOSED], ids=["without a code", "with a code"])
def test_the_page_is_up_once_its_whole_address_is_printed(lines):
    out = io.StringIO()
    company = _Company(Console(file=out))
    for line in lines:
        assert not company._page_up.is_set()
        company._hear("viewer", line)
    assert company._page_up.is_set() and company._page == lines
    company._hear("node", "code red")
    assert out.getvalue() == "node: code red\n"


NODE = """
import os, signal, time
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: os._exit(0))
time.sleep({seconds})
raise SystemExit({status})
"""
PAGE = """
import os, time
print("watch w", "control c", sep=chr(10), flush=True)
time.sleep({seconds})
os.kill(os.getpid(), 9)
"""


class Place:
    """What stands for a domain that nobody else uses."""

    def close(self):
        pass


class Terminal(io.StringIO):
    """Sets an event when something is told."""

    def __init__(self, words):
        super().__init__()
        self.words, self.told = words, threading.Event()

    def write(self, text):
        done = super().write(text)
        if self.words in self.getvalue():
            self.told.set()
        return done


def company(monkeypatch, node, page, words):
    """Exit status and output of processes that stand for node and page; ended when something is
    told."""
    answers = iter((False, True))
    monkeypatch.setattr(run_command, "claim", Place)
    monkeypatch.setattr(run_command, "hear_node", lambda *_, **__: next(answers))
    monkeypatch.setattr(run_command, "node_command", lambda *_: [sys.executable, "-c", node])
    monkeypatch.setattr(run_command, "_viewer_command", lambda *_: [sys.executable, "-c", page])
    out = Terminal(words)
    status = run_command.run(
        RunOptions("tower_12t", port=8099), Console(file=out, width=200), out.told
    )
    return status, out.getvalue()


def test_the_crane_runs_on_when_the_page_is_killed(monkeypatch):
    """And the terminal tells how to have it back."""
    status, told = company(
        monkeypatch, NODE.format(seconds=600, status=0), PAGE.format(seconds=0.5), "again"
    )
    assert status == 0
    assert naming("page status 137 crane").search(told)
    assert "cable-sim view tower_12t --host 127.0.0.1 --port 8099\n" in told
    assert not naming("node ended").search(told)


def test_a_node_that_ends_ends_the_run(monkeypatch):
    status, told = company(
        monkeypatch, NODE.format(seconds=1, status=3), PAGE.format(seconds=600), "never"
    )
    assert status == 3 and naming("node status 3").search(told)


def test_a_page_that_does_not_come_up_is_a_failure(monkeypatch):
    status, told = company(
        monkeypatch, NODE.format(seconds=600, status=0), "raise SystemExit(2)", "never"
    )
    assert status == 2 and naming("viewer ended status 2").search(told)
