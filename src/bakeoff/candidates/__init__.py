"""A candidate, its change, its lineage, its canonical form.

    files ──▶ patches ──▶ changes ◀── canonical
                 └──────▶ merging

`files` says what a file is and which paths may be named, `patches` reads and writes diffs as text, `changes` holds
the values that cross into other modules, and `canonical` says when two contents mean the same (E5). `merging` brings
two changes of one file together.
"""

from bakeoff.candidates.canonical import canonical
from bakeoff.candidates.changes import Candidate, Change, Edit
from bakeoff.candidates.files import File, Mode, Reader, Version, check_link, check_path, parents
from bakeoff.candidates.merging import Clash, merge

__all__ = [
    "Candidate",
    "Change",
    "Clash",
    "Edit",
    "File",
    "Mode",
    "Reader",
    "Version",
    "canonical",
    "check_link",
    "check_path",
    "merge",
    "parents",
]
