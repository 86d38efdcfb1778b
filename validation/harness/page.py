"""The page of a report: one self-contained HTML file."""

from base64 import b64encode

from cable_sim.rendering.drawing import Picture, picture_bytes
from cable_sim_studies.reports.page_style import STYLE, render_template
from validation.harness.findings import Finding
from validation.harness.study import Outcome, Study

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
    return render_template(
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
