"""The drawing of the floors, from the contract in pyproject.toml that the tests enforce."""

import re
from pathlib import Path

WIDTH = 560
FLOOR = 34
GAP = 8
MARGIN = 12
ROOMS = {
    "cli": "commands",
    "ros": "node, messages",
    "viewer": "page in the browser",
    "rendering": "meshes, films",
    "environments": "for learners",
    "interchange": "models in and out",
    "control": "controllers, scenarios",
    "machine": "commands, brakes, limiters",
    "sim": "simulator, observation",
    "model": "specs into arrays",
    "scenes": "catalogue",
    "cranes": "crane words",
    "spec": "what a user may say",
    "kernels": "compiled physics",
}
"""What is in each room, in a few words; a room without is drawn with its name alone."""
STYLE = "font-family='sans-serif' text-anchor='middle' dominant-baseline='central'"


def floors(settings: Path) -> list[list[str]]:
    """Rooms floor by floor, the highest first."""
    text = settings.read_text(encoding="utf-8")
    listed = re.search(r'type = "layers".*?\nlayers = \[(.*?)\n\]', text, re.DOTALL)
    if listed is None:
        raise ValueError(f"{settings}: there is no contract with layers")
    return [re.findall(r"\w+", line) for line in re.findall(r'"(.*?)"', listed[1])]


def drawing(settings: Path) -> str:
    """An SVG with a box for each room; what is lower knows nothing of what is higher."""
    levels = floors(settings)
    height = 2 * MARGIN + len(levels) * (FLOOR + GAP) - GAP
    boxes = [
        box
        for level, rooms in enumerate(levels)
        for place, room in enumerate(rooms)
        for box in _box(room, place, len(rooms), MARGIN + level * (FLOOR + GAP))
    ]
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' "
        f"width='{WIDTH}' height='{height}'>"
    )
    ground = f"<rect width='{WIDTH}' height='{height}' fill='#ffffff'/>"
    title = "<title>The floors: each imports only from those below</title>"
    return "\n".join([head, title, ground, *boxes, "</svg>", ""])


def _box(room: str, place: int, rooms: int, top: int) -> list[str]:
    """One room."""
    width = (WIDTH - 2 * MARGIN - (rooms - 1) * GAP) / rooms
    left = MARGIN + place * (width + GAP)
    middle = top + FLOOR / 2
    words = ROOMS.get(room, "")
    told = f" <tspan fill='#666666' font-size='11'>{words}</tspan>" if words else ""
    return [
        f"<rect x='{left:g}' y='{top}' width='{width:g}' height='{FLOOR}' rx='4' fill='#eef3f8' "
        "stroke='#7d93a8'/>",
        f"<text x='{left + width / 2:g}' y='{middle:g}' {STYLE} font-size='13' "
        f"fill='#1d2b38'>{room}{told}</text>",
    ]
