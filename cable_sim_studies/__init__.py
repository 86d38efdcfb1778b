"""Evaluation of controllers: scenarios with pass criteria, sweeps over matrices, reports."""
