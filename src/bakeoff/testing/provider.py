"""A provider of language models on this machine, for tests: real HTTP, real client libraries, scripted answers.

    async with LoopbackProvider("def f(): ...") as provider:
        settings = ProviderSettings(base_url=provider.url)

It speaks OpenAI's chat completions and responses, Anthropic's messages and Google's generateContent, streamed and
whole, on one address, and below `/mistral` Mistral's chat completions, whose path is OpenAI's. What goes wrong with a
provider is a part of the script: a `Reply` may be late, refused, cut or unreadable. It tells what was asked, how many
requests are open, how many were at most, and how many were given up by who had asked.

    a connection ──▶ a request ──▶ the script ──▶ a Reply ──▶ its bytes, in the dialect of the path
                          └──▶ watched while it is open: a client that hangs up is noticed at once
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import responses
from typing import TYPE_CHECKING, Any, Self

import anyio
from anyio.from_thread import start_blocking_portal

from bakeoff.models.exchange import Finish, Usage

if TYPE_CHECKING:
    from types import TracebackType

    from anyio.abc import SocketStream

__all__ = ["Asked", "Fault", "LoopbackProvider", "Reply", "Script", "serving"]

_BROKEN = b'{"id": "1", "choices": [{'
_GOOGLE = re.compile(r"/models/(?P<model>[^/:]+):(?P<verb>\w+)")
_PAGE = b"<html><body>Bad gateway</body></html>"


class Fault(enum.Enum):
    """How an answer goes wrong on its way."""

    HANG = "nothing is ever answered"
    STALL = "half of the answer comes, and nothing after it"
    CUT = "the connection ends in the middle of the answer"
    UNENDED = "the stream ends in good order after half of the answer, without its end mark"
    MALFORMED = "what comes is no JSON"
    PAGE = "a page for people comes, where JSON belongs"
    OVERLOADED = "after half of the answer, the stream says that the provider is overloaded, and ends"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What is done about one request. From a status of 400 on, `text` is the error's message.

    `latency` are the seconds before the first byte, `pause` those between the pieces of a stream. Usage that is not
    given is counted: a token for every four characters. With `reports_usage` off, nothing is said of it.
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    latency: float = 0.0
    pause: float = 0.0
    pieces: int = 4
    fault: Fault | None = None
    finish: Finish = Finish.STOP
    usage: Usage | None = None
    reports_usage: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came: the how many-th (from 0), where to, its headers (names in lower case) and its body."""

    index: int
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def model(self) -> str:
        named = _GOOGLE.search(self.path)
        return named["model"] if named else str(self.body.get("model", ""))

    @property
    def is_streamed(self) -> bool:
        named = _GOOGLE.search(self.path)
        return named["verb"].startswith("stream") if named else bool(self.body.get("stream"))

    @property
    def texts(self) -> list[str]:
        """All messages but those of the system, where these have a place of their own."""
        messages = self.body.get("messages") or self.body.get("input") or self.body.get("contents") or []
        return [_plain(message.get("content") or message.get("parts") or "") for message in messages]

    @property
    def text(self) -> str:
        """The last message."""
        return self.texts[-1] if self.texts else ""


Script = str | Reply | Sequence[str | Reply] | Callable[[Asked], str | Reply]


class LoopbackProvider:
    """Answers by its script: always the same, one after another, or what a function says.

    Beyond `cap` open requests it answers 429, with `retry_after` if given; to another key than `key`, 401.
    """

    def __init__(
        self, script: Script, *, cap: int | None = None, retry_after: str | None = None, key: str | None = None
    ) -> None:
        self.asked: list[Asked] = []
        self.open = 0
        self.peak = 0
        self.aborted = 0
        self.connections = 0
        self._script = script
        self._cap = cap
        self._retry_after = retry_after
        self._key = key
        self._port = 0
        self._stack = AsyncExitStack()
        self._changed = anyio.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            listener = await stack.enter_async_context(await anyio.create_tcp_listener(local_host="127.0.0.1"))
            self._port = listener.extra_attributes[anyio.abc.SocketAttribute.local_port]()
            group = await stack.enter_async_context(anyio.create_task_group())
            group.start_soon(listener.serve, self._serve)
            stack.callback(group.cancel_scope.cancel)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(exc_type, exc, traceback)

    async def until(self, condition: Callable[[LoopbackProvider], bool]) -> None:
        """Wait until something is so of it: `await provider.until(lambda it: it.open == 3)`."""
        while not condition(self):
            await self._changed.wait()

    # -- connections ---------------------------------------------------------------------------------------------------

    async def _serve(self, stream: SocketStream) -> None:
        self.connections += 1
        connection = _Connection(stream)
        async with stream:
            while (incoming := await connection.read_request()) is not None:
                if not await self._exchange(connection, *incoming):
                    return

    async def _exchange(self, connection: _Connection, path: str, headers: Mapping[str, str], body: bytes) -> bool:
        """Answer one request; whether the connection is good for another."""
        asked = Asked(index=len(self.asked), path=path, headers=headers, body=json.loads(body or b"{}"))
        self.asked.append(asked)
        self._count(opened=1)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(connection.watch, group.cancel_scope)
                await self._answer(connection, asked)
                group.cancel_scope.cancel()
        finally:
            self._count(opened=-1, aborted=connection.was_left)
        return connection.is_usable

    def _count(self, *, opened: int, aborted: bool = False) -> None:
        self.open += opened
        self.peak = max(self.peak, self.open)
        self.aborted += aborted
        self._changed.set()
        self._changed = anyio.Event()

    async def _answer(self, connection: _Connection, asked: Asked) -> None:
        dialect = _dialect(asked.path)
        if dialect is None:
            await connection.send(*_whole(404, {}, b'{"error": {"message": "no such path"}}'))
            return
        reply = self._reply(asked)
        await anyio.sleep(reply.latency)
        if reply.fault is Fault.HANG:
            await anyio.sleep_forever()
        if reply.fault is Fault.PAGE:
            await connection.send(*_whole(reply.status, {"content-type": "text/html", **reply.headers}, _PAGE))
        elif reply.status >= HTTPStatus.BAD_REQUEST:
            content = json.dumps(dialect.error(reply)).encode()
            await connection.send(*_whole(reply.status, reply.headers, content))
        elif asked.is_streamed:
            await self._stream(connection, dialect, asked, reply)
        else:
            await self._send_whole(connection, dialect, asked, reply)

    def _reply(self, asked: Asked) -> Reply:
        if self._key is not None and self._key not in _keys(asked):
            return Reply(status=401, text="the key is not valid")
        if self._cap is not None and self.open > self._cap:
            headers = {} if self._retry_after is None else {"retry-after": self._retry_after}
            return Reply(status=429, text="too many requests", headers=headers)
        reply = self._scripted(asked)
        return Reply(text=reply) if isinstance(reply, str) else reply

    def _scripted(self, asked: Asked) -> str | Reply:
        if isinstance(self._script, str | Reply):
            return self._script
        if callable(self._script):
            return self._script(asked)
        if asked.index < len(self._script):
            return self._script[asked.index]
        return Reply(status=400, text=f"the script has no answer to request {asked.index}")

    @staticmethod
    async def _send_whole(connection: _Connection, dialect: _Dialect, asked: Asked, reply: Reply) -> None:
        content = json.dumps(dialect.whole(asked, reply)).encode()
        if reply.fault is Fault.MALFORMED:
            content = _BROKEN
        head, content = _whole(reply.status, reply.headers, content)
        if reply.fault is None or reply.fault is Fault.MALFORMED:
            await connection.send(head, content)
            return
        await connection.send(head, content[: len(content) // 2], is_last=False)
        if reply.fault is Fault.STALL:
            await anyio.sleep_forever()

    @staticmethod
    async def _stream(connection: _Connection, dialect: _Dialect, asked: Asked, reply: Reply) -> None:
        headers = {"content-type": "text/event-stream", "transfer-encoding": "chunked", **reply.headers}
        events = list(dialect.events(asked, reply))
        if reply.fault is not None:
            events = events[: len(events) // 2]
        await connection.send(_head(reply.status, headers), is_last=False)
        for event in events:
            await connection.send(_chunk(event), is_last=False)
            await anyio.sleep(reply.pause)
        if reply.fault is Fault.STALL:
            await anyio.sleep_forever()
        if reply.fault is Fault.MALFORMED:
            await connection.send(_chunk(b"data: " + _BROKEN + b"\n\n"), is_last=False)
        if reply.fault is Fault.OVERLOADED:
            await connection.send(_chunk(dialect.overloaded()), is_last=False)
        if reply.fault is not Fault.CUT:
            await connection.send(b"0\r\n\r\n")


@contextmanager
def serving(script: Script, *, cap: int | None = None, key: str | None = None) -> Iterator[LoopbackProvider]:
    """A provider in a thread of its own, for programs that know nothing of event loops."""
    provider = LoopbackProvider(script, cap=cap, key=key)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(provider):
        yield provider


# -- HTTP --------------------------------------------------------------------------------------------------------------


class _Connection:
    """As much of HTTP/1.1 as the client libraries speak: bodies with a length, one request after another."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._read = bytearray()
        self._is_answered = False
        self._hung_up = False

    @property
    def was_left(self) -> bool:
        """Whether the client hung up before it had all of the answer."""
        return self._hung_up and not self._is_answered

    @property
    def is_usable(self) -> bool:
        return self._is_answered and not self._hung_up

    async def read_request(self) -> tuple[str, dict[str, str], bytes] | None:
        """The path, the headers and the body of the next request; None when the client has hung up."""
        while b"\r\n\r\n" not in self._read:
            if not await self._receive():
                return None
        head, _, rest = bytes(self._read).partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        self._read = bytearray(rest)
        while len(self._read) < length:
            if not await self._receive():
                return None
        body = bytes(self._read[:length])
        del self._read[:length]
        self._is_answered = False
        return first.split()[1], headers, body

    async def watch(self, answering: anyio.CancelScope) -> None:
        """Notice that the client hangs up, and stop answering then. What it sends is kept: its next request."""
        while await self._receive():
            pass
        answering.cancel()

    async def send(self, *parts: bytes, is_last: bool = True) -> None:
        # Who has read all may hang up at once: before this returns.
        self._is_answered = is_last
        try:
            await self._stream.send(b"".join(parts))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._hung_up = True

    async def _receive(self) -> bool:
        try:
            self._read += await self._stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._hung_up = True
            return False
        return True


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {_phrase(status)}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _phrase(status: int) -> str:
    return responses.get(status, "Overloaded")  # 529 is in no standard


def _whole(status: int, headers: Mapping[str, str], content: bytes) -> tuple[bytes, bytes]:
    fixed = {"content-type": "application/json", "content-length": str(len(content)), "x-request-id": "req-loopback"}
    return _head(status, fixed | dict(headers)), content


def _chunk(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


def _keys(asked: Asked) -> set[str]:
    bearer = asked.headers.get("authorization", "").removeprefix("Bearer ")
    return {bearer, asked.headers.get("x-api-key", ""), asked.headers.get("x-goog-api-key", "")}


# -- dialects ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialect:
    """How one kind of provider says what a reply says."""

    whole: Callable[[Asked, Reply], dict[str, Any]]
    events: Callable[[Asked, Reply], Iterator[bytes]]
    error: Callable[[Reply], dict[str, Any]]
    overloaded: Callable[[], bytes]


def _dialect(path: str) -> _Dialect | None:
    """By how the path ends, so that every base address will do."""
    return next((dialect for end, dialect in _DIALECTS.items() if path.partition("?")[0].endswith(end)), None)


def _counted(asked: Asked, reply: Reply) -> Usage:
    if reply.usage is not None:
        return reply.usage
    system = asked.body.get("systemInstruction", {}).get("parts") or asked.body.get("system", "")
    return Usage(tokens_in=len("".join([*asked.texts, _plain(system)])) // 4 or 1, tokens_out=len(reply.text) // 4 or 1)


def _plain(content: str | Sequence[Mapping[str, Any]]) -> str:
    """The text of a message, which is one text or several parts."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content)


def _pieces(reply: Reply) -> Iterator[str]:
    size = -(-len(reply.text) // max(1, reply.pieces)) or 1
    for start in range(0, len(reply.text), size):
        yield reply.text[start : start + size]


def _event(content: Mapping[str, Any], *, named: bool = False) -> bytes:
    name = f"event: {content['type']}\n" if named else ""
    return f"{name}data: {json.dumps(content)}\n\n".encode()


_CHAT_ENDS = {Finish.STOP: "stop", Finish.LENGTH: "length", Finish.FILTERED: "content_filter", Finish.OTHER: "odd"}


def _chat_usage(asked: Asked, reply: Reply) -> dict[str, Any]:
    usage = _counted(asked, reply)
    return {
        "prompt_tokens": usage.tokens_in,
        "completion_tokens": usage.tokens_out,
        "total_tokens": usage.tokens_in + usage.tokens_out,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    }


def _chat_frame(asked: Asked, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{asked.index}", "object": kind, "created": 1_700_000_000, "model": asked.model}


def _chat_whole(asked: Asked, reply: Reply) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text}
    answer = _chat_frame(asked, "chat.completion")
    answer["choices"] = [{"index": 0, "message": message, "finish_reason": _CHAT_ENDS[reply.finish]}]
    if reply.reports_usage:
        answer["usage"] = _chat_usage(asked, reply)
    return answer


def _chat_events(asked: Asked, reply: Reply) -> Iterator[bytes]:
    frame = _chat_frame(asked, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _event({**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in _pieces(reply):
        yield chunk({"content": piece})
    yield chunk({}, _CHAT_ENDS[reply.finish])
    if reply.reports_usage and (asked.body.get("stream_options") or {}).get("include_usage"):
        yield _event({**frame, "choices": [], "usage": _chat_usage(asked, reply)})
    yield b"data: [DONE]\n\n"


def _openai_error(reply: Reply) -> dict[str, Any]:
    return {"error": {"message": reply.text, "type": "error", "param": None, "code": None}}


def _chat_overloaded() -> bytes:
    return _event({"error": {"message": "overloaded", "type": "server_error", "param": None, "code": "overloaded"}})


_MESSAGE_ENDS = {Finish.STOP: "end_turn", Finish.LENGTH: "max_tokens", Finish.FILTERED: "refusal", Finish.OTHER: "odd"}


def _message_usage(asked: Asked, reply: Reply) -> dict[str, Any]:
    usage = _counted(asked, reply) if reply.reports_usage else Usage()
    return {
        "input_tokens": usage.tokens_in - usage.cached,  # in this dialect what was cached is not a part of them
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": usage.tokens_out,
    }


def _message_whole(asked: Asked, reply: Reply) -> dict[str, Any]:
    return {
        "id": f"msg-{asked.index}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [{"type": "text", "text": reply.text}],
        "stop_reason": _MESSAGE_ENDS[reply.finish],
        "stop_sequence": None,
        "usage": _message_usage(asked, reply),
    }


def _message_events(asked: Asked, reply: Reply) -> Iterator[bytes]:
    whole = _message_whole(asked, reply)
    usage = whole["usage"]
    opening = {**whole, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 0}}
    yield _event({"type": "message_start", "message": opening}, named=True)
    block = {"type": "text", "text": ""}
    yield _event({"type": "content_block_start", "index": 0, "content_block": block}, named=True)
    for piece in _pieces(reply):
        delta = {"type": "text_delta", "text": piece}
        yield _event({"type": "content_block_delta", "index": 0, "delta": delta}, named=True)
    yield _event({"type": "content_block_stop", "index": 0}, named=True)
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event(
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": usage["output_tokens"]}}, named=True
    )
    yield _event({"type": "message_stop"}, named=True)


_MESSAGE_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _message_error(reply: Reply) -> dict[str, Any]:
    kind = _MESSAGE_ERRORS.get(reply.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": reply.text}, "request_id": "req-loopback"}


def _message_overloaded() -> bytes:
    return _event(_message_error(Reply(status=529, text="overloaded")), named=True)


def _response_whole(
    asked: Asked, reply: Reply, *, status: str | None = None, text: str | None = None
) -> dict[str, Any]:
    usage = _counted(asked, reply)
    status = status or ("incomplete" if reply.finish in (Finish.LENGTH, Finish.FILTERED) else "completed")
    why = {Finish.LENGTH: "max_output_tokens", Finish.FILTERED: "content_filter"}.get(reply.finish)
    said = [] if text == "" else [_response_item(asked, reply.text, status)]
    return {
        "id": f"resp-{asked.index}",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": asked.model,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": why} if why and status == "incomplete" else None,
        "output": said,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": usage.tokens_in,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.tokens_out,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.tokens_in + usage.tokens_out,
        }
        if reply.reports_usage and status != "in_progress"
        else None,
    }


def _response_item(asked: Asked, text: str, status: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}] if text else []
    return {
        "id": f"item-{asked.index}",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": content,
    }


def _response_events(asked: Asked, reply: Reply) -> Iterator[bytes]:
    number = iter(range(1_000_000))
    place = {"item_id": f"item-{asked.index}", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}

    def event(kind: str, **content: object) -> bytes:
        return _event({"type": kind, "sequence_number": next(number), **content}, named=True)

    yield event("response.created", response=_response_whole(asked, reply, status="in_progress", text=""))
    item = _response_item(asked, "", "in_progress")
    yield event("response.output_item.added", output_index=0, item=item)
    yield event("response.content_part.added", **place, part=part)
    for piece in _pieces(reply):
        yield event("response.output_text.delta", **place, delta=piece, logprobs=[])
    yield event("response.output_text.done", **place, text=reply.text, logprobs=[])
    done = _response_item(asked, reply.text, "completed")
    yield event("response.output_item.done", output_index=0, item=done)
    whole = _response_whole(asked, reply)
    yield event(f"response.{whole['status']}", response=whole)


def _response_overloaded() -> bytes:
    what = {"code": "server_is_overloaded", "message": "overloaded", "param": None}
    return _event({"type": "error", "sequence_number": 1_000, **what}, named=True)


_MISTRAL_ENDS = {Finish.STOP: "stop", Finish.LENGTH: "length", Finish.FILTERED: "error", Finish.OTHER: "error"}


def _mistral_whole(asked: Asked, reply: Reply) -> dict[str, Any]:
    answer = _chat_whole(asked, reply)
    answer["choices"][0]["finish_reason"] = _MISTRAL_ENDS[reply.finish]
    return answer


def _mistral_events(asked: Asked, reply: Reply) -> Iterator[bytes]:
    """As OpenAI's, but that usage comes with the end, and without being asked for."""
    frame = _chat_frame(asked, "chat.completion.chunk")

    def chunk(text: str, finish: str | None = None, **more: object) -> bytes:
        choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": finish}
        return _event({**frame, "choices": [choice], **more})

    yield chunk("")
    for piece in _pieces(reply):
        yield chunk(piece)
    usage = {"usage": _chat_usage(asked, reply)} if reply.reports_usage else {}
    yield chunk("", _MISTRAL_ENDS[reply.finish], **usage)
    yield b"data: [DONE]\n\n"


def _mistral_error(reply: Reply) -> dict[str, Any]:
    return {"object": "error", "message": reply.text, "type": "error", "param": None, "code": None}


def _mistral_overloaded() -> bytes:
    return _event(_mistral_error(Reply(text="overloaded")))


_GOOGLE_ENDS = {Finish.STOP: "STOP", Finish.LENGTH: "MAX_TOKENS", Finish.FILTERED: "SAFETY", Finish.OTHER: "OTHER"}


def _google_part(asked: Asked, reply: Reply, text: str, finish: str | None = None) -> dict[str, Any]:
    """A whole answer, or a piece of one: with usage each, as it is until then."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}] if text else []}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    part: dict[str, Any] = {
        "candidates": [candidate],
        "modelVersion": asked.model,
        "responseId": f"google-{asked.index}",
    }
    if reply.reports_usage:
        usage = _counted(asked, reply)
        part["usageMetadata"] = {
            "promptTokenCount": usage.tokens_in,
            "cachedContentTokenCount": usage.cached,
            "candidatesTokenCount": usage.tokens_out,
            "totalTokenCount": usage.tokens_in + usage.tokens_out,
        }
    return part


def _google_whole(asked: Asked, reply: Reply) -> dict[str, Any]:
    return _google_part(asked, reply, reply.text, _GOOGLE_ENDS[reply.finish])


def _google_events(asked: Asked, reply: Reply) -> Iterator[bytes]:
    """Each piece is one that the rest could be asked for from, as for long answers."""
    for piece in _pieces(reply):
        part = _google_part(asked, reply, piece)
        part["candidates"][0]["continuationToken"] = "dG9rZW4="
        yield _event(part)
    yield _event(_google_part(asked, reply, "", _GOOGLE_ENDS[reply.finish]))


_GOOGLE_ERRORS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def _google_error(reply: Reply) -> dict[str, Any]:
    status = _GOOGLE_ERRORS.get(reply.status, "INTERNAL" if reply.status >= 500 else "UNKNOWN")
    return {"error": {"code": reply.status, "message": reply.text, "status": status}}


def _google_overloaded() -> bytes:
    return _event(_google_error(Reply(status=503, text="overloaded")))


_GENERATE = _Dialect(whole=_google_whole, events=_google_events, error=_google_error, overloaded=_google_overloaded)

_DIALECTS = {
    "/mistral/v1/chat/completions": _Dialect(
        whole=_mistral_whole, events=_mistral_events, error=_mistral_error, overloaded=_mistral_overloaded
    ),
    "/chat/completions": _Dialect(
        whole=_chat_whole, events=_chat_events, error=_openai_error, overloaded=_chat_overloaded
    ),
    "/responses": _Dialect(
        whole=_response_whole, events=_response_events, error=_openai_error, overloaded=_response_overloaded
    ),
    "/messages": _Dialect(
        whole=_message_whole, events=_message_events, error=_message_error, overloaded=_message_overloaded
    ),
    ":generateContent": _GENERATE,
    ":streamGenerateContent": _GENERATE,
}
