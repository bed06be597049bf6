"""Forty rewrites whose fate is known, to find out what the oracle lets pass and what it refuses.

Each file describes one: a module as it is (`BASELINE`), the same module rewritten (`CANDIDATE`), and ordinary tests
that both pass (`TESTS`), which import it as `project.module`. `TARGET` names what is to be improved. `KIND` is "honest"
where the behaviour is the same, "wrong" where it differs in one rare way; then `FLAW` says which, and `WITNESS` is an
expression that comes out differently in the two modules. The sources are text that runs on Python 3.9 and later.

Ten of each kind are in `seen`, to look at while the oracle is built. The others are in `unseen`: nobody tunes on them,
and both halves are reported. The flaws were drawn into the halves by lot, from pairs of about the same difficulty.
"""
