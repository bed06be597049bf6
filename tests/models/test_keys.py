"""Keys come from the environment or a keyring, and are seen by nobody but their provider."""

from __future__ import annotations

import copy
import logging
import pickle
import sys
import traceback
from typing import TYPE_CHECKING

import anyio
import keyring
import keyring.backend
import keyring.errors
import pytest

from bakeoff.errors import ProviderError, UsageError
from bakeoff.events import Run, RunStarted
from bakeoff.models import Account, Model, Providers, ProviderSettings, Secret
from bakeoff.models.keys import key_of
from bakeoff.models.vendors import KNOWN, _Access
from bakeoff.report import pages
from bakeoff.store import Store
from bakeoff.testing.provider import Asked, LoopbackProvider, Reply
from bakeoff.workers import PythonCall, WorkerConfig, open_backend

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = "sk-test-f00dfeed5ecret"
PROVIDERS = ("anthropic", "google", "mistral", "openai", "openai-responses")
HEADERS = ("authorization", "x-api-key", "x-goog-api-key")


class Ring(keyring.backend.KeyringBackend):
    """A keyring in memory; locked where it has nothing."""

    priority = 1.0  # type: ignore[assignment]

    def __init__(self, held: dict[tuple[str, str], str] | None) -> None:
        self.held = held

    def get_password(self, service: str, username: str) -> str | None:
        if self.held is None:
            raise keyring.errors.KeyringLocked("locked")
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError


@pytest.fixture
def ring() -> Iterator[Ring]:
    before, ring = keyring.get_keyring(), Ring({("bakeoff", "openai"): " from-the-ring\n", ("else", "openai"): "no"})
    keyring.set_keyring(ring)
    yield ring
    keyring.set_keyring(before)


def revealed(secret: Secret | None) -> str | None:
    return None if secret is None else secret.reveal()


# -- where they come from ----------------------------------------------------------------------------------------------


def test_the_environment_goes_before_the_keyring(ring: Ring):
    assert revealed(key_of("openai", {"OPENAI_API_KEY": f" {KEY}\n"}, "OPENAI_API_KEY")) == KEY
    assert revealed(key_of("openai", {"OPENAI_API_KEY": "  "}, "OPENAI_API_KEY")) == "from-the-ring"
    assert revealed(key_of("openai", {}, None)) == "from-the-ring"
    assert revealed(key_of("anthropic", {}, "ANTHROPIC_API_KEY")) is None


def test_a_keyring_that_is_locked_has_no_key_and_one_that_is_not_installed_neither(
    ring: Ring, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    ring.held = None
    with caplog.at_level(logging.INFO):
        assert key_of("openai", {}, "OPENAI_API_KEY") is None
    assert "the keyring was not read for openai" in caplog.text
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert key_of("openai", {}, "OPENAI_API_KEY") is None


# -- what they do not do -----------------------------------------------------------------------------------------------


def test_a_secret_is_hidden_wherever_it_is_printed_and_stays_where_it_is():
    secret = Secret(KEY)
    for shown in (repr(secret), str(secret), f"{secret}", f"{secret!r:>40}", "%s" % secret, repr([{"key": secret}])):  # noqa: UP031
        assert KEY not in shown
    assert secret.reveal() == KEY
    for taken in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="neither pickled nor copied"):
            taken(secret)
    assert secret == Secret(KEY) != Secret("another")
    assert len({secret, Secret(KEY), Secret("another")}) == 2
    assert secret.hidden(f"bad key {KEY}!") == "bad key Secret(…)!"
    assert KEY not in repr(_Access(model="m", base_url=None, key=KEY, http=None, ssl=None))  # type: ignore[arg-type]


def echo(asked: Asked) -> Reply:
    """Repeats the key that it was sent wherever an error can, as some do."""
    key = "".join(asked.headers.get(name, "") for name in HEADERS)
    statuses = (401, 429, 500, 400, 200)
    status = statuses[min(asked.index, 4)]
    if status == 200:
        return Reply(text="fine")
    return Reply(status=status, text=f"the key {key} will not do")


@pytest.mark.parametrize(
    ("provider", "anyio_backend"),
    [(name, "asyncio") for name in PROVIDERS] + [(name, "trio") for name in PROVIDERS if KNOWN[name].works_on_trio],
)
@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
def test_a_key_is_nowhere_but_at_its_provider(
    provider: str, tmp_path: Path, anyio_backend: str, caplog: pytest.LogCaptureFixture
):
    """Not in the store, the report, the logs of anybody, the errors and what hangs on them, the reprs."""
    store, seen = Store(tmp_path / "store.sqlite"), []

    async def main() -> str:
        async with LoopbackProvider(echo) as server, store.record() as log:
            await log.append(RunStarted(command="sample", version="1"))
            base_url = server.url + ("/mistral" if provider == "mistral" else "")
            settings = {provider: ProviderSettings(base_url=base_url, attempts=1)}
            shared = Providers(settings, environment={str(KNOWN[provider].key_variable): KEY})
            model = shared.model(f"{provider}:m", Account(log=log))
            seen.extend((repr(model), repr(vars(model)), repr(vars(model.client)), repr(settings)))
            await all_ends(model)
            assert all(KEY in "".join(asked.headers.get(name, "") for name in HEADERS) for asked in server.asked)
            assert not any(KEY in asked.path for asked in server.asked)
            return log.run

    async def all_ends(model: Model) -> None:
        for _ in range(5):
            try:
                seen.append(repr(await model.complete("?")))
            except ProviderError as error:
                seen.extend((str(error), repr(error), repr(vars(error))))
                seen.append("".join(traceback.TracebackException.from_exception(error).format()))

    with caplog.at_level(logging.DEBUG):
        run = anyio.run(main, backend=anyio_backend)
    assert "the key" in "".join(seen), "the provider's words are passed on, without the key"
    found = Run.of(store.events(run))
    assert found.spent.attempts == 5
    seen.append(caplog.text)
    seen.append(pages.page(found, text=store.text))
    seen += [str(recorded.event) for recorded in store.events(run)]
    seen += [store.text(state.began.request) for state in found.attempts.values() if state.began.request]
    for text in seen:
        assert KEY not in text
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes()


@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
def test_a_key_in_the_id_of_a_request_is_hidden_too(anyio_backend: str):
    async def main() -> None:
        reply = Reply(status=400, text="no", headers={"x-request-id": f"for {KEY}"})
        async with LoopbackProvider(reply) as server:
            settings = {"openai": ProviderSettings(base_url=server.url)}
            model = Providers(settings, environment={"OPENAI_API_KEY": KEY}).model("openai:m", Account())
            with pytest.raises(ProviderError) as caught:
                await model.complete("?")
            assert caught.value.where == "request for Secret(…)"

    anyio.run(main, backend=anyio_backend)


@pytest.mark.parametrize("key", ["sk-\u201cquoted\u201d", "sk-two\nlines", "sk-k\u00fcy"])
def test_a_key_that_cannot_be_sent_is_told_at_once_and_not_shown(key: str):
    with pytest.raises(UsageError, match="the key for openai has characters that no key has") as caught:
        Providers(environment={"OPENAI_API_KEY": key}).model("openai:m", Account())
    assert "sk-" not in str(caught.value)


@pytest.mark.promise("X5")
def test_candidate_code_does_not_see_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for vendor in KNOWN.values():
        if vendor.key_variable is not None:
            monkeypatch.setenv(vendor.key_variable, KEY)

    async def main() -> str:
        async with open_backend(WorkerConfig.from_env()) as backend:
            source = "def f():\n    import os\n    return repr(dict(os.environ))"
            return str((await backend.execute(PythonCall(function="f", source=source, directory=tmp_path))).unwrap())

    seen = anyio.run(main)
    assert "PATH" in seen
    assert KEY not in seen
