"""Which interpreter a project runs in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bakeoff.workers import project_python


def environment(folder: Path) -> Path:
    program = folder / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text("")
    program.chmod(0o755)
    return program


def test_its_own_environment_comes_before_the_active_one_and_that_before_ours(tmp_path: Path):
    active = environment(tmp_path / "active")
    variables = {"VIRTUAL_ENV": str(tmp_path / "active")}
    assert project_python(tmp_path / "repository", {}) == Path(sys.executable)
    assert project_python(tmp_path / "repository", variables) == active
    own = environment(tmp_path / "repository" / ".venv")
    assert project_python(tmp_path / "repository", variables) == own


@pytest.mark.parametrize("variables", [{"VIRTUAL_ENV": ""}, {"VIRTUAL_ENV": "/not/there"}])
def test_an_environment_that_is_none_is_passed_over(tmp_path: Path, variables):
    assert project_python(tmp_path, variables) == Path(sys.executable)
