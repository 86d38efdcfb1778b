"""The notebooks run from the top, say the same again, and their stored outputs are small."""

import base64
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 250_000
LARGEST_PICTURE = 120_000
"""Largest size of a notebook, and of a picture in one [bytes]."""
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@cache
def code_cells(path: Path) -> list[dict[str, Any]]:
    """Return the cells with code of a notebook as it is stored."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def printed(cells: list[dict[str, Any]]) -> list[str]:
    """Return the words that cells print, without figures."""
    texts = [
        "".join(out.get("text", ""))
        for cell in cells
        for out in cell["outputs"]
        if out.get("name") == "stdout"
    ]
    return re.sub(r"[-+]?\d[\d.]*(e[-+]\d+)?", "", "".join(texts)).split()


def test_there_are_six_notebooks() -> None:
    assert [path.stem[0] for path in NOTEBOOKS] == list("123456")


@each
def test_stored_notebook_was_run_once_from_the_top(path: Path) -> None:
    counts = [cell["execution_count"] for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1))
    outputs = [out for cell in code_cells(path) for out in cell["outputs"]]
    assert not [out for out in outputs if out["output_type"] == "error" or "stderr" in str(out)]


@each
def test_stored_outputs_have_pictures_and_are_small(path: Path) -> None:
    outputs = [out for cell in code_cells(path) for out in cell["outputs"]]
    data = [out["data"]["image/png"] for out in outputs if "image/png" in out.get("data", {})]
    sizes = [len(base64.b64decode("".join(one))) for one in data]
    assert sizes and max(sizes) < LARGEST_PICTURE
    assert path.stat().st_size < LARGEST


@each
def test_notebook_takes_public_names_alone(path: Path) -> None:
    text = "\n".join("".join(cell["source"]) for cell in code_cells(path))
    assert "cable_sim" in text
    assert not re.search(r"(from|import) cable_sim\.", text)


@pytest.mark.slow
@each
def test_notebook_runs_and_says_the_same_again(path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: extra test")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: extra test")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: extra test")
    if "learning" in path.stem:
        pytest.importorskip("cma", reason="cma is not installed: extra rl")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=240, resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    again = [cell for cell in notebook.cells if cell["cell_type"] == "code"]
    assert printed(again) == printed(code_cells(path))
