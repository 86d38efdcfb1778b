"""Reports of a study as files: one HTML page, or Markdown with its pictures beside it."""

from collections.abc import Callable
from pathlib import Path

from cable_sim.rendering.drawing import picture_bytes
from cable_sim_studies.reports.provenance import provenance
from validation.harness.findings import Finding
from validation.harness.page import EXPLANATION, page
from validation.harness.study import Outcome, Study, disagreements, findings

HEADER = ("quantity", "published", "theory", "ours", "deviation", "tolerance", "verdict")


def write_html(folder: Path, study: Study, outcomes: list[Outcome]) -> Path:
    """Write ``report.html`` into the folder; returns its path."""
    return _write(folder / "report.html", page(study, outcomes, summary(outcomes), provenance()))


def write_markdown(folder: Path, study: Study, outcomes: list[Outcome]) -> Path:
    """Write ``report.md`` and a PNG file per figure into the folder; returns the text's path."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"# {study.title}", "", study.reference, "", f"**{summary(outcomes)}**"]
    for part, result in outcomes:
        lines += ["", f"## {part.title}", *(["", part.text] if part.text else [])]
        for picture in result.pictures:
            (folder / f"{picture.name}.png").write_bytes(picture_bytes(picture, "png"))
            lines += ["", f"![{picture.name}]({picture.name}.png)", "", f"*{picture.caption}*"]
        if result.findings:
            lines += [
                "",
                _line(HEADER),
                "|---" * len(HEADER) + "|",
                *(_line(_words(f)) for f in result.findings),
            ]
    return _write(
        folder / "report.md", "\n".join([*lines, "", "---", "", EXPLANATION, "", provenance(), ""])
    )


WRITERS: dict[str, Callable[[Path, Study, list[Outcome]], Path]] = {
    "html": write_html,
    "markdown": write_markdown,
}
"""Writers of reports, by the word of ``--format``."""


def summary(outcomes: list[Outcome]) -> str:
    """Return a sentence on the number of findings that agree, among those with a verdict."""
    judged = [finding for finding in findings(outcomes) if finding.verdict]
    return f"{len(judged) - len(disagreements(outcomes))} of {len(judged)} quantities agree"


def _words(finding: Finding) -> tuple[str, ...]:
    """Return the cells of a line; the note goes with the name."""
    note = f" ({finding.note})" if finding.note else ""
    return (finding.name + note, *finding.cells(), finding.verdict)


def _line(cells: tuple[str, ...]) -> str:
    """Return a line of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _write(path: Path, text: str) -> Path:
    """Write a file, and make its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
