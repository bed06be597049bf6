"""Real git repositories for tests, and a way to say that nothing of them changed."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}

SMALL = {
    "README.md": "# A project\n",
    "pkg/__init__.py": "",
    "pkg/text.py": "def slugify(text):\n    return text.lower().replace(' ', '-')\n",
    "pkg/deep/er/module.py": "VALUE = 1\n",
    "tests/test_text.py": "from pkg.text import slugify\n\n\ndef test_it():\n    assert slugify('A b') == 'a-b'\n",
    ".gitignore": "build/\n*.log\n",
    "data/öl und Wasser.txt": "non-ASCII and blanks\n",
}


def git(folder: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=CLEAN | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
    return done.stdout.strip()


def make_repository(folder: Path, files: Mapping[str, str | bytes] = SMALL, *init: str) -> Path:
    """A repository with one commit; a script and a link are always in it."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", "--initial-branch=main", *init)
    write_files(folder, files)
    script = folder / "run.sh"
    script.write_text("#!/bin/sh\necho hello\n")
    script.chmod(0o755)
    (folder / "link").symlink_to("pkg/text.py")
    commit(folder)
    return folder


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "a commit")
    return git(folder, "rev-parse", "HEAD")


def state_of(root: Path, *, without: frozenset[str] = frozenset()) -> dict[str, str]:
    """Everything below a folder: kind, mode and content of each path. Equal states are equal byte for byte."""
    found = {"": _kind(root)}
    stack = [""]
    while stack:
        folder = stack.pop()
        for entry in os.scandir(root / folder):
            name = f"{folder}/{entry.name}" if folder else entry.name
            if name in without:
                continue
            found[name] = _kind(Path(entry.path))
            if entry.is_dir(follow_symlinks=False):
                stack.append(name)
    return found


def _kind(path: Path) -> str:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return f"link to {os.readlink(path)}"
    mode = f"{status.st_mode:o}"
    if stat.S_ISREG(status.st_mode):
        return f"{mode} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return mode
