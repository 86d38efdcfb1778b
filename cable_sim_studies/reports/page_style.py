"""Style sheet and templates of all reports that are pages."""

from typing import Any

from jinja2 import Environment, StrictUndefined

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


def render_template(template: str, **values: Any) -> str:
    """Render a template; all names in it must be among the values."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(template).render(values).lstrip()
