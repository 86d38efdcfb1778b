"""Preload of local Dask workers: they ignore Ctrl-C, which the sweep handles and then ends them."""

import signal


def dask_setup(worker: object) -> None:
    """Ignore SIGINT; Dask calls this in a worker's main thread when it starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
