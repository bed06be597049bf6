"""Control groups: for real where this machine has them, and the layout of version 2 on plain files, which is all that
a kernel with version 1 can show of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.workers.inside import cgroups
from bakeoff.workers.inside.cgroups import Group, Place, Unavailable


def found() -> Place | None:
    try:
        return cgroups.find()
    except Unavailable:
        return None


PLACE = found()
needs_groups = pytest.mark.applies(PLACE is not None or os.getuid() == 0, "only some users may make control groups")


@needs_groups
def test_limits_hold_for_those_who_joined_and_are_counted() -> None:
    place = cgroups.find()
    own = place.claim(f"bakeoff-test-{os.getpid()}")
    group = Group(own)
    try:
        group.make()
        group.limit(memory=1 << 26, processes=3)
        script = (
            "import os, subprocess, sys; sys.path.insert(0, sys.argv[1])\n"
            "import cgroups\n"
            "cgroups.Group(cgroups.Place(int(sys.argv[2]), *sys.argv[3:5]), sys.argv[5]).join()\n"
            "try:\n [subprocess.Popen(['sleep', '0.1']) for _ in range(5)]\n"
            "except OSError as error: print(error.errno, flush=True)\n"
            "bytearray(1 << 28)"
        )
        folder = str(Path(cgroups.__file__).parent)
        command = [sys.executable, "-S", "-c", script, folder, str(own.version), own.memory, own.pids, group.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stdout) == (-9, "11\n"), done.stderr
        assert group.out_of_memory()
        assert group.out_of_processes()
    finally:
        own.remove()
    assert not any(os.path.exists(folder) for folder in own.folders)


@needs_groups
def test_a_place_is_found_by_trying() -> None:
    place = cgroups.find()
    assert all(os.path.isdir(folder) for folder in place.folders)
    assert not [name for folder in place.folders for name in os.listdir(folder) if name == f"bakeoff-try-{os.getpid()}"]


def test_the_layout_of_version_2(tmp_path: Path) -> None:
    place = Place(2, str(tmp_path), str(tmp_path))
    assert place.folders == [str(tmp_path)]
    own = place.claim("bakeoff-x")
    assert (tmp_path / "bakeoff-x/cgroup.subtree_control").read_text() == "+memory +pids"
    group = Group(own, "call")
    group.make()
    group.limit(memory=1000, processes=7)
    folder = tmp_path / "bakeoff-x/call"
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "memory.max": "1000",
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "7",
    }
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 3\noom 1\noom_kill 0\n")
    (folder / "pids.events").write_text("max 0\n")
    assert not group.out_of_memory()
    assert not group.out_of_processes()
    (folder / "memory.events").write_text("oom 1\noom_kill 2\noom_group_kill 1\n")
    (folder / "pids.events").write_text("max 4\n")
    assert group.out_of_memory()
    assert group.out_of_processes()
    assert group.ends_all


@pytest.mark.parametrize(
    ("enabled", "offered", "processes", "usable"),
    [
        ("cpu memory pids", "cpu memory pids", "", True),
        ("", "cpu memory pids", "", True),
        ("", "cpu memory pids", "17\n", False),
        ("", "cpu pids", "", False),
        ("cpu", "cpu", "", False),
    ],
)
def test_which_groups_of_version_2_can_have_limited_ones_below(
    tmp_path: Path, enabled: str, offered: str, processes: str, usable: bool
) -> None:
    """Those that have it switched on, or where it can be; not where processes are in the way."""
    (tmp_path / "cgroup.subtree_control").write_text(enabled)
    (tmp_path / "cgroup.controllers").write_text(offered)
    (tmp_path / "cgroup.procs").write_text(processes)
    assert cgroups._has_controllers(str(tmp_path)) is usable
