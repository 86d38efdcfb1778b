"""The gallery: every paper, acceptance scenario, crane and scene with its pictures, as pages of the
documentation.

``exhibits.py`` says what there is and how it is made, ``building.py`` makes what is not there or no
longer fresh, and ``pages.py`` writes the pages that show all of it. ``cable-sim gallery`` does all
three.
"""
