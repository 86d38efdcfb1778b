"""How long ``import cable_sim`` keeps a program waiting, in fresh interpreters. It should stay
below 0.3 s."""

import statistics
import subprocess
import sys

from benchmarks.results import Row

STATEMENTS = {
    "import cable_sim": "import cable_sim",
    "scene words": "from cable_sim import Scene",
    "simulator": "from cable_sim import Simulator",
    "first step of two_boxes": "from cable_sim import Simulator, load_scene; "
    "Simulator(load_scene('two_boxes')).step()",
}
CODE = """
import sys, time
begin = time.perf_counter()
{}
print(time.perf_counter() - begin, *({{"numba", "rclpy"}} & set(sys.modules)))
"""
RUNS = 5


def importing() -> list[Row]:
    """Seconds inside the interpreter, without its own start; what heavy modules came along."""
    rows = []
    for name, statement in STATEMENTS.items():
        command = [sys.executable, "-c", CODE.format(statement)]
        outputs = [
            subprocess.run(command, capture_output=True, text=True, check=True).stdout
            for _ in range(RUNS)
        ]
        seconds = [float(output.split()[0]) for output in outputs]
        loaded = ", ".join(outputs[0].split()[1:]) or "neither numba nor rclpy"
        note = f"loads {loaded}" + ("; target 0.3 s" if name == "import cable_sim" else "")
        rows.append(Row("import", name, min(seconds), statistics.median(seconds), "s", note))
    return rows
