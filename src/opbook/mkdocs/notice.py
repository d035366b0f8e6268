"""Tells in the browser that the site that is being served could not be built again."""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from opbook.mkdocs.served import Application, putting

_NOTICE = """
<div role="alert" style="position:fixed;inset:auto 0 0 0;z-index:99;max-height:60vh;overflow:auto;padding:1rem 1.2rem;
border-top:4px solid #d5452f;background:#1d2228;color:#f2f2f0;font:14px/1.5 system-ui,sans-serif" tabindex="0">
<strong>The site could not be built again. This is what it was before.</strong>
<pre style="margin:.6rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere;color:inherit">{problem}</pre></div>
"""


class Notice:
    """What went wrong in the last build, put on every page that the server sends.

    Attributes:
        problem: The message, or "" while the site is what its sources say.
    """

    def __init__(self, serve: Application) -> None:
        """Put itself before what serves the pages."""
        self.problem = ""
        self._serve = serve

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request, as a WSGI application."""
        if not self.problem:
            return self._serve(environ, start_response)
        notice = _NOTICE.format(problem=escape(self.problem))
        return putting(notice, b"</body>", self._serve)(environ, start_response)
