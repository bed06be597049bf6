from __future__ import annotations

import os
import signal
import subprocess
import sys

import msgspec
import pytest

from bakeoff.owners import Owner

replace = msgspec.structs.replace


def owner_of(process: subprocess.Popen[bytes]) -> Owner:
    assert process.stdout is not None
    return msgspec.json.decode(process.stdout.readline(), type=Owner)


TELL = """
import msgspec, os
from bakeoff.owners import Owner
os.write(1, msgspec.json.encode(Owner.current()) + b"\\n")
input()
"""


@pytest.fixture
def other():
    with subprocess.Popen([sys.executable, "-c", TELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_the_process_that_asks_lives():
    assert Owner.current().lives()
    assert Owner.current() == Owner.current()
    assert str(Owner.current()) == f"process {os.getpid()}"


def test_another_process_lives_until_it_ends(other):
    owner = owner_of(other)
    assert owner.pid == other.pid
    assert owner.lives()
    os.kill(other.pid, signal.SIGKILL)
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert not owner.lives(), "a zombie is dead"
    other.wait()
    assert not owner.lives()


def test_a_pid_that_is_used_again_is_another_process():
    assert not replace(Owner.current(), started=1.0).lives()


def test_an_owner_from_before_a_boot_is_dead():
    assert not replace(Owner.current(), boot="another").lives()
    assert not replace(Owner.current(), boot="another", host="").lives(), "written before hosts were"


def test_where_it_cannot_be_told_the_owner_lives():
    current = Owner.current()
    elsewhere = replace(current, boot="another", host="another-host")
    assert elsewhere.lives(), "a machine that shares the directory"
    assert str(elsewhere) == f"process {os.getpid()} on another-host"
    assert replace(current, namespace="pid:[1]", started=1.0).lives(), "a container that shares the directory"


def test_a_process_may_call_itself_anything():
    rename = "import ctypes; ctypes.CDLL(None).prctl(15, b'\\xff) Z 1 (', 0, 0, 0)"
    with subprocess.Popen(
        [sys.executable, "-c", rename + TELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert owner_of(process).lives()
        process.kill()


HIDDEN = """
import os, subprocess, sys, msgspec
from bakeoff.owners import Owner
owner = msgspec.json.decode(sys.argv[1], type=Owner)
assert owner.lives()
subprocess.run(["mount", "-t", "proc", "-o", "hidepid=2", "proc", "/proc"], check=True)
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
assert not os.path.exists(f"/proc/{owner.pid}")
assert owner.lives()
assert not msgspec.structs.replace(owner, pid=2**22 + 1).lives()
"""


@pytest.mark.applies(os.geteuid() == 0, "only root can become another user")
def test_a_process_of_another_user_that_proc_hides_lives():
    owner = msgspec.json.encode(Owner.current()).decode()
    done = subprocess.run(
        ["unshare", "-m", sys.executable, "-c", HIDDEN, owner], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_label_names_its_owner_and_nothing_else_does():
    ours = Owner.current()
    assert Owner.named(ours.label) == ours
    for text in ("", "1-2", "1-2-x", "1-2-3-4", "-1-2-3", "1-²-3"):
        assert Owner.named(text) is None
