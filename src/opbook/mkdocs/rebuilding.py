"""Builds a site again while it is being served; a build that fails leaves what was there."""

from collections.abc import Callable
from pathlib import Path

from mkdocs.exceptions import Abort

from opbook.mkdocs.former import FormerSite
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
        former = FormerSite()
        former.take(site)
        try:
            builder()
            notice.problem = ""
        except BaseException as error:
            former.put_back()
            if not isinstance(error, Abort) or not isinstance(error.__context__, PagesError):
                raise
            notice.problem = str(error.__context__)
            log.info("the site stays as it was until the next change")
        else:
            former.forget()

    return rebuild
