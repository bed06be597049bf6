"""All that the calls of one process share: a limiter for each provider, prices, keys, open clients."""

from __future__ import annotations

import difflib
import secrets
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from random import Random
from threading import get_ident
from typing import TYPE_CHECKING, Final, Self

from bakeoff.errors import UnknownModel
from bakeoff.models.keys import key_of
from bakeoff.models.limiter import Limiter, Place, shared_limiter
from bakeoff.models.model import Model
from bakeoff.models.prices import Prices
from bakeoff.models.settings import ProviderSettings
from bakeoff.models.vendors import KNOWN, open_client

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from bakeoff.models.account import Account
    from bakeoff.models.exchange import Client, Completion, Request
    from bakeoff.models.keys import Secret

__all__ = ["ProviderSettings", "Providers"]

_DEFAULT: Final = ProviderSettings()


class Providers:
    """Makes models. Whatever is made by these keeps to one set of limits for each provider, whoever uses it.

    Those limits are one for all of these objects where they call the same provider at the same address with the same
    key in the same thread; of different settings the stricter hold, for as long as any of them lives. Providers that
    are not known, whose clients are somebody else's, have limits for each of these objects.

    In a block of `async with`, connections are kept between the calls that are made in it. Without one, each lasts as
    long as there are calls that use it.
    """

    def __init__(
        self,
        settings: Mapping[str, ProviderSettings] | None = None,
        *,
        environment: Mapping[str, str],
        prices: Prices | None = None,
        random: Random | None = None,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self.prices = prices or Prices()
        self._settings = dict(settings or {})
        self._environment = environment
        self._random = random or Random()  # noqa: S311 - spreads attempts in time
        self._entropy = entropy
        self._limiters: dict[tuple[int, str], Limiter] = {}
        self._keys: dict[str, Secret | None] = {}
        self._clients: dict[str, Client] = {}
        self._block: AsyncExitStack | None = None
        self._kept: list[Client] = []  # those whose connections last as long as the block

    async def __aenter__(self) -> Self:
        self._block = AsyncExitStack()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        block, self._block, self._kept = self._block, None, []
        if block is not None:
            await block.aclose()

    def limiter(self, provider: str) -> Limiter:
        """The one limiter of a provider in this thread."""
        thread = get_ident()
        if (thread, provider) not in self._limiters:
            self._limiters[thread, provider] = self._limiter_of(provider, thread)
        return self._limiters[thread, provider]

    def model(
        self, name: str, account: Account, *, recall: Callable[[str, Request], Completion | None] | None = None
    ) -> Model:
        """The model of this name, `provider:model`. This imports what reaches it, which may take seconds. What `recall`
        knows of a request to a model is its answer, and no call is made.

        Raises UnknownModel, KeyMissing or ClientMissing.
        """
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = self._open(name)
        return self.model_of(client, account, recall=recall)

    def model_of(
        self,
        client: Client,
        account: Account,
        *,
        recall: Callable[[str, Request], Completion | None] | None = None,
    ) -> Model:
        """A model that is reached by any client."""
        # What is read from disk, or from a keyring, is read now, and not when the first call is made.
        self.prices.rates(client.name)
        self.limiter(client.provider)
        return Model(
            client,
            account,
            limiter=partial(self.limiter, client.provider),
            prices=self.prices,
            settings=self._settings_of(client.provider),
            random=self._random,
            entropy=self._entropy,
            ready=self._keep,
            recall=recall,
        )

    def _open(self, name: str) -> Client:
        provider, colon, model = name.partition(":")
        if not (colon and model):
            raise UnknownModel(name, why="it is not `provider:model`", hint=_meant(name, ""))
        if provider not in KNOWN:
            raise UnknownModel(name, why=f"no provider is called {provider!r}", hint=_meant(provider, f":{model}"))
        return open_client(name, self._settings_of(provider), self._key(provider))

    def _key(self, provider: str) -> Secret | None:
        variable = self._settings_of(provider).key_variable or KNOWN[provider].key_variable
        key = self._keys[provider] = key_of(provider, self._environment, variable)
        return key

    def _limiter_of(self, provider: str, thread: int) -> Limiter:
        settings = self._settings_of(provider)
        if provider not in KNOWN:
            return Limiter(provider, settings, random=self._random)
        key = self._keys[provider] if provider in self._keys else self._key(provider)
        address = None if settings.base_url is None else settings.base_url.rstrip("/")
        place = Place(thread=thread, provider=provider, base_url=address, key=key)
        return shared_limiter(place, settings, random=self._random)

    async def _keep(self, client: Client) -> None:
        """Hold a client's connections open until the block ends."""
        if self._block is None or client in self._kept or not isinstance(client, AbstractAsyncContextManager):
            return
        self._kept.append(client)
        await self._block.enter_async_context(client)

    def _settings_of(self, provider: str) -> ProviderSettings:
        return self._settings.get(provider, _DEFAULT)


def _meant(provider: str, rest: str) -> str:
    close = difflib.get_close_matches(provider.lower(), KNOWN, n=1)
    meant = f"did you mean {close[0]}{rest or ':…'}? " if close else ""
    return f"{meant}the providers are {', '.join(KNOWN)}"
