"""A toy over HTTP: a good server unless a toy replaces one of its guards. Standard library only.

    HTTP = {"server__url": "http://127.0.0.1:{server_port}/mcp"}
    toys = Toys(**HTTP)

    @toys.toy("fail", "foreign-origin")
    def anyone(server):
        server.http.origin = lambda request: None

A guard takes the request and returns None, or what is answered instead: `refuse(status, text, **headers)`. They run in
the order host, origin, cors, auth, version, session. `server.http.token` is the token that is wanted, `sessions` tells
whether ids are given out, and `new_id` makes one.
"""

import json
import secrets
import ssl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from toykit import MODERN, PREFIX, VERSIONS, RpcError

HTTP = {"server__url": "http://127.0.0.1:{server_port}/mcp"}
CERTIFICATE = str(Path(__file__).with_name("tls") / "toy.pem")
METADATA = "/.well-known/oauth-protected-resource"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.body = method, target, headers, body
        self.path, self.query = urlsplit(target).path, urlsplit(target).query
        try:
            self.message = json.loads(body) if body else {}
        except (ValueError, RecursionError):
            self.message = None

    @property
    def rpc(self):
        """The method of the message, empty without one."""
        return self.message.get("method", "") if isinstance(self.message, dict) else ""


def refuse(status, text="", **headers):
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, text.encode()


def rpc_refusal(status, code, text, **data):
    error = {"code": code, "message": text, **({"data": data} if data else {})}
    return (
        status,
        {"content-type": "application/json"},
        json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode(),
    )


class Http:
    def __init__(self, server, port):
        self.server, self.port, self.address = server, port, "127.0.0.1"
        self.token, self.certificate, self.sessions = None, None, True
        self.metadata = {"resource": f"http://127.0.0.1:{port}/mcp", "authorization_servers": ["http://127.0.0.1:1"]}
        self.live = set()

    # -- guards ---------------------------------------------------------------------------------------------
    def names(self):
        return {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}

    def host(self, request):
        return None if request.headers.get("host") in self.names() else refuse(421, "Invalid Host header")

    def origin(self, request):
        origin = request.headers.get("origin")
        allowed = {f"http://{name}" for name in self.names()}
        return None if origin is None or origin in allowed else refuse(403, "Invalid Origin header")

    def cors(self, request):
        """Headers of every answer."""
        return {}

    def preflight(self, request):
        return refuse(405)

    def auth(self, request):
        if self.token is None or request.path == METADATA:
            return None
        if request.headers.get("authorization") == f"Bearer {self.token}":
            return None
        return refuse(401, "Unauthorized", www_authenticate=f'Bearer resource_metadata="http://127.0.0.1:1{METADATA}"')

    def version(self, request):
        given = request.headers.get("mcp-protocol-version")
        if self.server.modern:
            return self.modern_headers(request, given)
        if given is not None and given not in VERSIONS:
            return rpc_refusal(400, -32000, "Unsupported protocol version")
        return None

    def modern_headers(self, request, given):
        params = request.message.get("params") if isinstance(request.message, dict) else None
        meta = params.get("_meta", {}) if isinstance(params, dict) else {}
        version = meta.get(PREFIX + "protocolVersion")
        if request.rpc == "initialize":
            return None
        if given != version or request.headers.get("mcp-method") != request.rpc:
            return rpc_refusal(400, -32020, "Header mismatch")
        named = params.get(NAMED.get(request.rpc, ""))
        if named is not None and request.headers.get("mcp-name") != named:
            return rpc_refusal(400, -32020, "Header mismatch")
        if version != MODERN:
            return rpc_refusal(400, -32022, "Unsupported protocol version", supported=[MODERN], requested=version)
        return None

    def session(self, request):
        if not self.sessions or self.server.modern or request.rpc == "initialize":
            return None
        given = request.headers.get("mcp-session-id")
        if given is None:
            return rpc_refusal(400, -32000, "Session id required")
        return None if given in self.live else rpc_refusal(404, -32001, "Session not found")

    def new_id(self):
        return secrets.token_hex(16)

    def end(self, request):
        """DELETE."""
        self.live.discard(request.headers.get("mcp-session-id"))
        return refuse(200)

    # -- answering ------------------------------------------------------------------------------------------
    def answer(self, request):
        if request.path == METADATA and self.metadata and self.token:
            return 200, {"content-type": "application/json"}, json.dumps(self.metadata).encode()
        for guard in (self.host, self.origin):
            refused = guard(request)
            if refused:
                return refused
        if request.method == "OPTIONS":
            return self.preflight(request)
        if request.path != "/mcp":
            return refuse(404)
        if request.method not in ("POST", "DELETE"):
            return refuse(405)
        for guard in (self.auth, *((self.version,) if request.method == "POST" else ()), self.session):
            refused = guard(request)
            if refused:
                return refused
        return self.end(request) if request.method == "DELETE" else self.post(request)

    def post(self, request):
        message = request.message
        if message is None:
            return rpc_refusal(400, -32700, "Parse error")
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return rpc_refusal(400, -32600, "Invalid request")
        if "id" not in message:
            return refuse(202)
        headers = {"content-type": "application/json"}
        reply, status = {"jsonrpc": "2.0", "id": message["id"]}, 200
        try:
            reply["result"] = self.server.dispatch(message["method"], message.get("params") or {})
        except RpcError as error:
            reply["error"] = error.body
            status = 200 if not self.server.modern else 404 if error.body["code"] == -32601 else 400
        if message["method"] == "initialize" and self.sessions and "result" in reply:
            headers["mcp-session-id"] = self.new_id()
            self.live.add(headers["mcp-session-id"])
        return status, headers, json.dumps(reply).encode()

    def serve(self):
        http = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.command, self.path, headers, body)
                status, given, data = http.answer(request)
                self.send_response_only(status)
                for name, value in {**given, **http.cors(request), "content-length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_DELETE = do_OPTIONS = handle_any

            def log_message(self, *args):
                pass

        site = ThreadingHTTPServer((self.address, self.port), Handler)
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate)
            site.socket = context.wrap_socket(site.socket, server_side=True)
        site.serve_forever()
