"""Fetching pages: what is read, what is refused, what is kept."""

import asyncio
import sys
from contextlib import asynccontextmanager
from ipaddress import IPv4Address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.vault import web
from triptych.vault.addresses import is_public, normalize_url
from triptych.vault.readable import readable_text, title_of
from triptych.vault.web import WebPages, resolve_host

HTML = """<html><head><title>A &amp; B</title><script>evil()</script></head><body><nav>menu</nav>
<article><h1>Launch</h1><p>The launch is on   Monday &lt;soon&gt;, and everybody is invited to see it happen.</p>
<ul><li>one</li><li>two</li></ul></article><footer>foot</footer></body></html>"""


class StillClock:
    def __init__(self):
        self.time = 1_000_000

    def now(self):
        return self.time

    def new_id(self):
        return "id"


@asynccontextmanager
async def server(answers):
    """A server that knows a few paths: (status, headers, body); tells what it was asked."""
    asked = []

    async def serve(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split(" ")[1]
        asked.append(
            (path, dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line))
        )
        status, headers, body = answers.get(path, (404, {}, b""))
        writer.write(f"HTTP/1.1 {status} X\r\nconnection: close\r\n".encode())
        writer.write(
            "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode() + b"\r\n" + body
        )
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        yield listening.sockets[0].getsockname()[1], asked


def html(body):
    return 200, {"content-type": "text/html; charset=utf-8"}, body.encode()


async def local(host, port):
    return ["127.0.0.1"]


def pages(**options):
    options = {"resolve": local, "allowed": lambda address: address == "127.0.0.1"} | options
    return WebPages(StillClock(), **options)


def fetched(answers, *paths, **options):
    async def work():
        async with server(answers) as (port, asked):
            one = pages(**options)
            return [await one.fetch(f"http://example.test:{port}{path}") for path in paths], asked

    return asyncio.run(work())


def codes(found):
    return [one.code for one in found]


def test_a_page_is_readable_text_with_its_title_and_time():
    [(page, found)], asked = fetched({"/a": html(HTML)}, "/a")
    assert found == ()
    assert page.title == "A & B"
    assert readable_text(HTML.replace("everybody", "everybody " * 50)).startswith("# Launch\n\nThe launch")
    assert "# Launch" in page.text
    assert "The launch is on Monday <soon>" in page.text
    assert "evil" not in page.text
    assert "menu" not in page.text
    assert page.fetched_at == 1_000_000
    assert asked[0][1]["host"].startswith("example.test:")


def test_without_the_extra_package_a_plain_walk_reads_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    assert readable_text(HTML) == (
        "# Launch\n\nThe launch is on Monday <soon>, and everybody is invited to see it happen.\n\n- one\n- two"
    )
    assert readable_text("<p>a<script>x</p>") == "a"
    assert title_of("no title") == ""


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="<>/ab!-pscript\"'=& \n", max_size=80))
def test_any_html_is_read(text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "trafilatura", None)
        readable_text(text)
    title_of(text)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ((500, {}, b"x"), "page_status"),
        ((200, {"content-type": "image/png"}, b"x"), "page_binary"),
        ((200, {"content-type": "text/plain"}, b" "), "page_empty"),
        ((302, {"location": "/a"}, b""), "page_redirects"),
        ((302, {"location": "ftp://example.test/"}, b""), "page_url"),
        ((302, {"location": "file:///etc/passwd"}, b""), "page_url"),
        ((200, {"content-length": "9999", "content-type": "text/plain"}, b"cut"), "page_unreachable"),
    ],
)
def test_what_cannot_be_had_is_a_diagnostic(answer, code):
    [(page, found)], _ = fetched({"/a": answer}, "/a")
    assert page is None
    assert codes(found) == [code]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "note.md",
        "ftp://x.org/",
        "http://",
        "http://user:pw@x.org/",
        "javascript:alert(1)",
        "http://[",
        "http://x.org:99999/",
    ],
)
def test_what_is_no_web_address_is_refused(url):
    page, found = asyncio.run(pages().fetch(url))
    assert page is None
    assert codes(found) == ["page_url"]


def test_a_big_page_is_refused(monkeypatch):
    monkeypatch.setattr(web, "_MOST_BYTES", 1000)
    [(page, found)], _ = fetched({"/a": html("x" * 5000)}, "/a")
    assert (page, codes(found)) == (None, ["page_too_big"])


def test_a_slow_page_is_given_up(monkeypatch):
    monkeypatch.setattr(web, "_MOST_SECONDS", 0.2)

    async def work():
        gone = asyncio.Event()
        closed = asyncio.Event()

        async def never(reader, writer):
            await gone.wait()
            writer.close()
            closed.set()

        async with await asyncio.start_server(never, "127.0.0.1", 0) as slow:
            answer = await pages().fetch(f"http://x.test:{slow.sockets[0].getsockname()[1]}/")
            gone.set()
            await closed.wait()
            return answer

    assert codes(asyncio.run(work())[1]) in (["page_timeout"], ["page_unreachable"])


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://10.0.0.8/",
        "http://169.254.169.254/latest/meta-data",
        "http://0.0.0.0/",
        "http://192.168.1.1:8080/",
    ],
)
def test_private_addresses_are_never_reached(url):
    async def must_not(*_args):
        raise AssertionError("a connection was tried")

    async def work():
        one = WebPages(StillClock())
        return await one.fetch(url)

    page, found = asyncio.run(work())
    assert page is None
    assert codes(found) in (["page_private"], ["page_url"], ["page_unreachable"])
    if "169.254" in url or "[::1]" in url or url.startswith("http://127.0.0.1"):
        assert codes(found) == ["page_private"]


def test_a_redirect_to_a_private_address_is_not_followed():
    answers = {"/a": (302, {"location": "http://127.0.0.2/secret"}, b"")}

    async def resolve(host, port):
        return ["127.0.0.1"] if host == "example.test" else [host]

    [(page, found)], asked = fetched(answers, "/a", resolve=resolve)
    assert (page, codes(found)) == (None, ["page_private"])
    assert len(asked) == 1


def test_a_name_that_changes_its_address_gains_nothing():
    """The connection goes to the address that was checked; the name is asked once a request."""
    told = iter([["127.0.0.1"], ["10.0.0.1"]])
    asked_names = []

    async def rebinding(host, port):
        asked_names.append(host)
        return next(told)

    [(page, _)], asked = fetched({"/a": html(HTML)}, "/a", resolve=rebinding)
    assert page is not None
    assert asked_names == ["example.test"]
    assert len(asked) == 1


def test_an_address_of_the_new_kind_is_reached():
    async def six(host, port):
        return ["::1"]

    async def work():
        async def serve(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nsix")
            await writer.drain()
            writer.close()

        try:
            listening = await asyncio.start_server(serve, "::1", 0)
        except OSError:
            pytest.skip("this machine has no IPv6")
        async with listening:
            port = listening.sockets[0].getsockname()[1]
            return await pages(resolve=six, allowed=lambda _a: True).fetch(f"http://six.test:{port}/")

    assert asyncio.run(work())[0].text == "six"


def test_one_private_address_among_public_ones_is_enough_to_refuse():
    async def mixed(host, port):
        return ["127.0.0.1", "10.0.0.1"]

    [(page, found)], asked = fetched({"/a": html(HTML)}, "/a", resolve=mixed)
    assert (page, codes(found), asked) == (None, ["page_private"], [])


def test_pages_are_kept_for_a_while_and_the_old_copy_helps_when_the_server_is_gone():
    async def work():
        answers = {"/a": html(HTML)}
        async with server(answers) as (port, asked):
            clock = StillClock()
            one = WebPages(clock, max_age=1000, resolve=local, allowed=lambda _address: True)
            url = f"http://example.test:{port}/a"
            first, _ = await one.fetch(url)
            again, found = await one.fetch(url + "/#part")
            assert again is first
            assert found == ()
            assert len(asked) == 1
            clock.time += 2000
            answers["/a"] = html(HTML.replace("Monday", "Tuesday"))
            assert "Tuesday" in (await one.fetch(url))[0].text
            clock.time += 2000
            answers["/a"] = (500, {}, b"")
            kept, found = await one.fetch(url)
            assert "Tuesday" in kept.text
            assert codes(found) == ["page_status"]
            assert found[0].detail == {"fetchedAt": 1_002_000}

    asyncio.run(work())


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        (str(IPv4Address(0)), False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("198.18.0.1", False),
        ("192.0.2.1", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("fec0::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("2002:7f00:1::", False),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::5db8:d822", True),
        ("example.org", False),
    ],
)
def test_which_addresses_are_public(address, public):
    assert is_public(address) is public


def test_the_system_resolves_names():
    assert "127.0.0.1" in asyncio.run(resolve_host("127.0.0.1", 80))


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("HTTP://Example.org:80/a/?b=2&a=1&a=0#x", "http://example.org/a?a=1&a=0&b=2"),
        ("https://example.org:8443", "https://example.org:8443/"),
        ("http://[::1]:80/x", "http://[::1]/x"),
        ("https://example.org/a b/ü", "https://example.org/a%20b/%C3%BC"),
        ("http://x.org:port/", "http://x.org:port/"),
        ("just text", "just text"),
        ("  ", None),
    ],
)
def test_one_way_to_write_a_url(url, written):
    assert normalize_url(url) == written
    if written is not None:
        assert normalize_url(written) == written
