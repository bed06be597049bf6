"""Forty-five functions as they are found in real projects, to find out what the rewrite rules make of them.

Each file describes one: a module (`SOURCE`, imported as `project.module`), ordinary tests that it passes (`TESTS`; at
least one of them calls the target with so much that its slowness shows), what is to be improved (`TARGET`), and what
makes it slow (`SLOW`). Where that is "nothing much" the code is good as it is, and a faster candidate would be a
surprise: three of the first set, two of the second. Most of the others are slow for more than one reason, in a helper,
or for want of a better idea. The sources are text that runs on Python 3.9 and later.

The rules may be made looking at the thirty in `first`. The fifteen in `second` were drawn at random from all of them:
nobody tunes on those. Whoever looks into one of them moves it to the first set, and writes a new one.
"""
