"""Commands that edit files, as a source: real commands in real slots."""

from __future__ import annotations

import re
import socket
import sys
from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.events import Profile, ProfiledFunction, ProfiledLine
from bakeoff.sources import Brief, Proposal, Scope
from bakeoff.sources.agents import AgentOptions, AgentSource, prompt
from bakeoff.targets import Target
from bakeoff.workers import WorkerConfig, open_backend
from bakeoff.workspaces import WorktreePool
from repositories import make_repository, state_of

pytestmark = pytest.mark.anyio
TARGET = Target(path="pkg/text.py", name="slugify")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def proposals(folder: Path, *argv: str, variables: dict[str, str] | None = None, **options) -> list[Proposal]:
    repository = make_repository(folder / "repository")
    before = state_of(repository)
    async with (
        WorktreePool(repository, size=2) as pool,
        open_backend(WorkerConfig(workers=2)) as backend,
    ):
        source = AgentSource(backend, AgentOptions(argv=argv, **options), variables=variables or {})
        brief = Brief(pool=pool, target=TARGET, scope=Scope(), most=10)
        found = [proposal async for proposal in source.propose(brief)]
    assert state_of(repository) == before
    return found


async def test_what_a_command_changes_in_its_slot_is_the_candidate(tmp_path: Path):
    script = "cat $BAKEOFF_PROMPT_FILE; cat {prompt} > seen.md; echo '# more' >> pkg/text.py; echo trouble >&2"
    (found,) = await proposals(tmp_path, "sh", "-c", script)
    assert found.change.paths == ("pkg/text.py", "seen.md")
    assert b"# more" in found.change.contents["pkg/text.py"]
    assert b"`slugify` in `pkg/text.py` is slow" in found.change.contents["seen.md"]
    assert "# Make this faster" in found.log
    assert "trouble" in found.log


async def test_attempts_are_made_at_once_and_each_sees_only_itself(tmp_path: Path):
    # Each waits for the other: one after the other, they would never end.
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    script = f"mktemp {meeting}/XXXXXX > mine; while [ $(ls {meeting} | wc -l) -lt 2 ]; do sleep 0.05; done; ls > all"
    found = await proposals(tmp_path, "sh", "-c", script, attempts=2, parallel=2, folders=(meeting,), seconds=60.0)
    assert [one.change and one.change.paths for one in found] == [("all", "mine")] * 2
    assert {one.name for one in found} == {"agent-1", "agent-2"}


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("true", "the command changed nothing"),
        ("exit 3", "status 3"),
        ("rm -rf .git; mkdir -p __pycache__; touch __pycache__/x.pyc", "the command changed nothing"),
        ("ln -s /etc/passwd pkg/link", "pkg/link"),
    ],
)
async def test_where_nothing_comes_of_it_there_is_a_reason(tmp_path: Path, script: str, problem: str):
    (found,) = await proposals(tmp_path, "sh", "-c", script)
    assert found.change is None
    assert problem in found.problem
    assert re.search(r"\(\d+\.\d s\)", found.log.splitlines()[0]), "how long it took is recorded"


async def test_one_that_takes_too_long_is_ended_with_what_it_has_done(tmp_path: Path):
    (found,) = await proposals(tmp_path, "sh", "-c", "echo 1 > new; exec sleep 1000", seconds=1.0)
    assert found.change.paths == ("new",)
    assert re.match(r"the call was ended after 1\.\d+ s: it ran past its limit", found.log), found.log


async def test_it_reaches_no_network_no_secret_and_no_other_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    outside = tmp_path / "outside"
    outside.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = (
            "import os, socket\n"
            "said = [os.environ.get('SECRET_KEY'), os.environ.get('SHOWN')]\n"
            f"for act in (lambda: socket.create_connection(('127.0.0.1', {port}), 2), "
            f"lambda: open('{outside}/x', 'w')):\n"
            "    try:\n        act()\n        said.append('done')\n"
            "    except OSError as error:\n        said.append('refused')\n"
            "open('said.txt', 'w').write(repr(said))\n"
        )
        (found,) = await proposals(tmp_path, sys.executable, "-c", script, variables={"SHOWN": "yes"})
    assert found.change.contents["said.txt"] == b"[None, 'yes', 'refused', 'refused']"
    assert list(outside.iterdir()) == []


async def test_it_has_the_network_where_that_is_allowed(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5); open('new', 'w').write('x')"
        (found,) = await proposals(tmp_path, sys.executable, "-c", script, network=True)
    assert found.change is not None, found.log


def test_the_prompt_says_where_the_time_goes():
    lines = (
        ProfiledLine(number=3, hits=9, share=0.97, text="  slow()"),
        ProfiledLine(number=4, hits=9, share=0.01, text="x"),
    )
    profile = Profile(functions=(ProfiledFunction(name="slugify", path="pkg/text.py", seconds=1.0, lines=lines),))
    brief = Brief(pool=None, target=TARGET, scope=Scope(globs=("pkg/**",)), most=1, profile=profile)
    text = prompt(brief)
    assert "pkg/text.py:3 (97% of `slugify`): `slow()`" in text
    assert ":4" not in text
    assert "You may edit: pkg/**" in text


@pytest.mark.parametrize("bad", [{"argv": ()}, {"argv": ("x",), "attempts": 0}, {"argv": ("x",), "seconds": 0.0}])
def test_what_cannot_be_run_is_refused(bad: dict):
    with pytest.raises(UsageError):
        AgentOptions(**bad)
