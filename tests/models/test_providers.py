"""Models by name: who is known, what is missing, what all calls of a process share."""

from __future__ import annotations

import gc
import subprocess
import sys
from contextlib import AsyncExitStack
from functools import partial
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import anyio
import anyio.to_thread
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import ClientMissing, KeyMissing, UnknownModel, UsageError
from bakeoff.models import Account, Limiter, Providers, ProviderSettings
from bakeoff.models.vendors import KNOWN
from bakeoff.testing.models import ScriptedClient, ScriptedModel
from bakeoff.testing.provider import LoopbackProvider, serving
from virtual_clock import run

KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GOOGLE_API_KEY": "k", "MISTRAL_API_KEY": "k"}


@pytest.fixture(autouse=True)
def without_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the keyring of whoever runs the tests holds is no affair of theirs."""
    monkeypatch.setitem(sys.modules, "keyring", None)


def opened(name: str, settings: ProviderSettings | None = None, environment: dict[str, str] | None = None) -> None:
    provider = name.partition(":")[0]
    shared = Providers(
        {provider: settings} if settings else {}, environment=KEYS if environment is None else environment
    )
    assert shared.model(name, Account()).name == name


@pytest.mark.parametrize(
    ("name", "says", "hint"),
    [
        ("opanai:gpt-5", "no provider is called 'opanai'", "did you mean openai:gpt-5?"),
        ("OpenAI:gpt-5", "no provider is called 'OpenAI'", "did you mean openai:gpt-5?"),
        ("antropic:claude", "no provider is called 'antropic'", "did you mean anthropic:claude?"),
        ("openai-compatable:x:y", "no provider", "did you mean openai-compatible:x:y?"),
        ("gpt-5", "it is not `provider:model`", "the providers are openai, "),
        ("anthropic", "it is not `provider:model`", "did you mean anthropic:…?"),
        ("openai:", "it is not `provider:model`", "did you mean openai:…?"),
        (":x", "no provider is called ''", "the providers are openai, "),
        ("", "it is not `provider:model`", "the providers are openai, "),
    ],
)
def test_a_name_that_is_not_known_says_what_may_have_been_meant(name: str, says: str, hint: str):
    with pytest.raises(UnknownModel) as caught:
        opened(name)
    assert says in caught.value.message
    assert hint in str(caught.value.hint)
    assert caught.value.exit_code == 2


@given(st.text())
def test_whatever_is_said_it_is_a_model_or_a_usage_error(name: str):
    try:
        Providers(environment={}).model(name, Account())
    except (UsageError, KeyMissing):
        pass
    else:
        assert name.startswith("ollama:")


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "google", "mistral"])
def test_without_a_key_the_error_says_where_it_would_be_looked_for(provider: str):
    with pytest.raises(KeyMissing) as caught:
        opened(f"{provider}:m", environment={})
    assert caught.value.message == f"there is no key for {provider}"
    assert f"set {KNOWN[provider].key_variable}" in str(caught.value.hint)
    assert f"keyring set bakeoff {provider}" in str(caught.value.hint)
    with pytest.raises(KeyMissing) as caught:
        opened(f"{provider}:m", ProviderSettings(key_variable="OURS"), {**KEYS, "OURS": " \n"})
    assert "set OURS" in str(caught.value.hint), "the usual variable is not taken where another one was named"


def test_servers_of_ones_own_need_no_key_but_an_address():
    opened("ollama:llama", environment={})
    opened("openai-compatible:any", ProviderSettings(base_url="http://127.0.0.1:1/v1"), {})
    with pytest.raises(UsageError, match="openai-compatible:any needs the address of its server") as caught:
        opened("openai-compatible:any", environment={})
    assert "--base-url" in str(caught.value.hint)


@pytest.mark.parametrize(("provider", "extra"), [("google", "google"), ("mistral", "mistral")])
def test_a_client_that_is_not_installed_is_named_with_what_brings_it(
    provider: str, extra: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, f"pydantic_ai.models.{provider}", None)
    with pytest.raises(ClientMissing) as caught:
        opened(f"{provider}:m")
    assert caught.value.message == f"what reaches {provider} is not installed"
    assert caught.value.hint == f"pip install 'bakeoff[{extra}]' brings it"
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("provider", sorted(KNOWN))
def test_without_any_of_the_packages_every_provider_says_so(provider: str, monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in sys.modules if name.partition(".")[0] in ("pydantic_ai", "openai", "anthropic")]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("pydantic_ai", "openai", "anthropic"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ClientMissing, match=f"what reaches {provider} is not installed"):
        opened(f"{provider}:m", ProviderSettings(base_url="http://127.0.0.1:1"))


def test_the_extras_that_are_named_exist():
    assert {vendor.extra for vendor in KNOWN.values()} <= set(
        metadata.metadata("bakeoff").get_all("Provides-Extra", [])
    )


def test_nothing_of_a_vendor_is_imported_before_a_model_is_opened():
    """It takes seconds, and who uses no model should have neither those nor the packages."""
    code = """
import sys
import bakeoff.models, bakeoff.config, bakeoff.testing.models, bakeoff.testing.provider, bakeoff.sampling
bakeoff.models.Providers(environment={}, prices=bakeoff.models.Prices())
theirs = ("pydantic", "pydantic_ai", "openai", "anthropic", "mistralai", "google", "httpx", "httpx2", "genai_prices",
          "keyring", "jsonschema")
print(sorted(name for name in sys.modules if name.partition(".")[0] in theirs))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_python_says_when_it_compiles_a_library_is_no_error_of_a_model(tmp_path: Path):
    """Google's has an escape that Python warns of, once: when it is imported for the first time."""
    code = """
from bakeoff.models import Account, Providers
Providers(environment={"GOOGLE_API_KEY": "k"}).model("google:m", Account())
"""
    fresh = [sys.executable, "-W", "error", "-X", f"pycache_prefix={tmp_path}", "-c", code]
    done = subprocess.run(fresh, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.promise("M1")
def test_all_models_of_a_provider_share_its_limits_and_no_others(anyio_backend: str):
    async def main() -> None:
        shared = Providers({"a": ProviderSettings(concurrency=2), "b": ProviderSettings(concurrency=3)}, environment={})
        clients = [ScriptedClient("x", name=name, latency=1.0) for name in ("a:one", "a:two", "b:one")]
        peaks = dict.fromkeys("ab", 0)

        async def watch() -> None:
            while True:
                for name in peaks:
                    opened = sum(client.open for client in clients if client.provider == name)
                    peaks[name] = max(peaks[name], opened)
                await anyio.sleep(0.25)

        async with anyio.create_task_group() as watching:
            watching.start_soon(watch)
            async with anyio.create_task_group() as group:
                for client in clients:
                    for account in (Account(), Account()):
                        for _ in range(4):
                            group.start_soon(shared.model_of(client, account).complete, "?")
            watching.cancel_scope.cancel()
        assert peaks == {"a": 2, "b": 3}
        assert shared.limiter("a").permits.peak == 2
        assert shared.limiter("b").permits.peak == 3
        assert shared.limiter("c").permits.limit == 4

    run(main, anyio_backend)


@pytest.mark.promise("M1")
def test_what_calls_one_provider_shares_its_limits_whoever_made_it(anyio_backend: str):
    async def main() -> None:
        most = {"openai": ProviderSettings(concurrency=3)}
        several = [Providers(most, environment=KEYS) for _ in range(3)]
        client = ScriptedClient("x", name="openai:m", latency=1.0)
        async with anyio.create_task_group() as group:
            for shared in several:
                model = shared.model_of(client, Account())
                for _ in range(4):
                    group.start_soon(model.complete, "?")
        assert client.peak == 3
        assert len(client.requests) == 12

    run(main, anyio_backend)


def test_limits_are_of_a_provider_at_an_address_for_a_key():
    def made(provider: str = "openai", *, key: str = "k", **said: Any) -> Providers:
        made = Providers({provider: ProviderSettings(**said)}, environment={"OPENAI_API_KEY": key, "MINE": "k"})
        kept.append(made)
        return made

    kept: list[Providers] = []
    usual = made().limiter("openai")
    assert made().limiter("openai") is usual
    assert made(key_variable="MINE").limiter("openai") is usual, "another variable, the same account"
    assert made(key="other").limiter("openai") is not usual
    assert made("openai-responses").limiter("openai-responses") is not usual
    near = made(base_url="http://127.0.0.1:1/v1").limiter("openai")
    assert near is not usual
    assert made(base_url="http://127.0.0.1:1/v1/").limiter("openai") is near
    assert made(base_url="http://127.0.0.1:2/v1").limiter("openai") is not near
    # What is not known is reached by a client of somebody's own, and nobody can say where.
    assert made("scripted").limiter("scripted") is not made("scripted").limiter("scripted")
    one, other = ScriptedModel("x", name="openai:m"), ScriptedModel("x", name="openai:m")
    assert usual is not one._limiter is not other._limiter is not usual


def test_of_different_settings_the_stricter_hold():
    loose = Providers({"openai": ProviderSettings(concurrency=9)}, environment=KEYS)
    assert loose.limiter("openai").permits.limit == 9
    strict = Providers({"openai": ProviderSettings(concurrency=2)}, environment=KEYS)
    assert strict.limiter("openai").permits.limit == loose.limiter("openai").permits.limit == 2


def test_limits_are_forgotten_with_the_last_who_keeps_to_them(anyio_backend: str):
    def made() -> Providers:
        return Providers(environment=KEYS)

    async def main() -> None:
        first, second = made(), made()
        model = first.model_of(ScriptedClient("x", name="openai:m"), Account())
        async with first.limiter("openai").slot(0) as slot:
            first.limiter("openai").refused(slot, 0.0)
        assert second.limiter("openai").permits.limit == 2
        del first, second, slot
        gc.collect()
        assert made().limiter("openai").permits.limit == 2, "a model still has them"
        assert (await model.complete("?")).text == "x"
        del model
        gc.collect()
        assert made().limiter("openai").permits.limit == 4

    run(main, anyio_backend)


def test_each_thread_has_limits_of_its_own_wherever_models_were_made(anyio_backend: str):
    """Nobody wakes the tasks of another thread. A model that is made here may be called in an event loop there."""

    async def main() -> None:
        here, there = (Providers(environment=KEYS) for _ in range(2))
        clients = [ScriptedClient("x", name="openai:m", latency=0.001) for _ in range(2)]
        models = [shared.model_of(client, Account()) for shared, client in zip((here, there), clients, strict=True)]

        def in_a_thread() -> Limiter:
            assert there.limiter("openai") is not usual

            async def calls() -> None:
                async with anyio.create_task_group() as group:
                    for _ in range(20):
                        group.start_soon(models[1].complete, "?")

            anyio.run(calls, backend=anyio_backend)
            return there.limiter("openai")

        usual = here.limiter("openai")
        assert there.limiter("openai") is usual
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(models[0].complete, "?")
            theirs = await anyio.to_thread.run_sync(in_a_thread)
        assert [client.peak for client in clients] == [4, 4]
        assert theirs.permits.peak == 4

    anyio.run(main, backend=anyio_backend)


def test_what_is_left_to_chance_is_decided_by_the_random_that_is_handed_in():
    def lengthened(seed: int) -> float:
        return Providers(environment={}, random=Random(seed)).limiter("a").lengthened(30)

    assert lengthened(1) == lengthened(1) != lengthened(2)


@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")  # of the vendors' libraries, on trio
def test_in_a_block_calls_share_connections_and_without_one_none_is_left(anyio_backend: str):
    async def main() -> None:
        async with LoopbackProvider("yes") as provider:
            settings = {"openai-compatible": ProviderSettings(base_url=f"{provider.url}/v1")}
            async with Providers(settings, environment={}) as shared:
                model = shared.model("openai-compatible:m", Account())
                for _ in range(3):
                    await model.complete("?")
                assert provider.connections == 1
                async with anyio.create_task_group() as group:
                    for _ in range(10):
                        group.start_soon(model.complete, "?")
                assert provider.connections <= 4
            before = provider.connections
            loose = Providers(settings, environment={}).model("openai-compatible:m", Account())
            for _ in range(3):
                await loose.complete("?")
            assert provider.connections == before + 3
            await provider.until(lambda it: it.open == 0)

    anyio.run(main, backend=anyio_backend)


@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
def test_models_work_in_one_loop_after_another(anyio_backend: str):
    with serving("yes") as provider:
        settings = {"openai-compatible": ProviderSettings(base_url=f"{provider.url}/v1", attempts=1)}
        shared = Providers(settings, environment={})
        model = shared.model("openai-compatible:m", Account())

        async def main(*, in_a_block: bool) -> None:
            async with AsyncExitStack() as stack:
                if in_a_block:
                    await stack.enter_async_context(shared)
                async with anyio.create_task_group() as group:
                    for _ in range(6):
                        group.start_soon(model.complete, "?")

        for in_a_block in (True, False):
            for backend in (anyio_backend, anyio_backend, "trio", "asyncio"):
                anyio.run(partial(main, in_a_block=in_a_block), backend=backend)
        assert len(provider.asked) == 48
        assert provider.peak == 4
