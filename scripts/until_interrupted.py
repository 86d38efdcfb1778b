"""until_interrupted.py COMMAND...: run it; exit with its status, but with 0 when it ended because
of Ctrl-C.

The terminal sends Ctrl-C to the whole group, so to the command as well; `make` passes it on to this
process a second time (scripts/interrupt.c). The command gets it exactly once: from here only where
make alone was told.
"""

import os
import signal
import subprocess
import sys
import time
from functools import partial

AWAITED = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD}
ECHO = 1.0  # [s] a signal from make within this time of one to the group is the same one


def run(command: list[str]) -> int:
    """Exit status of the command, 128 + n if signal n killed it, 0 if it ended on an
    interruption."""
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    unblock = partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, AWAITED)
    child = subprocess.Popen(command, preexec_fn=unblock)
    interrupted = None
    while (status := child.poll()) is None:
        info = signal.sigwaitinfo(AWAITED)
        if info.si_signo == signal.SIGINT:
            to_me_alone = info.si_pid == os.getppid()
            if to_me_alone and (interrupted is None or time.monotonic() - interrupted > ECHO):
                child.send_signal(signal.SIGINT)
            interrupted = time.monotonic()
        elif info.si_signo != signal.SIGCHLD:
            child.send_signal(info.si_signo)
    if interrupted is not None and status in (0, 130, -signal.SIGINT):
        return 0
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
