"""Acceptance: the twelve scenarios that a crane simulator has to pass, each with its checked
numbers and a plot.

A scenario is a module with a ``STUDY``, like that of a paper; ``cable-sim accept`` runs it. What it
expects is derived in its docstring, or follows from the crane's own file.
"""
