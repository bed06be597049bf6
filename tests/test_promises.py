"""The plugin that counts promises: a promise that nobody made cannot be kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TEMPLATE = """
import pytest

@pytest.mark.promise({ids})
def test_something():
    pass
"""


def run(folder: Path, ids: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(TEMPLATE.format(ids=ids))
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = promise: x\n")
    command = [sys.executable, "-m", "pytest", "-p", "promises", "-p", "no:cacheprovider", *options, str(folder)]
    environment = {"PYTHONPATH": str(Path(__file__).parent), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("options", [(), ("-n", "1")])
def test_which_promises_have_a_test_is_printed(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = run(tmp_path, '"W4", "F10"', *options)
    assert done.returncode == 0, done.stdout
    assert "with a test (2): F10 W4\n" in done.stdout
    assert "without one (76): F1 " in done.stdout


def test_an_unknown_promise_is_an_error(tmp_path: Path) -> None:
    done = run(tmp_path, '"W99"')
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "docs/promises.md does not know" in done.stderr
    assert "W99" in done.stderr
