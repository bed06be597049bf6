"""The vendors' own client libraries, over real HTTP, against a provider on loopback that answers well and badly.

What is counted is counted by the server: requests, how many were open at once, how many their client gave up.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

import anyio
import pytest
from anyio.lowlevel import checkpoint
from pydantic_ai.exceptions import ModelHTTPError

from bakeoff.errors import CallRefused, ProviderBroken, ProviderBusy, ProviderError, UsageError
from bakeoff.events import CallEnd, Run
from bakeoff.models import (
    Account,
    Finish,
    Message,
    Model,
    Prices,
    Providers,
    ProviderSettings,
    Rates,
    Request,
    Role,
    Usage,
)
from bakeoff.models.vendors import KNOWN, VendorClient, _retry_after
from bakeoff.store import Store
from bakeoff.testing.provider import Asked, Fault, LoopbackProvider, Reply
from cancelling import cancelled_at

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from bakeoff.models import Answer, Client
    from bakeoff.testing.provider import Script

# The vendors' libraries leave generators to the garbage collector, and trio says so.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")

KEY = "sk-test"
ENVIRONMENT = {f"{name}_API_KEY": KEY for name in ("OPENAI", "ANTHROPIC", "GOOGLE", "MISTRAL")}
TEXT = "An answer that is long enough to come in several pieces."
ONCE = ProviderSettings(attempts=1, timeout=30.0)
AGAIN = ProviderSettings(attempts=3, backoff=0.0, timeout=30.0)
BRIEF = ProviderSettings(attempts=1, timeout=0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One way to be asked, and how what it asks is found."""

    provider: str
    path: str
    most: str
    identifier: str
    base: str = "/v1"

    @property
    def name(self) -> str:
        return f"{self.provider}:some-model"

    def providers(self, server: LoopbackProvider, settings: ProviderSettings = ONCE) -> Providers:
        settings = replace(settings, base_url=server.url + self.base)
        prices = Prices({self.name: Rates(tokens_in=1.0, tokens_out=10.0, tokens_cached=0.1)})
        return Providers({self.provider: settings}, environment=ENVIRONMENT, prices=prices)

    def model(self, server: LoopbackProvider, settings: ProviderSettings = ONCE) -> Model:
        return self.providers(server, settings).model(self.name, Account())


DIALECTS = [
    Dialect(provider="openai", path="/v1/chat/completions", most="max_completion_tokens", identifier="chatcmpl-0"),
    Dialect(provider="openai-compatible", path="/v1/chat/completions", most="max_tokens", identifier="chatcmpl-0"),
    Dialect(provider="ollama", path="/v1/chat/completions", most="max_tokens", identifier="chatcmpl-0"),
    Dialect(provider="openai-responses", path="/v1/responses", most="max_output_tokens", identifier="resp-0"),
    Dialect(provider="anthropic", path="/v1/messages", most="max_tokens", identifier="msg-0", base=""),
    Dialect(
        provider="google",
        path="/v1/models/some-model:streamGenerateContent",
        most="maxOutputTokens",
        identifier="google-0",
        base="",
    ),
    Dialect(
        provider="mistral",
        path="/mistral/v1/chat/completions",
        most="max_tokens",
        identifier="chatcmpl-0",
        base="/mistral",
    ),
]
# One of each format; the others differ from these in nothing that is tested where only these are.
FORMATS = [dialect for dialect in DIALECTS if dialect.provider not in ("openai-compatible", "ollama")]


def each(dialects: list[Dialect]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("dialect", dialects, ids=lambda dialect: dialect.provider)


def everywhere(dialects: list[Dialect]) -> pytest.MarkDecorator:
    """On both event loops, but for what does not work on trio."""
    pairs = [(dialect, backend) for dialect in dialects for backend in ("asyncio", "trio")]
    pairs = [pair for pair in pairs if KNOWN[pair[0].provider].works_on_trio or pair[1] != "trio"]
    ids = [f"{backend}-{dialect.provider}" for dialect, backend in pairs]
    return pytest.mark.parametrize(("dialect", "anyio_backend"), pairs, ids=ids)


def served(backend: str, script: Script, program: Callable[[LoopbackProvider], Awaitable[None]]) -> LoopbackProvider:
    """Run a program with a server, which has nothing open at its end."""
    servers = []

    async def main() -> None:
        async with LoopbackProvider(script) as server:
            servers.append(server)
            await program(server)
            await server.until(lambda it: it.open == 0)

    anyio.run(main, backend=backend)
    return servers[0]


async def failure(model: Model) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await model.complete("What is it?", max_tokens=100)
    return caught.value


# -- what is asked -----------------------------------------------------------------------------------------------------


@everywhere(DIALECTS)
def test_what_is_said_to_the_model_arrives_as_it_was_said(dialect: Dialect, anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        found = await dialect.model(server).complete(
            [
                Message(role=Role.SYSTEM, content="Be brief."),
                Message(content="What is it?"),
                Message(role=Role.ASSISTANT, content="Which one?"),
                Message(content="That one. ß\u2028"),
            ],
            max_tokens=77,
            temperature=0.25,
        )
        assert found.text == TEXT

    server = served(anyio_backend, TEXT, program)
    (asked,) = server.asked
    assert (asked.path.partition("?")[0], asked.model, asked.is_streamed) == (dialect.path, "some-model", True)
    options = asked.body.get("generationConfig", asked.body)
    assert options[dialect.most] == 77
    assert options["temperature"] == 0.25
    assert asked.text == "That one. ß\u2028"
    said = str(asked.body)
    assert said.index("What is it?") < said.index("Which one?") < said.index("That one.")
    assert "Be brief." in said
    names = ("x-api-key", "x-goog-api-key", "authorization")
    sent = {asked.headers[name].removeprefix("Bearer ") for name in names if name in asked.headers}
    assert sent == {"none" if dialect.provider in ("openai-compatible", "ollama") else KEY}


@each(DIALECTS)
def test_an_answer_ends_where_it_was_to_stop_whoever_stops_it(dialect: Dialect):
    async def program(server: LoopbackProvider) -> None:
        found = await dialect.model(server).complete("?", stop=["enough", "pieces"], seed=7)
        assert found.text == "An answer that is long "

    server = served("asyncio", TEXT, program)
    vendor, body = KNOWN[dialect.provider], server.asked[0].body
    assert ("enough" in str(body)) is vendor.takes_stops
    options = body.get("generationConfig", body)
    assert options.get("seed", options.get("random_seed")) == (7 if vendor.takes_seeds else None)


@each(DIALECTS)
def test_a_model_is_told_of_the_schema_in_one_way_or_another(dialect: Dialect):
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }

    async def program(server: LoopbackProvider) -> None:
        found = await dialect.model(server).complete("?", schema=schema)
        assert found.parsed == {"a": 1}

    server = served("asyncio", '{"a": 1}', program)
    assert "additionalProperties" in str(server.asked[0].body)


# -- what is answered --------------------------------------------------------------------------------------------------


@everywhere(DIALECTS)
def test_what_was_used_is_what_the_provider_says(dialect: Dialect, anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        model = dialect.model(server)
        found = await model.complete("?")
        assert found.usage == Usage(tokens_in=1000, tokens_out=70, cached=400)
        assert found.cost == pytest.approx((600 * 1.0 + 400 * 0.1 + 70 * 10.0) / 1e6)
        assert found.request_id == dialect.identifier
        assert model.account.spent.cost == found.cost

    served(anyio_backend, Reply(text=TEXT, usage=Usage(tokens_in=1000, tokens_out=70, cached=400)), program)


@each(DIALECTS)
def test_what_the_provider_does_not_count_is_estimated(dialect: Dialect):
    async def program(server: LoopbackProvider) -> None:
        found = await dialect.model(server).complete("four" * 10)
        assert found.text == TEXT
        assert found.usage == Usage(tokens_in=10, tokens_out=len(TEXT) // 4, is_estimate=True)

    served("asyncio", Reply(text=TEXT, reports_usage=False), program)


@each(FORMATS)
@pytest.mark.parametrize("finish", list(Finish))
def test_why_an_answer_ended(dialect: Dialect, finish: Finish):
    async def program(server: LoopbackProvider) -> None:
        found = await dialect.model(server).complete("?")
        assert found.text == TEXT
        # The responses format has no other ends than these, and Mistral's none for what is withheld.
        missing = {("openai-responses", Finish.OTHER): Finish.STOP, ("mistral", Finish.FILTERED): Finish.OTHER}
        assert found.finish is missing.get((dialect.provider, finish), finish)

    served("asyncio", Reply(text=TEXT, finish=finish), program)


@each(DIALECTS)
@pytest.mark.parametrize("reply", [Reply(text=""), Reply(text="x", pieces=1), Reply(text="ß" * 999, pieces=999)])
def test_answers_of_any_size_and_in_any_pieces(dialect: Dialect, reply: Reply):
    async def program(server: LoopbackProvider) -> None:
        assert (await dialect.model(server).complete("?")).text == reply.text

    served("asyncio", reply, program)


def test_a_stream_that_is_called_something_else_is_a_stream_all_the_same():
    async def program(server: LoopbackProvider) -> None:
        assert (await DIALECTS[1].model(server).complete("?")).text == TEXT

    served("asyncio", Reply(text=TEXT, headers={"content-type": "text/plain"}), program)


# -- what is refused ---------------------------------------------------------------------------------------------------


@each(FORMATS)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_what_is_refused_is_asked_once(dialect: Dialect, status: int):
    async def program(server: LoopbackProvider) -> None:
        error = await failure(dialect.model(server, AGAIN))
        assert isinstance(error, CallRefused)
        assert error.status == status
        assert error.message == f"{dialect.provider}:some-model refused the call (status {status}): not so"
        assert error.where == "request req-loopback"
        assert ("key" in str(error.hint)) is (status in (401, 403))

    server = served("asyncio", Reply(status=status, text="not so"), program)
    assert len(server.asked) == 1


@each(FORMATS)
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
@pytest.mark.promise("M1")
def test_what_may_pass_is_asked_once_for_each_attempt(dialect: Dialect, status: int):
    """The libraries' own retries are off: each request that the server sees is an attempt that is recorded."""

    async def program(server: LoopbackProvider) -> None:
        found = await dialect.model(server, AGAIN).complete("?")
        assert (found.text, found.attempts) == (TEXT, 3)

    passing = Reply(status=status, text="later")
    server = served("asyncio", [passing, passing, Reply(text=TEXT)], program)
    assert len(server.asked) == 3
    server = served("asyncio", passing, lambda server: failed_as(dialect.model(server, AGAIN), status))
    assert len(server.asked) == 3


async def failed_as(model: Model, status: int) -> None:
    error = await failure(model)
    assert isinstance(error, ProviderBusy if status in (429, 503, 529) else ProviderBroken)
    assert error.status == status


@each(FORMATS)
@pytest.mark.promise("M1")
@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0.5", 0.5), ("in a while", None), ("-3", None), ("nan", None), ("", None)],
)
def test_the_pause_that_a_provider_asks_for_is_read_in_seconds(dialect: Dialect, header: str, seconds: float | None):
    async def program(server: LoopbackProvider) -> None:
        error = await failure(dialect.model(server))
        assert isinstance(error, ProviderBusy)
        assert error.retry_after == seconds

    served("asyncio", Reply(status=429, text="later", headers={"retry-after": header}), program)


@each(FORMATS)
@pytest.mark.promise("M1")
def test_the_pause_that_a_provider_asks_for_is_read_as_a_date(dialect: Dialect):
    async def program(server: LoopbackProvider) -> None:
        error = await failure(dialect.model(server))
        assert error.retry_after is not None
        assert 3000 < error.retry_after <= 3600

    when = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    served("asyncio", Reply(status=429, text="later", headers={"retry-after": when}), program)


@everywhere(FORMATS)
@pytest.mark.promise("M1")
def test_the_limiter_hears_of_the_pause(dialect: Dialect, anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        model = dialect.model(server, replace(ONCE, timeout=600.0))
        await failure(model)
        assert model._limiter.permits.limit == 2
        opens = model._limiter._pace_here().opens_at
        assert 250 < opens - anyio.current_time() <= 305

    served(anyio_backend, Reply(status=429, text="later", headers={"retry-after": "300"}), program)


@pytest.mark.promise("M1")
def test_the_pause_that_google_asks_for_is_read_from_the_body():
    """It sends no Retry-After."""
    details = [{"@type": "type.googleapis.com/google.rpc.Help"}, {"retryDelay": "34.5s"}]
    for body, seconds in [
        ({"error": {"details": details}}, 34.5),
        ({"error": {"details": []}}, None),
        ({"error": {"details": [{"retryDelay": "soon"}]}}, None),
        ({"error": "no"}, None),
        (["no"], None),
        ("no", None),
        (None, None),
    ]:
        error = ModelHTTPError(429, "some-model", body)
        assert _retry_after(error) == seconds
    assert _retry_after(ModelHTTPError(429, "m", {"error": {"details": details}}, headers={"retry-after": "7"})) == 7


def test_an_account_without_money_is_not_asked_again():
    async def program(server: LoopbackProvider) -> None:
        error = await failure(DIALECTS[4].model(server, AGAIN))
        assert isinstance(error, CallRefused)

    reply = Reply(status=400, text="Your credit balance is too low to access the Anthropic API.")
    assert len(served("asyncio", reply, program).asked) == 1


def test_a_provider_that_does_not_work_on_trio_says_so():
    async def program(server: LoopbackProvider) -> None:
        with pytest.raises(UsageError, match="what reaches mistral does not work on trio"):
            await DIALECTS[-1].model(server, AGAIN).complete("?")

    assert not served("trio", TEXT, program).asked


# -- what goes wrong on the way ----------------------------------------------------------------------------------------


@everywhere(FORMATS)
@pytest.mark.parametrize("fault", [Fault.CUT, Fault.UNENDED, Fault.MALFORMED, Fault.PAGE, Fault.OVERLOADED])
def test_half_an_answer_is_none_and_is_asked_for_again(dialect: Dialect, fault: Fault, anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        model = dialect.model(server, AGAIN)
        found = await model.complete("four" * 10)
        assert (found.text, found.attempts) == (TEXT, 2)
        # What was heard before it broke off is paid for; a page is no answer at all.
        assert found.usage.is_estimate is (fault is not Fault.PAGE)
        assert (found.usage.tokens_in > 10) is (fault is not Fault.PAGE)

    server = served(anyio_backend, [Reply(text=TEXT, fault=fault), Reply(text=TEXT)], program)
    assert len(server.asked) == 2


@each(DIALECTS)
@pytest.mark.parametrize("fault", [Fault.CUT, Fault.UNENDED, Fault.MALFORMED, Fault.PAGE, Fault.OVERLOADED])
def test_what_went_wrong_is_told(dialect: Dialect, fault: Fault):
    async def program(server: LoopbackProvider) -> None:
        error = await failure(dialect.model(server))
        # Mistral's library reads the middle of a stream as nothing but an answer.
        says_busy = fault is Fault.OVERLOADED and dialect.provider != "mistral"
        assert type(error) is (ProviderBusy if says_busy else ProviderBroken)
        assert error.is_passing
        assert error.message.startswith(f"{dialect.provider}:some-model ")

    served("asyncio", Reply(text=TEXT, fault=fault), program)


@each(DIALECTS)
def test_a_server_that_is_not_there_is_told_with_what_to_look_at(dialect: Dialect):
    async def main() -> None:
        async with LoopbackProvider(TEXT) as server:
            model = dialect.model(server)
        error = await failure(model)
        assert type(error) is ProviderBroken
        assert "Connect call failed" in error.message
        assert "whether its server runs" in str(error)

    anyio.run(main)


def test_a_page_of_a_gateway_keeps_its_status():
    async def program(server: LoopbackProvider) -> None:
        error = await failure(DIALECTS[0].model(server))
        assert (type(error), error.status) == (ProviderBroken, 502)

    served("asyncio", Reply(status=502, fault=Fault.PAGE), program)


@everywhere(FORMATS)
@pytest.mark.parametrize("fault", [Fault.HANG, Fault.STALL])
def test_what_hangs_is_cut_at_the_timeout_and_its_connection_closed(dialect: Dialect, fault: Fault, anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        model = dialect.model(server, BRIEF)
        error = await failure(model)
        assert isinstance(error, ProviderBroken)
        assert "did not answer within 0.2 s" in error.message
        await server.until(lambda it: it.aborted == len(it.asked))
        assert model.account.spent.usage.is_estimate
        assert model.account.spent.usage.tokens_in > 0

    served(anyio_backend, Reply(text=TEXT, fault=fault), program)


@everywhere(DIALECTS)
def test_a_provider_that_is_not_there(dialect: Dialect, anyio_backend: str):
    async def main() -> None:
        async with LoopbackProvider(TEXT) as server:
            pass
        model = dialect.model(server)
        error = await failure(model)
        assert isinstance(error, ProviderBroken)
        assert model.account.spent.usage == Usage(), "what was never connected costs nothing"

    anyio.run(main, backend=anyio_backend)


# -- cancelled ---------------------------------------------------------------------------------------------------------


class Listening:
    """A client whose caller can see what it has heard, and do something when it hears."""

    def __init__(self, client: Client) -> None:
        self.heard = 0
        self.on_text: Callable[[], object] = lambda: None
        self._client = client

    @property
    def provider(self) -> str:
        return self._client.provider

    @property
    def name(self) -> str:
        return self._client.name

    async def send(self, request: Request, heard: Callable[[int], None]) -> Answer:
        def listen(characters: int) -> None:
            self.heard += characters
            heard(characters)
            if characters:
                self.on_text()

        return await self._client.send(request, listen)


@everywhere(FORMATS)
@pytest.mark.promise("M8", "F4")
@pytest.mark.parametrize("fault", [Fault.HANG, Fault.STALL])
@pytest.mark.parametrize("in_a_block", [False, True])
def test_a_cancelled_call_closes_its_connection_and_what_it_cost_is_recorded(
    dialect: Dialect, fault: Fault, in_a_block: bool, tmp_path: Path, anyio_backend: str
):
    store, runs = Store(tmp_path / "store.sqlite"), []

    async def program(server: LoopbackProvider) -> None:
        async with AsyncExitStack() as stack:
            log = await stack.enter_async_context(store.record())
            shared = dialect.providers(server)
            if in_a_block:
                await stack.enter_async_context(shared)
            client = Listening(shared.model(dialect.name, Account()).client)
            async with anyio.create_task_group() as group:
                group.start_soon(shared.model_of(client, Account(log=log)).complete, "four" * 10)
                await server.until(lambda it: it.open == 1)
                while fault is Fault.STALL and not client.heard:
                    await checkpoint()
                group.cancel_scope.cancel()
            await server.until(lambda it: it.open == 0)
            assert server.aborted == 1
            runs.append(log.run)

    served(anyio_backend, Reply(text=TEXT, fault=fault), program)
    found = Run.of(store.events(runs[0]))
    (attempt,) = found.attempts.values()
    assert attempt.ended is not None
    assert (attempt.ended.end, attempt.ended.is_estimate) == (CallEnd.CANCELLED, True)
    assert attempt.ended.tokens_in == 10
    assert (attempt.ended.tokens_out > 0) is (fault is Fault.STALL)
    assert attempt.ended.cost == pytest.approx((10 * 1.0 + attempt.ended.tokens_out * 10.0) / 1e6)


@everywhere(FORMATS)
@pytest.mark.promise("F8", "M8")
@pytest.mark.parametrize("in_a_block", [False, True])
def test_cancelled_at_any_await_no_request_is_left_open(
    dialect: Dialect, in_a_block: bool, tmp_path: Path, anyio_backend: str
):
    """Wherever it comes: while connecting, sending, listening, closing, or recording."""
    store, runs, steps = Store(tmp_path / "store.sqlite"), [], 0

    async def program(server: LoopbackProvider) -> None:
        nonlocal steps
        async with AsyncExitStack() as stack:
            log = await stack.enter_async_context(store.record())
            runs.append(log.run)
            shared = dialect.providers(server)
            if in_a_block:
                await stack.enter_async_context(shared)
            model = shared.model(dialect.name, Account(log=log))
            while await cancelled_at(steps, lambda: model.complete("?")):
                steps += 1
                await server.until(lambda it: it.open == 0)
                assert model._limiter.permits.in_flight == 0
                assert not model.account._held
            # And it still works.
            assert (await model.complete("?")).text == TEXT

    served(anyio_backend, Reply(text=TEXT, pieces=2), program)
    found = Run.of(store.events(runs[0]))
    assert steps > 5
    assert not found.spent.open
    assert found.spent.cancelled > 5
    assert found.spent.failed == 0


@everywhere(FORMATS)
@pytest.mark.promise("F4", "M8")
def test_an_answer_that_is_left_at_any_await_is_not_left_open(dialect: Dialect, anyio_backend: str):
    """Connections are kept here, so that none ends but that of the answer."""

    async def program(server: LoopbackProvider) -> None:
        shared = dialect.providers(server)
        kept = shared.model(dialect.name, Account()).client
        assert isinstance(kept, VendorClient)
        async with kept:
            client, steps = Listening(kept), 0
            model = shared.model_of(client, Account())

            async def left() -> None:
                with anyio.CancelScope() as enough:
                    client.on_text = enough.cancel
                    await model.complete("?")

            while await cancelled_at(steps, left):
                steps += 1
                with anyio.fail_after(10):
                    await server.until(lambda it: it.open == 0)
            assert steps > 5

    served(anyio_backend, Reply(text=TEXT, fault=Fault.STALL), program)


# -- many at once ------------------------------------------------------------------------------------------------------


@pytest.mark.promise("M1")
@everywhere(FORMATS)
def test_the_server_never_sees_more_than_the_cap(dialect: Dialect, anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        async with dialect.providers(server, replace(ONCE, concurrency=3)) as shared:
            async with anyio.create_task_group() as group:
                for _ in range(4):
                    model = shared.model(dialect.name, Account())
                    for _ in range(5):
                        group.start_soon(model.complete, "?")

    server = served(anyio_backend, Reply(text=TEXT, latency=0.005), program)
    assert len(server.asked) == 20
    assert server.peak == 3
    if dialect.provider != "mistral":  # whose library closes connections with the end mark still unread
        assert server.connections <= 6


@pytest.mark.promise("M1")
def test_the_server_never_sees_more_than_the_cap_of_one_process(anyio_backend: str):
    """However many `Providers` are made in it, and whatever they say: the strictest of them holds."""
    dialect = DIALECTS[0]

    async def program(server: LoopbackProvider) -> None:
        async with AsyncExitStack() as stack:
            models = []
            for concurrency in (3, 9, 5):
                shared = dialect.providers(server, replace(ONCE, concurrency=concurrency))
                models.append((await stack.enter_async_context(shared)).model(dialect.name, Account()))
            async with anyio.create_task_group() as group:
                for model in models:
                    for _ in range(8):
                        group.start_soon(model.complete, "?")

    server = served(anyio_backend, Reply(text=TEXT, latency=0.005), program)
    assert len(server.asked) == 24
    assert server.peak == 3


@pytest.mark.promise("M1")
def test_what_one_hears_of_a_provider_slows_down_all_that_call_it_and_no_others(anyio_backend: str):
    dialect = DIALECTS[0]
    busy = Reply(status=429, text="later", headers={"retry-after": "300"})

    async def program(server: LoopbackProvider) -> None:
        async with LoopbackProvider(TEXT) as elsewhere:
            heard, other = (dialect.model(server, BRIEF) for _ in range(2))
            apart = dialect.model(elsewhere, BRIEF)
            await failure(heard)
            with pytest.raises(ProviderBusy, match="is not called for another 30"):
                await other.complete("?")
            assert other._limiter.permits.limit == 2
            assert (await apart.complete("?")).text == TEXT
            assert apart._limiter.permits.limit == 4

    server = served(anyio_backend, busy, program)
    assert len(server.asked) == 1


@pytest.mark.promise("M1")
def test_with_a_provider_that_takes_fewer_every_call_comes_through_in_the_end(anyio_backend: str):
    """It takes two at once; we begin with eight. The cap is found, tried again, and found again."""
    dialect, settings = DIALECTS[1], replace(AGAIN, concurrency=8, attempts=50, backoff=0.002)
    limits = []

    async def main() -> None:
        async with LoopbackProvider(Reply(text=TEXT, latency=0.002), cap=2) as server:
            async with dialect.providers(server, settings) as shared:
                model = shared.model(dialect.name, Account())
                found = []

                async def call() -> None:
                    found.append(await model.complete("?"))
                    limits.append(shared.limiter(dialect.provider).permits.limit)

                async with anyio.create_task_group() as group:
                    for _ in range(40):
                        group.start_soon(call)
                assert len(found) == 40
                assert {each.text for each in found} == {TEXT}
                assert len(server.asked) == sum(each.attempts for each in found)
                assert server.peak <= 8
                assert min(limits) <= 2
                refused = len(server.asked) - 40
                assert refused < 40, "most requests were not in vain"

    anyio.run(main, backend=anyio_backend)


@pytest.mark.promise("M1")
def test_a_storm_at_one_provider_leaves_the_others_throughput_unharmed(anyio_backend: str):
    """The storm goes on until the other provider has answered all of its calls, so a call of that one that waited for
    the storm would wait for ever. And it is asked as many at once as ever."""
    calls = 40

    async def main() -> None:
        calm_done = anyio.Event()

        def stormy_script(asked: Asked) -> Reply:
            if calm_done.is_set():
                return Reply(text=TEXT)
            return Reply(status=429, text="storm", headers={"retry-after": "0.01"})

        async with LoopbackProvider(stormy_script) as stormy, LoopbackProvider(Reply(text=TEXT, latency=0.003)) as calm:
            settings = replace(AGAIN, attempts=10_000, concurrency=4)
            shared = Providers(
                {
                    "openai": replace(settings, base_url=f"{stormy.url}/v1"),
                    "anthropic": replace(settings, base_url=calm.url),
                },
                environment=ENVIRONMENT,
            )
            account, found = Account(), []

            async def call(name: str) -> None:
                found.append(await shared.model(name, account).complete("?"))

            async with shared, anyio.create_task_group() as group:
                for _ in range(10):
                    group.start_soon(call, "openai:m")
                await stormy.until(lambda it: len(it.asked) >= 4)
                for _ in range(calls):
                    group.start_soon(call, "anthropic:m")
                await calm.until(lambda it: len(it.asked) == calls and it.open == 0)
                assert shared.limiter("openai").permits.limit == 1, "the storm went on all the time"
                assert shared.limiter("anthropic").permits.limit == 4
                assert calm.peak == 4
                calm_done.set()
            assert len(found) == 10 + calls
            calm_ones = [each for each in found if each.model == "anthropic:m"]
            assert all(each.attempts == 1 and each.backed_off == 0 for each in calm_ones)

    anyio.run(main, backend=anyio_backend)
