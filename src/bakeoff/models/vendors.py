"""The real clients: one attempt at one request, over HTTP, by the libraries of the vendors.

    Request ──▶ pydantic-ai's `direct` request ──▶ the vendor's library ──▶ HTTP
    Answer, or a ProviderError ◀── what was streamed, or what went wrong

Nothing of theirs is imported before a client is opened: it takes seconds, and not everyone has all of it. Their own
retries are off, so that a refusal reaches our limiter with the time that it asks for. Answers are streamed: a call that
is cancelled closes its connection at once, and what was heard until then is known.

Connections belong to an event loop. They are open while somebody uses them: a call, or a block of `async with` around
many calls, which therefore share them. So none is left when the loop ends, whoever forgets to close what.
"""

from __future__ import annotations

import json
import math
import socket
import warnings
from contextlib import aclosing, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self, cast
from urllib.parse import urlsplit

import anyio
from anyio.lowlevel import RunVar, current_token

from bakeoff.errors import (
    CallRefused,
    ClientMissing,
    KeyMissing,
    ProviderBroken,
    ProviderBusy,
    ProviderError,
    UnknownModel,
    UsageError,
)
from bakeoff.models.exchange import Answer, Finish, Role, Usage

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    import httpx2
    from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
    from pydantic_ai.settings import ModelSettings

    from bakeoff.models.exchange import Request
    from bakeoff.models.keys import Secret
    from bakeoff.models.settings import ProviderSettings

__all__ = ["KNOWN", "Vendor", "VendorClient", "open_client"]

_OLLAMA = "http://localhost:11434/v1"
_NO_KEY = "none"  # the libraries want a key even where the server wants none
_CONNECTING = 30.0  # seconds that a connection may take to be made
_CLOSING = 5.0  # and to be closed in good order
_LONGEST_WORDS = 500  # of a provider's message that are passed on

_PASSING = frozenset({408, 409, 425, 429})  # of the refusals of HTTP, those that the same request may survive later
_BUSY = frozenset({429, 503, 529})


_ANSWERED: ContextVar[list[httpx2.Response]] = ContextVar("bakeoff_answered")  # to the attempt that is under way


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """A kind of provider: the environment variable that usually holds its key, and the extra of ours that brings its
    packages. `imported` imports them, and gives what makes a model of theirs."""

    imported: Callable[[], Callable[[_Access], Model]]
    extra: str
    key_variable: str | None = None
    needs_key: bool = True
    takes_seeds: bool = True
    takes_stops: bool = True
    works_on_trio: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Access:
    """What a vendor's library is told of the way to a model."""

    model: str
    base_url: str | None
    key: str = field(repr=False)
    http: httpx2.AsyncClient
    ssl: ssl.SSLContext


@dataclass(slots=True, kw_only=True)
class _Pool:
    """The connections of one event loop, and how many use them."""

    http: httpx2.AsyncClient
    model: Model
    users: int = 0


def open_client(name: str, settings: ProviderSettings, key: Secret | None) -> VendorClient:
    """The client of a model, `provider:model`. This imports the packages that reach it: the first time takes seconds.

    Raises UnknownModel, KeyMissing, ClientMissing, or UsageError for an address that is not given where one must be.
    """
    provider, _, model = name.partition(":")
    vendor = KNOWN.get(provider)
    if vendor is None or not model:
        why = "its provider is not known" if vendor is None else "it has no name after the provider's"
        raise UnknownModel(name, why=why, hint=f"name it provider:model; the providers are {', '.join(KNOWN)}")
    if provider == "openai-compatible" and settings.base_url is None:
        hint = "say where it is: --base-url, or base_url in the provider's settings"
        raise UsageError(f"{name} needs the address of its server", hint=hint)
    if key is None and vendor.needs_key:
        raise KeyMissing(provider, settings.key_variable or vendor.key_variable or "its key's variable")
    if key is not None and not key.is_sendable:
        hint = "see what is in its variable, or in the keyring: often a quote or a line that came along"
        raise UsageError(f"the key for {provider} has characters that no key has", hint=hint)
    return VendorClient(provider, model, settings=settings, key=key)


class VendorClient:
    """The client of one model of a vendor. Use it as it is, or in `async with` to keep connections between calls."""

    def __init__(self, provider: str, model: str, *, settings: ProviderSettings, key: Secret | None) -> None:
        self._vendor = KNOWN[provider]
        self._provider = provider
        self._model = model
        self._settings = settings
        self._key = key
        self._pools: RunVar[_Pool | None] = RunVar(f"connections to {provider}:{model}", None)
        try:
            self._made = self._vendor.imported()
        except ImportError as error:
            raise ClientMissing(provider, self._vendor.extra) from error
        self._ssl = _ssl(settings.base_url)  # once: reading the certificates takes longer than all the rest

    @property
    def provider(self) -> str:
        return self._provider

    @property
    def name(self) -> str:
        return f"{self._provider}:{self._model}"

    async def __aenter__(self) -> Self:
        self._enter()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._leave()

    async def send(self, request: Request, heard: Callable[[int], None]) -> Answer:
        if not self._vendor.works_on_trio and current_token().backend_class.__name__ == "TrioBackend":
            hint = "run it on asyncio, or reach the model in another way"
            raise UsageError(f"what reaches {self._provider} does not work on trio", hint=hint)
        model = self._enter()
        answered: list[httpx2.Response] = []
        token = _ANSWERED.set(answered)
        try:
            return await self._sent(model, request, heard)
        except Exception as error:  # noqa: BLE001 the vendors' code; it becomes an error of ours, with it as the cause
            failure, cause = _failure(self.name, error, self._key), error
        finally:
            _ANSWERED.reset(token)
            await _close(answered)
            await self._leave()
        # Not raised in there, where what they said would hang on it as its context. It may name the key.
        raise failure from (None if _tells(cause, self._key) else cause)

    def _enter(self) -> Model:
        """The model over connections that stay open until all who entered have left."""
        pool = self._pools.get()
        if pool is None:
            pool = self._connected()
            self._pools.set(pool)
        pool.users += 1
        return pool.model

    async def _leave(self) -> None:
        pool = self._pools.get()
        assert pool is not None
        pool.users -= 1
        if not pool.users:
            self._pools.set(None)
            with anyio.move_on_after(_CLOSING, shield=True):
                await pool.http.aclose()

    def _connected(self) -> _Pool:
        import httpx2  # noqa: PLC0415

        seconds, base_url = self._settings.timeout, self._settings.base_url
        http = httpx2.AsyncClient(
            timeout=httpx2.Timeout(seconds, connect=min(_CONNECTING, seconds), pool=None),
            # The limiter limits. A pool that held calls back would do so unseen, and in their measured time.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=self._settings.concurrency),
            verify=self._ssl,
            trust_env=not _is_near(base_url),
            event_hooks={"response": [_note]},
        )
        key = _NO_KEY if self._key is None else self._key.reveal()
        access = _Access(model=self._model, base_url=base_url, key=key, http=http, ssl=self._ssl)
        return _Pool(http=http, model=self._made(access))

    async def _sent(self, model: Model, request: Request, heard: Callable[[int], None]) -> Answer:
        from pydantic_ai.direct import model_request_stream  # noqa: PLC0415

        arriving = model_request_stream(
            model,
            _messages(request),
            model_settings=_settings(request, self._vendor, timeout=self._settings.timeout),
            model_request_parameters=_parameters(request, model),
            instrument=False,
        )
        async with arriving as stream:
            await _listen(stream, heard)
            return _answer(request, stream.get())


async def _note(response: httpx2.Response) -> None:
    _ANSWERED.get().append(response)


async def _close(answered: list[httpx2.Response]) -> None:
    """What a library has left open: not all of them close what they have not read when they are cancelled."""
    with anyio.move_on_after(_CLOSING, shield=True):
        for response in answered:
            await response.aclose()


def _ssl(base_url: str | None) -> ssl.SSLContext:
    import httpx2  # noqa: PLC0415

    return httpx2.create_ssl_context(trust_env=not _is_near(base_url))


def _is_near(base_url: str | None) -> bool:
    """Whether an address is of this machine: no proxy of the environment is asked about it."""
    return base_url is not None and urlsplit(base_url).hostname in ("127.0.0.1", "::1", "localhost")


# -- what is asked -----------------------------------------------------------------------------------------------------


def _messages(request: Request) -> list[ModelMessage]:
    from pydantic_ai import messages as theirs  # noqa: PLC0415

    def wrapped(role: Role, content: str) -> ModelMessage:
        if role is Role.ASSISTANT:
            return theirs.ModelResponse(parts=[theirs.TextPart(content)])
        part = theirs.SystemPromptPart(content) if role is Role.SYSTEM else theirs.UserPromptPart(content)
        return theirs.ModelRequest(parts=[part])

    return [wrapped(message.role, message.content) for message in request.messages]


def _settings(request: Request, vendor: Vendor, *, timeout: float) -> ModelSettings:
    settings: ModelSettings = {"max_tokens": request.max_tokens, "timeout": timeout, "max_retries": 0}
    if request.temperature is not None:
        settings["temperature"] = request.temperature
    if request.seed is not None and vendor.takes_seeds:
        settings["seed"] = request.seed
    if request.stop and vendor.takes_stops:
        settings["stop_sequences"] = list(request.stop)
    return settings


def _parameters(request: Request, model: Model) -> ModelRequestParameters:
    """Where a model cannot be held to a schema by its provider, it is told of it in the prompt."""
    from pydantic_ai.models import ModelRequestParameters  # noqa: PLC0415
    from pydantic_ai.output import OutputObjectDefinition  # noqa: PLC0415

    if request.schema is None:
        return ModelRequestParameters()
    wanted = OutputObjectDefinition(json_schema=dict(request.schema), name="answer")
    mode: Literal["native", "prompted"] = "native" if model.profile.get("supports_json_schema_output") else "prompted"
    return ModelRequestParameters(output_mode=mode, output_object=wanted)


# -- what is answered --------------------------------------------------------------------------------------------------


async def _listen(stream: StreamedResponse, heard: Callable[[int], None]) -> None:
    """Take all that comes. What a model thinks is paid for like what it says, and counts as heard."""
    from pydantic_ai import messages as theirs  # noqa: PLC0415

    heard(0)  # it has begun
    async with aclosing(cast("AsyncGenerator[ModelResponseStreamEvent]", aiter(stream))) as events:
        async for event in events:
            match event:
                case theirs.PartStartEvent(part=theirs.TextPart(content=text) | theirs.ThinkingPart(content=text)):
                    heard(len(text))
                case theirs.PartDeltaEvent(
                    delta=theirs.TextPartDelta(content_delta=text) | theirs.ThinkingPartDelta(content_delta=str(text))
                ):
                    heard(len(text))
                case _:
                    pass


def _answer(request: Request, response: ModelResponse) -> Answer:
    """Raises ProviderBroken for an answer that ended without saying that it was at its end."""
    from pydantic_ai.messages import TextPart  # noqa: PLC0415

    said = (response.provider_details or {}).get("finish_reason") or response.finish_reason == "content_filter"
    if not said or response.state == "incomplete":
        raise ProviderBroken("the answer ended without its end mark")
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    return Answer(
        text=_stopped(text, request.stop),
        usage=_usage(request, response, text),
        finish=_FINISHES.get(response.finish_reason or "", Finish.OTHER),
        request_id=response.provider_response_id,
    )


def _stopped(text: str, stops: Sequence[str]) -> str:
    """A text up to where it was to stop: not every model is stopped there by its provider."""
    for stop in stops:
        text = text.partition(stop)[0]
    return text


_FINISHES = {"stop": Finish.STOP, "length": Finish.LENGTH, "content_filter": Finish.FILTERED}


def _usage(request: Request, response: ModelResponse, text: str) -> Usage:
    usage = response.usage
    if usage.input_tokens or usage.output_tokens:
        return Usage(tokens_in=usage.input_tokens, tokens_out=usage.output_tokens, cached=usage.cache_read_tokens)
    asked = sum(len(message.content) for message in request.messages)
    return Usage(tokens_in=asked // 4 or 1, tokens_out=len(text) // 4 or 1, is_estimate=True)


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def _failure(name: str, error: Exception, key: Secret | None) -> ProviderError:
    """An error of ours that says what one of theirs says, without the key."""
    from pydantic_ai import exceptions as theirs  # noqa: PLC0415

    if isinstance(error, ProviderBroken):  # said by us: what came was read, and was not all
        return ProviderBroken(f"{name} did not answer: {error.message}")
    status = error.status_code if isinstance(error, theirs.ModelHTTPError) else None
    words, request = _words(error), _request_id(error)
    if isinstance(error, theirs.ModelConnectionError):
        words = f"{words.removesuffix('.')}: {_origin(error)}"
    if key is not None:
        words, request = key.hidden(words), key.hidden(request)
    kind = _kind(error, status)
    did = _DID[kind] if status is None else f"{_DID[kind]} (status {status})"
    return kind(
        f"{name} {did}: {words}",
        status=status,
        retry_after=_retry_after(error),
        where=request or None,
        hint=_HINTS.get(status) if status is not None else _unreached(error),
    )


_DID: Mapping[type[ProviderError], str] = {
    CallRefused: "refused the call",
    ProviderBusy: "is busy",
    ProviderBroken: "did not answer",
}

_HINTS = {
    401: "see whether the key is right, and is this provider's",
    403: "see whether the key may use this model",
    404: "see whether the model is named right, and base_url where one is given",
}


def _kind(error: Exception, status: int | None) -> type[ProviderError]:
    from pydantic_ai import exceptions as theirs  # noqa: PLC0415

    # Some say 429 to an account without money, and some 400: neither will pass by waiting.
    if isinstance(error, theirs.ModelQuotaExceededError | theirs.ModelContextWindowExceededError | theirs.UserError):
        return CallRefused
    if isinstance(error, theirs.ModelRateLimitError | theirs.ModelUnavailableError) or status in _BUSY:
        return ProviderBusy
    if isinstance(error, theirs.ModelRequestRejectedError):
        return CallRefused
    if status is not None and status < HTTPStatus.INTERNAL_SERVER_ERROR and status not in _PASSING:
        return CallRefused
    return ProviderBroken


def _words(error: Exception) -> str:
    """What a provider says is wrong, or what its library says."""
    said: object = getattr(error, "body", None)
    if isinstance(said, str):
        with suppress(ValueError):
            said = json.loads(said)
    for name in ("error", "message"):
        if isinstance(said, dict) and said.get(name):
            said = said[name]
    words = said if isinstance(said, str) else str(error) or type(error).__name__
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST_WORDS else words[:_LONGEST_WORDS] + "…"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error, and what it comes from; of several at once the first."""
    following: BaseException | None = error
    seen: list[BaseException] = []
    while following is not None and not any(following is one for one in seen):
        seen.append(following)
        yield following
        first = following.exceptions[0] if isinstance(following, BaseExceptionGroup) else None
        following = first or following.__cause__ or following.__context__


def _origin(error: BaseException) -> BaseException:
    """What it all began with: they say no more than that there is no connection."""
    return list(_chain(error))[-1]


def _unreached(error: Exception) -> str | None:
    if isinstance(_origin(error), ConnectionRefusedError | socket.gaierror):
        return "see whether its server runs, and whether base_url is right where one is given"
    return None


def _headers(error: Exception) -> Mapping[str, str]:
    return getattr(error, "headers", None) or {}


def _request_id(error: Exception) -> str:
    headers = _headers(error)
    found = headers.get("x-request-id") or headers.get("request-id")
    return f"request {found}" if found else ""


def _retry_after(error: Exception) -> float | None:
    """The seconds that a provider asks to wait. Their library knows whole seconds, dates and milliseconds."""
    known: float | None = getattr(error, "retry_after", None)
    if known is not None:
        return known
    try:
        seconds = float(_headers(error).get("retry-after") or _delay(error))
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None


def _delay(error: Exception) -> str:
    """The seconds that Google asks to wait: it says so in the body."""
    said = getattr(error, "body", None)
    try:
        details = said["error"]["details"]  # type: ignore[index]
        return next(str(each["retryDelay"]) for each in details if "retryDelay" in each).removesuffix("s")
    except (TypeError, LookupError, StopIteration):
        return ""


def _tells(error: BaseException | None, key: Secret | None) -> bool:
    """Whether an error, or one that it comes from, says the key: a provider may repeat what it was sent."""
    if key is None or error is None:
        return False
    return any(key.reveal() in str(one) + repr(one) for one in _chain(error))


# -- who is known ------------------------------------------------------------------------------------------------------


def _openai() -> Callable[[_Access], Model]:
    from openai import AsyncOpenAI  # noqa: PLC0415
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    def made(access: _Access) -> Model:
        client = AsyncOpenAI(api_key=access.key, base_url=access.base_url, http_client=access.http, max_retries=0)
        return OpenAIChatModel(access.model, provider=OpenAIProvider(openai_client=client))

    return made


def _openai_responses() -> Callable[[_Access], Model]:
    from openai import AsyncOpenAI  # noqa: PLC0415
    from pydantic_ai.models.openai import OpenAIResponsesModel  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    def made(access: _Access) -> Model:
        client = AsyncOpenAI(api_key=access.key, base_url=access.base_url, http_client=access.http, max_retries=0)
        return OpenAIResponsesModel(access.model, provider=OpenAIProvider(openai_client=client))

    return made


def _compatible() -> Callable[[_Access], Model]:
    from openai import AsyncOpenAI  # noqa: PLC0415
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    # Servers of this kind know the older name of the limit; not all of them know the newer.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)

    def made(access: _Access) -> Model:
        client = AsyncOpenAI(api_key=access.key, base_url=access.base_url, http_client=access.http, max_retries=0)
        provider = OpenAICompatibleProvider("openai-compatible", openai_client=client)
        return OpenAIChatModel(access.model, provider=provider, profile=profile)

    return made


def _ollama() -> Callable[[_Access], Model]:
    from openai import AsyncOpenAI  # noqa: PLC0415
    from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415

    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)

    def made(access: _Access) -> Model:
        base_url = access.base_url or _OLLAMA
        client = AsyncOpenAI(api_key=access.key, base_url=base_url, http_client=access.http, max_retries=0)
        return OllamaModel(access.model, provider=OllamaProvider(openai_client=client), profile=profile)

    return made


def _anthropic() -> Callable[[_Access], Model]:
    from anthropic import AsyncAnthropic  # noqa: PLC0415
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    def made(access: _Access) -> Model:
        client = AsyncAnthropic(api_key=access.key, base_url=access.base_url, http_client=access.http, max_retries=0)
        return AnthropicModel(access.model, provider=AnthropicProvider(anthropic_client=client))

    return made


def _google() -> Callable[[_Access], Model]:
    with warnings.catch_warnings():
        # Said when it is compiled, which is when it is first imported.
        for category in (DeprecationWarning, SyntaxWarning):
            warnings.filterwarnings("ignore", ".*invalid escape sequence", category)
        from google.genai import Client  # noqa: PLC0415
    from google.genai.types import HttpOptions  # noqa: PLC0415
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
    from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

    def made(access: _Access) -> Model:
        options = HttpOptions(
            base_url=access.base_url,
            httpx_async_client=access.http,
            httpx_client=_unused(),
            async_client_args={"ssl": access.ssl},
        )
        client = Client(vertexai=False, api_key=access.key, http_options=options)
        models: Any = client.aio.models
        models.generate_content_stream = partial(_uncontinued, models.generate_content_stream)
        return GoogleModel(access.model, provider=GoogleProvider(client=client))

    return made


async def _uncontinued(stream: Callable[..., Awaitable[object]], *, config: Mapping[str, Any], **said: Any) -> object:  # noqa: ANN401
    """Google's library would go on with a stream that broke off by a request of its own, which nobody counts."""
    return await stream(config={**config, "automatic_continuation": False}, **said)


def _mistral() -> Callable[[_Access], Model]:
    from mistralai.client import Mistral  # noqa: PLC0415
    from pydantic_ai.models.mistral import MistralModel  # noqa: PLC0415
    from pydantic_ai.providers.mistral import MistralProvider  # noqa: PLC0415

    def made(access: _Access) -> Model:
        client = Mistral(
            api_key=access.key,
            server_url=access.base_url,
            async_client=access.http,
            client=_unused(),
            retry_config=None,
        )
        return MistralModel(access.model, provider=MistralProvider(mistral_client=client))

    return made


def _unused() -> httpx2.Client:
    """For libraries that would otherwise make one for calls that block, which reads all certificates again."""
    import httpx2  # noqa: PLC0415

    return httpx2.Client(transport=httpx2.BaseTransport(), trust_env=False)


KNOWN: Mapping[str, Vendor] = MappingProxyType(
    {
        "openai": Vendor(imported=_openai, extra="models", key_variable="OPENAI_API_KEY"),
        "openai-responses": Vendor(
            imported=_openai_responses,
            extra="models",
            key_variable="OPENAI_API_KEY",
            takes_seeds=False,
            takes_stops=False,
        ),
        "anthropic": Vendor(imported=_anthropic, extra="models", key_variable="ANTHROPIC_API_KEY", takes_seeds=False),
        "google": Vendor(imported=_google, extra="google", key_variable="GOOGLE_API_KEY"),
        "mistral": Vendor(imported=_mistral, extra="mistral", key_variable="MISTRAL_API_KEY", works_on_trio=False),
        "ollama": Vendor(imported=_ollama, extra="models", key_variable="OLLAMA_API_KEY", needs_key=False),
        "openai-compatible": Vendor(imported=_compatible, extra="models", needs_key=False),
    }
)
