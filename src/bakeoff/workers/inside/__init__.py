"""What runs in the interpreter of the user's project: plain Python ≥ 3.9, no import beyond the standard library.

    zygote.py       serves calls: forks a supervisor for each, from a process that has imported what they need
    supervisor.py   runs one call and says exactly how it ended; trusted, outside the jail
    candidate.py    the side of the fork that becomes the candidate
    jail.py         what a candidate is locked into; namespaces.py and cgroups.py, the world it is put into first
    kits.py         packages of ours that calls can import
    data.py         all that may cross between it and us

The engine imports these modules by their ordinary names. In the user's interpreter Bakeoff need not be installed:
there `__main__.py` makes this folder a package of its own, under a name that no module of the candidate can want.
"""
