"""HTTP requests with every size and every wait bounded; redirects are seen and never followed."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import msgspec

from sealmark.wire import jsonrpc
from sealmark.wire.http.events import EventSplitter
from sealmark.wire.transcript import Transcript

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 10.0
BODY_BYTES = 4 * 1024 * 1024
EVENTS = "text/event-stream"
JSON = "application/json"


class Endpoint(msgspec.Struct, frozen=True):
    """Where a server is reached.

    Attributes:
        url: of the MCP endpoint.
        headers: sent with every request, credentials among them.
        ca_file: certificate authorities to trust instead of the system's, empty for those.
    """

    url: str
    headers: Mapping[str, str] = {}
    ca_file: str = ""

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return origin_of(self.url)

    @property
    def bearer(self) -> str:
        """The token of the Authorization header, empty without one."""
        for name, value in self.headers.items():
            if name.lower() == "authorization" and value[:7].lower() == "bearer ":
                return value[7:].strip()
        return ""


class Answer(msgspec.Struct, frozen=True):
    """What one request brought.

    Attributes:
        status: of the response, 0 without one.
        headers: of the response, names in lower case; several of one name are joined by a comma.
        body: its first bytes; of an event stream the data of its first response, or of its first event.
        length: bytes that were read of it.
        cut: whether more of it was there, or should have been.
        tls: the version of TLS, empty without.
        failure: why there is no response: ``timeout``, or the words of the transport.
    """

    status: int = 0
    headers: dict[str, str] = {}
    body: bytes = b""
    length: int = 0
    cut: bool = False
    tls: str = ""
    failure: str = ""

    @property
    def media(self) -> str:
        """The media type, without parameters."""
        return media_of(self.headers)

    @property
    def message(self) -> jsonrpc.Parsed:
        """The body read as a JSON-RPC message."""
        return jsonrpc.parse(self.body)


class Client:
    """Requests to one endpoint over connections of its own."""

    def __init__(self, endpoint: Endpoint, *, transcript: Transcript | None = None) -> None:
        import httpx2

        self.endpoint = endpoint
        self.transcript = transcript
        timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
        context = tls_context(endpoint)
        transport = httpx2.AsyncHTTPTransport(verify=context, trust_env=False)
        self._client = httpx2.AsyncClient(
            transport=transport, verify=context, timeout=timeout, trust_env=False, follow_redirects=False, headers={}
        )
        self._client.headers.clear()

    @asynccontextmanager
    async def stream(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> AsyncIterator[httpx2.Response]:
        """Send a request and give the response, whose body is not read yet.

        Raises:
            OSError: there is no response; the text says why.
        """
        import httpx2

        given = {"accept-encoding": "identity", "user-agent": "sealmark", **_lower(headers)}
        try:
            request = self._client.build_request(method, url, headers=given, content=body or None)
            self._note("c2s", f"{method} {urlsplit(url).path or '/'}", given)
            response = await self._client.send(request, stream=True)
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, UnicodeError, ssl.SSLError) as error:
            raise OSError(said(error)) from error
        self._note("s2c", f"HTTP {response.status_code}", headers_of(response))
        try:
            yield response
        finally:
            await response.aclose()

    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"", *, seconds: float
    ) -> Answer:
        """One request and its answer, within ``seconds`` and `BODY_BYTES`; never raises for what the server does."""
        answer = Answer(failure="timeout")
        try:
            async with asyncio.timeout(seconds), self.stream(method, url, headers, body) as response:
                answer = Answer(response.status_code, headers_of(response), tls=_tls(response))
                answer = msgspec.structs.replace(answer, cut=True)
                if method in ("HEAD",) or (method == "GET" and answer.media == EVENTS):
                    return answer
                async for grown in _grown(answer, response):
                    answer = grown
        except TimeoutError:
            pass
        except OSError as error:
            if not answer.status:
                answer = Answer(failure=str(error))
        return answer

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _note(self, direction: str, first: str, headers: Mapping[str, str]) -> None:
        if self.transcript is not None:
            lines = [first, *(f"{name}: {value}" for name, value in headers.items())]
            data = "\n".join(lines).encode("utf-8", "surrogateescape")
            self.transcript.add("c2s" if direction == "c2s" else "s2c", data, flags=("head",))


async def chunks(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The body as it comes, without decoding.

    Raises:
        OSError: the connection broke off.
    """
    import httpx2

    try:
        async for chunk in response.aiter_raw():
            yield chunk
    except (httpx2.HTTPError, httpx2.StreamError, ssl.SSLError) as error:
        raise OSError(said(error)) from error


async def _grown(answer: Answer, response: httpx2.Response) -> AsyncIterator[Answer]:
    """The answer with more and more of its body, so that a time-out keeps what there is."""
    events = EventSplitter(BODY_BYTES) if answer.media == EVENTS else None
    body, length = bytearray(), 0
    async for chunk in chunks(response):
        length += len(chunk)
        if events is None:
            body += chunk[: BODY_BYTES - len(body)]
        for event in events.feed(chunk) if events else ():
            if not body or jsonrpc.parse(event.line.data).kind == "response":
                body[:] = event.line.data
            if jsonrpc.parse(event.line.data).kind == "response":
                yield msgspec.structs.replace(answer, body=bytes(body), length=length, cut=False)
                return
        if length > BODY_BYTES:
            yield msgspec.structs.replace(answer, body=bytes(body), length=length, cut=True)
            return
        if events is not None:
            yield msgspec.structs.replace(answer, body=bytes(body), length=length, cut=True)
    yield msgspec.structs.replace(answer, body=bytes(body), length=length, cut=False)


def headers_of(response: httpx2.Response) -> dict[str, str]:
    """The headers of a response, names in lower case."""
    found: dict[str, str] = {}
    for raw_name, raw_value in response.headers.raw:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def media_of(headers: Mapping[str, str]) -> str:
    """The media type of a response, without parameters."""
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, with the scheme's own port written out."""
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    return f"{parts.scheme}://{(parts.hostname or '').lower()}:{port}"


def join(url: str, path: str) -> str:
    """`path` relative to the endpoint: empty is the endpoint, ``?…`` adds a query, ``/…`` is below its origin."""
    return urljoin(url, path) if path else url


def said(error: BaseException) -> str:
    """What a failure of the transport says, its cause included when it says nothing itself."""
    text = str(error) or type(error).__name__
    cause = error.__cause__ or error.__context__
    if text == "All connection attempts failed":
        return "nothing listens there"
    return f"{text}: {cause}" if cause is not None and str(cause) and str(cause) not in text else text


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _tls(response: httpx2.Response) -> str:
    stream = response.extensions.get("network_stream")
    found = stream.get_extra_info("ssl_object") if stream is not None else None
    return str(found.version() or "") if found is not None else ""


def tls_context(endpoint: Endpoint) -> ssl.SSLContext:
    """What checks the certificate of an endpoint."""
    if urlsplit(endpoint.url).scheme != "https":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # never used; a real one takes time to load
    return ssl.create_default_context(cafile=endpoint.ca_file or None)


def now() -> float:
    """The clock of frames and of what was sent."""
    return time.perf_counter()
