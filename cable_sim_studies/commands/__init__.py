"""The commands ``cable-sim evaluate`` and ``cable-sim sweep``."""
