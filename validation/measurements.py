"""Page "Beside published measurements", from the studies in ``papers/`` that have them.

``python -m validation.measurements`` runs them, and writes ``docs/measurements.md`` with its
figures. It takes about two minutes.
"""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from cable_sim.rendering.drawing import picture_bytes
from validation.harness import Finding, Measurement, Quantity, Study
from validation.harness.catalogue import load_study
from validation.harness.study import Outcome, run_study

EXPERIMENTS = (
    "nelson_olsson_1986",
    "kaheman_2022",
    "kaheman_2022_three_arms",
    "cheung_2022",
    "schimmel_2021",
    "napitupulu_2024",
    "ali_strings",
    "lindahl_1984",
    "volery_highlines",
    "wire_rope_users_manual",
    "delaney_2022",
    "oliveira_correia_2021",
    "en_13001_2",
)
"""Folders of papers with measured values, in the order of the page."""
DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = "measurements.md"
WIDTH = 140
"""Of the page's lines [characters]."""
FIGURES = Path("images/measurements")
HEAD = """# Beside published measurements

Cranes and ropes of others were measured, and here are our figures beside theirs. Each experiment
is a folder in [papers/](howto/papers.md), with its sources and doubts in a `README.md`. `cable-sim
papers NAME` runs it again. This page is written by `python -m validation.measurements`, and is not
edited by hand.

*Deviation* is ours less the measured value, relative to it; for a bound it is ours over the bound.
*Scatter* is what the measurement is known to. Where none is told, no agreement is claimed, and a
reason is given.
"""
TAIL = """## What could not be had

A comparison needs the numbers of both the rig and its results. What was looked for, and is not
here:

* **Bridge cranes with double pendulums** (Singhose, Vaughan and others): frequencies and residual
  swing stand in tables and figures that could not be read.
  [kaheman_2022](../papers/kaheman_2022/README.md) and
  [kaheman_2022_three_arms](../papers/kaheman_2022_three_arms/README.md) have the frequencies and
  recordings of such pendulums.
* **Tower cranes**: single frequencies, heights and masses of
  [oliveira_correia_2021](../papers/oliveira_correia_2021/README.md). The stop of a slewing crane
  (Doci and Lajqi 2018) was readable without numbers.
* **Laboratory cranes of Inteco and Quanser**: responses are published as figures. A gantry with
  recordings, [napitupulu_2024](../papers/napitupulu_2024/README.md), and a cart with an input
  shaper, [schimmel_2021](../papers/schimmel_2021/README.md), take their place.
* **Hoisting factors measured on one crane**: found were simulations and abstracts. The classes of
  [en_13001_2](../papers/en_13001_2/README.md) are design values.
* **Damping of wire ropes**: the paper with loss factors (Appl. Sci. 2024, 14(11), 4621) was
  readable as an abstract without numbers.
* **A ship crane in waves**: of five papers (Čorić 2014, OTC 6948, Math. Probl. Eng. 2021 6685816,
  J. Mar. Sci. Technol. 27(6) 2019, J. Mar. Sci. Eng. 13(6) 1112) only the first pages were
  readable. In a tank, a chain
  moves in [lindahl_1984](../papers/lindahl_1984/README.md).
* **Snap loads of drop tests**: a drop of 80 kg on a sling has 16.7 kN (DMM) but not the sling's
  stiffness; one of 1450 lb has no mass (Murray 1989). Of drops on ropes (Weber, ITRS 2002; HSE
  contract research report 364/2001; Pomares, IJERPH 2020 17(3) 1107) the tables were not readable.
* **A swinging rope**: the rig of Koh, Zhang and Quek (J. Eng. Mech. 1999) was readable, its
  recording was not.
* **Sag of cableways**: surveys of Guimier 1977 and of Arecibo have sags without tensions;
  [volery_highlines](../papers/volery_highlines/README.md) has tensions without sags. Irvine's
  tables could not be read.
* **A slewing crane**: of Perig 2014 (Shock and Vibration 203709) the measured paths are figures.
* **Friction of sheaves, and stiffness of ropes**: the tables of Feyrer, and rope tests, could not
  be read. Printed efficiencies are in
  [wire_rope_users_manual](../papers/wire_rope_users_manual/README.md). The torque and turn of
  ropes under load are inputs of our table of ropes, so that they check nothing.
* **Left out as inconsistent**: an Atwood machine of a student laboratory, and a pendulum whose
  period grows four times too fast with amplitude.
"""


def main() -> None:
    """Write the page and its figures."""
    (DOCS / FIGURES).mkdir(parents=True, exist_ok=True)
    studies = [load_study(name) for name in EXPERIMENTS]
    outcomes = [run_study(study) for study in studies]
    for study, of_study in zip(studies, outcomes, strict=True):
        for outcome in of_study:
            for picture in outcome.result.pictures:
                path = DOCS / FIGURES / figure_name(study, picture.name)
                path.write_bytes(picture_bytes(picture, "png"))
    (DOCS / PAGE).write_text(page(studies, outcomes), encoding="utf-8")


def page(studies: Sequence[Study], outcomes: Sequence[Sequence[Outcome]]) -> str:
    """Return the page as Markdown."""
    together = list(zip(studies, outcomes, strict=True))
    blocks = [HEAD.strip(), "\n".join(_overview(together))]
    for study, of_study in together:
        blocks.append("\n".join(_section(study, of_study)).strip())
    return "\n\n".join([*blocks, TAIL.strip()]) + "\n"


def figure_name(study: Study, picture: str) -> str:
    """Return the file name of a study's picture."""
    return f"{study.name}_{picture}.png"


def _overview(together: list[tuple[Study, Sequence[Outcome]]]) -> Iterator[str]:
    """Yield the lines of the table of all experiments, one a part."""
    yield "| experiment | compared | values | deviation | scatter |"
    yield "|---|---|---|---|---|"
    for study, outcomes in together:
        link = f"[{study.name}](../papers/{study.name}/README.md)"
        for part, result in outcomes:
            cells = [link, part.title, str(len(result.findings)), *_extremes(result.findings)]
            yield f"| {' | '.join(cells)} |"


def _extremes(findings: Sequence[Finding]) -> tuple[str, str]:
    """Return the smallest and largest deviation, and the largest scatter that is claimed."""
    measured = [finding for finding in findings if isinstance(finding, Measurement)]
    if not measured:
        held = all(finding.verdict == "ok" for finding in findings)
        return "within the bound" if held else "beyond the bound", ""
    ends = [f"{100.0 * end(m.deviation for m in measured):+.2g}" for end in (min, max)]
    spread = ends[0] if ends[0] == ends[1] else " ... ".join(ends)
    claimed = [m.within for m in measured if m.within is not None]
    return f"{spread} %", f"{100.0 * max(claimed):.2g} %" if claimed else ""


def _section(study: Study, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of an experiment's section."""
    yield f"## {study.title}"
    yield ""
    yield textwrap.fill(f"{study.reference}.", WIDTH, break_long_words=False)
    yield f"Sources and doubts: [{study.name}](../papers/{study.name}/README.md)."
    for part, result in outcomes:
        yield f"\n**{part.title}.** {part.text}\n"
        yield "| | measured | ours | deviation | what is known |"
        yield "|---|---|---|---|---|"
        for finding in result.findings:
            cells = finding.cells()
            measured = cells.published or _told(finding, cells.theory)
            row = (finding.name, measured, cells.ours, cells.deviation, _known(finding))
            yield f"| {' | '.join(row)} |"
        for picture in result.pictures:
            yield f"\n![{picture.caption}]({FIGURES}/{figure_name(study, picture.name)})"


def _known(finding: Finding) -> str:
    """Return the scatter of the measurement, or the reason why no agreement is claimed."""
    scatter = finding.cells().tolerance
    known = [f"scatter {scatter}"] if isinstance(finding, Measurement) and scatter else []
    return "; ".join([*known, finding.note] if finding.note else known)


def _told(finding: Finding, theory: str) -> str:
    """Return what a number without a measurement is compared with."""
    return f"{theory} by theory" if isinstance(finding, Quantity) else theory


if __name__ == "__main__":
    main()
