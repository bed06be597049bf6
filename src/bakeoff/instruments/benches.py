"""A user's own benchmarks, in the style of pytest-benchmark, as calls that can be timed.

    def bench_parse(benchmark):                  def bench_parse():
        benchmark(parse, TEXT)                       parse(TEXT)

A function that asks for `benchmark` is run once, with a stand-in that takes down what it is given to time; one that
asks for nothing is itself what is timed.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["BadBench", "Bench", "collected"]

_PREFIXES = ("bench_", "test_")


class BadBench(Exception):
    """Raised where a benchmark cannot be used; says why."""


class Bench:
    """What one benchmark times. `setup` makes new arguments for each call, where there is one."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self.function = function
        self._arguments: tuple[Any, ...] = ()
        self._keywords: dict[str, Any] = {}
        self._setup: Callable[[], Any] | None = None

    def takes(self, arguments: Any, keywords: Any, setup: Callable[[], Any] | None = None) -> Bench:
        self._arguments = tuple(arguments or ())
        self._keywords = dict(keywords or {})
        self._setup = setup
        return self

    def fresh(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments for one call."""
        made = self._setup() if self._setup is not None else None
        if made is None:
            return self._arguments, self._keywords
        arguments, keywords = made
        return tuple(arguments), dict(keywords)


class _StandIn:
    """What a benchmark is given as its `benchmark`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.taken: Bench | None = None
        self.extra_info: dict[str, Any] = {}
        self.group = self.name = name
        self.disabled = False

    def __call__(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        self._take(Bench(self._name, function).takes(arguments, keywords))
        return function(*arguments, **keywords)

    def pedantic(
        self,
        target: Callable[..., Any],
        args: Any = (),
        kwargs: Any = None,
        setup: Callable[[], Any] | None = None,
        **_: Any,
    ) -> Any:
        bench = Bench(self._name, target).takes(args, kwargs, setup)
        self._take(bench)
        arguments, keywords = bench.fresh()
        return target(*arguments, **keywords)

    def weave(self, *_: Any, **__: Any) -> None:
        raise BadBench(f"{self._name}: benchmark.weave cannot be used; call benchmark(function) instead")

    patch = weave

    def _take(self, bench: Bench) -> None:
        if self.taken is not None:
            raise BadBench(f"{self._name}: it times two things; make it two benchmarks")
        self.taken = bench


def collected(path: str) -> list[Bench]:
    """The benchmarks of a file, in its order; raises BadBench where there are none, or one cannot be used."""
    name = "_bakeoff_bench_" + os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadBench(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = [
        _bench(name, function)
        for name, function in vars(module).items()
        if name.startswith(_PREFIXES) and inspect.isfunction(function) and function.__module__ == module.__name__
    ]
    if not found:
        raise BadBench(f"{os.path.basename(path)} has no functions whose names begin with bench_ or test_")
    return found


def _bench(name: str, function: Callable[..., Any]) -> Bench:
    wanted = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    foreign = [other for other in wanted if other != "benchmark"]
    if foreign:
        raise BadBench(f"{name} asks for {', '.join(foreign)}: of fixtures, only `benchmark` can be given")
    if not wanted:
        return Bench(name, function)
    stand_in = _StandIn(name)
    function(stand_in)
    if stand_in.taken is None:
        raise BadBench(f"{name} asks for `benchmark` and does not call it")
    return stand_in.taken
