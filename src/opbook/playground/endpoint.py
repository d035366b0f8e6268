"""Where a page that is being served sends its messages. Nobody else can, such as another site in the same browser."""

import json
import re
import secrets
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from opbook.playground.process import Worker

PATH = "/opbook-playground"
"""The address of the endpoint, from the root of the server."""

TOKEN_HEADER = "X-Opbook-Token"
"""The header of a message that holds the token of the page that sends it."""

LARGEST = 100_000
"""How many bytes a message may have."""


class Endpoint:
    """Answers messages that pages of this server send, as a WSGI application.

    Attributes:
        token: What pages of this server have, and nobody else: a secret of this process.

    Args:
        port: The server's port; it listens on this machine's own address only.
        worker: What runs the programs.
    """

    def __init__(self, port: int, worker: Worker) -> None:
        self.token = secrets.token_urlsafe(24)
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._worker = worker

    def is_ours(self, environ: dict[str, Any]) -> bool:
        """Tell whether a request names this server by a name of its own, and not by one that somebody points here."""
        return environ.get("HTTP_HOST") in self._hosts

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        status, problem = self._refusal(environ)
        content = b"" if problem else environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        if not problem:
            status, problem, found = self._answer(content)
        kind, body = (
            ("text/plain; charset=utf-8", f"{problem}\n") if problem else ("application/json", json.dumps(found))
        )
        headers = [("Content-Type", kind), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
        start_response(f"{status.value} {status.phrase}", headers)
        return [body.encode()]

    def _refusal(self, environ: dict[str, Any]) -> tuple[HTTPStatus, str]:
        """Why a request is refused before it is read; "" if it is not."""
        host, origin = environ.get("HTTP_HOST"), environ.get("HTTP_ORIGIN")
        if not self.is_ours(environ):
            return HTTPStatus.FORBIDDEN, f"this server is not called {host}"
        if environ["REQUEST_METHOD"] != "POST":
            return HTTPStatus.METHOD_NOT_ALLOWED, "messages are sent with POST"
        if origin != f"http://{host}":
            return HTTPStatus.FORBIDDEN, f"messages come from pages of this server, not from {origin}"
        token = environ.get("HTTP_" + TOKEN_HEADER.upper().replace("-", "_"), "")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return HTTPStatus.FORBIDDEN, "the token is not that of a page of this server; load the page again"
        length = environ.get("CONTENT_LENGTH") or ""
        if not re.fullmatch("[0-9]{1,18}", length):
            return HTTPStatus.LENGTH_REQUIRED, "a message says how long it is"
        if int(length) > LARGEST:
            environ["wsgi.input"].read(min(int(length), 10 * LARGEST))  # or the sender would not hear why
            return (
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the message has {int(length):,} bytes; the limit is {LARGEST:,}",
            )
        return HTTPStatus.OK, ""

    def _answer(self, content: bytes) -> tuple[HTTPStatus, str, Any]:
        try:
            message = json.loads(content)
        except (ValueError, RecursionError) as error:
            return HTTPStatus.BAD_REQUEST, f"the message is not JSON: {error}", None
        if not isinstance(message, dict):
            return HTTPStatus.BAD_REQUEST, "a message is an object", None
        if message.get("do") == "stop":
            self._worker.stop(message.get("id"))
            return HTTPStatus.OK, "", {}
        if message.get("do") != "run" or message.get("language") != "qu":
            return HTTPStatus.BAD_REQUEST, "this server runs programs of the notation qu only", None
        return HTTPStatus.OK, "", self._worker.ask(message)
