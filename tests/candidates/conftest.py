"""A real git repository that many examples share, and trees of odd files to put into it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import strategies as st

from bakeoff.candidates import File, Mode


class Repository:
    """A working tree and an index that are emptied before each use."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, data: bytes = b"") -> bytes:
        ran = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            input=data,
            capture_output=True,
            check=False,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.root),
                "LC_ALL": "C",
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_AUTHOR_NAME": "A",
                "GIT_AUTHOR_EMAIL": "a@example.com",
                "GIT_COMMITTER_NAME": "A",
                "GIT_COMMITTER_EMAIL": "a@example.com",
            },
        )
        assert ran.returncode == 0, (
            f"{arguments}: {ran.stderr.decode(errors='replace')}\n{data.decode(errors='replace')}"
        )
        return ran.stdout

    def put(self, tree: dict[str, File]) -> None:
        for entry in self.root.iterdir():
            if entry.name == ".git":
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        (self.root / ".git" / "index").unlink(missing_ok=True)
        for path, file in tree.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if file.mode is Mode.LINK:
                os.symlink(file.content, os.fsencode(place))
            else:
                place.write_bytes(file.content)
                place.chmod(0o755 if file.mode is Mode.EXECUTABLE else 0o644)
        self.git("add", "-A", "-f", ".")

    def tree_id(self, tree: dict[str, File]) -> str:
        self.put(tree)
        return self.git("write-tree").decode().strip()

    def read(self) -> dict[str, File]:
        found = {}
        for folder, folders, names in os.walk(self.root):
            if Path(folder) == self.root:
                folders.remove(".git")
            for name in [*names, *(name for name in folders if (Path(folder) / name).is_symlink())]:
                place = Path(folder) / name
                found[str(place.relative_to(self.root))] = _read(place)
        return found


def _read(place: Path) -> File:
    if place.is_symlink():
        return File(content=os.fsencode(os.readlink(place)), mode=Mode.LINK)
    executable = place.stat().st_mode & 0o100
    return File(content=place.read_bytes(), mode=Mode.EXECUTABLE if executable else Mode.FILE)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return Repository(tmp_path_factory.mktemp("repository"))


_WORDS = [b"", b"a", b"b", b"x = 1", b"-", b"+", b" ", b"-- ", b"--- a/x", b"+++ b/x", b"@@ -1 +1 @@", b"\\ No newline"]
_WORDS += [b"diff --git a/x b/x", b"\xff", "ü".encode(), b"\t", b"GIT binary patch", b"Binary files a and b differ"]
_ENDS = [b"\n"] * 6 + [b"\r\n", b"\r\n", b"\r", b"\x0c", b"\x85", "\u2028".encode(), b"\x1c", b"\0"]
_NAMES = ["a", "b", "c d", " lead", "trail ", "ü", 'q"uote', "m.py", "日本", "-dash", "x\u2028y", "a'b", "dev", "null"]

lines = st.builds(lambda word, end: word + end, st.sampled_from(_WORDS), st.sampled_from(_ENDS))
text_lines = lines.filter(lambda line: b"\0" not in line)


def contents(line=lines):
    return st.builds(
        lambda parts, last: b"".join(parts) + last, st.lists(line, max_size=14), st.sampled_from([b"", b"", b"z"])
    )


def files(line=lines):
    regular = st.builds(
        lambda content, mode: File(content=content, mode=mode),
        contents(line),
        st.sampled_from([Mode.FILE, Mode.FILE, Mode.EXECUTABLE]),
    )
    links = st.sampled_from([File(content=target, mode=Mode.LINK) for target in (b"a", b"m.py", b"nowhere/at/all")])
    return st.one_of(regular, regular, regular, regular, links)


def _without_clashes(tree: dict[str, File]) -> dict[str, File]:
    kept: dict[str, File] = {}
    for path, file in tree.items():
        if not any(path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in kept):
            kept[path] = file
    return kept


paths = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=3).map("/".join)


def trees(line=lines):
    return st.dictionaries(paths, files(line), max_size=7).map(_without_clashes)


@st.composite
def pairs(draw, line=lines):
    """A base and a tree made from it: files kept, edited, moved, gone, new."""
    base = draw(trees(line))
    after: dict[str, File] = {}
    for path, file in base.items():
        match draw(st.sampled_from(["keep", "edit", "edit", "mode", "move", "drop", "replace"])):
            case "keep":
                after[path] = file
            case "edit":
                after[path] = File(content=_edited(draw, file.content, line), mode=file.mode)
            case "mode":
                after[path] = File(content=file.content, mode=draw(st.sampled_from([Mode.FILE, Mode.EXECUTABLE])))
            case "move":
                after[draw(paths)] = file
            case "replace":
                after[path] = draw(files(line))
    after = {path: file for path, file in after.items() if _is_sound(path, file)}
    after = _without_clashes(draw(trees(line)) | after)
    links = [f"{path}/" for path, file in base.items() if file.mode is Mode.LINK]
    return base, {path: file for path, file in after.items() if not path.startswith(tuple(links))}


def _is_sound(path: str, file: File) -> bool:
    return file.mode is not Mode.LINK or file.content in {b"a", b"m.py", b"nowhere/at/all"}


def _edited(draw, content: bytes, line) -> bytes:
    parts = content.split(b"\n")
    at = draw(st.integers(0, len(parts)))
    end = min(len(parts), at + draw(st.integers(0, 2)))
    new = draw(st.lists(line.map(lambda text: text.removesuffix(b"\n")), max_size=2))
    return b"\n".join(parts[:at] + new + parts[end:])
