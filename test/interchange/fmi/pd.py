"""Controller for tests, made an FMU by PythonFMU or PythonFMU3: speed feed-forward and a P loop."""

import importlib
import inspect
from pathlib import Path

SCRIPT = """
from LIBRARY import FmiVCausality, FmiVSlave, FmiVVariability
from LIBRARY import NUMBER


class Pd(FmiVSlave):
    def __init__(self, **given):
        super().__init__(**given)
        self.gain, self.wanted, self.ahead, self.position, self.speed = 0.8, 0.0, 0.0, 0.0, 0.0
        kinds = {
            "gain": "parameter",
            "wanted": "input",
            "ahead": "input",
            "position": "input",
            "speed": "output",
        }
        for name, kind in kinds.items():
            steady = FmiVVariability.tunable if kind == "parameter" else FmiVVariability.continuous
            causality = getattr(FmiVCausality, kind)
            self.register_variable(NUMBER(name, causality=causality, variability=steady))

    def do_step(self, current_time, step_size):
        self.speed = self.ahead + self.gain * (self.wanted - self.position)
        return True
"""


def law(seen, plan, gain=0.8):
    """The same law in Python: the speed [m/s] of a position and a plan."""
    wanted, ahead = plan
    return ahead + gain * (wanted - seen.axes["trolley"].position)


def make_pd(folder: Path, fmi: int) -> Path:
    """Write the FMU into a folder and return its path."""
    library, number = {2: ("pythonfmu", "Real"), 3: ("pythonfmu3", "Float64")}[fmi]
    text = SCRIPT.replace("LIBRARY", library).replace("NUMBER", number).replace("FmiV", f"Fmi{fmi}")
    script = folder / f"pd_{fmi}_{abs(hash(folder))}.py"
    script.write_text(inspect.cleandoc(text) + "\n", encoding="utf-8")
    return importlib.import_module(library).FmuBuilder.build_FMU(script, folder / "made")
