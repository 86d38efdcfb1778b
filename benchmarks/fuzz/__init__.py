"""Random scenes through the public API, and checks that hold for all of them: ``cable-sim bench
fuzz``."""
