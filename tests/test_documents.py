"""What README and docs say is true: their examples run, and their commands are the ones that CI runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.jobs.demo import TARGETS
from bakeoff.sources.rules.catalogue import ALL
from repositories import make_repository

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


EXAMPLES = [
    pytest.param(code, id=f"{document.relative_to(ROOT)}-{number}")
    for document in DOCUMENTS
    for number, code in enumerate(blocks(document, "python"))
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_runs(tmp_path: Path, code: str) -> None:
    """In a small repository; lines `print(…)  # text` must print that text."""
    repository = make_repository(tmp_path / "repo")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=repository, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    for expected in re.findall(r"^\s*print\(.*\)  # (.+)$", code, re.MULTILINE):
        assert expected in done.stdout


def test_the_readme_example_does_what_it_says(tmp_path: Path) -> None:
    (code,) = blocks(ROOT / "README.md", "python")
    repository = make_repository(tmp_path / "repo")
    done = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True, check=True)
    assert "20 candidates, each saw only itself: True" in done.stdout


def test_the_readme_has_two_commands_and_ci_runs_the_second() -> None:
    first, second = blocks(ROOT / "README.md", "sh")
    assert first.strip() == "pip install uv && uv run bakeoff demo"
    assert second.strip() in (ROOT / ".ci/run").read_text().splitlines()


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_picture_of_a_run_is_one_of_the_demo() -> None:
    """Its targets are the demo's, its candidates come from rules that there are, and it fits into a window."""
    picture, *_ = blocks(ROOT / "README.md", "text")
    targets = re.findall(r"^target    (\S+)$", picture, re.MULTILINE)
    candidates = re.findall(r"^(\S+) +rules +(?:verified|wrong)", picture, re.MULTILINE)
    assert targets
    assert set(targets) <= set(TARGETS)
    assert {name for one in candidates for name in one.split("+")} <= {rule.name for rule in ALL}
    assert {"verified", "wrong"} <= set(picture.split())
    assert max(map(len, picture.splitlines())) <= 100


def test_links_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document}: {target}"


def test_every_module_is_in_the_tour() -> None:
    design = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    for path in (ROOT / "src/bakeoff").iterdir():
        name = path.name if path.is_file() else f"{path.name}/"
        if (path.suffix == ".py" and not path.name.startswith("__")) or (path.is_dir() and path.name != "__pycache__"):
            assert f"`{name}`" in design, f"docs/design.md does not name {name}"
