"""Inputs that nobody wrote down: grown from the arguments of recorded calls, and from what the target says of itself.

    examples ──▶ pool: values by type, by place, constants of the target
       │                                    │
       └─▶ bases ──▶ places ──▶ categories of change ──▶ one of each, in turns ──┐
             └───────────────▶ several changes at once, parts of other calls ────┴──▶ inputs, each once

A *place* is a path into the arguments; its *where* is the path with indices left out, so that all elements of a list
share one. What was seen at a where, and what its annotation allows, are the types that belong there; an input that
leaves them is *widened*, and a difference found with it weighs less. Where an annotation is *open* (`object`, `Any`,
`Hashable`), all that fits it belongs there. A *record*, a tuple that is always of one length, leaves its types when its
length is another, or the types in it are. An input that an annotation speaks against is *unfit*, and weighs nothing.

*Twins* are values that are equal and not the same, as 0.0 and -0.0 are: they are tried side by side in one list, and in
two calls of which the second comes directly after the first.

    targets.py  what the target says of its own arguments
    places.py   what is known of places, and what leaves it
    growth.py   inputs drafted, and given once; calls.py has the changes of a whole call
    cuts.py     recorded arguments that are large, cut down before

What a value may be changed into is known to `neighbours/`, and how it is handled to `values.py`. Nothing here depends
on hash seeds, on the global generator of random numbers or on addresses. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

from ..values import Arguments
from .cuts import cut
from .growth import Generated, grow

__all__ = ["Arguments", "Generated", "cut", "grow"]
