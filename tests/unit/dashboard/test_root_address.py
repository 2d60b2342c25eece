"""Streamlit's page is told where its server is; everything else passes as it is."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from nightschool.dashboard.root_address import RootAddress

PAGE = "<!DOCTYPE html><html><head><title>é</title></head><body>" + "x" * 2000 + "</body></html>"


async def _page(_: Request) -> Response:
    return HTMLResponse(PAGE, headers={"etag": "one", "cache-control": "no-cache"})


async def _health(_: Request) -> Response:
    return PlainTextResponse("<head>")


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/_stcore/health", _health), Route("/{path:path}", _page)]
    middleware = [Middleware(RootAddress, pages=["compare"]), Middleware(GZipMiddleware)]
    return TestClient(Starlette(routes=routes, middleware=middleware))


@pytest.mark.parametrize("path", ["/", "/compare", "/compare/", "/behind/a/proxy/compare"])
def test_a_pages_html_says_where_the_server_is(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"accept-encoding": "gzip"})

    assert re.search(
        r"<head>\s*<script>.*BACKEND_BASE_URL.*</script><title>é</title>", answer.text, re.DOTALL
    )
    assert str(len(answer.content)) == answer.headers["content-length"]
    assert "etag" not in answer.headers
    assert "no-cache" == answer.headers["cache-control"]


@pytest.mark.parametrize(("path", "body"), [("/_stcore/health", "<head>"), ("/static/x.html", PAGE)])
def test_everything_else_passes_as_it_is(client: TestClient, path: str, body: str) -> None:
    assert body == client.get(path).text
