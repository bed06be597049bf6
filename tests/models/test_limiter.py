"""How a provider is kept from being asked too much (M1), on a virtual clock."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import ProviderBusy, UsageError
from bakeoff.models import Limiter, ProviderSettings
from bakeoff.models.limiter import Limited
from cancelling import cancelled_at
from virtual_clock import Stopwatch, run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def on_both(main: Callable[[], Awaitable[None]]) -> None:
    for backend in ("asyncio", "trio"):
        run(main, backend)


class Least(Random):
    """Pauses are as long as they were asked for, and no longer."""

    def random(self) -> float:
        return 0.0


class Calls:
    """Calls that pass through a limiter, and when each of them began."""

    def __init__(self, settings: ProviderSettings, *, random: Random | None = None) -> None:
        self.limiter = Limiter("somebody", settings, random=random or Least())
        self.patience = settings.timeout
        self.began: list[float] = []
        self.inside = 0
        self.most = 0
        self._clock = Stopwatch()

    async def call(self, seconds: float = 1.0, *, tokens: int = 0, used: int | None = None) -> None:
        async with self.limiter.slot(tokens, patience=self.patience) as slot:
            self.began.append(self._clock.read())
            self.inside += 1
            self.most = max(self.most, self.inside)
            await anyio.sleep(seconds)
            self.inside -= 1
            self.limiter.used(slot, tokens if used is None else used)
            self.limiter.succeeded(slot)

    async def refused(self, seconds: float = 1.0, *, retry_after: float = 0.0) -> object:
        async with self.limiter.slot(0, patience=self.patience) as slot:
            await anyio.sleep(seconds)
            return self.limiter.refused(slot, retry_after)

    def assert_at_rest(self) -> None:
        assert self.limiter.permits.in_flight == 0
        assert self.limiter.waiting == 0


async def all_at_once(*calls: Callable[[], Awaitable[object]]) -> None:
    """At the same moment, and in this order."""
    async with anyio.create_task_group() as group:
        for call in calls:
            group.start_soon(call)
            await checkpoint()


# -- permits -----------------------------------------------------------------------------------------------------------


@pytest.mark.promise("M1")
def test_no_more_than_the_cap_are_open_and_all_of_it_is_used(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=3))
        await all_at_once(*[calls.call] * 10)
        assert calls.most == calls.limiter.permits.peak == 3
        assert calls.began == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]
        calls.assert_at_rest()

    run(main, anyio_backend)


def test_four_is_the_cap_where_nothing_is_said():
    assert Limiter("somebody", ProviderSettings()).permits.limit == 4


@pytest.mark.promise("M1")
@pytest.mark.parametrize(
    "wrong",
    [
        {"concurrency": 0},
        {"attempts": 0},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"backoff": -1},
        {"requests_per_minute": 0},
        {"tokens_per_minute": -5},
        {"base_url": "http://me:password@localhost/v1"},
        *(
            {"base_url": url}
            for url in ("localhost:8000", "http://", "ftp://host", "http://[host", "http://host:99999")
        ),
    ],
)
def test_a_setting_that_cannot_be_is_a_usage_error(wrong: dict[str, Any]):
    (name,) = wrong
    with pytest.raises(UsageError, match=f"{name} of a provider must be"):
        ProviderSettings(**wrong)  # type: ignore[arg-type]


def test_calls_start_in_the_order_in_which_they_came(anyio_backend: str):
    async def main() -> None:
        limiter, order = Limiter("somebody", ProviderSettings(concurrency=2, tokens_per_minute=100)), []

        async def call(number: int, tokens: int) -> None:
            async with limiter.slot(tokens):
                order.append(number)
                await anyio.sleep(1)

        async with anyio.create_task_group() as group:
            for number in range(8):
                # The large ones have to wait for the minute; the small ones behind them could start at once.
                group.start_soon(call, number, 90 if number % 2 else 1)
                await checkpoint()
        assert order == list(range(8))

    run(main, anyio_backend)


# -- the number of permits follows what the provider says --------------------------------------------------------------


@pytest.mark.promise("M1")
def test_a_wave_of_refusals_is_one_cut(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=8))
        told = []

        async def refused() -> None:
            told.append(await calls.refused())

        await all_at_once(*[refused] * 8)
        assert calls.limiter.permits.limit == 4
        (limited,) = [each for each in told if each is not None]
        assert (limited.limit, limited.pause) == (4, 0.0)
        await all_at_once(*[refused] * 4)
        assert calls.limiter.permits.limit == 2, "the next wave is another cut"
        for _ in range(5):
            await calls.refused()
        assert calls.limiter.permits.limit == 1, "never below one"

    run(main, anyio_backend)


@pytest.mark.promise("M1")
def test_successes_bring_permits_back_one_at_a_time_up_to_the_cap(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=4))
        await calls.refused()
        assert calls.limiter.permits.limit == 2
        limits = []
        for _ in range(9):
            await calls.call()
            limits.append(calls.limiter.permits.limit)
        # After two successes at two, after three more at three, and no further than was configured.
        assert limits == [2, 3, 3, 3, 4, 4, 4, 4, 4]

    run(main, anyio_backend)


def test_a_success_that_began_before_a_cut_says_nothing_about_what_came_after(anyio_backend: str):
    async def main() -> None:
        limiter = Limiter("somebody", ProviderSettings(concurrency=2))
        async with limiter.slot(0) as early, limiter.slot(0) as late:
            limiter.refused(late, 0.0)
            limiter.succeeded(early)
            assert limiter.permits.limit == 1
            assert limiter.refused(early, 0.0) is None, "it is the same wave"

    run(main, anyio_backend)


@pytest.mark.promise("M1")
def test_nobody_calls_before_the_time_that_the_provider_asked_for(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=1))
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: calls.refused(retry_after=30))
            await anyio.sleep(0.5)
            group.start_soon(calls.call)
            group.start_soon(calls.call)
        assert calls.began == [31, 32]

    run(main, anyio_backend)


def test_the_longest_of_several_pauses_holds(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=3, timeout=50))
        await all_at_once(*[lambda pause=pause: calls.refused(retry_after=pause) for pause in (20, 50, 5)])
        await calls.call()
        assert calls.began == [51]

    run(main, anyio_backend)


@pytest.mark.promise("M1")
@pytest.mark.parametrize(("asked", "held"), [(51, 51), (1e9, 3600), (1e300, 3600)])
def test_while_a_provider_asks_for_more_than_anybody_waits_calls_are_refused_at_once(
    anyio_backend: str, asked: float, held: float
):
    """Otherwise each of them would hang for as long as the timeout, a few at a time, and be refused all the same."""

    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=2, timeout=50))
        refused: list[float | None] = []

        async def call() -> None:
            try:
                await calls.call()
            except ProviderBusy as busy:
                refused.append(busy.retry_after)

        # One that is open, and goes on; three that wait in line.
        await all_at_once(lambda: calls.refused(retry_after=asked), calls.call, call, call, call)
        assert refused == [held] * 3
        assert anyio.current_time() == 1
        await anyio.sleep(held - 51)
        await call()
        assert refused == [held] * 3 + [pytest.approx(51)]
        await anyio.sleep(1)
        await call()
        assert calls.began == [0, 1 + held]
        calls.assert_at_rest()

    run(main, anyio_backend)


@pytest.mark.promise("M1")
@pytest.mark.parametrize(
    ("asked", "most"), [(0.02, 0.02), (0.5, 0.5), (1, 1), (5, 1), (30, 3), (50, 5), (500, 5), (700, 5)]
)
def test_a_pause_that_is_asked_for_is_never_shortened_and_lengthened_by_chance(
    anyio_backend: str, asked: float, most: float
):
    """Processes that were refused together, which know nothing of each other, come back one after another."""

    async def main() -> None:
        longer = []
        for seed in range(40):
            calls = Calls(ProviderSettings(concurrency=1), random=Random(seed))
            clock = Stopwatch()
            limited = await calls.refused(0, retry_after=asked)
            assert isinstance(limited, Limited)
            if asked > 600:
                await anyio.sleep(asked - 600 + most)  # until then calls are refused at once
            await calls.call(0)
            assert clock.read() == pytest.approx(limited.pause, abs=1e-5), "what is told is what is held"
            longer.append(clock.read() - asked)
        assert min(longer) >= -1e-6
        assert max(longer) <= most + 1e-6
        assert max(longer) - min(longer) > 0.8 * most

    run(main, anyio_backend)


def test_many_that_were_refused_come_back_as_spread_as_few(anyio_backend: str):
    """Were chance asked once for each of them, the longest of a wave would hold: the same, nearly, in all processes."""

    async def main() -> None:
        began = []
        for seed in range(40):
            calls = Calls(ProviderSettings(concurrency=30), random=Random(seed))
            await all_at_once(*[lambda calls=calls: calls.refused(1, retry_after=10)] * 30)
            await calls.call(0)
            began += calls.began
        assert sum(each < 11.5 for each in began) > 10
        assert sum(each > 11.5 for each in began) > 10

    run(main, anyio_backend)


def test_each_wave_has_a_chance_of_its_own():
    """So that it is not always the same process that comes first."""

    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=1), random=Random(1))
        told = [await calls.refused(0, retry_after=30) for _ in range(3)]
        assert len({each.pause for each in told if isinstance(each, Limited)}) == 3

    run(main, "asyncio")


@pytest.mark.parametrize("asked", [46, 49.9, 50])
def test_nobody_is_refused_since_a_pause_was_lengthened(anyio_backend: str, asked: float):
    async def main() -> None:
        for seed in range(20):
            calls = Calls(ProviderSettings(timeout=50), random=Random(seed))
            await calls.refused(0, retry_after=asked)
            await calls.call()
            assert asked <= calls.began[0] <= 50

    run(main, anyio_backend)


def test_a_pause_that_begins_while_a_permit_is_waited_for_is_kept(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=1))
        # The second one is past the clock and waits for the permit when the first one is refused.
        await all_at_once(lambda: calls.refused(2, retry_after=10), calls.call)
        assert calls.began == [12]

    run(main, anyio_backend)


@pytest.mark.promise("M1")
def test_a_refusal_slows_down_its_own_provider_only(anyio_backend: str):
    async def main() -> None:
        stormy, calm = Calls(ProviderSettings(concurrency=4)), Calls(ProviderSettings(concurrency=4))
        await all_at_once(*[lambda: stormy.refused(retry_after=100)] * 4, *[stormy.call] * 4, *[calm.call] * 12)
        assert calm.began == [0] * 4 + [1] * 4 + [2] * 4
        assert min(stormy.began) == 101
        assert stormy.most == 2

    run(main, anyio_backend)


@pytest.mark.promise("M1")
def test_who_waits_for_less_is_refused_at_once_though_others_wait_for_more(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(timeout=100))
        await calls.refused(0, retry_after=60)
        async with anyio.create_task_group() as group:
            group.start_soon(calls.call)
            await anyio.sleep(20)
            with pytest.raises(ProviderBusy) as caught:
                async with calls.limiter.slot(0, patience=39):
                    pass
            assert anyio.current_time() - 20 == pytest.approx(calls._clock._start)
            assert caught.value.retry_after == pytest.approx(40)
        assert calls.began == [60]
        calls.assert_at_rest()

    run(main, anyio_backend)


# -- rates -------------------------------------------------------------------------------------------------------------


@pytest.mark.promise("M1")
def test_so_many_requests_begin_in_any_minute(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=100, requests_per_minute=3))
        await all_at_once(*[calls.call] * 7)
        assert calls.began == [0, 0, 0, 60, 60, 60, 120]

    run(main, anyio_backend)


def test_less_than_one_request_in_a_minute_is_one_in_several(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(requests_per_minute=0.25))
        await all_at_once(*[calls.call] * 3)
        assert calls.began == [0, 240, 480]

    run(main, anyio_backend)


@pytest.mark.promise("M1")
def test_tokens_count_by_what_a_call_may_take_and_then_by_what_it_took(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=100, tokens_per_minute=100))
        await all_at_once(*[lambda: calls.call(tokens=40, used=40)] * 5)
        assert calls.began == [0, 0, 60, 60, 120]

    run(main, anyio_backend)


def test_tokens_that_were_not_taken_are_free_as_soon_as_that_is_known(anyio_backend: str):
    """Most answers are a fraction of what they might have been; waiting out the minute would waste most of it."""

    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=100, tokens_per_minute=100))
        await all_at_once(*[lambda: calls.call(tokens=60, used=10)] * 5)
        assert calls.began == [0, 1, 2, 3, 4]

    run(main, anyio_backend)


def test_a_call_that_was_never_sent_has_taken_no_tokens(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(tokens_per_minute=100))
        with pytest.raises(LookupError):
            async with calls.limiter.slot(100):
                raise LookupError
        await calls.call(tokens=100)
        assert calls.began == [0]

    run(main, anyio_backend)


def test_a_call_that_is_larger_than_a_minute_waits_for_an_empty_one(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(tokens_per_minute=100))
        await calls.call(tokens=10)
        await calls.call(tokens=500)
        await calls.call(tokens=1)
        assert calls.began == [0, 60, 120]

    run(main, anyio_backend)


RATES = st.builds(
    ProviderSettings,
    concurrency=st.integers(1, 5),
    requests_per_minute=st.none() | st.sampled_from([0.5, 1, 3, 7]),
    tokens_per_minute=st.none() | st.sampled_from([50, 100]),
)
TRAFFIC = st.lists(
    st.tuples(st.integers(0, 90), st.integers(1, 40), st.integers(1, 60), st.floats(0, 1)), min_size=1, max_size=15
)


@pytest.mark.promise("M1")
@given(settings=RATES, traffic=TRAFFIC)
def test_whatever_comes_the_cap_and_the_rates_hold_and_everybody_has_a_turn(
    settings: ProviderSettings, traffic: list[tuple[int, int, int, float]]
):
    async def main() -> None:
        limiter, clock, began, inside = Limiter("somebody", settings), Stopwatch(), [], 0

        async def call(after: int, seconds: int, tokens: int, part: float) -> None:
            nonlocal inside
            await anyio.sleep(after)
            async with limiter.slot(tokens) as slot:
                share = [clock.read(), tokens]
                began.append(share)
                inside += 1
                assert inside <= settings.concurrency
                if settings.tokens_per_minute is not None:
                    window = [each for each in began if each[0] > share[0] - 60]
                    taken = sum(each[1] for each in window)
                    assert taken <= settings.tokens_per_minute or len(window) == 1
                await anyio.sleep(seconds)
                inside -= 1
                share[1] = round(tokens * part)
                limiter.used(slot, round(tokens * part))

        async with anyio.create_task_group() as group:
            for one in traffic:
                group.start_soon(call, *one)
        assert len(began) == len(traffic)
        times = sorted(share[0] for share in began)
        if settings.requests_per_minute is not None:
            window = 60 * max(1, 1 / settings.requests_per_minute)
            most = int(max(1, settings.requests_per_minute))
            assert all(late - early >= window - 1e-6 for early, late in zip(times, times[most:], strict=False))
        assert limiter.permits.in_flight == limiter.waiting == 0

    on_both(main)


# -- settings of several -----------------------------------------------------------------------------------------------


@pytest.mark.promise("M1")
def test_of_several_settings_the_smaller_cap_holds_from_then_on(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=4))
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(calls.call)
            await anyio.sleep(0.5)
            calls.limiter.tighten(ProviderSettings(concurrency=2))
            calls.limiter.tighten(ProviderSettings(concurrency=50))
        assert calls.began == [0] * 4 + [1] * 2 + [2] * 2, "those that are open go on"
        for _ in range(9):
            await calls.call()
        assert calls.limiter.permits.limit == 2, "and no success leads beyond it"

    run(main, anyio_backend)


@pytest.mark.promise("M1")
def test_a_cap_that_was_cut_is_not_widened_by_settings(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=8))
        await calls.refused()
        await calls.refused()
        assert calls.limiter.permits.limit == 2
        calls.limiter.tighten(ProviderSettings(concurrency=5))
        assert calls.limiter.permits.limit == 2

    run(main, anyio_backend)


@pytest.mark.promise("M1")
def test_of_several_settings_the_smaller_rates_hold_and_count_what_began_before(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=100, requests_per_minute=4))
        await all_at_once(*[calls.call] * 3)
        calls.limiter.tighten(ProviderSettings(requests_per_minute=2))
        await all_at_once(*[calls.call] * 3)
        assert calls.began == [0, 0, 0, 60, 60, 120]
        calls.limiter.tighten(ProviderSettings(requests_per_minute=900, tokens_per_minute=50))
        await all_at_once(*[lambda: calls.call(tokens=50)] * 2)
        assert calls.began[6:] == [121, 181], "one began at 120, and nothing was known of its tokens"

    run(main, anyio_backend)


def test_who_waits_for_a_rate_when_a_smaller_one_comes_waits_for_that(anyio_backend: str):
    async def main() -> None:
        calls = Calls(ProviderSettings(concurrency=100, requests_per_minute=1))
        async with anyio.create_task_group() as group:
            group.start_soon(calls.call)
            await anyio.sleep(1)
            group.start_soon(calls.call)
            await anyio.sleep(1)
            calls.limiter.tighten(ProviderSettings(requests_per_minute=0.25))
        assert calls.began == [0, 240]

    run(main, anyio_backend)


# -- ends --------------------------------------------------------------------------------------------------------------


def test_one_loop_after_another(anyio_backend: str):
    """What is left of a pause or of a rate is forgotten, since the clock of another loop is another clock."""
    limiter = Limiter("somebody", ProviderSettings(requests_per_minute=1))

    async def main() -> None:
        clock = Stopwatch()
        async with limiter.slot(0) as slot:
            limiter.refused(slot, 500)
        assert clock.read() == 0
        assert limiter.permits.in_flight == 0

    for _ in range(3):
        run(main, anyio_backend)
    run(main, "trio" if anyio_backend == "asyncio" else "asyncio")


@pytest.mark.promise("F8")
@pytest.mark.parametrize("waits_for", ["a permit", "its turn", "a pause", "a rate"])
def test_cancelled_at_any_await_it_leaves_nothing_behind(anyio_backend: str, waits_for: str):
    async def main() -> None:
        steps = 0
        while await one(steps):
            steps += 1
        assert steps >= 2

    async def one(step: int) -> bool:
        rate = 1 if waits_for == "a rate" else None
        calls = Calls(ProviderSettings(concurrency=1, requests_per_minute=rate))
        if waits_for == "a rate":
            await calls.call(0)
        if waits_for == "a pause":
            await calls.refused(0, retry_after=10)
        async with anyio.create_task_group() as group:
            for _ in range({"a permit": 1, "its turn": 2}.get(waits_for, 0)):
                group.start_soon(calls.call)
                await anyio.sleep(0.1)
            came_so_far = await cancelled_at(step, calls.call)
        calls.assert_at_rest()
        assert calls.inside <= 1, "the cancelled one never counts itself out"
        before = len(calls.began)
        await calls.call()
        assert len(calls.began) == before + 1
        return came_so_far

    run(main, anyio_backend)
