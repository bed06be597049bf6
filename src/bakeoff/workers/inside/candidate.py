"""The side of a supervisor's fork that becomes the candidate: locks itself in, runs the call, writes what came of it.

Everything from `Candidate.run` on happens in a process that the candidate's code shares. What it writes afterwards
(the result, what it says of its own time) is a claim, and is read as one.

Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import errno
import gc
import importlib
import json
import linecache
import os
import signal
import site
import socket
import sys
import time
import traceback
import types

from . import cgroups, data, jail, kits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["BEGIN", "END", "Candidate", "Channels", "outside", "place_outside", "prepare_site", "rehearse"]

BEGIN, END = b"<", b">"
_LIMIT_OF_ERRNO = {
    errno.EFBIG: "file_size",
    errno.EMFILE: "open_files",
    errno.ENOMEM: "memory",
    errno.EAGAIN: "processes",
}
# Before any code of a candidate was loaded; what it does to the module `time` is no concern of these.
_wall, _cpu, _write = time.perf_counter, time.process_time, os.write
_site_is_ready = False
# These depend on nothing that a call brings with it.
_EARLY = ("privileges", "calls")


def prepare_site() -> None:
    """Make the packages of this interpreter importable; once, and a process that is forked has it from its parent."""
    global _site_is_ready  # noqa: PLW0603 (as global as sys.path)
    if not _site_is_ready:
        site.main()
        _site_is_ready = True


class Channels:
    """The descriptors of a candidate: where it hears what to do, where it tells that it is settled in, where it marks
    begin and end of what it times, its stdout and stderr."""

    def __init__(self, orders: socket.socket, tell: int, marks: int, output: tuple[int, int]) -> None:
        self.orders = orders
        self.tell = tell
        self.marks = marks
        self.output = output


def rehearse() -> None:
    """Use once what every call uses: in a fork, what is first written to has to be copied first, page by page."""
    sample = ("value", {"a": [1, 0.5, "b", None], "c": b"d"}, (0.5, 0.5))
    json.dumps(data.decode(data.encode(sample))[:1])
    compile("def f(): return 1", "<candidate>", "exec")
    _set_environment(dict(os.environ))


class Candidate:
    """One call, from fork to end. Nothing here returns.

    What holds for every call is put in force before it is known which one this will be: some layers of the jail, by
    `rules`, and the control group, where there is one already.
    """

    def __init__(self, channels: Channels, rules: jail.Jail | None = None, group: cgroups.Group | None = None) -> None:
        self._channels = channels
        self._rules = rules
        self._group = group
        self._request: dict[str, Any] = {}
        self._result = -1
        self._arguments: list[int] = []
        self._is_settled = False
        self._isolation: list[str] = []

    def run(self) -> None:
        status = 70
        try:
            self._get_ready()
            orders, files, _, _ = socket.recv_fds(self._channels.orders, 256, 3)
            if orders:
                request, self._result, *self._arguments = files
                self._request = data.load(request)
                os.close(request)
                status = self._obey(orders.decode().strip())
        except BaseException as error:  # noqa: BLE001 (the door to our own set-up: told to the supervisor as it is)
            self._complain("".join(traceback.format_exception(type(error), error, error.__traceback__)))
        finally:
            os._exit(status)

    def _get_ready(self) -> None:
        """All that can be done before it is known what there is to do."""
        os.setsid()
        os.umask(0o022)
        _listen()
        self._only_its_descriptors()
        sys.stdout = self._out = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.stderr = self._err = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.argv = [""]
        sys.modules["__main__"] = types.ModuleType("__main__")
        _reseed()
        rehearse()
        if self._group is not None:
            self._group.join()
        if self._rules is not None:
            self._isolation = jail.confine(self._rules, only=_EARLY)

    def _obey(self, group: str) -> int:
        pid = _pid_outside()
        if group:
            cgroups.Group(place_outside(self._request["cgroup"]), group).join()
        if OUTSIDE is not None:
            os.close(OUTSIDE)
        self._tell({"pid": pid, "isolation": self._settle()})
        return self._python() if self._request["kind"] == "python" else self._command()

    def _tell(self, what: dict[str, Any]) -> None:
        os.write(self._channels.tell, json.dumps(what).encode() + b"\n")

    def _complain(self, text: str) -> None:
        if self._is_settled:
            os.write(2, text.encode("utf-8", "backslashreplace"))
        else:
            self._tell({"failed": text})

    def _settle(self) -> list[str]:
        """The surroundings that the candidate is to find; returns the layers of the jail that are in force."""
        _set_environment(self._request["environment"])
        if "tempfile" in sys.modules:
            # What was preloaded may have asked for a temporary folder, and the answer is remembered.
            vars(sys.modules["tempfile"])["tempdir"] = None
        os.chdir(self._request["directory"])
        rules = dict(self._request["jail"])
        if "AS" in rules["limits"]:
            # On top of what this process has already: an absolute figure below that would fail every call.
            rules["limits"] = {**rules["limits"], "AS": rules["limits"]["AS"] + _address_space()}
        late = [name for name in jail.LAYERS if name not in self._isolation]
        self._isolation += jail.confine(jail.Jail(**rules), only=late)
        return [name for name in jail.LAYERS if name in self._isolation]

    def _only_its_descriptors(self) -> None:
        channels = self._channels
        null = os.open(os.devnull, os.O_RDONLY)
        for descriptor, target in ((null, 0), (channels.output[0], 1), (channels.output[1], 2)):
            os.dup2(descriptor, target)
        keep = {0, 1, 2, channels.orders.fileno(), channels.tell, channels.marks, OUTSIDE}
        for descriptor in map(int, os.listdir("/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd")):
            if descriptor not in keep:
                _close(descriptor)

    # -- a command ------------------------------------------------------------------------------------------------

    def _command(self) -> int:
        for descriptor in (self._result, *self._arguments, self._channels.marks, self._channels.tell):
            os.set_inheritable(descriptor, False)  # noqa: FBT003 (its own signature)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            # Python ignores these, and what is ignored stays so for the program that takes its place.
            signal.signal(number, signal.SIG_DFL)
        self._channels.orders.close()
        argv = self._request["argv"]
        try:
            os.execvpe(argv[0], argv, os.environ)  # noqa: S606 (no shell is wanted)
        except OSError as error:
            os.write(2, f"{argv[0]}: {error.strerror}\n".encode("utf-8", "backslashreplace"))
        return 127

    # -- a function -----------------------------------------------------------------------------------------------

    def _python(self) -> int:
        """Run a function and write what came of it: what kind of end it was, its content, what it says it took."""
        self._is_settled = True
        os.close(self._channels.tell)
        try:
            document = self._document(("value", *self._called()))
        except SystemExit as error:
            document = self._document(("exit", _shown(repr, error.code), None))
        except BaseException as error:  # noqa: BLE001 (the door where foreign code runs; kept with its traceback)
            document = self._document(("error", self._described(error), None))
        document.write(self._result)
        for stream in (self._out, self._err):
            try:
                stream.flush()
            except (OSError, ValueError):
                continue  # closed by the candidate: it wants no more of it seen
        return 0

    def _called(self) -> tuple[Any, tuple[float, float] | None]:
        prepare_site()
        gc.enable()
        kits.offer(self._request["kits"])
        sys.path[:0] = self._request["path"]
        if not self._request["timed"]:
            self._channels.orders.close()
            function = self._function()
            arguments, keywords = self._sent()
            return function(*arguments, **keywords), None
        function = self._function()
        # What it is to be called with is not there before: nothing can be worked out while nobody looks at the clock.
        _write(self._channels.marks, BEGIN)
        _, self._arguments, _, _ = socket.recv_fds(self._channels.orders, 1, 1)
        self._channels.orders.close()
        arguments, keywords = self._sent()
        wall, cpu = _wall(), _cpu()
        value = function(*arguments, **keywords)
        claim = _wall() - wall, _cpu() - cpu
        _write(self._channels.marks, END)
        return value, claim

    def _sent(self) -> Any:  # noqa: ANN401
        """The arguments; their file is closed then."""
        (descriptor,) = self._arguments
        found = data.load(descriptor, native=True)
        os.close(descriptor)
        return found

    def _function(self) -> Callable[..., Any]:
        request = self._request
        if request["source"] is None:
            module, _, name = request["function"].partition(":")
            target: Any = importlib.import_module(module)
        else:
            name, source = request["function"], request["source"]
            target = sys.modules["__candidate__"] = types.ModuleType("__candidate__")
            linecache.cache["<candidate>"] = (len(source), None, source.splitlines(keepends=True), "<candidate>")
            exec(compile(source, "<candidate>", "exec"), vars(target))  # noqa: S102 (what this is for)
        for part in name.split("."):
            target = getattr(target, part)
        return target  # type: ignore[no-any-return]

    def _document(self, content: tuple[Any, ...]) -> data.Document:
        """The result as it will be written; where it is too large, that is the result."""
        try:
            document = data.Document(content)
            size = document.size
        except data.TooLarge as error:
            return data.Document(("large", str(error), None))
        bound = self._request["result"]
        if size > bound:
            return data.Document(("large", f"the result has {size} bytes; {bound} are allowed", None))
        return document

    # -- errors ---------------------------------------------------------------------------------------------------

    def _described(self, error: BaseException) -> dict[str, Any]:
        """An exception as data. Its own methods are foreign code too."""
        kind = type(error)
        shown = _shown(lambda it: "".join(traceback.format_exception(kind, it, _own_part(it.__traceback__))), error)
        return {
            "type": f"{kind.__module__}.{kind.__qualname__}",
            "message": _shown(str, error),
            "traceback": shown,
            "limit": self._limit(error),
            "denied": self._denied(error),
            "not_data": isinstance(error, data.DataError),
        }

    def _limit(self, error: BaseException) -> str | None:
        """The limit that an exception comes from, of those that are in force for this call."""
        name = None
        if isinstance(error, MemoryError):
            name = "memory"
        elif isinstance(error, OSError):
            name = _LIMIT_OF_ERRNO.get(error.errno or 0)
        return name if name in self._request["limited"] else None

    def _denied(self, error: BaseException) -> str | None:
        """What the jail refused, where an exception comes from that."""
        if not isinstance(error, OSError) or error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            return None
        if "files" in self._request["jail"]["without"]:
            return None
        if error.filename is None:
            asked_for_socket = any(
                frame.f_code.co_filename == socket.__file__ for frame, _ in traceback.walk_tb(error.__traceback__)
            )
            return "the candidate tried to use the network" if asked_for_socket else None
        path = os.path.abspath(os.fsdecode(error.filename)) if not isinstance(error.filename, int) else ""
        rules = self._request["jail"]
        if not path or _is_within(path, rules["writable"]):
            return None
        verb = "write to" if _is_within(path, rules["readable"]) else "reach"
        return f"the candidate tried to {verb} {path}, outside its workspace"


def _shown(show: Callable[[Any], str], subject: Any) -> str:  # noqa: ANN401 (of the candidate's making)
    """A text that foreign code makes of something."""
    try:
        text = show(subject)
    except BaseException as error:  # noqa: BLE001 (a __str__ or __repr__ that raises is the candidate's)
        return f"<no text: {type(error).__name__} was raised instead>"
    return text if type(text) is str else str.__str__(text)


def _is_within(path: str, folders: list[str]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def _own_part(trace: Any) -> Any:  # noqa: ANN401 (a traceback)
    """A traceback without the frames of this program, where it has others."""
    rest = trace
    while rest is not None and rest.tb_frame.f_code.co_filename == __file__:
        rest = rest.tb_next
    return rest or trace


def _set_environment(wanted: dict[str, str]) -> None:
    for name in [name for name in os.environ if name not in wanted]:
        del os.environ[name]
    zone = os.environ.get("TZ")
    os.environ.update((name, value) for name, value in wanted.items() if os.environ.get(name) != value)
    if zone != wanted.get("TZ"):
        time.tzset()


def _pid_outside() -> int:
    """This process's id as the engine knows it, which may be in another namespace."""
    return os.getpid() if OUTSIDE is None else int(os.readlink("proc/self", dir_fd=OUTSIDE))


# The root of the engine's world, where everything is as it was: set by a zygote, for supervisors and candidates that
# are forked into other worlds. A candidate gives it up before any code of its own runs.
OUTSIDE: int | None = None


def outside(path: str) -> str:
    """A path as it is in the engine's world, where it can be written to."""
    return path if OUTSIDE is None else f"/proc/self/fd/{OUTSIDE}{path}"


def place_outside(place: dict[str, Any]) -> cgroups.Place:
    """A place of control groups, in the engine's world."""
    return cgroups.Place(place["version"], outside(place["memory"]), outside(place["pids"]))


def _listen() -> None:
    """Signals do what they do in any program, whatever whoever started the engine ignores: nohup, or a shell in the
    background. Python itself ignores two."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    ignored = {number for number in signal.valid_signals() if signal.getsignal(number) is signal.SIG_IGN}
    for number in {signal.SIGCHLD, signal.SIGTERM} | ignored - {signal.SIGPIPE, signal.SIGXFSZ}:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _reseed() -> None:
    """A forked process has its parent's generators; `random` sees to itself, numpy does not."""
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed()


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        return  # the one that the folder was listed through
