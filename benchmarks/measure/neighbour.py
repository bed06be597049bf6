"""A noisy neighbour: bursts of work on every core, for a bounded time, and not after its parent is gone.

python neighbour.py SECONDS
"""

from __future__ import annotations

import os
import random
import sys
import time

BUSY, IDLE = (0.02, 0.12), (0.05, 0.3)


def burst(core: int, until: float, parent: int) -> None:
    os.sched_setaffinity(0, {core})
    block = bytes(4 << 20)
    while time.monotonic() < until and os.getppid() == parent:
        end = time.monotonic() + random.uniform(*BUSY)
        while time.monotonic() < end:
            # Through memory, not only through the core: caches are what neighbours share.
            sum(block[random.randrange(64) :: 64])
        time.sleep(random.uniform(*IDLE))


if __name__ == "__main__":
    END = time.monotonic() + float(sys.argv[1])
    CORES = sorted(os.sched_getaffinity(0))
    for core in CORES[1:]:
        PARENT = os.getpid()
        if os.fork() == 0:
            burst(core, END, PARENT)
            os._exit(0)
    burst(CORES[0], END, os.getppid())
