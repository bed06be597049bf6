"""What a provider sees of a sampling: real client libraries, real HTTP on this machine."""

from __future__ import annotations

import anyio
import pytest

from bakeoff.models import Account, Providers, ProviderSettings
from bakeoff.sampling import Hooks, MajorityVote, NothingSampled, Rejection, RepairTemplate, sample
from bakeoff.testing.provider import Fault, LoopbackProvider, Reply
from sampling.samplings import Boom, is_good

pytestmark = pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")  # of the vendors' libraries, on trio

KEYS = {"OPENAI_API_KEY": "key", "ANTHROPIC_API_KEY": "key"}
MODELS = ["openai:m", "openai-responses:m", "anthropic:m"]
HANGING = Reply(text="bad", fault=Fault.HANG)


def model_at(provider: LoopbackProvider, name: str = "openai:m", *, concurrency: int = 99, account=None):
    settings = ProviderSettings(base_url=provider.url, concurrency=concurrency, backoff=0.0)
    return Providers(dict.fromkeys(("openai", "openai-responses", "anthropic"), settings), environment=KEYS).model(
        name, account or Account()
    )


@pytest.mark.promise("S2", "F4")
@pytest.mark.parametrize("name", MODELS)
def test_after_the_first_success_no_request_is_open_at_the_provider(name: str, anyio_backend: str):
    """Seven of eight hang, some before the first byte and some in the middle; the good one comes when all are open."""
    stalled = Reply(text="half of this comes", fault=Fault.STALL)

    async def main() -> None:
        def answer(asked):
            return [HANGING, stalled][asked.index % 2] if asked.index < 7 else "good"

        async with LoopbackProvider(answer) as provider:
            result = await sample("?", model_at(provider, name), [is_good], concurrency_budget=8)
            assert result.success
            assert (result.generated, result.completed, result.cancelled) == (8, 1, 7)
            await provider.until(lambda it: it.open == 0)
            assert (provider.peak, provider.aborted, len(provider.asked)) == (8, 7, 8)
            assert result.usage.is_estimate

    anyio.run(main, backend=anyio_backend)


@pytest.mark.promise("S1", "S2", "M1")
def test_what_waits_for_the_provider_is_never_sent_once_one_is_valid(anyio_backend: str):
    async def main() -> None:
        script = ["bad", "bad", "good"]
        async with LoopbackProvider(lambda asked: script[min(asked.index, 2)]) as provider:
            account = Account()
            model = model_at(provider, concurrency=1, account=account)
            result = await sample("?", model, [is_good], concurrency_budget=16)
            assert result.success
            assert provider.open == 0
            # While the third one is judged, the fourth may set out.
            assert 3 <= len(provider.asked) <= result.generated <= 4
            assert (result.completed, result.cancelled) == (3, result.generated - 3)
            assert account.spent.usage == result.usage

    anyio.run(main, backend=anyio_backend)


@pytest.mark.promise("S2", "F4")
@pytest.mark.parametrize("how", ["hook", "cancelled", "vote"])
def test_however_a_call_ends_no_request_is_open_afterwards(how: str, anyio_backend: str):
    async def main() -> None:
        async with LoopbackProvider(lambda asked: "good" if asked.index < 2 else HANGING) as provider:
            seen = []

            async def on_iteration(found) -> None:
                await provider.until(lambda it: len(it.asked) == 4 and it.open == 2)
                seen.append(found)
                if how == "hook":
                    raise Boom
                if how == "cancelled":
                    scope.cancel()
                    await anyio.sleep_forever()

            strategy = MajorityVote(key=lambda _: "one") if how == "vote" else Rejection()
            with anyio.CancelScope() as scope:
                call = sample(
                    "?",
                    model_at(provider),
                    [is_good],
                    strategy=strategy,
                    concurrency_budget=4 if how != "vote" else 3,
                    hooks=Hooks(on_iteration=on_iteration if how != "vote" else None),
                )
                if how == "hook":
                    with pytest.raises(Boom):
                        await call
                else:
                    await call
            await provider.until(lambda it: it.open == 0)
            assert provider.aborted == (1 if how == "vote" else 2)

    anyio.run(main, backend=anyio_backend)


@pytest.mark.promise("S3", "S11")
def test_a_provider_that_refuses_everything_is_told_of_with_its_own_words(anyio_backend: str):
    async def main() -> None:
        async with LoopbackProvider(Reply(status=400, text="no such model")) as provider:
            with pytest.raises(NothingSampled) as caught:
                await sample("?", model_at(provider), [is_good], loop_budget=3, concurrency_budget=2)
            assert len(caught.value.exceptions) == 2
            assert "no such model" in str(caught.value)
            assert len(provider.asked) == 2, "a refusal is not tried again"
            assert caught.value.result.usage.tokens_out == 0

    anyio.run(main, backend=anyio_backend)


@pytest.mark.promise("S8", "S11")
def test_repair_at_a_provider_and_what_it_says_was_used(anyio_backend: str):
    async def main() -> None:
        async with LoopbackProvider(["bad", Reply(status=429, text="slow down"), "good"]) as provider:
            result = await sample("Answer.", model_at(provider), [is_good], strategy=RepairTemplate(), loop_budget=2)
            assert result.text == "good"
            assert "- It says so: bad is not good" in provider.asked[2].text
            tokens = [found.completion.usage for found in result.samples]
            assert result.usage == tokens[0] + tokens[1]
            assert result.samples[1].completion.attempts == 2

    anyio.run(main, backend=anyio_backend)
