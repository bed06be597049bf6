"""The door: `bakeoff` and `python -m bakeoff`."""

from __future__ import annotations

import sys

INTERRUPTED = 128 + 2


def main() -> int:
    """Run the command line; the version is told without loading anything else."""
    if sys.argv[1:] == ["--version"]:
        from bakeoff import __version__  # noqa: PLC0415 (see the docstring)

        sys.stdout.write(f"bakeoff {__version__}\n")
        return 0
    try:
        from bakeoff.cli import run  # noqa: PLC0415

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
