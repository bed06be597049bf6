"""All that the calls of one process share: a limiter for each provider, prices, keys, open clients."""

from __future__ import annotations

import difflib
import secrets
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from random import Random
from typing import TYPE_CHECKING, Final, Self

from bakeoff.errors import UnknownModel
from bakeoff.models.keys import key_of
from bakeoff.models.limiter import Limiter
from bakeoff.models.model import Model
from bakeoff.models.prices import Prices
from bakeoff.models.settings import ProviderSettings
from bakeoff.models.vendors import KNOWN, open_client

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from bakeoff.models.account import Account
    from bakeoff.models.exchange import Client, Completion, Request

__all__ = ["ProviderSettings", "Providers"]

_DEFAULT: Final = ProviderSettings()


class Providers:
    """Makes models. Whatever is made by one of these keeps to one set of limits, whoever uses it.

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
        self._limiters: dict[str, Limiter] = {}
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
        """The one limiter of a provider."""
        if provider not in self._limiters:
            self._limiters[provider] = Limiter(provider, self._settings_of(provider), random=self._random)
        return self._limiters[provider]

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
        self.prices.rates(client.name)  # reads the table now, and not when the first call is made
        return Model(
            client,
            account,
            limiter=self.limiter(client.provider),
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
        settings = self._settings_of(provider)
        key = key_of(provider, self._environment, settings.key_variable or KNOWN[provider].key_variable)
        return open_client(name, settings, key)

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
