"""Lets a site that is being served run the programs on its pages."""

import ipaddress
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig

from opbook.mkdocs.served import Application, putting
from opbook.playground.endpoint import PATH, Endpoint
from opbook.playground.process import Worker

_TOKEN = '<meta name="opbook-playground" content="{token}">\n'


class Playground:
    """Answers the messages of pages, which get the token that they need; all else is left to an application.

    Args:
        serve: What serves the pages.
        port: The server's port.
        folder: The working directory of what runs programs.
        plugins: The one-file plugins of the site.
    """

    def __init__(self, serve: Application, port: int, folder: Path, plugins: Iterable[str]) -> None:
        self._worker = Worker(folder, plugins)
        self._endpoint = Endpoint(port, self._worker)
        self._serve = serve
        self._serve_with_token = putting(_TOKEN.format(token=self._endpoint.token), b"</head>", serve)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, as a WSGI application."""
        if environ["PATH_INFO"] == PATH:
            return self._endpoint(environ, start_response)
        serve = self._serve_with_token if self._endpoint.is_ours(environ) else self._serve
        return serve(environ, start_response)

    def renewed_by(self, rebuild: Callable[[], None]) -> Callable[[], None]:
        """Make of what builds the site again what also has programs run with the plugins as they are then."""

        def renew() -> None:
            rebuild()
            self._worker.restart()

        return renew


def is_private(config: MkDocsConfig) -> bool:
    """Tell whether the server is seen by this machine only: nobody else may have programs run here."""
    host = config.dev_addr.host
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"
