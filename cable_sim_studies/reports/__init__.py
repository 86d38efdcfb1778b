"""Reports of evaluations and sweeps as tables, plots and pages."""
