"""`bakeoff plan`, from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from bakeoff.git import Repository
from bakeoff.jobs.plan import follow
from repositories import make_repository

BAKEOFF = [sys.executable, "-m", "bakeoff"]
FILES = {
    f"shop/{folder}/{name}.py": f"from shop.{folder} import {before}\n" if before else ""
    for folder in ("cart", "stock", "users")
    for before, name in (("", "__init__"), ("", "one"), ("one", "two"), ("two", "three"))
} | {"shop/__init__.py": "from shop.cart import one, two\nfrom shop.users import three\n", "README.md": "no source\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", FILES)


def plan(*arguments: str, cwd: Path, seed: str = "random") -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")}
    environment["PYTHONHASHSEED"] = seed
    command = [*BAKEOFF, "plan", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def document(*arguments: str, cwd: Path, seed: str = "random") -> dict:
    done = plan(*arguments, "--json", cwd=cwd, seed=seed)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def refused(*arguments: str, cwd: Path, status: int = 2) -> str:
    done = plan(*arguments, cwd=cwd)
    assert (done.returncode, done.stdout) == (status, "")
    assert "\nhint: " in done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.promise("P1", "P3")
def test_the_document_is_the_contract(tmp_path: Path, repository: Path) -> None:
    found = document("shop", "--max-files", "5", cwd=repository, seed="1")
    assert {"files", "depth", "edges", "edges_cut", "root", "leaves"} <= set(found)
    assert (found["files"], found["depth"], found["edges"], found["edges_cut"]) == (13, 1, 9, 1)
    assert set(found["root"]) == {"id", "name", "children"}
    assert found["root"]["name"] == "shop"
    assert [child["id"] for child in found["root"]["children"]] == [leaf["id"] for leaf in found["leaves"]]
    cart = next(leaf for leaf in found["leaves"] if leaf["name"] == "shop/cart")
    users = next(leaf for leaf in found["leaves"] if leaf["name"] == "shop/users")
    assert "shop/__init__.py" in cart["files"]
    assert cart["imports"] == [users["id"]]
    assert sorted(path for leaf in found["leaves"] for path in leaf["files"]) == sorted(set(FILES) - {"README.md"})
    elsewhere = make_repository(tmp_path / "elsewhere", FILES)
    assert document(".", "--max-files", "5", cwd=elsewhere / "shop", seed="2") == found, "on any machine"


def test_no_absolute_path_is_in_the_output(tmp_path: Path, repository: Path) -> None:
    shown = plan(str(repository / "shop"), "--out", str(tmp_path / "plan.toml"), "-v", cwd=tmp_path)
    assert shown.returncode == 0
    assert str(tmp_path) not in shown.stdout + (tmp_path / "plan.toml").read_text()


def test_the_tree_is_shown(repository: Path) -> None:
    done = plan("shop", "--max-files", "5", cwd=repository)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["subplan", "files", "tokens", "imports", "from"]
    assert lines[1][:2] == ["shop", "13"]
    assert lines[2][:3] == ["├──", "shop/cart", "5"]
    assert done.stdout.splitlines()[-1] == "3 subplans, 1 level; 1 of 9 imports (11%) go from one to another"
    assert "│     shop/cart/one.py" in plan("shop", "--max-files", "5", "-v", cwd=repository).stdout


def test_a_plan_is_written_edited_followed_and_gone_on_from(repository: Path) -> None:
    file = repository / "plan.toml"
    first = document("shop", "--max-files", "5", "--out", "plan.toml", "-q", cwd=repository)
    text = file.read_text()
    edited = text.replace('name = "shop/cart"', 'name = "the cart"').replace("after = []", 'after = ["shop/users"]', 1)
    file.write_text(edited)
    found = anyio.run(lambda: followed(repository, file))
    assert [leaf.id for leaf in found.leaves] == [leaf["id"] for leaf in first["leaves"]]
    assert (found.leaves[0].name, found.leaves[0].after) == ("the cart", (found.leaves[2].id,))

    (repository / "shop/cart/four.py").write_text("")
    (repository / "shop/users/three.py").unlink()
    wrong = plan("shop", "--out", "plan.toml", "--max-depth", "0", cwd=repository)
    assert wrong.returncode == 2
    assert file.read_text() == edited
    done = plan("shop", "--out", "plan.toml", "--max-files", "6", cwd=repository)
    assert "1 of 3 subplans are as they were in plan.toml" in done.stderr
    again = anyio.run(lambda: followed(repository, file))
    assert (again.limits.max_files, again.leaves[0].name) == (6, "the cart")
    assert "shop/cart/four.py" in again.leaves[0].files
    assert again.leaves[0].after == (again.leaves[2].id,)


async def followed(repository: Path, file: Path):
    return await follow(await Repository.find(repository), file)


def test_a_file_that_is_no_plan_is_not_written_over(repository: Path) -> None:
    assert "pyproject.toml cannot be followed" in refused_with(repository, "pyproject.toml", "[project]\n")
    assert "is not TOML" in refused_with(repository, "notes.txt", "remember the milk\n")
    assert "is not UTF-8" in refused_with(repository, "image.png", b"\x89PNG\xff")


def refused_with(repository: Path, name: str, content: str | bytes) -> str:
    data = content if isinstance(content, bytes) else content.encode()
    (repository / name).write_bytes(data)
    told = refused("shop", "--out", name, cwd=repository)
    assert (repository / name).read_bytes() == data
    return told


def test_a_plan_that_cannot_be_written_leaves_what_is_there(repository: Path) -> None:
    assert "nowhere/plan.toml: No such file" in refused("shop", "--out", "nowhere/plan.toml", cwd=repository, status=1)
    assert "shop cannot be read: Is a directory" in refused("shop", "--out", "shop", cwd=repository)
    assert plan("shop", "--out", "plan.toml", cwd=repository).returncode == 0
    text = (repository / "plan.toml").read_text()
    (repository / ".plan.toml.new").mkdir()
    assert "plan.toml: Is a directory" in refused("shop", "--out", "plan.toml", cwd=repository, status=1)
    assert (repository / "plan.toml").read_text() == text


@pytest.mark.promise("P1")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--max-files", "2", "--min-files", "3"), "at least 3 files and at most 2"),
        (("--max-tokens", "0"), "max-tokens has to be at least 1, not 0"),
        (("--max-files", "many"), "many"),
    ],
)
def test_limits_that_make_no_sense_are_usage_errors(repository: Path, arguments: tuple[str, ...], told: str) -> None:
    assert told in refused("shop", *arguments, cwd=repository)


def test_settings_of_plans_and_of_models_are_kept_apart(repository: Path) -> None:
    (repository / "bakeoff.toml").write_text("max-tokens = 1\nmax-files = 4\nsubplan-tokens = 15\n")
    found = document("shop", cwd=repository)
    assert (found["files"], found["warnings"]) == (13, [])
    assert max(len(leaf["files"]) for leaf in found["leaves"]) == 4
    assert max(leaf["tokens"] for leaf in found["leaves"]) <= 15
    assert max(leaf["tokens"] for leaf in document("shop", "--max-tokens", "99", cwd=repository)["leaves"]) > 15


@pytest.mark.parametrize(
    ("paths", "told", "status"),
    [
        ((), "no path was given", 2),
        (("shopp",), "did you mean repo/shop?", 2),
        (("shop", "/usr"), "/usr is outside of the repository", 3),
        (("/",), "is not inside a git repository", 3),
        ((".git",), "git", 3),
        (("empty",), "git tracks nothing there", 2),
    ],
)
def test_paths_that_cannot_be_planned_are_told(
    repository: Path, paths: tuple[str, ...], told: str, status: int
) -> None:
    (repository / "empty").mkdir()
    assert told in refused(*paths, cwd=repository, status=status)
