"""The report of a sweep as a page: one self-contained HTML file."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cable_sim_studies.reports.evaluation_table import words
from cable_sim_studies.reports.page_style import STYLE, render_template
from cable_sim_studies.reports.provenance import provenance
from cable_sim_studies.sweeps.columns import definition
from cable_sim_studies.sweeps.report import Outcomes, Spread, Which

MOST_FAILURES = 500
"""Largest number of failed runs in the list."""
LIGHT = (255, 255, 255)
DARK = (217, 104, 43)
"""Colours of the smallest and the largest value of a map: white and orange."""
NEVER = "#e07a70"
NONE = "#eeeeee"
"""Colours of infinity, a red, and of a missing value, a grey."""

MORE_STYLE = """
.failed { color: var(--missed); }
h3 { font-size: 1rem; margin: 1.8rem 0 .2rem; }
table { width: auto; } td:first-child { min-width: 0; } th, td { padding-right: 1.2rem; }
td.number, th.number { text-align: right; white-space: nowrap; }
tr.first th, tr.first td { padding-top: .9rem; } tbody th { border-bottom: 0; }
.map td { border: 2px solid #fff; padding: .35rem .7rem; text-align: right; }
code { font-size: .92em; user-select: all; }
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sweep of {{ name }}</title>
<style>{{ style | safe }}</style>
</head>
<body>
<header>
<h1>Sweep of {{ name }}</h1>
<p class="sum">{{ summary }}</p>
</header>
<nav>{% for part in parts %}<a href="#{{ part.metric }}">{{ part.metric }}</a>{% endfor %}
{% if failures %}<a href="#failed-runs">failed runs</a>{% endif %}</nav>
{% for part in parts %}
<section id="{{ part.metric }}">
<h2>{{ part.metric }}{% if part.unit %} [{{ part.unit }}]{% endif %}</h2>
<p class="quiet">{{ part.meaning }}</p>
{% if part.map %}
<h3>What 95 % of the runs do not exceed, by {{ part.down }} (rows) and {{ part.across }}, the axes that matter most</h3>
<div class="wide"><table class="map">
<thead><tr><th></th>{% for variant in part.columns %}<th class="number">{{ variant }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in part.map %}
<tr><th>{{ row.variant }}</th>
{% for cell in row.cells %}<td style="background: {{ cell.colour }}">{{ cell.text }}</td>{% endfor %}</tr>
{% endfor %}</tbody>
</table></div>
{% endif %}
<h3>By variant</h3>
<div class="wide"><table>
<thead><tr><th>axis</th><th>variant</th><th class="number">runs</th><th class="number">mean</th>
<th class="number">95 %</th><th class="number">worst</th></tr></thead>
<tbody>{% for axis in part.axes %}{% for row in axis.rows %}
<tr{% if loop.first %} class="first"{% endif %}>
<th>{% if loop.first %}{{ axis.name }} <span class="quiet">{{ axis.share }}</span>{% endif %}</th>
<td>{{ row.variant }}</td><td class="number">{{ row.count }}</td><td class="number">{{ row.mean }}</td>
<td class="number">{{ row.high }}</td><td class="number">{{ row.worst }}</td></tr>
{% endfor %}{% endfor %}</tbody>
</table></div>
<h3>Worst runs</h3>
<div class="wide"><table>
<tbody>{% for run in part.worst %}
<tr><td class="number">{{ run.value }}</td><td><code>{{ run.command }}</code></td></tr>
{% endfor %}</tbody>
</table></div>
</section>
{% endfor %}
{% if failures %}
<section id="failed-runs">
<h2 class="failed">Failed runs</h2>
<div class="wide"><table>
<thead><tr><th>error</th><th>reason</th><th>again</th></tr></thead>
<tbody>{% for run in failures %}
<tr><td>{{ run.error }}</td><td class="words">{{ run.reason }}</td><td><code>{{ run.command }}</code></td></tr>
{% endfor %}</tbody>
</table></div>
{% if more %}<p>and {{ more }} more: <code>status == "failed"</code> in results.parquet</p>{% endif %}
</section>
{% endif %}
<footer>Beside an axis: the share of the metric's variance that lies between its variants; of its ranks' variance where
some values are infinite. 95 %: the smallest value that 95 % of the runs do not exceed. Worst: the largest amount.
Values that are not finite are left out of means.<br>
{{ made }}</footer>
</body>
</html>
"""

Again = Callable[[Which], str]
"""Function that returns the command to repeat a run."""


class Cell(NamedTuple):
    """Number of a map and its colour."""

    text: str
    colour: str


def page(name: str, summary: str, seen: Outcomes, metrics: Sequence[str], again: Again) -> str:
    """Return the report as HTML; ``metrics`` are shown in this order."""
    failures = [
        {"error": run.error, "reason": run.reason, "command": again(run.run)}
        for run in seen.failures[:MOST_FAILURES]
    ]
    return render_template(
        PAGE,
        name=name,
        summary=summary,
        style=STYLE + MORE_STYLE,
        failures=failures,
        parts=[_part(seen, metric, again) for metric in metrics],
        more=len(seen.failures) - len(failures),
        made=provenance(),
    )


def _part(seen: Outcomes, metric: str, again: Again) -> dict[str, Any]:
    """Return the page's entries for a metric."""
    told = definition(metric)
    influence = seen.influence(metric)
    spreads = seen.spread_by_variant(metric)
    axes = [
        {
            "name": axis,
            "share": f"{100.0 * share:.0f} %",
            "rows": [_row(variant, its) for variant, its in spreads[axis].items()],
        }
        for axis, share in influence.items()
    ]
    worst = [
        {"value": words(run.value), "command": again(run.run)} for run in seen.worst_runs(metric)
    ]
    part: dict[str, Any] = {
        "metric": metric,
        "unit": told.unit,
        "meaning": told.words,
        "axes": axes,
        "worst": worst,
    }
    several = [axis for axis in influence if len(seen.variants(axis)) > 1]
    return part | (_map(seen, metric, *several[:2]) if len(several) > 1 else {"map": []})


def _row(variant: str, its: Spread) -> dict[str, Any]:
    """Return a line of a table."""
    return {
        "variant": variant,
        "count": its.number,
        "mean": words(its.mean),
        "high": words(its.high),
        "worst": words(its.worst),
    }


def _map(seen: Outcomes, metric: str, down: str, across: str) -> dict[str, Any]:
    """Return the map of a metric's 95 % quantiles over two axes."""
    grid = [[its.high for its in row] for row in seen.grid(metric, down, across)]
    known = [value for row in grid for value in row if math.isfinite(value)]
    lowest = min(known, default=0.0)
    highest = max(known, default=0.0)
    rows = [
        {
            "variant": variant,
            "cells": [Cell(words(value), colour(value, lowest, highest)) for value in row],
        }
        for variant, row in zip(seen.variants(down), grid, strict=True)
    ]
    return {"map": rows, "down": down, "across": across, "columns": seen.variants(across)}


def colour(value: float, lowest: float, highest: float) -> str:
    """Return the colour of a value, from light for the lowest to dark for the highest."""
    if not math.isfinite(value):
        return NONE if math.isnan(value) else NEVER
    share = (value - lowest) / (highest - lowest) if highest > lowest else 0.0
    mixed = (round(light + share * (dark - light)) for light, dark in zip(LIGHT, DARK, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)
