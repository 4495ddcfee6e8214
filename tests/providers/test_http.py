import contextlib
from contextlib import aclosing

import anyio
import pytest
from tests.providers.fake_server import Answer, FakeServer
from tests.wires.chunks import sse

from triptych.errors import ProviderError
from triptych.model.events import Failure, PartDelta
from triptych.model.parts import TextPart
from triptych.model.reply import reduce_events
from triptych.model.status import Complete, Incomplete
from triptych.providers.http import Http, Limits, Reading, Request
from triptych.providers.keys import Secret
from triptych.wires.openai_chat.stream import from_reply, open_decoder

QUICK = Limits(connect=2.0, silence=2.0, retries=2, first_wait=0.01)


def words(*texts):
    return [sse({"choices": [{"delta": {"content": text}}]}) for text in texts]


END = sse({"choices": [{"delta": {}, "finish_reason": "stop"}]}, done=True)


async def gather(url, *, http=None, secret=None, path="/v1/chat/completions"):
    reading = Reading(decoder=open_decoder, whole=from_reply, secret=secret)
    request = Request(
        url=url + path, headers={"Content-Type": "application/json"}, body={"model": "m", "q": "é"}
    )
    http = http or Http(limits=QUICK)
    try:
        async with aclosing(http.stream(request, reading)) as events:
            return [event async for event in events]
    finally:
        await http.close()


def run(function):
    return anyio.run(function)


def test_a_stream_is_read_as_it_comes():
    async def story():
        async with FakeServer(Answer([*words("Hel", "lo"), END])) as server:
            reply = reduce_events(await gather(server.url))
            assert reply.parts == (TextPart(text="Hello"),)
            assert reply.status == Complete()
            assert server.got[0].body == {"model": "m", "q": "é"}

    run(story)


def test_a_reply_that_is_not_streamed_is_read_whole():
    body = b'{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}'

    async def story():
        async with FakeServer(Answer([body], content_type="application/json; charset=utf-8")) as server:
            assert reduce_events(await gather(server.url)).parts == (TextPart(text="whole"),)

    run(story)


def test_a_stream_that_calls_itself_json_is_still_a_stream():
    async def story():
        async with FakeServer(Answer([*words("x"), END], content_type="application/json")) as server:
            assert reduce_events(await gather(server.url)).parts == (TextPart(text="x"),)

    run(story)


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_later_means_later(status):
    async def story():
        busy = Answer([b'{"error":{"message":"busy"}}'], status=status, content_type="application/json")
        async with FakeServer(busy, busy, Answer([*words("x"), END])) as server:
            assert reduce_events(await gather(server.url)).parts == (TextPart(text="x"),)
            assert len(server.got) == 3

    run(story)


def test_waiting_follows_the_server_and_has_an_end():
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async def story():
        busy = Answer([b"busy"], status=429, headers={"Retry-After": "7"})
        async with FakeServer(default=busy) as server:
            events = await gather(server.url, http=Http(limits=QUICK, sleep=sleep))
            assert len(server.got) == 3
            assert (events[-1].status, events[-1].retryable) == (429, True)

    run(story)
    assert len(waits) == 2
    assert all(7.0 <= wait < 9.0 for wait in waits)


def test_a_refusal_is_told_at_once_in_the_servers_own_words():
    async def story():
        no = Answer([b'{"error":{"message":"No such model","code":"model_not_found"}}'], status=404)
        async with FakeServer(no) as server:
            [failure] = [event for event in await gather(server.url) if isinstance(event, Failure)]
            assert (failure.message, failure.status, failure.retryable) == ("No such model", 404, False)
            assert len(server.got) == 1

    run(story)


def test_a_server_that_dies_in_the_middle_leaves_the_text_and_is_not_asked_again():
    async def story():
        async with FakeServer(Answer(words("Hel", "lo"), then="reset", delay=0.05)) as server:
            reply = reduce_events(await gather(server.url))
            assert reply.parts == (TextPart(text="Hello"),)
            assert reply.status == Incomplete(
                reason="error", error="The connection ended before the reply did."
            )
            assert reply.failure.code == "interrupted"
            assert len(server.got) == 1

    run(story)


def test_a_server_that_is_not_there_is_said_in_one_sentence():
    async def story():
        [failure] = await gather("http://127.0.0.1:9")
        assert (
            failure.message
            == "Nothing answers at http://127.0.0.1:9: is the server running, and is the address right?"
        )
        for address in ("ftp://x", "http://[", "http://\u2603.example:99999999", "nonsense"):
            [failure] = await gather(address)
            assert "has to begin with http://" in failure.message
            assert not failure.retryable

    run(story)


def test_a_silent_server_is_given_up():
    async def story():
        async with FakeServer(Answer([], then="hang")) as server:
            http = Http(limits=Limits(silence=0.2, retries=0))
            failure = (await gather(server.url, http=http))[-1]
            assert (failure.code, failure.message) == ("silent", "The server was silent for too long.")

    run(story)


def test_closing_the_iterator_hangs_up():
    async def story():
        async with FakeServer(Answer(words(*"abcdefgh"), delay=0.02, then="hang")) as server:
            reading = Reading(decoder=open_decoder, whole=from_reply)
            request = Request(url=server.url + "/v1", headers={}, body={})
            http = Http(limits=QUICK)
            async with aclosing(http.stream(request, reading)) as events:
                async for event in events:
                    if isinstance(event, PartDelta):
                        break
            with anyio.fail_after(20):
                await server.hung_up.wait()
            assert server.sent < 8
            await http.close()

    run(story)


def test_cancelling_hangs_up():
    async def story():
        async with FakeServer(Answer(words("a"), then="hang")) as server:
            with anyio.move_on_after(1):
                await gather(server.url)
            with anyio.fail_after(20):
                await server.hung_up.wait()

    run(story)


def test_a_key_never_comes_back_in_a_sentence():
    async def story():
        no = Answer([b'{"error":{"message":"Incorrect key sk-secret-1234 given"}}'], status=401)
        async with FakeServer(no) as server:
            [failure] = await gather(server.url, secret=Secret("sk-secret-1234"))
            assert failure.message == "Incorrect key … given"
            assert "sk-secret" not in repr(failure)

    run(story)


def test_a_document_is_read_or_refused():
    async def story():
        http = Http(limits=QUICK)
        async with FakeServer(Answer([b'{"data":[]}']), Answer([b"no"], status=403)) as server:
            assert await http.get(server.url, {}, None) == {"data": []}
            with contextlib.suppress(ProviderError):
                await http.get(server.url, {}, None)
                pytest.fail("refused")
        with pytest.raises(ProviderError, match="Nothing answers"):
            await http.get("http://127.0.0.1:9", {}, None)
        await http.close()

    run(story)


def test_one_client_serves_one_event_loop_after_the_other():
    http = Http(limits=QUICK)

    async def story():
        async with FakeServer(Answer([*words("x"), END])) as server:
            assert reduce_events(await gather(server.url, http=http)).parts == (TextPart(text="x"),)

    run(story)
    run(story)


def test_a_redirect_is_not_followed():
    async def story():
        there = Answer(
            [b""], status=307, headers={"Location": "http://127.0.0.1:9/"}, content_type="text/html"
        )
        async with FakeServer(there) as server:
            [failure] = await gather(server.url)
            assert failure.status == 307

    run(story)


def test_a_connection_closed_without_an_answer_is_opened_anew_at_once():
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async def story():
        gone = Answer([], status=0)
        async with FakeServer(gone, Answer([*words("x"), END])) as server:
            events = await gather(server.url, http=Http(limits=QUICK, sleep=sleep))
            assert reduce_events(events).parts == (TextPart(text="x"),)

    run(story)
    assert waits == [0.0]


def test_keys_are_in_no_log(caplog):
    caplog.set_level("DEBUG")

    async def story():
        async with FakeServer(Answer([*words("x"), END])) as server:
            http = Http(limits=QUICK)
            headers = {"Authorization": "Bearer sk-secret-1234"}
            request = Request(url=server.url, headers=headers, body={})
            reading = Reading(decoder=open_decoder, whole=from_reply, secret=Secret("sk-secret-1234"))
            async with aclosing(http.stream(request, reading)) as events:
                assert [event async for event in events]
            await http.close()

    run(story)
    assert "127.0.0.1" in caplog.text
    assert "sk-secret" not in caplog.text
