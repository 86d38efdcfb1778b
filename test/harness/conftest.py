"""A paper of three parts in a folder of its own, found as an installed one would be."""

from collections.abc import Callable
from pathlib import Path

import pytest

STUDY = '''"""A made-up paper."""
from pathlib import Path
from validation.harness import Part, Study
from .parts import drawn, late, timed
STUDY = Study("On <b>balls</b>", "A. Author, On balls, 1900", Path(__file__).parent,
              (Part("Figure 1: drop", drawn), Part("Section 2: speed", timed, timing=True),
               Part("Section 3", late)))
'''
PARTS = '''
from validation.harness import Picture, Quantity, Reading, Result, Statement, at_most

def draw():
    from matplotlib.figure import Figure
    figure = Figure()
    figure.subplots().plot([0.0, 1.0], [0.0, -4.9])
    return figure

def drawn(progress):
    """A ball falls.

    It starts at rest & falls."""
    for _ in progress.over(range(4)):
        pass
    return Result([Quantity("fall in 1 s", "4.9", 4.905, OURS, 1e-3, "m"),
                   at_most("drift | way", 1.0, 0.25, "mm")],
                  [Picture("drop", "A ball <falls>", draw)])

def timed(progress):
    open(MARK, "a").write("timed")
    return Result([Reading("time of a step", 3.0, "us")])

def late(progress):
    return Result([Statement("the ball lands", "below 0 m", True, "at -4.9 m", "seen from above")])
'''


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes the paper ``author_1900``; ``ours`` is the fall that comes out [m]. Returns the mark
    its timing leaves."""

    def make(ours: float = 4.9051) -> Path:
        folder = tmp_path / "prefix" / "share" / "cable_sim" / "papers" / "author_1900"
        folder.mkdir(parents=True, exist_ok=True)
        mark = tmp_path / "mark"
        (folder / "study.py").write_text(STUDY)
        (folder / "parts.py").write_text(
            PARTS.replace("OURS", str(ours)).replace("MARK", repr(str(mark)))
        )
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "prefix"))
        return mark

    return make
