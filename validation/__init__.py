"""Uses of the simulator: acceptance scenarios, the harness that runs papers again, the gallery.

The commands ``cable-sim accept``, ``papers`` and ``gallery`` run them. The package ``cable_sim``
knows none of them.
"""
