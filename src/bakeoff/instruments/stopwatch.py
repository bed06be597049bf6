"""Baseline and candidates timed in turns, in one process.

    probe   the baseline alone: what each call costs, how it ends, whether it waits, whether it can be loaded twice
    run     worlds in random order ──▶ first pass ──▶ warm-up ──▶ rounds of blocks: a random order, then its reverse
    peak    one world: the most memory that a pass takes

A block is the same calls for every world, each with a fresh equal copy of its arguments, made before the clock starts.
What comes back are raw times; what they mean is decided elsewhere. The clocks here were taken before any code of the
project was loaded. A world that cannot be timed honestly ends the run, and is named: what the others did beside it is
worth nothing.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import gc
import os
import random
import resource
import sys
import tempfile
import time
import tracemalloc
import types

from . import benches, compare, observe, recordings, worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

__all__ = ["peak", "probe", "run"]

_cpu, _wall, _sleep = time.process_time_ns, time.perf_counter_ns, time.sleep
_usage, _tasks_of, _collect = resource.getrusage, os.listdir, gc.collect
_CLOCKS = {name: getattr(time, name) for name in dir(time) if name in (
    "perf_counter", "perf_counter_ns", "process_time", "process_time_ns", "thread_time", "thread_time_ns",
    "monotonic", "monotonic_ns", "time", "time_ns", "clock_gettime", "clock_gettime_ns", "sleep",
)}  # fmt: skip
_MOST_BALLAST = 4000
_WARM_SHARE, _WARM_LEAST = 4, 8
_LONG = 5_000_000
_THREAD_PATIENCE = 50
# Baseline, placebo, and one candidate.
_WITH_ONE = 3
_CONTAINERS = frozenset({list, dict, set})
_CONSTANT = frozenset({int, float, complex, bool, str, bytes, type(None)})
_ASYNC = (types.CoroutineType, types.AsyncGeneratorType)
_ERRORS = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)


class _Fault(Exception):
    """Raised where a world cannot be timed honestly."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


# -- what a request asks for ------------------------------------------------------------------------------------------


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Time these worlds by this plan; see `_Stage` and `_Race` for the parts of a request."""
    stage = _Stage(request)
    race = _Race(stage, request["plan"])
    try:
        race.run(request["rounds"], mirrored=request["mirrored"], check=request["check"])
    except _Fault as fault:
        return stage.report(fault)
    return {"fault": None, "cold": race.cold, "rounds": race.rounds, "core": stage.core}


def probe(request: dict[str, Any]) -> dict[str, Any]:
    """What there is to know of the baseline before it can be timed, in about as many seconds as are given."""
    stage = _Stage({**request, "worlds": request["worlds"][:1]})
    try:
        stage.load()
        calls = _looked_at(stage, len(stage.shapes), request["seconds"])
    except _Fault as fault:
        return stage.report(fault)
    twice = _twice(request)
    return {"fault": None, "calls": calls, "shapes": stage.shapes, "twice": twice, "loading": stage.loading}


def peak(request: dict[str, Any]) -> dict[str, Any]:
    """The most memory, in bytes, that any call of the plan takes beyond its arguments, after each was made once."""
    stage = _Stage(request)
    try:
        stage.load()
        parts = [_Part({**part, "calls": [call]}) for part in request["plan"] for call in part["calls"]]
        with stage.turn(0):
            for part in parts:
                part.timed(stage, 0, 1)
            return {"fault": None, "peak": max(_peak_of(stage, part) for part in parts)}
    except _Fault as fault:
        return stage.report(fault)


# -- worlds, and calls in them ----------------------------------------------------------------------------------------


class _Stage:
    """The worlds of a request, loaded in random order over a heap with random gaps, so that no layout favours one.

    `worlds` are edits of `folder`, the baseline's first; those in `alike` are files of their own in every world.
    `calls` are recorded arguments; with `bench`, they are the benchmarks of that file instead. `patience` is how many
    seconds a block may take, and `loading` how many it may take to import the target.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self._request = request
        self.random = random.Random(request["seed"])
        self._patience: float = request["patience"]
        self._loading: float = request["loading"]
        self.loading = 0.0
        self._worlds: list[worlds.World] = []
        self._calls: list[Sequence[_Recorded | benches.Bench]] = []
        self._ballast: list[bytes] = []
        self.count = len(request["worlds"])
        self.unchanged = [number for number, edits in enumerate(request["worlds"]) if not edits]
        self.left = [0] * self.count
        self.current = 0
        self.core = _pinned(request["core"])

    def load(self) -> None:
        """Make the worlds and import the target in each."""
        self._ballast = [bytes(self.random.randrange(16, 1024)) for _ in range(self.random.randrange(_MOST_BALLAST))]
        del self._ballast[:: self.random.randrange(2, 6)]
        place = tempfile.mkdtemp()
        names = self.random.sample(range(10, 100), self.count)
        for name, edits in zip(names, self._request["worlds"]):
            self._worlds.append(
                worlds.World(
                    f"w{name}",
                    self._request["folder"],
                    place,
                    roots=self._request["roots"],
                    edits=edits,
                    alike=self._request["alike"],
                    alone=self.count == 1,
                )
            )
        loaded = {number: self._loaded(number) for number in self.shuffled()}
        self._calls = [loaded[number] for number in range(self.count)]
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (until this process ends)
        gc.collect()
        gc.freeze()

    def shuffled(self) -> list[int]:
        return self.random.sample(range(self.count), self.count)

    @property
    def shapes(self) -> list[str]:
        """What the calls are called where they are benchmarks."""
        return [call.name for call in self._calls[0]]

    @contextlib.contextmanager
    def turn(self, number: int, patience: float | None = None) -> Iterator[None]:
        """Within the block it is this world's turn. Whatever goes wrong then is its fault."""
        self.current = number
        tasks = _tasks()
        patience = self._patience if patience is None else patience
        try:
            with self._worlds[number].entered(), observe.within(patience):
                yield
        except (_Fault, worlds.CannotLoadTwice):
            raise
        except observe.OutOfTime:
            raise _Fault("too-long", f"it was ended after {patience:.1f} s") from None
        except BaseException as error:  # the door where foreign code runs
            raise _Fault("raised", _shown(error)) from None
        self.left[number] += _more_tasks(tasks)
        _check_clocks()

    def fresh(self, number: int, call: int) -> tuple[Any, Any, Any]:
        """A call that is ready to be made, with arguments of its own; in the world that is entered."""
        made = self._calls[number][call]
        return (made.function, *made.fresh())

    def observed(self, number: int, call: int) -> dict[str, Any]:
        """All that can be seen of a call."""
        with self.turn(number):
            made = self._calls[number][call]
            return observe.observe(worlds.Callee(made.function), *made.fresh()).facts()

    def difference(self, expected: dict[str, Any], number: int, call: int) -> compare.Difference | None:
        """What a call shows now, beside what the baseline's showed before."""
        trees = self._worlds[0].tree, self._worlds[number].tree
        rules = compare.Rules(rtol=self._request["rtol"], dict_order=self._request["dict_order"], places=trees)
        return compare.difference(expected, self.observed(number, call), rules)

    def _loaded(self, number: int) -> Sequence[_Recorded | benches.Bench]:
        world, request, began = self._worlds[number], self._request, _wall()
        try:
            with self.turn(number, self._loading):
                callee = world.callee(request["module"], request["name"])
                if request["bench"] is not None:
                    return benches.collected(os.path.join(world.tree, request["bench"]))
                return [_Recorded(callee, call["arguments"]) for call in request["calls"]]
        except worlds.CannotLoadTwice as problem:
            raise _Fault("did-not-load", str(problem)) from None
        except _Fault as fault:
            raise _Fault("did-not-load" if fault.kind == "raised" else fault.kind, fault.text) from None
        finally:
            self.loading = max(self.loading, (_wall() - began) / 1e9)

    def check_tasks(self) -> None:
        """Whether a world leaves more threads or processes behind than the baseline does."""
        for number in range(1, self.count):
            if self.left[number] > self.left[0]:
                self.current = number
                raise _Fault("tasks", f"it leaves {self.left[number] - self.left[0]} threads or processes running")

    def report(self, fault: _Fault) -> dict[str, Any]:
        return {"fault": {"world": self.current, "kind": fault.kind, "text": fault.text}}


class _Recorded:
    """A call that was recorded. Its arguments are read anew for each call, unless a plain copy is as good: of what
    cannot change, and of lists, dicts and sets of that."""

    name = ""

    def __init__(self, callee: worlds.Callee, blob: bytes) -> None:
        self.function = callee.function
        self._blob = blob
        self._plain: Any = recordings.loads(blob)
        arguments, keywords = self._plain
        copied = [*arguments, *keywords.values()]
        containers = [id(value) for value in copied if type(value) in _CONTAINERS]
        if not all(map(_is_plain, copied)) or len(set(containers)) < len(containers):
            self._plain = None
        self._is_constant = self._plain is not None and not containers

    def fresh(self) -> Any:
        """Arguments for one call."""
        if self._is_constant:
            return self._plain
        if self._plain is None:
            return recordings.loads(self._blob)
        arguments, keywords = self._plain
        return tuple(map(_copied, arguments)), {name: _copied(value) for name, value in keywords.items()}


def _is_plain(value: Any) -> bool:
    if type(value) is dict:
        return all(map(_is_constant, value)) and all(map(_is_constant, value.values()))
    return all(map(_is_constant, value)) if type(value) in _CONTAINERS else _is_constant(value)


def _is_constant(value: Any) -> bool:
    return all(map(_is_constant, value)) if type(value) is tuple else type(value) in _CONSTANT


def _copied(value: Any) -> Any:
    return value.copy() if type(value) in _CONTAINERS else value


class _Part:
    """Some calls that are timed together: of one shape, and with one kind of end."""

    def __init__(self, described: dict[str, Any]) -> None:
        self.calls: list[int] = described["calls"]
        self.passes: int = described["passes"]
        self._loop = _LOOPS[described["mode"]]
        self._errors = _ERRORS if described["raises"] else ()

    def timed(self, stage: _Stage, number: int, passes: int) -> tuple[int, int]:
        """CPU and wall time of so many passes over its calls; in the world that is entered."""
        calls = [stage.fresh(number, call) for _ in range(passes) for call in self.calls]
        gc.disable()
        try:
            return self._loop(calls, self._errors)
        finally:
            gc.enable()


class _Race:
    def __init__(self, stage: _Stage, plan: list[dict[str, Any]]) -> None:
        self._stage = stage
        self._parts = [_Part(part) for part in plan]
        self._calls = [_Part({**part, "calls": [call]}) for part in plan for call in part["calls"]]
        self.cold: list[list[tuple[int, int]]] = [[] for _ in range(stage.count)]
        self.rounds: list[list[dict[str, Any]]] = []

    def run(self, rounds: int, *, mirrored: bool, check: bool) -> None:
        stage = self._stage
        stage.load()
        for number in stage.shuffled():
            with stage.turn(number):
                self.cold[number] = [part.timed(stage, number, 1) for part in self._calls]
        stage.check_tasks()
        self._warm_up()
        for _ in range(rounds):
            self.rounds.append([self._block(number) for number in self._order(mirrored=mirrored)])
        stage.check_tasks()
        if check:
            self._check_results()

    def _order(self, *, mirrored: bool) -> list[int]:
        """Who comes when in a round. What drifts meanwhile cancels in a mirrored order.

        Where blocks are long, more processes do better than more blocks. One candidate between baseline and placebo, or
        around them, still is free of drift; of several, each has one block.
        """
        order = self._stage.shuffled()
        if mirrored:
            return [*order, *reversed(order)]
        if len(order) != _WITH_ONE:
            return order
        order.remove(_WITH_ONE - 1)
        candidate = [_WITH_ONE - 1]
        return (
            candidate + order + candidate
            if self._stage.random.random() < 0.5
            else order[:1] + 2 * candidate + order[1:]
        )

    def _warm_up(self) -> None:
        """Where calls are long, the first pass has done it."""
        if sum(cpu for cpu, _ in self.cold[0]) > _LONG:
            return
        for number in self._stage.shuffled():
            with self._stage.turn(number):
                for part in self._parts:
                    part.timed(self._stage, number, max(min(part.passes, _WARM_LEAST), part.passes // _WARM_SHARE))

    def _block(self, number: int) -> dict[str, Any]:
        _collect()
        with self._stage.turn(number):
            before, children = _usage(resource.RUSAGE_SELF), _usage(resource.RUSAGE_CHILDREN)
            times = [part.timed(self._stage, number, part.passes) for part in self._parts]
            after, later = _usage(resource.RUSAGE_SELF), _usage(resource.RUSAGE_CHILDREN)
        return {
            "world": number,
            "times": times,
            "children": later.ru_utime + later.ru_stime - children.ru_utime - children.ru_stime,
            "waits": after.ru_nvcsw - before.ru_nvcsw,
            "switches": after.ru_nivcsw - before.ru_nivcsw,
        }

    def _check_results(self) -> None:
        """Whether all worlds answer as the baseline does. Where it gives another answer itself, nothing is said."""
        stage = self._stage
        for part in self._calls:
            (call,) = part.calls
            expected = stage.observed(0, call)
            if any(stage.difference(expected, number, call) is not None for number in stage.unchanged):
                continue
            for number in set(range(stage.count)).difference(stage.unchanged):
                found = stage.difference(expected, number, call)
                if found is not None:
                    text = f"{found.path or 'the result'}: expected {found.expected}, got {found.actual}"
                    raise _Fault("different-result", text)


# -- loops ------------------------------------------------------------------------------------------------------------


def _plain(calls: Sequence[Any], errors: tuple[type[BaseException], ...]) -> tuple[int, int]:
    cpu, wall, value = _cpu(), _wall(), None
    for function, arguments, keywords in calls:
        try:  # noqa: SIM105 (a context manager would be timed)
            value = function(*arguments, **keywords)
        except errors:
            pass
    times = _cpu() - cpu, _wall() - wall
    if isinstance(value, (*observe.LAZY, *_ASYNC)):
        raise _Fault("different-result", f"it put its work off: a {type(value).__name__} was returned")
    return times


def _lazy(calls: Sequence[Any], errors: tuple[type[BaseException], ...]) -> tuple[int, int]:
    """Of functions that return iterators: these are used up."""
    drain: Callable[[Any], None] = collections.deque(maxlen=0).extend
    cpu, wall = _cpu(), _wall()
    for function, arguments, keywords in calls:
        try:  # noqa: SIM105
            drain(function(*arguments, **keywords))
        except errors:
            pass
    return _cpu() - cpu, _wall() - wall


def _awaited(calls: Sequence[Any], errors: tuple[type[BaseException], ...]) -> tuple[int, int]:
    """Of coroutines and asynchronous generators: in a loop of their own, whose making is not timed."""
    return asyncio.run(_awaiting(calls, errors))


async def _awaiting(calls: Sequence[Any], errors: tuple[type[BaseException], ...]) -> tuple[int, int]:
    cpu, wall = _cpu(), _wall()
    for function, arguments, keywords in calls:
        try:
            value = function(*arguments, **keywords)
            if isinstance(value, types.AsyncGeneratorType):
                async for _ in value:
                    pass
            else:
                await value
        except errors:
            pass
    return _cpu() - cpu, _wall() - wall


_LOOPS: dict[str, Callable[[Sequence[Any], tuple[type[BaseException], ...]], tuple[int, int]]] = {
    "plain": _plain,
    "lazy": _lazy,
    "awaited": _awaited,
}


# -- a first look -----------------------------------------------------------------------------------------------------


def _looked_at(stage: _Stage, count: int, seconds: float) -> list[dict[str, Any] | None]:
    """Of each call how it goes and what it costs; None for those that there was no time for."""
    found: list[dict[str, Any] | None] = [None] * count
    deadline = _wall() + int(seconds * 1e9)
    most = int(seconds * 1e9) // max(1, count)
    for call in range(count):
        if call and _wall() > deadline:
            break
        with stage.turn(0):
            how = _how(stage.fresh(0, call))
            part = _Part({"calls": [call], "passes": 1, **how})
            found[call] = {**how, **_cost(stage, part, most)}
    return found


def _how(call: Any) -> dict[str, Any]:
    """Which loop is for such a call."""
    function, arguments, keywords = call
    try:
        value = function(*arguments, **keywords)
    except _ERRORS:
        return {"mode": "plain", "raises": True}
    mode = "awaited" if isinstance(value, _ASYNC) else "lazy" if isinstance(value, observe.LAZY) else "plain"
    try:
        if mode == "awaited":
            asyncio.run(_finished(value))
        elif mode == "lazy":
            collections.deque(value, maxlen=0)
    except _ERRORS:
        return {"mode": mode, "raises": True}
    return {"mode": mode, "raises": False}


async def _finished(value: Any) -> None:
    if isinstance(value, types.AsyncGeneratorType):
        async for _ in value:
            pass
    else:
        await value


def _cost(stage: _Stage, part: _Part, most: int) -> dict[str, Any]:
    """What one call costs: the median of a few groups, where there is time for them."""
    before, children = _usage(resource.RUSAGE_SELF), _usage(resource.RUSAGE_CHILDREN)
    times: list[tuple[float, float]] = []
    passes, spent, total, timed = 1, 0, 0, 0
    while not times or (spent < most and len(times) < 24):
        started = _wall()
        cpu, wall = part.timed(stage, 0, passes)
        total += passes
        times.append((cpu / passes, wall / passes))
        spent += _wall() - started
        timed += wall
        # Larger groups as long as they are too short for the clock to see.
        passes = passes * 2 if wall < 200_000 and passes < 256 else passes
    after, later = _usage(resource.RUSAGE_SELF), _usage(resource.RUSAGE_CHILDREN)
    warm = times[len(times) // 2 :]
    return {
        "cpu": sorted(cpu for cpu, _ in warm)[len(warm) // 2],
        "wall": sorted(wall for _, wall in warm)[len(warm) // 2],
        "children": (later.ru_utime + later.ru_stime - children.ru_utime - children.ru_stime) / total * 1e9,
        "waits": (after.ru_nvcsw - before.ru_nvcsw) / total,
        "ready": max(0, spent - timed) / total,
    }


def _twice(request: dict[str, Any]) -> str | None:
    """Why the baseline cannot be loaded twice in one process, or None where it can."""
    stage = _Stage({**request, "worlds": [request["worlds"][0]] * 2})
    try:
        stage.load()
    except _Fault as fault:
        return fault.text
    return None


# -- surroundings -----------------------------------------------------------------------------------------------------


def _pinned(core: int | None) -> int | None:
    """Stay on one core, where that is allowed."""
    if core is None or not hasattr(os, "sched_setaffinity"):
        return None
    try:
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[core % len(allowed)]})
    except OSError:
        return None
    return allowed[core % len(allowed)]


def _tasks() -> int:
    """Threads of this process and its children."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
            return len(_tasks_of("/proc/self/task")) + len(file.read().split())
    except OSError:
        return 0


def _more_tasks(before: int) -> int:
    """How many more there are than before, after those that are just ending have ended."""
    for _ in range(_THREAD_PATIENCE):
        if _tasks() <= before:
            return 0
        _sleep(0.001)
    return max(0, _tasks() - before)


def _check_clocks() -> None:
    for name, clock in _CLOCKS.items():
        if getattr(time, name, None) is not clock:
            raise _Fault("clock", f"it replaced time.{name}")


def _peak_of(stage: _Stage, part: _Part) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        part.timed(stage, 0, 1)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _shown(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # its own __str__
        text = "<no text>"
    return f"{type(error).__name__}: {text}"[:2000]
