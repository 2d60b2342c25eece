"""`nightschool open`: the dashboard, in a browser."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from typing import Final
from urllib.parse import urlencode

import anyio
import click

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.console import messages, results
from nightschool.cli.exits import Exit
from nightschool.core.errors import InvalidInput, NightschoolError
from nightschool.experiments.lookup import find_experiment
from nightschool.settings import Settings

__all__ = ["open_"]

_PORTS_TRIED: Final = 20
_START_SECONDS: Final = 60.0


@click.command("open")
@click.argument("experiment", required=False)
@click.option(
    "--port", default=8501, show_default=True, type=click.IntRange(1024, 65535), help="Or the next free."
)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open a browser window too.")
@click.option("--answers", is_flag=True, help="Tool calls that ask may be allowed and denied.")
@click.pass_obj
def open_(settings: Settings, *, experiment: str | None, port: int, browser: bool, answers: bool) -> int:
    """Open the dashboard, at EXPERIMENT if one is named (its id, the beginning of it, or LAST).

    It answers only this machine and ends with Ctrl+C. It reads; what it writes are labels and, with
    --answers (or NIGHTSCHOOL_ANSWERS=on), a person's word on tool calls that wait for one.
    """
    query = "" if experiment is None else "compare?" + urlencode({"experiment": _find(settings, experiment)})
    free = _free_port(port)
    command = [sys.executable, "-m", "nightschool.dashboard", "--port", str(free)]
    signal.signal(signal.SIGTERM, _end)
    command += ["--data", str(settings.data_dir.absolute()), *(["--answers"] if answers else [])]
    server = subprocess.Popen(command)  # noqa: S603 - our own module
    try:
        _wait(server, f"http://localhost:{free}/_stcore/health")
        address = f"http://localhost:{free}/{query}"
        results().print(address, markup=False)
        messages().print("the dashboard runs until Ctrl+C")
        if browser:
            webbrowser.open(address)
        return server.wait()
    except KeyboardInterrupt:
        return int(Exit.SUCCESS)
    finally:
        server.terminate()
        server.wait()


def _end(_number: int, _frame: object) -> None:
    """A server must not outlive the command that started it."""
    raise KeyboardInterrupt


def _find(settings: Settings, experiment: str) -> str:
    async def find(workspace: Workspace) -> str:
        return await find_experiment(workspace, experiment)

    with open_workspace(settings, read_only=True) as workspace:
        return anyio.run(find, workspace)


def _free_port(wanted: int) -> int:
    for port in range(wanted, min(wanted + _PORTS_TRIED, 65536)):
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise InvalidInput(f"no port from {wanted} to {wanted + _PORTS_TRIED - 1} is free; name one with --port")


def _wait(server: subprocess.Popen[bytes], health: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(health, timeout=2):  # noqa: S310 - an address of our own
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise NightschoolError("the dashboard did not start; what it said stands above")
