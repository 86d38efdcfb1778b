"""Evaluation of controllers: scenarios run and judged, sweeps over matrices, reports."""
