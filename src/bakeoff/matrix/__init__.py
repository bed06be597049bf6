"""Matrices: many cells, a cap for each provider, honest latencies, nothing lost.

cases.py        tasks, how models are asked, and what is answered
definition.py   axes, points, cells and their keys
files.py        definitions from files; shape.py, fitting.py, places.py, tasks.py, named.py, imports.py: what may stand
                in them, and everything that is wrong, with its line
strategies.py   what turns a task and a model into an answer
scorers.py      what turns an answer into numbers; scoring.py: all of them, and why some give nothing
tools.py        what both work with while cells are run
expected.py     what it will take
running.py      cells run; recall.py: answers that are known already
"""

from bakeoff.matrix.cases import Answered, Case, Settings, Task
from bakeoff.matrix.definition import Axis, Cell, Definition, Point, Rule
from bakeoff.matrix.files import definition_of, read
from bakeoff.matrix.scorers import Exact, FitsSchema, Judge, Numeric, Pattern, Scorer, ScoringCode
from bakeoff.matrix.strategies import Function, Optimization, Sampled, Single, Strategy
from bakeoff.matrix.tools import Tools

__all__ = [
    "Answered",
    "Axis",
    "Case",
    "Cell",
    "Definition",
    "Exact",
    "FitsSchema",
    "Function",
    "Judge",
    "Numeric",
    "Optimization",
    "Pattern",
    "Point",
    "Rule",
    "Sampled",
    "Scorer",
    "ScoringCode",
    "Settings",
    "Single",
    "Strategy",
    "Task",
    "Tools",
    "definition_of",
    "read",
]
