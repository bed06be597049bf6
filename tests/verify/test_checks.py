"""Commands as judges, and the reports that they leave."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bakeoff.candidates import Change
from bakeoff.errors import BaselineFails, UsageError
from bakeoff.events import Verdict
from bakeoff.verify import Check, CheckOracle, TestOutcome
from bakeoff.verify.checks import junit
from bakeoff.workspaces import WorktreePool
from repositories import make_repository

pytestmark = pytest.mark.anyio

REPORT = """<?xml version="1.0"?>
<testsuites><testsuite>
<testcase classname="a" name="one"/>
<testcase classname="a" name="two"><failure message="no">1 != 2</failure></testcase>
<testcase name="three"><skipped/></testcase>
<testcase name="four"><error>boom</error></testcase>
</testsuite></testsuites>"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def changed(pool: WorktreePool, text: str) -> Change:
    return Change.of({"program.py": text.encode()}, base=pool.read)


async def test_the_exit_status_decides(tmp_path: Path):
    repository = make_repository(tmp_path / "repository", {"program.py": "print('fine')\n"})
    check = Check(argv=(sys.executable, "program.py"))
    async with WorktreePool(repository, size=1) as pool, CheckOracle(pool, check) as oracle:
        right = await oracle.judge(changed(pool, "print('also fine')\n"))
        wrong = await oracle.judge(changed(pool, "import sys; print('oh'); sys.exit(3)\n"))
        dead = await oracle.judge(changed(pool, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n"))
    assert right.verdict is Verdict.VERIFIED
    assert wrong.verdict is Verdict.WRONG
    assert wrong.reason == "the check ended with status 3"
    assert "oh" in wrong.stdout
    assert dead.verdict is Verdict.CRASHED


async def test_a_report_is_compared_test_by_test(tmp_path: Path):
    """Also where the exit status says that all is well."""
    program = (
        "open('report.xml', 'w').write('''"
        + REPORT.replace("<failure", "<skipped").replace("</failure", "</skipped")
        + "''')\n"
    )
    repository = make_repository(tmp_path / "repository", {"program.py": program})
    check = Check(argv=(sys.executable, "program.py"), junit="report.xml")
    async with WorktreePool(repository, size=1) as pool, CheckOracle(pool, check) as oracle:
        same = await oracle.judge(changed(pool, program + "#\n"))
        missing = await oracle.judge(changed(pool, program.replace('<testcase classname="a" name="one"/>', "")))
        none = await oracle.judge(changed(pool, "pass\n"))
        huge = await oracle.judge(changed(pool, "open('report.xml', 'w').truncate(1 << 40)\n"))
        link = await oracle.judge(changed(pool, "import os; os.symlink('/etc/passwd', 'report.xml')\n"))
    assert same.verdict is Verdict.VERIFIED
    assert [(failure.id, failure.actual) for failure in missing.failures] == [("a::one", TestOutcome.MISSING)]
    for judgement in (none, huge, link):
        assert judgement.verdict is Verdict.WRONG


@pytest.mark.promise("E7")
async def test_a_baseline_that_fails_its_check_is_told(tmp_path: Path):
    repository = make_repository(tmp_path / "repository", {"program.py": "raise SystemExit('not ready')\n"})
    async with WorktreePool(repository, size=1) as pool:
        with pytest.raises(BaselineFails, match="status 1"):
            async with CheckOracle(pool, Check(argv=(sys.executable, "program.py"))):
                raise AssertionError("it opened")


def test_reports_are_read():
    assert {name: result.outcome for name, result in junit(REPORT.encode()).items()} == {
        "a::one": TestOutcome.PASSED,
        "a::two": TestOutcome.FAILED,
        "three": TestOutcome.SKIPPED,
        "four": TestOutcome.ERROR,
    }
    assert junit(REPORT.encode())["a::two"].text == "no\n1 != 2"


@pytest.mark.parametrize("text", ["", "<a>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "\0", "<a>" * 10])
def test_a_report_that_is_no_plain_document_is_refused(text: str):
    with pytest.raises(ValueError, match=r".+"):
        junit(text.encode())


@pytest.mark.parametrize(
    "options", [{"argv": ()}, {"argv": ("a",), "junit": "/etc/x"}, {"argv": ("a",), "junit": "../x"}]
)
def test_what_makes_no_sense_is_refused(options):
    with pytest.raises(UsageError):
        Check(**options)


async def test_commands_find_the_interpreter_of_the_project_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is called python in our PATH may be a shim that calls cannot read."""
    shims = tmp_path / "home" / "shims"
    shims.mkdir(parents=True)
    (shims / "python").write_text("#!/bin/sh\nexit 9\n")
    (shims / "python").chmod(0o755)
    monkeypatch.setenv("PATH", f"{shims}:/usr/bin:/bin")
    repository = make_repository(tmp_path / "repository", {"program.py": "print('fine')\n"})
    async with WorktreePool(repository, size=1) as pool:
        async with CheckOracle(pool, Check(argv=("sh", "-c", "python program.py"))) as oracle:
            assert oracle.tests == {}
        with pytest.raises(BaselineFails) as caught:
            async with CheckOracle(pool, Check(argv=("sh", "-c", "no-such-program"))):
                pass
    assert "--sandbox off" in (caught.value.hint or "")
