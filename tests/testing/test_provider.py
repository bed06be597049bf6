"""The provider on loopback, asked by the vendors' clients without anything of ours between, and by plain HTTP."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import anthropic
import anyio
import httpx2
import openai
import pytest
from mistralai.client import Mistral

from bakeoff.models import Finish, Usage
from bakeoff.models.vendors import KNOWN
from bakeoff.testing.provider import Asked, Fault, LoopbackProvider, Reply, serving

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bakeoff.testing.provider import Script

pytestmark = pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")

USAGE = Usage(tokens_in=30, tokens_out=4, cached=10)
PATHS = ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/mistral/v1/chat/completions"]
GOOGLE = "/v1beta/models/m"


def served(
    backend: str, script: Script, program: Callable[[LoopbackProvider], Awaitable[None]], **options: object
) -> LoopbackProvider:
    servers = []

    async def main() -> None:
        async with LoopbackProvider(script, **options) as server:  # type: ignore[arg-type]
            servers.append(server)
            await program(server)

    anyio.run(main, backend=backend)
    return servers[0]


async def posted(server: LoopbackProvider, path: str, **body: object) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False) as http:
        return await http.post(server.url + path, json={"model": "m", "messages": [], **body}, timeout=30)


# -- the formats, whole ------------------------------------------------------------------------------------------------


def test_chat_completions_as_their_own_client_reads_them(anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0) as client:
            found = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}])
        (choice,) = found.choices
        assert (choice.message.content, choice.finish_reason) == ("yes", "length")
        assert found.usage is not None
        assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (30, 4)

    server = served(anyio_backend, Reply(text="yes", finish=Finish.LENGTH, usage=USAGE), program)
    assert (server.asked[0].text, server.asked[0].is_streamed) == ("?", False)


def test_responses_as_their_own_client_reads_them(anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0) as client:
            found = await client.responses.create(model="m", input=[{"role": "user", "content": "?"}])
        assert (found.output_text, found.status) == ("yes", "incomplete")
        assert found.usage is not None
        assert (found.usage.input_tokens, found.usage.output_tokens) == (30, 4)

    served(anyio_backend, Reply(text="yes", finish=Finish.LENGTH, usage=USAGE), program)


def test_messages_as_their_own_client_reads_them(anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        async with anthropic.AsyncAnthropic(base_url=server.url, api_key="k", max_retries=0) as client:
            found = await client.messages.create(
                model="m", max_tokens=9, messages=[{"role": "user", "content": [{"type": "text", "text": "?"}]}]
            )
        (block,) = found.content
        assert block.type == "text"
        assert (block.text, found.stop_reason) == ("yes", "max_tokens")
        # In this format what was read from the cache is not a part of the tokens in.
        assert (found.usage.input_tokens, found.usage.cache_read_input_tokens, found.usage.output_tokens) == (20, 10, 4)

    server = served(anyio_backend, Reply(text="yes", finish=Finish.LENGTH, usage=USAGE), program)
    assert server.asked[0].text == "?"


def test_mistral_s_completions_as_their_own_client_reads_them():
    async def program(server: LoopbackProvider) -> None:
        async with httpx2.AsyncClient(trust_env=False) as http:
            client = Mistral(api_key="k", server_url=f"{server.url}/mistral", async_client=http)
            found = await client.chat.complete_async(model="m", messages=[{"role": "user", "content": "?"}])
        (choice,) = found.choices
        assert (choice.message.content, choice.finish_reason) == ("yes", "length")
        assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (30, 4)

    # It does not work on trio.
    server = served("asyncio", Reply(text="yes", finish=Finish.LENGTH, usage=USAGE), program)
    assert (server.asked[0].model, server.asked[0].text, server.asked[0].is_streamed) == ("m", "?", False)


def test_generated_content_as_their_own_client_reads_it(anyio_backend: str):
    KNOWN["google"].imported()  # without what Python says when it is compiled
    from google import genai
    from google.genai.types import HttpOptions

    async def program(server: LoopbackProvider) -> None:
        async with httpx2.AsyncClient(trust_env=False) as http:
            options = HttpOptions(base_url=server.url, httpx_async_client=http)
            client = genai.Client(vertexai=False, api_key="k", http_options=options)
            found = await client.aio.models.generate_content(model="m", contents="?")
        assert found.text == "yes"
        assert found.candidates is not None
        assert found.candidates[0].finish_reason == "MAX_TOKENS"
        usage = found.usage_metadata
        assert usage is not None
        assert (usage.prompt_token_count, usage.cached_content_token_count, usage.candidates_token_count) == (30, 10, 4)

    server = served(anyio_backend, Reply(text="yes", finish=Finish.LENGTH, usage=USAGE), program)
    assert (server.asked[0].model, server.asked[0].text, server.asked[0].is_streamed) == ("m", "?", False)


@pytest.mark.parametrize("path", [*PATHS, f"{GOOGLE}:streamGenerateContent?alt=sse"])
def test_streams_are_made_of_the_same_text_in_as_many_pieces_as_asked_for(path: str):
    async def program(server: LoopbackProvider) -> None:
        found = await posted(server, path, stream=True)
        assert found.headers["content-type"] == "text/event-stream"
        assert found.text.count("piece ") >= 5

    served("asyncio", Reply(text="piece " * 5, pieces=5), program)


# -- scripts -----------------------------------------------------------------------------------------------------------


def test_answers_come_one_after_another_and_then_it_says_that_there_are_no_more(anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        statuses = [(await posted(server, PATHS[0])).status_code for _ in range(3)]
        assert statuses == [200, 503, 400]

    served(anyio_backend, ["one", Reply(status=503)], program)


def test_a_function_sees_what_was_asked(anyio_backend: str):
    def script(asked: Asked) -> str:
        return f"{asked.index} {asked.model} {asked.headers['x-mine']} {asked.body['messages'][0]['content']}"

    async def program(server: LoopbackProvider) -> None:
        async with httpx2.AsyncClient(trust_env=False, headers={"X-Mine": "header"}) as http:
            body = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
            found = await http.post(f"{server.url}/v1/chat/completions", json=body)
        assert found.json()["choices"][0]["message"]["content"] == "0 m header ?"

    served(anyio_backend, script, program)


def test_other_keys_and_paths_are_refused(anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        async with httpx2.AsyncClient(trust_env=False) as http:
            post = partial(http.post, json={"model": "m", "messages": []})
            assert (await post(f"{server.url}/v1/messages")).status_code == 401
            assert (await post(f"{server.url}/v1/messages", headers={"x-api-key": "sesame"})).status_code == 200
            assert (await post(f"{server.url}{GOOGLE}:generateContent")).status_code == 401
            google = {"x-goog-api-key": "sesame"}
            assert (await post(f"{server.url}{GOOGLE}:generateContent", headers=google)).status_code == 200
            bearer = {"authorization": "Bearer sesame"}
            assert (await post(f"{server.url}/any/base/chat/completions?x=1", headers=bearer)).status_code == 200
            assert (await post(f"{server.url}/v1/embeddings", headers=bearer)).status_code == 404
        assert server.connections == 1, "one after another, on the same connection"

    served(anyio_backend, "yes", program, key="sesame")


def test_more_than_the_cap_are_told_to_wait(anyio_backend: str):
    async def program(server: LoopbackProvider) -> None:
        statuses = []

        async def post() -> None:
            found = await posted(server, PATHS[0])
            statuses.append((found.status_code, found.headers.get("retry-after")))

        async with anyio.create_task_group() as group:
            for opened in (1, 2):
                group.start_soon(post)
                await server.until(lambda it, opened=opened: it.open == opened)
            await post()
            group.cancel_scope.cancel()
        assert statuses == [(429, "9")]
        await server.until(lambda it: it.open == 0)
        assert (server.peak, server.aborted) == (3, 2)

    served(anyio_backend, Reply(fault=Fault.HANG), program, cap=2, retry_after="9")


@pytest.mark.parametrize("path", [*PATHS, f"{GOOGLE}:generateContent"])
@pytest.mark.parametrize("fault", [Fault.CUT, Fault.UNENDED])
def test_whole_answers_break_off_too(path: str, fault: Fault):
    async def program(server: LoopbackProvider) -> None:
        with pytest.raises(httpx2.RemoteProtocolError):
            await posted(server, path)
        await server.until(lambda it: it.open == 0)

    served("asyncio", Reply(text="yes", fault=fault), program)


def test_a_program_that_knows_no_event_loop_can_ask_it_as_well():
    with serving(Reply(text="yes")) as provider:
        for _ in range(2):
            found = httpx2.post(f"{provider.url}/v1/chat/completions", json={"messages": []}, trust_env=False)
            assert found.json()["choices"][0]["message"]["content"] == "yes"
        assert len(provider.asked) == 2
    with pytest.raises(httpx2.ConnectError):
        httpx2.post(f"{provider.url}/v1/chat/completions", json={}, trust_env=False)
