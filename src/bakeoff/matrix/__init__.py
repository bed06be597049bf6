"""Matrices: many cells, a cap for each provider, honest latencies, nothing lost.

cases.py        tasks, and how models are asked
definition.py   axes, points, cells and their keys
strategies.py   what turns a task and a model into an answer
scorers.py      what turns an answer into numbers
"""

from bakeoff.matrix.cases import Case, Settings, Task
from bakeoff.matrix.definition import Axis, Cell, Definition, Point, Rule
from bakeoff.matrix.scorers import Exact, Scorer
from bakeoff.matrix.strategies import Answered, Single, Strategy

__all__ = [
    "Answered",
    "Axis",
    "Case",
    "Cell",
    "Definition",
    "Exact",
    "Point",
    "Rule",
    "Scorer",
    "Settings",
    "Single",
    "Strategy",
    "Task",
]
