"""The page of an evaluation: one self-contained HTML file."""

import inspect
import re
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cable_sim.control import metrics
from cable_sim.control.metrics import AxisMetrics, Metrics, definitions
from cable_sim.control.timing import Pace
from cable_sim.rendering.drawing import picture_bytes
from cable_sim_studies.evaluation import Outcome
from cable_sim_studies.groups import Group
from cable_sim_studies.reports.evaluation_plots import pictures
from cable_sim_studies.reports.evaluation_table import (
    KEY,
    axis_rows,
    group_by_case,
    key_cells,
    label,
    limiter_rows,
    notes,
    pace_rows,
    rows,
)
from cable_sim_studies.reports.page_style import STYLE, render_template
from cable_sim_studies.reports.provenance import provenance

MORE_STYLE = """
.failed, .refused { color: var(--missed); font-weight: 700; } tr:has(.failed, .refused) { background: #fdecea; }
th small { font-weight: 400; color: var(--quiet); } td.definition { white-space: normal; }
h3 { font-size: 1rem; margin: 1.8rem 0 .2rem; }
"""

PAGE = """{% macro numbers(rows, kinds, bounds) %}
<div class="wide"><table>
<thead><tr><th>metric</th><th>unit</th>{% for kind in kinds %}<th>{{ kind }}</th>{% endfor %}
{% for kind in kinds[1:] %}<th>{{ kind }} <small>/ {{ kinds[0] }}</small></th>{% endfor %}
{% if bounds %}<th>at most</th>{% endif %}</tr></thead>
<tbody>
{% for row in rows %}
<tr><td><a href="#{{ row.name.split(": ")[-1] }}" style="color: inherit">{{ row.name }}</a></td><td>{{ row.unit }}</td>
{% for cell in row.cells %}
<td{% if row.bound %} class="{{ 'ok' if row.kept[loop.index0] else 'missed' }}"{% endif %}>{{ cell }}</td>
{% endfor %}
{% for ratio in row.ratios %}<td>{{ ratio }}</td>{% endfor %}
{% if bounds %}<td>{{ row.bound }}</td>{% endif %}</tr>
{% endfor %}
</tbody>
</table></div>
{% endmacro %}
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ group.name }}</title>
<style>{{ style | safe }}</style>
</head>
<body>
<header>
<h1>{{ group.title or group.name }}</h1>
<p class="quiet">cable-sim evaluate {{ group.name }}</p>
<p class="sum {{ 'ok' if good else 'missed' }}">{{ summary }}</p>
</header>
<div class="wide"><table>
<thead><tr><th>scenario</th><th>controller</th>{% for name in key %}<th>{{ name }}</th>{% endfor %}
<th>verdict</th></tr></thead>
<tbody>
{% for case in cases %}{% for line in case.lines %}
<tr><td><a href="#case-{{ case.number }}" style="color: inherit">{{ case.name }}</a></td><td>{{ line.kind }}</td>
{% for cell in line.cells %}<td>{{ cell }}</td>{% endfor %}
<td class="{{ line.verdict }}">{{ line.verdict or "-" }}</td></tr>
{% endfor %}{% endfor %}
</tbody>
</table></div>
{% for case in cases %}
<section id="case-{{ case.number }}">
<h2>{{ case.name }}</h2>
<p class="quiet">{{ case.text }}</p>
{% for note in case.notes %}<p class="missed">{{ note }}</p>{% endfor %}
{% for picture in case.pictures %}
<figure><img alt="{{ picture.caption }}" src="data:image/svg+xml;base64,{{ picture.data }}">
<figcaption>{{ picture.caption }}</figcaption></figure>
{% endfor %}
<h3>Metrics</h3>
{{ numbers(case.rows, case.kinds, case.bounds) }}
{% if case.axes %}<h3>Axes</h3>{{ numbers(case.axes, case.kinds, false) }}{% endif %}
{% if case.limiters %}
<h3>Limiters that acted</h3>
<div class="wide"><table>
<thead><tr><th>limiter</th>{% for kind in case.kinds %}<th>{{ kind }}</th>{% endfor %}</tr></thead>
<tbody>{% for line in case.limiters %}<tr>{% for cell in line %}<td>{{ cell }}</td>{% endfor %}</tr>{% endfor %}</tbody>
</table></div>
{% endif %}
<h3>By the clock</h3>
{{ numbers(case.pace, case.kinds, false) }}
</section>
{% endfor %}
<section>
<h2>Definitions</h2>
{% for paragraph in head.split("\n\n") %}<p>{{ paragraph }}</p>{% endfor %}
<div class="wide"><table>
<thead><tr><th>metric</th><th>unit</th><th>definition</th></tr></thead>
<tbody>
{% for name, made in definitions.items() %}
<tr id="{{ name }}"><td>{{ name }}</td><td>{{ made.unit }}</td><td class="definition">{{ made.words }}</td></tr>
{% endfor %}
</tbody>
</table></div>
</section>
<footer>{{ provenance }}</footer>
</body>
</html>
"""


def write_page(folder: Path, group: Group, outcomes: Sequence[Outcome]) -> Path:
    """Write ``report.html`` of a group into the folder; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.html"
    path.write_text(page(group, outcomes), encoding="utf-8")
    return path


def page(group: Group, outcomes: Sequence[Outcome]) -> str:
    """Return the report of a group as HTML, with embedded pictures."""
    cases = [
        _case(i, name, found) for i, (name, found) in enumerate(group_by_case(outcomes).items())
    ]
    return render_template(
        PAGE,
        group=group,
        cases=cases,
        style=STYLE + MORE_STYLE,
        key=[label(name) for name in KEY],
        head=_head(),
        definitions=definitions()
        | definitions(AxisMetrics)
        | definitions(Pace)
        | _shared_definitions(),
        summary=summary(outcomes),
        good=all(outcome.verdict in ("", "ok") for outcome in outcomes),
        provenance=provenance(),
    )


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return a sentence on the number of runs and their verdicts."""
    counts = [
        (sum(outcome.verdict == verdict for outcome in outcomes), words)
        for verdict, words in (
            ("ok", "as expected"),
            ("missed", "other than expected"),
            ("failed", "failed in the physics"),
            ("refused", "can't be run"),
        )
    ]
    told = [f"{count} {words}" for count, words in counts if count]
    runs = f"{len(outcomes)} run{'s' * (len(outcomes) != 1)}"
    return f"{runs}: {', '.join(told)}" if told else f"{runs}; no pass criteria are set"


def _case(number: int, name: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the page's entries for one case."""
    several = len(outcomes) > 1
    return {
        "number": number,
        "name": name,
        "text": _text(outcomes[0]),
        "kinds": [o.controller for o in outcomes],
        "lines": [
            {"kind": o.controller, "cells": key_cells(o), "verdict": o.verdict} for o in outcomes
        ],
        "notes": [
            f"{o.controller}: {note}" if several else note for o in outcomes for note in notes(o)
        ],
        "rows": rows(outcomes),
        "bounds": any(row.bound for row in rows(outcomes)),
        "axes": axis_rows(outcomes),
        "limiters": limiter_rows(outcomes),
        "pace": pace_rows(outcomes),
        "pictures": [
            {"caption": made.caption, "data": b64encode(picture_bytes(made, "svg")).decode("ascii")}
            for made in pictures(f"case_{number}", outcomes)
        ],
    }


def _text(outcome: Outcome) -> str:
    """Return a line that describes a scenario."""
    scenario = outcome.scenario
    run = outcome.run
    said = [scenario.title, scenario.crane]
    if scenario.load is not None:
        said.append(f"{scenario.load:g} kg")
    if scenario.rope_length is not None:
        said.append(f"rope of {scenario.rope_length:g} m")
    if run is not None:
        said += [f"{t.axis} from {t.origin:.4g} to {t.target:.4g}" for t in run.travels]
    if scenario.wind is not None:
        said.append(f"wind {', '.join(wind.kind for wind in scenario.wind.sum_of) or 'none'}")
    said += [
        "push ({:g}, {:g}, {:g}) N from {:g} s for {:g} s".format(
            *push.force, push.start, push.duration
        )
        for push in scenario.pushes
    ]
    said += [f"fault {fault.name}" for fault in scenario.faults]
    return "; ".join(filter(None, said))


def _head() -> str:
    """Return the common text of the definitions: the head of the metrics' file."""
    text = (inspect.getdoc(metrics) or "").partition("\n\n")[2].replace("``", "")
    return re.sub(r"\*(\w+\.)\*", r"\1", text)


def _shared_definitions() -> dict[str, Any]:
    """Return definitions of metrics that exist both for the load or crane and for an axis.

    Each has both definitions in one.
    """
    whole = definitions(Metrics)
    own = definitions(AxisMetrics)
    return {
        name: whole[name]._replace(
            words=f"{whole[name].words}. Of an axis: [{own[name].unit}] {own[name].words}"
        )
        for name in whole.keys() & own.keys()
    }
