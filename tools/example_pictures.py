"""Make the pictures of the list of examples: `python -m tools.example_pictures`.

A script is run and what it leaves, a simulator, machine or crane, is drawn. Of a notebook it is the
last stored picture. The rest has a picture of its own in docs/images.
"""

import base64
import io
import json
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from cable_sim import Crane, Machine, Operator, Simulator, read_scenario, run

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "images" / "examples"
SIZE = (320, 200)
LOOKS = {"01_atwood_with_losses": (90.0, 3.0), "02_steppers": (90.0, 5.0)}
"""Angles of view [deg] of scenes that lie in one plane."""
PLOT = (4.0, 2.5)
"""Size of a plot [in]."""


def of_script(path: Path) -> Image.Image:
    """Return the picture of what a script leaves."""
    left = runpy.run_path(str(path))
    shown = next(left[name] for name in ("simulator", "machine", "crane") if name in left)
    assert isinstance(shown, Simulator | Machine | Crane)
    picture = shown.picture(3 * SIZE[0], 3 * SIZE[1], LOOKS.get(path.stem))
    return Image.fromarray(picture.pixels)


def of_notebook(path: Path) -> Image.Image:
    """Return the last stored picture of a notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [out for cell in cells for out in cell.get("outputs", ())]
    data = [out["data"]["image/png"] for out in outputs if "image/png" in out.get("data", {})]
    return Image.open(io.BytesIO(base64.b64decode("".join(data[-1]))))


def of_controllers(path: Path) -> Image.Image:
    """Return the sway of a scenario under its controller, and under an operator."""
    scenario = read_scenario(path)
    made = FigureCanvasAgg(Figure(PLOT, dpi=160, layout="constrained"))
    axes = made.figure.subplots()
    for name, case in (("operator", replace(scenario, controller=Operator())), ("own", scenario)):
        series = run(case)
        axes.plot(series.time, np.degrees(series.sway[:, 0]), label=name)
    axes.set(xlabel="time [s]", ylabel="sway [deg]")
    axes.grid(alpha=0.3)
    axes.legend()
    made.draw()
    return Image.fromarray(np.asarray(made.buffer_rgba()))


def save(picture: Image.Image, name: str) -> None:
    """Write a picture in the size of the list, on white."""
    small = picture.convert("RGB")
    small.thumbnail(SIZE, Image.Resampling.LANCZOS)
    page = Image.new("RGB", SIZE, "white")
    page.paste(small, tuple((a - b) // 2 for a, b in zip(SIZE, small.size, strict=True)))
    page.save(FOLDER / f"{name}.webp", quality=80)


def main() -> None:
    """Write all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for path in sorted((ROOT / "examples").glob("[0-9]*.py")):
        save(of_script(path), path.stem)
    for path in sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")):
        save(of_notebook(path), path.stem)
    save(of_controllers(ROOT / "examples" / "controllers" / "my_scenario.yaml"), "my_controller")
    save(Image.open(ROOT / "docs" / "images" / "training_return.png"), "train_cma")


if __name__ == "__main__":
    main()
