"""Builds a site again while it is being served; a build that fails leaves what was there."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mkdocs.exceptions import Abort

from opbook.mkdocs.notice import Notice
from opbook.mkdocs.worker import PagesError, log


def rebuilding(notice: Notice, builder: Callable[[], None], site: Path) -> Callable[[], None]:
    """Make of what builds a site what builds it again.

    Args:
        notice: What shows a problem on the pages.
        builder: Builds the site.
        site: The folder it is built into.

    Returns:
        Builds the site; where an example fails, pages say why, and MkDocs would stop answering.
    """

    def rebuild() -> None:
        try:
            with _kept(site):
                builder()
            notice.problem = ""
        except Abort as error:
            if not isinstance(error.__context__, PagesError):
                raise
            notice.problem = str(error.__context__)
            log.info("the site stays as it was until the next change")

    return rebuild


@contextmanager
def _kept(site: Path) -> Iterator[None]:
    """Put a folder back that something empties, if that fails."""
    former = site.with_name(f"{site.name}.former")
    site.rename(former)
    site.mkdir()
    try:
        yield
    except BaseException:
        shutil.rmtree(site)
        former.rename(site)
        raise
    shutil.rmtree(former)
