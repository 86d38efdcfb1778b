"""The gallery: pages of all papers, acceptance scenarios, cranes and scenes with their pictures.

``exhibits.py`` lists the exhibits and makes their files. ``building.py`` makes those that are
missing or outdated. ``pages.py`` writes the pages that show them. ``cable-sim gallery`` does all
three.
"""
