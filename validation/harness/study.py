"""Studies: the parts of a paper that are reproduced, and the results that they return."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from cable_sim.errors import CableSimError
from cable_sim.rendering.drawing import Picture
from validation.harness.findings import Finding

T = TypeVar("T")


class Progress:
    """Progress of a part: call it with a share from 0 to 1, or iterate with :meth:`over`."""

    def __init__(self, tell: Callable[[float], None] = lambda share: None) -> None:
        self._tell = tell

    def __call__(self, share: float) -> None:
        self._tell(min(max(share, 0.0), 1.0))

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items one by one, each counted as the same amount of work."""
        listed: Sequence[T] = list(items)
        for done, item in enumerate(listed):
            self(done / len(listed))
            yield item
        self(1.0)


class Result(NamedTuple):
    """Findings and pictures of a part."""

    findings: Sequence[Finding]
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True)
class Part:
    """One figure or section of a paper.

    Parameters
    ----------
    title: such as "Figure 5: stretch".
    run: function that does the work, with the same findings every time. Its docstring is the text
        of the part in the report.
    timing: True for a part that depends on this machine's speed: it is left out of checks, and has
        no verdicts.
    """

    title: str
    run: Callable[[Progress], Result]
    timing: bool = False

    @property
    def text(self) -> str:
        """Text of the part, in paragraphs."""
        lines = (line.strip() for line in (self.run.__doc__ or "").splitlines())
        return "\n".join(lines).strip()


@dataclass(frozen=True)
class Study:
    """Paper to reproduce.

    Parameters
    ----------
    title: title of the paper.
    reference: authors, title, place and year.
    folder: folder of its files.
    parts: parts in the order of the paper; their titles are unique.
    """

    title: str
    reference: str
    folder: Path
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.name


class Outcome(NamedTuple):
    """Part and its result."""

    part: Part
    result: Result


def run_study(
    study: Study, tell: Callable[[float], None] = lambda share: None, timing: bool = True
) -> list[Outcome]:
    """Run the parts one after another.

    ``tell`` receives the share that is done; ``timing`` False leaves timings out. Raises
    CableSimError when a name occurs twice, or when a timing has a verdict.
    """
    parts = [part for part in study.parts if timing or not part.timing]
    outcomes = []
    for done, part in enumerate(parts):
        tell(done / len(parts))
        outcomes.append(Outcome(part, part.run(Progress(_scale_progress(tell, done, len(parts))))))
    tell(1.0)
    _check(study, outcomes)
    return outcomes


def findings(outcomes: Iterable[Outcome]) -> list[Finding]:
    """Return all findings in order."""
    return [finding for outcome in outcomes for finding in outcome.result.findings]


def disagreements(outcomes: Iterable[Outcome]) -> list[Finding]:
    """Return the findings that do not agree."""
    return [finding for finding in findings(outcomes) if finding.verdict == "missed"]


def _scale_progress(
    tell: Callable[[float], None], done: int, count: int
) -> Callable[[float], None]:
    """Return a callback that converts a part's share into the study's."""
    return lambda share: tell((done + share) / count)


def _check(study: Study, outcomes: list[Outcome]) -> None:
    """Refuse duplicate names and timings with verdicts."""
    names = Counter(finding.name for finding in findings(outcomes))
    names += Counter(picture.name for outcome in outcomes for picture in outcome.result.pictures)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise CableSimError(f"study {study.name!r}: names stand twice: {', '.join(twice)}")
    for part, result in outcomes:
        judged = [finding.name for finding in result.findings if part.timing and finding.verdict]
        if judged:
            where = f"study {study.name!r}: part {part.title!r}"
            raise CableSimError(f"{where} is a timing, but judges {', '.join(judged)}")
