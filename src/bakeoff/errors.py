"""What can go wrong, as a vocabulary.

    BakeoffError                      exit 1
    ├── OutputFailed                  exit 1   stdout does not take what we print
    ├── ParquetMissing                exit 1   what writes Parquet is not installed
    ├── NothingValid                  exit 1   no sample meets its requirements
    ├── UsageError                    exit 2   a flag, setting or name that cannot be used
    │   ├── UnknownModel
    │   ├── PlanRefused
    │   └── DefinitionWrong           everything that is wrong with a matrix
    ├── RepositoryError               exit 3   the user's repository, or git itself
    │   ├── NotARepository
    │   ├── BareRepository
    │   ├── NoCommit
    │   ├── GitMissing
    │   ├── GitFailed
    │   ├── UnknownRef
    │   ├── ApplyConflict
    │   ├── TreeUnwritable
    │   ├── BranchExists
    │   ├── BranchMisnamed
    │   └── NoIdentity
    ├── WorkspaceError                exit 3   the pool of slots
    │   ├── NoSlots
    │   ├── SlotsUnavailable
    │   └── PoolClosed
    ├── VerificationError             exit 1   the baseline is not fit to judge candidates by
    │   ├── BaselineFails
    │   ├── NoTests
    │   ├── TargetNotReached
    │   ├── NothingToCallWith
    │   ├── TargetMissing
    │   ├── MergeUnchecked
    │   └── PytestMissing
    ├── ChangeError                   exit 1   a change that cannot be made or may not land
    │   ├── PathRefused
    │   ├── DoesNotApply
    │   └── ChangeTooLarge
    ├── WorkerError                   exit 5   running code in isolation
    │   ├── CallFailed
    │   │   └── CallTimedOut          also a TimeoutError
    │   ├── BadCall               also a ValueError
    │   ├── BadArguments          also a ValueError
    │   ├── SandboxMissing
    │   ├── WorkerUnavailable
    │   ├── PreloadFailed
    │   ├── NoTemporaryFolder
    │   └── BackendClosed
    ├── MeasureError                  exit 5   timing candidates
    │   └── CannotMeasure
    ├── ProviderError                 exit 4   a provider of language models
    │   ├── CallRefused
    │   ├── ProviderBusy
    │   ├── ProviderBroken
    │   ├── KeyMissing
    │   └── ClientMissing
    ├── BudgetSpent                   exit 4   what may be spent is spent
    ├── CallsStopped                  exit 4   no more calls are begun
    └── StoreError                    exit 6   the log of events
        ├── NotAStore
        ├── StoreTooNew
        ├── StoreUnreadable
        ├── StoreUnwritable
        ├── RunBusy
        └── UnknownRun

A candidate that fails is data and never appears here; these are for machinery and for bad input.
Each class builds its own message; `hint` says what to do next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


def alternatives(names: Iterable[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def by_reason(failing: Iterable[str], *, most: int = 3) -> list[str]:
    """Of lines like `test: why`, one for each reason: what makes dozens of tests fail is told once."""
    found: dict[str, list[str]] = {}
    for line in failing:
        _, _, why = line.partition(": ")
        found.setdefault(why or line, []).append(line)
    told = [
        lines[0] if len(lines) == 1 else f"{why} ({len(lines)} times, like {lines[0].partition(': ')[0]})"
        for why, lines in sorted(found.items(), key=lambda item: -len(item[1]))
    ]
    left = len(told) - most
    return [*told[:most], f"and {left} other reasons"] if left > 1 else told


class BakeoffError(Exception):
    """The root of everything Bakeoff raises on purpose."""

    exit_code = 1

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        """All of it, so that a log line or a traceback loses nothing."""
        text = self.message
        if self.where:
            text += f"\n{self.where}"
        if self.hint:
            text += f"\n\nhint: {self.hint}"
        return text


class OutputFailed(BakeoffError):
    """Raised when stdout is closed, or does not take what is printed there."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the result cannot be printed: {why}", hint="see where stdout leads, and whether there is room"
        )


class ParquetMissing(BakeoffError):
    """Raised when a table is to be written as Parquet, and what writes it is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Parquet cannot be written here: pyarrow is not installed",
            hint="pip install 'bakeoff[parquet]' brings it; --format csv and jsonl need nothing",
        )


class NothingValid(BakeoffError):
    """Raised when samples were to be valid, and none of them is."""

    def __init__(self, count: int, *, nearest: str, reasons: Iterable[str]) -> None:
        many = "the only sample is not valid" if count == 1 else f"none of {count} samples is valid"
        super().__init__(
            f"{many}; {nearest} comes nearest: {'; '.join(reasons) or 'nobody says why'}",
            hint="more tries, --loop-budget and --concurrency-budget, or another --strategy, like repair",
        )


class UsageError(BakeoffError):
    """Raised when a flag, a setting or a name cannot be used as given."""

    exit_code = 2


class UnknownModel(UsageError):
    """Raised when a model's name has no provider that we know."""

    def __init__(self, name: str, *, why: str, hint: str) -> None:
        super().__init__(f"there is no model {name!r}: {why}", hint=hint)


class PlanRefused(UsageError):
    """Raised when a plan that somebody edited cannot be followed; `mistakes` are all that is wrong with it."""

    def __init__(self, name: str, mistakes: Iterable[str]) -> None:
        self.mistakes = tuple(mistakes)
        told = [f"  {mistake}" for mistake in self.mistakes[:20]]
        if len(self.mistakes) > len(told):
            told.append(f"  and {len(self.mistakes) - len(told)} more")
        super().__init__(
            "\n".join([f"{name} cannot be followed:", *told]),
            hint="correct it; `bakeoff plan PATH… --out FILE` goes on from a plan whose files have changed",
        )


class DefinitionWrong(UsageError):
    """Raised when a matrix cannot be run as it is defined; `mistakes` has a line for each thing that is wrong."""

    def __init__(self, name: str, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        many = "1 mistake" if len(self.mistakes) == 1 else f"{len(self.mistakes)} mistakes"
        super().__init__("\n  ".join([f"{name} cannot be run: {many}", *self.mistakes]))


class RepositoryError(BakeoffError):
    """Raised when the user's repository, or git itself, is in the way."""

    exit_code = 3


class NotARepository(RepositoryError):
    """Raised when a path is not inside a git repository."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is not inside a git repository",
            hint="run it inside a repository, name one with --repo, or make one: git init && git add -A && git commit",
        )


class BareRepository(RepositoryError):
    """Raised when a repository has no working tree."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is a bare repository: it has no working tree to work from",
            hint=f"clone it first: git clone {path}",
        )


class NoCommit(RepositoryError):
    """Raised when a repository has no commit yet."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"the repository at {path} has no commit yet",
            hint="make one: git add -A && git commit -m 'first commit'",
        )


class GitMissing(RepositoryError):
    """Raised when git is not installed, or too old."""

    def __init__(self, *, found: str | None, needed: str) -> None:
        state = f"git {found} is too old" if found else "git was not found"
        super().__init__(f"{state}: {needed} or newer is needed", hint="install git with your system's package manager")


class GitFailed(RepositoryError):
    """Raised when a git command fails; carries git's own words."""

    def __init__(self, arguments: Iterable[str], *, status: int, words: str, hint: str | None = None) -> None:
        self.words = words.strip()
        self.status = status
        command = " ".join(["git", *arguments])
        super().__init__(f"git failed with status {status}: {self.words or 'no message'}", where=command, hint=hint)


class UnknownRef(RepositoryError):
    """Raised when no commit, branch, tag or stash entry has a name."""

    def __init__(self, ref: str, *, similar: Iterable[str] = ()) -> None:
        self.ref = ref
        self.similar = tuple(similar)
        meant = f"did you mean {alternatives(self.similar)}? " if self.similar else ""
        super().__init__(
            f"{ref!r} is no commit, branch, tag or stash entry of this repository",
            hint=f"{meant}git branch --all, git tag and git stash list show what there is",
        )


class ApplyConflict(RepositoryError):
    """Raised when a change does not fit what the files have become; nothing was written."""

    def __init__(self, conflicts: Mapping[str, str], *, onto: str) -> None:
        self.conflicts = dict(conflicts)
        self.paths = tuple(self.conflicts)
        first = "commit your own edits of these files first" if onto == "HEAD" else "undo your own edits of these files"
        super().__init__(
            f"the change conflicts with {onto}: "
            + "; ".join(f"{path}: {why}" for path, why in list(self.conflicts.items())[:5])
            + ("; …" if len(self.conflicts) > 5 else ""),
            hint=f"nothing was written; {first}, or merge the diff by hand",
        )


class TreeUnwritable(RepositoryError):
    """Raised when the files of a change could not be written; `left` are those that could not be put back either."""

    def __init__(self, path: str, why: str, *, left: Iterable[str] = ()) -> None:
        self.path = path
        self.left = tuple(left)
        hint = "nothing was changed; see permissions and free disk space, and try again"
        if self.left:
            hint = f"not all could be put back; the originals are kept beside: {', '.join(self.left)}"
        super().__init__(f"the change cannot be written: {path}: {why}", hint=hint)


class BranchExists(RepositoryError):
    """Raised when a branch is to be made whose name is taken, or stands in the way of another."""

    def __init__(self, name: str, *, taken: str | None = None) -> None:
        self.name = name
        what = f"there is a branch {taken or name!r} already"
        super().__init__(what, hint=f"choose another name, or remove it first: git branch -D {taken or name}")


class BranchMisnamed(RepositoryError):
    """Raised when a branch cannot have a name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} cannot be the name of a branch",
            hint="use letters, digits, '-', '_' and '/'; `git help check-ref-format` has the rules",
        )


class NoIdentity(RepositoryError):
    """Raised when git does not know in whose name to commit."""

    def __init__(self) -> None:
        super().__init__(
            "git does not know in whose name to commit",
            hint="tell it: git config --global user.name 'Your Name' && git config --global user.email you@example.org",
        )


class WorkspaceError(BakeoffError):
    """Raised when the pool of slots cannot do what was asked."""

    exit_code = 3


class NoSlots(WorkspaceError):
    """Raised when not a single slot could be created."""

    def __init__(self, causes: list[Exception]) -> None:
        first = causes[0]
        words = first.words if isinstance(first, GitFailed) and first.words else str(first)
        super().__init__(
            f"no slot could be created: {words}",
            hint="check free disk space and permissions with: bakeoff doctor",
        )


class SlotsUnavailable(WorkspaceError):
    """Raised when the kind of slot that was asked for does not work on this machine."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(
            f"{kind} slots do not work here: {why}",
            hint="leave out --slots to use the best kind that works, or use --slots worktree",
        )


class PoolClosed(WorkspaceError):
    """Raised when a slot is asked for, or was being waited for, when the pool closed."""

    def __init__(self) -> None:
        super().__init__("the pool of slots is closed", hint="lease slots only inside `async with WorktreePool(...)`")


class VerificationError(BakeoffError):
    """Raised when the baseline is not fit to judge candidates by."""


class BaselineFails(VerificationError):
    """Raised when the code as it is fails its own tests, or they cannot be run."""

    def __init__(self, reasons: Iterable[str], *, hint: str | None = None) -> None:
        self.reasons = tuple(reasons)
        super().__init__(
            "the baseline fails its own tests: " + "; ".join(by_reason(self.reasons)),
            hint=hint
            or "mend them first, or choose tests that pass with --tests; where they need the network, or files "
            "elsewhere, run with --sandbox off",
        )


class NoTests(VerificationError):
    """Raised when there is no test to run."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"no test was found in {where}", hint="name test files with --tests, or a command with --check"
        )


class TargetNotReached(VerificationError):
    """Raised when the tests pass, but none of them calls the target."""

    def __init__(self, target: str, tests: int, *, failing: Iterable[str] = ()) -> None:
        some = "; ".join(by_reason(failing))
        hint = (
            "write a test that calls it, in the process of the test, or go on with generated inputs only: "
            "--allow-untested"
        )
        if some:
            hint += "; a test that needs the network, or files elsewhere, passes with --sandbox off only"
        told = f"the only test does not call {target}" if tests == 1 else f"none of the {tests} tests calls {target}"
        super().__init__(f"{told}{f' (some fail: {some})' if some else ''}", hint=hint)


class NothingToCallWith(VerificationError):
    """Raised when no test calls the target, and its annotations do not say what it could be called with either."""

    def __init__(self, target: str) -> None:
        super().__init__(
            f"no test calls {target}, and no inputs can be generated for it, so nothing could be told of candidates",
            hint="write a test that calls it, or annotate its parameters with types such as list[int] or str",
        )


class TargetMissing(VerificationError):
    """Raised when the target's module cannot be imported, or has nothing of its name that can be called."""

    def __init__(self, target: str, why: str) -> None:
        super().__init__(
            f"{target} cannot be called: {why}", hint="check the name, and that its module can be imported"
        )


class PytestMissing(VerificationError):
    """Raised when the target's interpreter has no pytest that works."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the tests cannot be run: {why}",
            hint="install pytest for the project, choose its interpreter with --python, or judge with --check CMD",
        )


class MergeUnchecked(VerificationError):
    """Raised when the full check of what winners come to together could not be run, so that it says nothing of them."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"what the winners come to together could not be checked: {why}",
            hint="run the same command again: what was done is not done again",
        )


class ChangeError(BakeoffError):
    """Raised when a change cannot be made from what was given, or may not land."""


class PathRefused(ChangeError):
    """Raised when a change names a path that it may not touch."""

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        self.why = why
        super().__init__(
            f"the path {path!r} is refused: {why}",
            hint="a change may only name files inside the repository, by relative path",
        )


class DoesNotApply(ChangeError):
    """Raised when a patch does not fit the files it is meant for, or cannot be read as one."""

    def __init__(self, why: str, *, path: str | None = None, line: int | None = None, hint: str | None = None) -> None:
        self.path = path
        self.why = why
        place = f"{path}:{line}" if path and line else path
        super().__init__(f"the patch does not apply: {why}", where=place, hint=hint)


class ChangeTooLarge(ChangeError):
    """Raised when what was made in a slot is more than is taken as one change."""

    def __init__(self, what: str, *, most: str, example: str) -> None:
        super().__init__(
            f"the change is too large: {what}; at most {most} are taken",
            where=example,
            hint="have generated files ignored (.gitignore), or removed before the change is taken",
        )


class WorkerError(BakeoffError):
    """Raised when code could not be run in isolation, or when a caller asks for the value of a call that failed."""

    exit_code = 5


class CallFailed(WorkerError):
    """Raised by `CallOutcome.unwrap` for a call without a value; the message holds all that is known of it."""


class CallTimedOut(CallFailed, TimeoutError):
    """Raised by `CallOutcome.unwrap` for a call that was ended at its deadline."""


class SandboxMissing(WorkerError):
    """Raised when `--sandbox require` asks for layers of isolation that do not work here."""

    def __init__(self, missing: Iterable[str]) -> None:
        super().__init__(
            f"the sandbox is not complete here: {'; '.join(missing)}",
            hint="bakeoff doctor shows what works; --sandbox auto goes on with less",
        )


class BadCall(WorkerError, ValueError):
    """Raised when a call, or a setting of a backend, is such that nothing can be run by it."""


class BadArguments(WorkerError, ValueError):
    """Raised when the arguments of a call are not data."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the arguments cannot be sent to a worker: {why}",
            hint="send numbers, texts, bytes, arrays, and lists, tuples, sets and dicts of them; build the rest there",
        )


class WorkerUnavailable(WorkerError):
    """Raised when the interpreter that is to run calls does not start, or does not answer."""

    def __init__(self, command: Iterable[str], why: str) -> None:
        super().__init__(
            f"no worker could be started: {why or 'it ended without a word'}",
            where=" ".join(command),
            hint="see that it is a Python of version 3.9 or newer that runs by itself",
        )


class PreloadFailed(WorkerError):
    """Raised when modules that every call is to find imported cannot be imported."""

    def __init__(self, failed: Mapping[str, str]) -> None:
        self.failed = dict(failed)
        reasons = "; ".join(f"{name}: {why}" for name, why in failed.items())
        super().__init__(
            f"these modules cannot be preloaded: {reasons}",
            hint="install them for the interpreter that runs calls, or take them off the list",
        )


class NoTemporaryFolder(WorkerError):
    """Raised when there is no safe place for the temporary files of calls."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(
            f"no temporary folder can be made in {place}: {why}", hint="set TMPDIR to a directory of your own with room"
        )


class BackendClosed(WorkerError):
    """Raised when a call is made on a backend that was shut down."""

    def __init__(self) -> None:
        super().__init__("the worker backend was shut down", hint="make calls before shutdown()")


class StoreError(BakeoffError):
    """Raised when the log of events cannot be read or written."""

    exit_code = 6


class NotAStore(StoreError):
    """Raised when a file is corrupt, or is not one of our stores; it is left as it is."""

    def __init__(self, path: Path, why: str) -> None:
        self.why = why
        super().__init__(
            f"{path} cannot be read as a store: {why}",
            hint="nothing was changed; move the file away to start a new store, or name another with --store",
        )


class StoreTooNew(StoreError):
    """Raised when a store was written by a newer Bakeoff; it is left as it is."""

    def __init__(self, path: Path, *, found: int, known: int) -> None:
        super().__init__(
            f"{path} has format {found}; this version of Bakeoff knows formats up to {known}",
            hint="update Bakeoff, or name another store with --store",
        )


class StoreUnreadable(StoreError):
    """Raised when a store is there but may not be read: permissions, an I/O error."""

    def __init__(self, path: Path, why: str) -> None:
        self.why = why
        super().__init__(
            f"the store {path} cannot be read: {why}",
            hint="check the permissions of the file and of its directory, or name another store with --store",
        )


class StoreUnwritable(StoreError):
    """Raised when an event could not be made durable: a full disk, a read-only place."""

    def __init__(self, path: Path, why: str) -> None:
        self.why = why
        super().__init__(
            f"the store {path} cannot be written: {why}",
            hint="what was acknowledged before is safe; free some space or name another place with --store",
        )


class RunBusy(StoreError):
    """Raised when another process is writing to the same run."""

    def __init__(self, run: str, owner: str) -> None:
        super().__init__(
            f"run {run} is being written by {owner}",
            hint="wait for it, or end it; a run has one writer at a time",
        )


class UnknownRun(StoreError):
    """Raised when no run of that name, or more than one, is in the store."""

    def __init__(self, run: str, *, matches: Iterable[str] = ()) -> None:
        found = list(matches)
        message = (
            f"{run!r} fits several runs: {', '.join(found)}" if found else f"there is no run {run!r} in this store"
        )
        super().__init__(message, hint="bakeoff runs lists them; the first letters of an id are enough")


class MeasureError(BakeoffError):
    """Raised when candidates could not be timed."""

    exit_code = 5


class CannotMeasure(MeasureError):
    """Raised when the baseline itself cannot be timed, or the processes that time do not come to their end."""


class ProviderError(BakeoffError):
    """Raised when a language model does not answer.

    `status` is the provider's, of HTTP; `retry_after` the seconds that it asked to wait. Where `is_passing`, the same
    request may succeed later.
    """

    exit_code = 4
    is_passing = False
    usual_hint: str | None = None

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        where: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, where=where, hint=hint or self.usual_hint)
        self.status = status
        self.retry_after = retry_after


class CallRefused(ProviderError):
    """Raised when a provider refuses a request for what it is, or for whose it is: 400, 401, 403, 404 and the like."""


class ProviderBusy(ProviderError):
    """Raised when a provider cannot take a request now: too many of them, or overload (429, 503, 529)."""

    is_passing = True
    usual_hint = "try again later, or ask less of it at once: --provider-concurrency"


class ProviderBroken(ProviderError):
    """Raised when a provider cannot be reached, does not answer in time, or answers what cannot be read."""

    is_passing = True
    usual_hint = "try again later; bakeoff show RUN has each attempt, and what was said"


class KeyMissing(ProviderError):
    """Raised when there is no key for a provider."""

    def __init__(self, provider: str, variable: str) -> None:
        super().__init__(
            f"there is no key for {provider}",
            hint=f"set {variable}, or keep it in the keyring: keyring set bakeoff {provider}",
        )


class ClientMissing(ProviderError):
    """Raised when the packages that reach a provider are not installed."""

    def __init__(self, provider: str, extra: str) -> None:
        super().__init__(f"what reaches {provider} is not installed", hint=f"pip install 'bakeoff[{extra}]' brings it")


class BudgetSpent(BakeoffError):
    """Raised before a call that might cost more than what is left of a budget."""

    exit_code = 4

    def __init__(self, what: str, *, limit: str, spent: str, wanted: str) -> None:
        self.what = what
        super().__init__(
            f"the budget for {what} is spent: {spent} of {limit}, and the next call may take {wanted}",
            hint=f"raise --max-{what}; what was recorded is kept",
        )


class CallsStopped(BakeoffError):
    """Raised instead of a call that is not begun, because whoever it is made for wants no more of them."""

    exit_code = 4

    def __init__(self) -> None:
        super().__init__("no more calls are begun", hint="run the same again: what was recorded is kept")
