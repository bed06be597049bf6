from __future__ import annotations

import os
from pathlib import Path

import pytest

from bakeoff.errors import BareRepository, GitFailed, GitMissing, NoCommit, NotARepository, RepositoryError
from bakeoff.git import Base, Repository, Shadow, version
from repositories import commit, git, make_repository, state_of, write_files

pytestmark = pytest.mark.anyio


async def snapshot(folder: Path, at: Path) -> tuple[Base, Path]:
    """The base of a repository and a folder with its files checked out."""
    repository = await Repository.find(folder)
    shadow = await Shadow.beside(repository, at / "base.git")
    base = await shadow.snapshot(repository)
    await shadow.write_index(base.commit, at / "base.index")
    (at / "tree").mkdir()
    await shadow.check_out(at / "base.index", at / "tree")
    return base, at / "tree"


async def test_a_clean_tree_is_its_head(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    base, tree = await snapshot(folder, tmp_path)
    assert (base.commit, base.dirty, base.warnings) == (git(folder, "rev-parse", "HEAD"), False, ())
    assert state_of(tree) == state_of(folder, without=frozenset({".git"}))


@pytest.mark.promise("W6", "W5")
async def test_uncommitted_changes_are_part_of_the_base(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    write_files(
        folder,
        {
            "pkg/text.py": "edited = 1\n",
            "new.txt": "new",
            "staged.txt": "v1",
            "build/out": "ignored",
            "a.log": "ignored",
        },
    )
    git(folder, "add", "staged.txt")
    (folder / "staged.txt").write_text("v2")
    (folder / "README.md").unlink()
    (folder / "run.sh").chmod(0o644)
    git(folder, "stash", "list")
    before = state_of(folder)
    base, tree = await snapshot(folder, tmp_path)
    assert state_of(folder) == before
    assert base.dirty
    assert base.head == git(folder, "rev-parse", "HEAD") != base.commit
    ignored = frozenset({".git", "build", "a.log"})
    assert state_of(tree) == state_of(folder, without=ignored)


async def test_the_same_tree_gives_the_same_base(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    (folder / "new.txt").write_text("new")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    first, _ = await snapshot(folder, tmp_path / "one")
    second, _ = await snapshot(folder, tmp_path / "two")
    assert first == second


async def test_an_edit_within_the_same_clock_tick_is_seen(tmp_path: Path) -> None:
    """The index's own time tells git that an entry may be stale: a copy without it would hide the edit."""
    folder = make_repository(tmp_path / "repo")
    path = folder / "pkg/text.py"
    long_ago = (1_000_000_000, 1_000_000_000)
    os.utime(path, long_ago)
    git(folder, "update-index", "--refresh")
    os.utime(folder / ".git/index", long_ago)
    size = path.stat().st_size
    path.write_bytes(b"#" * size)
    os.utime(path, long_ago)
    git(folder, "config", "core.trustctime", "false")
    git(folder, "config", "core.checkStat", "minimal")
    git_stat = git(folder, "status", "--porcelain", GIT_OPTIONAL_LOCKS="0")
    assert "pkg/text.py" in git_stat, "the premise: git itself sees it"
    _, tree = await snapshot(folder, tmp_path)
    assert (tree / "pkg/text.py").read_bytes() == b"#" * size


@pytest.mark.promise("W11")
async def test_what_is_no_repository_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="git init"):
        await Repository.find(tmp_path)
    with pytest.raises(NotARepository):
        await Repository.find(tmp_path / "missing" / "folder")


@pytest.mark.promise("W11")
async def test_a_bare_repository_says_so(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    with pytest.raises(BareRepository, match="git clone"):
        await Repository.find(tmp_path / "bare.git")


@pytest.mark.promise("W11")
async def test_no_commit_yet_says_so(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "empty")
    repository = await Repository.find(tmp_path / "empty")
    with pytest.raises(NoCommit, match="git commit"):
        await repository.head()


@pytest.mark.promise("W11")
@pytest.mark.parametrize("name", ["with blanks", "süß/日本", '"quoted"', "#hash", "-dash"])
async def test_odd_paths_work(tmp_path: Path, name: str) -> None:
    folder = make_repository(tmp_path / name)
    (folder / "new file.txt").write_text("new")
    (tmp_path / "at").mkdir()
    base, tree = await snapshot(folder, tmp_path / "at")
    assert base.dirty
    assert state_of(tree) == state_of(folder, without=frozenset({".git"}))


@pytest.mark.promise("W11")
async def test_a_line_break_in_the_path_is_refused(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "new\nline")
    with pytest.raises(RepositoryError, match="holds a line break"):
        await Repository.find(folder)


@pytest.mark.promise("W11")
async def test_files_with_odd_names_work(tmp_path: Path) -> None:
    odd = {"-rf": "option", "new\nline": "x", "tab\tname": "x", '"q"': "x", "a b/c d": "x", "ü": "x", "*": "glob"}
    folder = make_repository(tmp_path / "repo", odd)
    Path(os.fsdecode(os.fsencode(folder) + b"/not-utf8-\xff")).write_text("x")
    base, tree = await snapshot(folder, tmp_path)
    assert base.dirty
    assert state_of(tree) == state_of(folder, without=frozenset({".git"}))


@pytest.mark.promise("W11")
async def test_submodules_come_with_their_files(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner", {"inner.txt": "inner\n"})
    library = make_repository(tmp_path / "library", {"lib.py": "LIB = 1\n"})
    add_submodule(library, inner, "vendor/inner")
    folder = make_repository(tmp_path / "repo")
    add_submodule(folder, library, "third_party/library")
    git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
    before = state_of(folder)
    base, tree = await snapshot(folder, tmp_path)
    assert state_of(folder) == before
    assert base.submodules == ("third_party/library", "third_party/library/vendor/inner")
    assert not base.dirty
    links = frozenset({".git", "third_party/library/.git", "third_party/library/vendor/inner/.git"})
    assert state_of(tree) == state_of(folder, without=links)


@pytest.mark.promise("W11")
async def test_a_submodule_that_is_not_there_is_named(tmp_path: Path) -> None:
    library = make_repository(tmp_path / "library", {"lib.py": "LIB = 1\n"})
    folder = make_repository(tmp_path / "repo")
    add_submodule(folder, library, "library")
    git(folder, "submodule", "--quiet", "deinit", "--force", "library")
    base, tree = await snapshot(folder, tmp_path)
    assert base.submodules == ("library",)
    assert "git submodule update --init" in base.warnings[0]
    assert list((tree / "library").iterdir()) == []


def add_submodule(folder: Path, source: Path, name: str) -> None:
    git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), name)
    commit(folder)


@pytest.mark.promise("W11")
async def test_filtered_files_have_the_content_that_the_user_sees(tmp_path: Path) -> None:
    """What git-lfs and git-crypt do: the repository holds something else than the working tree."""
    folder = make_repository(tmp_path / "repo")
    git(folder, "config", "filter.lfs.clean", "tr a-z A-Z")
    git(folder, "config", "filter.lfs.smudge", "tr A-Z a-z")
    git(folder, "config", "filter.lfs.required", "true")
    write_files(folder, {".gitattributes": "*.bin filter=lfs\n", "big.bin": "content", "two.bin": "more"})
    for name in ("big.bin", "two.bin"):
        os.utime(folder / name, (1, 1))  # older than the index, so that git trusts what it recorded
    commit(folder)
    assert git(folder, "show", "HEAD:big.bin") == "CONTENT"
    (folder / "two.bin").write_text("edited")
    before = state_of(folder)
    base, tree = await snapshot(folder, tmp_path)
    assert state_of(folder) == before
    assert state_of(tree) == state_of(folder, without=frozenset({".git"}))
    assert base.warnings == ()


@pytest.mark.promise("W11")
async def test_lfs_pointers_without_content_are_named(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    git(folder, "config", "filter.lfs.clean", "cat")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    write_files(folder, {".gitattributes": "*.bin filter=lfs\n", "big.bin": pointer})
    commit(folder)
    base, _ = await snapshot(folder, tmp_path)
    assert "big.bin" in base.warnings[0]
    assert "git lfs pull" in base.warnings[0]


@pytest.mark.promise("W11")
async def test_a_sparse_checkout_gives_the_whole_tree(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    whole = state_of(folder, without=frozenset({".git"}))
    git(folder, "sparse-checkout", "set", "--cone", "--sparse-index", "tests")
    assert not (folder / "pkg").exists()
    base, tree = await snapshot(folder, tmp_path)
    assert not base.dirty
    assert state_of(tree) == whole


@pytest.mark.promise("W11")
async def test_a_sparse_checkout_without_files_at_the_root_works(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    git(folder, "rm", "--quiet", "README.md", ".gitignore", "link", "run.sh")
    git(folder, "commit", "--quiet", "--message", "only folders")
    whole = state_of(folder, without=frozenset({".git"}))
    git(folder, "sparse-checkout", "set", "--cone")
    assert [path.name for path in folder.iterdir()] == [".git"]
    _, tree = await snapshot(folder, tmp_path)
    assert state_of(tree) == whole


@pytest.mark.promise("W11")
async def test_a_partial_clone_says_what_to_do(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    git(folder, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", "--sparse", f"file://{folder}", "partial")
    with pytest.raises(GitFailed) as caught:
        await snapshot(tmp_path / "partial", tmp_path)
    assert "hint: objects are missing, as in a partial clone" in str(caught.value)
    assert "core.hooksPath" not in str(caught.value), "our own settings are of no use to the user"


@pytest.mark.promise("W11")
@pytest.mark.parametrize("shape", ["linked", "shallow", "sha256", "detached", "split-index", "unmerged"])
async def test_other_shapes_of_repository_work(tmp_path: Path, shape: str) -> None:
    folder = shaped(tmp_path, shape)
    (folder / "new.txt").write_text("new")
    before = state_of(folder)
    (tmp_path / "at").mkdir()
    _, tree = await snapshot(folder, tmp_path / "at")
    assert state_of(folder) == before
    assert state_of(tree) == state_of(folder, without=frozenset({".git"}))


def shaped(tmp_path: Path, shape: str) -> Path:
    folder = make_repository(
        tmp_path / "repo", *([{"a.txt": "a"}, "--object-format=sha256"] if shape == "sha256" else [])
    )
    match shape:
        case "linked":
            git(folder, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "other")
            return tmp_path / "linked"
        case "shallow":
            write_files(folder, {"second.txt": "second"})
            commit(folder)
            git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{folder}", "shallow")
            return tmp_path / "shallow"
        case "detached":
            git(folder, "checkout", "--quiet", "--detach")
        case "split-index":
            git(folder, "config", "core.splitIndex", "true")
            git(folder, "update-index", "--split-index")
        case "unmerged":
            git(folder, "checkout", "--quiet", "-b", "side")
            write_files(folder, {"README.md": "side\n"})
            commit(folder)
            git(folder, "checkout", "--quiet", "main")
            write_files(folder, {"README.md": "main\n"})
            commit(folder)
            with pytest.raises(AssertionError, match="git merge"):
                git(folder, "merge", "--quiet", "side")
    return folder


async def test_no_setting_of_the_user_gets_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_repository(tmp_path / "repo", {"crlf.txt": "one\r\ntwo\r\n", "lf.txt": "one\n"})
    marker = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    evil.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        (hooks / name).symlink_to(evil)
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {evil}\n\tautocrlf = true\n\tpager = {evil}\n\teol = crlf\n"
        f"[init]\n\ttemplateDir = {hooks}\n[diff]\n\texternal = {evil}\n[commit]\n\tgpgSign = true\n"
        "[checkout]\n\tdefaultRemote = x\n[status]\n\tshowUntrackedFiles = no\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(config.read_text())
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    base, tree = await snapshot(folder, tmp_path)
    assert not marker.exists()
    assert not base.dirty
    assert state_of(tree) == state_of(folder, without=frozenset({".git"}))


async def test_attributes_in_the_tree_apply(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    write_files(folder, {".gitattributes": "*.bat text eol=crlf\n", "run.bat": "one\r\ntwo\r\n"})
    commit(folder)
    _, tree = await snapshot(folder, tmp_path)
    assert (tree / "run.bat").read_bytes() == b"one\r\ntwo\r\n"


async def test_git_speaks_for_itself_when_it_fails(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    repository = await Repository.find(folder)
    shadow = await Shadow.beside(repository, tmp_path / "base.git")
    with pytest.raises(GitFailed) as caught:
        await shadow.files("no-such-commit")
    assert "Not a valid object name no-such-commit" in str(caught.value)
    assert "git ls-tree" in str(caught.value)


async def test_a_nested_repository_without_commit_gets_a_hint(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo")
    git(folder, "init", "--quiet", "nested")
    with pytest.raises(GitFailed, match="hint: there is a git repository without a commit"):
        await snapshot(folder, tmp_path)


async def test_git_missing_or_old_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tuple(map(int, (await version()).split(".")[:2])) >= (2, 38)
    fake = tmp_path / "git"
    fake.write_text("#!/bin/sh\necho git version 2.20.1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitMissing, match=r"git 2\.20\.1 is too old: 2\.38"):
        await version()
    fake.unlink()
    with pytest.raises(GitMissing, match="git was not found"):
        await version()
