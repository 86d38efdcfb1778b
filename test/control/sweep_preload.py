"""Dask loads this into workers under test: their runs are logged and held, see ``sweep_cases``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from sweep_cases import log_runs  # noqa: E402

from cable_sim.control.sweeps import work  # noqa: E402

work.run = log_runs(work.run)
