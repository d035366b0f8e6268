"""Puts text into the pages that MkDocs' server sends, which are not what stands in the site's files."""

from collections.abc import Callable, Iterable
from typing import Any

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
"""A WSGI application: gets a request and what begins the answer, returns the answer's parts."""


def putting(text: str, tag: bytes, serve: Application) -> Application:
    """Make of an application one that puts text into its pages.

    Args:
        text: The text, as HTML.
        tag: The closing tag that it goes before; where a page has none, it goes to its end.
        serve: The application.
    """

    def put(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        begun: list[Any] = []
        content = serve(environ, lambda status, headers, *rest: begun.extend((status, headers)))
        status, headers = begun[:2]
        names = {name.lower(): value for name, value in headers}
        if names.get("content-type", "").startswith("text/html"):
            before, closing, after = b"".join(content).rpartition(tag)
            whole = before + text.encode() + closing + after if closing else after + text.encode()
            headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
            headers.append(("Content-Length", str(len(whole))))
            content = [whole]
        start_response(status, headers)
        return content

    return put
