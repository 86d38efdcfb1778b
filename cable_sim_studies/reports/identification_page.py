"""The page of an identification: one self-contained HTML file."""

import math
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

from cable_sim.rendering.drawing import COLORS, Picture, picture_bytes
from cable_sim.rendering.recording_plots import curve
from cable_sim.sim.recording.recording import Recording
from cable_sim_studies.reports.page_style import STYLE, render_template
from cable_sim_studies.reports.provenance import provenance
from cable_sim_studies.reports.sweep_page import colour

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cable_sim_studies.identification.identify import Identification
    from cable_sim_studies.identification.validation import Validation

WIDTH = 8.2
HEIGHT = 3.4
"""Size of the picture of a signal [in]."""
MORE_STYLE = """
table { width: auto; } td:first-child { min-width: 0; } th, td { padding-right: 1.2rem; }
td.number, th.number { text-align: right; white-space: nowrap; }
.map td { border: 2px solid #fff; padding: .35rem .7rem; text-align: right; }
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>{{ style | safe }}</style>
</head>
<body>
<header>
<h1>{{ title }}</h1>
<p class="sum">{{ summary }}</p>
</header>
{% if parameters %}
<section>
<h2>Parameters</h2>
<div class="wide"><table>
<thead><tr><th>parameter</th><th class="number">start</th><th class="number">found</th>
<th class="number">standard deviation</th>
<th class="number">95 % band</th></tr></thead>
<tbody>{% for row in parameters %}
<tr><td>{{ row.path }}</td>
<td class="number">{{ row.start }}</td><td class="number">{{ row.value }}</td>
<td class="number">{{ row.sigma }}</td><td class="number">{{ row.low }} .. {{ row.high }}</td></tr>
{% endfor %}</tbody>
</table></div>
<h3>Correlations</h3>
<div class="wide"><table class="map">
<tbody>{% for row in correlations %}
<tr><th>{{ row.path }}</th>{% for cell in row.cells %}
<td style="background: {{ cell.colour }}">{{ cell.text }}</td>{% endfor %}</tr>
{% endfor %}</tbody>
</table></div>
</section>
{% endif %}
{% if sentences %}
<section>
<h2>Conclusions</h2>
{% for text in sentences %}<p>{{ text }}.</p>
{% endfor %}
</section>
{% endif %}
<section>
<h2>Signals</h2>
<div class="wide"><table>
<thead><tr>{% for head in heads %}<th>{{ head }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in signals %}
<tr>{% for cell in row.cells %}<td class="number">{{ cell }}</td>{% endfor %}
<td class="{{ 'ok' if row.ok else 'missed' }}">{{ row.verdict }}</td></tr>
{% endfor %}</tbody>
</table></div>
{% for picture in pictures %}
<figure><img alt="{{ picture.caption }}" src="data:image/png;base64,{{ picture.data }}">
<figcaption>{{ picture.caption }}</figcaption></figure>
{% endfor %}
</section>
<footer>{{ note }}<br>{{ made }}</footer>
</body>
</html>
"""
NOTE = (
    "Bands hold for errors of the sensors, also those that are correlated in time; an error of the "
    "model's structure is not in them. Excess: root mean square of the model's error beyond the "
    "sensor's. Chance: probability of such residuals with a right model."
)


def page(found: "Identification") -> str:
    """Return the report of an identification as HTML."""
    paths = [one.path for one in found.estimates]
    correlations = [
        {"path": path, "cells": [_cell(float(r)) for r in row]}
        for path, row in zip(paths, found.bands.correlation, strict=True)
    ]
    told = "explained by the sensors" if found.is_explained else "not explained by this model"
    starts, agreeing = found.starts
    return render_template(
        PAGE,
        title=f"{found.crane.name}: identified from {len(found.residuals)} recording(s)",
        summary=f"The recordings are {told}. {agreeing} of {starts} starts ended at this minimum.",
        style=STYLE + MORE_STYLE,
        parameters=[
            {k: v if isinstance(v, str) else f"{v:.5g}" for k, v in one._asdict().items()}
            for one in found.estimates
        ],
        correlations=correlations,
        sentences=found.sentences or ("All parameters are told by these recordings",),
        heads=("signal", "rows", "sensor", "rms", "excess", "chance", "verdict"),
        signals=[_signal(test) for test in found.tests],
        pictures=pictures(found.residuals),
        note=NOTE,
        made=provenance(),
    )


def validation_page(found: "Validation") -> str:
    """Return the report of a validation as HTML."""
    missed = [one for one in found.errors if not one.is_kept]
    bounded = sum(one.allowed < math.inf for one in found.errors)
    kept = f"{bounded - len(missed)} of {bounded} tolerances are kept"
    verdict = kept if bounded else "No tolerances were given"
    return render_template(
        PAGE,
        title=f"{found.crane.name}: validated against {len(found.series)} recording(s)",
        summary=f"{verdict}. The crane was not fitted to these recordings.",
        style=STYLE + MORE_STYLE,
        parameters=[],
        correlations=[],
        sentences=[f"Recording {i}: {name}" for i, name in enumerate(found.sources, start=1)],
        heads=("recording", "signal", "rms", "worst", "mean", "allowed rms", "verdict"),
        signals=[_error(one) for one in found.errors],
        pictures=pictures(found.series),
        note="Errors are recorded minus modelled, in the units of the signals.",
        made=provenance(),
    )


def _error(one: Any) -> dict[str, Any]:
    """Return the row of a signal's error."""
    numbers = (one.rms, one.worst, one.mean, one.allowed)
    texts = ["-" if math.isinf(number) else f"{number:.3g}" for number in numbers]
    bound = "kept" if one.allowed < math.inf else "-"
    cells = [str(one.recording), one.signal, *texts]
    return {"cells": cells, "ok": one.is_kept, "verdict": bound if one.is_kept else "missed"}


def _cell(value: float) -> dict[str, str]:
    """Return a cell of the table of correlations."""
    return {"text": f"{value:+.2f}", "colour": colour(abs(value), 0.0, 1.0)}


def _signal(test: Any) -> dict[str, Any]:
    """Return the row of a signal."""
    numbers = (test.accuracy.sigma, test.rms, test.excess, test.chance)
    estimated = "" if test.accuracy.is_known else " (estimated)"
    cells = [test.signal, str(test.rows), *(f"{number:.3g}" for number in numbers)]
    cells[2] += estimated
    verdict = "as the sensor" if test.is_explained else "model is wrong"
    return {"cells": cells, "ok": test.is_explained, "verdict": verdict}


def pictures(series: tuple[Recording, ...]) -> list[dict[str, str]]:
    """Return the pictures of all signals, each with its residuals [unit of the signal], as PNG."""
    made = []
    for number, own in enumerate(series, start=1):
        for column in own.columns:
            signal, _, end = column.rpartition(".")
            if end == "model":
                caption = f"Recording {number}: {signal}, recorded and modelled, and the residual."
                picture = Picture(signal, caption, _drawer(own, signal))
                data = b64encode(picture_bytes(picture, "png")).decode("ascii")
                made.append({"caption": caption, "data": data})
    return made


def _drawer(series: Recording, signal: str) -> Any:
    """Return a function that draws a signal."""

    def draw() -> "Figure":
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, HEIGHT))
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        unit = dict(zip(series.columns, series.units, strict=True))[f"{signal}.model"]
        kept = ~np.isnan(series[f"{signal}.model"])
        time = series.time[kept]
        for end, width, color in (("recorded", 2.4, COLORS[4]), ("model", 1.0, COLORS[0])):
            values = series[f"{signal}.{end}"][kept]
            above.plot(*curve(time, values), label=end, linewidth=width, color=color)
        below.plot(*curve(time, series[f"{signal}.residual"][kept]), color=COLORS[1], linewidth=0.6)
        above.set_ylabel(f"{signal} [{unit}]")
        above.legend(loc="upper right", ncols=2)
        below.set_ylabel(f"residual [{unit}]")
        below.set_xlabel("time [s]")
        return figure

    return draw
