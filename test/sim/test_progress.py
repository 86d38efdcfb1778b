"""Progress bars: what they show on a terminal, and that they are silent elsewhere."""

import io

import pytest
from rich.console import Console

from cable_sim import Body, Scene, Sphere
from cable_sim.sim.batch.batch import BatchSimulator
from cable_sim.sim.progress import progress_bar

SCENE = Scene(bodies=(Body("load", 1.0, shape=Sphere(0.1)),))


@pytest.mark.parametrize("terminal", [True, False])
def test_a_batch_shows_its_building_and_its_run_on_a_terminal(terminal: bool) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=120)
    vary = {"load.mass": [1.0, 2.0, 3.0]}
    with progress_bar("worlds", console) as progress:
        batch = BatchSimulator(SCENE, 3, vary=vary, progress=progress)
    with progress_bar("steps", console) as progress:
        batch.run(40, ["time"], every=10, progress=progress)
    said = file.getvalue()
    if terminal:
        assert "worlds" in said and "3/3" in said
        assert "steps" in said and "40/40" in said
    else:
        assert said == ""
