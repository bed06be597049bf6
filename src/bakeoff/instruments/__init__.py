"""What runs in the user's interpreter beside the code that is tried: plain Python ≥ 3.9, standard library only.

    worlds.py      several copies of the project's packages in one process, and the target in each
    recordings.py  calls as bytes: arguments, by value
    observe.py     one call: all that can be seen of it
    compare/       whether two values are the same, and where they first differ
    recorder.py    what the target is called with while tests run
    streams.py     what generators among the arguments of a call give
    testrun.py     the project's tests, with structured results; warmup.py has pytest ready for them
    lineage.py     how an object came to be, so that each world makes it in its own way
    generate/      new inputs, grown from recorded ones; neighbours/ knows what is near a value of each type, hints.py
                   what annotations say
    shrink.py      the smallest input that still shows a difference; render.py writes it as Python
    values.py      arguments, how any value is taken apart, copied and told from others, and stand-ins for values
    sides.py       baseline and candidate, and the ways to call both; weighing.py says whether a difference counts
    oracle.py      the trial of a candidate on recorded calls and grown inputs
    cheats.py      what a candidate changes, reads and keeps that is none of its business; surroundings.py has taken
                   down before what everything else is made of
    stopwatch.py   baseline and candidates timed in turns

Calls import it as `_bakeoff_instruments` (see `WorkerConfig.kits`); the engine imports nothing but the names
below. What is foreign (values, and whatever the project's code does) is expected to raise, to lie, and to hang.
"""

from __future__ import annotations

import os

__all__ = ["KIT", "MARK"]

# What stands on stderr when a test begins, so that one that never ends is known by name.
MARK = "\x1ebakeoff-test "
KIT = os.path.dirname(os.path.abspath(__file__))
