"""For workers that Dask starts for a sweep on this machine: Ctrl-C in the terminal is the sweep's,
which ends them."""

import signal


def dask_setup(worker: object) -> None:
    """Called by Dask in a worker's main thread when it starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
