"""`python -m logbook FILE [QUERY]` prints the report of what matches."""

from __future__ import annotations

import sys
from pathlib import Path

from logbook.filters import matching
from logbook.parser import parse_leniently
from logbook.report import report


def main(arguments: list[str]) -> int:
    """Print a report; what cannot be read is told on stderr."""
    if not arguments:
        sys.stderr.write("usage: python -m logbook FILE [QUERY]\n")
        return 2
    entries, errors = parse_leniently(Path(arguments[0]).read_text(encoding="utf-8"))
    sys.stdout.write(report(list(matching(entries, " ".join(arguments[1:])))))
    for error in errors:
        sys.stderr.write(f"{error}\n")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
