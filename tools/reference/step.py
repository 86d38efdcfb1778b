"""The drawing of one step: its stages from forces to poses, with who adds to each."""

WIDTH = 640
BOX = 44
GAP = 22
LEFT = 16
NOTE = 250
STAGES = (
    ("1  forces", "gravity, wind, springs, motors' torque", "F(x, v, t)"),
    ("2  free velocities", "each body as if nothing held it", "v* = v + h M^-1 F"),
    ("3  rows", "joints, stops, drives, cables, contacts", "gap, Jacobian J, bounds"),
    (
        "4  impulses",
        "one linear problem with bounds for all rows",
        "w = S lambda - b, each row free or at a bound",
    ),
    ("5  velocities", "what the rows pull on the bodies", "v+ = v* + M^-1 J^T lambda"),
    ("6  poses", "bodies, cable nodes, waves, masses", "x+ = x + h v+"),
)
"""Name, contributors and formula of each stage."""
FONT = "font-family='sans-serif' dominant-baseline='central'"


def drawing() -> str:
    """Return the stages of a step as an SVG, the first on top, with an arrow back to it."""
    height = 2 * LEFT + len(STAGES) * (BOX + GAP) - GAP
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' "
        f"width='{WIDTH}' height='{height}'>",
        "<title>One step: from forces to poses</title>",
        f"<rect width='{WIDTH}' height='{height}' fill='#ffffff'/>",
        "<defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
        "markerHeight='7' orient='auto'>",
        "<path d='M0 0 L8 4 L0 8 z' fill='#7d93a8'/></marker></defs>",
    ]
    for number, stage in enumerate(STAGES):
        parts += _stage(LEFT + number * (BOX + GAP), *stage, last=number == len(STAGES) - 1)
    return "\n".join([*parts, _back_arrow(height), "</svg>", ""])


def _stage(top: int, name: str, adds: str, formula: str, last: bool) -> list[str]:
    """Return a stage's box with its contributors and formula, and the arrow to the next."""
    middle = top + BOX // 2
    bottom = top + BOX
    box = (
        f"<rect x='{LEFT + 24}' y='{top}' width='{NOTE - 60}' height='{BOX}' rx='4' "
        "fill='#eef3f8' stroke='#7d93a8'/>"
    )
    texts = [
        f"<text x='{LEFT + 38}' y='{middle}' {FONT} font-size='14' fill='#1d2b38'>{name}</text>",
        f"<text x='{NOTE}' y='{middle - 9}' {FONT} font-size='12' fill='#1d2b38'>{adds}</text>",
        f"<text x='{NOTE}' y='{middle + 10}' {FONT} font-size='12' fill='#666666' "
        f"font-style='italic'>{formula.replace('>', '&gt;')}</text>",
    ]
    arrow = (
        f"<path d='M{LEFT + 110} {bottom} V{bottom + GAP - 2}' fill='none' stroke='#7d93a8' "
        "marker-end='url(#tip)'/>"
    )
    return [box, *texts] if last else [box, *texts, arrow]


def _back_arrow(height: int) -> str:
    """Return the arrow from the last stage to the first: the next step."""
    low = height - LEFT - BOX // 2
    high = LEFT + BOX // 2
    return (
        f"<path d='M{LEFT + 24} {low} H{LEFT} V{high} H{LEFT + 22}' fill='none' stroke='#7d93a8' "
        "marker-end='url(#tip)'/>"
    )
