"""How fast it is: ``cable-sim bench [names] [--csv]``. Scenes and sizes stand as data at the top of
each file.

Every benchmark is a function without arguments that returns rows; ``catalogue.py`` lists them. The
numbers of one run
belong together: what is compared is measured by turns in the same process, because the speed of a
    machine that others
use, too, changes by tens of per cent within seconds. How fast others are stands in ``peers/``.
"""
