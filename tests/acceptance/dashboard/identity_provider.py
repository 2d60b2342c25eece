"""An identity provider of our own: OpenID Connect's code flow, for one person who always agrees."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

__all__ = ["CLIENT", "identity_provider"]

CLIENT = "nightschool-tests"
KEY = RSAKey.generate_key(2048, parameters={"kid": "one"})


@contextmanager
def identity_provider(person: Mapping[str, Any]) -> Iterator[str]:
    """Serve a provider that says everybody is ``person``; give its address."""
    nonces: dict[str, str] = {}

    class Provider(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            match url.path:
                case "/.well-known/openid-configuration":
                    self._say(_described(address))
                case "/jwks":
                    self._say({"keys": [KEY.as_dict(private=False)]})
                case "/authorize":
                    nonces["a-code"] = query["nonce"]
                    back = urlencode({"code": "a-code", "state": query["state"]})
                    self.send_response(302)
                    self.send_header("Location", f"{query['redirect_uri']}?{back}")
                    self.end_headers()
                case _:
                    self.send_error(404)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            now = int(time.time())
            claims = {"iss": address, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 600} | dict(person)
            token = jwt.encode({"alg": "RS256", "kid": "one"}, claims | {"nonce": nonces["a-code"]}, KEY)
            self._say({"access_token": "x", "token_type": "Bearer", "expires_in": 600, "id_token": token})

        def _say(self, value: object) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    address = f"http://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _described(address: str) -> dict[str, Any]:
    return {
        "issuer": address,
        "authorization_endpoint": f"{address}/authorize",
        "token_endpoint": f"{address}/token",
        "jwks_uri": f"{address}/jwks",
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
    }
