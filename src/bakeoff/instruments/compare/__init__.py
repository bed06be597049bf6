"""Are two values the same for everyone who looks at them, and where do they first differ?

What counts: types, values, order, what containers hold, the state of objects, and which parts are one and the same
object. What is asked: builtin types through their own C methods, so that no subclass has a say; objects for their
`__dict__` and slots, so that no property runs. An `__eq__` is never believed where state can be read.

- Baseline and candidate are loaded as two worlds. So two classes are the same when module and qualified name are equal;
  functions likewise, but lambdas and local functions by their code and what they close over.
- Where mutable objects are shared must agree: what is met is paired, and one object never has two partners. Cycles end
  there. Arrays of numpy that overlap must overlap on both sides. Immutable values may be shared or not.
- Attributes have no order, and it does not matter whether they live in slots or in `__dict__`. The order of an
  `OrderedDict` is part of its value; that of other dicts counts where the rules say so.
- Of exceptions: type, args, text, state, notes, cause, group, and last of all the type of a context that is shown.
  Addresses (`at 0x7f…`) in their texts do not count. Tracebacks never do.
- Iterators are never consumed: those of builtin types are compared by what is left in them, those that tell their parts
  (`map`, `zip`, …) by these, generators and others by type alone.
- Objects in C whose state cannot be read: `==` of their own may say that they are the same; else what `__reduce_ex__`
  gives is compared; where neither says anything, one type is all that can be asked for.
- numpy, pandas, polars and torch are looked into when they are there; they are never imported. A RangeIndex is as good
  as an Index. The order of an array in memory does not count.

What is not looked at is not called the same: when the budget is used up there is a difference of kind "too-large".
Runs of plain values, and whole arrays, are compared at once and count as one part. What is foreign may raise; that
makes an "incomparable" part at worst. A walk has its own stack, so that depth is no matter.

    walk.py         both values side by side, down to the first difference
    standard.py     how builtin types and those of the standard library are compared; pairing.py says who belongs to
                    whom where there is no order
    libraries.py    numpy, pandas, polars, torch
    differences.py  what counts, and what is told of a difference
    objects.py      what an object holds, and its text; classes.py asks classes what they are
"""

from __future__ import annotations

from . import libraries, standard
from .differences import KINDS, Difference, Rules
from .objects import LIBRARIES, READERS, shown
from .walk import difference

__all__ = ["KINDS", "Difference", "Rules", "difference", "shown"]

READERS.update(standard.READERS)
LIBRARIES.update(libraries.READERS)
