"""The page of a report: one self-contained HTML file."""

from base64 import b64encode
from typing import Any

from jinja2 import Environment, StrictUndefined

from cable_sim.studies.drawing import picture_bytes
from cable_sim.studies.findings import Finding
from cable_sim.studies.study import Outcome, Picture, Study

STYLE = """
:root { --ink: #22262b; --quiet: #68707a; --line: #dfe3e8; --ok: #1d7a46; --missed: #b3261e; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.5rem 5rem; color: var(--ink); background: #fff;
  font: 16px/1.55 "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; }
header { border-bottom: 2px solid var(--ink); margin-bottom: 1rem; padding-bottom: 1rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .4rem; }
h2 { font-size: 1.2rem; margin: 2.8rem 0 .4rem; }
p { margin: .5rem 0; max-width: 48rem; }
.quiet, figcaption, .note { color: var(--quiet); }
.sum { font-weight: 600; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .9rem; } nav a { color: inherit; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .86rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; border-bottom: 1px solid var(--ink); }
th, td { padding: .34rem .7rem .34rem 0; vertical-align: top; }
td { border-bottom: 1px solid var(--line); }
td:first-child { min-width: 13rem; }
td:nth-child(n+2) { white-space: nowrap; } td.words { white-space: normal; min-width: 9rem; }
.note { display: block; font-size: .92em; max-width: 34rem; }
.ok { color: var(--ok); } .missed { color: var(--missed); font-weight: 700; }
tr:has(.missed) { background: #fdecea; }
figure { margin: 1.4rem 0; } figure img { max-width: 100%; height: auto; display: block; }
figcaption { font-size: .88rem; max-width: 48rem; margin-top: .4rem; }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--line); }
footer { font-size: .82rem; color: var(--quiet); }
@media print { body { padding: 0; max-width: none; } figure, tr { break-inside: avoid; } nav { display: none; } }
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ study.name }}: {{ study.title }}</title>
<style>{{ style | safe }}</style>
</head>
<body>
<header>
<h1>{{ study.title }}</h1>
<p class="quiet">{{ study.reference }}</p>
<p class="sum {{ 'missed' if missed else 'ok' }}">{{ summary }}</p>
</header>
<nav>{% for part in parts %}<a href="#part-{{ loop.index }}">{{ part.title }}</a>{% endfor %}</nav>
{% for part in parts %}
<section id="part-{{ loop.index }}">
<h2>{{ part.title }}</h2>
{% for paragraph in part.text.split("\n\n") if paragraph %}<p>{{ paragraph }}</p>{% endfor %}
{% for picture in part.pictures %}
<figure><img alt="{{ picture.caption }}" src="data:image/svg+xml;base64,{{ picture.data }}">
<figcaption>{{ picture.caption }}</figcaption></figure>
{% endfor %}
{% if part.rows %}
<div class="wide"><table>
<thead><tr><th>quantity</th><th>published</th><th>theory</th><th>ours</th><th>deviation</th><th>tolerance</th><th>verdict</th></tr></thead>
<tbody>
{% for row in part.rows %}
<tr><td>{{ row.name }}{% if row.note %}<span class="note">{{ row.note }}</span>{% endif %}</td>
{% for cell in row.cells %}<td{% if cell | length > 24 %} class="words"{% endif %}>{{ cell }}</td>{% endfor %}
<td class="{{ row.verdict }}">{{ row.verdict }}</td></tr>
{% endfor %}
</tbody>
</table></div>
{% endif %}
</section>
{% endfor %}
<footer>{{ explanation }}<br>{{ provenance }}</footer>
</body>
</html>
"""

EXPLANATION = (
    "Published: as printed; (!) marks a printed value that ours does not round to. Theory: what "
    "ours is judged by. "
    "Deviation: (ours - theory) / |theory|, absolute where theory is 0, or ours as a multiple of "
    "a bound."
)


def rendered(template: str, **values: Any) -> str:
    """Render a template; all names in it must be among the values."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(template).render(values).lstrip()


def page(study: Study, outcomes: list[Outcome], summary: str, provenance: str) -> str:
    """Return the report as HTML, with embedded figures."""
    parts = [
        {
            "title": part.title,
            "text": part.text,
            "rows": [_row(finding) for finding in result.findings],
            "pictures": [_picture(picture) for picture in result.pictures],
        }
        for part, result in outcomes
    ]
    missed = any(row["verdict"] == "missed" for part in parts for row in part["rows"])  # type: ignore[index]
    return rendered(
        PAGE,
        study=study,
        parts=parts,
        style=STYLE,
        missed=missed,
        summary=summary,
        provenance=provenance,
        explanation=EXPLANATION,
    )


def _row(finding: Finding) -> dict[str, object]:
    """Return a finding as a line of the table."""
    return {
        "name": finding.name,
        "note": finding.note,
        "verdict": finding.verdict,
        "cells": finding.cells(),
    }


def _picture(picture: Picture) -> dict[str, str]:
    """Return a figure's caption and data."""
    data = b64encode(picture_bytes(picture, "svg")).decode("ascii")
    return {"caption": picture.caption, "data": data}
