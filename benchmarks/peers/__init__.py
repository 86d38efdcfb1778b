"""Our scenes and the same scenes in other engines, side by side: ``cable-sim bench --peers``.

A comparison is a file, and a line of ``catalogue.py``: who takes part, what is equal and what is
not, and what is asked of the numbers before anybody is timed. ``contest.py`` has them run by turns,
``page.py`` writes docs/proof.md.
"""
