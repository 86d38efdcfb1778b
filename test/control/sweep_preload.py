"""Dask loads this module into workers under test: their runs are logged and held, see
``sweep_cases``."""

from sweep_cases import log_runs

from cable_sim_studies.sweeps import work

work.run = log_runs(work.run)
