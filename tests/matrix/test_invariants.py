"""What holds of every run, whatever its providers do, and wherever it is ended."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import anyio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bakeoff.errors import CallRefused, ProviderBusy
from bakeoff.events import CellBegan, CellEnded, CellStatus, MatrixState, Run, RunStarted, StopCause
from bakeoff.matrix import Axis, Definition, Exact, Point, Single, Task
from bakeoff.matrix.running import MatrixRun
from bakeoff.models import Account, Providers, ProviderSettings
from bakeoff.store import Store
from bakeoff.testing.models import ScriptedClient

OUTCOMES = ("well", "well", "well", "busy once", "refused", "bug")
cells = st.dictionaries(st.integers(0, 30).map(str), st.sampled_from(OUTCOMES), min_size=1, max_size=12)
caps = st.lists(st.integers(1, 4), min_size=1, max_size=3)


class Providing:
    """Providers that do to each task what is said, and count."""

    def __init__(self, caps: list[int], outcomes: dict[str, str]) -> None:
        self.settings = {f"p{n}": ProviderSettings(concurrency=cap, backoff=0.0) for n, cap in enumerate(caps)}
        self.clients = {
            name: ScriptedClient(lambda request, name=name: self.answer(name, request), name=f"{name}:m", latency=0.001)
            for name in self.settings
        }
        self.outcomes = outcomes
        self.asked: Counter[tuple[str, str]] = Counter()

    def answer(self, provider, request):
        text = request.messages[-1].content
        self.asked[provider, text] += 1
        match self.outcomes[text]:
            case "busy once" if self.asked[provider, text] == 1:
                return ProviderBusy("no room", status=429)
            case "refused":
                return CallRefused("no", status=400)
            case "bug":
                return LookupError("a bug")
        return text

    def definition(self) -> Definition:
        models = tuple(Point(name=name, stands_for=f"{name}:m") for name in self.settings)
        tasks = tuple(Point(name=n, stands_for=Task(name=n, prompt=n, expected=n)) for n in self.outcomes)
        strategy = Axis(name="strategy", points=(Point(name="single", stands_for=Single()),))
        axes = (Axis(name="model", points=models), strategy, Axis(name="task", points=tasks))
        return Definition(name="m", axes=axes, providers=self.settings, scorers=(Exact(),))


async def tried(providing: Providing, store: Store, run: str | None, enough: int | None) -> str:
    """One try, ended when so many cells are there; the run."""
    definition = providing.definition()
    known = Run.of(store.events(run)).matrix if run is not None else MatrixState()
    settled, matrix = 0, None

    def watch(recorded) -> None:
        nonlocal settled
        settled += isinstance(recorded.event, CellEnded)
        if enough is not None and settled >= enough and matrix is not None:
            matrix.stop(StopCause.INTERRUPT, "enough")

    async with store.record(run, watch=watch) as log:
        await log.append(RunStarted(command="matrix", version="0"))
        account = Account(log=log)
        providers = Providers(providing.settings, environment={})
        models = {f"{name}:m": providers.model_of(client, account) for name, client in providing.clients.items()}
        matrix = MatrixRun(definition, log=log, account=account, models=models.__getitem__, known=known)
        planned = definition.cells()
        cells = [cell for cell in planned if cell.key not in known.cells or known.cells[cell.key].status is None]
        left = await matrix.run(cells, of=planned)
        for name, client in providing.clients.items():
            assert client.peak <= providing.settings[name].concurrency
            assert providers.limiter(name).permits.in_flight == 0
        found = Run.of(store.events(log.run))
        assert left == sum(one.status is None for one in found.matrix.current)
        assert (found.matrix.stopped is not None) == (left > 0)
        return log.run


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(cells, caps, st.lists(st.integers(0, 12), max_size=2), st.sampled_from(["asyncio", "trio"]))
def test_however_often_it_is_ended_each_cell_comes_to_one_end(outcomes, limits, stops, backend):
    providing = Providing(limits, outcomes)

    async def main(store: Store) -> str:
        run = None
        for enough in (*stops, None):
            run = await tried(providing, store, run, enough)
        assert run is not None
        return run

    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store.sqlite")
        run = anyio.run(main, store, backend=backend)
        recorded = list(store.events(run))
    found, log = Run.of(recorded), [one.event for one in recorded]
    wanted = {"refused": CellStatus.FAILED, "bug": CellStatus.FAILED}
    for state in found.matrix.current:
        outcome = outcomes[state.planned.coordinates["task"]]
        assert state.status is wanted.get(outcome, CellStatus.DONE)
        assert state.ended is not None
        assert state.ended.attempts == (2 if outcome == "busy once" and state.ended.attempts == 2 else 1)
        assert (state.ended.duration_ms is None) == (state.status is CellStatus.FAILED)
        assert state.ended.metrics == ({} if state.status is CellStatus.FAILED else {"exact": 1.0})
    ends = Counter(one.cell for one in log if isinstance(one, CellEnded) and one.status is not CellStatus.CANCELLED)
    assert set(ends.values()) == {1}
    assert Counter(type(one) for one in log)[CellBegan] == Counter(type(one) for one in log)[CellEnded]
    assert not found.spent.open, "each attempt is closed"
