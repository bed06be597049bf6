"""Rewrites whose fate is known, to find out what the oracle lets pass and what it refuses.

Each file describes one: a module as it is (`BASELINE`), the same module rewritten (`CANDIDATE`), and ordinary tests
that both pass (`TESTS`), which import it as `project.module`. `TARGET` names what is to be improved. `KIND` is "honest"
where the behaviour is the same, "wrong" where it differs in one rare way; then `FLAW` says which, and `WITNESS` is an
expression that comes out differently in the two modules. The sources are text that runs on Python 3.9 and later.

`seen` are those that the oracle was made looking at. `earlier` were written beside it, by others, and run several times
while it was made, without looking into them. `unseen` were written last, when it stood, by somebody who did not know
it. Whoever looks into one of `earlier` or `unseen` moves it to `seen`.
"""
